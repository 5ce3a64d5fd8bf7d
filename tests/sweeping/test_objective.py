"""The figures of a job and their weighted sum."""

from __future__ import annotations

import pytest

from hardtext.core import Attempt, InputError
from hardtext.sweeping import OptunaSettings
from hardtext.sweeping.objective import DEFAULT, figures_of, stated, value_of

REPORT = {"domain": "sample", "seed": True, "dev": {"accuracy": 0.75, "confusion": [[3, 1]], "auroc": None},
          "robustness": {"attack": "pwws", "before": {"robust_accuracy": 0.1}, "after": {"robust_accuracy": 0.5}}}


def test_figures_are_the_finite_numbers_and_the_errors_of_accuracies():
    assert figures_of(REPORT) == {"dev/accuracy": 0.75, "dev/error": 0.25, "robustness/before/robust_accuracy": 0.1,
                                  "robustness/after/robust_accuracy": 0.5, "robust/accuracy": 0.5, "robust/error": 0.5}
    assert figures_of({"bodega": float("nan"), "loss": float("inf")}) == {}
    assert figures_of(None) == figures_of([]) == figures_of("text") == {}


def attempt(status: str, queries: int) -> Attempt:
    return Attempt(id="1", domain="d", victim="v", attack="a", label=0, original=("x",), adversarial=None, status=status,
                   original_probs=(1.0, 0.0), adversarial_probs=None, queries=queries, forwards=1, seconds=0.0, seed=0,
                   error=None)


def test_attempts_have_figures_too():
    assert figures_of([attempt("success", 10), attempt("failed", 30)]) == {"success": 0.5, "queries": 20, "forwards": 1}


def test_the_usual_objective_is_clean_error_plus_robust_error():
    assert stated(DEFAULT) == "dev/error + robust/error"
    assert value_of(DEFAULT, figures_of(REPORT)) == 0.75


def test_weights_count_and_are_stated():
    objective = {"dev/error": 2.0, "robust/accuracy": -0.5}
    assert value_of(objective, figures_of(REPORT)) == pytest.approx(2 * 0.25 - 0.5 * 0.5)
    assert stated(objective) == "2 dev/error - 0.5 robust/accuracy"
    assert stated({"f1": -1.0}) == "-f1"


def test_a_missing_figure_is_refused_with_those_there_are():
    with pytest.raises(InputError, match=r"no figure robust/error; .*it gives: dev/accuracy, dev/error$"):
        value_of(DEFAULT, figures_of({"dev": {"accuracy": 1.0}}))


@pytest.mark.parametrize("weight", [0.0, float("nan"), float("inf")])
def test_a_weight_is_a_number_other_than_zero(weight):
    with pytest.raises(InputError, match="dev/error"):
        OptunaSettings(objective={"dev/error": weight})
