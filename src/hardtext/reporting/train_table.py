"""What ``train.py`` prints: the victim's clean metrics, and clean and robust figures before and after hardening."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text  # names of classes are shown as they are: rich would read "[b]" in a string as a style

CLEAN_ROWS = (("accuracy", "accuracy"), ("F1, non-credible class", "f1"), ("macro F1", "macro_f1"),
              ("precision", "precision"), ("recall", "recall"), ("AUROC", "auroc"),
              ("calibration error", "ece"))
ROBUST_ROWS = (  # what it is, its key, which way is better for the defender
    ("accuracy on these texts", "clean_accuracy", "higher"), ("accuracy under attack", "robust_accuracy", "higher"),
    ("attack success (confusion)", "confusion", "lower"), ("BODEGA score of the attack", "bodega", "lower"),
    ("semantic score of successes", "semantic", "lower"), ("character score of successes", "character", "lower"),
    ("queries per text", "queries", "higher"))


def number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def change(before: float | None, after: float | None, digits: int = 3) -> str:
    return "–" if before is None or after is None else f"{after - before:+.{digits}f}"


def majority(metrics: Mapping[str, Any], classes: Sequence[str]) -> tuple[str, float]:
    """The most frequent class and the accuracy of always answering it."""
    counts = [sum(row) for row in metrics["confusion"]]
    most = max(range(len(counts)), key=counts.__getitem__)
    return classes[most], counts[most] / max(1, sum(counts))


def clean_table(metrics: Mapping[str, Any], classes: Sequence[str], published: float | None = None,
                caption: str = "") -> Table:
    """The metrics of one victim on one split (``metrics`` as ``hardtext.victims.metrics`` gives them), the ``published``
    accuracy below its own; the caption says whose that is."""
    table = Table(caption=Text(caption) if caption else None, caption_justify="left")
    table.add_column("metric")
    table.add_column("value", justify="right")
    for words, key in CLEAN_ROWS:
        table.add_row(words, number(metrics[key]))
        if key == "accuracy" and published is not None:
            table.add_row("accuracy, published", number(published))
    table.add_section()
    answer, share = majority(metrics, classes)
    table.add_row(Text(f"accuracy of always answering {answer}"), number(share))
    return table


def before_after_table(before: Mapping[str, Any], after: Mapping[str, Any], classes: Sequence[str], caption: str,
                       published: float | None = None) -> Table:
    """Clean and robust figures of the victim before and after adversarial training.

    ``before`` and ``after`` hold ``clean`` (metrics) and ``robust`` (scores with ``clean_accuracy`` and
    ``robust_accuracy``, and the 95 % bounds of the scores under ``interval``).
    """
    table = Table(caption=Text(caption), caption_justify="left")
    table.add_column("")
    for column in ("before", "after", "change"):
        table.add_column(column, justify="right")
    table.add_column("better")
    table.add_row(f"[italic]clean, {after['clean']['texts']} texts[/]")
    for words, key in CLEAN_ROWS[:2]:
        old, new = before["clean"][key], after["clean"][key]
        table.add_row(words, number(old), number(new), change(old, new), "higher")
    answer, share = majority(after["clean"], classes)
    table.add_row(Text(f"(always answering {answer})"), number(share), number(share))
    if published is not None:
        table.add_row("(accuracy, published)", number(published), number(published))
    table.add_section()
    table.add_row(f"[italic]attacked, {after['robust']['instances']} texts[/]")
    for words, key, better in ROBUST_ROWS:
        digits = 1 if key == "queries" else 3
        old, new = before["robust"], after["robust"]
        table.add_row(words, _with_interval(old, key, digits), _with_interval(new, key, digits),
                      change(old[key], new[key], digits), better)
    return table


def _with_interval(robust: Mapping[str, Any], key: str, digits: int) -> str:
    bounds = robust["interval"].get(key)
    text = number(robust[key], digits)
    return text if bounds is None else f"{text}\n{bounds[0]:.{digits}f}–{bounds[1]:.{digits}f}"


def show(title: str, table: Table) -> None:
    console = Console()
    console.print(Text(title), highlight=False)
    console.print(table)
