"""The Python door: wrong arguments are one InputError, never a wrong result."""

from __future__ import annotations

import pytest

import hardtext
from hardtext import Example, InputError


def steady(texts):
    return [[0.6, 0.4]] * len(texts)


@pytest.mark.parametrize("examples", ["one text", None, [None], [3], [("evidence", "claim")], Example("1", ("a",), 0)])
def test_examples_are_texts_or_examples(examples):
    with pytest.raises(InputError, match="examples: expected"):
        hardtext.attack(steady, examples, attack="deepwordbug")


def test_segments_are_strings():
    with pytest.raises(InputError, match="one or two strings"):
        Example("1", None, 0)


def test_a_time_limit_is_a_number():
    with pytest.raises(InputError, match="max_seconds=nan"):
        hardtext.attack(steady, ["some text"], attack="deepwordbug", max_seconds=float("nan"))


def test_scores_take_any_iterable_of_attempts():
    attempts = hardtext.attack(steady, ["some text"], attack="deepwordbug")
    assert hardtext.score(iter(attempts), semantic="none").instances == 1
    with pytest.raises(InputError, match="attempts: expected"):
        hardtext.score([attempt.to_row() for attempt in attempts], semantic="none")
