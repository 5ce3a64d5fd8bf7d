"""``task=score strict=true``: the victim is asked again and the originals are looked up in the domain."""

from __future__ import annotations

import json

import pytest

from hardtext.config import EvaluateConfig
from hardtext.core import InputError
from hardtext.domains import DOMAINS
from hardtext.pipelines import score
from hardtext.scoring import claims, semantic_from_name
from hardtext.tracking import LoggerSettings
from hardtext.victims import MODELS

SAMPLE = DOMAINS["sample"](name="sample", train=32)


@pytest.fixture
def victim(tmp_path, monkeypatch):
    """A function that says refuted where an evidence or claim holds "zzz"."""
    (tmp_path / "told.py").write_text("def classify(texts):\n"
                                      "    return [[0.1, 0.9] if 'zzz' in text else [0.8, 0.2] for text in texts]\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return MODELS["callable"](name="callable", target="told:classify")


@pytest.fixture
def rows():
    """A success, a claimed success that flips nothing, a failure whose text flips, and an honest failure."""
    examples = SAMPLE.load(None, 0).attack[:4]

    def row(example, adversarial, status, queries):
        return {"id": example.id, "domain": "sample", "victim": "callable", "attack": "mine", "label": example.label,
                "original": list(example.segments), "adversarial": adversarial, "status": status,
                "original_probs": [0.8, 0.2], "adversarial_probs": None if adversarial is None else [0.1, 0.9],
                "queries": queries, "forwards": 1, "seconds": 0.0, "seed": 0, "error": None}

    return [row(examples[0], [examples[0].segments[0], examples[0].segments[1] + " zzz"], "success", 5),
            row(examples[1], [examples[1].segments[0], examples[1].segments[1] + " yyy"], "success", 6),
            row(examples[2], [examples[2].segments[0] + " zzz", examples[2].segments[1]], "failed", 7),
            row(examples[3], None, "failed", 8)]


def told(tmp_path, rows, **values):
    (tmp_path / "attempts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return score.run(EvaluateConfig(**{
        "task": "score", "attempts": str(tmp_path), "out": str(tmp_path / "out"), "strict": True, "domain": SAMPLE,
        "semantic": semantic_from_name("none"), "logger": LoggerSettings(wandb=False), **values}))


def test_success_is_what_the_victim_says(tmp_path, victim, rows, capsys):
    believed = told(tmp_path, rows, strict=False)
    assert believed.successes == 2
    scores = told(tmp_path, rows, model=victim)
    assert scores.instances == 4 and scores.successes == 2 and scores.confusion == 0.5
    written = json.loads((tmp_path / "out/scores.json").read_text())
    assert written["strict"] == {"victim": "callable",
                                 "asked": 3, "confirmed": 1, "unconfirmed": [rows[1]["id"]], "flipped": [rows[2]["id"]],
                                 "most_moved": pytest.approx(0.7)}
    assert written["attempts_sha256"] == claims.digest(tmp_path / "attempts.jsonl")
    printed = capsys.readouterr().out
    for words in ("1 claimed successes not confirmed", "1 failures in fact flip the victim", "is it the same victim?"):
        assert words in printed and words in (tmp_path / "out/scores.md").read_text()


def test_nothing_is_asked_and_said_without_strict(tmp_path, rows):
    told(tmp_path, rows, strict=False, domain=None)
    assert json.loads((tmp_path / "out/scores.json").read_text())["strict"] is None
    assert "strict" not in (tmp_path / "out/scores.md").read_text()


def test_foreign_originals_are_refused_and_nothing_is_written(tmp_path, victim, rows):
    rows[2]["original"][1] += "."
    with pytest.raises(InputError, match=f"1 of 4 originals are not those of domain=sample .*first one id {rows[2]['id']}"):
        told(tmp_path, rows, model=victim)
    assert not (tmp_path / "out").exists()


def test_what_strict_needs_is_said(tmp_path, victim, rows, monkeypatch):
    monkeypatch.setenv("HARDTEXT_RUNS", str(tmp_path / "runs"))
    with pytest.raises(InputError, match="name it with domain=<domain>"):
        told(tmp_path, rows, model=victim, domain=None)
    with pytest.raises(InputError, match="no victim at .*callable/seed=0/victim; name it with victim=<folder or hub id>"):
        told(tmp_path, rows)
    with pytest.raises(InputError, match="no/such"):
        told(tmp_path, rows, victim=str(tmp_path / "no/such"))


def test_a_file_without_adversarial_texts_asks_nothing(tmp_path, victim, rows):
    scores = told(tmp_path, [rows[3]], model=victim)
    assert scores.successes == 0
    assert json.loads((tmp_path / "out/scores.json").read_text())["strict"]["asked"] == 0
