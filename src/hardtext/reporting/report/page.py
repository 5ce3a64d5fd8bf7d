"""From scenarios to ``report.html``: what the template shows."""

from __future__ import annotations

import base64
import hashlib
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import metadata
from importlib.resources import files
from typing import Any

import numpy
from markupsafe import Markup

from hardtext.core import STATUSES, Attempt
from hardtext.reporting.report import characters
from hardtext.reporting.report.drawing import drawings
from hardtext.reporting.report.embedding import Texts, embedded, run_data
from hardtext.reporting.report.reading import TrainRun
from hardtext.reporting.report.scenario import Scenario
from hardtext.reporting.train_table import majority
from hardtext.scoring.flags import CHANGED, KINDS
from hardtext.text import readable

PACKAGES = ("hardtext", "torch", "transformers", "pytorch-lightning", "textattack", "bleurt-pytorch", "rapidfuzz", "numpy")


def render(found: Sequence[Scenario], trains: Sequence[TrainRun], semantic: str, made: str, *,
           classes: Mapping[str, Sequence[str]] | None = None, left_out: Sequence[str] = ()) -> str:
    """The page. ``semantic``: the scorer of the single attempts, "none" without one. ``made``: when, in words.
    ``classes``: the names of a domain's classes. ``left_out``: what lies there and is not shown, in words."""
    import jinja2

    here = files(__package__)
    style, script = ((here / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"figure": figure, "bounds": bounds, "percent": percent, "breakable": breakable}
    template = environment.from_string((here / "report.html.jinja").read_text(encoding="utf-8"))
    texts = Texts()
    sections = [_section(scenario, found, semantic, texts, classes or {}) for scenario in found]
    return template.render(
        style=Markup(style), script=Markup(script), style_hash=_hash(style), script_hash=_hash(script), sections=sections,
        shared=embedded({"texts": texts.segments, "characters": characters.describe(texts.characters), "kinds": KINDS,
                         "changed": CHANGED, "statuses": STATUSES}),
        headline=headline(found), victims=[victim_row(train) for train in trains], semantic=semantic,
        stand_ins=list(dict.fromkeys(words for scenario in found for words in scenario.stand_ins)),
        limits=list(dict.fromkeys(scenario.limits for scenario in found if scenario.limits)), versions=versions(),
        made=made, changed=[KINDS[kind] for kind in CHANGED], left_out=[readable(words) for words in left_out])


def _section(scenario: Scenario, found: Sequence[Scenario], semantic: str, texts: Texts,
             classes: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    domain, victim, _ = scenario.run.scenario
    siblings = [other for other in found if other.run.scenario[:2] == (domain, victim)]
    return {"row": scenario.row(), "drawings": drawings(scenario, siblings, semantic), "config": scenario.run.config,
            "statuses": _statuses(scenario.run.attempts), "flags": _flag_counts(scenario),
            "data": embedded(run_data(scenario, texts, classes.get(domain, ())))}


def headline(found: Sequence[Scenario]) -> dict[str, Any]:
    """The figures on top: counts over all runs, and the single runs that stand out among two or more with a BODEGA score.
    Nothing is averaged over runs."""
    rows = [row for scenario in found if (row := scenario.row())["bodega"] is not None]
    attempts = [attempt for scenario in found for attempt in scenario.run.attempts]
    costs = [attempt.queries for attempt in attempts if attempt.status == "success"]
    ordered = sorted(rows, key=lambda row: -row["bodega"])
    return {"runs": len(found), "attempts": len(attempts), "statuses": _statuses(attempts),
            "strongest": ordered[0] if len(ordered) > 1 else None, "weakest": ordered[-1] if len(ordered) > 1 else None,
            "median_queries": float(numpy.median(costs)) if costs else None}


def figure(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def bounds(interval: Mapping[str, Any], key: str, digits: int = 2) -> str:
    pair = interval.get(key)
    return "" if pair is None else f"{pair[0]:,.{digits}f}–{pair[1]:,.{digits}f}"


def percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def breakable(name: str) -> Markup:
    """A name that a narrow column breaks after an underscore instead of anywhere."""
    return Markup("_<wbr>").join(name.split("_"))


def versions() -> dict[str, str]:
    """Of what made the page. (A run does not record the versions it was made with.)"""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def victim_row(train: TrainRun) -> dict[str, Any]:
    """A line of the table of victims: clean figures, and accuracy under attack before and after hardening."""
    metrics = train.metrics
    clean, robust = metrics.get("attack") or {}, metrics.get("robustness") or {}
    before, after = robust.get("before") or {}, robust.get("after") or {}
    always = majority(clean, metrics["classes"])[1] if clean.get("confusion") and metrics.get("classes") else None
    return {"domain": metrics.get("domain", ""), "model": metrics.get("model", ""), "seed": metrics.get("seed", ""),
            "stand_in": metrics.get("domain_stand_in") or "", "texts": clean.get("texts"),
            "accuracy": clean.get("accuracy"), "always": always, "f1": clean.get("f1"), "adversary": robust.get("attack", ""),
            "before": before.get("robust_accuracy"), "after": after.get("robust_accuracy")}


def _statuses(attempts: Sequence[Attempt]) -> dict[str, int]:
    counts = Counter(attempt.status for attempt in attempts)
    return {status: counts[status] for status in STATUSES if counts[status]}


def _flag_counts(scenario: Scenario) -> list[tuple[int, str, int]]:
    """(index, name, attempts that have it), the commonest first."""
    counts = Counter(kind for own in scenario.flags for kind in {kind for kind, _ in own})
    return [(list(KINDS).index(kind), KINDS[kind], count) for kind, count in counts.most_common()]


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")
