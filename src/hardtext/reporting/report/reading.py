"""The runs below a folder: attack runs with their scores, and what training measured."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from hardtext import records, runs
from hardtext.core import Attempt, InputError, Piece
from hardtext.reporting.saliency.rows import of_attempts
from hardtext.scoring import claims
from hardtext.scoring.submission import HALF_LINE
from hardtext.scoring.summary import Summary, read_summary

log = logging.getLogger(__name__)

FIGURES = ("bodega", "bodega_gated", "confusion", "semantic", "character", "queries", "preserved")
"""The numbers of a run that the page shows, under their names in scores.json."""
SALIENCY = "saliency.jsonl"
"""Beside the attempts, where somebody put it, else what ``task=saliency`` left under ``runs/evaluate``: lines {"id",
"method", "pieces": [[segment, start, end, value], …]} about the original texts (``core.Piece``)."""


@dataclass(frozen=True)
class AttackRun:
    """An attack folder. What the folder lacks is empty; ``state`` is "unknown" without a status.json."""

    folder: Path
    attempts: list[Attempt]
    scores: tuple[dict[str, Any], ...] = ()  # the score files that belong to these attempts
    asked_again: tuple[dict[str, Any], ...] = ()  # of those, what task=score strict=true wrote
    summary: Summary = field(default_factory=Summary)
    config: str = ""  # config.yaml as it stands; its secrets were masked when it was written
    state: str = "unknown"
    saliency: dict[str, list[Piece]] = field(default_factory=dict)
    is_cut: bool = False  # the last line of its attempts is half-written

    @property
    def marks(self) -> tuple[str, ...]:
        """What stands in for something else, is unknown or is missing, in words."""
        return (*self.summary.marks, *([HALF_LINE] if self.is_cut else []))

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
    files = {file: _attempts(file) for file in sorted(root.rglob("attempts.jsonl"))}
    if not any(files.values()):
        raise InputError(f"runs={root}: no attempts.jsonl with attempts below it; make one with python attack.py …")
    scores = [(file, _mapping(file)) for file in sorted(root.rglob("scores.json"))]
    found = [_attack_run(file, attempts, scores) for file, attempts in files.items() if attempts]
    for file, attempts in files.items():
        if not attempts:
            log.warning("%s holds no attempt yet and is left out", runs.shown(file))
    return found


def read_trains(root: Path) -> list[TrainRun]:
    """The training runs below ``root`` that have measured their victim."""
    return [TrainRun(file.parent, _metrics(file)) for file in sorted(root.rglob("metrics.json"))]


def _attack_run(file: Path, attempts: list[Attempt], scores: Sequence[tuple[Path, dict[str, Any]]]) -> AttackRun:
    folder = file.parent
    config = folder / "config.yaml"
    status = runs.read_status(folder)
    sha256 = claims.digest(file)
    own = [_figures(row, path) for path, row in scores if belongs(row, attempts, sha256, path.parent == folder)]
    return AttackRun(
        folder, attempts, scores=tuple(row for row in own if not row.get("strict")),
        asked_again=tuple(row for row in own if row.get("strict")), summary=read_summary(folder),
        config=_config(config) if config.is_file() else "",
        state=status["state"] if status else "unknown", saliency=_saliency(folder / SALIENCY) or of_attempts(attempts),
        is_cut=records.half_line(file))


def belongs(scores: Mapping[str, Any], attempts: Sequence[Attempt], sha256: str, beside: bool = False) -> bool:
    """Whether a score file was made from exactly these attempts, whose file has the digest ``sha256``.

    ``task=score`` writes into a folder of its own; its files hold the digest of the attempts they are about. One of an
    earlier version is told by what it counts: the same scenario, the same counts and queries, or by lying ``beside``
    the attempts. Either way a file made before the run went on is refused.
    """
    if "attempts_sha256" in scores:
        return scores["attempts_sha256"] == sha256
    instances = [attempt for attempt in attempts if attempt.status != "error"]
    if beside or not instances:
        return beside
    first = attempts[0]
    same = {"domain": first.domain, "victim": first.victim, "attack": first.attack, "instances": len(instances),
            "successes": sum(attempt.status == "success" for attempt in instances)}
    queries = scores.get("queries")
    return (all(scores.get(key) == value for key, value in same.items()) and isinstance(queries, (int, float))
            and math.isclose(queries, sum(attempt.queries for attempt in instances) / len(instances)))


def _figures(row: dict[str, Any], file: Path) -> dict[str, Any]:
    """The row of a score file, after a look at what the page computes with."""
    interval = row.get("interval") or {}
    strict = row.get("strict") or {}
    numbers = [row.get(name) for name in FIGURES]
    texts = [row.get(name, "") for name in ("semantic_scorer", "segmenter", "preserved_limits")]
    if not (all(map(_is_number, numbers)) and isinstance(interval, dict)
            and all(pair is None or (isinstance(pair, list) and len(pair) == 2 and all(map(_is_number, pair)))
                    for pair in interval.values())
            and _is_texts(row.get("stand_ins", [])) and _is_texts(texts) and isinstance(strict, dict)
            and (not strict or (isinstance(strict.get("victim"), str) and type(strict.get("confirmed")) is int
                                and all(_is_texts(strict.get(name)) for name in ("unconfirmed", "flipped"))))):
        raise InputError(f"{file} is damaged: no scores as task=score writes them; score those attempts again")
    return row


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value))


def _is_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _metrics(file: Path) -> dict[str, Any]:
    """What train.py measured, after a look at what the page computes with."""
    metrics = _mapping(file)
    clean, robust = metrics.get("attack") or {}, metrics.get("robustness") or {}
    parts = [clean, robust, *(robust.get(name) or {} for name in ("before", "after") if isinstance(robust, dict))]
    if not all(isinstance(part, dict) for part in parts) or not all(
            _is_number(part.get(name)) for part in parts for name in ("texts", "accuracy", "f1", "robust_accuracy")):
        raise InputError(f"{file} is damaged: no figures as train.py writes them; train again with overwrite=true")
    return metrics


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
        except (KeyError, TypeError, ValueError, OverflowError) as error:
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
