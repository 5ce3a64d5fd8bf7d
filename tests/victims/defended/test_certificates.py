"""Certified radii against a count of all copies."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.victims.defended import certificates
from hardtext.victims.defended.certificates import certified, untouched_by_masks, untouched_by_synonyms
from hardtext.victims.defended.settings import Smooth
from hardtext.victims.defended.smoothed import Smoothed, substituted

WORDS = "shocking hoax senate report confirms budget".split()


def fake(shown: dict[int, str]) -> bool:
    """The vote on a copy, of which the words at these places are shown."""
    return sum(word in ("shocking", "hoax", "senate", "budget") for word in shown.values()) * 2 >= len(shown)


def held(kept: int, changed: tuple[int, ...]) -> float:
    """The share of all masked copies that vote fake whatever is written at the places ``changed``."""
    copies = list(itertools.combinations(range(6), kept))
    return sum(not set(copy) & set(changed) and fake({i: WORDS[i] for i in copy}) for copy in copies) / len(copies)


@pytest.mark.parametrize("kept", [1, 2, 3])
def test_the_certificate_holds_against_every_change_of_a_small_text(kept):
    share = held(kept, ())
    votes = np.round(np.array([1 - share, share]) * 1_000_000).astype(int)
    radius = certified(votes, untouched_by_masks(6, 1 - kept / 6), alpha=1e-3)
    truly = max(d for d in range(6) if d == 0 or all(held(kept, c) > 0.5 for c in itertools.combinations(range(6), d)))
    assert (radius or 0) <= truly


@pytest.mark.parametrize(("kept", "words"), [(1, 2), (2, 1), (3, 0), (5, 0)])
def test_the_certificate_of_a_sure_vote(kept, words):
    """All copies agree: with d of 6 words changed, C(6 - d, kept) / C(6, kept) > 1/2 of them do not show any."""
    assert certified(np.array([0, 10**9]), untouched_by_masks(6, 1 - kept / 6), alpha=0.05) == words


def test_the_certificate_needs_enough_votes():
    assert certified(np.array([3, 2]), untouched_by_masks(20, 0.9), alpha=0.05) is None
    assert certified(np.array([0, 0]), untouched_by_masks(20, 0.9), alpha=0.05) is None
    assert certified(np.array([0, 1000]), untouched_by_masks(0, 0.9), alpha=0.05) == 0  # a text without words
    radii = [certified(np.array([0, n]), untouched_by_masks(40, 0.9), alpha=0.05) for n in (10, 20, 100, 1_000)]
    assert radii == sorted(radii) and radii[-1] > radii[0]
    # 25 of 25 votes, two classes: the lower bound is 0.025 ** (1 / 25) = 0.863. With 4 of 40 words changed
    # 58,905 of 91,390 sets of 4 show none of them, 0.645; with 5 changed 52,360 do, 0.573: 0.863 - 0.427 < 0.5
    assert certified(np.array([0, 25]), untouched_by_masks(40, 0.9), alpha=0.05) == 4


SETS = {"a": "bc", "b": "a", "c": "ad", "d": "c", "e": "f", "f": "e", "x": ""}


@pytest.fixture(autouse=True)
def fresh():
    """What one test takes for synonyms is none for the next."""
    yield
    certificates._readings.cache_clear()


def read_as(word: str) -> list[str]:
    return [word, *SETS[word]]


def test_what_a_synonym_touches(monkeypatch):
    monkeypatch.setattr(certificates, "synonyms", lambda word: tuple(SETS[word]))
    certificates._readings.cache_clear()
    # x has no synonyms. e and f are read as one set whichever is written. b is read as a or b, a as a, b or c: written as a
    # two of three copies may stay. a is read as a, b or c, and c as c, a or d; b as b or a: two of three again.
    assert list(untouched_by_synonyms(("x e b", "a"))) == pytest.approx([1, 2 / 3, 4 / 9, 4 / 9])
    assert list(untouched_by_synonyms(("x x",))) == [1]
    monkeypatch.setattr(certificates, "synonyms", lambda word: ("a b",) if word == "c" else ())
    certificates._readings.cache_clear()
    assert list(untouched_by_synonyms(("c",))) == [1, 0]  # what is read as two words


@given(st.lists(st.sampled_from("abcdefx"), min_size=1, max_size=4),
       st.dictionaries(st.text("abcdefx", min_size=1, max_size=4), st.booleans()), st.integers(0, 40))
def test_no_substitution_within_the_radius_moves_the_vote(words, said, more):
    """The vote of all copies, counted one by one, for every change of so many words."""
    def fakes(text) -> float:
        copies = list(itertools.product(*map(read_as, text)))
        return sum(said.get("".join(copy), sum(map(ord, copy)) * 7 % 41 < more) for copy in copies) / len(copies)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "synonyms", lambda word: tuple(SETS[word]))
        certificates._readings.cache_clear()
        shares = list(untouched_by_synonyms((" ".join(words),)))
    share = fakes(words)
    votes = np.round(np.array([1 - share, share]) * 10**7).astype(int)
    radius = certified(votes, shares, alpha=1e-6)
    for changed in itertools.product(*map(read_as, words)):
        if radius is not None and sum(a != b for a, b in zip(words, changed)) <= radius:
            assert (fakes(changed) > 0.5) == (share > 0.5)


@pytest.mark.parametrize("word", ["purchased", "Purchased", "THOUSAND", "MB", "liQUEUR", "TVs", "film"])
def test_shares_are_those_of_the_copies_that_are_drawn(word):
    """However a word is written: the drawn forms of it and of what is written for it, counted."""
    def drawn(written):
        return Counter(substituted((written,), Random(seed)) for seed in range(4_000))

    before = drawn(word)
    shares = [sum(min(n, after[form]) for form, n in before.items()) / 4_000 for (other,) in before
              for after in [drawn(other)]]
    assert list(untouched_by_synonyms((word,)))[1] == pytest.approx(min(shares), abs=0.03)


def test_the_settings_know_their_certificate(rule):
    text = ("Purchased a hoax, it said",)
    assert list(Smooth(rate=0.5).untouched(text)) == list(untouched_by_masks(5, 0.5))
    # purchased is read as itself or bought, bought as itself, purchased, bribed or corrupted: two of four copies may stay
    assert list(Smooth(kind="synonyms").untouched(("Purchased it",))) == [1, 0.5]
    victim = Smoothed(rule(lambda text: "it" in text.split()), Smooth(rate=0.8))
    (votes,) = victim.votes([("it it it it it it",)], 500)
    # one of six words is shown: one changed touches 1/6 of the copies, two 1/3, three 1/2
    assert certified(votes, victim.settings.untouched(("it it it it it it",)), alpha=0.05) == 2
