"""The runs below a folder: attack runs with their scores, and what training measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from hardtext import disks, records, runs, scoring
from hardtext.core import Attempt, InputError, Piece
from hardtext.domains import DOMAINS
from hardtext.domains.published import PublishedDomain
from hardtext.domains.sample import SampleDomain
from hardtext.reporting.report import score_files
from hardtext.reporting.run_marks import marks_of
from hardtext.reporting.saliency.rows import of_attempts
from hardtext.scoring import claims
from hardtext.scoring.summary import Summary, read_summary

SCORES = "scores.json"
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
    limits: tuple[str, ...] = ()  # what keeps the run from being a complete one, in words

    @property
    def marks(self) -> tuple[str, ...]:
        """What stands in for something else, is unknown or is missing, in words."""
        return (*self.summary.marks, *self.limits, *self.victim_warnings)

    @property
    def victim_warnings(self) -> tuple[str, ...]:
        """What the attack said of its victim before it began (nearly undecided, always one class, …)."""
        said = self.summary.row.get("victim_warnings")
        return tuple(words for words in said if isinstance(words, str)) if isinstance(said, list) else ()

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


def read_attacks(root: Path) -> tuple[list[AttackRun], list[str]]:
    """The attack runs at and below ``root``, by folder, and in words what else lies there and is left out.

    Each has the score files that are about exactly its attempts: those below ``root``, and what ``task=score`` left under
    ``runs/evaluate/score``. Left out are empty attempts, copies, submissions, and score files that are foreign or damaged.
    Raises InputError where the folder is missing, where no run lies below it, and where one is damaged.
    """
    if not root.is_dir():
        raise InputError(f"runs={root}: no such folder; expected a folder of runs, such as {disks.shown(runs.runs_root())}")
    left_out: list[str] = []
    attempts: dict[Path, list[Attempt]] = {}
    seen: dict[str, Path] = {}
    for file in records.files_below(root, "attempts.jsonl"):
        if next(records.read_rows(file), None) is None:
            left_out.append(f"{disks.shown(file)} (empty so far)")
        elif (sha256 := claims.digest(file)) in seen:
            left_out.append(f"{disks.shown(file)} (a copy of {disks.shown(seen[sha256])})")
        else:
            attempts[file], seen[sha256] = scoring.load_attempts(file.parent), file
    if not attempts:
        raise InputError(f"runs={root}: no attempts.jsonl with attempts below it; make one with python attack.py …")
    left_out += [f"{disks.shown(file)} (a submission: task=score and task=leaderboard read it, this page does not)"
                 for file in records.files_below(root, "submission_*.tsv")]
    scores = read_scores(_score_files(root), {sha256: attempts[file] for sha256, file in seen.items()}, left_out)
    return [_attack_run(file, attempts[file], scores.get(sha256, ())) for sha256, file in seen.items()], left_out


def _attack_run(file: Path, attempts: list[Attempt], scores: Sequence[dict[str, Any]]) -> AttackRun:
    folder = file.parent
    config = folder / "config.yaml"
    status = runs.read_status(folder)
    return AttackRun(
        folder, attempts, scores=tuple(row for row in scores if not row.get("strict")),
        asked_again=tuple(row for row in scores if row.get("strict")), summary=read_summary(folder),
        config=_config(config) if config.is_file() else "",
        state=status["state"] if status else "unknown", saliency=_saliency(folder / SALIENCY) or of_attempts(attempts),
        limits=tuple(marks_of(file, attempts)))


def _score_files(root: Path) -> list[Path]:
    """Those below ``root``, and what ``task=score`` left elsewhere."""
    folders = [folder for folder in (runs.evaluate_folder("score"), root) if folder.is_dir()]
    return sorted({file.resolve(): file for folder in folders for file in records.files_below(folder, SCORES)}.values())


def read_scores(files: Sequence[Path], attempts: Mapping[str, Sequence[Attempt]],
                left_out: list[str]) -> dict[str, list[dict[str, Any]]]:
    """The rows of score files by the digest of the attempts they are about; those about no attempts here are passed over.

    ``attempts``: by the digest of their file. ``left_out`` takes a line for each file that is none of ours, or damaged.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    for file in files:
        try:
            row = score_files.check(records.read_json(file))
            if found := attempts.get(row["attempts_sha256"]):
                score_files.check_counts(row, found)
                rows.setdefault(row["attempts_sha256"], []).append(row)
        except InputError as error:
            left_out.append(f"{disks.shown(file)} ({str(error).removeprefix(f'{file}: ')})")
    return rows


def read_trains(root: Path) -> tuple[list[TrainRun], list[str]]:
    """The training runs below ``root`` that have measured their victim, and what was left out as foreign or damaged."""
    found, left_out = [], []
    for file in records.files_below(root, "metrics.json") if root.is_dir() else ():
        try:
            found.append(TrainRun(file.parent, _metrics(file)))
        except InputError as error:
            left_out.append(f"{disks.shown(file)} ({str(error).removeprefix(f'{file}: ')})")
    return found, left_out


def _metrics(file: Path) -> dict[str, Any]:
    """What train.py measured, after a look at what the page shows."""
    metrics = records.read_json(file)
    if not isinstance(metrics, dict) or not all(isinstance(metrics.get(name), str) for name in ("domain", "model")):
        raise InputError("no figures of train.py: it names no domain and model")
    clean, robust = metrics.get("attack") or {}, metrics.get("robustness") or {}
    parts = [clean, robust, *(robust.get(name) or {} for name in ("before", "after") if isinstance(robust, dict))]
    classes = metrics.get("classes", [])
    if not (all(isinstance(part, dict) for part in parts)
            and all(score_files.is_share(part.get(name)) for part in parts for name in ("accuracy", "f1", "robust_accuracy"))
            and all(part.get("texts") is None or score_files.is_count(part["texts"]) for part in parts)
            and isinstance(classes, list) and all(isinstance(name, str) for name in classes)
            and _is_confusion(clean.get("confusion"), len(classes))):
        raise InputError("damaged: no figures as train.py writes them; train again with overwrite=true")
    return metrics


def _is_confusion(table: Any, classes: int) -> bool:
    """Whether it counts texts by class and answer; a file without one is fine."""
    return table is None or (isinstance(table, list) and len(table) == (classes or len(table)) and all(
        isinstance(row, list) and all(score_files.is_count(cell) for cell in row) for row in table))


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


def _config(file: Path) -> str:
    text = records.read_text(file)
    try:
        yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"{file} is damaged ({type(error).__name__}); run the attack again with overwrite=true") from error
    return text


def class_names(trains: Sequence[TrainRun]) -> dict[str, tuple[str, ...]]:
    """The classes of each domain: those of the domains that come with the package, and of others what their training
    runs say, where they agree."""
    found = {name: settings.meaning.classes for name, settings in DOMAINS.items()
             if issubclass(settings, (PublishedDomain, SampleDomain))}
    told: dict[str, set[tuple[str, ...]]] = {}
    for train in trains:
        if names := tuple(train.metrics.get("classes", ())):
            told.setdefault(train.metrics["domain"], set()).add(names)
    return {domain: next(iter(names)) for domain, names in told.items() if len(names) == 1} | found
