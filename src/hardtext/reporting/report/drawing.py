"""The figures of a section: success against budget, queries, and how similar the successes are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy
from markupsafe import Markup

from hardtext.reporting.report import figures, svg
from hardtext.reporting.report.scenario import Scenario

BUDGETS = (50, 100, 500)


@dataclass(frozen=True)
class Drawing:
    """``key``: (style class, what it stands for)."""

    title: str
    note: str
    key: tuple[tuple[str, str], ...]
    svg: Markup


def drawings(scenario: Scenario, siblings: Sequence[Scenario], semantic: str) -> list[Drawing]:
    """``siblings``: all runs against this victim on this domain, whose axes are shared. ``semantic``: the scorer of the
    single attempts."""
    most = max(attempt.queries for other in siblings for attempt in other.run.attempts)
    found = [_budget(scenario, siblings, most), _queries(scenario, most)]
    for title, values in (("Character score of successes", scenario.measured.character),
                          (f"Semantic score of successes ({semantic})", scenario.measured.semantic)):
        known = [float(value) for value in values if not math.isnan(value)]
        if known:
            found.append(_similarity(title, known))
    return found


def _budget(scenario: Scenario, siblings: Sequence[Scenario], most: int) -> Drawing:
    own = _costs(scenario)
    others = [("other", figures.success_curve(_costs(other))) for other in siblings if other is not scenario]
    reached = ", ".join(f"{budget}: {figures.within(own, budget):.0%}" for budget in BUDGETS)
    picture = svg.curves(most, [*others, ("own", figures.success_curve(own))], label="queries allowed (log scale)",
                         words=f"Share of texts fooled within so many queries: {reached}")
    key = (("own", "this attack"), ("other", "others on this victim")) if others else ()
    return Drawing("Success against query budget", f"fooled within so many queries: {reached}", key, picture)


def _queries(scenario: Scenario, most: int) -> Drawing:
    edges = figures.query_bins(most)
    fooled = [queries for status, queries in _costs(scenario) if status == "success"]
    held = [queries for status, queries in _costs(scenario) if status not in ("success", "error")]
    medians = f"median {_median(fooled)} where fooled, {_median(held)} where not"
    picture = svg.histogram(edges, [("success", figures.counts(fooled, edges)), ("failed", figures.counts(held, edges))],
                            log_scale=True, label="queries (log scale)",
                            words=f"Queries of {len(fooled)} texts fooled and {len(held)} not fooled: {medians}")
    return Drawing("Queries per text", medians, (("success", "fooled"), ("failed", "not fooled")), picture)


def _similarity(title: str, values: Sequence[float]) -> Drawing:
    edges = figures.share_bins(values)
    middle = f"median {numpy.median(values):.3f}"
    picture = svg.histogram(edges, [("success", figures.counts(values, edges))], label="score",
                            words=f"{title}: {len(values)} texts, {middle}")
    return Drawing(title, middle + (f"; the axis starts at {edges[0]:g}" if edges[0] else ""), (), picture)


def _costs(scenario: Scenario) -> list[tuple[str, int]]:
    return [(attempt.status, attempt.queries) for attempt in scenario.run.attempts]


def _median(values: Sequence[float]) -> str:
    return f"{numpy.median(values):.0f}" if values else "–"
