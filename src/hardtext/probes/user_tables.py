"""The tables that users bring: CSV and TSV as spreadsheets save them, whatever parts the fields and in any case of header."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from hardtext.core import InputError
from hardtext.domains import text_files

_DELIMITERS = (",", ";", "\t")


def table(path: Path, enough: Callable[[set[str]], bool], expected: str,
          setting: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Line numbers and rows, by column name in lower case.

    Fields are parted by the first of comma, semicolon and tab that makes a header which is ``enough`` (tried on the set of
    its names). ``expected`` and ``setting`` ("the columns …", "probe.path=…") are for the message where none does. Raises
    InputError there, and for a row with another number of fields than the header.
    """
    headers = {mark: _names(next(text_files.records(path, mark), (1, []))[1]) for mark in _DELIMITERS}
    mark = next((mark for mark, names in headers.items() if enough(set(names))), None)
    if mark is None:
        found = max(headers.values(), key=len)
        raise InputError(f"{setting}, line 1: expected {expected}, found {', '.join(found)[:200] or 'an empty file'}")
    return _rows(path, mark, headers[mark], setting)


def _rows(path: Path, mark: str, names: list[str], setting: str) -> Iterator[tuple[int, dict[str, str]]]:
    rows = text_files.records(path, mark)
    next(rows)
    for line, cells in rows:
        if not any(cells):
            continue
        if len(cells) != len(names):
            raise InputError(f"{setting}, line {line}: expected {len(names)} fields ({', '.join(names)[:200]}), "
                             f"found {len(cells)}")
        yield line, dict(zip(names, cells, strict=True))


def _names(header: list[str]) -> list[str]:
    return [name.strip().lower() for name in header]
