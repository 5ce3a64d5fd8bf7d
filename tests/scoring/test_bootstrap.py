from __future__ import annotations

import numpy
import pytest

from hardtext.scoring import bootstrap


def test_bounds_are_the_percentiles_of_plainly_resampled_means():
    values = numpy.random.default_rng(1).random(50)
    low, high = bootstrap.bounds({"x": values}, seed=7, resamples=500)["x"]
    draws = numpy.random.default_rng(7).integers(50, size=(500, 50))
    assert [low, high] == pytest.approx(numpy.percentile(values[draws].mean(axis=1), [2.5, 97.5]))


def test_bounds_cover_the_true_mean_about_19_times_in_20():
    generator = numpy.random.default_rng(0)
    covered = 0
    for run in range(200):
        low, high = bootstrap.bounds({"x": generator.random(80)}, seed=run, resamples=300)["x"]
        covered += low <= 0.5 <= high
    assert 178 <= covered <= 200


def test_nan_rows_are_left_out_as_in_the_average():
    column = numpy.array([1.0, numpy.nan, 1.0, numpy.nan])
    assert bootstrap.bounds({"x": column}, seed=0)["x"] == [1.0, 1.0]


@pytest.mark.parametrize("column", [[], [1.0], [numpy.nan, numpy.nan], [numpy.nan, 1.0]])
def test_fewer_than_two_values_have_no_bounds(column):
    columns = {"x": numpy.array(column, dtype=float)}
    assert bootstrap.bounds(columns, seed=0) == {"x": None}


def test_seeded_and_independent_of_the_memory_limit(monkeypatch):
    columns = {"x": numpy.random.default_rng(1).random(37), "y": numpy.arange(37.0)}
    first = bootstrap.bounds(columns, seed=3)
    assert bootstrap.bounds(columns, seed=3) == first
    assert bootstrap.bounds(columns, seed=4) != first
    monkeypatch.setattr(bootstrap, "_CELLS", 100)
    assert bootstrap.bounds(columns, seed=3) == first
