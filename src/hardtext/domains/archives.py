"""Unpacking what was downloaded: all of an archive or nothing, and never outside its folder."""

from __future__ import annotations

import gzip
import os
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path

from hardtext.core import InputError
from hardtext.progress import progress

SUFFIXES = (".zip", ".tgz")


def unpack(archive: Path) -> Path:
    """The folder with the archive's files: beside it, under its name without the suffix, unless it is there already.

    Raises InputError where the archive is damaged or would write elsewhere.
    """
    target = archive.with_suffix("")
    if target.exists():
        return target
    with tempfile.TemporaryDirectory(dir=archive.parent, prefix=".unpacking-") as temporary:
        unfinished = Path(temporary) / target.name
        try:
            (_unzip if archive.suffix == ".zip" else _untar)(archive, unfinished)
        except (zipfile.BadZipFile, tarfile.TarError, zlib.error, gzip.BadGzipFile, EOFError) as error:
            raise InputError(f"{archive}: cannot be unpacked ({error}); delete it to download it again") from error
        os.rename(unfinished, target)
    return target


def _unzip(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as file:
        members = file.infolist()
        with progress(f"unpacking {archive.name}", len(members)) as bar:
            for member in members:
                file.extract(member, folder)  # drops drive letters, leading slashes and ".."
                bar.advance()


def _untar(archive: Path, folder: Path) -> None:
    with tarfile.open(archive, "r:gz") as file:
        members = file.getmembers()
        with progress(f"unpacking {archive.name}", len(members)) as bar:
            for member in members:
                file.extract(member, folder, filter="data")
                bar.advance()
