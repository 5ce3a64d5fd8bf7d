"""Counts behind the figures. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy


def success_curve(attempts: Sequence[tuple[str, int]], points: int = 60) -> list[tuple[float, float]]:
    """Share of instances that a budget of so many queries suffices for: (queries, share) steps, at most ``points``.

    ``attempts`` are (status, queries). Errors are no instances; a success at query q counts from budget q on.

    >>> success_curve([("success", 5), ("failed", 9), ("success", 2), ("error", 1)])
    [(2.0, 0.3333333333333333), (5.0, 0.6666666666666666)]
    """
    instances = sum(status != "error" for status, _ in attempts)
    costs = numpy.sort([queries for status, queries in attempts if status == "success"])
    if not len(costs):
        return []
    budgets, first = numpy.unique(costs[::-1], return_index=True)
    reached = (len(costs) - first) / instances
    if len(budgets) > points:
        kept = numpy.unique(numpy.linspace(0, len(budgets) - 1, points).round().astype(int))
        budgets, reached = budgets[kept], reached[kept]
    return [(float(q), float(share)) for q, share in zip(budgets, reached)]


def within(attempts: Sequence[tuple[str, int]], budget: int) -> float:
    """The share of instances fooled with at most so many queries; 0 without any instance.

    >>> within([("success", 5), ("failed", 9), ("success", 2), ("error", 1)], 4)
    0.3333333333333333
    """
    instances = sum(status != "error" for status, _ in attempts)
    return sum(status == "success" and queries <= budget for status, queries in attempts) / max(1, instances)


def query_bins(most: int, count: int = 14) -> numpy.ndarray:
    """Bin edges from 1 to ``most``, equally wide on a log scale: float, (count + 1,)."""
    return numpy.geomspace(1, max(most, 2), count + 1)


def share_bins(values: Sequence[float], count: int = 20) -> numpy.ndarray:
    """Bin edges up to 1, from the tenth below the least value: float, (count + 1,)."""
    known = [value for value in values if not numpy.isnan(value)]
    low = min(0.9, max(0.0, numpy.floor(min(known) * 10) / 10)) if known else 0.0
    return numpy.linspace(low, 1, count + 1)


def counts(values: Sequence[float], edges: numpy.ndarray) -> list[int]:
    """How many values fall into each bin; those outside go into the outermost ones, nan into none."""
    known = numpy.array([value for value in values if not numpy.isnan(value)], dtype=float)
    return numpy.histogram(numpy.clip(known, edges[0], edges[-1]), bins=edges)[0].tolist()
