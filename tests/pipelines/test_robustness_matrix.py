"""``experiment=robustness_matrix``: what it plans, what it refuses, and one small matrix from nothing to its files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import yaml

from hardtext import locks
from hardtext.config import compose
from hardtext.core import Attempt, InputError
from hardtext.pipelines import evaluate
from hardtext.pipelines import robustness_matrix as matrix

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENT = ("experiment=robustness_matrix", "logger=csv")


def settings(*overrides: str):
    return compose("evaluate", [*EXPERIMENT, *overrides])


@pytest.fixture(autouse=True)
def no_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("HARDTEXT_RUNS", str(tmp_path / "runs"))


def test_the_plan_is_every_victim_of_every_seed_the_plain_one_first():
    jobs = matrix.planned(settings("matrix.rows=[adv,output+canonicalise,plain,canonicalise+output,hard]"))
    assert [(job.row, job.seed) for job in jobs] == [
        (row, seed) for row in ("plain", "adv", "canonicalise+output", "hard") for seed in (0, 1)]
    models = [job.training.model.name for job in jobs[::2]]
    assert models == ["tiny", "tiny_adv", "tiny+canonicalise+output", "tiny_hard"]
    assert jobs[5].training.seed == 1 and jobs[5].training.hardening.names() == ("canonicalise", "output")
    assert jobs[-1].training.hardening.names() == compose("train", ["model=tiny_hard"]).hardening.names() != ()
    assert len({job.victim for job in jobs}) == len(jobs)
    for job in jobs:
        assert list(job.attacks) == ["bert_attack", "deepwordbug", "pwws", "genetic", "homoglyph_search", "turquaz"]
        for name, attack in job.attacks.items():
            assert (attack.attack.name, attack.max_queries, attack.seed, attack.model.name) == (
                name, 500, job.seed, job.training.model.name)


def test_the_recipe_takes_what_it_needs_from_the_domain_of_the_matrix():
    """Not from the domain that train.py would take by itself."""
    (job,) = [j for j in matrix.planned(settings("domain=pr", "matrix.rows=[adv]", "matrix.seeds=[0]")) if j.row == "adv"]
    pr = compose("train", ["domain=pr", "model=tiny_adv"])
    assert job.training.model == pr.model and job.training.domain == pr.domain
    assert job.training.model.adversary.subset is None and job.training.model.adversarial.batch_size == 64
    changed = settings("domain=pr", "matrix.rows=[adv]", "domain.adversarial_subset=2000")
    assert matrix.planned(changed)[-1].training.model.adversary.subset == 2000


def test_the_executor_reaches_every_run():
    jobs = matrix.planned(settings("matrix.rows=[adv]", "executor=process", "executor.workers=2"))
    found = [c.executor for job in jobs for c in (job.training, *job.attacks.values())]
    assert {(e.name, e.workers) for e in found} == {("process", 2)}


def test_only_the_matrix_takes_an_executor():
    with pytest.raises(InputError, match="executor=process: only experiment=robustness_matrix attacks; task=report reads"):
        evaluate.run(compose("evaluate", ["task=report", "executor=process"]))


def test_a_second_matrix_in_one_folder_is_refused_with_the_pid(tmp_path):
    with locks.locked(tmp_path), pytest.raises(InputError, match=f"is in use by process {os.getpid()} on"):
        matrix.run(settings("domain.train=32", f"out={tmp_path}"))


def test_overwrite_reaches_every_run():
    for overwrite in (False, True):
        for job in matrix.planned(settings(f"overwrite={overwrite}", "matrix.rows=[output]")):
            assert {job.training.overwrite, *(attack.overwrite for attack in job.attacks.values())} == {overwrite}


def test_settings_of_the_trainings_reach_every_training():
    jobs = matrix.planned(settings("matrix.training=['model.epochs=1']", "matrix.rows=[output,adv]"))
    assert {job.training.model.epochs for job in jobs} == {1}


def test_a_victim_that_train_has_measured_on_more_texts_is_taken_as_it_is(tmp_path):
    config = settings("matrix.rows=[adv]", "matrix.seeds=[0]")
    job = matrix.planned(config)[-1]
    assert job.training.robustness.limit == 1
    job.victim.mkdir(parents=True)
    own = {"split": "attack", "limit": None, "max_queries": 50}
    (job.victim / "config.yaml").write_text(yaml.safe_dump({"robustness": own}))
    again = matrix.planned(config)[-1].training.robustness
    assert (again.limit, again.max_queries) == (None, 50)
    (job.victim / "config.yaml").write_text(yaml.safe_dump({"robustness": {"odd": 1}}))
    assert matrix.planned(config)[-1].training.robustness.limit == 1


@pytest.mark.parametrize(("overrides", "words"), [
    (["matrix.rows=[outptu]"], "matrix.rows=outptu: 'outptu' is no defence; expected plain, adv, hard, augment"),
    (["matrix.rows=[output+x]"], "'x' is no defence"),
    (["matrix.rows=['']"], "'' is no defence"),
    (["model=bert", "matrix.rows=[hard]"], "matrix.rows=hard: model=bert_hard: no such choice; choose one of"),
    (["model=tiny_adv", "matrix.rows=[augment]", "matrix.attacks=[bert]"], "matrix.attacks=bert: attack=bert: no such"),
    (["matrix.attacks=[rewrite]"], "matrix.attacks=rewrite: .*base_url"),
    (["matrix.training=['model.epoch=1']"], "model.epoch: no such setting .did you mean epochs"),
    (["matrix.training=['model.epochs=0']"], "model.epochs=0"),
    (["model.epochs=1"], r"model.epochs \(6 → 1\): .*matrix.training=\['model.epochs=1'\]"),
    (["split=train"], "split=train: .*attack, or on dev"),
    (["limit=0"], "limit=0"),
    (["semantic=none"], "semantic=none leaves unknown"),
    (["victim=/some/folder"], "trains its victims itself"),
    (["model=pretrained", "model.path=/some/folder"], "model=pretrained: .*ready as it is"),
    (["hardening=[output]"], r"matrix.rows=\[output\]"),
])
def test_what_cannot_be_is_refused_before_any_work(overrides, words, tmp_path):
    with pytest.raises(InputError, match=words):
        matrix.run(settings(*overrides))
    assert not (tmp_path / "runs").exists()


def test_the_task_needs_a_domain_and_a_model(tmp_path):
    with pytest.raises(InputError, match="name the domain with domain= and the plain model with model="):
        matrix.run(compose("evaluate", ["task=robustness_matrix"]))
    with pytest.raises(InputError, match=r"matrix.caps=\[0\]"):
        settings("matrix.caps=[0]")
    with pytest.raises(InputError, match=r"matrix.seeds=\[\]"):
        settings("matrix.seeds=[]")


class Marks:
    """A victim that says 1 of texts with an exclamation mark."""

    name, classes, fingerprint = "marks", ("a", "b"), "f"

    def __init__(self):
        self.asked = 0

    def probabilities(self, texts):
        self.asked += 1
        return np.array([[0.2, 0.8] if "!" in segments[0] else [0.8, 0.2] for segments in texts])


def attempt(id: str, adversarial: str | None) -> Attempt:
    return Attempt(id=id, domain="pr", victim="tiny", attack="x", label=0, original=(f"text {id}",),
                   adversarial=None if adversarial is None else (adversarial,), seed=0,
                   status="failed" if adversarial is None else "success", original_probs=[0.9, 0.1], adversarial_probs=None,
                   queries=3, forwards=3, seconds=0.0)


def test_transfer_counts_the_texts_that_move_this_victim_too(tmp_path):
    from hardtext.scoring import claims, semantic_from_name

    attempts = [attempt("1", "text!"), attempt("2", "text?"), attempt("3", None), attempt("4", "text 4!")]
    rows = tmp_path / "attempts.jsonl"
    rows.write_text("".join(json.dumps(a.to_row()) + "\n" for a in attempts))
    semantic = semantic_from_name("none")
    about = claims.header(attempts, system="x", source="x", sha256=claims.digest(rows), semantic=semantic)
    claim = claims.Claim(**vars(about), errors=0, broken_pairs=0, texts=tuple(map(claims.text_key, attempts)),
                         success=np.array([True, True, False, True]), semantic=np.array([0.9, 0.9, np.nan, 0.8]),
                         character=np.array([0.5, 0.5, np.nan, 0.5]), queries=np.full(4, 3.0))
    victim, file = Marks(), tmp_path / "transfer.json"
    wanted = [claim.texts[i] for i in (3, 2, 1, 0)]
    for _ in range(2):
        assert matrix.transferred(claim, attempts, wanted, victim, file) == pytest.approx([0.4, 0, 0, 0.45])
    assert victim.asked == 2  # originals and adversarial texts, once
    victim.fingerprint = "another"
    matrix.transferred(claim, attempts, wanted, victim, file)
    assert victim.asked == 4


def test_what_was_chosen_on_dev_is_repeated(tmp_path):
    assert matrix.chosen_by(tmp_path) is None
    (tmp_path / "matrix.json").write_text(json.dumps({"about": {"split": "dev"}, "rows": [1], "settings": {"victims": {}}}))
    assert matrix.chosen_by(tmp_path)["about"] == {"split": "dev"}
    (tmp_path / "matrix.json").write_text("[]")
    assert matrix.chosen_by(tmp_path) is None


SMALL = (*EXPERIMENT, "domain.train=64", "limit=4", "matrix.attacks=[deepwordbug]", "matrix.rows=[output]",
         "matrix.seeds=[0]", "matrix.training=['model.epochs=1']")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A small matrix, killed (kill -9) while it attacks the second victim, and taken up again."""
    runs = tmp_path_factory.mktemp("matrix")
    environment = os.environ | {"HARDTEXT_RUNS": str(runs), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "evaluate.py", *SMALL]
    rows = runs / "evaluate/robustness_matrix/sample/tiny/cells/output/deepwordbug/seed=0/attempts.jsonl"
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 240
    while process.poll() is None and time.monotonic() < deadline and not (rows.exists() and rows.stat().st_size):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the matrix was done before it could be killed"
    assert not (runs / "evaluate/robustness_matrix/sample/tiny/matrix.json").exists()
    trained = {file: file.stat().st_mtime_ns for file in runs.glob("train/sample/*/seed=0/metrics.json")}
    assert len(trained) == 2
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Robustness of tiny on sample (generated sample)" in done.stdout
    assert {file: file.stat().st_mtime_ns for file in trained} == trained, "nothing is trained twice"
    return runs / "evaluate/robustness_matrix/sample/tiny"


@pytest.mark.slow
def test_a_killed_matrix_goes_on_and_holds_what_its_cells_hold(folder):
    found = json.loads((folder / "matrix.json").read_text(encoding="utf-8"))
    assert [row["victim"] for row in found["rows"]] == ["plain", "output"]
    for cell in found["cells"]:
        lines = (folder / "cells" / cell["victim"] / "deepwordbug/seed=0/attempts.jsonl").read_text().splitlines()
        rows = [json.loads(line) for line in lines]
        assert len({row["id"] for row in rows}) == len(rows) == cell["texts"] == 4
        assert sum(row["status"] == "success" for row in rows) / 4 == cell["success"]
        assert sum(row["queries"] for row in rows) / 4 == cell["queries"]
    plain, output = found["rows"]
    assert plain["ratio"] in (1.0, None) and plain["transfer"] is None and output["transfer"] is not None
    assert output["made_with"]["name"] == "tiny+output" and output["made_with"]["hardening"]["output"]["digits"] == 0
    assert plain["made_with"]["hardening"] == {} and plain["made_with"]["model"]["epochs"] == 1
    assert found["settings"]["victims"].keys() == {"plain", "output"}
    assert "domain: generated sample" in found["about"]["marks"] and len(found["about"]["marks"]) >= 2
    assert plain["clean_interval"]["accuracy"][0] < plain["clean"]["accuracy"] < plain["clean_interval"]["accuracy"][1]


@pytest.mark.slow
def test_the_same_transfer_as_asked_again(folder):
    """The plain victim and the one behind coarse answers predict alike: what fools one by transfer fools the other."""
    plain, output = json.loads((folder / "matrix.json").read_text(encoding="utf-8"))["rows"]
    assert output["transfer"] == pytest.approx(plain["mean"], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["matrix.json", "matrix.md", "matrix.csv", "matrix.tex", "matrix.png", "matrix.svg",
                                  "matrix_bars.png", "matrix_bars.svg"])
def test_every_file_is_there(folder, name):
    assert (folder / name).stat().st_size
