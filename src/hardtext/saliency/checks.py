"""Does the victim rely on the words that a method names? Comprehensiveness and sufficiency (DeYoung et al. 2020, ERASER)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hardtext import seeding
from hardtext.core import Victim
from hardtext.saliency.base import Attribution, read_words
from hardtext.saliency.removal import removal

if TYPE_CHECKING:
    import numpy

SHARES = (0.01, 0.05, 0.10, 0.20, 0.50)
TEXTS_AT_ONCE = 256


def faithfulness(victim: Victim, attributions: Sequence[Attribution], *, shares: Sequence[float] = SHARES,
                 batch_tokens: int | None = None) -> numpy.ndarray:
    """Comprehensiveness and sufficiency of each text: float, (len(attributions), 2).

    With p the probability of the attribution's class and the words in order of their value, highest first:
    comprehensiveness is p(text) − p(text without its top words) (high: they were needed), sufficiency is p(text) −
    p(its top words alone) (low: they are enough), both averaged over the top 1, 5, 10, 20 and 50 % of the words (at least
    one). Words are taken away as occlusion does it. A text without words has NaN. A number means something
    beside that of ``shuffled`` attributions.
    """
    import numpy

    parts = [_part(victim, attributions[i : i + TEXTS_AT_ONCE], shares, batch_tokens)
             for i in range(0, len(attributions), TEXTS_AT_ONCE)]
    return numpy.concatenate([numpy.empty((0, 2)), *parts])


def _part(victim: Victim, attributions: Sequence[Attribution], shares: Sequence[float],
          batch_tokens: int | None) -> numpy.ndarray:
    import numpy

    words = [read_words(a.segments, a.read) for a in attributions]
    variants, kinds = [], []  # kinds: how often each counts, and for which number
    for i, a in enumerate(attributions):
        values = [value for *_, value in a.words()]
        order = sorted(range(len(values)), key=lambda w: -values[w])
        variants.append((i, ()))
        kinds.append((None, 0))
        counts = [max(1, math.ceil(share * len(order))) for share in shares] if order else []
        for count in sorted(set(counts)):
            variants += [(i, order[:count]), (i, order[count:])]
            kinds += [(0, counts.count(count)), (1, counts.count(count))]
    found = removal(victim, batch_tokens).probabilities([a.segments for a in attributions], words, variants)
    sums = numpy.zeros((len(attributions), 2))
    for (i, _), (kind, weight), row in zip(variants, kinds, found, strict=True):
        p = row[attributions[i].target]
        if kind is None:
            whole = p
        else:
            sums[i, kind] += weight * (whole - p)
    empty = numpy.array([not own for own in words], dtype=bool)
    return numpy.where(empty[:, None], numpy.nan, sums / len(shares))


def shuffled(attributions: Sequence[Attribution], seed: int = 0) -> list[Attribution]:
    """The same texts with their words in a random order: what the checks give for a method that knows nothing.

    A text's order depends on the seed and the text alone.
    """
    found = []
    for a in attributions:
        words = a.words()
        values = [value for *_, value in words]
        seeding.generator(seed, "saliency", *a.segments).shuffle(values)
        found.append(replace(a, pieces=tuple((*place, value) for (*place, _), value in zip(words, values, strict=True))))
    return found
