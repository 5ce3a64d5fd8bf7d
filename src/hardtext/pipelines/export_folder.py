"""The folder of an export: what may be there already, and how a new one takes its place."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hardtext import disks, locks, records
from hardtext.core import InputError
from hardtext.scoring import claims

log = logging.getLogger(__name__)

KEPT = (".safetensors", ".json", ".txt")
"""Endings of the files that are exported."""
CARD, OURS = "README.md", "export.json"


def place_of(folder: Path) -> Path:
    """The folder itself: a link stays one, and what it leads to is replaced."""
    try:
        place = folder.resolve()
    except RuntimeError as error:  # before Python 3.13
        raise InputError(f"out={folder}: a link that leads to itself; choose another folder") from error
    if not place.name:
        raise InputError(f"out={folder}: an export needs a folder of its own, such as out=my_model")
    return place


def check_place(folder: Path, fingerprint: str, overwrite: bool) -> None:
    """Raise InputError where the folder holds anything but an export, or the export of another victim."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    another = "choose another folder with out="
    if not (folder / OURS).is_file():
        raise InputError(f"{disks.shown(folder)} is no export of ours, and is there already: {another}")
    row = records.read_json(folder / OURS)
    names = row.get("files") if isinstance(row, dict) else None
    if not isinstance(names, list):
        raise InputError(f"{disks.shown(folder / OURS)} is damaged: {another}")
    if strangers := sorted(path.name for path in folder.iterdir() if path.name not in names):
        raise InputError(f"{disks.shown(folder)} holds {', '.join(strangers[:5])} besides an export, which would be lost: "
                         f"{another}")
    known = row.get("sha256") if isinstance(row.get("sha256"), dict) else {}
    changed = [name for name, digest in known.items() if (folder / name).is_file() and claims.digest(folder / name) != digest]
    if changed and not overwrite:
        raise InputError(f"{disks.shown(folder)}: {', '.join(changed[:5])} {'was' if len(changed) == 1 else 'were'} changed "
                         f"since the export, which would be lost: {another}, or overwrite=true replaces it")
    if row.get("fingerprint") != fingerprint and not overwrite:
        raise InputError(f"{disks.shown(folder)} holds the export of another victim: {another}, or overwrite=true replaces "
                         f"it")


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A folder that takes the place of this one at the end: a kill or an error leaves what was there before.

    It is made in a hidden one beside it, which one process holds at a time; the next export there clears what a killed
    one left.
    """
    aside = folder.with_name(f".{folder.name}.hardtext")
    new, old = aside / "new", aside / "old"
    with disks.disk_trouble_at(folder):
        with disks.disk_trouble_at(folder.parent):
            aside.mkdir(parents=True, exist_ok=True)
        with locks.locked(aside):
            try:
                if old.exists() and not folder.exists():  # killed between the two moves
                    os.rename(old, folder)
                for left in (new, old):
                    shutil.rmtree(left, ignore_errors=True)
                new.mkdir()
                yield new
                if folder.exists():
                    os.rename(folder, old)
                try:
                    os.rename(new, folder)
                except OSError:
                    if old.exists():
                        os.rename(old, folder)
                    raise
            finally:
                shutil.rmtree(aside, ignore_errors=True)


def copy(victim: Path, folder: Path) -> tuple[tuple[str, int, str], ...]:
    """Copy what belongs into an export; (name, bytes, SHA-256) of each file."""
    found = []
    for file in sorted(victim.iterdir()):
        if not file.is_file() or file.suffix not in KEPT:
            log.warning("left out: %s: an export holds %s alone", disks.shown(file), ", ".join(KEPT))
            continue
        shutil.copyfile(file, folder / file.name)  # its content; safetensors are written for their owner's eyes alone
        found.append((file.name, file.stat().st_size, claims.digest(folder / file.name)))
    return tuple(found)
