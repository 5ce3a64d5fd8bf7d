"""A detector as a file: it says what it said, and what is none is one line."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from hardtext.attacks import masked_lm
from hardtext.core import InputError
from hardtext.hardening import detection
from hardtext.hardening.detection import SCORES, VICTIM_SCORES, Scorer
from hardtext.hardening.guard import load_guard, save_guard

COUNTS = Counter({"the": 9, "minister": 4, "lied": 2})
TEXTS = [("The minister lied.",), ("The mіnister lied.",), ("Evidence.", "A claim of zyrgl."), ("",)]


class Lengths:
    name, mask, window = "lengths", "[MASK]", 4

    def pieces(self, words):
        return [[word] for word in words]

    def perplexity(self, texts):
        return np.array([np.exp(np.mean([len(piece) for piece in text])) for text in texts])


class Named:
    classes = ("true", "fake")

    def __init__(self, name, fingerprint):
        self.name, self.fingerprint = name, fingerprint

    def probabilities(self, texts):
        return np.array([[0.2, 0.8] if "lied" in " ".join(text) else [0.6, 0.4] for text in texts])


@pytest.fixture(autouse=True)
def model(monkeypatch):
    monkeypatch.setattr(masked_lm, "load_masked_lm", lambda source, device="auto": Lengths())


def made(folder, victim=None):
    rng = np.random.default_rng(0)
    names = (*SCORES, *(VICTIM_SCORES if victim else ()))
    detector = detection.fit(names, rng.normal(1, 1, (20, len(names))), rng.normal(0, 1, (40, len(names))))
    save_guard(folder, detector, {0.01: 0.9, 0.05: 0.4}, COUNTS, "bundled", victim, ["masked LM: a small one"])
    return detector


@pytest.mark.parametrize("victim", [None, Named("tipped", "1a")], ids=["alone", "asked"])
def test_it_says_what_it_said(tmp_path, victim):
    expected = made(tmp_path, victim)(Scorer(Lengths(), COUNTS, victim).scores(TEXTS))
    for source in (tmp_path, tmp_path / "detector.json"):
        guard = load_guard(source, victim)
        assert guard.suspicion(TEXTS) == pytest.approx(expected)
        assert (guard.flags(TEXTS, 0.01) == (expected > 0.9)).all() and (guard.flags(TEXTS) == (expected > 0.4)).all()
    assert guard.suspicion(["The minister lied."]) == pytest.approx(expected[:1]) and guard.suspicion([]).shape == (0,)
    with pytest.raises(InputError, match="false_alarms=0.2: expected one of 0.01, 0.05"):
        guard.flags(TEXTS, 0.2)


def test_it_belongs_to_one_victim(tmp_path):
    made(tmp_path, Named("tipped", "1a"))
    with pytest.raises(InputError, match="looks at the answers of tipped: give it as victim="):
        load_guard(tmp_path)
    with pytest.raises(InputError, match="tipped is another victim, or one that was trained again"):
        load_guard(tmp_path, Named("tipped", "2b"))
    made(tmp_path)
    assert load_guard(tmp_path, Named("tipped", "2b")).scorer.names == tuple(SCORES)  # which asks nobody


@pytest.mark.parametrize("change", [
    {"detector": {}}, {"thresholds": [1]}, {"thresholds": {"a": 1}}, {"counts": {"a": None}}, {"counts": 3},
    {"victim": "tiny"}, {"victim": {"name": "tiny"}}, {"detector": None}, {"masked_lm": None, "thresholds": {"0.1": "nan"}}])
def test_what_is_damaged_is_one_line(tmp_path, change):
    made(tmp_path)
    row = json.loads((tmp_path / "detector.json").read_text())
    (tmp_path / "detector.json").write_text(json.dumps(row | change))
    with pytest.raises(InputError, match="detector"):
        load_guard(tmp_path)


@pytest.mark.parametrize(("text", "words"), [("[]", "damaged"), ("{}", "damaged"), ('{"format": 2}', "format 2"),
                                             ("not json", "JSON"), (None, "cannot read .*detector.json")])
def test_what_is_no_detector_is_one_line(tmp_path, text, words):
    if text is not None:
        (tmp_path / "detector.json").write_text(text)
    with pytest.raises(InputError, match=words):
        load_guard(tmp_path / "detector.json")
