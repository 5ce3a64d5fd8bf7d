"""``task=export``: a folder that loads anywhere, with the figures of this very victim and of no other."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hardtext
from hardtext import locks, records
from hardtext.config import compose
from hardtext.core import Domain, InputError
from hardtext.pipelines import attack, export, hub_upload
from hardtext.reporting.model_card import page
from hardtext.victims.defended.settings import Canonicalise, Output
from hardtext.victims.export import save_victim
from hardtext.victims.settings import BiLSTM, Encoder

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = Domain("sample", ("supported", "refuted"), pair=True, stand_in="generated sample")
METRICS = {"texts": 60, "accuracy": 0.8, "f1": 0.8, "precision": 0.8, "recall": 0.8, "macro_f1": 0.8, "auroc": 0.9,
           "ece": 0.05, "confusion": [[24, 6], [6, 24]]}
DEFENCES = {"canonicalise": Canonicalise(["unseen"]), "output": Output(digits=0)}


def trained(folder: Path, name: str, seed: int, defences=None) -> Path:
    """What train.py would have left, untrained."""
    model = Encoder(path="bundled:tiny") if name == "tiny" else BiLSTM(tokenizer="bundled:tiny", embedding=8, hidden=8)
    save_victim(model.module(DOMAIN, seed), folder / "victim", DOMAIN, name, defences,
                {"canonicalise": ["lima", "peru"]})
    (folder / "victim" / "optimizer.pt").write_bytes(b"pickled")
    records.write_json(folder / "metrics.json", {
        "domain": "sample", "classes": list(DOMAIN.classes), "model": name, "seed": seed, "dev": METRICS, "attack": METRICS,
        "examples": {"train": 9, "dev": 60, "attack": 60}})
    records.write_json(folder / "status.json", {"state": "done"})
    (folder / "config.yaml").write_text(f"seed: {seed}\nmodel: {{name: {name}, path: 'bundled:tiny'}}\nout: /some/where\n")
    return folder


def attacked(victim: Path, out: Path, limit: int = 12) -> Path:
    attack.run(compose("attack", ["domain=sample", "model=tiny", "attack=deepwordbug", f"victim={victim}", f"limit={limit}",
                                  "max_queries=40", "logger=csv", f"out={out}"]))
    return out


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Victims: plain, another of the same kind, defended, BiLSTM; and attack runs against the first three."""
    root = tmp_path_factory.mktemp("made")
    victims = {"plain": trained(root / "plain", "tiny", 0), "other": trained(root / "other", "tiny", 1),
               "defended": trained(root / "defended", "tiny", 0, DEFENCES), "bilstm": trained(root / "bilstm", "bilstm", 0)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARDTEXT_RUNS", str(root))
        for name in ("plain", "other", "defended"):
            attacked(victims[name], root / "attack" / name)
    return root


@pytest.fixture(autouse=True)
def no_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("HARDTEXT_RUNS", str(tmp_path / "runs"))


def run(victim: Path, out: Path, *overrides: str):
    return export.run(compose("evaluate", ["task=export", "logger=csv", "semantic=none", f"victim={victim}", f"out={out}",
                                           *overrides]))


@pytest.mark.parametrize("name", ["plain", "defended"])
def test_the_folder_holds_this_victim_its_figures_and_nothing_else(made, tmp_path, name, caplog):
    out = tmp_path / "out"
    card = run(made / name, out, f"runs={made}")
    (one,) = card.attacked
    attempts = made / "attack" / name / "attempts.jsonl"
    assert one.sha256 == hashlib.sha256(attempts.read_bytes()).hexdigest() and one.cap == "40"
    assert one.scores["instances"] == 12 and "fingerprint" in one.known_by
    successes = sum(row["status"] == "success" for row in records.read_rows(attempts))
    row = records.read_json(out / "export.json")
    assert row["robustness"][0]["successes"] == successes and row["domain_stand_in"] == "generated sample"
    assert sorted(path.name for path in out.iterdir()) == sorted(row["files"])
    assert {Path(name).suffix for name in row["files"]} == {".safetensors", ".json", ".txt", ".md"}
    assert "optimizer.pt" in caplog.text
    for file, digest in row["sha256"].items():
        assert hashlib.sha256((out / file).read_bytes()).hexdigest() == digest
    assert ("words.txt" in row["files"]) == (name == "defended")
    text = (out / "README.md").read_text()
    assert "generated sample" in text and str(tmp_path) not in text and str(made) not in text and "/some/where" not in text
    assert [path.name for path in tmp_path.iterdir()] == ["out"]  # no litter
    assert (out / "model.safetensors").stat().st_mode & 0o044 == 0o044


def test_it_answers_as_before_wherever_it_is_loaded(made, tmp_path):
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    texts = [("Lima is in Peru.", "Lima is in Chile."), ("a", "b")]
    for name in ("plain", "defended", "bilstm"):
        run(made / name, tmp_path / name)
        victim, before = hardtext.load_victim(tmp_path / name), hardtext.load_victim(made / name)
        assert victim.fingerprint == before.fingerprint and type(victim) is type(before)
        assert (victim.probabilities(texts) == before.probabilities(texts)).all()
    net = AutoModelForSequenceClassification.from_pretrained(tmp_path / "plain")
    inputs = AutoTokenizer.from_pretrained(tmp_path / "plain")(*texts[0], return_tensors="pt")
    assert net(**inputs).logits.softmax(-1).tolist()[0] == pytest.approx(
        hardtext.load_victim(made / "plain").probabilities(texts)[0].tolist(), abs=1e-5)


@pytest.mark.slow
def test_a_bilstm_needs_hardtext_as_its_card_says(made, tmp_path):
    run(made / "bilstm", tmp_path / "out")
    assert "import hardtext.victims.bilstm" in (tmp_path / "out" / "README.md").read_text()
    load = f"AutoModelForSequenceClassification.from_pretrained({str(tmp_path / 'out')!r})"
    code = (f"from transformers import AutoModelForSequenceClassification\n"
            f"try:\n    {load}\nexcept ValueError as error:\n    print(error)\n"
            f"import hardtext.victims.bilstm\nprint(type({load}).__name__)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    bare, known = done.stdout.splitlines()[0], done.stdout.splitlines()[-1]
    assert "hardtext-bilstm" in bare and known == "BiLSTMForSequenceClassification"


def copied(folder: Path, to: Path) -> Path:
    """Attempts as they come from elsewhere: nothing beside them."""
    to.mkdir()
    shutil.copy(folder / "attempts.jsonl", to)
    return to


def test_attempts_from_elsewhere_are_known_by_the_answers_in_them(made, tmp_path, caplog):
    own, foreign = (copied(made / "attack" / name, tmp_path / name) for name in ("plain", "other"))
    card = run(made / "plain", tmp_path / "out", f"attempts='{own},{foreign}'")
    (one,) = card.attacked
    assert "asked again" in one.known_by and one.cap == "unknown" and "no summary.json" in one.marks[-1]
    assert "this victim gives other answers" in caplog.text
    with pytest.raises(InputError, match="none of these attack runs"):
        run(made / "plain", tmp_path / "no", f"attempts={foreign}")
    assert not (tmp_path / "no").exists()


def test_a_victim_that_blurs_its_answers_cannot_be_known_by_them(made, tmp_path, caplog):
    own = copied(made / "attack" / "defended", tmp_path / "own")
    with pytest.raises(InputError, match="none of these attack runs"):
        run(made / "defended", tmp_path / "out", f"attempts={own}")
    assert "a victim with output cannot be told by its answers" in caplog.text


def test_attempts_of_nobody_are_not_looked_at_unless_named(made, tmp_path):
    copied(made / "attack" / "plain", tmp_path / "own")
    assert run(made / "plain", tmp_path / "out", f"runs={tmp_path}").attacked == ()
    assert "is unknown" in (tmp_path / "out" / "README.md").read_text()


def test_an_unfinished_attack_is_left_out(made, tmp_path, caplog):
    shutil.copytree(made / "attack" / "plain", tmp_path / "a")
    records.write_json(tmp_path / "a" / "status.json", {"state": "running"})
    assert run(made / "plain", tmp_path / "out", f"runs={tmp_path}").attacked == ()
    assert "is not finished (running)" in caplog.text


def test_the_same_victim_may_be_exported_again_and_nothing_foreign_is_lost(made, tmp_path):
    out = tmp_path / "out"
    run(made / "defended", out)
    run(made / "defended", out, "export.license=mit")
    assert "license: mit" in (out / "README.md").read_text()
    with pytest.raises(InputError, match="another victim"):
        run(made / "plain", out)
    assert (out / "words.txt").exists()
    run(made / "plain", out, "overwrite=true")
    assert not (out / "words.txt").exists()
    (out / ".git").mkdir()
    with pytest.raises(InputError, match=r"holds \.git besides an export"):
        run(made / "plain", out, "overwrite=true")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="is no export of ours"):
        run(made / "plain", tmp_path / "mine", "overwrite=true")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize("lost", ["family", "versions", "domain"])
def test_a_record_that_lacks_something_is_one_line(made, tmp_path, lost):
    victim = Path(shutil.copytree(made / "plain", tmp_path / "copy"))
    record = records.read_json(victim / "victim" / "hardtext.json")
    del record[lost]
    records.write_json(victim / "victim" / "hardtext.json", record)
    with pytest.raises(InputError, match="hardtext.json: damaged"):
        run(victim, tmp_path / "out")


def test_a_link_stays_one_and_what_it_leads_to_is_the_export(made, tmp_path):
    (tmp_path / "disk").mkdir()
    for name in ("there", "not yet there"):
        (tmp_path / name).symlink_to(tmp_path / "disk" / name)
    (tmp_path / "disk" / "there").mkdir()
    for name in ("there", "not yet there"):
        run(made / "plain", tmp_path / name)
        assert (tmp_path / name).is_symlink() and (tmp_path / "disk" / name / "README.md").is_file()
    assert not [*tmp_path.glob(".*"), *(tmp_path / "disk").glob(".*")]


def test_a_place_where_nothing_can_be_made_is_one_line(made, tmp_path):
    (tmp_path / "file").touch()
    for place in (tmp_path / "file" / "below", Path("/proc/below")):
        with pytest.raises(InputError, match=r"cannot write to .* choose another folder with out="):
            run(made / "plain", place)


def test_it_is_said_before_anything_is_scored(made, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(export, "measured", None)
    with pytest.raises(InputError, match="cannot write to"):
        run(made / "plain", tmp_path / "file" / "below", f"runs={made}")


def test_the_next_export_clears_what_a_killed_one_left(made, tmp_path):
    out, aside = tmp_path / "out", tmp_path / ".out.hardtext"
    run(made / "plain", out, "export.license=mit")
    aside.mkdir()
    out.rename(aside / "old")  # killed between the two moves, the last moment
    (aside / "new").mkdir()
    (aside / "new" / "half").touch()
    with locks.locked(aside), pytest.raises(InputError, match=rf"{aside} is in use by process {os.getpid()}"):
        run(made / "plain", out)
    with pytest.raises(InputError, match="another victim"):  # so it lies in its place again
        run(made / "other", out)
    assert "license: mit" in (out / "README.md").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_card_that_somebody_wrote_on_is_not_lost(made, tmp_path):
    out = tmp_path / "out"
    run(made / "plain", out)
    (out / "README.md").write_text((out / "README.md").read_text() + "My notes.\n")
    with pytest.raises(InputError, match="README.md was changed since the export, which would be lost"):
        run(made / "plain", out)
    assert (out / "README.md").read_text().endswith("My notes.\n")
    run(made / "plain", out, "overwrite=true")
    assert "My notes" not in (out / "README.md").read_text()


def test_a_place_that_is_none_is_one_line(made, tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(InputError, match="a link that leads to itself|cannot write to"):
        run(made / "plain", tmp_path / "loop")
    with pytest.raises(InputError, match="out=/: an export needs a folder of its own"):
        run(made / "plain", Path("/"))


def test_an_error_leaves_what_was_there(made, tmp_path, monkeypatch):
    out = tmp_path / "out"
    run(made / "plain", out)
    before = (out / "README.md").read_text()

    def broken(card):
        raise RuntimeError("disk on fire")

    monkeypatch.setattr(page, "render", broken)
    with pytest.raises(RuntimeError):
        run(made / "plain", out)
    with pytest.raises(RuntimeError):
        run(made / "plain", tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["out"] and (out / "README.md").read_text() == before


def test_the_matrix_that_holds_the_victim_is_on_the_card(made, tmp_path):
    fingerprint = hardtext.load_victim(made / "plain").fingerprint
    row = {"mean": 0.6, "interval": [0.5, 0.7], "ratio": 1.0, "ratio_interval": None, "robust_accuracy": 0.2, "queries": 50.0,
           "clean": {"f1": 0.8}, "warnings": []}
    cells = [{"victim": name, "attack": "pwws", "seed": 1, "bodega_500": value}
             for name, value in (("plain", 0.5), ("hard", 0.1))]
    matrix = tmp_path / "m"
    records.write_json(matrix / "matrix.json", {
        "about": {"model": "tiny", "split": "attack", "asked": 5, "whole": 6, "attacks": ["pwws"], "seeds": [1],
                  "caps": [500], "semantic": "minilm", "marks": ["domain: generated sample"]},
        "rows": [row | {"victim": "plain"}, row | {"victim": "hard", "mean": 0.12, "ratio": 0.2}], "cells": cells})
    with pytest.raises(InputError, match="none of the victims attacked in it is this one"):
        run(made / "plain", tmp_path / "out", f"export.matrix={matrix}")
    records.write_text(matrix / "cells" / "hard" / "pwws" / "seed=1" / "config.yaml", f"victim_fingerprint: {fingerprint}\n")
    card = run(made / "plain", tmp_path / "out", f"export.matrix={matrix}")
    text = (tmp_path / "out" / "README.md").read_text()
    assert "| hard | 0.120 |" in text and "| pwws | 0.500 | 0.100 | 0.20 |" in text and "pwws" not in card.untested
    records.write_json(matrix / "matrix.json", {"rows": []})
    with pytest.raises(InputError, match="no matrix of task=robustness_matrix"):
        run(made / "plain", tmp_path / "no", f"export.matrix={matrix}")


@pytest.mark.parametrize(("overrides", "words"), [
    ([], "needs a trained victim"),
    (["domain=sample", "model=tiny"], "make it with python train.py"),
    (["victim=/nowhere"], "expected victim/config.json"),
    (["victim={made}/plain", "domain=pr"], "was trained for sample"),
    (["victim={made}/plain", "export.push=me/mine"], "HF_HUB_OFFLINE is set"),
    (["victim={made}/plain", "export.push=a/b/c"], "no hub id"),
    (["victim={made}/plain", "runs=/nowhere"], "no such folder"),
    (["victim={made}/plain", "attempts=/nowhere"], "no such file"),
])
def test_what_cannot_be_is_one_line_and_writes_nothing(made, tmp_path, monkeypatch, overrides, words):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match=words) as error:
        export.run(compose("evaluate", ["task=export", "logger=csv", f"out={tmp_path / 'out'}",
                                        *(o.format(made=made) for o in overrides)]))
    assert "\n" not in str(error.value) and not (tmp_path / "out").exists()


@pytest.mark.parametrize(("key", "value"), [("license", "my own"), ("language", "''"), ("datasets", "['a b']"),
                                            ("push", "'a b'")])
def test_a_setting_that_the_hub_could_not_read_is_refused(key, value):
    with pytest.raises(InputError, match=f"export.{key}"):
        compose("evaluate", ["task=export", f"export.{key}={value}"])


def test_a_training_that_has_not_ended_is_not_exported(made, tmp_path):
    shutil.copytree(made / "plain", tmp_path / "v")
    records.write_json(tmp_path / "v" / "status.json", {"state": "running"})
    with pytest.raises(InputError, match="not finished"):
        run(tmp_path / "v", tmp_path / "out")
    records.write_json(tmp_path / "v" / "status.json", {"state": "done"})
    (tmp_path / "v" / "metrics.json").write_text("{}")
    with pytest.raises(InputError, match="metrics.json"):
        run(tmp_path / "v", tmp_path / "out")


# The hub


def test_without_a_login_or_a_connection_nothing_begins(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    with pytest.raises(InputError, match="set HF_TOKEN"):
        hub_upload.check("me/mine")
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("huggingface_hub.get_token", lambda: "hf_secret")
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError, match="cannot be reached") as error:
        hub_upload.check("me/mine")
    assert "hf_secret" not in str(error.value)


class Hub:
    """Takes down what it is asked to do."""

    def __init__(self, calls, error=None):
        self.calls, self.error = calls, error

    def create_repo(self, repository, **options):
        self.calls.append(("create", repository, options))
        return f"https://hub/{repository}"

    def upload_folder(self, **options):
        if self.error:
            raise self.error
        self.calls.append(("upload", options))


def test_the_upload_takes_the_exported_files_alone(made, tmp_path, monkeypatch, caplog):
    calls = []
    monkeypatch.setattr(hub_upload, "check", lambda repository: None)
    monkeypatch.setattr("huggingface_hub.HfApi", lambda: Hub(calls))
    caplog.set_level(logging.INFO)
    run(made / "plain", tmp_path / "out", "export.push=me/mine")
    (_, repository, created), (_, uploaded) = calls
    assert repository == uploaded["repo_id"] == "me/mine" and created["private"] is True and created["exist_ok"]
    assert uploaded["allow_patterns"] == json.loads((tmp_path / "out" / "export.json").read_text())["files"]
    assert set(uploaded["allow_patterns"]) == {path.name for path in (tmp_path / "out").iterdir()}
    assert 'load_victim("me/mine")' in (tmp_path / "out" / "README.md").read_text() and "https://hub/me/mine" in caplog.text


def test_a_refusal_of_the_hub_is_one_line_without_the_token(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.get_token", lambda: "hf_secret")
    monkeypatch.setattr("huggingface_hub.HfApi", lambda: Hub([], RuntimeError("403 for hf_secret\nmore lines")))
    with pytest.raises(InputError) as error:
        hub_upload.push(tmp_path, ["README.md"], "me/mine", private=True, message="m")
    assert "403 for ***" in str(error.value) and "hf_secret" not in str(error.value) and "\n" not in str(error.value)


def test_a_defended_victim_answers_alike_through_onnx(made):
    pytest.importorskip("onnxruntime")
    texts = [("Lima is in Peru.", "Lima is\u200b in Chile."), ("", "")]
    torch, onnx = (hardtext.load_victim(made / "defended", backend=name) for name in ("torch", "onnx"))
    assert type(onnx) is type(torch) and np.array_equal(onnx.probabilities(texts), torch.probabilities(texts))


def test_the_command(made, tmp_path):
    done = subprocess.run([sys.executable, "evaluate.py", "task=export", f"victim={made / 'plain'}", "semantic=none",
                           f"out={tmp_path / 'out'}", f"attempts={made / 'attack' / 'plain'}"], cwd=ROOT, text=True,
                          capture_output=True, timeout=300, env=os.environ | {"WANDB_MODE": "offline"})
    assert done.returncode == 0, done.stderr
    assert "deepwordbug" in done.stdout and "choose one with export.license=" in done.stderr + done.stdout
    assert (tmp_path / "out" / "README.md").is_file()
