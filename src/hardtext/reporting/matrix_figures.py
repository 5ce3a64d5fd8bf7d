"""The robustness matrix as figures: which attack gets through which defence, and what that costs on clean text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hardtext.scoring.robustness import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hardtext.reporting.matrix_table import About

FORMATS = ("png", "svg")
ATTACKED, CLEAN = "#d55e00", "#0072b2"  # Okabe and Ito's vermilion and blue, told apart by every kind of colour vision
ROW_INCHES = 0.42


def draw(folder: Path, about: About, rows: Sequence[Row]) -> list[Path]:
    """Write ``matrix`` (a heat map) and ``matrix_bars`` as PNG and SVG into ``folder``; returns the files."""
    import matplotlib

    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, figure in {"matrix": heat_map(about, rows), "matrix_bars": bars(about, rows)}.items():
        for ending in FORMATS:
            path = folder / f"{name}.{ending}"
            with matplotlib.rc_context({"svg.hashsalt": "hardtext"}):  # the same matrix, the same bytes
                figure.savefig(path, dpi=150, metadata={"Date": None} if ending == "svg" else None)
            files.append(path)
    return files


def heat_map(about: About, rows: Sequence[Row]) -> Figure:
    """BODEGA of each attack (columns) against each victim (rows), and the mean; dark is what a defender wants."""
    columns = (*about.attacks, "mean")
    table = [[_known(row.by_attack.get(name)) for name in about.attacks] + [_known(row.mean)] for row in rows]
    figure, (plot,) = _figure(max(6.4, 2.4 + 0.95 * len(columns)), len(rows))
    image = plot.imshow(table, cmap="cividis", vmin=0.0, vmax=1.0, aspect="auto")
    for y, line in enumerate(table):
        for x, value in enumerate(line):
            plot.text(x, y, "–" if math.isnan(value) else f"{value:.2f}", ha="center", va="center", fontsize=9,
                      color="black" if value > 0.55 else "white")  # readable on either end of the map
    plot.axvline(len(about.attacks) - 0.5, color="white", linewidth=3)
    plot.set_xticks(range(len(columns)), columns, rotation=30, ha="right", rotation_mode="anchor", fontsize=8)
    plot.set_yticks(range(len(rows)), [row.victim for row in rows], fontsize=8)
    plot.tick_params(length=0)
    plot.spines[:].set_visible(False)
    plot.set_facecolor("0.6")
    figure.colorbar(image, ax=plot).ax.tick_params(labelsize=8)
    figure.suptitle(f"{_title(about)}\nBODEGA, ≤ {about.cap} queries (lower is better)", fontsize=9)
    return figure


def bars(about: About, rows: Sequence[Row]) -> Figure:
    """Mean BODEGA with its interval beside clean F1 with its own, a victim a row."""
    figure, (left, right) = _figure(7.6, len(rows), plots=2)
    f1 = [row.clean["f1"] for row in rows]
    _bar(left, [row.mean for row in rows], [row.interval for row in rows], ATTACKED)
    _bar(right, f1, [row.clean_interval["f1"] for row in rows], CLEAN)
    left.set_xlabel(f"mean BODEGA, ≤ {about.cap} queries (lower is better)", fontsize=8)
    right.set_xlabel(f"clean F1, {about.split} split (higher is better)", fontsize=8)
    for plot in (left, right):
        plot.set_yticks(range(len(rows)), [row.victim for row in rows], fontsize=8)
        plot.set_xlim(0, 1.15)  # room for the number beside a full bar
        plot.set_xticks([0, 0.25, 0.5, 0.75, 1])
        plot.grid(axis="x", color="0.85")
        plot.set_axisbelow(True)
        plot.spines[["top", "right"]].set_visible(False)
    left.invert_yaxis()  # the plain victim on top; both plots share the axis
    figure.suptitle(f"{_title(about)}\nwhiskers: 95 % over texts", fontsize=9)
    return figure


def _bar(plot: Axes, values: Sequence[float | None], intervals: Sequence[tuple[float, float] | None], colour: str) -> None:
    lengths = [_known(value) for value in values]
    plot.barh(range(len(values)), lengths, color=colour, height=0.65)
    for y, (length, bounds) in enumerate(zip(lengths, intervals, strict=True)):
        if bounds is not None:
            plot.plot(bounds, (y, y), color="black", linewidth=1.4, marker="|", markersize=6)
        if not math.isnan(length):
            plot.text(max(length, bounds[1] if bounds else 0) + 0.015, y, f"{length:.3f}", va="center", fontsize=8)


def _figure(width: float, rows: int, plots: int = 1) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, 2.1 + ROW_INCHES * rows), layout="constrained")  # no pyplot: no global state
    return figure, list(figure.subplots(1, plots, sharey=True, squeeze=False)[0])


def _title(about: About) -> str:
    title = f"{about.title}, {len(about.seeds)} seed{'s' * (len(about.seeds) > 1)}"
    return "\n".join([title, *(f"stand-in: {words}" for words in about.marks if not words.startswith("domain: "))])


def _known(value: float | None) -> float:
    return math.nan if value is None else value
