"""Asks the victim: full batches, each distinct text once; and for gradients, where it can tell them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy

from hardtext.attacks import ties
from hardtext.attacks.requests import Score
from hardtext.attacks.services import Stats, Task, share
from hardtext.core import Differentiable, InputError, Segments, Victim

CACHED_ROWS = 1_000_000  # about 200 MB
CALL_CHARACTERS = 4_000_000  # one call of the victim: about 20,000 sentences or 1,000 articles
GROWTH = 16  # while waiting for a flip, the first part sent is this fraction of what the example has asked before
ROUND_TEXTS = 256  # of one example in one round, so that a document of 10,000 words takes turns with the others


class Cache:
    """The victim's answers by text: at most ``rows``, the oldest leave first. One victim, one cache.

    Keys are 128-bit digests, so that long texts are not kept.
    """

    def __init__(self, rows: int = CACHED_ROWS) -> None:
        self._rows, self._limit = {}, rows

    def get(self, key: bytes) -> numpy.ndarray | None:
        return self._rows.get(key)

    def add(self, rows: dict[bytes, numpy.ndarray]) -> None:
        self._rows.update(rows)
        while len(self._rows) > self._limit:
            del self._rows[next(iter(self._rows))]


def digest(segments: Segments) -> bytes:
    """A key for a text; pairs are never mistaken for single texts."""
    if len(segments) == 1:
        return blake2b(segments[0].encode("utf-8", "surrogatepass"), digest_size=16).digest()
    first, second = (s.encode("utf-8", "surrogatepass") for s in segments)
    return blake2b(b"%d:%b%b" % (len(first), first, second), digest_size=16, person=b"pair").digest()


class Scoring:
    """Answers ``Score`` with the victim."""

    def __init__(self, victim: Victim, *, cache: Cache | None, max_queries: int | None, speculate: int,
                 stats: Stats) -> None:
        self._victim, self._cache, self._stats = victim, cache, stats
        self._max_queries, self._speculate = max_queries, speculate

    def serve(self, tasks: Sequence[Task]) -> None:
        started = time.perf_counter()
        asked: list[tuple[Task, Sequence[Segments], list[bytes]]] = []
        for task in tasks:
            if task.progress is None:
                task.progress = self._begin(task)
            if not task.spent:
                texts = task.progress.next()
                asked.append((task, texts, [digest(t) for t in texts]))
        rows = self._rows({k: t for _, texts, keys in asked for k, t in zip(keys, texts, strict=True)})
        for task, texts, keys in asked:
            progress, known = task.progress, len(task.seen)
            table = numpy.array([rows[k] for k in keys]).reshape(len(keys), len(self._victim.classes))
            counted = progress.add(table)
            task.queries += counted
            if task.label is not None and not task.request.probe:
                task.tried = True
                _keep_best(task, texts, table[:counted, task.label])
            task.seen.update(keys)
            task.forwards += len(set(keys)) if self._cache is None else len(task.seen) - known
            if progress.done:  # before the budget ended
                task.answer, task.progress = progress.answer(), None
            elif progress.exhausted:
                task.spent = True
        sizes = [1 + sum(len(s) for t in texts for s in t) for _, texts, _ in asked]
        share(time.perf_counter() - started, [task for task, _, _ in asked], sizes)

    def _begin(self, task: Task) -> _Progress:
        request: Score = task.request
        allowed = count = len(request.texts)
        if self._max_queries is not None:
            allowed = min(count, self._max_queries - task.queries)
        task.spent = allowed < 1 <= count
        return _Progress(request.texts, request.until_flip, allowed, max(self._speculate, task.queries // GROWTH))

    def _rows(self, texts: dict[bytes, Segments]) -> dict[bytes, numpy.ndarray]:
        """The victim's answer to each text, from the cache where it is there."""
        if self._cache is None:
            return dict(zip(texts, self._forward(list(texts.values())), strict=True))
        rows = {key: row for key in texts if (row := self._cache.get(key)) is not None}
        wanted = {key: text for key, text in texts.items() if key not in rows}
        fresh = dict(zip(wanted, self._forward(list(wanted.values())), strict=True))
        self._cache.add(fresh)
        return rows | fresh

    def _forward(self, texts: list[Segments]) -> Sequence[numpy.ndarray]:
        lengths = [sum(map(len, t)) for t in texts]
        if sum(lengths) <= CALL_CHARACTERS:
            return self.ask(texts) if texts else ()
        order = sorted(range(len(texts)), key=lengths.__getitem__)
        rows: list[Any] = [None] * len(texts)
        part: list[int] = []
        characters = 0
        for position, i in enumerate(order):
            part.append(i)
            characters += lengths[i]
            last = position + 1 == len(order)
            if last or characters + lengths[order[position + 1]] > CALL_CHARACTERS:
                for j, row in zip(part, self.ask([texts[j] for j in part]), strict=True):
                    rows[j] = row
                part, characters = [], 0
        return rows

    def ask(self, texts: list[Segments]) -> numpy.ndarray:
        """The victim's checked answer to these very texts: float64, (texts, classes)."""
        started = time.perf_counter()
        result = numpy.asarray(self._victim.probabilities(texts), dtype=numpy.float64)
        self._stats.victim_seconds += time.perf_counter() - started
        self._stats.sent += len(texts)
        self._stats.calls += 1
        expected = (len(texts), len(self._victim.classes))
        if result.shape != expected:
            raise InputError(f"victim {self._victim.name}: expected probabilities of shape {expected} "
                             f"(texts, classes), got {result.shape}")
        if not numpy.isfinite(result).all():
            bad = texts[int(numpy.flatnonzero(~numpy.isfinite(result).all(axis=1))[0])]
            raise InputError(f"victim {self._victim.name}: a probability is not finite, for the text {str(bad)[:80]!r}")
        return result


def _keep_best(task: Task, texts: Sequence[Segments], probabilities: numpy.ndarray) -> None:
    if len(probabilities) and ties.below(probabilities[i := ties.least(probabilities)], task.lowest):
        task.best, task.lowest = texts[i], float(probabilities[i])


class _Progress:
    """How far a ``Score`` request has come.

    The part sent in a round depends on this example alone, never on the others in flight, so its ``forwards`` are the
    same whatever runs beside it. While a flip is waited for, parts of ``size``, then twice, four times as many are
    sent: an early flip wastes little, a long wait takes few rounds.
    """

    def __init__(self, texts: Sequence[Segments], label: int | None, allowed: int, size: int) -> None:
        self._texts, self._label, self._allowed = texts, label, allowed
        self._size = ROUND_TEXTS if label is None else size
        self._asked = 0
        self._rows: list[numpy.ndarray] = []
        self.done = False

    def next(self) -> Sequence[Segments]:
        end = min(self._asked + self._size, self._allowed)
        part = self._texts[self._asked:end]
        self._asked = end
        if self._label is not None:
            self._size = min(2 * self._size, ROUND_TEXTS)
        return part

    def add(self, rows: numpy.ndarray) -> int:
        """Take in the rows of the part given out last; return how many of them count as queries."""
        if self._label is not None and len(rows):
            flips = numpy.flatnonzero(ties.moved(rows, self._label))
            if flips.size:
                rows = rows[:flips[0] + 1]
                self.done = True
        self._rows.append(rows)
        self.done = self.done or self._asked == len(self._texts)
        return len(rows)

    @property
    def exhausted(self) -> bool:
        return self._asked == self._allowed

    def answer(self) -> numpy.ndarray:
        return self._rows[0] if len(self._rows) == 1 else numpy.concatenate(self._rows)


class Repeating:
    """Answers ``Repeat``: the texts of all examples go to the victim together, as often as is asked."""

    def __init__(self, scoring: Scoring, max_queries: int | None) -> None:
        self._scoring, self._max_queries = scoring, max_queries

    def serve(self, tasks: Sequence[Task]) -> None:
        started = time.perf_counter()
        for task in tasks:
            task.spent = self._max_queries is not None and task.queries >= self._max_queries
        asked = [task for task in tasks if not task.spent]
        rows: list[list[numpy.ndarray]] = [[] for _ in asked]
        for n in range(max((task.request.times for task in asked), default=0)):
            part = [i for i, task in enumerate(asked) if n < task.request.times]
            for i, row in zip(part, self._scoring.ask([asked[i].request.text for i in part]), strict=True):
                rows[i].append(row)
        for task, found in zip(asked, rows, strict=True):
            task.answer = numpy.array(found)
            task.queries += 1
            task.forwards += len(found)
        share(time.perf_counter() - started, asked, [task.request.times for task in asked])


class Sensing:
    """Answers ``Gradient`` with a victim whose weights are in this process; each asked counts as one query."""

    def __init__(self, victim: Victim, max_queries: int | None, stats: Stats) -> None:
        if not isinstance(victim, Differentiable):
            raise InputError(f"victim {victim.name}: it gives no gradients (its weights are not in this process); "
                             f"take a ranking of the attack that only asks for probabilities")
        self._victim, self._max_queries, self._stats = victim, max_queries, stats

    def serve(self, tasks: Sequence[Task]) -> None:
        started = time.perf_counter()
        for task in tasks:
            task.spent = self._max_queries is not None and task.queries >= self._max_queries
        asked = [task for task in tasks if not task.spent]
        answers = self._victim.gradients([(task.request.segments, task.request.label) for task in asked])
        for task, answer in zip(asked, answers, strict=True):
            task.answer = answer
            task.queries += 1
            task.forwards += 1
        self._stats.gradients += len(asked)
        seconds = time.perf_counter() - started
        self._stats.victim_seconds += seconds
        share(seconds, asked, [1 + sum(map(len, task.request.segments)) for task in asked])
