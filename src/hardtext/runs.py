"""Run folders: where a run lies, who works in it, how far it got, and which config it belongs to.

    runs/train/<domain>/<model>/seed=<n>/              config.yaml  status.json  and what the run makes
    runs/attack/<domain>/<model>/<attack>/seed=<n>/
    runs/evaluate/<task>/…

A run folder belongs to one config. Going on in it with another one is refused; a killed or failed run goes on
with the same one; a finished one is left as it is.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

from hardtext import records
from hardtext.core import InputError
from hardtext.disks import disk_trouble, disk_trouble_at, shown
from hardtext.locks import LOCK, locked
from hardtext.secrecy import mask_secrets, scrubbed

log = logging.getLogger(__name__)

STATES = ("running", "done", "failed")
WORK = ("victim", "clean", "checkpoints", "robustness", "metrics.json", "adversarial.jsonl", "adversarial.json", "rounds",
        "seconds.json", "attempts.jsonl", "best.jsonl", "members.jsonl", "summary.json", "scores.json", "scores.md",
        "probes.jsonl", "probes.json", "probes.md", "probes.tex", "probes.csv", "pairs.csv",
        "saliency.jsonl", "saliency.json", "saliency.md", "saliency.html", "words.csv", "figures",
        "certified.jsonl", *(f"certify.{ending}" for ending in ("json", "md", "csv", "png", "svg")))
"""What a run makes: while one of these is there, another config is refused."""
OWN = ("config.yaml", "status.json", "made_from.json", "logs", "wandb", *WORK)
"""Every name a run owns. ``overwrite`` removes these and nothing else."""

RESULT = "made_from.json"
"""In a folder that holds a result of ``evaluate.py`` (``results.py``), which no run takes."""

_ABSENT = "(absent)"
_SHOWN_DIFFERENCES = 5


# Where runs lie


def repository() -> Path:
    """The folder of the scripts; the working folder when the package is installed apart from them."""
    folder = Path(__file__).resolve().parents[2]
    return folder if (folder / "train.py").is_file() else Path.cwd()


def runs_root() -> Path:
    """The folder of all runs: ``HARDTEXT_RUNS``, else ``runs/`` beside the scripts."""
    folder = os.environ.get("HARDTEXT_RUNS")
    return Path(folder).expanduser().absolute() if folder else repository() / "runs"


def component(name: str) -> str:
    """A name as one path component; it can neither leave the folder it is put in nor hide there.

    >>> component("bert"), component("org/model"), component("../x"), component("..")
    ('bert', 'org--model', 'x', '_')
    """
    parts = [part for part in re.split(r"[/\\]", name) if part not in ("", ".", "..")]
    safe = re.sub(r"[^\w.,=+@-]", "_", "--".join(parts))[:120]
    return "_" + safe.lstrip(".") if not safe or safe.startswith(".") else safe


def train_folder(domain: str, model: str, seed: int) -> Path:
    return runs_root() / "train" / component(domain) / component(model) / f"seed={int(seed)}"


def attack_folder(domain: str, model: str, attack: str, seed: int) -> Path:
    return runs_root() / "attack" / component(domain) / component(model) / component(attack) / f"seed={int(seed)}"


def evaluate_folder(task: str, *names: str) -> Path:
    return runs_root().joinpath("evaluate", component(task), *map(component, names))


def is_follower() -> bool:
    """Whether this process is not the first of a distributed training; only the first one writes."""
    return any(int(os.environ.get(name) or 0) > 0 for name in ("RANK", "NODE_RANK", "LOCAL_RANK", "SLURM_PROCID"))


# Configs


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, str]:
    """What changed between two plain configs, by dotted key.

    >>> differences({"lr": 2e-05, "model": {"name": "bert"}}, {"lr": 1e-04, "model": {"name": "bert"}})
    {'lr': '2e-05 → 0.0001'}
    """
    before, after = _flat(old), _flat(new)
    return {key: f"{_shown_value(before, key)} → {_shown_value(after, key)}"
            for key in dict.fromkeys([*before, *after])
            if before.get(key, _ABSENT) != after.get(key, _ABSENT)}


def _flat(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat = {}
    for key, value in config.items():
        if isinstance(value, Mapping) and value:
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _shown_value(flat: Mapping[str, Any], key: str) -> str:
    value = flat.get(key, _ABSENT)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:20]}…{text[-39:]}"  # paths differ at their ends


def _matches(key: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(key, pattern) or key.startswith(pattern + ".") for pattern in patterns)


# The run folder


class RunFolder:
    """A run folder in use; made by ``RunFolder.open``.

    ``done`` says that this very run has finished before, so there is nothing to do.
    """

    def __init__(self, path: Path, done: bool) -> None:
        self.path = path
        self.done = done
        self._status: dict[str, Any] = {}

    @classmethod
    @contextmanager
    def open(cls, path: Path, config: Mapping[str, Any], *, ignore: Sequence[str] = (), extend: Sequence[str] = (),
             overwrite: bool = False, follower: bool = False) -> Iterator[RunFolder]:
        """Take the folder for one run; status.json says running inside, and done or failed afterwards.

        ``config`` is the resolved config; secrets are masked before it is kept as ``config.yaml``.
        ``ignore``: keys or patterns (``logger``, ``trainer.enable_*``) that do not matter for the results.
        ``extend``: those that may change but ask for more work (``limit``), so that a finished run is taken up again.
        ``overwrite``: start again; removes what the earlier run made.
        ``follower``: a further process of a distributed training, which neither locks nor writes (``is_follower``).

        Raises InputError when another process works there (with its pid), when the folder holds the work of another
        config (with the differences), when it is not a run folder but holds files of the same names, and when the
        disk is full or read-only.
        """
        path = Path(path).absolute()
        text = yaml.safe_dump(mask_secrets(config), sort_keys=False, allow_unicode=True)
        config = yaml.safe_load(text)  # as a later process will read it, so that the two compare equal
        if not overwrite and _is_done(path, config, ignore, extend):
            yield cls(path, done=True)
            return
        if follower:
            yield cls(path, done=False)
            return
        with disk_trouble_at(path):
            _refuse_foreign(path)
            path.mkdir(parents=True, exist_ok=True)
        with locked(path):
            if not overwrite and _is_done(path, config, ignore, extend):  # the holder of the lock has just finished
                yield cls(path, done=True)
                return
            run = cls(path, done=False)
            with disk_trouble_at(path):
                _prepare(path, config, (*ignore, *extend), overwrite)
                run._set(state="running", pid=os.getpid(), started=_now())
                records.write_text(path / "config.yaml", text)
            try:
                yield run
            except BaseException as error:
                run._fail(error)
                if (trouble := disk_trouble(error, path)) is not None:
                    raise InputError(f"{trouble} and run the same command again, it goes on where it stopped") from error
                raise
            with disk_trouble_at(path):
                run._set(state="done", finished=_now())

    def phase(self, name: str) -> None:
        """Say in status.json what the run is at ("clean", "attack", "hardened")."""
        if self._status:
            self._set(phase=name)

    def _set(self, **values: Any) -> None:
        self._status |= values
        records.write_json(self.path / "status.json", self._status)

    def _fail(self, error: BaseException) -> None:
        lines = str(error).strip().splitlines()
        text = lines[0] if lines else ""
        if not isinstance(error, InputError):
            text = f"{type(error).__name__}: {text}" if text else type(error).__name__
        try:
            self._set(state="failed", finished=_now(), error=scrubbed(text))
        except OSError as second:  # the disk that stopped the run also stops its last words; the first error is the one
            log.warning("%s: the failure could not be noted in status.json (%s)", shown(self.path), second)


def read_status(path: Path) -> dict[str, Any] | None:
    """The status.json of a run folder; None where there is none, or none of ours."""
    try:
        status = records.read_json(Path(path) / "status.json")
    except InputError:
        return None
    return status if isinstance(status, dict) and status.get("state") in STATES else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_config(path: Path) -> dict[str, Any] | None:
    """The config a run folder belongs to; None when it has none yet."""
    file = path / "config.yaml"
    if not file.exists():
        return None
    try:
        config = yaml.safe_load(records.read_text(file))
    except InputError as error:
        raise InputError(f"{error}; overwrite=true starts again") from error
    except yaml.YAMLError as error:
        raise InputError(f"{shown(file)} is damaged ({type(error).__name__}): overwrite=true starts again") from error
    if not isinstance(config, dict):
        raise InputError(f"{shown(file)} is damaged (not a config): overwrite=true starts again")
    return config


def _is_done(path: Path, config: Mapping[str, Any], ignore: Sequence[str], extend: Sequence[str]) -> bool:
    """Whether the run of this config has finished there. An ``extend`` key makes a difference here."""
    status = read_status(path)
    if status is None or status["state"] != "done":
        return False
    stored = read_config(path)
    if stored is None:
        return False
    changed = differences(stored, config)
    return all(_matches(key, ignore) for key in changed)


def refuse_other_config(path: Path, config: Mapping[str, Any], free: Sequence[str] = ()) -> None:
    """Raise InputError, with the differences, where a folder holds the work of another config; write nothing.

    For those who look at a run's work before they open it, so that they need not explain what they find in that of
    another config. ``free``: keys or patterns that may differ.
    """
    config = yaml.safe_load(yaml.safe_dump(mask_secrets(config), sort_keys=False, allow_unicode=True))
    _refuse_changed(path, _changed(path, config, free))


def _changed(path: Path, config: Mapping[str, Any], free: Sequence[str]) -> dict[str, str]:
    stored = read_config(path)
    found = {} if stored is None else differences(stored, config)
    return {key: change for key, change in found.items() if not _matches(key, free)}


def _refuse_changed(path: Path, changed: Mapping[str, str]) -> None:
    if not changed or set(_owned(path)).isdisjoint(WORK):
        return
    raise InputError(f"{shown(path)} holds a run with another config ({listed(changed)}): "
                     f"overwrite=true starts again, or choose another seed or folder")


def _refuse_foreign(path: Path) -> None:
    """Refuse a folder that no run has used but that holds files a run would write over, or a result."""
    if (path / RESULT).exists() and not (path / "config.yaml").exists():
        raise InputError(f"{shown(path)} holds a result of task={_task_of_result(path)}: choose another folder")
    there = _owned(path)
    if there and not (path / LOCK).exists() and read_status(path) is None:
        raise InputError(f"{shown(path)} is not a run folder but holds {', '.join(there)}: choose another folder")


def _task_of_result(path: Path) -> str:
    row = records.read_json(path / RESULT)
    made_from = row.get("made_from") if isinstance(row, dict) else None
    return str(made_from.get("task", "unknown")) if isinstance(made_from, dict) else "unknown"


def _owned(path: Path) -> list[str]:
    return [name for name in OWN if os.path.lexists(path / name)]


def _prepare(path: Path, config: Mapping[str, Any], free: Sequence[str], overwrite: bool) -> None:
    """Make the folder ready for ``config``: empty, or holding the unfinished work of the same config."""
    for leftover in (file for name in OWN for file in path.glob(f".{name}.*.tmp")):
        leftover.unlink()  # a kill in the middle of records.write_text
    if overwrite:
        _clear(path)
        return
    if read_config(path) is None:
        return
    changed = _changed(path, config, free)
    if not changed:
        log.info("%s: going on with what is there", shown(path))
        return
    _refuse_changed(path, changed)
    _clear(path)  # an earlier config failed before it had made anything


def _clear(path: Path) -> None:
    """Remove what a run owns in its folder; a link is removed, not followed."""
    for name in OWN:
        entry = path / name
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink(missing_ok=True)


def listed(changed: Mapping[str, str]) -> str:
    """Some differences in one line."""
    shown_first = [f"{key}: {change}" for key, change in changed.items()]
    rest = len(shown_first) - _SHOWN_DIFFERENCES
    return "; ".join(shown_first[:_SHOWN_DIFFERENCES]) + (f"; and {rest} more" if rest > 0 else "")
