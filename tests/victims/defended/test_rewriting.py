"""A victim that reads texts rewritten."""

from __future__ import annotations

import pytest

from hardtext.core import InputError, Victim
from hardtext.victims.defended import rewriting
from hardtext.victims.defended.settings import Canonicalise, Encode, Smooth


def test_the_victim_reads_clean_segments(rule):
    inner = rule(lambda text: 0.25)
    victim = Canonicalise().around(inner, ["zorgs"])
    assert isinstance(victim, Victim) and (victim.name, victim.classes) == ("rule", ("credible", "fake"))
    rows = victim.probabilities([("the gоvеrnment", "the bes t zorgs of this"), "te\u200bam", ("",)])
    assert inner.asked == [("the government", "the best zorgs of this"), ("team",), ("",)]
    assert rows.tolist() == [[0.75, 0.25]] * 3


def test_synonyms_are_read_as_one_word(rule):
    inner = rule(lambda text: 0.25)
    victim = Encode().around(inner, ["savage brutal", "told said"])
    victim.probabilities([("They TOLD us", "a savage lie"), ("",), "brutal"])
    assert inner.asked == [("They SAID us", "a brutal lie"), ("",), ("brutal",)]


def test_equal_texts_are_rewritten_once_and_memory_is_bounded(rule, monkeypatch):
    victim = Canonicalise(["unseen"]).around(rule(lambda text: 0.5))
    asked = []
    rewrite = victim.rewrite
    victim.rewrite = lambda text: asked.append(text) or rewrite(text)
    monkeypatch.setattr(rewriting, "CACHED", 3)
    victim.probabilities([("a", "b"), ("b", "a"), "a"])
    assert asked == ["a", "b"]
    victim.probabilities(["c", "d", "d"])
    assert asked == ["a", "b", "c", "d"] and len(victim._read) <= 3


def test_fingerprints_differ_with_the_defence_its_settings_what_it_learnt_and_the_victim(rule):
    made = [(Canonicalise(), []), (Canonicalise(["unseen"]), []), (Canonicalise(), ["zorgs a"]), (Encode(), ["zorgs a"]),
            (Encode(), [])]
    assert len({defence.around(rule(len), learnt).fingerprint for defence, learnt in made}) == len(made)
    again = Canonicalise().around(rule(len), ["b", "a", "a"])
    assert again.fingerprint == Canonicalise().around(rule(len), ["a", "b"]).fingerprint


@pytest.mark.parametrize("steps", [[], ["unseen", "polish"]])
def test_unknown_steps_are_refused(steps):
    with pytest.raises(InputError, match=r"hardening.canonicalise.steps=.*expected one or more of unseen, compatible"):
        Canonicalise(steps)


@pytest.mark.parametrize(("values", "words"), [({"neighbours": 0}, "neighbours=0: expected 1 to 100"),
                                               ({"neighbours": 26_000}, "neighbours=26000: expected 1 to 100"),
                                               ({"cosine": 0.0}, "cosine=0.0: expected a cosine above 0 up to 1"),
                                               ({"cosine": float("nan")}, "cosine=nan")])
def test_encoding_out_of_range_is_refused(values, words):
    with pytest.raises(InputError, match=f"hardening.encode.{words}"):
        Encode(**values)


def test_one_string_is_not_taken_for_a_list_of_characters(rule):
    for victim in (Encode().around(rule(len)), Smooth().around(rule(len))):
        with pytest.raises(InputError, match="expected a list of texts, got one string"):
            victim.probabilities("one text")
