"""What ``train.py`` prints: the victim's clean metrics, and clean and robust figures before and after hardening."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

CLEAN_ROWS = (("accuracy", "accuracy"), ("F1, non-credible class", "f1"), ("macro F1", "macro_f1"),
              ("precision", "precision"), ("recall", "recall"), ("AUROC", "auroc"),
              ("calibration error", "ece"))
ROBUST_ROWS = (("accuracy under attack", "robust_accuracy"), ("attack success (confusion)", "confusion"),
               ("BODEGA score of the attack", "bodega"), ("semantic score of successes", "semantic"),
               ("character score of successes", "character"), ("queries per text", "queries"))


def number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def change(before: float | None, after: float | None, digits: int = 3) -> str:
    return "–" if before is None or after is None else f"{after - before:+.{digits}f}"


def clean_table(metrics: Mapping[str, Any]) -> Table:
    """The metrics of one victim on one split (``metrics`` as ``hardtext.victims.metrics`` gives them)."""
    table = Table()
    table.add_column("metric")
    table.add_column("value", justify="right")
    for words, key in CLEAN_ROWS:
        table.add_row(words, number(metrics[key]))
    return table


def before_after_table(before: Mapping[str, Any], after: Mapping[str, Any], caption: str) -> Table:
    """Clean and robust figures of the victim before and after adversarial training.

    ``before`` and ``after`` hold ``clean`` (metrics) and ``robust`` (scores with ``robust_accuracy``, and the 95 %
    bounds of the score under ``interval``).
    """
    table = Table(caption=caption, caption_justify="left")
    table.add_column("")
    for column in ("before", "after", "change"):
        table.add_column(column, justify="right")
    for words, key in CLEAN_ROWS[:2]:
        old, new = before["clean"][key], after["clean"][key]
        table.add_row(f"clean {words}", number(old), number(new), change(old, new))
    table.add_section()
    for words, key in ROBUST_ROWS:
        digits = 1 if key == "queries" else 3
        old, new = before["robust"], after["robust"]
        table.add_row(words, _with_interval(old, key, digits), _with_interval(new, key, digits),
                      change(old[key], new[key], digits))
    return table


def _with_interval(robust: Mapping[str, Any], key: str, digits: int) -> str:
    bounds = robust["interval"].get(key)
    text = number(robust[key], digits)
    return text if bounds is None else f"{text} [{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]"


def show(title: str, table: Table) -> None:
    console = Console()
    console.print(title)
    console.print(table)
