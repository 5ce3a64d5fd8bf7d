"""What ``attack.py`` prints: how the attempts ended and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text  # names are shown as they are: rich would read "[b]" in a string as a style

from hardtext.core import STATUSES


def summary_table(summary: Mapping[str, Any], notes: str = "") -> Table:
    """``summary`` is what ``attacks.rows.summarise`` gives."""
    table = Table(caption=Text(notes) if notes else None, caption_justify="left", show_header=False)
    table.add_column("")
    table.add_column("", justify="right")
    total = summary["attempts"]
    table.add_row("texts", str(total))
    for status in STATUSES:
        table.add_row(status, f"{summary[status]} ({summary[status] / total:.1%})" if total else "0")
    if summary["single_query_successes"] != summary["success"]:
        table.add_row("success by a single query", f"{summary['single_query_successes']} "
                      f"({summary['single_query_successes'] / total:.1%})")
    for member, won in summary.get("members", {}).items():
        table.add_row(f"  won by {member}", str(won))
    table.add_section()
    table.add_row("queries per text", "–" if summary["queries_per_example"] is None
                  else f"{summary['queries_per_example']:.1f}")
    table.add_row("queries (what the sequential algorithm asks)", f"{summary['queries']:,}")
    table.add_row("forwards (texts sent through the victim)", f"{summary['forwards']:,}")
    return table


def print_summary(title: str, summary: Mapping[str, Any], notes: str = "") -> None:
    console = Console()
    console.print(Text(title))
    console.print(summary_table(summary, notes))
