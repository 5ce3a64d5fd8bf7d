"""The adverb view: how much of the attribution lies on words that only strengthen. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from hardtext.core import InputError
from hardtext.lexicon import intensifiers
from hardtext.reporting.saliency.rows import Explained
from hardtext.scoring import paired

LEXICONS = {"default": intensifiers.DEFAULT, "published": intensifiers.PUBLISHED}
RESAMPLES = 1000
FEWEST = 10  # a bootstrap over fewer texts is far too narrow


@dataclass(frozen=True)
class Share:
    """Of a group of texts: ``attribution`` is the share of the sum of |value| over all words that lies on intensifiers,
    ``words`` the share of the words that they are, ``ratio`` the former over the latter (1: no more than their number).
    The intervals are 95 % bootstrap over texts; None where fewer than ``FEWEST`` texts hold an intensifier."""

    texts: int
    with_intensifier: int
    attribution: float | None
    attribution_interval: tuple[float, float] | None
    words: float | None
    ratio: float | None
    ratio_interval: tuple[float, float] | None


def lexicon(name: str) -> frozenset[str]:
    if name not in LEXICONS:
        raise InputError(f"saliency.lexicon={name}: expected one of {', '.join(LEXICONS)}")
    return LEXICONS[name]


def mass(row: Explained, words: frozenset[str]) -> tuple[float, float, int, int]:
    """Of one text: |value| on intensifiers, |value| on all words, number of intensifiers, number of words."""
    found = [(abs(value), word.text.lower() in words) for word, value in row.words()]
    return (sum(value for value, hit in found if hit), sum(value for value, _ in found),
            sum(hit for _, hit in found), len(found))


def share(rows: Sequence[Explained], words: frozenset[str], seed: int) -> Share:
    """Over all texts together: long texts and strongly marked ones count for more."""
    table = numpy.array([mass(row, words) for row in rows], float).reshape(-1, 4)
    on, total, hits, count = table.sum(axis=0)
    holding = int((table[:, 2] > 0).sum())
    attribution, part = (on / total if total else None), (hits / count if count else None)
    ratio = attribution / part if attribution is not None and part else None
    shares = ratios = None
    if holding >= FEWEST and total:
        with numpy.errstate(divide="ignore", invalid="ignore"):
            means = paired.resampled_means(table, seed=seed, resamples=RESAMPLES)
            drawn = means[:, 0] / means[:, 1]
            relative = drawn / (means[:, 2] / means[:, 3])
        shares, ratios = (paired.bounds(values[numpy.isfinite(values)]) for values in (drawn, relative))
    return Share(len(rows), holding, attribution, shares, part, ratio, ratios)


def shares(rows: Sequence[Explained], words: frozenset[str], classes: Sequence[str], seed: int) -> dict[str, Share]:
    """``share`` of all texts, and of the texts of each gold class that has any."""
    groups = {"all texts": list(rows)}
    groups |= {f"gold: {name}": part for label, name in enumerate(classes)
               if (part := [row for row in rows if row.label == label])}
    return {name: share(part, words, seed) for name, part in groups.items()}
