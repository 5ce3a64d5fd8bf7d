"""What keeps a run from being a whole one, in words: read from its own files, and the same in every table and page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from hardtext import records
from hardtext.attacks.sanity import LEAST_TO_JUDGE, UNDECIDED
from hardtext.core import Attempt, InputError
from hardtext.domains.published_sizes import SIZES
from hardtext.scoring import submission

_DIFFERENT = 0.9
"""At least this share of a published attack set are texts that differ from each other (PR: 404 of 416)."""


def marks_of(file: Path, attempts: Sequence[Attempt]) -> list[str]:
    """What was capped, cut off or left out of the attempts in ``file`` (an ``attempts.jsonl`` or a submission), and
    whether they are as many as the published attack set has. What stands in for something else is its summary's to say.

    Raises InputError where the run's config.yaml or status.json is damaged.
    """
    own = submission.notes(attempts) if file.suffix == ".tsv" else _of_run(file, attempts)
    return [*own, *_size(attempts), *_undecided(attempts)]


def _of_run(file: Path, attempts: Sequence[Attempt]) -> list[str]:
    marks = [submission.HALF_LINE] if records.half_line(file) else []
    if (state := state_at(file.parent)) not in ("", "done"):
        marks.append(f"the first {len(attempts)} texts of a run that is not finished ({state})")
    config = settings_at(file.parent / "config.yaml")
    if config.get("split", "attack") != "attack":
        marks.append(f"texts of the {config['split']} split")
    if config.get("limit") == len(attempts) != _published(attempts):  # with fewer attempts than the limit, there were no more
        marks.append(f"the first {len(attempts)} texts only")
    return marks + [f"{key}={config[key]}" for key in ("max_queries", "max_seconds") if config.get(key) is not None]


def _published(attempts: Sequence[Attempt]) -> int | None:
    """How many texts the published attack set of this domain has; None where there is none."""
    sizes = SIZES.get(attempts[0].domain.lower())
    return sizes.attack if sizes else None


def _size(attempts: Sequence[Attempt]) -> list[str]:
    """Errors are no texts here: who leaves the hard texts out has not attacked them."""
    size = _published(attempts)
    count = sum(attempt.status != "error" for attempt in attempts)
    different = len({attempt.original for attempt in attempts})
    if size == count and different < _DIFFERENT * size:
        return [f"{size} texts, only {different} of which differ from each other"]
    if size in (None, count):
        return []
    errors = len(attempts) - count
    said = f" ({errors} of its {len(attempts)} attempts are errors)" if errors else ""
    return [f"{count} of {size} texts{said}" if count < size else f"{count} texts, the published set has {size}{said}"]


def _undecided(attempts: Sequence[Attempt]) -> list[str]:
    rows = [attempt.original_probs for attempt in attempts if attempt.original_probs]
    if len(rows) >= LEAST_TO_JUDGE and max(map(max, rows)) < 1 / len(rows[0]) + UNDECIDED:
        return ["the victim is nearly undecided about every text, so that any change may flip it"]
    return []


def state_at(folder: Path) -> str:
    """How far a run says it got: one of ``runs.STATES``, or '' where it left no status.json."""
    file = folder / "status.json"
    if not file.exists():
        return ""
    status = records.read_json(file)
    if not (isinstance(status, dict) and isinstance(status.get("state"), str)):
        raise InputError(f"{file}: expected the status of a run; attack again, or remove this file")
    return status["state"]


def settings_at(file: Path) -> dict[str, Any]:
    """The settings a run was made with; empty where it left none."""
    if not file.exists():
        return {}
    try:
        settings = yaml.safe_load(records.read_text(file))
    except yaml.YAMLError as error:
        raise InputError(f"{file}: not YAML ({type(error).__name__}), so what this run was made with is unknown") from error
    if not isinstance(settings, dict):
        raise InputError(f"{file}: expected the settings of a run, got a {type(settings).__name__}")
    return settings
