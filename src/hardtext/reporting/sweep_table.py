"""The table of a sweep: one row a job. On the terminal, as CSV and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hardtext import spreadsheet

LONG = 9  # characters


@dataclass(frozen=True)
class Sheet:
    """``rows``: of each job ``number, state, values, objective, figures, seconds, error, error_file``.

    ``varied``: the settings that differ; ``figures``: those the objective is made of, which ``stated`` says in words.
    """

    rows: Sequence[Mapping[str, Any]]
    varied: Sequence[str]
    figures: Sequence[str]
    stated: str

    def columns(self) -> list[str]:
        """An objective that is one figure needs no second column."""
        objective = [] if list(self.figures) == [self.stated] else ["objective"]
        return ["job", "state", *self.varied, *self.figures, *objective, "seconds"]

    def lines(self) -> Iterator[list[str]]:
        for row in self.rows:
            values = {"job": str(row["number"]), "state": row["state"],
                      **{name: short(text) for name, text in row["values"].items()},
                      **{name: _number(row["figures"].get(name)) for name in self.figures},
                      "objective": _number(row["objective"]), "seconds": _number(row["seconds"], 1)}
            yield [values.get(column, "–") for column in self.columns()]

    def failed(self) -> list[Mapping[str, Any]]:
        return [row for row in self.rows if row["state"] == "failed"]


def short(text: str) -> str:
    """A long number in four digits, for reading.

    >>> short("0.0005876157908637314"), short("1e-05"), short("tiny")
    ('0.0005876', '1e-05', 'tiny')
    """
    if len(text) <= LONG:
        return text
    try:
        return f"{float(text):.4g}"
    except ValueError:
        return text


def best(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The job with the smallest objective, the earliest of equals; None where no job has one."""
    known = [row for row in rows if row["objective"] is not None]
    return min(known, key=lambda row: row["objective"]) if known else None


def show(sheet: Sheet) -> None:
    first = best(sheet.rows)
    table = Table(title=f"sweep, {len(sheet.rows)} jobs, making small: {escape(sheet.stated)}", title_justify="left",
                  box=box.SIMPLE_HEAD)
    lines = list(sheet.lines())
    for n, column in enumerate(sheet.columns()):  # a long name may take two lines, a value never
        table.add_column(escape(column), overflow="fold", min_width=max((len(line[n]) for line in lines), default=0),
                         justify="left" if column in ("state", *sheet.varied) else "right")
    for row, line in zip(sheet.rows, lines, strict=True):
        table.add_row(*map(escape, line), style="bold" if row is first else "red" if row["state"] == "failed" else None)
    console = Console()
    console.print(table)
    if first is not None:
        values = " ".join(f"{name}={value}" for name, value in first["values"].items())
        console.print(f"best: job {first['number']}, {sheet.stated} = {first['objective']:.4f}, {values}", markup=False,
                      highlight=False, soft_wrap=True)
    for row in sheet.failed():
        console.print(f"job {row['number']} failed: {row['error']} ({row['error_file']})", markup=False, highlight=False,
                      soft_wrap=True)


def to_csv(sheet: Sheet) -> str:
    """All digits."""
    figures = sorted({name for row in sheet.rows for name in row["figures"]})
    return spreadsheet.lines([
        ["job", "state", *sheet.varied, "objective", *figures, "seconds", "error", "error_file"],
        *([row["number"], row["state"], *(row["values"].get(name) for name in sheet.varied), row["objective"],
           *(row["figures"].get(name) for name in figures), row["seconds"], row["error"], row["error_file"]]
          for row in sheet.rows)])


def to_markdown(sheet: Sheet) -> str:
    lines = [sheet.columns(), ["---"] * len(sheet.columns()), *sheet.lines()]
    text = f"Sweep, {len(sheet.rows)} jobs, making small: {sheet.stated}\n\n"
    text += "".join("| " + " | ".join(map(_bar, line)) + " |\n" for line in lines)
    first = best(sheet.rows)
    if first is not None:
        text += f"\nBest: job {first['number']}.\n"
    for row in sheet.failed():
        text += f"\nJob {row['number']} failed: {row['error']} (`{row['error_file']}`)\n"
    return text


def _number(value: float | None, digits: int = 4) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _bar(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
