"""The three commands as a user types them, in processes of their own."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hardtext
from hardtext.domains.sample import SampleDomain

ROOT = Path(__file__).resolve().parents[1]
QUICK = ("experiment=quick", "domain.name=sample", "domain.train=96", "model.adversary.subset=12", "robustness.limit=6")


class Commands:
    """Runs the commands with a run root and a data root of the test's own."""

    def __init__(self, folder: Path) -> None:
        self.runs, self.data = folder / "runs", folder / "data"
        self.environment = os.environ | {"HARDTEXT_RUNS": str(self.runs), "HARDTEXT_DATA": str(self.data),
                                         "OMP_NUM_THREADS": "1"}

    def __call__(self, script: str, *arguments: str, code: int = 0, logger: str = "csv", timeout: int = 240):
        done = subprocess.run([sys.executable, script, f"logger={logger}", *arguments], cwd=ROOT, text=True,
                              capture_output=True, timeout=timeout, env=self.environment)
        assert done.returncode == code, done.stderr[-3000:]
        if code == 2:
            assert "Traceback" not in done.stderr
        return done

    def kill_after_a_row(self, rows: Path, script: str, *arguments: str) -> None:
        """kill -9 the command as soon as it has written something to ``rows``."""
        process = subprocess.Popen([sys.executable, script, "logger=csv", *arguments], cwd=ROOT, env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline and not (rows.exists() and rows.stat().st_size):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def json(self, *parts: str):
        return json.loads(self.runs.joinpath(*parts).read_text(encoding="utf-8"))

    def rows(self, *parts: str) -> list[dict]:
        return [json.loads(line) for line in self.runs.joinpath(*parts).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def commands(tmp_path_factory) -> Commands:
    return Commands(tmp_path_factory.mktemp("commands"))


@pytest.fixture(scope="module")
def trained(commands) -> subprocess.CompletedProcess:
    """The main job, made small."""
    return commands("train.py", *QUICK)


RUN = ("train", "sample", "tiny_adv", "seed=0")


def test_the_main_job_ends_in_a_before_and_after_table(commands, trained):
    for words in ("before", "after", "clean, 400 texts", "attacked, 6 texts", "accuracy under attack",
                  "generated sample", "stand-in"):
        assert words in trained.stdout
    report = commands.json(*RUN, "metrics.json")
    assert report["domain_stand_in"] == "generated sample"
    assert report["examples"] == {"train": 96, "dev": report["examples"]["dev"], "attack": 400}
    assert report["attack"]["texts"] == 400 and 0 <= report["attack"]["accuracy"] <= 1
    assert commands.json(*RUN, "status.json")["state"] == "done"


def test_every_generated_adversarial_example_is_trained_on(commands, trained):
    rows = commands.rows(*RUN, "adversarial.jsonl")
    report = commands.json(*RUN, "metrics.json")["adversarial"]
    assert len(rows) == report["attempts"] == 12
    assert report["used"] == report["success"] == sum(row["status"] == "success" for row in rows)
    assert report["stand_ins"], "the bundled masked LM stands in for a real one and says so"


def test_the_victim_folder_loads_with_transformers(commands, trained):
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = commands.runs.joinpath(*RUN, "victim")
    net = AutoModelForSequenceClassification.from_pretrained(folder)
    assert net.config.id2label == {0: "supported", 1: "refuted"}
    assert (folder / "model.safetensors").is_file()
    assert AutoTokenizer.from_pretrained(folder)("a claim")["input_ids"]


def test_a_finished_run_is_left_alone_and_another_config_is_refused(commands, trained):
    before = commands.runs.joinpath(*RUN, "metrics.json").stat().st_mtime_ns
    again = commands("train.py", *QUICK)
    assert "done before" in again.stderr and "before" in again.stdout
    assert commands.runs.joinpath(*RUN, "metrics.json").stat().st_mtime_ns == before
    refused = commands("train.py", *QUICK, "model.lr=1e-5", code=2)
    assert "model.lr: " in refused.stderr and "→ 1e-05" in refused.stderr and "overwrite=true" in refused.stderr


@pytest.fixture(scope="module")
def attacked(commands, trained) -> Path:
    commands("attack.py", "model=tiny_adv", "attack=deepwordbug", "limit=8")
    return commands.runs / "attack" / "sample" / "tiny_adv" / "deepwordbug" / "seed=0"


def test_attempts_hold_what_the_contract_says_in_input_order(commands, attacked):
    rows = commands.rows(*attacked.relative_to(commands.runs).parts, "attempts.jsonl")
    assert len(rows) == 8
    corpus = SampleDomain(name="sample", train=96).load(commands.data, 0)
    assert [row["id"] for row in rows] == [example.id for example in corpus.attack[:8]]
    for row in rows:
        assert list(row) == ["id", "domain", "victim", "attack", "label", "original", "adversarial", "status",
                             "original_probs", "adversarial_probs", "queries", "forwards", "seconds", "seed", "error"]
        assert len(row["original"]) == 2
        assert (row["adversarial"] is None) == (row["status"] != "success")
    assert (attacked / "config.yaml").is_file()
    assert json.loads((attacked / "summary.json").read_text())["attempts"] == 8


def test_a_larger_limit_goes_on_and_a_smaller_one_uses_what_is_there(commands, attacked):
    first = commands.rows(*attacked.relative_to(commands.runs).parts, "attempts.jsonl")
    commands("attack.py", "model=tiny_adv", "attack=deepwordbug", "limit=10")
    more = commands.rows(*attacked.relative_to(commands.runs).parts, "attempts.jsonl")
    assert more[:8] == first and len(more) == 10
    fewer = commands("attack.py", "model=tiny_adv", "attack=deepwordbug", "limit=3", code=2)
    assert "limit=3" in fewer.stderr and "10" in fewer.stderr


def test_score_prints_a_table_and_writes_scores_json(commands, attacked):
    done = commands("evaluate.py", "task=score", f"attempts={attacked}", "semantic=none")
    assert "deepwordbug against tiny_adv on sample (generated sample)" in done.stdout
    folder = commands.runs / "evaluate" / "score" / "sample" / "tiny_adv" / "deepwordbug" / "seed=0" / "none"
    scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    assert list(scores)[:11] == ["instances", "successes", "confusion", "semantic", "character", "bodega", "queries",
                                 "forwards", "semantic_scorer", "segmenter", "interval"]
    assert scores["semantic"] is None and scores["bodega"] is None and scores["instances"] >= 8


def test_scores_of_a_submission_file_equal_the_official_ones(commands, shared_data, tmp_path):
    golden = {run["run"]: run["reported"]
              for run in json.loads((shared_data / "incrediblae_runs" / "golden_scores.json").read_text())}
    for file, run, domain in (("submission_PR2_False_homoglyph-custom_BERT.tsv", "PR2_BERT_homoglyph-custom", "pr"),
                              ("submission_FC_False_splitH_BERT.tsv", "FC_BERT_splitH", "fc")):
        done = commands("evaluate.py", "task=score", f"attempts={shared_data / 'incrediblae_runs' / file}",
                        f"domain={domain}", "semantic=none", f"out={tmp_path / domain}")
        assert "published" in done.stdout
        scores = json.loads((tmp_path / domain / "scores.json").read_text(encoding="utf-8"))
        for ours, official in (("confusion", "success"), ("character", "character"), ("queries", "queries")):
            assert scores[ours] == pytest.approx(golden[run][official], abs=1e-12)


@pytest.mark.parametrize(("script", "arguments", "expected"), [
    ("attack.py", ["model=bilstm"], "make it with python train.py domain=sample model=bilstm seed=0"),
    ("attack.py", ["model=bilstm", "victim=/no/such/folder"], "victim=/no/such/folder"),
    ("evaluate.py", ["task=score"], "needs attempts="),
    ("evaluate.py", ["task=score", "attempts=/no/such.jsonl"], "no such file"),
    ("train.py", ["domain=file"], "domain.path"),
    ("train.py", ["model=callable"], "model.target"),
    ("train.py", ["model=pretrained"], "model.path"),
    ("train.py", ["model.path=/no/such/folder"], "no such folder"),
    ("train.py", ["domain.train=0"], "domain.train"),
    ("train.py", ["domain.train=32", "trainer.max_epochs=3"], "model.epochs"),
])
def test_bad_input_is_one_clear_line(commands, script, arguments, expected):
    done = commands(script, *arguments, code=2)
    assert expected in done.stderr.splitlines()[-1] and done.stderr.splitlines()[-1].startswith("error: ")


def test_what_fact_checking_needs_is_said_within_ten_seconds(commands):
    started = time.monotonic()
    done = commands("train.py", "domain=fc", "model=roberta_adv", code=2)
    assert time.monotonic() - started < 10
    line = done.stderr.splitlines()[-1]
    for words in ("FEVER", "CC BY-SA", "wiki-pages", "shared_task_dev.jsonl", "model.path=roberta-base", "HF_HOME"):
        assert words in line


def test_the_published_recipe_runs_with_fever_files_and_a_local_roberta(commands, tmp_path):
    roberta = tmp_path / "roberta"
    save_random_roberta(roberta)
    fever = tmp_path / "fever"
    save_fever(fever, claims=24)
    commands("train.py", "domain=fc", "model=roberta_adv", f"domain.path={fever}", f"model.path={roberta}",
             f"model.adversary.masked_lm={roberta}")
    report = commands.json("train", "fc", "roberta_adv", "seed=0", "metrics.json")
    assert report["adversarial"]["attempts"] == report["examples"]["train"] == 24
    assert report["adversarial"]["stand_ins"] == []
    assert {"before", "after"} <= report["robustness"].keys()


def test_an_attack_killed_midway_resumes_to_the_same_attempts(commands, trained, tmp_path):
    arguments = ("model=tiny_adv", "attack=bert_attack", "limit=60", "attack.masked_lm=bundled:tiny")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    commands("attack.py", *arguments, f"out={whole}")
    commands.kill_after_a_row(killed / "attempts.jsonl", "attack.py", *arguments, f"out={killed}")
    assert json.loads((killed / "status.json").read_text())["state"] == "running"
    commands("attack.py", *arguments, f"out={killed}")
    varying = ("seconds", "forwards")
    a, b = ([{k: v for k, v in json.loads(line).items() if k not in varying}
             for line in (folder / "attempts.jsonl").read_text().splitlines()] for folder in (whole, killed))
    assert a == b


def test_a_training_killed_in_its_attack_phase_resumes_to_the_same_victim(commands, tmp_path):
    arguments = (*QUICK, "seed=7", "model.adversary.subset=60")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    commands("train.py", *arguments, f"out={whole}")
    commands.kill_after_a_row(killed / "adversarial.jsonl", "train.py", *arguments, f"out={killed}")
    assert not (killed / "victim").exists()
    commands("train.py", *arguments, f"out={killed}")
    for name in ("victim/model.safetensors", "clean/victim/model.safetensors"):
        assert (whole / name).read_bytes() == (killed / name).read_bytes()


def test_a_function_of_the_users_own_is_attacked(commands, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text("def classify(texts):\n"
                                      "    return [[0.9, 0.1] if len(t) % 2 else [0.2, 0.8] for t in texts]\n")
    monkeypatch.setitem(commands.environment, "PYTHONPATH", str(tmp_path))
    commands("attack.py", "model=callable", "model.target=mine:classify", "attack=deepwordbug", "limit=4")
    rows = commands.rows("attack", "sample", "callable", "deepwordbug", "seed=0", "attempts.jsonl")
    assert len(rows) == 4 and all(row["status"] in ("success", "failed") for row in rows)


def test_a_hugging_face_folder_with_labels_of_its_own_is_matched_by_hand_or_refused(commands, trained, tmp_path):
    folder = tmp_path / "theirs"
    shutil.copytree(commands.runs.joinpath(*RUN, "victim"), folder)
    (folder / "hardtext.json").unlink()
    config = json.loads((folder / "config.json").read_text())
    config |= {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}, "label2id": {"LABEL_0": 0, "LABEL_1": 1}}
    (folder / "config.json").write_text(json.dumps(config))
    arguments = ("model=pretrained", f"model.path={folder}", "attack=deepwordbug", "limit=4")
    refused = commands("attack.py", *arguments, code=2)
    assert "LABEL_0, LABEL_1" in refused.stderr and "supported, refuted" in refused.stderr
    commands("attack.py", *arguments, "model.labels={LABEL_0:refuted,LABEL_1:supported}")
    theirs = commands.rows("attack", "sample", "pretrained", "deepwordbug", "seed=0", "attempts.jsonl")
    victim = hardtext.load_victim(commands.runs.joinpath(*RUN))
    for row in theirs:
        assert row["original_probs"] == pytest.approx(victim.probabilities([tuple(row["original"])])[0][::-1], abs=1e-4)


def test_own_data_trains_attacks_and_scores(commands, tmp_path):
    with open(tmp_path / "news.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["body", "verdict"])
        for i in range(120):
            writer.writerow([f"Report {i}: the minister {'never' if i % 2 else 'surely'} met them, a witness says.",
                             "fake" if i % 2 else "real"])
        writer.writerow(["", "fake"])
    own = ("domain=file", f"domain.path={tmp_path / 'news.csv'}", "domain.text=body", "domain.label=verdict",
           "domain.name=news")
    done = commands("train.py", *own, "model=tiny", "model.epochs=1")
    assert "dropped 1 without a text of 121 rows" in done.stderr
    commands("attack.py", *own, "model=tiny", "attack=bert_attack", "limit=5")
    folder = commands.runs / "attack" / "news" / "tiny" / "bert_attack" / "seed=0"
    assert "tiny on news" in commands("evaluate.py", f"attempts={folder}", "semantic=none").stdout


def test_each_job_of_a_multirun_is_a_wandb_run_and_a_second_time_nothing_is_done_again(commands):
    arguments = ("-m", "model=tiny", "domain.train=32", "model.epochs=1", "seed=20,21")
    commands("train.py", *arguments, logger="wandb")
    label = "domain.train=32,model.epochs=1"
    folders = [commands.runs / "train" / "sample" / "tiny" / f"seed={seed},{label}" for seed in (20, 21)]
    runs = [list((folder / "wandb").glob("offline-run-*")) for folder in folders]
    assert [len(found) for found in runs] == [1, 1]
    again = commands("train.py", *arguments, logger="wandb")
    assert "all 2 jobs were done before" in again.stderr
    assert [list((folder / "wandb").glob("offline-run-*")) for folder in folders] == runs


def save_random_roberta(folder: Path) -> None:
    """A RoBERTa of two layers × 32 with a byte-level vocabulary, as a masked LM; nothing in it is learned."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaForMaskedLM, RobertaTokenizerFast

    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(["the film was released in France by the studio in 1999"] * 20, 320, 1, False, specials)
    folder.mkdir()
    bpe.save_model(str(folder))
    tokenizer = RobertaTokenizerFast(str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=512)
    tokenizer.save_pretrained(folder)
    config = RobertaConfig(vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                           intermediate_size=64, max_position_embeddings=514, pad_token_id=1, bos_token_id=0,
                           eos_token_id=2)
    RobertaForMaskedLM(config).save_pretrained(folder)


def save_fever(folder: Path, claims: int) -> None:
    """A corpus in FEVER's layout: one page a claim, every second claim refuted."""
    (folder / "wiki-pages").mkdir(parents=True)
    pages = [{"id": f"Film_{i}", "text": "", "lines": f"0\tFilm {i} was released in {1950 + i} ."}
             for i in range(2 * claims)]
    text = "".join(json.dumps(page) + "\n" for page in pages)
    (folder / "wiki-pages" / "wiki-001.jsonl").write_text(text, encoding="utf-8")
    for name, start in (("train.jsonl", 0), ("shared_task_dev.jsonl", claims)):
        rows = [{"id": i, "verifiable": "VERIFIABLE", "label": "REFUTES" if i % 2 else "SUPPORTS",
                 "claim": f"Film {i} came out in {1950 + i + i % 2}.", "evidence": [[[i, i, f"Film_{i}", 0]]]}
                for i in range(start, start + claims)]
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
