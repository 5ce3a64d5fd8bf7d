"""The user's tables, row by row: CSV, TSV, JSON lines, Parquet. Damage is reported with file and line.

Values are as the file holds them: "NA", "null" and "007" in a CSV are texts, only an empty cell is empty.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hardtext.core import InputError

DELIMITERS = {".csv": ",", ".tsv": "\t"}
LONGEST = 300  # characters of a list of names in a message
SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


@dataclass(frozen=True)
class Layout:
    """How a text table is written: ``delimiter`` None goes by the file's suffix, ``quoted`` cells may stand in double
    quotes."""

    encoding: str = "utf-8"
    delimiter: str | None = None
    quoted: bool = True


def read(path: Path, columns: Collection[str], layout: Layout) -> Iterator[dict[str, Any]]:
    """The rows, each with at least ``columns``; a value the file lacks is None.

    Raises InputError where the file cannot be read, has no row, lacks one of the columns (the message lists those it
    has) or is damaged.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"{path}: expected a file whose name ends in {', '.join(SUFFIXES)}")
    try:
        if suffix == ".parquet":
            return _parquet(path, columns)
        text = _text(path, layout.encoding)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    if not text.strip():
        raise InputError(f"{path}: the file is empty")
    return _delimited(path, text, columns, layout) if suffix in DELIMITERS else _json_lines(path, text, columns)


def _text(path: Path, encoding: str) -> str:
    data = path.read_bytes()
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: not {encoding} text; set domain.encoding to the file's encoding, "
                         "such as cp1252, latin-1 or utf-16") from error
    except (UnicodeError, LookupError) as error:  # codecs that do not say where, and those not for text (hex)
        raise InputError(f"{path}: not {encoding} text ({error}); set domain.encoding to the file's encoding") from error


def _delimited(path: Path, text: str, columns: Collection[str], layout: Layout) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(sys.maxsize)  # the default refuses texts over 131,072 characters
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=layout.delimiter or DELIMITERS[path.suffix.lower()],
                        quoting=csv.QUOTE_MINIMAL if layout.quoted else csv.QUOTE_NONE, strict=True)
    try:
        header = [name.strip() for name in next(row for row in reader if row)]
        _check_columns(path, columns, header)
        start = reader.line_num + 1
        for row in reader:
            if row and len(row) != len(header):
                raise InputError(f"{path}, line {start}: {len(row)} cells where the header has {len(header)}; a cell "
                                 "that holds the delimiter or a line end must stand in double quotes "
                                 "(see also domain.delimiter, domain.quoting)")
            if row:
                yield dict(zip(header, row, strict=True))
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: not a table ({error}); if double quotes are ordinary "
                         "characters in this file set domain.quoting=none") from error


def _json_lines(path: Path, text: str, columns: Collection[str]) -> Iterator[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:  # also numbers of 5,000 digits, brackets 10,000 deep
            raise InputError(f"{path}, line {number}: not JSON ({error}); expected one object a line") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}, line {number}: expected one JSON object a line, got {type(row).__name__}")
        rows.append(row)
    _check_columns(path, columns, list(dict.fromkeys(name for row in rows for name in row)))
    for row in rows:
        yield {**dict.fromkeys(columns), **row}


def _parquet(path: Path, columns: Collection[str]) -> Iterator[dict[str, Any]]:
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            _check_columns(path, columns, file.schema_arrow.names)
            table = file.read(columns=list(columns))
    except pyarrow.ArrowException as error:
        raise InputError(f"{path}: not a readable Parquet file ({str(error).splitlines()[0][:150]})") from error
    return iter(table.to_pylist())


def shown(names: Collection[str]) -> str:
    """Names from a file, fit for one line of a message."""
    text = ", ".join(" ".join(name.split()) for name in names)
    return text if len(text) <= LONGEST else text[:LONGEST] + " …"


def _check_columns(path: Path, wanted: Collection[str], found: list[str]) -> None:
    for name in wanted:
        if name not in found and len(found) == 1 and (other := re.search(r"[;\t|,]", found[0])):
            mark = "tab" if other.group() == "\t" else f'\'"{other.group()}"\''
            raise InputError(f"{path}: no column {name!r}; its first line reads as one column, {shown(found)}: say what "
                             f"separates the columns, domain.delimiter={mark}")
        if name not in found:
            raise InputError(f"{path}: no column {name!r}; it has {shown(found)}: name yours with domain.text=, "
                             "domain.text_pair=, domain.label=, domain.id=, domain.split_column= or domain.group=")
        if found.count(name) > 1:
            raise InputError(f"{path}: {found.count(name)} columns are called {name!r}; rename all but one")
