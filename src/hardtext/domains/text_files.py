"""Text files read line by line, in constant memory; damage is reported with file and line."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hardtext.core import InputError


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Line numbers (from 1) and lines with their line ends, split at line feeds only; a byte order mark is dropped."""
    try:
        with open(path, "rb") as file:
            for number, raw in enumerate(file, 1):
                try:
                    line = raw.decode("utf-8")
                except UnicodeDecodeError as error:
                    raise InputError(f"{path}, line {number}: not UTF-8 text (byte {error.start + 1} of the line); "
                                     "save the file as UTF-8") from error
                yield number, line.removeprefix("\ufeff") if number == 1 else line
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers and objects of a JSON-lines file; blank lines are passed over."""
    for number, line in lines(path):
        if line.isspace():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{path}, line {number}: not JSON ({error.msg}, column {error.colno})") from error
        if not isinstance(record, dict):
            raise InputError(f"{path}, line {number}: expected a JSON object, got {type(record).__name__}")
        yield number, record


def records(path: Path, delimiter: str = ",", quoted: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Records of a CSV or TSV file without regard to a header, each with the line it ends on.

    ``quoted`` is a CSV reader's default: a field that opens with a double quote runs to the next lone one, over line
    ends if need be. Without it double quotes are ordinary characters.
    """
    csv.field_size_limit(sys.maxsize)  # the default refuses news articles over 131,072 characters
    reader = csv.reader((line for _, line in lines(path)), delimiter=delimiter,
                        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE)
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"{path}, line {reader.line_num}: not a table row ({error})") from error
        if record:
            yield reader.line_num, record


def table(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a file with a header line as dicts; tabs separate the fields of a ``.tsv``, commas those of any other.

    Raises InputError where one of ``columns`` is missing or a row has another number of fields than the header.
    """
    rows = records(path, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    _, header = next(rows, (1, []))
    if missing := [column for column in columns if column not in header]:
        raise InputError(f"{path}, line 1: no column {', '.join(missing)}; expected the columns {', '.join(columns)}, "
                         f"found {', '.join(header) or 'an empty file'}")
    for number, row in rows:
        if len(row) != len(header):
            raise InputError(f"{path}, line {number}: expected {len(header)} fields ({', '.join(header)}), "
                             f"found {len(row)}")
        yield number, dict(zip(header, row))


def label(value: str, names: Mapping[str, int], path: Path, number: int) -> int:
    """The class index of a written label; InputError with the choices where it is none of ``names`` (lower case)."""
    index = names.get(value.strip().lower())
    if index is None:
        raise InputError(f"{path}, line {number}: label {value[:40]!r}, expected one of {', '.join(names)}")
    return index
