"""A sheet for the terminal, as Markdown, as LaTeX; the board's numbers as CSV and JSON rows."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from hardtext import spreadsheet
from hardtext.reporting.leaderboard_sheets import Sheet, rows_of
from hardtext.scoring.board import Average, Board, Cell
from hardtext.scoring.published import DOMAINS, SOURCE, published_rows

LONGEST = 24  # characters: longer words are broken in a terminal where there is no room
SHORT = 6  # characters of a heading that is never wrapped: "→ fake"


def rich_table(sheet: Sheet) -> Table:
    """For ``rich.console.Console.print``. Where the terminal is narrow, columns of words are wrapped between their words;
    a long heading wider than its numbers is always."""
    table = Table(title=Text(sheet.title, style="bold"), title_justify="left", caption_justify="left",
                  caption=Text("\n".join(sheet.notes)), box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for index, name in enumerate(sheet.columns):
        words = index < sheet.words
        cells = [line.cells[index] for line in sheet.lines if not line.heading]
        tokens = [word for cell in (name, *cells) for word in cell.split()]
        width = max((len(part) for cell in cells for part in cell.split("\n")), default=0)
        heading = name if words else "\n".join(textwrap.wrap(name, max(width, SHORT), break_long_words=False))
        ranks = index < sheet.words - 1 and all(cell.isdigit() for cell in cells)
        table.add_column(heading, justify="left" if words and not ranks else "right", overflow="fold", no_wrap=not words,
                         min_width=min(LONGEST, max(map(len, tokens), default=1)) if words else None)
    for line in sheet.lines:
        if line.heading:
            table.add_section()
            blank = [Text("")] * (sheet.words - 1)
            table.add_row(*blank, Text(line.heading, style="italic"))
        else:
            table.add_row(*(Text(cell, style="bold" if i in line.best else "") for i, cell in enumerate(line.cells)))
    return table


def markdown(sheets: Sequence[Sheet]) -> str:
    """All sheets, each under a heading with its notes as a list."""
    return "\n".join(map(_markdown, sheets))


def _markdown(sheet: Sheet) -> str:
    rules = ["---" if index < sheet.words else "---:" for index in range(len(sheet.columns))]
    lines = [f"### {sheet.title}", "", f"| {' | '.join(sheet.columns)} |", f"| {' | '.join(rules)} |"]
    for line in sheet.lines:
        cells = ([""] * (sheet.words - 1) + [f"*{_plain(line.heading)}*"] + [""] * (len(sheet.columns) - sheet.words)
                 if line.heading else
                 [f"**{_plain(cell)}**" if i in line.best else _plain(cell) for i, cell in enumerate(line.cells)])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(f"- {_plain(note)}" for note in sheet.notes), ""])


_MARKDOWN = str.maketrans({mark: "\\" + mark for mark in "\\|*_<>`[]"})


def _plain(text: str) -> str:
    return " ".join(text.split()).translate(_MARKDOWN)


def latex(sheets: Sequence[Sheet]) -> str:
    """All sheets as ``table`` environments; needs the package booktabs."""
    return "% \\usepackage{booktabs}\n" + "\n".join(map(_latex, sheets))


def _latex(sheet: Sheet) -> str:
    width = len(sheet.columns)
    rows = []
    for line in sheet.lines:
        if line.heading:
            rows.append(f"\\midrule \\multicolumn{{{width}}}{{l}}{{\\emph{{{_tex(line.heading)}}}}} \\\\")
        else:
            rows.append(" & ".join(f"\\textbf{{{_tex(cell)}}}" if i in line.best else _tex(cell)
                                   for i, cell in enumerate(line.cells)) + " \\\\")
    return "\n".join(["\\begin{table}", f"\\caption{{{_tex(sheet.title)}}}",
                      f"\\begin{{tabular}}{{{'l' * sheet.words}{'r' * (width - sheet.words)}}}", "\\toprule",
                      " & ".join(map(_tex, sheet.columns)) + " \\\\", "\\midrule", *rows, "\\bottomrule",
                      "\\end{tabular}", *(f"\\par {_tex(note)}" for note in sheet.notes), "\\end{table}", ""])


_TEX = str.maketrans({"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "≤": r"$\leq$",
                      "–": "--", "<": r"\textless{}", ">": r"\textgreater{}", "[": "{[}", "]": "{]}",
                      **{mark: "\\" + mark for mark in "&%$#_{}"}})


def _tex(text: str) -> str:
    return " ".join(text.split()).translate(_TEX)


def scores_csv(board: Board) -> str:
    """One row a cell, published and ours; empty where there is no number."""
    rows = [{"source": "published", "domain": row.domain, "victim": row.victim, "system": row.method, "marks": "",
             "bodega": row.bodega, "confusion": row.confusion, "semantic": row.semantic, "character": row.character,
             "queries": row.queries} for domain in DOMAINS for row in published_rows(domain)]
    return spreadsheet.table(rows + [_flat(cell_row(cell)) for cell in board.cells])


def comparisons_csv(board: Board) -> str:
    """Every pair of systems of every scenario."""
    return spreadsheet.table(rows_of(board.comparisons))


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    low, high = row["bounds"] or ("", "")
    within = {f"within_{cap}": value for cap, value in row["within"].items()}
    kept = {key: value for key, value in row.items() if key not in ("bounds", "within", "sources")}
    return {"source": "ours"} | kept | within | {"low": low, "high": high, "marks": "; ".join(row["marks"]),
                                                 "seeds": " ".join(map(str, row["seeds"]))}


def cell_row(cell: Cell) -> dict[str, Any]:
    """A cell without what it was computed from: JSON-ready."""
    names = ("domain", "victim", "system", "attack", "marks", "seeds", "sources", "instances", "successes", "errors",
             "broken_pairs", "bodega", "bounds", "confusion", "semantic", "character", "queries", "queries_median",
             "queries_p95")
    row = {name: getattr(cell, name) for name in names}
    row |= {name: list(row[name]) for name in ("marks", "seeds", "sources")}
    return row | {"bounds": cell.bounds and list(cell.bounds),
                  "within": {str(cap): value for cap, value in cell.within.items()}}


def _average_row(row: Average) -> dict[str, Any]:
    return {"rank": row.rank, "method": row.method, "ours": row.ours, "marks": list(row.marks),
            "complete": row.complete, "bodega": row.bodega, "bounds": row.bounds and list(row.bounds),
            "follows": row.follows, "published": row.published,
            "cells": [{"domain": domain, "victim": victim, "bodega": value}
                      for (domain, victim), value in row.cells.items()]}


def board_json(board: Board, *, settings: Mapping[str, Any], left_out: Sequence[str]) -> dict[str, Any]:
    """Everything on the board, in the order of its tables."""
    return {"settings": dict(settings), "published_source": SOURCE,
            "tables": {victim: [_average_row(row) for row in rows] for victim, rows in board.tables.items()},
            "overall": [_average_row(row) for row in board.overall],
            "cells": [cell_row(cell) for cell in board.cells],
            "comparisons": rows_of(board.comparisons), "left_out": list(left_out)}
