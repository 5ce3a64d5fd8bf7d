"""A victim that reads cleaned texts."""

from __future__ import annotations

import pytest

from hardtext.core import InputError, Victim
from hardtext.victims.defended import canonicalised
from hardtext.victims.defended.canonicalised import Canonicalised
from hardtext.victims.defended.settings import Canonicalise


def test_the_victim_reads_clean_segments(rule):
    inner = rule(lambda text: 0.25)
    victim = Canonicalised(inner, Canonicalise(), ["zorgs"])
    assert isinstance(victim, Victim) and (victim.name, victim.classes) == ("rule", ("credible", "fake"))
    rows = victim.probabilities([("the gоvеrnment", "the bes t zorgs of this"), "te\u200bam", ("",)])
    assert inner.asked == [("the government", "the best zorgs of this"), ("team",), ("",)]
    assert rows.tolist() == [[0.75, 0.25]] * 3


def test_equal_texts_are_cleaned_once_and_memory_is_bounded(rule, monkeypatch):
    victim = Canonicalised(rule(lambda text: 0.5), Canonicalise(["unseen"]))
    cleaned = []
    clean = victim.clean
    victim.clean = lambda text: cleaned.append(text) or clean(text)
    monkeypatch.setattr(canonicalised, "CACHED", 3)
    victim.probabilities([("a", "b"), ("b", "a"), "a"])
    assert cleaned == ["a", "b"]
    victim.probabilities(["c", "d", "d"])
    assert cleaned == ["a", "b", "c", "d"] and len(victim._cleaned) <= 3


def test_fingerprints_differ_with_steps_words_and_victim(rule):
    made = [(rule, Canonicalise(), []), (rule, Canonicalise(["unseen"]), []), (rule, Canonicalise(), ["zorgs"])]
    found = {Canonicalised(inner(len), settings, own).fingerprint for inner, settings, own in made}
    assert len(found) == 3
    again = Canonicalised(rule(len), Canonicalise(), ["b", "a", "a"])
    assert again.fingerprint == Canonicalised(rule(len), Canonicalise(), ["a", "b"]).fingerprint


@pytest.mark.parametrize("steps", [[], ["unseen", "polish"]])
def test_unknown_steps_are_refused(steps):
    with pytest.raises(InputError, match=r"hardening.canonicalise.steps=.*expected one or more of unseen, compatible"):
        Canonicalise(steps)
