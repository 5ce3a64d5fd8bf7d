from __future__ import annotations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.scoring.capped import within
from hardtext.scoring.paired import bounds, holm, p_value, resampled_means


def test_resampled_means_are_those_of_drawn_rows():
    table = numpy.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    means = resampled_means(table, seed=3, resamples=500)
    assert means.shape == (500, 2)
    assert means[:, 1] == pytest.approx(10 * means[:, 0])  # rows stay whole
    possible = {round((a + b + c) / 3, 9) for a in (1, 2, 4) for b in (1, 2, 4) for c in (1, 2, 4)}
    assert {round(value, 9) for value in means[:, 0]} <= possible
    assert means[:, 0].mean() == pytest.approx(7 / 3, abs=0.1)
    separately = resampled_means(table[:, :1], seed=3, resamples=500)
    assert separately == pytest.approx(means[:, :1], rel=1e-12)  # the same seed and number of rows: the same draws


def test_memory_bound_does_not_change_the_draws(monkeypatch):
    from hardtext.scoring import paired

    table = numpy.random.default_rng(0).random((50, 2))
    whole = resampled_means(table, seed=1, resamples=100)
    monkeypatch.setattr(paired, "_CELLS", 50 * 7)
    assert resampled_means(table, seed=1, resamples=100) == pytest.approx(whole, rel=1e-12)


def test_bounds_and_p_agree_with_scipy():
    from scipy import stats

    generator = numpy.random.default_rng(0)
    gaps = generator.normal(0.03, 0.2, 200)
    means = resampled_means(gaps[:, None], seed=0)[:, 0]
    scipys = stats.bootstrap((gaps,), numpy.mean, n_resamples=10_000, method="percentile", rng=generator)
    assert bounds(means) == pytest.approx(tuple(scipys.confidence_interval), abs=0.003)
    assert p_value(gaps.mean(), means) == pytest.approx(stats.ttest_1samp(gaps, 0).pvalue, abs=0.02)


def test_p_is_small_for_a_clear_difference_and_one_for_none():
    clear = numpy.random.default_rng(0).normal(0.3, 0.1, 100)
    assert p_value(clear.mean(), resampled_means(clear[:, None], seed=0, resamples=999)[:, 0]) == 1 / 1000
    same = numpy.zeros(100)
    assert p_value(0.0, resampled_means(same[:, None], seed=0, resamples=99)[:, 0]) == 1.0


def test_under_no_difference_p_is_nearly_uniform():
    generator = numpy.random.default_rng(1)
    values = []
    for seed in range(200):
        gaps = generator.normal(0, 1, 60)
        values.append(p_value(gaps.mean(), resampled_means(gaps[:, None], seed=seed, resamples=400)[:, 0]))
    assert 0.02 <= numpy.mean(numpy.array(values) < 0.05) <= 0.10


def test_holm_by_hand():
    assert holm([0.01, 0.02, 0.03, 0.5]) == pytest.approx([0.04, 0.06, 0.06, 0.5])
    assert holm([0.5, 0.01]) == pytest.approx([0.5, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0] and holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_keeps_the_order_and_lies_between_p_and_bonferroni(values):
    corrected = holm(values)
    assert all(p <= c <= min(1, len(values) * p) + 1e-12 for p, c in zip(values, corrected))
    order = sorted(range(len(values)), key=values.__getitem__)
    assert [corrected[i] for i in order] == sorted(corrected)


def test_within_a_cap_by_hand():
    bodega, queries = numpy.array([0.9, 0.6, 0.0, 0.3]), numpy.array([10, 100, 5, 101])
    assert within(bodega, queries, (9, 10, 99, 100, 101)) == pytest.approx([0, 0.225, 0.225, 0.375, 0.45])


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 1000)), min_size=1))
def test_more_queries_never_score_less(attempts):
    bodega, queries = map(numpy.array, zip(*attempts))
    scores = within(bodega, queries, (50, 100, 500, 1000))
    assert (numpy.diff(scores) >= -1e-12).all() and scores[-1] == pytest.approx(bodega.mean())
