"""What is recorded does not depend on the batch a probability was computed in."""

from __future__ import annotations

import numpy
from hypothesis import given
from hypothesis import strategies as st

from hardtext.attacks.settling import DIGITS, NOISE, settle

TEXT = ("a text",)


def never(texts):
    raise AssertionError("asked again without need")


def test_a_probability_far_from_an_edge_is_rounded_as_it_is():
    assert settle(never, TEXT, numpy.array([0.1234561, 0.8765439])) == [0.12346, 0.87654]


@given(st.floats(0.001, 0.999), st.floats(-NOISE / 2, NOISE / 2), st.floats(-NOISE / 2, NOISE / 2))
def test_two_batches_record_the_same_digits(alone, first, second):
    def ask(texts):
        assert texts == [TEXT]
        return numpy.array([[alone, 1 - alone]])

    rows = [settle(ask, TEXT, numpy.array([alone + noise, 1 - alone - noise])) for noise in (first, second)]
    assert rows[0] == rows[1]


def test_near_an_edge_the_text_is_asked_by_itself():
    edge = 0.123455
    asked = []

    def ask(texts):
        asked.append(texts)
        return numpy.array([[edge + NOISE / 4, 1 - edge - NOISE / 4]])

    assert settle(ask, TEXT, numpy.array([edge - NOISE / 4, 1 - edge + NOISE / 4]))[0] == round(edge + NOISE / 4, DIGITS)
    assert asked == [[TEXT]]
