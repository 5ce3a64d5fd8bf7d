"""The statistics of probes: worked by hand, and against scipy."""

from __future__ import annotations

import itertools

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from hardtext.scoring import flips

HALF = numpy.array([0.9, 0.8, 0.6, 0.3, 0.2])  # P(fake) before
AFTER = numpy.array([0.8, 0.3, 0.7, 0.6, 0.2])  # and after: flips at places 1 (to real) and 3 (to fake)


def pairs(expects="flip", label=(1, 1, 0, 0, 1), before=HALF, after=AFTER) -> flips.Pairs:
    before, after = (numpy.stack([1 - p, p], axis=1) for p in (before, after))
    return flips.Pairs(label=numpy.array(label), before=before, after=after, said=before.argmax(axis=1),
                       said_after=after.argmax(axis=1), expects=numpy.array([expects] * len(label), dtype=object),
                       positive=(1,))


@pytest.mark.parametrize("of", [1, 2, 7, 29, 1283])
def test_wilson_is_scipys(of):
    for count in {0, 1, of // 3, of - 1, of}:
        theirs = binomtest(count, of).proportion_ci(method="wilson")
        assert flips.wilson(count, of) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_by_hand():
    # 0 of 10: 0 to z²/(n + z²) = 3.8415/13.8415
    assert flips.wilson(0, 10) == (0.0, pytest.approx(0.27754, abs=1e-5))
    assert flips.wilson(10, 10) == (pytest.approx(0.72246, abs=1e-5), 1.0)
    assert flips.wilson(0, 0) is None


def test_flips_shift_and_confidence():
    it = pairs()
    assert it.flipped.tolist() == [False, True, False, True, False]
    assert it.shift.tolist() == pytest.approx([-0.1, -0.5, 0.1, 0.3, 0.0])
    assert it.confidence.tolist() == pytest.approx([0.9, 0.8, 0.6, 0.7, 0.8])
    found = flips.behaviour(it)
    assert (found.flipped.count, found.flipped.of, found.flipped.share) == (2, 5, 0.4)
    assert found.shift.mean == pytest.approx(-0.04) and found.shift.of == 5
    assert found.shift.interval[0] < -0.04 < found.shift.interval[1]


@pytest.mark.parametrize(("expects", "expected", "of_right"), [
    ("flip", [0, 1, 0, 1, 0], (2, 3)),  # right before: places 0, 1, 3 (said fake fake fake real real)
    ("fake", [1, 0, 1, 1, 0], (2, 3)),
    ("stay", [1, 0, 1, 0, 1], (1, 3)),
])
def test_what_is_expected(expects, expected, of_right):
    it = pairs(expects)
    assert it.as_expected.astype(int).tolist() == expected
    found = flips.behaviour(it)
    assert found.expected.count == sum(expected)
    assert (found.expected_of_right.count, found.expected_of_right.of) == of_right


def test_each_text_may_expect_something_else():
    it = pairs()
    it.expects[:] = ["stay", "flip", "fake", "stay", "fake"]
    assert it.as_expected.tolist() == [True, True, True, False, False]


def test_no_pair_gives_none_and_never_nan():
    empty = flips.Pairs(numpy.array([], int), numpy.empty((0, 2)), numpy.empty((0, 2)), numpy.array([], int),
                        numpy.array([], int), numpy.array([], object), (1,))
    found = flips.behaviour(empty)
    assert found.flipped == found.expected == flips.Share(0, 0, None, None)
    assert found.shift == flips.Mean(0, None, None)
    assert flips.sign_flip_p(empty.shift) is None
    assert flips.thirds(empty.confidence) == flips.worst(empty) == flips.typical(empty) == []
    assert flips.movements(empty).tolist() == [[0, 0], [0, 0]]
    assert flips.directions(empty) == {"real_to_fake": 0, "fake_to_real": 0, "within": 0}


def test_one_pair_has_a_mean_but_no_interval():
    found = flips.behaviour(pairs(label=(1,), before=HALF[:1], after=AFTER[:1]))
    assert found.shift.mean == pytest.approx(-0.1) and found.shift.interval is None
    assert found.flipped.interval == flips.wilson(0, 1)


def test_the_test_by_all_signs():
    differences = numpy.array([0.1, -0.2, 0.3, 0.4, 0.5])
    means = [abs(numpy.mean(differences * signs)) for signs in itertools.product([1, -1], repeat=5)]
    exact = numpy.mean(numpy.array(means) >= differences.mean() - 1e-12)
    assert flips.sign_flip_p(differences) == pytest.approx(exact)
    assert flips.sign_flip_p(differences) == flips.sign_flip_p(-differences)
    assert flips.sign_flip_p(numpy.array([0.4])) == 1.0  # one text says nothing
    assert flips.sign_flip_p(numpy.full(5, 0.1)) == 2 / 32
    assert flips.sign_flip_p(numpy.zeros(4)) == 1.0


def test_the_test_by_drawn_signs():
    draw = numpy.random.default_rng(3)
    clear, none = draw.normal(0.1, 0.1, 60), draw.normal(0, 0.1, 60)
    assert flips.sign_flip_p(clear) == 2 / (flips.RESAMPLES + 1)  # never 0: the observed signs count
    assert 0.05 < flips.sign_flip_p(none) <= 1
    assert flips.sign_flip_p(none, seed=5) == flips.sign_flip_p(none, seed=5)


def test_holm_leaves_out_what_has_no_p():
    assert flips.holm([0.01, None, 0.04, 0.03]) == [0.03, None, 0.06, 0.06]
    assert flips.holm([None]) == [None]


def test_directions_and_movements_of_six_classes():
    said, after = numpy.array([0, 0, 2, 3, 5, 1]), numpy.array([1, 3, 2, 0, 4, 1])
    rows = numpy.eye(6)
    six = flips.Pairs(said, rows[said], rows[after], said, after, numpy.array(["flip"] * 6, object), (0, 1, 2))
    assert flips.directions(six) == {"real_to_fake": 1, "fake_to_real": 1, "within": 2}
    table = flips.movements(six)
    assert table[0].tolist() == [0, 1, 0, 1, 0, 0] and table[5, 4] == 1 and table.sum() == 6
    assert six.shift.tolist() == [0, -1, 0, 1, 0, 0]


def test_thirds_keep_equal_values_together():
    found = flips.thirds(numpy.array([0.9, 0.5, 0.5, 0.5, 0.5, 0.6]))
    assert [(low, high, chosen.sum()) for low, high, chosen in found] == [(0.5, 0.5, 4), (0.6, 0.9, 2)]
    assert len(flips.thirds(numpy.full(7, 0.5))) == 1


@given(st.lists(st.floats(0, 1), max_size=40))
def test_thirds_share_out_every_value_once(values):
    found = flips.thirds(numpy.array(values, dtype=float))
    if values:
        assert (sum(chosen.astype(int) for _, _, chosen in found) == 1).all()
        assert all(high < low for (_, high, _), (low, _, _) in itertools.pairwise(found))


def test_the_worst_are_wrong_and_sure_and_the_typical_in_the_middle():
    assert flips.worst(pairs("flip")) == [0, 4, 2]  # the unflipped ones: 0.8 sure, 0.8, 0.7
    assert flips.worst(pairs("flip"), most=1) == [0]
    assert flips.typical(pairs(), most=1) == [4]  # shifts -0.5 -0.1 0 0.1 0.3


def test_float_noise_is_no_shift_and_no_evidence():
    noisy = pairs(after=HALF + numpy.array([1e-8, -2e-8, 3e-8, 1e-8, 2e-8]))
    assert noisy.shift.tolist() == [0.0] * 5 and flips.sign_flip_p(noisy.shift) == 1.0
    assert flips.behaviour(noisy).shift == flips.Mean(5, 0.0, (0.0, 0.0))
