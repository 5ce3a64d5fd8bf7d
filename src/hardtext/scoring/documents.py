"""Scores of whole texts: what the pure functions of ``bodega`` make of segments, a segmenter and a semantic scorer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from hardtext.core import InputError, Segments
from hardtext.scoring import bodega, segment
from hardtext.scoring.semantic import SemanticSettings
from hardtext.text import join

Change = tuple[Segments, Segments]
"""(original, adversarial)"""


def character_scores(changes: Sequence[Change]) -> numpy.ndarray:
    """The character score of each change, a pair in its joined form: float, (len(changes),)."""
    return numpy.array([bodega.character_score(join(old), join(new)) for old, new in changes], dtype=float)


def semantic_scores(changes: Sequence[Change], semantic: SemanticSettings, segmenter: str) -> numpy.ndarray:
    """The semantic score of each change: float, (len(changes),). ``segmenter`` as ``segment.resolve`` gave it.

    A text that its segmenter finds no sentence in is one (blank) sentence.
    Raises InputError where the scorer answers with something that is no number, as damaged weights do.
    """
    cut = segment.segmenter(segmenter)
    documents = [bodega.sentence_pairs(cut(old) or [join(old)], cut(new)) for old, new in changes]
    result = bodega.semantic_scores(documents, semantic.score_pairs)
    if not numpy.isfinite(result).all():
        old, _ = changes[int(numpy.flatnonzero(~numpy.isfinite(result))[0])]
        raise InputError(f"semantic={semantic.name}: the scorer gave no number for {join(old)[:60]!r}; "
                         f"check its weights")
    return result
