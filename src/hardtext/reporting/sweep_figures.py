"""The two figures of a sweep: which values went with which result, and how the best result fell job by job."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

log = logging.getLogger(__name__)

FORMATS = ("png", "svg")
LABEL = 18  # characters of a value on an axis
FEW = 5  # values that are each written beside their axis


@dataclass(frozen=True)
class Axis:
    """An upright axis: where each value stands on it (0 at the bottom, 1 at the top) and what is written where."""

    name: str
    heights: Mapping[str, float]
    ticks: Sequence[tuple[float, str]]


def axis(name: str, values: Sequence[str], log_scale: bool = False) -> Axis:
    """Numbers stand in proportion (to their logarithms with ``log_scale``), anything else at even distances.

    >>> axis("lr", ["0.001", "0.1", "0.01"], log_scale=True).heights["0.01"]
    0.5
    """
    texts = list(dict.fromkeys(values))
    numbers = _numbers(texts)
    if numbers is None:
        heights = {text: (n / (len(texts) - 1) if len(texts) > 1 else 0.5) for n, text in enumerate(texts)}
        return Axis(name, heights, [(height, text[:LABEL]) for text, height in heights.items()])
    log_scale = log_scale and min(numbers) > 0
    places = [math.log(number) if log_scale else number for number in numbers]
    low, high = min(places), max(places)
    heights = {text: (place - low) / (high - low) if high > low else 0.5 for text, place in zip(texts, places, strict=True)}
    if len(texts) <= FEW:
        return Axis(name, heights, [(heights[text], f"{number:.3g}") for text, number in zip(texts, numbers, strict=True)])
    ends = [low + (high - low) * part for part in (0, 0.25, 0.5, 0.75, 1)]
    return Axis(name, heights, [((end - low) / (high - low), f"{math.exp(end) if log_scale else end:.3g}") for end in ends])


def best_so_far(objectives: Sequence[float | None]) -> list[float | None]:
    """The smallest objective up to each job; None before the first.

    >>> best_so_far([None, 3.0, None, 4.0, 2.0])
    [None, 3.0, 3.0, 3.0, 2.0]
    """
    best: list[float | None] = []
    for value in objectives:
        before = best[-1] if best else None
        best.append(value if before is None else before if value is None else min(before, value))
    return best


def draw(folder: Path, rows: Sequence[Mapping[str, Any]], varied: Mapping[str, bool], stated: str) -> list[Path]:
    """Write ``parallel_coordinates`` and ``best_so_far`` as PNG and SVG into ``folder``; returns the files.

    ``rows``: as in ``sweep_table.Sheet``; ``varied``: setting → whether its axis is logarithmic. Jobs without an objective
    are grey. With no objective at all only the first is drawn, and with nothing varied only the second.
    """
    import matplotlib

    figures = {}
    if varied and rows:
        figures["parallel_coordinates"] = _parallel(rows, varied, stated)
    if any(row["objective"] is not None for row in rows):
        figures["best_so_far"] = _best(rows, stated)
    else:
        log.info("no job has the objective %s: best_so_far is not drawn", stated)
    files = []
    for name in ("parallel_coordinates", "best_so_far"):
        for ending in FORMATS:
            path = folder / f"{name}.{ending}"
            path.unlink(missing_ok=True)  # of an earlier, smaller sweep
            if name in figures:
                with matplotlib.rc_context({"svg.hashsalt": "hardtext"}):  # the same sweep, the same bytes
                    figures[name].savefig(path, dpi=150, metadata={"Date": None} if ending == "svg" else None)
                files.append(path)
    return files


def _figure(width: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, 4.2), layout="constrained")  # no pyplot: no windows, no global state
    return figure, figure.add_subplot()


def _parallel(rows: Sequence[Mapping[str, Any]], varied: Mapping[str, bool], stated: str) -> Figure:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    known = [row["objective"] for row in rows if row["objective"] is not None]
    axes = [axis(name, [row["values"][name] for row in rows if name in row["values"]], log_scale)
            for name, log_scale in varied.items()]
    if known:
        axes.append(axis(stated, [str(value) for value in known]))
    figure, plot = _figure(max(5.0, 1.9 * len(axes) + 1.5))
    scale = Normalize(min(known), max(known)) if known else None
    colours = colormaps["viridis"]
    best = min(known, default=None)
    for row in sorted(rows, key=lambda row: (row["objective"] is not None, -(row["objective"] or 0))):  # the best on top
        texts = [row["values"].get(part.name) for part in axes[: len(varied)]]
        texts += [] if row["objective"] is None else [str(row["objective"])]
        heights = [part.heights.get(text, math.nan) for part, text in zip(axes, texts, strict=False)]
        plain = row["objective"] is None
        plot.plot(range(len(heights)), heights, color="0.75" if plain else colours(scale(row["objective"])),
                  linestyle="--" if plain and known else "-", linewidth=3 if row["objective"] == best and not plain else 1.3,
                  marker="o", markersize=3)
    for place, part in enumerate(axes):
        plot.axvline(place, color="0.3", linewidth=0.8)
        for height, text in part.ticks:
            plot.text(place + 0.03, height, text, fontsize=7, va="center", ha="left",
                      bbox={"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 0.5})
    plot.set_xticks(range(len(axes)), [part.name for part in axes], fontsize=8)
    plot.set_xlim(-0.2, len(axes) - 0.6)
    plot.set_ylim(-0.06, 1.06)
    plot.set_yticks([])
    plot.spines[:].set_visible(False)
    missing = f", {len(rows) - len(known)} without a result (dashed)" if 0 < len(known) < len(rows) else ""
    plot.set_title(f"{len(rows)} jobs{missing}", fontsize=9)
    if known:
        figure.colorbar(ScalarMappable(scale, colours), ax=plot, label=f"{stated} (smaller is better)")
    return figure


def _best(rows: Sequence[Mapping[str, Any]], stated: str) -> Figure:
    figure, plot = _figure(6.4)
    values = [row["objective"] for row in rows]
    numbers = [row["number"] for row in rows]
    reached = [(n, value) for n, value in zip(numbers, best_so_far(values), strict=True) if value is not None]
    known = [(n, value) for n, value in zip(numbers, values, strict=True) if value is not None]
    plot.plot(*zip(*known, strict=True), "o", color="0.5", markersize=4, label="a job")
    plot.step(*zip(*reached, strict=True), where="post", color="#0072b2", label="best so far")
    for state, mark in (("pruned", "|"), ("failed", "x")):
        places = [row["number"] for row in rows if row["state"] == state]
        if places:
            plot.plot(places, [0.03] * len(places), mark, color="#d55e00", transform=plot.get_xaxis_transform(), label=state)
    plot.set_xlabel("job")
    plot.set_ylabel(f"{stated} (smaller is better)")
    plot.xaxis.get_major_locator().set_params(integer=True)
    plot.legend(fontsize=8)
    return figure


def _numbers(texts: Sequence[str]) -> list[float] | None:
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return None
    return numbers if numbers and all(map(math.isfinite, numbers)) else None
