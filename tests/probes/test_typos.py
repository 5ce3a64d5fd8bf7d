from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext import text as words_of
from hardtext.lexicon import wordnet
from hardtext.probes import Changed, ProbeSettings, Unchanged
from hardtext.probes.typos import NEIGHBOURS, mistyped, probe

PROBE = probe(ProbeSettings())


def test_the_keyboard():
    assert NEIGHBOURS["a"] == "qwsz" and set(NEIGHBOURS["g"]) == set("tyfhvb") and set(NEIGHBOURS["p"]) == set("ol")
    assert all(a in NEIGHBOURS[b] for a in NEIGHBOURS for b in NEIGHBOURS[a])


@pytest.mark.parametrize(("words", "typos"), [(4, 1), (8, 1), (16, 2), (80, 10), (800, 10)])
def test_one_word_in_eight(words, typos):
    changed = PROBE.change(" ".join(["government"] * words), 0)
    assert changed.what.count(" -> ") == typos


def one_slip(old, new):
    """Whether a letter was hit beside its key, swapped with the next, or left out."""
    if len(new) == len(old) - 1:
        return any(old[:i] + old[i + 1:] == new for i in range(1, len(old)))
    apart = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    beside = len(apart) == 1 and new[apart[0]] in NEIGHBOURS[old[apart[0]]]
    return beside or len(apart) == 2 and old[apart[0]] == new[apart[1]] and old[apart[1]] == new[apart[0]]


@given(st.sampled_from("government believes statement workers children election".split()), st.integers(0, 2**32))
def test_each_is_one_slip_and_no_other_word(word, seed):
    new = mistyped(word, random.Random(seed))
    assert new[0] == word[0] and one_slip(word, new) and not wordnet.known(new)


def test_names_short_words_and_numbers_stay():
    text = "The senator said Barack Obama lost 40 jobs at www.government.com and @statement, NASA says."
    for seed in range(40):
        changed = words_of.words(PROBE.change(text, seed).text)
        assert {"The", "Barack", "Obama", "lost", "40", "NASA"} - {"lost"} <= {w.text for w in changed}
        assert "www.government.com" in PROBE.change(text, seed).text


def test_what_stays():
    assert PROBE.change("He is at it", 0) == Unchanged("no word to mistype")
    assert isinstance(PROBE.change("They were government workers", 0), Changed)
