"""Coarse answers: still probabilities, with the same winner."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hardtext.core import InputError, Victim
from hardtext.victims.defended.coarse import Coarse, minutes_at_rate, rate_of, rounded
from hardtext.victims.defended.settings import Output


@pytest.mark.parametrize(("row", "digits", "expected"), [
    ([0.3, 0.7], 0, [0, 1]),
    ([0.5, 0.5], 0, [1, 0]),  # of equals the first, as numpy.argmax has it
    ([0.626, 0.374], 2, [0.63, 0.37]),
    ([0.4951, 0.5049], 1, [0.4, 0.6]),  # not 0.5 and 0.5
    ([0.5, 0.5], 2, [0.5, 0.5]),  # the first still
    ([0.2, 0.19, 0.19, 0.18, 0.12, 0.12], 1, [0.5, 0.1, 0.1, 0.1, 0.1, 0.1]),
    ([0.999999, 0.000001], 3, [1, 0]),
    ([0.31, 0.29, 0.40], 1, [0.3, 0.3, 0.4]),
])
def test_rounded_by_hand(row, digits, expected):
    assert rounded(np.array([row]), digits)[0] == pytest.approx(expected, abs=1e-12)


@given(arrays.arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(2, 6)), elements=st.floats(0.015625, 1, width=32)),
       st.integers(0, 6))
def test_probabilities_with_the_same_winner(weights, digits):
    rows = weights / weights.sum(axis=1, keepdims=True)
    coarse = rounded(rows.astype(np.float64), digits)
    assert coarse.sum(axis=1) == pytest.approx(1.0, abs=1e-12) and (coarse >= 0).all()
    assert (coarse.argmax(axis=1) == rows.argmax(axis=1)).all()
    best = np.take_along_axis(rows, rows.argmax(axis=1)[:, None], axis=1)
    assert (((coarse == coarse.max(axis=1, keepdims=True)).sum(axis=1) == 1) | ((rows == best).sum(axis=1) > 1)).all()
    assert np.abs(coarse * 10**digits - np.rint(coarse * 10**digits)).max() < 1e-6  # whole units


def test_the_victim_answers_coarsely(rule):
    inner = rule(lambda text: {"a": 0.62, "b": 0.31}.get(text, 0.5))
    label, score = Coarse(inner, Output()), Coarse(inner, Output(digits=1))
    assert isinstance(label, Victim) and label.classes == inner.classes
    assert label.probabilities([("a",), ("b",), ("c",)]).tolist() == [[0, 1], [1, 0], [1, 0]]
    assert score.probabilities([("a",), ("b",)]).tolist() == [[0.4, 0.6], [0.7, 0.3]]
    assert label.fingerprint != score.fingerprint


def test_no_texts(rule):
    empty = rule(len)
    assert rounded(np.empty((0, 2)), 0).shape == rounded(np.empty((0, 2)), 2).shape == (0, 2)
    assert rate_of(empty) is None


def test_minutes_at_a_rate(rule):
    assert [minutes_at_rate(queries, 60) for queries in (0, 1, 60, 61, 120, 121)] == [0, 0, 0, 1, 1, 2]
    assert rate_of(Coarse(rule(len), Output(per_minute=7))) == 7 and rate_of(Coarse(rule(len), Output())) is None


@pytest.mark.parametrize(("values", "words"), [({"digits": -1}, "digits=-1"), ({"digits": 7}, "digits=7"),
                                               ({"per_minute": 0}, "per_minute=0")])
def test_settings_out_of_range_are_refused(values, words):
    with pytest.raises(InputError, match=f"hardening.output.{words}"):
        Output(**values)
