from __future__ import annotations

import random

import numpy as np
import pytest

from hardtext.attacks import quality
from hardtext.attacks.base import Target
from hardtext.attacks.requests import Meaning


def finish(steps, semantic):
    """Answer the one request; (what was asked, what came back)."""
    request = next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send(np.array(semantic))
    return request, end.value.value


TARGET = Target(("abcd",), np.array([0.9, 0.1]), random.Random(0))


def test_the_score_is_semantic_times_character():
    request, scores = finish(quality.products(TARGET, [("abcx",), ("xxcd",)]), [0.8, 1.0])
    assert request == Meaning(("abcd",), (("abcx",), ("xxcd",)))
    assert scores.tolist() == pytest.approx([0.8 * 0.75, 1.0 * 0.5])


def test_the_best_is_named_with_its_score():
    texts = [("xxcd",), ("abcx",), ("abxx",)]
    assert finish(quality.best(TARGET, texts), [1.0, 0.8, 0.5])[1] == (1, pytest.approx(0.6))
    assert finish(quality.best(TARGET, texts), [1.0, 0.2, 0.5])[1] == (0, pytest.approx(0.5))


def test_of_equal_scores_the_first_wins_even_where_noise_says_otherwise():
    texts = [("abcx",), ("abxd",)]
    assert finish(quality.best(TARGET, texts), [0.8, 0.8 + 1e-7])[1][0] == 0
    assert finish(quality.best(TARGET, texts), [0.8, 0.8 + 1e-4])[1][0] == 1


def test_pairs_are_compared_in_their_joined_form():
    target = Target(("ab", "cd"), np.array([0.9, 0.1]), random.Random(0))
    _, scores = finish(quality.products(target, [("ab", "cx")]), [1.0])
    assert scores.tolist() == pytest.approx([1 - 1 / len("ab ~ cd")])
