"""``probe=file probe.path=<csv, tsv or jsonl>``: the user's own pairs of original and changed texts.

Columns (or JSON keys): ``original``, the text as the domain holds it (of a pair, its last segment; white space may
differ), ``changed``, and optionally ``expected`` (flip, fake or stay; stay where it is empty) and ``what`` (a note for the
table). Others, such as an id, are passed over. Files are UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from hardtext.core import InputError
from hardtext.domains import text_files
from hardtext.probes.base import Changed, Expectation, Probe, ProbeSettings, Unchanged

NEEDED = ("original", "changed")
_JSON, _TABLES = (".jsonl", ".ndjson"), (".csv", ".tsv")


class File(Probe):
    """The pairs of a file, found by the original text."""

    name = "file"
    expects = "stay"
    asks = "Does it answer your own pairs as you expect?"
    few_flips = ("Depends on what your pairs ask: a low rate is right where the label should stay, and says that the "
                 "classifier overlooks the change where it should not.")

    def __init__(self, pairs: dict[str, Changed]) -> None:
        self._pairs = pairs

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        pair = self._pairs.get(_key(text))
        if pair is None:
            return Unchanged("not in the file")
        return Unchanged("the same text in the file") if pair.text == text else pair


def probe(settings: ProbeSettings) -> File:
    """Raises InputError where the file cannot be read, lacks a column, or holds a row that is no pair."""
    if not settings.path:
        raise InputError("probe=file needs probe.path=<your .csv, .tsv or .jsonl with the columns original and changed>")
    path = Path(settings.path).expanduser()
    pairs: dict[str, Changed] = {}
    for line, row in _rows(path):
        original, pair = _pair(row, f"{path}, line {line}")
        if pairs.setdefault(_key(original), pair) != pair:
            raise InputError(f"{path}, line {line}: a second, different pair for {original[:60]!r}; keep one")
    if not pairs:
        raise InputError(f"{path}: no pair in the file; expected the columns original and changed, and rows below them")
    return File(pairs)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers and rows."""
    suffix = path.suffix.lower()
    if suffix in _TABLES:
        return text_files.table(path, NEEDED)
    if suffix in _JSON:
        return text_files.json_lines(path)
    raise InputError(f"probe.path={path}: expected a file whose name ends in {', '.join(_TABLES + _JSON)}")


def _pair(row: dict[str, Any], place: str) -> tuple[str, Changed]:
    original, changed, expected, what = (_text(row, column, place) for column in (*NEEDED, "expected", "what"))
    for column, text in zip(NEEDED, (original, changed), strict=True):
        if not text.strip():
            raise InputError(f"{place}: nothing in {column}; a pair needs both of {' and '.join(NEEDED)}")
    expected = expected.strip().lower()
    if expected and expected not in get_args(Expectation):
        raise InputError(f"{place}: expected holds {expected[:40]!r}, not one of {', '.join(get_args(Expectation))}")
    return original, Changed(changed, what.strip() or "own pair", expected or None)


def _text(row: dict[str, Any], column: str, place: str) -> str:
    value = row.get(column)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{place}: {column} holds a {type(value).__name__}, expected a text")
    return value or ""


def _key(text: str) -> str:
    return " ".join(text.split())
