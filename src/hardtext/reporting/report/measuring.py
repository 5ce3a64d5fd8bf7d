"""The numbers of a run: the scores of the whole, and of each attempt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy

from hardtext.reporting.report.reading import AttackRun
from hardtext.scoring.measure import Columns, columns, resolve_segmenter
from hardtext.scoring.scores import averages
from hardtext.scoring.semantic import SemanticSettings

_REAL_FIRST = ("bleurt", "bertscore", "minilm")


@dataclass(frozen=True)
class Measured:
    """``scores``: a row as in scores.json, or None where every attempt is an error; ``scored_here``: not read from a file.
    ``character`` and ``semantic``: of each attempt in order, nan where it is no success (or not measured).
    ``asked_again``: a row as in scores.json for each victim that strict=true has asked again."""

    scores: dict[str, Any] | None
    scored_here: bool
    character: numpy.ndarray
    semantic: numpy.ndarray
    asked_again: tuple[dict[str, Any], ...] = ()


def check(found: Sequence[AttackRun], semantic: SemanticSettings, segmenter: str) -> None:
    """Raise InputError where the scorer or the segmenter cannot be had, before anything is measured."""
    for run in found:
        _segmenter(run, segmenter)
    semantic.check_weights()


def measure(found: Sequence[AttackRun], semantic: SemanticSettings, seed: int, segmenter: str = "auto") -> list[Measured]:
    """The numbers of each run: from its best score file where that was made with ``semantic`` or with a scorer nearer to
    the published one, else computed with ``semantic``.

    The semantic score of each attempt always comes from ``semantic``, since score files hold averages only. Runs that
    are cut into sentences alike are scored together, so that an original which many of them attack is read once.
    """
    def kind(place: int) -> tuple[str, bool]:
        return _segmenter(found[place], segmenter), _kept(found[place], semantic) is None

    result: dict[int, Measured] = {}
    for (rule, is_new), group in groupby(sorted(range(len(found)), key=kind), key=kind):
        places = list(group)
        attempts = [attempt for place in places for attempt in found[place].attempts]
        scored, start = columns(attempts, semantic, rule, with_preserved=is_new), 0
        for place in places:
            end = start + len(found[place].attempts)
            result[place] = _measured(found[place], scored[start:end], semantic, rule, seed)
            start = end
    return [result[place] for place in range(len(found))]


def _segmenter(run: AttackRun, name: str) -> str:
    return resolve_segmenter(name, run.attempts[0].domain, run.attempts)


def _measured(run: AttackRun, scored: Columns, semantic: SemanticSettings, segmenter: str, seed: int) -> Measured:
    parts = {"character": scored.character, "semantic": scored.semantic, "asked_again": _asked_again(run)}
    if kept := _kept(run, semantic):
        return Measured(kept, False, **parts)
    if all(attempt.status == "error" for attempt in run.attempts):
        return Measured(None, True, **parts)
    scores = averages(run.attempts, scored, semantic=semantic, segmenter=segmenter, seed=seed)
    return Measured(scores.to_row(), True, **parts)


def _asked_again(run: AttackRun) -> tuple[dict[str, Any], ...]:
    """The best score file of each victim that was asked again."""
    best: dict[str, dict[str, Any]] = {}
    for row in sorted(run.asked_again, key=_rank):
        best.setdefault(row["strict"]["victim"], row)
    return tuple(best.values())


def _kept(run: AttackRun, semantic: SemanticSettings) -> dict[str, Any] | None:
    """The best score file of a run, None where measuring it with ``semantic`` says more."""
    best = min(run.scores, key=_rank, default=None)
    return best if best is not None and _rank(best)[0] <= _place(semantic.name) else None


def _rank(scores: dict[str, Any]) -> tuple[int, int]:
    """The least is the best: by the scorer, then by how much stood in for something."""
    return _place(scores["semantic_scorer"]), len(scores.get("stand_ins", ()))


def _place(scorer: str) -> int:
    """Without a BODEGA score last, a scorer that nobody here knows before that."""
    if scorer == "none":
        return len(_REAL_FIRST) + 1
    return _REAL_FIRST.index(scorer) if scorer in _REAL_FIRST else len(_REAL_FIRST)
