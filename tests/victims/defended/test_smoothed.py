"""Smoothing: copies, votes, and chance that can be repeated."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from scipy.stats import binomtest

from hardtext import text as texts_of
from hardtext.attacks import sanity
from hardtext.core import Example, InputError
from hardtext.victims.defended.settings import Smooth
from hardtext.victims.defended.smoothed import Smoothed, masked, substituted

TEXT = ("The senate, it said, lied about the budget twice.", "It is a hoax!")


@pytest.mark.parametrize(("rate", "count"), [(0.3, 4), (0.7, 9), (0.99, 12), (0.01, 0)])
def test_masked_words(rate, count):
    found = masked(TEXT, rate, "[MASK]", Random(0))
    assert sum(s.count("[MASK]") for s in found) == count  # of 13 words; one stays at least
    assert [w.text for w in texts_of.words(found) if w.text in ",.!"] == [",", ",", ".", "!"]
    before, after = (" ".join(t).replace(",", "").replace(".", "").replace("!", "").split() for t in (TEXT, found))
    assert all(b in (a, "[MASK]") for a, b in zip(before, after, strict=True))


def test_every_word_is_masked_alike():
    times = np.zeros(6)
    for seed in range(2_000):
        times += [w == "_" for w in masked(("a b c d e f",), 0.5, "_", Random(seed))[0].split()]
    assert all(binomtest(int(n), 2_000, 0.5).pvalue > 1e-4 for n in times)


@pytest.mark.parametrize("text", [("",), ("!!!",), ("word",), ("\ud800 \x00",), ("🔥", "")])
def test_texts_with_nothing_to_mask(text):
    assert masked(text, 0.5, "[MASK]", Random(0)) == text
    assert isinstance(substituted(text, Random(0)), tuple)


def test_substitutes_are_synonyms_in_the_words_own_case():
    found = {substituted(("Purchased it",), Random(seed)) for seed in range(40)}
    assert found == {("Purchased it",), ("Bought it",)}


def test_votes_are_counted(rule):
    victim = Smoothed(rule(lambda text: "hoax" in text), Smooth(rate=0.5, copies=200))
    votes = victim.votes([("hoax here",), ("report here",), ("hoax",)], 200)
    assert votes.sum(axis=1).tolist() == [200] * 3
    assert votes[1].tolist() == [200, 0] and votes[2].tolist() == [0, 200]
    assert binomtest(int(votes[0, 1]), 200, 0.5).pvalue > 1e-4
    rows = victim.probabilities([("hoax here",), "report here"])
    assert rows.sum(axis=1).tolist() == [1, 1] and rows[1, 0] == 1
    assert victim.votes([], 5).shape == (0, 2)


def shares(victim, times=6):
    return [victim.probabilities([("a hoax or a report of it",)])[0, 1] for _ in range(times)]


def test_chance_is_drawn_anew_and_can_be_repeated(rule):
    settings = Smooth(rate=0.5, copies=20)
    first, again = (shares(Smoothed(rule(lambda text: "hoax" in text), settings)) for _ in range(2))
    assert first == again and len(set(first)) > 1
    fixed = shares(Smoothed(rule(lambda text: "hoax" in text), Smooth(rate=0.5, copies=20, fixed=True)))
    assert len(set(fixed)) == 1


def test_a_texts_copies_do_not_depend_on_other_texts(rule):
    settings = Smooth(rate=0.5, copies=20)
    alone = Smoothed(rule(lambda text: "hoax" in text), settings)
    beside = Smoothed(rule(lambda text: "hoax" in text), settings)
    text = ("a hoax or a report of it",)
    beside.probabilities([("something else",)] * 3)
    for _ in range(3):
        assert (alone.probabilities([text]) == beside.probabilities([("more of it",), text])[1:]).all()


def test_the_check_before_an_attack_takes_it_for_random(rule):
    examples = [Example(str(i), (f"a hoax or a report number {i} of it",), i % 2) for i in range(12)]
    found = sanity.check(Smoothed(rule(lambda text: "hoax" in text), Smooth(rate=0.5, copies=9)), examples)
    assert found.random and "defence by chance" in found.warnings[0]
    fixed = sanity.check(Smoothed(rule(lambda text: "hoax" in text), Smooth(rate=0.5, copies=9, fixed=True)), examples)
    assert not fixed.random


@pytest.mark.parametrize(("values", "words"), [({"kind": "noise"}, "kind=noise"), ({"rate": 0.0}, "rate=0.0"),
                                               ({"rate": 1.0}, "rate=1.0"), ({"copies": 0}, "copies=0"),
                                               ({"mask": " "}, "mask is empty")])
def test_settings_out_of_range_are_refused(values, words):
    with pytest.raises(InputError, match=f"hardening.smooth.{words}"):
        Smooth(**values)
