"""``probe=file probe.path=<csv, tsv or jsonl>``: the user's own pairs of original and changed texts.

Columns (or JSON keys), in any case: ``original``, a text of the split that is asked about, as the domain holds it (of a pair,
its last segment; white space may differ), ``changed``, and optionally ``expected`` (flip, fake or stay; stay where it is
empty) and ``what`` (a note for the table). Others, such as an id, are passed over. An original may have several changed
texts: each is asked about. Files are UTF-8; commas, semicolons or tabs part the fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from hardtext.core import InputError
from hardtext.domains import text_files
from hardtext.probes import user_tables
from hardtext.probes.base import Changed, Expectation, Probe, ProbeSettings, Unchanged
from hardtext.text import readable

NEEDED = ("original", "changed")
_JSON, _TABLES = (".jsonl", ".ndjson"), (".csv", ".tsv")


class File(Probe):
    """The pairs of a file, found by the original text."""

    name = "file"
    expects = "stay"
    asks = "Does it answer your own pairs as you expect?"
    few_flips = ("Depends on what your pairs ask: a low rate is right where the label should stay, and says that the "
                 "classifier overlooks the change where it should not.")

    def __init__(self, path: Path, pairs: dict[str, list[Changed]]) -> None:
        self._path, self._pairs = path, pairs

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        pairs = self._pairs.get(_key(text), [])
        if not pairs:
            return Unchanged("not in the file")
        first, *others = [pair for pair in pairs if pair.text != text] or [None]
        return replace(first, others=tuple(others)) if first else Unchanged("the same text in the file")

    def strangers(self, texts: Iterable[str], where: str) -> str:
        """What to say of the pairs whose original is none of ``texts``; nothing where there are none of these.

        Raises InputError where no pair is about any of the texts. ``where``: which texts these are ("split attack of …").
        """
        there = {_key(text) for text in texts}
        total = sum(map(len, self._pairs.values()))
        strange = [(key, pairs) for key, pairs in self._pairs.items() if key not in there]
        count = sum(len(pairs) for _, pairs in strange)
        if not count:
            return ""
        first = repr(strange[0][0][:60])
        if count == total:
            raise InputError(f"probe.path={self._path}: none of its {total} originals is a text of the {where} (the first: "
                             f"{first}); give texts of that split, or choose another with split=")
        return (f"probe=file: {count} of {total} pairs name no text of the {where} and were not asked about (the first: "
                f"{first})")


def probe(settings: ProbeSettings) -> File:
    """Raises InputError where the file cannot be read, lacks a column, or holds a row that is no pair."""
    if not settings.path:
        raise InputError("probe=file needs probe.path=<your .csv, .tsv or .jsonl with the columns original and changed>")
    path = Path(settings.path).expanduser()
    pairs: dict[str, list[Changed]] = {}
    for line, row in _rows(path):
        original, pair = _pair(row, f"{path}, line {line}")
        versions = pairs.setdefault(_key(original), [])
        if any(pair.text == other.text and pair.expects != other.expects for other in versions):
            raise InputError(f"{path}, line {line}: a second pair of {original[:60]!r} with the same changed text expects "
                             f"something else; keep one")
        if all(pair.text != other.text for other in versions):
            versions.append(pair)
    if not pairs:
        raise InputError(f"{path}: no pair in the file; expected the columns original and changed, and rows below them")
    return File(path, pairs)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers and rows, their keys in lower case."""
    suffix = path.suffix.lower()
    if suffix in _TABLES:
        return user_tables.table(path, set(NEEDED).issubset, f"the columns {' and '.join(NEEDED)}", str(path))
    if suffix in _JSON:
        return ((line, {name.strip().lower(): value for name, value in row.items()})
                for line, row in text_files.json_lines(path))
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
    return readable(value or "")


def _key(text: str) -> str:
    return " ".join(readable(text).split())
