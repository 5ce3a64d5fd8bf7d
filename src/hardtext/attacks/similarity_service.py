"""Compares texts by meaning: the bundled sentence encoder, and the semantic score of BODEGA."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

import numpy

from hardtext.attacks.services import Stats, Task, share
from hardtext.core import Segments
from hardtext.scoring import segment
from hardtext.scoring.documents import semantic_scores
from hardtext.scoring.semantic import SemanticSettings

CACHED_VECTORS = 50_000  # of 384 numbers each: about 80 MB


class Encoder(Protocol):
    """What the service needs of a sentence encoder (``hardtext.scoring.minilm``)."""

    def vectors(self, sentences: Sequence[str]) -> numpy.ndarray:
        """One vector of length 1 a sentence: float, (sentences, size)."""


class Comparing:
    """Answers ``Similar`` with a sentence encoder: each distinct text is encoded once."""

    def __init__(self, encoder: Encoder, stats: Stats) -> None:
        self._encoder, self._stats = encoder, stats
        self._vectors: dict[str, numpy.ndarray] = {}

    def serve(self, tasks: Sequence[Task]) -> None:
        started = time.perf_counter()
        texts = list(dict.fromkeys(text for task in tasks for pair in task.request.pairs for text in pair))
        fresh = [text for text in texts if text not in self._vectors]
        if fresh:
            self._vectors.update(zip(fresh, self._encoder.vectors(fresh), strict=True))
        for task in tasks:
            # one by one, so that a cosine does not depend on the shape of a matrix product
            task.answer = numpy.array([float(self._vectors[a] @ self._vectors[b]) for a, b in task.request.pairs])
        while len(self._vectors) > CACHED_VECTORS:
            del self._vectors[next(iter(self._vectors))]
        seconds = time.perf_counter() - started
        self._stats.encoder_seconds += seconds
        share(seconds, tasks, [1 + len(task.request.pairs) for task in tasks])


class Judging:
    """Answers ``Meaning`` with a semantic scorer, sentences cut as the scores of ``domain`` cut them."""

    def __init__(self, semantic: SemanticSettings, domain: str, stats: Stats) -> None:
        self._semantic, self._domain, self._stats = semantic, domain, stats

    def serve(self, tasks: Sequence[Task]) -> None:
        started = time.perf_counter()
        changes: dict[tuple[Segments, Segments], None] = {}
        for task in tasks:
            changes.update(((task.request.original, text), None) for text in task.request.texts)
        scores: dict[tuple[Segments, Segments], float] = {}
        for pair in (False, True):
            part = [change for change in changes if (len(change[0]) == 2) is pair]
            cut = segment.resolve("auto", self._domain, pair)
            scores.update(zip(part, semantic_scores(part, self._semantic, cut), strict=True) if part else ())
        for task in tasks:
            task.answer = numpy.array([scores[task.request.original, text] for text in task.request.texts])
        seconds = time.perf_counter() - started
        self._stats.encoder_seconds += seconds
        share(seconds, tasks, [1 + len(task.request.texts) for task in tasks])
