"""What is known of a victim that is exported: the attack runs and the matrices that are about this very one.

The card's figures are those of this very victim. An attack run belongs to it where the fingerprint in its config.yaml is the
victim's; one that has none (attempts from elsewhere) where the victim, asked again, gives the answers in it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hardtext import disks, records, runs, scoring
from hardtext.core import Attempt, Domain, InputError, Victim
from hardtext.pipelines.annotate import sources
from hardtext.pipelines.leaderboard import system_of
from hardtext.pipelines.train import accuracies
from hardtext.reporting.model_card.facts import Attacked, InMatrix
from hardtext.reporting.model_card.training import is_local
from hardtext.reporting.report import reading
from hardtext.reporting.run_marks import settings_at, state_at
from hardtext.scoring import claims
from hardtext.scoring.summary import NO_SUMMARY

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig
    from hardtext.reporting.report.reading import AttackRun

log = logging.getLogger(__name__)

_ASKED = 100  # texts that a victim is asked again to know its attempts by
_LEAST_ASKED = 10
_ALIKE = 1e-3  # between what it said then and says now; rows are rounded, and processors differ


def attack_runs(victim: Victim, record: dict[str, Any], domain: Domain,
                config: EvaluateConfig) -> list[tuple[AttackRun, str]]:
    """The attack runs against this very victim, each with how that is known; the others are left out with a warning.

    Those that ``attempts=`` names, or all below ``runs=``. Raises InputError where none of the named ones is.
    """
    named = config.attempts is not None
    root = Path(config.runs).expanduser() if config.runs else runs.runs_root()
    if config.runs and not root.is_dir():
        raise InputError(f"runs={root}: no such folder")
    files = sources(config.attempts) if named else records.files_below(root, "attempts.jsonl") if root.is_dir() else []
    found: dict[str, tuple[AttackRun, str]] = {}
    foreign = 0
    for file in files:
        told = settings_at(file.parent / "config.yaml").get("victim_fingerprint")
        if told is None and not named:
            continue  # nothing there says whom it attacked, and nobody said that it was this victim
        if told not in (None, victim.fingerprint):
            foreign += 1
            continue
        if (state := state_at(file.parent)) not in ("", "done"):
            log.warning("left out: %s: the attack is not finished (%s)", disks.shown(file), state)
            continue
        one = attack_run(file)
        if one is None:
            continue
        why = "" if told else unlike(victim, record, one.attempts)
        if why:
            log.warning("left out: %s: %s", disks.shown(file), why)
            continue
        known = ("by the fingerprint that attack.py noted" if told else
                 "by its answers: asked again about the texts, it gave those in the attempts")
        found.setdefault(claims.digest(file), (one, known))
    if foreign:
        log.warning("left out: %d attack runs against other victims, or with backend=onnx (their fingerprint is another)",
                    foreign)
    if named and not found:
        raise InputError(f"attempts={config.attempts}: none of these attack runs is known to be against this victim; attack "
                         f"it with python attack.py victim=<its folder>, or leave attempts away")
    if not found:
        log.warning("no attack run against this victim: the card says that its robustness is unknown")
    return list(found.values())


def attack_run(file: Path) -> AttackRun | None:
    """One attack run; None where nothing in it can be scored."""
    runs_there, _ = reading.read_attacks(file.parent) if next(records.read_rows(file), None) else ([], ())
    for one in runs_there:
        if one.folder == file.parent and any(attempt.status != "error" for attempt in one.attempts):
            return one
    log.warning("left out: %s: it holds no attempt that is no error", disks.shown(file))
    return None


def unlike(victim: Victim, record: dict[str, Any], attempts: Sequence[Attempt]) -> str:
    """Why these attempts cannot be known to be against this victim; "" where asking it again gives the same answers."""
    if blurred := [name for name in ("smooth", "output") if name in record.get("defences", {})]:
        return (f"nothing notes the fingerprint of its victim, and a victim with {blurred[0]} cannot be told by its answers")
    pairs = [pair for a in attempts for pair in ((a.original, a.original_probs), (a.adversarial, a.adversarial_probs))
             if all(pair)][:_ASKED]
    if len(pairs) < _LEAST_ASKED:
        return f"nothing notes the fingerprint of its victim, and it holds answers to {len(pairs)} texts only"
    now = np.asarray(victim.probabilities([text for text, _ in pairs]))
    if any(len(told) != now.shape[1] for _, told in pairs):
        return "its victim has other classes"
    apart = float(np.abs(now - np.array([told for _, told in pairs])).max())
    return f"this victim gives other answers (up to {apart:.3f} apart)" if apart > _ALIKE else ""


def measured(one: AttackRun, known_by: str, domain: Domain, config: EvaluateConfig) -> Attacked:
    """The figures of an attack run: those of task=score with the same scorer, or scored now."""
    row = next((scores for scores in one.scores if scores["semantic_scorer"] == config.semantic.name), None)
    if row is None:
        log.info("scoring %s (task=score keeps its scores for the next time)", disks.shown(one.folder))
        row = scoring.score(one.attempts, semantic=config.semantic, segmenter=config.segmenter, seed=config.seed).to_row()
    told, first = one.summary.row, one.attempts[0]
    cap, share = told.get("max_queries", "unknown"), told.get("single_query_successes")
    name = (system_of(one.folder / "attempts.jsonl", first.attack) if one.summary.missing else
            first.attack + settings_said(told.get("settings") or {}))
    said = [*one.limits, *one.victim_warnings, *([NO_SUMMARY] if one.summary.missing else [])]
    if first.domain != domain.name:
        said.append(f"texts of the domain {first.domain}")
    stand_ins = dict.fromkeys(words for words in (*one.summary.marks, *row.get("stand_ins", ())) if words != NO_SUMMARY)
    return Attacked(
        attack=name, seed=first.seed, scores=row,
        cap="none" if cap is None else str(cap), robust_accuracy=accuracies(one.attempts)["robust_accuracy"],
        repeats=told.get("repeats", 1), single_query=None if share is None else share / len(one.attempts),
        stand_ins=tuple(stand_ins),
        marks=tuple(words for words in said if not words.startswith("max_queries=")),  # which has a column of its own
        sha256=claims.digest(one.folder / "attempts.jsonl"), known_by=known_by)


def settings_said(settings: dict[str, Any]) -> str:
    """What follows an attack's name: its variant and what is not its default.

    >>> settings_said({"variant": "paper", "constraints": {"antonyms": True, "similarity": None}})
    ' (variant=paper, antonyms=True)'
    """
    constraints = settings.get("constraints")
    flat = settings | (constraints if isinstance(constraints, dict) else {})
    said = [f"{key}={value}" for key, value in flat.items() if isinstance(value, str | int | float)
            and not (isinstance(value, str) and is_local(value))]
    return f" ({', '.join(said)})" if said else ""


def matrices_of(fingerprint: str, domain: Domain, config: EvaluateConfig) -> tuple[InMatrix, ...]:
    """This victim in the matrix that ``export.matrix`` names, or in those of its domain on the attack split."""
    if config.export.matrix is not None:
        file = Path(config.export.matrix).expanduser()
        file = file / "matrix.json" if file.is_dir() else file
        if (found := in_matrix(file, fingerprint)) is None:
            raise InputError(f"export.matrix={config.export.matrix}: none of the victims attacked in it is this one")
        return (found,)
    root = runs.evaluate_folder("robustness_matrix", domain.name)
    files = records.files_below(root, "matrix.json") if root.is_dir() else []
    found = [one for file in files if (one := in_matrix(file, fingerprint)) is not None]
    return tuple(one for one in found if one.about["split"] == "attack")  # on dev one chooses


def in_matrix(file: Path, fingerprint: str) -> InMatrix | None:
    """A victim beside the plain one in a matrix.json, by the fingerprints of the attack runs beside it; None where it is
    none of its victims."""
    matrix = records.read_json(file)
    try:
        rows = {row["victim"]: row for row in matrix["rows"]}
        cells = {(cell["victim"], cell["attack"], cell["seed"]): cell for cell in matrix["cells"]}
        attacks = matrix["about"]["attacks"]
        for name, _, seed in cells:
            at = file.parent / "cells" / name / attacks[0] / f"seed={seed}" / "config.yaml"
            if settings_at(at).get("victim_fingerprint") == fingerprint:
                own = tuple((attack, cells["plain", attack, seed], cells[name, attack, seed]) for attack in attacks)
                return InMatrix(matrix["about"], name, seed, rows["plain"], rows[name], own)
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"{disks.shown(file)}: no matrix of task=robustness_matrix "
                         f"({type(error).__name__}: {error})") from error
    return None
