"""The figures of a job, and the one number a sweep makes small: a weighted sum of figures, named and never computed
from a formula."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hardtext.core import Attempt, InputError

DEFAULT = {"dev/error": 1.0, "robust/error": 1.0}
"""Clean error and error under attack."""


def figures_of(report: object) -> dict[str, float]:
    """The numbers in what a command returns, by path (``dev/accuracy``), and the errors that belong to accuracies.

    ``robust/accuracy`` and ``robust/error``: of the hardened victim under its adversary. Attempts give ``success`` (the
    share of the texts), ``queries`` and ``forwards`` (means).

    >>> figures_of({"dev": {"accuracy": 0.75, "confusion": [[1]]}, "model": "tiny"})
    {'dev/accuracy': 0.75, 'dev/error': 0.25}
    """
    if isinstance(report, Mapping):
        figures = _flat(report, "")
    elif isinstance(report, Sequence) and report and all(isinstance(a, Attempt) for a in report):
        figures = {"success": sum(a.status == "success" for a in report) / len(report),
                   "queries": sum(a.queries for a in report) / len(report),
                   "forwards": sum(a.forwards for a in report) / len(report)}
    else:
        return {}
    if (robust := figures.get("robustness/after/robust_accuracy")) is not None:
        figures["robust/accuracy"] = robust
    errors = {key.removesuffix("accuracy") + "error": 1 - value for key, value in figures.items()
              if key == "accuracy" or key.endswith("/accuracy")}
    return figures | errors


def _flat(report: Mapping, prefix: str) -> dict[str, float]:
    figures: dict[str, float] = {}
    for key, value in report.items():
        if isinstance(value, Mapping):
            figures |= _flat(value, f"{prefix}{key}/")
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            figures[f"{prefix}{key}"] = float(value)
    return figures


def stated(objective: Mapping[str, float]) -> str:
    """The objective in words.

    >>> stated({"dev/error": 1, "robust/error": 0.5, "queries": -0.01})
    'dev/error + 0.5 robust/error - 0.01 queries'
    """
    text = ""
    for name, weight in objective.items():
        sign = ("- " if weight < 0 else "+ ") if text else ("-" if weight < 0 else "")
        text += (" " if text else "") + sign + ("" if abs(weight) == 1 else f"{abs(weight):g} ") + name
    return text


def value_of(objective: Mapping[str, float], figures: Mapping[str, float]) -> float:
    """The weighted sum. Raises InputError where a figure is missing."""
    for name in objective:
        if name not in figures:
            there = ", ".join(sorted(figures)) or "none"
            raise InputError(f"sweep.objective: this job gives no figure {name}; state one of those it gives, for instance "
                             f"sweep.objective={{dev/error:1}}; it gives: {there}")
    return sum(weight * figures[name] for name, weight in objective.items())
