"""``task=score strict=true``: the victim is asked again and the originals are looked up in the domain."""

from __future__ import annotations

import json

import pytest

from hardtext.config import EvaluateConfig
from hardtext.core import InputError
from hardtext.domains import DOMAINS
from hardtext.pipelines import score
from hardtext.scoring import claims, semantic_from_name, submission
from hardtext.scoring.summary import NO_SUMMARY
from hardtext.tracking import LoggerSettings
from hardtext.victims import MODELS

SAMPLE = DOMAINS["sample"](name="sample", train=32)


@pytest.fixture
def victim(tmp_path, monkeypatch):
    """A function that says refuted where an evidence or claim holds "zzz"."""
    (tmp_path / "told_strict.py").write_text("def classify(texts):\n"
                                      "    return [[0.1, 0.9] if 'zzz' in text else [0.8, 0.2] for text in texts]\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return MODELS["callable"](name="callable", target="told_strict:classify")


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
    scores = told(tmp_path, rows, model=victim, overwrite=True)
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


def test_the_title_names_the_sample(tmp_path, victim, rows, capsys):
    told(tmp_path, rows, model=victim)
    assert "mine against callable on sample (generated sample)" in capsys.readouterr().out
    assert "on sample (generated sample)" in (tmp_path / "out/scores.md").read_text()
    written = json.loads((tmp_path / "out/scores.json").read_text())
    assert written["domain_stand_in"] == "generated sample" and NO_SUMMARY in written["stand_ins"]


def test_a_victim_of_another_domain_is_named_by_it(tmp_path, rows):
    folder = tmp_path / "v" / "victim"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    record = {"format": 1, "name": "tiny", "max_length": 8, "domain": {"name": "pr", "classes": ["plain", "propaganda"]}}
    (folder / "hardtext.json").write_text(json.dumps(record))
    for name in ("v", "v/victim"):
        with pytest.raises(InputError, match=r"trained for domain pr \(plain, propaganda\), but domain=sample has "
                                             r"supported, refuted; choose a victim of that domain"):
            told(tmp_path, rows, victim=str(tmp_path / name))


def test_what_cannot_work_is_refused_before_the_victim_is_asked(tmp_path, victim, rows, monkeypatch, caplog):
    def never(*_, **__):
        raise AssertionError("the victim was loaded")

    monkeypatch.setattr(score, "victim_of", never)
    caplog.set_level("INFO")
    missing = semantic_from_name("bleurt", path=str(tmp_path / "no/BLEURT-20"))
    for values, words in (({"segmenter": "lamdo"}, "segmenter=lamdo: expected one of"),
                          ({"semantic": missing}, "semantic.path=.*no such folder"), ({"attempts": ""}, "task=score needs")):
        for asked in (True, False):
            with pytest.raises(InputError, match=words):
                told(tmp_path, rows, model=victim, **{"strict": asked} | values)
    with pytest.raises(InputError, match="all 1 attempts are errors"):
        told(tmp_path, [rows[3] | {"status": "error", "error": "boom"}], strict=False)
    assert "scoring" not in caplog.text and not (tmp_path / "out").exists()


def test_what_the_tracker_gets_and_what_is_said_of_a_killed_run(tmp_path, rows, monkeypatch):
    sent = {}
    monkeypatch.setattr("hardtext.tracking.Run.summary", lambda self, values: sent.update(values))
    (tmp_path / "summary.json").write_text('{"stand_ins": ["masked LM: small"]}')
    (tmp_path / "attempts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"id": "x')
    score.run(EvaluateConfig(task="score", attempts=str(tmp_path), out=str(tmp_path / "out"),
                             semantic=semantic_from_name("minilm"), logger=LoggerSettings(wandb=False)))
    assert 0 < sent["bodega_gated"] < sent["bodega"] and 0 < sent["preserved"] < 1
    written = json.loads((tmp_path / "out/scores.json").read_text())
    assert written["notes"] == [submission.HALF_LINE] and "masked LM: small" in written["stand_ins"]
    assert submission.HALF_LINE in (tmp_path / "out/scores.md").read_text()
