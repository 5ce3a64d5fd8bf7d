"""Certified radii of smoothed victims: how many words an attacker may change without changing the vote of all copies.

Both papers argue alike. What an attacker changes can only move copies in which the change shows. ``untouched`` says for
d = 0, 1, 2, ... changed words what share of the copies it leaves as they were, whichever words those are; the vote holds as
long as the winner's share, less the share that was touched, stays above one half.

- masks: RanMASK (Zeng et al. 2023, section 3), with β = 1, the conservative bound;
- synonyms: SAFER (Ye, Gong and Liu 2020, section 3), against words changed into synonyms of theirs, written in the same case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import comb

import numpy as np
from scipy.stats import beta

from hardtext import text as texts_of
from hardtext.core import Segments
from hardtext.victims.defended.smoothed import kept_words, synonyms


def certified(votes: np.ndarray, untouched: Iterable[float], *, alpha: float) -> int | None:
    """How many words may be changed without changing the vote of all possible copies, with confidence 1 − ``alpha``.

    ``votes``: (classes,) of copies drawn independently; ``untouched``: by number of changed words from 0 on, falling. The
    winner's share is bounded from below (Clopper and Pearson); where the papers draw copies of their own to find the winner,
    ``alpha`` is shared out among the classes here. None where not even the vote on the text itself is certain.
    """
    total, best = int(votes.sum()), int(votes.max())
    lower = float(beta.ppf(alpha / len(votes), best, total - best + 1)) if best else 0.0
    radius = None
    for changed, share in enumerate(untouched):
        if lower - (1 - share) <= 0.5:
            break
        radius = changed
    return radius


def untouched_by_masks(words: int, rate: float) -> Iterator[float]:
    """The share of the copies with ``rate`` of ``words`` words masked that show none of d given words, d from 0 to
    ``words``: C(words − d, kept) / C(words, kept). Marks are not masked, so changes to them are not covered."""
    kept = kept_words(words, rate)
    for changed in range(words + 1):
        yield comb(words - changed, kept) / comb(words, kept)


def untouched_by_synonyms(segments: Segments) -> Iterator[float]:
    """The least share of the copies that stay as they were when d words are changed into synonyms of theirs, d from 0 to the
    number of words that have any.

    A word is read as one of several, itself and its synonyms, all equally likely. Writing another changes what it may be read
    as; of the copies the share may stay that both readings have in common. Words are drawn independently, so the shares of
    the d most damaging changes multiply.
    """
    shares = []
    for word in texts_of.words(segments):
        readings = _readings(word.text)
        if len(readings) > 1:
            shares.append(min(_shared(readings, written) for written in readings))
    stay = 1.0
    yield stay
    for share in sorted(shares):
        stay *= share
        yield stay


def _shared(readings: list[str], written: str) -> float:
    """What share of the copies may stay where ``written`` is put for a word with these readings; 0 for what is not read as
    one word, of which the readings say nothing."""
    if len(texts_of.words((written,))) != 1:
        return 0.0
    others = _readings(written)
    return sum(min(readings.count(form) / len(readings), others.count(form) / len(others)) for form in set(readings))


@lru_cache(maxsize=50_000)
def _readings(word: str) -> list[str]:
    """What a word may be read as, letter by letter, each as likely as the others."""
    return [word, *(texts_of.match_case(synonym, word) for synonym in synonyms(word.lower()))]
