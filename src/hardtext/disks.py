"""Places on a disk: how they are named in messages, and what to say where they cannot be read or written."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hardtext.core import InputError

_HINTS = {errno.EACCES: "check its permissions", errno.EPERM: "check its permissions",
          errno.ENAMETOOLONG: "choose a shorter name", errno.ELOOP: "it is a link to itself",
          errno.EISDIR: "expected a file", errno.ENOTDIR: "a file is in the way of this folder",
          errno.EEXIST: "a file is in the way of this folder", errno.EROFS: "choose another place",
          errno.ENOSPC: "make room", errno.EDQUOT: "make room", errno.EFBIG: "raise the limit on file sizes (ulimit -f)"}
"""What to do about an error of the system that says something of the user's files and nothing of this program."""


_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
_IN_WORDS = re.compile(r"\(os error (\d+)\)")  # how libraries written in Rust say it: safetensors, tokenizers
_DATABASE_FULL = "database or disk is full"  # how SQLite says it


def shown(path: Path) -> str:
    """A path for messages: relative when it lies below the working folder."""
    path = Path(path).absolute()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def disk_trouble(error: BaseException, path: Path) -> str | None:
    """That the disk is full or read-only, with what to do, whatever library says so; None for another error.

    ``path``: the folder to name where the error names no file.
    """
    while error is not None:
        number = error.errno if isinstance(error, OSError) else None
        if number is None and (said := _IN_WORDS.search(str(error))):
            number = int(said[1])
        if number is None and _DATABASE_FULL in str(error):
            number = errno.ENOSPC
        if number in _DISK:
            name = error.filename if isinstance(error, OSError) and error.filename else shown(path)
            return f"{name}: {os.strerror(number)}; {_HINTS[number]}"
        error = error.__cause__ or error.__context__
    return None


def path_trouble(error: OSError) -> str | None:
    """An error of the system about the user's files and folders in one line; None where it is another kind."""
    if error.errno not in _HINTS:
        return None
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes | os.PathLike) else ""
    named = f"{name if len(name) <= 160 else name[:120] + '…'}: " if name else ""
    return f"{named}{error.strerror}; {_HINTS[error.errno]}"


@contextmanager
def disk_trouble_at(path: Path) -> Iterator[None]:
    """Say of an error of the system that this folder cannot be written to; one about another place goes on as it is."""
    try:
        yield
    except OSError as error:
        if isinstance(error.filename, str | bytes):
            other = Path(os.fsdecode(error.filename)).absolute()
            if not (other.is_relative_to(Path(path).absolute()) or Path(path).absolute().is_relative_to(other)):
                raise
        hint = _HINTS.get(error.errno, "") if error.errno != errno.EACCES else "make it writable"
        raise InputError(f"cannot write to {shown(path)[:200]}: {error.strerror or error}; {hint}{', or ' if hint else ''}"
                         f"choose another folder with out=<folder>, or another place for all with "
                         f"HARDTEXT_RUNS=<folder>") from error
