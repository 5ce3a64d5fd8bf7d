"""Who answers the requests of attacks. Each service works on the requests of many examples at once.

A round of the engine hands every service the tasks that wait for it; the service does one batch of work and sets the
answer of each task whose request is complete. A new kind of request needs one class here.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import accumulate, chain, islice
from typing import Any, Protocol

import numpy

from hardtext.attacks.requests import Proposals, Propose, Score
from hardtext.core import InputError, Segments, Victim

CACHED_ROWS = 1_000_000  # about 200 MB
CALL_CHARACTERS = 4_000_000  # one call of the victim: about 20,000 sentences or 1,000 articles
ROUND_TEXTS = 256  # of one example in one round, so that a document of 10,000 words takes turns with the others


class MaskedLM(Protocol):
    """What the services need of a masked LM (``hardtext.attacks.masked_lm``). ``window``: pieces it sees of a text."""

    name: str
    mask: str
    window: int

    def pieces(self, words: Sequence[str]) -> list[list[str]]: ...

    def topk(self, texts: Sequence[Sequence[str]], k: int, positions: Sequence[Sequence[int]] | None = None,
             ) -> list[tuple[list[list[str]], numpy.ndarray]]: ...

    def perplexity(self, texts: Sequence[Sequence[str]]) -> numpy.ndarray: ...


@dataclass(slots=True)
class Stats:
    """What a run really did. ``sent``: texts that went through the victim, each counted once whoever shares it."""

    sent: int = 0
    calls: int = 0
    rounds: int = 0
    victim_seconds: float = 0.0
    masked_lm_seconds: float = 0.0


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


@dataclass(slots=True)
class Task:
    """What the services know of an example in work."""

    request: Any = None
    answer: Any = None  # not None: the request is complete
    progress: Any = None  # a service's own notes while a request takes several rounds
    spent: bool = False  # the request does not fit into what is left of max_queries
    queries: int = 0
    forwards: int = 0
    seconds: float = 0.0
    seen: set[bytes] = field(default_factory=set)


class Service(Protocol):
    def serve(self, tasks: Sequence[Task]) -> None:
        """One round of work: set ``answer`` (or ``spent``) of every task that is done."""


class Scoring:
    """Answers ``Score`` with the victim."""

    def __init__(self, victim: Victim, *, cache: Cache | None, max_queries: int | None, speculate: int,
                 stats: Stats) -> None:
        self._victim, self._cache, self._stats = victim, cache, stats
        self._max_queries, self._speculate = max_queries, speculate

    def serve(self, tasks: Sequence[Task]) -> None:
        started = time.perf_counter()
        rows: dict[bytes, numpy.ndarray] = {}
        wanted: dict[bytes, Segments] = {}
        parts: list[tuple[Task, list[bytes]]] = []
        sizes: list[int] = []
        for task in tasks:
            if task.progress is None:
                task.progress = self._begin(task)
            if task.spent:
                continue
            texts = task.progress.next()
            keys = [digest(t) for t in texts]
            size = 0
            for key, text in zip(keys, texts):
                if key in rows or key in wanted:
                    continue
                row = None if self._cache is None else self._cache.get(key)
                if row is None:
                    wanted[key] = text
                    size += sum(map(len, text))
                else:
                    rows[key] = row
            if self._cache is None:
                task.forwards += len(set(keys))
            else:
                known = len(task.seen)
                task.seen.update(keys)
                task.forwards += len(task.seen) - known
            parts.append((task, keys))
            sizes.append(size + len(keys))
        fresh = dict(zip(wanted, self._forward(list(wanted.values()))))
        rows.update(fresh)
        for task, keys in parts:
            progress = task.progress
            table = numpy.array([rows[key] for key in keys]).reshape(len(keys), len(self._victim.classes))
            task.queries += progress.add(table)
            if progress.done:
                task.answer, task.progress = progress.answer(), None
            elif progress.exhausted:
                task.spent = True
        if self._cache is not None:
            self._cache.add(fresh)
        _share(time.perf_counter() - started, [task for task, _ in parts], sizes)

    def _begin(self, task: Task) -> _Progress:
        request: Score = task.request
        allowed = count = len(request.texts)
        if self._max_queries is not None:
            allowed = min(count, self._max_queries - task.queries)
        if allowed < count and (request.until_flip is None or allowed < 1):
            task.spent = True
        return _Progress(request.texts, request.until_flip, allowed, self._speculate)

    def _forward(self, texts: list[Segments]) -> Sequence[numpy.ndarray]:
        lengths = [sum(map(len, t)) for t in texts]
        if sum(lengths) <= CALL_CHARACTERS:
            return self._ask(texts) if texts else ()
        order = sorted(range(len(texts)), key=lengths.__getitem__)
        rows: list[Any] = [None] * len(texts)
        part: list[int] = []
        characters = 0
        for position, i in enumerate(order):
            part.append(i)
            characters += lengths[i]
            last = position + 1 == len(order)
            if last or characters + lengths[order[position + 1]] > CALL_CHARACTERS:
                for j, row in zip(part, self._ask([texts[j] for j in part])):
                    rows[j] = row
                part, characters = [], 0
        return rows

    def _ask(self, texts: list[Segments]) -> numpy.ndarray:
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


class _Progress:
    """How far a ``Score`` request has come.

    The part sent in a round depends on this request alone, never on the other examples in flight: an example's
    ``forwards`` are the same whatever runs beside it. While a flip is waited for, parts grow from ``speculate``
    twofold, so that an early flip wastes little and a long wait takes few rounds.
    """

    def __init__(self, texts: Sequence[Segments], label: int | None, allowed: int, speculate: int) -> None:
        self._texts, self._label, self._allowed = texts, label, allowed
        self._size = ROUND_TEXTS if label is None else speculate
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
        if self._label is not None:
            flips = numpy.flatnonzero(rows.argmax(axis=1) != self._label)
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


class Proposing:
    """Answers ``Propose`` with a masked LM: the same text is read once a round, whoever asks."""

    def __init__(self, masked_lm: MaskedLM, stats: Stats) -> None:
        self._masked_lm, self._stats = masked_lm, stats

    def serve(self, tasks: Sequence[Task]) -> None:
        started = time.perf_counter()
        answers: dict[Propose, Proposals] = {}
        for k in sorted({task.request.k for task in tasks}):
            requests = list(dict.fromkeys(task.request for task in tasks if task.request.k == k))
            texts = [self._masked_lm.pieces(request.words) for request in requests]
            places = [self._places(request, pieces) for request, pieces in zip(requests, texts)]
            tables = self._masked_lm.topk([list(chain.from_iterable(pieces)) for pieces in texts], k,
                                          [list(chain.from_iterable(p.values())) for p in places])
            answers.update(zip(requests, map(_by_word, requests, places, tables)))
        for task in tasks:
            task.answer = answers[task.request]
        seconds = time.perf_counter() - started
        self._stats.masked_lm_seconds += seconds
        _share(seconds, tasks, [sum(map(len, task.request.words)) + 1 for task in tasks])


    def _places(self, request: Propose, pieces: list[list[str]]) -> dict[int, range]:
        """Where the pieces of each word to answer for stand in the text."""
        ends = list(accumulate(map(len, pieces)))
        return {i: range(ends[i] - len(pieces[i]), ends[i]) for i in request.wanted
                if ends[i] <= self._masked_lm.window and (len(pieces[i]) == 1 or not request.whole)}


class Ranking:
    """Answers ``Perplexity`` with a masked LM."""

    def __init__(self, masked_lm: MaskedLM, stats: Stats) -> None:
        self._masked_lm, self._stats = masked_lm, stats

    def serve(self, tasks: Sequence[Task]) -> None:
        started = time.perf_counter()
        texts = list(dict.fromkeys(text for task in tasks for text in task.request.texts))
        found = dict(zip(texts, self._masked_lm.perplexity(texts)))
        for task in tasks:
            task.answer = numpy.array([found[text] for text in task.request.texts])
        seconds = time.perf_counter() - started
        self._stats.masked_lm_seconds += seconds
        _share(seconds, tasks, [len(task.request.texts) for task in tasks])


def _by_word(request: Propose, places: dict[int, range], table: tuple[list[list[str]], numpy.ndarray]) -> Proposals:
    """The masked LM's flat answer sorted by word."""
    rows = iter(zip(*table))
    answer: Proposals = [[] for _ in request.words]
    for word, place in places.items():
        answer[word] = list(islice(rows, len(place)))
    return answer


def _share(seconds: float, tasks: Sequence[Task], sizes: Iterable[int]) -> None:
    """Charge a round's time to its tasks in proportion to the work they brought."""
    sizes = list(sizes)
    total = sum(sizes) or 1
    for task, size in zip(tasks, sizes):
        task.seconds += seconds * size / total
