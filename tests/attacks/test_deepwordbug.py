from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.attacks import DeepWordBug
from hardtext.attacks.base import Target
from hardtext.attacks.deepwordbug import FIRE, LOOK_ALIKES, misspellings
from hardtext.attacks.requests import Score
from hardtext.core import InputError
from hardtext.lexicon.function_words import is_content
from hardtext.text import words


def distance(a, b):
    """Levenshtein, row by row."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


# ---- bodega

def test_bodega_by_hand(play):
    text = "He isn't  in the U.S.\nnow"
    tokens = ["He", "isn", "'", "t", "in", "the", "U", ".", "S", ".", "now"]
    left = [0.9, 0.2, 0.8, 0.95, 0.1, 0.7, 0.7, 0.94, 0.93, 0.92, 0.91]

    def probability(segments):
        parts = segments[0].split(" ")
        return left[parts.index(FIRE)] if FIRE in parts else 0.9 if segments == (text,) else 0.3

    result, requests = play(DeepWordBug(variant="bodega"), text, probability, seed=5)
    masked, final = [list(r.texts) for r in requests]
    assert masked == [(" ".join(tokens[:i] + [FIRE] + tokens[i + 1:]),) for i in range(11)]
    # in, isn, the, U (the earlier of two equal), then '
    draws = np.random.RandomState(random.Random(5).getrandbits(32))
    expected = list(tokens)
    for i in (4, 1, 5, 6, 2):
        at = draws.randint(0, len(tokens[i]))
        expected[i] = tokens[i][:at] + LOOK_ALIKES.get(tokens[i][at], tokens[i][at]) + tokens[i][at + 1:]
    assert final == [(" ".join(expected),)] == [result]
    assert expected[2] == "`" and expected[6] == "U"  # a mark with a look-alike, and a letter without


def test_the_look_alikes():
    assert len(LOOK_ALIKES) == 38
    assert [LOOK_ALIKES[c] for c in "ael1'0"] == ["ɑ", "е", "ⅼ", "l", "`", "O"]
    assert all(len(v) == 1 and v != k for k, v in LOOK_ALIKES.items())


def test_bodega_returns_nothing_when_the_one_try_fails(play):
    result, requests = play(DeepWordBug(variant="bodega", power=1), "ab cd", lambda t: 0.9)
    assert result is None and [len(r.texts) for r in requests] == [2, 1]
    assert sum(a != b for a, b in zip(requests[1].texts[0][0], "ab cd", strict=True)) == 1


def test_bodega_on_a_pair_keeps_the_separator(play):
    _, requests = play(DeepWordBug(variant="bodega"), ("Yes.", "a~b"), lambda t: 0.9)
    assert list(requests[0].texts) == [("🔥 .", "a ~ b"), ("Yes 🔥", "a ~ b"), ("Yes . 🔥 a ~ b", ""),
                                       ("Yes .", "🔥 ~ b"), ("Yes .", "a 🔥 b"), ("Yes .", "a ~ 🔥")]
    [(first, second)] = requests[1].texts
    assert first.endswith(" .") and second.count("~") == 1


# ---- paper

def test_paper_by_hand(play):
    """The word whose loss hurts most comes first; its worst misspelling is kept; then the next, until the flip."""
    text = ("The Senator lied,  3.5% of U.S. voters say.",)

    def probability(segments):
        [t] = segments
        unknown = 0.3 * ("[UNK] lied" in t) + 0.2 * ("[UNK]," in t) + 0.1 * ("[UNK] say" in t)
        return 0.9 - unknown - 0.25 * ("Senator" not in t) - 0.25 * ("lied" not in t)

    result, requests = play(DeepWordBug(), text, probability)
    masked, first, second = [list(r.texts) for r in requests]
    assert masked == [(text[0].replace(w, "[UNK]"),) for w in ("Senator", "lied", "U.S.", "voters", "say")]
    assert 3 <= len(first) <= 4 and all(t[0].endswith(" lied,  3.5% of U.S. voters say.") for t in first)
    assert all(t[0].startswith(first[0][0].removesuffix(" lied,  3.5% of U.S. voters say.")) for t in second)
    assert result == second[0]
    assert [r.until_flip for r in requests] == [None, 0, 0]


@given(word=st.text(min_size=2, max_size=12), seed=st.integers(0, 999))
def test_misspellings_are_four_edits_with_their_true_distance(word, seed):
    found = misspellings(word, random.Random(seed))
    assert 1 <= len(found) <= 4
    for edited, cost in found:
        assert edited != word
        assert distance(word, edited) <= cost <= 2
    assert {len(e) - len(word) for e, _ in found} >= {-1, 1}
    assert found == misspellings(word, random.Random(seed))


def test_misspellings_keep_the_case():
    for seed in range(200):
        for edited, _ in misspellings("LOUD", random.Random(seed)):
            assert edited.isupper()


@pytest.mark.parametrize("limit", [1, 2, 7, 30])
def test_the_edit_distance_is_never_exceeded(play, limit):
    text = " ".join(f"word{c}" for c in "abcdefghijklmnopqrstuvwxyz" * 2)

    def probability(segments):  # each change helps a little, none is enough
        return 0.9 - 0.001 * sum(a != b for a, b in zip(segments[0].split(" "), text.split(" "), strict=True))

    result, requests = play(DeepWordBug(max_distance=limit), text, probability)
    assert result is None
    most = 0
    for request in requests[1:]:
        for (tried,) in request.texts:
            changed = [(a, b) for a, b in zip(text.split(" "), tried.split(" "), strict=True) if a != b]
            most = max(most, sum(distance(a, b) for a, b in changed))
    assert limit - 1 <= most <= limit


def test_only_content_words_change(play):
    text = "I do NOT think it’s 3.5 or so; they don't a b 7 🔥!"
    _, requests = play(DeepWordBug(), text, lambda t: 0.9)
    assert list(requests[0].texts) == [(text.replace("think", "[UNK]"),), (text.replace("so", "[UNK]"),)]


def test_nothing_to_change_asks_nothing(play):
    assert play(DeepWordBug(), "it is 7 of a", lambda t: 0.9) == (None, [])


@given(st.text(max_size=40), st.integers(0, 5))
def test_everything_outside_the_words_stays(text, seed):
    """Whatever the text: what is between the attacked words is the same in every text the victim is asked."""
    segments = (text,)
    steps = DeepWordBug().steps(Target(segments, np.array([0.9, 0.1]), random.Random(seed)))
    spans = [w for w in words(segments) if len(w.text) > 1 and is_content(w.text)]
    starts, ends = [0, *(w.end for w in spans)], [*(w.start for w in spans), len(text)]
    gaps = [text[a:b] for a, b in zip(starts, ends, strict=True)]
    try:
        request = next(steps)
        for _ in range(6):
            assert isinstance(request, Score)
            for (asked,) in request.texts:
                assert asked.startswith(gaps[0]) and asked.endswith(gaps[-1])
                at = 0
                for gap in gaps:
                    at = asked.index(gap, at) + len(gap)
            request = steps.send(np.tile([0.8, 0.2], (len(request.texts), 1)))
    except StopIteration:
        pass


# ---- settings

@pytest.mark.parametrize("settings, message", [
    ({"variant": "gao"}, "attack.variant=gao: expected one of paper, bodega"),
    ({"power": 3}, "attack.power=3: attack.variant=paper does not use it"),
    ({"variant": "bodega", "max_distance": 3}, "attack.max_distance=3: attack.variant=bodega does not use it"),
    ({"max_distance": 0}, "attack.max_distance=0: expected at least 1"),
])
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        DeepWordBug(**settings)
