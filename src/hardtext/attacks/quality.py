"""How well a change keeps its text: semantic × character score, what BODEGA pays for a success (Przybyła et al. 2023).

The semantic part is the attack's own scorer (``Meaning``), which need not be the one that the run is judged by.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy

from hardtext.attacks import ties
from hardtext.attacks.base import Target
from hardtext.attacks.requests import Meaning, Request
from hardtext.core import Segments
from hardtext.scoring.documents import character_scores


def products(target: Target, texts: Sequence[Segments]) -> Generator[Request, Any, numpy.ndarray]:
    """The semantic × character score of each of ``texts``: float array, (texts,)."""
    semantic = yield Meaning(target.segments, tuple(texts))
    return semantic * character_scores([(target.segments, changed) for changed in texts])


def best(target: Target, texts: Sequence[Segments]) -> Generator[Request, Any, tuple[int, float]]:
    """Which of ``texts`` (at least one) keeps the original best, and its score; of equal ones the first.

    Used as ``index, product = yield from quality.best(target, texts)``.
    """
    scores = yield from products(target, texts)
    index = ties.most(scores)
    return index, float(scores[index])
