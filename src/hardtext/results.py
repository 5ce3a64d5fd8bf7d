"""Result folders: what ``evaluate.py`` makes of rows, quick to make again, so that a folder keeps only what it was made from.

    runs/evaluate/<task>/…     made_from.json  and the files of the result
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hardtext import records
from hardtext.core import InputError
from hardtext.disks import disk_trouble_at, shown
from hardtext.locks import locked
from hardtext.runs import RESULT, component, differences, listed, read_config
from hardtext.secrecy import mask_secrets


@contextmanager
def result_folder(path: Path, made_from: Mapping[str, Any], files: Sequence[str], *,
                  overwrite: bool = False) -> Iterator[Path]:
    """Take a folder for one result; enter it after everything that can be refused, and before the work.

    ``made_from``: ``task`` and what else the result depends on (plain JSON values); kept as ``made_from.json``. The same
    result may be made again. ``files``: the names it will write. ``overwrite``: replace whatever has these names, and
    another result.

    Raises InputError when another process works there (with its pid), when the folder holds a result that was made from
    something else (with the differences), the run of another task, or files of these names that are not ours.
    """
    path = Path(path).absolute()
    made_from = json.loads(records.dumps(mask_secrets(made_from)))  # as it will be read, so that the two compare equal
    with disk_trouble_at(path):
        if not overwrite:
            _refuse_other_result(path, made_from, files)  # before there is a folder
        path.mkdir(parents=True, exist_ok=True)
    with locked(path):
        with disk_trouble_at(path):
            if overwrite:
                _remove_other_result(path, made_from)
            else:
                _refuse_other_result(path, made_from, files)  # the holder of the lock has just finished
            records.write_json(path / RESULT, {"made_from": made_from, "files": list(files)})
        yield path


@dataclass(frozen=True)
class _Result:
    made_from: dict[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()

    @property
    def task(self) -> str:
        return str(self.made_from.get("task", "unknown"))


def _result_at(path: Path) -> _Result:
    """The result that a folder holds or was taken for; an empty one where there is none."""
    file = path / RESULT
    if not file.exists():
        return _Result()
    row = records.read_json(file)
    if not (isinstance(row, dict) and isinstance(row.get("made_from"), dict) and isinstance(row.get("files"), list)
            and all(isinstance(name, str) and component(name) == name for name in row["files"])):
        raise InputError(f"{shown(file)} is damaged: choose another folder, or remove this file")
    return _Result(row["made_from"], tuple(row["files"]))


def _refuse_other_result(path: Path, made_from: Mapping[str, Any], files: Sequence[str]) -> None:
    config = read_config(path)
    if config is not None and "task" in config:
        raise InputError(f"{shown(path)} holds a run of task={config['task']}: choose another folder with out=")
    found = _result_at(path)
    if strangers := [name for name in files if name not in found.files and os.path.lexists(path / name)]:
        raise InputError(f"{shown(path)} holds {', '.join(strangers)}, and nothing says that this task made them: choose "
                         f"another folder with out=, or overwrite=true replaces them")
    changed = differences(found.made_from, made_from)
    if changed and any(os.path.lexists(path / name) for name in found.files):
        raise InputError(f"{shown(path)} holds a result made from something else ({listed(changed)}): choose another "
                         f"folder with out=, or overwrite=true replaces it")


def _remove_other_result(path: Path, made_from: Mapping[str, Any]) -> None:
    found = _result_at(path)
    if differences(found.made_from, made_from):
        for name in found.files:
            (path / name).unlink(missing_ok=True)
