"""Certified accuracy by the number of changed words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hardtext.reporting.certify_table import CHANGES, certified_at

if TYPE_CHECKING:
    from hardtext.reporting.certify_table import About, Certified

FORMATS = ("png", "svg")


def draw(folder: Path, about: About, rows: Sequence[Certified]) -> list[Path]:
    """Write ``certify`` as PNG and SVG; returns the files."""
    import matplotlib
    from matplotlib.figure import Figure

    last = max((row.radius for row in rows if row.radius is not None), default=0) + 1
    shares = [certified_at(rows, words) for words in range(last + 1)]
    figure = Figure(figsize=(6.0, 3.8), layout="constrained")  # no pyplot: no windows, no global state
    plot = figure.subplots()
    words = range(last + 1)
    low, high = zip(*(share.interval for share in shares), strict=True)
    plot.plot(words, [share.share for share in shares], color="#0072b2", marker="o", linewidth=1.5)
    plot.fill_between(words, low, high, color="#0072b2", alpha=0.15, linewidth=0)
    right = sum(row.right for row in rows) / len(rows)
    plot.axhline(right, color="0.4", linestyle="--", linewidth=1)
    plot.annotate("right by vote", (last, right), ha="right", va="bottom" if right < 0.9 else "top", fontsize=8, color="0.3")
    plot.set(ylim=(0, 1), ylabel="right and certain, share of texts", xlabel=CHANGES[about.kind])
    plot.xaxis.get_major_locator().set_params(integer=True)
    plot.grid(color="0.9")
    plot.set_title("\n".join([about.title, *([f"stand-in: domain: {about.stand_in}"] if about.stand_in else [])]), fontsize=9)
    files = [folder / f"certify.{ending}" for ending in FORMATS]
    for path in files:
        with matplotlib.rc_context({"svg.hashsalt": "hardtext"}):  # the same texts, the same bytes
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return files
