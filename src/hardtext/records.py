"""Rows and small files that survive a kill: JSON lines appended durably, whole files replaced atomically. No pickle."""

from __future__ import annotations

import codecs
import json
import logging
import math
import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, BinaryIO

from hardtext.core import InputError

log = logging.getLogger(__name__)

SYNC_SECONDS = 1.0  # a kill loses nothing (each row is flushed to the system); a power cut at most this much


def dumps(value: Any) -> str:
    """One line of JSON: UTF-8 text kept readable, lone surrogates escaped, nan refused (it is not JSON)."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        line = json.dumps(value, ensure_ascii=True, allow_nan=False)
    return line


class RowWriter:
    """Appends rows to a JSON-lines file; use as a context manager.

    A half-written last line left by a kill is cut off on opening (``repair``).
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        repair(self.path)
        self._file = open(self.path, "a", encoding="utf-8", newline="\n")
        self._synced = time.monotonic()

    def append(self, row: dict[str, Any]) -> None:
        self._file.write(dumps(row) + "\n")
        self._file.flush()
        if time.monotonic() - self._synced > SYNC_SECONDS:
            self._sync()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        if not self._file.closed:
            self._sync()
            self._file.close()

    def __enter__(self) -> RowWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def repair(path: Path) -> int:
    """Cut a last line without its line end; return the number of bytes cut. A missing file is left missing."""
    path = Path(path)
    if not path.exists():
        return 0
    with open(path, "rb+") as file:
        end, size = _last_line(file)
        if end < size:
            file.truncate(end)
    return size - end


def half_line(path: Path) -> bool:
    """Whether the last line of a JSON-lines file is half-written, as a kill leaves it, so that ``read_rows`` passes over
    it; a missing file has none."""
    path = Path(path)
    if not path.exists():
        return False
    with open_plain(path) as file:
        end, _ = _last_line(file)
        file.seek(end)
        rest = file.read() if end else file.read().removeprefix(codecs.BOM_UTF8)
    try:
        return bool(rest.strip()) and not isinstance(_parse(rest), dict)
    except _NOT_JSON:
        return True


def _last_line(file: BinaryIO) -> tuple[int, int]:
    """Where the last line without a line end begins, and the size of the file; the same where there is no such line."""
    size = file.seek(0, os.SEEK_END)
    end = size
    while end:
        start = max(0, end - 65536)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1, size
        end = start
    return end, size


def open_plain(path: Path) -> BinaryIO:
    """A file's bytes, to read. Raises InputError where it cannot be opened, and for a pipe, a device or a folder: reading
    one could wait for ever or never end."""
    try:
        file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))  # a pipe is opened at once
    except OSError as error:
        raise InputError(f"cannot read {_clipped(path)}: {error.strerror or error}") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise InputError(f"cannot read {path}: not a plain file")
    return file


def _clipped(path: Path) -> str:
    return str(path) if len(str(path)) <= 160 else f"{str(path)[:120]}…"


def read_text(path: Path) -> str:
    """A whole file of UTF-8 text, without the byte-order mark that spreadsheets and editors put before it."""
    with open_plain(path) as file:
        data = file.read()
    _refuse_utf16(path, data)
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from error


def _refuse_utf16(path: Path, data: bytes) -> None:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{path}: is UTF-16 text; save it as UTF-8")


def files_below(root: Path, *patterns: str) -> list[Path]:
    """Whatever is no folder, at any depth below ``root``, whose name fits one of the patterns (``submission_*.tsv``); by
    path. Links to folders are not followed. Raises InputError for a folder that cannot be read: what lies in it would be
    missing without a word."""
    def refuse(error: OSError) -> None:
        raise InputError(f"cannot read {error.filename}: {error.strerror or error}; make it readable, or name a folder "
                         f"without it") from error

    return sorted(Path(folder, name) for folder, _, names in os.walk(root, onerror=refuse) for name in names
                  if any(fnmatchcase(name, pattern) for pattern in patterns))


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSON-lines file, one at a time. A damaged line raises InputError naming file and line; a half-written
    last line is passed over, since a kill leaves it (``half_line`` tells, for those who have to say so)."""
    for row in _rows(path):
        if isinstance(row, InputError):
            raise row
        yield row


def sound_rows(path: Path) -> tuple[list[dict[str, Any]], list[InputError]]:
    """The rows that can be read, and what ``read_rows`` would raise for each of the damaged lines."""
    rows = list(_rows(path))
    return ([row for row in rows if not isinstance(row, InputError)], [row for row in rows if isinstance(row, InputError)])


def mend(path: Path) -> list[dict[str, Any]]:
    """The rows of a file that the run at hand goes on writing, half-written and damaged lines taken out of it; none where
    there is no file. What is taken out is said, and the file as it was stays beside it as ``<name>.damaged``."""
    path = Path(path)
    if not path.exists():
        return []
    repair(path)
    rows, damaged = sound_rows(path)
    if damaged:
        kept = path.with_name(f"{path.name}.damaged")
        shutil.copyfile(path, kept)
        write_rows(path, rows)
        more = f" (and {len(damaged) - 1} more lines)" if len(damaged) > 1 else ""
        log.warning("%s%s: left out, the %d whole rows are kept, and what is missing is made again; the file as it was: %s",
                    damaged[0], more, len(rows), kept)
    return rows


def _rows(path: Path) -> Iterator[dict[str, Any] | InputError]:
    """Each row, or what is wrong with its line."""
    with open_plain(path) as file:
        for number, line in enumerate(file, 1):
            if number == 1:
                _refuse_utf16(path, line)
                line = line.removeprefix(codecs.BOM_UTF8)
            if not line.strip():
                continue
            try:
                row = _parse(line)
            except _NOT_JSON as error:
                if not line.endswith(b"\n"):
                    return
                reason = (f"not UTF-8 text (byte {error.start} of the line)" if isinstance(error, UnicodeDecodeError)
                          else f"not JSON ({error})")
                yield InputError(f"{path}, line {number}: {reason}")
                continue
            if isinstance(row, dict):
                yield row
            else:
                yield InputError(f"{path}, line {number}: expected a JSON object, got {type(row).__name__}")


_NOT_JSON = (ValueError, RecursionError)  # also bytes that are no UTF-8, numbers of 5,000 digits, brackets 10,000 deep


def _parse(data: bytes) -> Any:
    """JSON as it is defined: Python's reader would let NaN, Infinity and 1e999 pass."""
    return _parse_text(data.decode("utf-8"))


def _parse_text(text: str) -> Any:
    return json.loads(text, parse_constant=_refuse_number, parse_float=_finite)


def _refuse_number(words: str) -> Any:
    raise ValueError(f"{words} is no JSON number")


def _finite(words: str) -> float:
    value = float(words)
    if math.isinf(value):
        _refuse_number(words[:60])
    return value


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Replace a JSON-lines file in one step."""
    write_text(path, "".join(dumps(row) + "\n" for row in rows))


def write_json(path: Path, value: Any) -> None:
    """Replace a JSON file in one step (indented, for reading by people too)."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    text = read_text(path)
    try:
        return _parse_text(text)
    except _NOT_JSON as error:
        raise InputError(f"{path}: not JSON ({error})") from error


def write_text(path: Path, text: str) -> None:
    """Replace a text file in one step: a reader or a kill sees the old file or the new one, never half of it."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "w", encoding="utf-8", newline="\n", errors="surrogatepass") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:  # a full disk, a key press: leave no litter
        temporary.unlink(missing_ok=True)
        raise
