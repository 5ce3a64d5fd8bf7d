"""ROC curves of the detector and of its scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from hardtext.reporting.detect_table import VIEWS
from hardtext.scoring.detection import roc

if TYPE_CHECKING:
    from hardtext.reporting.detect_table import About

FORMATS = ("png", "svg")
COLOURS = ("#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")  # Okabe and Ito 2008, grey
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1)), (0, (7, 2, 1, 2)), (0, (1, 3)))  # in grey too


def draw(folder: Path, about: About,
         curves: Mapping[str, Mapping[str, tuple[numpy.ndarray, numpy.ndarray]]]) -> list[Path]:
    """Write ``detect_roc`` as PNG and SVG; returns the files. ``curves``: by view and score the scores of adversarial and of
    clean texts, (n,) and (m,)."""
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.6), layout="constrained")  # no pyplot: no windows, no global state
    for plot, (view, words) in zip(figure.subplots(1, 2, sharey=True), VIEWS.items(), strict=True):
        for n, (name, (positive, negative)) in enumerate(curves[view].items()):
            alarms, caught, _ = roc(positive, negative)
            plot.plot(alarms, caught, color=COLOURS[n % len(COLOURS)], linestyle=DASHES[n % len(DASHES)], label=name,
                      linewidth=2.2 if n == 0 else 1.2)
        plot.plot((0, 1), (0, 1), color="0.7", linewidth=0.8)
        plot.set_xlabel(f"flagged among {words}", fontsize=9)
        plot.grid(color="0.9")
        plot.set_aspect("equal")
    figure.axes[0].set_ylabel("flagged among adversarial texts", fontsize=9)
    figure.axes[1].legend(fontsize=8, loc="lower right")
    figure.suptitle("\n".join([about.title, *(f"stand-in: {words}" for words in about.marks)]), fontsize=9)
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"detect_roc.{ending}" for ending in FORMATS]
    for path in files:
        with matplotlib.rc_context({"svg.hashsalt": "hardtext"}):  # the same texts, the same bytes
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return files
