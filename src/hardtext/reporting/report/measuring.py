"""The numbers of a run: the scores of the whole, and of each attempt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from hardtext import scoring
from hardtext.reporting.report.reading import AttackRun
from hardtext.scoring import documents, segment
from hardtext.scoring.bodega import Pair
from hardtext.scoring.semantic import SemanticSettings

_REAL_FIRST = ("bleurt", "bertscore", "minilm", "none")


@dataclass(frozen=True)
class Measured:
    """``scores``: a row as in scores.json, or None where every attempt is an error; ``scored_here``: not read from a file.
    ``character`` and ``semantic``: of each attempt in order, nan where it is no success (or not measured)."""

    scores: dict[str, Any] | None
    scored_here: bool
    character: numpy.ndarray
    semantic: numpy.ndarray


def measure(found: Sequence[AttackRun], semantic: SemanticSettings, seed: int) -> list[Measured]:
    """The numbers of each run: from its best score file where it has one, else computed with ``semantic``.

    The semantic score of each attempt always comes from ``semantic``, since score files hold averages only. All runs are
    scored together, so that an original which many of them attack is read once.
    """
    rules = [segment.resolve("auto", run.attempts[0].domain, any(len(attempt.original) == 2 for attempt in run.attempts))
             for run in found]
    remembered = Remembered(semantic)
    meanings = _meanings(found, rules, remembered)
    return [_measured(run, rule, remembered, seed, meaning) for run, rule, meaning in zip(found, rules, meanings)]


class Remembered(SemanticSettings):
    """A scorer that asks another one, and never twice about the same pair."""

    def __init__(self, scorer: SemanticSettings) -> None:
        self.name = scorer.name
        self._scorer = scorer
        self._known: dict[Pair, float] = {}

    @property
    def stand_in(self) -> str:
        return self._scorer.stand_in

    def _score_distinct(self, pairs: list[Pair]) -> numpy.ndarray:
        if new := [pair for pair in pairs if pair not in self._known]:
            self._known |= zip(new, self._scorer.score_pairs(new).tolist())
        return numpy.array([self._known[pair] for pair in pairs])


def _meanings(found: Sequence[AttackRun], rules: Sequence[str], semantic: SemanticSettings) -> list[numpy.ndarray]:
    """The semantic score of each attempt of each run, nan where it is no success: float, (attempts,) each."""
    result = [numpy.full(len(run.attempts), numpy.nan) for run in found]
    if semantic.name == "none":
        return result
    for rule in sorted(set(rules)):
        places = [(column, index, (attempt.original, attempt.adversarial))
                  for run, own, column in zip(found, rules, result) if own == rule
                  for index, attempt in enumerate(run.attempts) if attempt.status == "success"]
        if places:
            scores = documents.semantic_scores([change for *_, change in places], semantic, rule)
            for (column, index, _), score in zip(places, scores):
                column[index] = score
    return result


def _measured(run: AttackRun, rule: str, semantic: SemanticSettings, seed: int, meaning: numpy.ndarray) -> Measured:
    attempts = run.attempts
    success = numpy.array([attempt.status == "success" for attempt in attempts])
    character = numpy.full(len(attempts), numpy.nan)
    character[success] = documents.character_scores([(attempt.original, attempt.adversarial) for attempt in attempts
                                                     if attempt.status == "success"])
    if run.scores:
        return Measured(min(run.scores, key=_rank), False, character, meaning)
    if all(attempt.status == "error" for attempt in attempts):
        return Measured(None, True, character, meaning)
    scores = scoring.score(attempts, semantic=semantic, segmenter=rule, seed=seed)
    return Measured(scores.to_row(), True, character, meaning)


def _rank(scores: dict[str, Any]) -> int:
    name = scores.get("semantic_scorer")
    return _REAL_FIRST.index(name) if name in _REAL_FIRST else len(_REAL_FIRST)
