"""What a sweep varies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.core import InputError
from hardtext.sweeping.space import Choice, Interval, grid, point_of

SPACE = {"++trainer.precision": Choice(("32", "16-mixed")), "model.lr": Interval(1e-5, 1e-3, log=True),
         "model.epochs": Interval(1, 8, integer=True)}


def test_a_grid_is_every_combination_with_the_last_setting_varying_fastest():
    space = {"model": Choice(("tiny", "bilstm")), "seed": Choice(("0", "1"))}
    assert list(grid(space)) == [{"model": "tiny", "seed": "0"}, {"model": "tiny", "seed": "1"},
                                 {"model": "bilstm", "seed": "0"}, {"model": "bilstm", "seed": "1"}]
    assert list(grid({})) == [{}]  # nothing varied: one job


def test_a_grid_refuses_an_interval_and_names_the_setting():
    with pytest.raises(InputError, match=r"^model\.lr: an interval has no values .*sweep=optuna"):
        list(grid({"++model.lr": Interval(0, 1)}))


@given(st.floats(1e-5, 1e-3), st.integers(1, 8))
def test_a_number_survives_its_text(lr, epochs):
    point = {"++trainer.precision": "32", "model.lr": lr, "model.epochs": epochs}
    assert point_of(SPACE, {name: SPACE[name].text(value) for name, value in point.items()}) == point


@pytest.mark.parametrize("change", [{"model.lr": "0.1"}, {"model.lr": "many"}, {"model.epochs": "2.5"},
                                    {"++trainer.precision": "64"}, {"seed": "1"}])
def test_what_lies_outside_is_no_point(change):
    values = {"++trainer.precision": "32", "model.lr": "0.0001", "model.epochs": "3"}
    assert point_of(SPACE, values) is not None
    assert point_of(SPACE, values | change) is None
