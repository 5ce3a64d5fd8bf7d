"""Is the victim one that can be attacked at all? Asked before a run, after AutoAttack's checks (Croce & Hein 2020).

A weak evaluation comes from the victim as often as from the attack: one in training mode, one whose columns are
swapped or one that says the same of everything makes every figure meaningless, without any error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from hardtext import seeding
from hardtext.attacks import ties
from hardtext.core import Example, InputError, Victim

LOOKED_AT = 32  # examples
LEAST_TO_JUDGE = 8  # examples before accuracy or sameness says anything
NOISE = 1e-5  # between two answers to the same text
SUM_TOLERANCE = 1e-3
UNDECIDED = 0.05  # above chance
REPEATS = 5  # how often a victim that answers by chance is asked, unless the user says otherwise


@dataclass(frozen=True)
class Sanity:
    """``warnings``: what is odd, a sentence each. ``random``: whether the same text got different answers."""

    warnings: tuple[str, ...]
    random: bool = False


def check(victim: Victim, examples: Sequence[Example], seed: int = 0) -> Sanity:
    """Ask the victim about a few of ``examples`` twice: together and one by one. Queries of no attempt.

    Raises InputError where its answer has the wrong shape or is no number.
    """
    texts = [e for e in examples if any(c.isalnum() for s in e.segments for c in s)]
    if len(texts) > LOOKED_AT:
        chosen = seeding.generator(seed, "sanity").sample(range(len(texts)), LOOKED_AT)
        texts = [texts[i] for i in sorted(chosen)]
    if not texts:
        return Sanity(("no example holds a letter or a digit: there is nothing to attack",))
    rows = _ask(victim, texts)
    again = _ask(victim, texts)
    few = texts[: LEAST_TO_JUDGE // 2]
    alone = numpy.concatenate([_ask(victim, [e]) for e in few])
    warnings = []
    random = bool(numpy.abs(rows - again).max() > NOISE)
    if random:
        warnings.append(f"the same text asked twice got probabilities {numpy.abs(rows - again).max():.2g} apart: a "
                        f"defence by chance, or a model that is not in eval mode (dropout on); success needs a majority "
                        f"of several queries, and one query flatters it")
    elif numpy.abs(rows[: len(few)] - alone).max() > NOISE:
        warnings.append(f"a text's probabilities depend on the texts beside it (up to "
                        f"{numpy.abs(rows[: len(few)] - alone).max():.2g}): padding is not masked, so results depend on "
                        f"how batches are made")
    if (worst := numpy.abs(rows.sum(axis=1) - 1).max()) > SUM_TOLERANCE or (rows < -NOISE).any():
        warnings.append(f"the victim's rows are no probabilities (a sum is {worst:.2g} away from 1, the smallest value is "
                        f"{rows.min():.2g}): logits need a softmax")
    if len(texts) >= LEAST_TO_JUDGE:
        warnings += _judge(rows, texts, victim.classes)
    return Sanity(tuple(warnings), random)


def _judge(rows: numpy.ndarray, texts: Sequence[Example], classes: Sequence[str]) -> list[str]:
    predictions = ties.predicted(rows)
    if numpy.ptp(rows, axis=0).max() < NOISE:
        return [f"the victim says the same of {len(texts)} different texts: it does not read them"]
    found = []
    if (surest := rows.max()) < 1 / len(classes) + UNDECIDED:
        found.append(f"the victim is nearly undecided about all of {len(texts)} texts (no probability above "
                     f"{surest:.2f}): a breath moves it, so success says little")
    if len(set(predictions.tolist())) == 1:
        found.append(f"the victim predicts {classes[predictions[0]]!r} for all of {len(texts)} texts looked at: attacks "
                     f"only ever push it away from there")
    labels = numpy.array([e.label for e in texts])
    known = (labels >= 0) & (labels < len(classes))
    if known.sum() >= LEAST_TO_JUDGE and len(set(labels[known].tolist())) > 1:
        right = float((predictions[known] == labels[known]).mean())
        if right < 0.5 / len(classes):
            found.append(f"the victim's predictions agree with {right:.0%} of the gold labels, far below chance: are its "
                         f"classes in the order {', '.join(classes)}?")
    return found


def _ask(victim: Victim, texts: Sequence[Example]) -> numpy.ndarray:
    rows = numpy.asarray(victim.probabilities([e.segments for e in texts]), dtype=numpy.float64)
    expected = (len(texts), len(victim.classes))
    if rows.shape != expected:
        raise InputError(f"victim {victim.name}: expected probabilities of shape {expected} (texts, classes), "
                         f"got {rows.shape}")
    if not numpy.isfinite(rows).all():
        raise InputError(f"victim {victim.name}: a probability is not finite")
    return rows
