"""What a scorer says of each attempt: the columns that averages, claims and reports are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from hardtext.core import Attempt, InputError
from hardtext.scoring import documents, preserved, segment
from hardtext.scoring.documents import Change
from hardtext.scoring.semantic import MiniLM, RememberingMiniLM, SemanticSettings
from hardtext.text import separator_count


@dataclass(frozen=True, eq=False)
class Columns:
    """Arrays over attempts, in their order: (attempts,). ``success`` bool, the others float: nan where the attack did not
    succeed, and where nobody asked (``preserved``, and everything but ``character`` with the semantic scorer "none")."""

    success: numpy.ndarray
    semantic: numpy.ndarray
    character: numpy.ndarray
    preserved: numpy.ndarray

    def __getitem__(self, rows: slice | numpy.ndarray) -> Columns:
        """The columns of some of the attempts: a slice, or a bool array (attempts,)."""
        return Columns(self.success[rows], self.semantic[rows], self.character[rows], self.preserved[rows])


def columns(attempts: Sequence[Attempt], semantic: SemanticSettings, segmenter: str, *,
            with_preserved: bool = True) -> Columns:
    """The columns of attempts, of one run or of several; ``segmenter`` as ``segment.resolve`` gave it.

    Raises InputError where the scorer cannot be had, or gives no number.
    """
    success = numpy.array([attempt.status == "success" for attempt in attempts], dtype=bool)
    changes = successes(attempts)
    meaning, character, kept = numpy.full((3, len(attempts)), numpy.nan)
    character[success] = documents.character_scores(changes)
    if semantic.name != "none":
        encoder = None
        if isinstance(semantic, MiniLM):  # the model of ``preserved`` reads with the same encoder
            semantic = encoder = RememberingMiniLM(semantic.name, semantic.batch_size, semantic.device)
        meaning[success] = documents.semantic_scores(changes, semantic, segmenter)
        if with_preserved:
            kept[success] = preserved.probabilities(changes, encoder)
    return Columns(success, meaning, character, kept)


def successes(attempts: Sequence[Attempt]) -> list[Change]:
    """(original, adversarial) of each success. Raises InputError for one without an adversarial text."""
    changes = []
    for attempt in attempts:
        if attempt.status == "success":
            if attempt.adversarial is None:
                raise InputError(f"attempt {attempt.id}: its status is success but it has no adversarial text")
            changes.append((attempt.original, attempt.adversarial))
    return changes


def broken_pairs(attempts: Sequence[Attempt]) -> int:
    """How many successes hold ' ~ ' more or less often than their original, a pair."""
    return sum(len(old) == 2 and separator_count(old) != separator_count(new) for old, new in successes(attempts))


def instances(attempts: Sequence[Attempt], where: str) -> list[Attempt]:
    """The attempts that are no errors. Raises InputError, beginning with ``where``, where there is none."""
    found = [attempt for attempt in attempts if attempt.status != "error"]
    if attempts and not found:
        raise InputError(f"{where}: all {len(attempts)} attempts are errors, the first one: {attempts[0].error}")
    return found


def resolve_segmenter(name: str, domain: str, attempts: Sequence[Attempt]) -> str:
    """The segmenter that ``name`` means for attempts of a domain."""
    return segment.resolve(name, domain, any(len(attempt.original) == 2 for attempt in attempts))
