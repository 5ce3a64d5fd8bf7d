"""CSV files, which people open in spreadsheets. Every CSV of the project is written here.

A spreadsheet runs a cell that begins like a formula, and an attacked text, a class or a metric may begin in any way.
Such cells get an apostrophe before them, as the OWASP page on CSV injection advises; plain numbers are left alone.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence

from hardtext.text import readable

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def cell(text: str) -> str:
    """A text that a spreadsheet would run as a formula, with an apostrophe before it; lone surrogates made readable.

    >>> cell("=1+1"), cell("so = so"), cell("-0.5")
    ("'=1+1", 'so = so', '-0.5')
    """
    text = readable(text)
    return "'" + text if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def plain(written: str) -> str:
    """The text that ``cell`` was given.

    >>> plain(cell("=1+1")), plain("'tis")
    ('=1+1', "'tis")
    """
    text = written.removeprefix("'")
    return text if cell(text) == written else written


def lines(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV, each value as ``cell`` has it; None is an empty cell."""
    return "".join(_line([_shown(value) for value in row]) for row in rows)


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str] | None = None) -> str:
    """Rows by column name as CSV, the names first; ``columns``: None takes all there are, in the order they first come."""
    names = list(dict.fromkeys(name for row in rows for name in row)) if columns is None else list(columns)
    return lines([names, *([row.get(name) for name in names] for row in rows)])


def _line(cells: Sequence[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)  # with "\n" a cell that holds "\r" would not be quoted
    return buffer.getvalue().removesuffix("\r\n") + "\n"


def _shown(value: object) -> str:
    return "" if value is None else cell(str(value))
