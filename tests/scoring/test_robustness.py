"""The statistics of the robustness matrix, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hardtext.core import InputError
from hardtext.scoring import robustness
from hardtext.scoring.robustness import Cell, Trained, accuracy_interval, f1_interval

TEXTS = ("a", "b", "c", "d")


def cell(victim: str, attack: str, bodega, queries=(10, 20, 150, 400), *, seed=0, right=(1, 1, 1, 0), **values) -> Cell:
    bodega = np.array(bodega, float)
    given = {"texts": TEXTS, "single_query": float((bodega > 0).mean()), "fooled": bodega > 0} | values
    return Cell(victim, attack, seed, bodega=bodega, queries=np.array(queries, float), right=np.array(right, float), **given)


def metrics(f1: float | None, accuracy: float = 0.8, texts: int = 100, **values):
    return {"texts": texts, "accuracy": accuracy, "f1": f1, "precision": f1, "recall": f1,
            "confusion": [[40, 10], [10, 40]]} | values


def trained(victim: str, f1: float | None = 0.8, seconds: float | None = 10.0, seed: int = 0, **values) -> Trained:
    return Trained(victim, seed, clean=metrics(f1, **values), dev=metrics(0.7, 0.75), seconds=seconds)


CELLS = [cell("plain", "x", [0.8, 0.6, 0.4, 0.0]), cell("plain", "y", [0.9, 0.0, 0.0, 0.5]),
         cell("hard", "x", [0.4, 0.0, 0.2, 0.0], transfer=np.array([0.8, 0.0, 0.0, 0.0])),
         cell("hard", "y", [0.0, 0.0, 0.0, 0.2], transfer=np.array([0.0, 0.0, 0.0, 0.5]))]


def rows(cells=CELLS, trainings=None, **options):
    trainings = trainings or [trained("plain"), trained("hard", seconds=25.0)]
    return {row.victim: row for row in robustness.rows(cells, trainings, plain="plain", caps=(100, 500), **options)}


def test_the_figures_of_a_row_by_hand():
    made = rows()
    assert list(made) == ["plain", "hard"]
    plain, hard = made["plain"], made["hard"]
    assert plain.by_attack == pytest.approx({"x": 0.45, "y": 0.35}) and plain.mean == pytest.approx(0.4)
    assert hard.by_attack == pytest.approx({"x": 0.15, "y": 0.05}) and hard.mean == pytest.approx(0.1)
    assert (plain.ratio, hard.ratio) == pytest.approx((1.0, 0.25))
    assert plain.capped == pytest.approx({100: (1.4 + 0.9) / 8, 500: 0.4})  # 150 and 400 queries are too many
    assert hard.success == pytest.approx(3 / 8) and hard.queries == pytest.approx(145)
    # x: right on a, b, c and fooled on a, c; y: fooled on d alone, which it had wrong
    assert hard.robust_accuracy == pytest.approx((1 / 4 + 3 / 4) / 2)
    assert plain.transfer is None and hard.transfer == pytest.approx((0.8 / 4 + 0.5 / 4) / 2)
    assert (plain.cost, hard.cost) == (1.0, 2.5)
    assert hard.clean == {"accuracy": 0.8, "f1": 0.8} and hard.dev == {"accuracy": 0.75, "f1": 0.7}
    assert not plain.warnings and not hard.warnings


def test_seeds_weigh_the_same_and_texts_are_resampled_together():
    cells = CELLS + [replace(c, seed=1, bodega=c.bodega / 2) for c in CELLS]
    made = rows(cells, [trained(v, seed=s) for v in ("plain", "hard") for s in (0, 1)])
    assert made["plain"].mean == pytest.approx(0.3) and made["plain"].by_attack["x"] == pytest.approx(0.3375)
    single = rows([c for c in CELLS if c.attack == "x"])["plain"]
    draws = np.random.default_rng(0).integers(4, size=(1000, 4))
    expected = np.percentile(np.array([0.8, 0.6, 0.4, 0.0])[draws].mean(axis=1), [2.5, 97.5])
    assert single.interval == pytest.approx(tuple(expected))


def test_the_ratio_is_paired():
    half = [c if c.victim == "plain" else replace(c, bodega=CELLS[0 if c.attack == "x" else 1].bodega / 2) for c in CELLS]
    hard = rows(half)["hard"]
    assert hard.ratio == pytest.approx(0.5) and hard.ratio_interval == pytest.approx((0.5, 0.5))


def test_a_plain_victim_that_is_never_fooled_has_no_ratio():
    made = rows([replace(c, bodega=np.zeros(4)) for c in CELLS])
    assert made["hard"].ratio is None and made["hard"].ratio_interval is None and made["hard"].interval == (0.0, 0.0)


def test_texts_with_an_error_anywhere_are_left_out_everywhere():
    short = CELLS[3].only({"a", "b", "c"})
    made = rows([*CELLS[:3], replace(short, errors=1)])
    assert made["plain"].by_attack == pytest.approx({"x": 0.6, "y": 0.3})
    assert made["hard"].by_attack == pytest.approx({"x": 0.2, "y": 0.0})
    assert made["hard"].transfer == pytest.approx(0.8 / 3 / 2)
    with pytest.raises(InputError, match=r"no text was attacked without an error.*y against hard: 4 errors"):
        rows([*CELLS[:3], replace(CELLS[3].only(set()), errors=4)])


def test_what_does_not_compare_is_refused():
    with pytest.raises(InputError, match="hard and plain did not meet the same attacks"):
        rows(CELLS[:3])
    with pytest.raises(InputError, match="did not meet the same attacks"):
        rows([*CELLS[:3], replace(CELLS[3], seed=1)])
    with pytest.raises(InputError, match="no victim plain"):
        rows([c for c in CELLS if c.victim == "hard"], [trained("hard")])
    with pytest.raises(InputError, match="another order"):
        rows([*CELLS[:3], replace(CELLS[3], texts=("b", "a", "c", "d"))])
    with pytest.raises(InputError, match="nothing can be compared"):
        rows([])


def test_one_text_has_no_interval():
    made = rows([c.only({"a"}) for c in CELLS])
    assert made["hard"].mean == pytest.approx(0.2) and made["hard"].interval is None and made["hard"].ratio_interval is None


def test_a_text_that_nobody_asked_about_is_neither_right_nor_wrong():
    assert cell("v", "x", [0.5, 0, 0, 0], right=(1, 1, np.nan, np.nan)).robust_accuracy == 0.5
    assert cell("v", "x", [0, 0, 0, 0], right=(np.nan,) * 4).robust_accuracy is None


@pytest.mark.parametrize(("f1", "warned"), [(0.79, False), (0.789, True), (0.85, False), (None, False)])
def test_a_lower_clean_score_is_named(f1, warned):
    said = rows(trainings=[trained("plain"), trained("hard", f1)])["hard"].warnings
    assert bool(said) == warned
    if warned:
        assert "clean F1 is 1.1 points lower" in said[0]


def test_a_gain_by_chance_is_named_with_both_figures():
    cells = [c if c.victim == "plain" else replace(c, random=True, single_query=0.75) for c in CELLS]
    (said,) = rows(cells)["hard"].warnings
    assert "answers by chance" in said and "0.750" in said and "0.375" in said


def test_transfer_that_flatters_is_named():
    cells = [c if c.victim == "plain" else replace(c, transfer=np.array([0.0, 0.0, 0.19, 0.0])) for c in CELLS]
    (said,) = rows(cells)["hard"].warnings
    assert "score 0.048 here, adaptive attacks 0.100" in said and "flatter" in said


def test_a_victim_at_chance_is_named_the_plain_one_too():
    made = rows(trainings=[trained("plain", accuracy=0.51), trained("hard", accuracy=0.53)])
    assert "hardly better than always giving one answer (accuracy 0.510 against 0.500)" in made["plain"].warnings[0]
    assert not made["hard"].warnings


def test_wilson_bounds_of_accuracy():
    assert accuracy_interval({"texts": 10, "accuracy": 0.8}) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert accuracy_interval({"texts": 0, "accuracy": None}) is None


@pytest.mark.parametrize("positive", [(1,), (0, 1)])
def test_bounds_of_f1_are_those_of_resampled_texts(positive):
    rng = np.random.default_rng(5)
    truth, called = rng.random(300) < 0.4, rng.random(300) < 0.45
    called = np.where(rng.random(300) < 0.6, truth, called)
    hits = (truth & called).sum()
    # the non-credible texts may be of several classes: F1 takes them as one
    other = 0 if positive == (1,) else 2
    confusion = np.zeros((3, 3), int)
    np.add.at(confusion, (np.where(truth, positive[-1], other), np.where(called, positive[0], other)), 1)
    given = {"texts": 300, "f1": 2 * hits / (truth.sum() + called.sum()), "recall": hits / truth.sum(),
             "precision": hits / called.sum(), "confusion": confusion.tolist()}
    draws = rng.integers(300, size=(4000, 300))
    t, c = truth[draws], called[draws]
    expected = np.percentile(2 * (t & c).sum(1) / (t.sum(1) + c.sum(1)), [2.5, 97.5])
    assert f1_interval(given, positive, resamples=4000) == pytest.approx(tuple(expected), abs=0.01)


def test_f1_without_a_hit_or_without_a_meaning():
    empty = {"texts": 10, "f1": None, "recall": None, "precision": None, "confusion": [[10, 0], [0, 0]]}
    assert f1_interval(empty, (1,)) is None
    assert f1_interval(empty | {"f1": 0.0}, (1,)) == (0.0, 0.0)
