"""Labels are matched by name, never by position."""

from __future__ import annotations

import numpy as np
import pytest

from hardtext.core import InputError
from hardtext.victims.labels import match


def test_other_order_other_spelling():
    assert match(["NOT_CREDIBLE", "Credible"], ("credible", "not-credible")).tolist() == [[0, 1], [1, 0]]


def test_by_hand_and_several_to_one():
    matrix = match(["LABEL_0", "LABEL_1", "LABEL_2"], ("real", "fake"),
                   {"LABEL_0": "fake", "LABEL_1": "real", "LABEL_2": "fake"})
    assert (np.array([[0.2, 0.5, 0.3]]) @ matrix).round(6).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(("labels", "classes", "by_hand"), [
    (["LABEL_0", "LABEL_1"], ("real", "fake"), None),
    (["fake", "real", "satire"], ("real", "fake"), None),
    (["fake", "true"], ("real", "fake"), None),
    (["a", "b"], ("x", "y"), {"a": "x", "b": "x"}),
    (["fake", "real"], ("real", "fake", "mixed"), None),
])
def test_no_match_shows_both_lists(labels, classes, by_hand):
    with pytest.raises(InputError) as caught:
        match(labels, classes, by_hand)
    assert ", ".join(labels) in str(caught.value) and ", ".join(classes) in str(caught.value)


def test_by_hand_names_must_exist():
    with pytest.raises(InputError, match="no label LABEL_9; it has a, b"):
        match(["a", "b"], ("x", "y"), {"LABEL_9": "x"})
    with pytest.raises(InputError, match="no class z; it has x, y"):
        match(["a", "b"], ("x", "y"), {"a": "z"})
