"""The runs below a folder: attack runs with their scores, and what training measured."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from hardtext import records, runs
from hardtext.core import Attempt, InputError, Piece
from hardtext.reporting.saliency.rows import of_attempts

log = logging.getLogger(__name__)

SALIENCY = "saliency.jsonl"
"""Beside the attempts, where somebody put it, else what ``task=saliency`` left under ``runs/evaluate``: lines {"id",
"method", "pieces": [[segment, start, end, value], …]} about the original texts (``core.Piece``)."""


@dataclass(frozen=True)
class AttackRun:
    """An attack folder. What the folder lacks is empty; ``state`` is "unknown" without a status.json."""

    folder: Path
    attempts: list[Attempt]
    scores: tuple[dict[str, Any], ...] = ()  # the score files that belong to these attempts
    summary: dict[str, Any] = field(default_factory=dict)
    config: str = ""  # config.yaml as it stands; its secrets were masked when it was written
    state: str = "unknown"
    saliency: dict[str, list[Piece]] = field(default_factory=dict)

    @property
    def scenario(self) -> tuple[str, str, str]:
        """(domain, victim, attack)"""
        return self.attempts[0].domain, self.attempts[0].victim, self.attempts[0].attack

    @property
    def variant(self) -> str:
        settings = yaml.safe_load(self.config) if self.config else {}
        attack = settings.get("attack") if isinstance(settings, dict) else None
        return str(attack.get("variant") or "") if isinstance(attack, dict) else ""


@dataclass(frozen=True)
class TrainRun:
    folder: Path
    metrics: dict[str, Any]


def read_attacks(root: Path) -> list[AttackRun]:
    """The attack runs at and below ``root``, by folder. A folder whose attempts are empty is passed over and named.

    Raises InputError where the folder is missing, where no run lies below it, and where one is damaged.
    """
    if not root.is_dir():
        raise InputError(f"runs={root}: no such folder; expected a folder of runs, such as {runs.shown(runs.runs_root())}")
    files = sorted(root.rglob("attempts.jsonl"))
    scores = [(file, _mapping(file)) for file in sorted(root.rglob("scores.json"))]
    found = []
    for file in files:
        attempts = _attempts(file)
        if not attempts:
            log.warning("%s holds no attempt yet and is left out", runs.shown(file))
            continue
        found.append(_attack_run(file.parent, attempts, scores))
    if not found:
        raise InputError(f"runs={root}: no attempts.jsonl with attempts below it; make one with python attack.py …")
    return found


def read_trains(root: Path) -> list[TrainRun]:
    """The training runs below ``root`` that have measured their victim."""
    return [TrainRun(file.parent, _mapping(file)) for file in sorted(root.rglob("metrics.json"))]


def _attack_run(folder: Path, attempts: list[Attempt], scores: Sequence[tuple[Path, dict[str, Any]]]) -> AttackRun:
    config, summary = folder / "config.yaml", folder / "summary.json"
    status = runs.read_status(folder)
    return AttackRun(
        folder, attempts, scores=tuple(row for file, row in scores if file.parent == folder or belongs(row, attempts)),
        summary=_mapping(summary) if summary.is_file() else {},
        config=_config(config) if config.is_file() else "",
        state=status["state"] if status else "unknown", saliency=_saliency(folder / SALIENCY) or of_attempts(attempts))


def belongs(scores: dict[str, Any], attempts: Sequence[Attempt]) -> bool:
    """Whether a score file was made from exactly these attempts: the same scenario, the same counts and queries.

    ``task=score`` writes into a folder of its own, so its files are told by what they count. A file made before the run
    went on counts fewer attempts and is refused.
    """
    instances = [attempt for attempt in attempts if attempt.status != "error"]
    if not instances:
        return False
    first = attempts[0]
    same = {"domain": first.domain, "victim": first.victim, "attack": first.attack, "instances": len(instances),
            "successes": sum(attempt.status == "success" for attempt in instances)}
    queries = scores.get("queries")
    return (all(scores.get(key) == value for key, value in same.items()) and isinstance(queries, (int, float))
            and math.isclose(queries, sum(attempt.queries for attempt in instances) / len(instances)))


def _attempts(file: Path) -> list[Attempt]:
    attempts = []
    for number, row in enumerate(records.read_rows(file), 1):
        try:
            attempts.append(Attempt.from_row(row))
        except InputError as error:
            raise InputError(f"{file}, line {number}: {error}") from error
    scenarios = {(attempt.domain, attempt.victim, attempt.attack) for attempt in attempts}
    if len(scenarios) > 1:
        raise InputError(f"{file}: attempts of {len(scenarios)} runs in one file; expected one domain, victim and attack")
    return attempts


def _saliency(file: Path) -> dict[str, list[Piece]]:
    if not file.is_file():
        return {}
    maps = {}
    for number, row in enumerate(records.read_rows(file), 1):
        try:
            maps[str(row["id"])] = [(int(s), int(a), int(b), float(value)) for s, a, b, value in row["pieces"]]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{file}, line {number}: expected id and pieces [segment, start, end, value]") from error
    return maps


def _mapping(file: Path) -> dict[str, Any]:
    value = records.read_json(file)
    if not isinstance(value, dict):
        raise InputError(f"{file}: expected a JSON object, got a {type(value).__name__}")
    return value


def _config(file: Path) -> str:
    text = file.read_text(encoding="utf-8", errors="replace")
    try:
        yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"{file} is damaged ({type(error).__name__}); run the attack again with overwrite=true") from error
    return text
