"""Figures of the probes, as PNG and SVG: flips beside the published ones, and how far P(fake) moved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from hardtext.reporting.probes.results import Report, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS, PUBLISHED = "#0072B2", "#D55E00"  # Okabe and Ito's blue and vermilion: apart for every kind of colour blindness
GREY = "#999999"
NAMES = ("flips.svg", "shifts.svg")
SHIFT_MEAN = "ours, mean; bar: 95 % (bootstrap)"
SHIFT_BOX = "box: middle half and median of the texts; whiskers: 5th to 95th percentile"
MOST_POINTS = 1500  # of one probe in the figure of shifts; every k-th by size beyond it


def save(report: Report, folder: Path) -> None:
    """``flips`` and ``shifts`` as .png and .svg in a folder that exists."""
    import matplotlib

    # fixed names and no date inside the SVG: the same results give the same file; text stays text
    with matplotlib.rc_context({"svg.hashsalt": "hardtext", "svg.fonttype": "none", "font.size": 9}):
        for name, figure in (("flips", flips_figure(report)), ("shifts", shifts_figure(report))):
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            figure.savefig(folder / f"{name}.png", dpi=160, metadata={"Software": None})


def flips_figure(report: Report) -> Figure:
    """A line a probe: % flip with its 95 % interval, the published one as a diamond."""
    figure, axes, results = _lines(report, f"Labels flipped: {report.title}", "% of changed texts whose label flips")
    for place, result in enumerate(results):
        flipped = result.overall.flipped
        if flipped.share is not None:
            low, high = (100 * bound for bound in flipped.interval)
            axes.plot([low, high], [place, place], color=OURS, linewidth=2, solid_capstyle="butt")
            axes.plot(100 * flipped.share, place, "o", color=OURS, label="ours, 95 % (Wilson)")
        if result.published:
            axes.plot(100 * result.published.label_flip, place + 0.22, "D", color=PUBLISHED, markerfacecolor="white",
                      label="published (BERT-base)")
    far = max([10.0, *(100 * it.interval[1] for result in results if (it := result.overall.flipped).interval),
               *(100 * result.published.label_flip for result in results if result.published)])
    axes.set_xlim(-0.01 * far, 1.05 * far)
    _legend(axes)
    return figure


def shifts_figure(report: Report) -> Figure:
    """A line a probe: each text's change of P(fake), the box of the middle half, the mean with its interval, the published
    mean."""
    figure, axes, results = _lines(report, f"Shift towards fake: {report.title}", "P(fake | changed) − P(fake | original)")
    for place, result in enumerate(results):
        if result.texts:
            values = _thinned(result.shifts)
            # the golden ratio spreads the points evenly without a random draw
            height = (numpy.arange(len(values)) * 0.618034 % 1 - 0.5) * 0.5
            axes.plot(values, place + height, ".", color=OURS, alpha=0.5, markersize=4, markeredgewidth=0, rasterized=True)
            axes.boxplot([list(result.shifts)], positions=[place], orientation="horizontal", widths=0.5, whis=(5, 95),
                         showfliers=False, manage_ticks=False, medianprops={"color": "black"})
            shift = result.overall.shift
            if shift.interval:
                axes.plot(shift.interval, [place, place], color=OURS, linewidth=5, solid_capstyle="butt", zorder=3)
            axes.plot(shift.mean, place, "o", color=OURS, markeredgecolor="black", zorder=4, label=SHIFT_MEAN)
        if result.published:
            axes.plot(result.published.delta_prob, place + 0.33, "D", color=PUBLISHED, markerfacecolor="white",
                      label="published mean (BERT-base)")
    if any(result.texts for result in results):
        axes.plot([], [], "s", color="black", markerfacecolor="none", markersize=9, label=SHIFT_BOX)
    axes.axvline(0, color=GREY, linewidth=0.8, zorder=0)
    widest = max([0.05, *(abs(value) for result in results for value in result.shifts)])
    axes.set_xlim(-1.08 * widest, 1.08 * widest)  # centred at no change
    _legend(axes)
    return figure


def _lines(report: Report, title: str, label: str):
    from matplotlib.figure import Figure

    results: Sequence[Result] = report.results
    figure = Figure(figsize=(7, 1.6 + 0.7 * len(results)), layout="constrained")
    axes = figure.subplots()
    axes.set_yticks(range(len(results)), [f"{result.question.title}\nn = {result.texts}" for result in results])
    axes.set_ylim(len(results) - 0.5, -0.5)
    axes.set_xlabel(label)
    axes.set_title(title, loc="left", fontsize=9, wrap=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", color="#e5e5e5", linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes, results


def _legend(axes) -> None:
    handles = dict(zip(*reversed(axes.get_legend_handles_labels())))
    if handles:
        axes.figure.legend(handles.values(), handles.keys(), frameon=False, loc="outside lower center",
                           ncols=2 if len(handles) < 3 else 1, fontsize=8)


def _thinned(values: Sequence[float]) -> list[float]:
    return sorted(values)[:: 1 + len(values) // MOST_POINTS]
