"""``hardening=`` as a user types it: train, kill, resume, attack, and what is refused."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hardtext
from hardtext.config import compose
from hardtext.core import InputError
from hardtext.pipelines.train import check_mask
from hardtext.victims.defended.coarse import Coarse
from hardtext.victims.defended.rewriting import Rewriting

ROOT = Path(__file__).resolve().parents[2]
CHOICES = ["experiment=quick", "model=tiny", "hardening=[canonicalise,augment,output]"]
SMALL = ["hardening.augment.attacks={deepwordbug:1}", "hardening.augment.share=0.2", "hardening.augment.max_queries=40",
         "hardening.augment.epochs=1", "hardening.output.per_minute=10", "domain.train=96", "robustness.limit=4",
         "robustness.max_queries=40", "semantic=none"]
NAME = "tiny+augment+canonicalise+output"


def command(script: str, runs: Path, *arguments: str) -> subprocess.Popen:
    environment = {**os.environ, "HARDTEXT_RUNS": str(runs), "WANDB_MODE": "offline"}
    return subprocess.Popen([sys.executable, str(ROOT / script), *arguments], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finished(process: subprocess.Popen) -> str:
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return out + err


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    runs = tmp_path_factory.mktemp("whole")
    finished(command("train.py", runs, *CHOICES, *SMALL))
    return runs / "train" / "quick" / NAME / "seed=0"


def rows(file: Path) -> list[dict]:
    """Attempts but for what the clock says."""
    return [json.loads(line) | {"seconds": 0} for line in file.read_text().splitlines()]


@pytest.mark.slow
def test_a_hardened_victim_is_trained_and_loads_with_its_defences(trained):
    victim = hardtext.load_victim(trained)
    assert isinstance(victim, Coarse) and isinstance(victim.victim, Rewriting) and victim.name == NAME
    assert set(victim.probabilities(["The gоvernment lied.", "It did."]).ravel().tolist()) == {0, 1}
    report = json.loads((trained / "metrics.json").read_text())
    assert report["hardening"] == ["augment", "canonicalise", "output"] and set(report["robustness"]) >= {"before", "after"}
    made = report["adversarial"]
    attempts = rows(trained / "adversarial.jsonl")
    assert made["attempts"] == len(attempts) == sum(len(rows(f)) for f in (trained / "rounds").glob("*/deepwordbug.jsonl"))
    assert made["used"] <= made["success"] and list(made["parts"]) == ["round 1", "round 2"]
    assert made["wall_seconds"] == pytest.approx(sum(part["wall_seconds"] for part in made["parts"].values()), abs=0.1)
    # the attacks of the rounds see scores, which the victim's users do not
    assert any(0 < p < 1 for row in attempts for p in row["original_probs"] or ())


@pytest.mark.slow
def test_killed_in_the_second_round_it_ends_with_the_same_files(trained, tmp_path):
    killed = command("train.py", tmp_path, *CHOICES, *SMALL)
    folder = tmp_path / "train" / "quick" / NAME / "seed=0"
    found = folder / "rounds" / "2" / "deepwordbug.jsonl"
    while not (found.is_file() and found.read_text().count("\n") >= 2):
        assert killed.poll() is None, killed.communicate()[1]
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert not (folder / "metrics.json").exists()

    finished(command("train.py", tmp_path, *CHOICES, *SMALL))
    for name in ("victim/model.safetensors", "victim/words.txt", "rounds/2/victim/model.safetensors"):
        assert (folder / name).read_bytes() == (trained / name).read_bytes(), name
    for name in ("adversarial.jsonl", "rounds/1/deepwordbug.jsonl", "rounds/2/deepwordbug.jsonl", "robustness/after.jsonl"):
        assert rows(folder / name) == rows(trained / name), name


@pytest.mark.slow
def test_the_same_choices_name_the_victim_to_attack(trained):
    runs = trained.parents[3]
    said = finished(command("attack.py", runs, "domain.name=quick", *CHOICES[1:], "attack=deepwordbug", "limit=3",
                            "max_queries=30"))
    folder = runs / "attack" / "quick" / NAME / "deepwordbug" / "seed=0"
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["victim"] == NAME and NAME in said
    assert summary["per_minute"] == 10 and summary["minutes_at_rate"] == max(0, -(-summary["queries"] // 10) - 1)
    assert all(set(row["original_probs"]) == {0, 1} for row in rows(folder / "attempts.jsonl"))


@pytest.mark.parametrize(("script", "arguments", "words"), [
    ("train.py", ["hardening.canonicalise.steps=[unseen]"],
     "hardening.canonicalise is not in use; choose it first with hardening=[canonicalise]"),
    ("evaluate.py", ["task=score", "domain.name=x"], "there is no domain to set this of; name one with domain="),
    ("train.py", ["model=tiny", "hardening=[augment]", "hardening.augment.attacks={magic:1}"],
     "hardening.augment.attacks: magic: expected attacks among"),
    ("train.py", ["model=tiny_adv", "hardening=[augment]"], "model=tiny_adv has an adversary of its own"),
    ("train.py", ["model=tiny_hard", "hardening=[canonicalise]"],
     "model=tiny_hard stands for hardening=[canonicalise,encode,embedding,output]; for other defences take model=tiny"),
    ("train.py", ["hardening=[detect]"], "smooth (detecting attacked texts is python evaluate.py task=detect)"),
    ("train.py", ["hardening=[magic]"], "hardening=[magic]: no such defence; choose some of augment, canonicalise"),
    ("attack.py", ["model=tiny", "hardening=[canonicalise,output]", "attack=deepwordbug"],
     "python train.py domain=sample model=tiny hardening=[canonicalise,output] seed=0"),
])
def test_what_cannot_be_is_one_line(tmp_path, script, arguments, words):
    process = command(script, tmp_path, *arguments)
    _, err = process.communicate(timeout=300)
    errors = [line for line in err.splitlines() if line.startswith("error: ")]
    assert process.returncode == 2 and len(errors) == 1 and words in errors[0] and "Traceback" not in err
    assert not any((tmp_path / "train").rglob("victim"))


@pytest.mark.parametrize(("mask", "words"), [("<mask>", "writes a masked word as <mask>; set hardening.smooth.mask='<mask>'"),
                                             (None, "has no mask; set hardening.smooth.kind=synonyms")])
def test_a_mask_that_the_tokenizer_does_not_know_is_refused(mask, words):
    config = compose("train", ["model=tiny", "hardening=[smooth]"])
    check_mask(config, "[MASK]")
    with pytest.raises(InputError, match=re.escape(words)):
        check_mask(config, mask)
    check_mask(compose("train", ["model=tiny", "hardening=[smooth]", "hardening.smooth.kind=synonyms"]), mask)
    check_mask(compose("train", ["model=tiny"]), mask)
