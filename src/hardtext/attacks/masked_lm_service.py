"""Asks the masked LM."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import accumulate, chain, islice
from typing import Protocol

import numpy

from hardtext.attacks.requests import Answered, Context, Proposals, Propose
from hardtext.attacks.services import Stats, Task, share


class MaskedLM(Protocol):
    """What the services need of a masked LM (``hardtext.attacks.masked_lm``). ``window``: pieces it sees of a text."""

    name: str
    mask: str
    window: int

    def pieces(self, words: Sequence[str]) -> list[list[str]]: ...

    def topk(self, texts: Sequence[Sequence[str]], k: int, positions: Sequence[Sequence[int]] | None = None,
             log_probabilities: bool = False) -> list[tuple[list[list[str]], numpy.ndarray]]: ...

    def perplexity(self, texts: Sequence[Sequence[str]]) -> numpy.ndarray: ...


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
            places = [self._places(*pair) for pair in zip(requests, texts, strict=True)]
            tables = self._masked_lm.topk([list(chain.from_iterable(pieces)) for pieces in texts], k,
                                          [list(chain.from_iterable(p.values())) for p in places])
            answers.update(zip(requests, map(_by_word, requests, places, tables), strict=True))
        for task in tasks:
            task.answer = answers[task.request]
        seconds = time.perf_counter() - started
        self._stats.masked_lm_seconds += seconds
        share(seconds, tasks, [sum(map(len, task.request.words)) + 1 for task in tasks])

    def _places(self, request: Propose, pieces: list[list[str]]) -> dict[int, range]:
        """Where the pieces of each word to answer for stand in the text."""
        ends = list(accumulate(map(len, pieces)))
        return {i: range(ends[i] - len(pieces[i]), ends[i]) for i in request.wanted
                if ends[i] <= self._masked_lm.window and (len(pieces[i]) == 1 or not request.whole)}


class Filling:
    """Answers ``Fill`` with a masked LM: the same context is read once a round, whoever asks."""

    def __init__(self, masked_lm: MaskedLM, stats: Stats) -> None:
        self._masked_lm, self._stats = masked_lm, stats

    def serve(self, tasks: Sequence[Task]) -> None:
        started = time.perf_counter()
        answers: dict[tuple[Context, int], Answered] = {}
        for k in sorted({task.request.k for task in tasks}):
            contexts = list(dict.fromkeys(c for task in tasks if task.request.k == k for c in task.request.contexts))
            texts = self._texts(contexts)
            tables = self._masked_lm.topk([pieces for pieces, _ in texts], k, [[place] for _, place in texts],
                                          log_probabilities=True)
            answers.update(((c, k), (tokens[0], values[0]))
                           for c, (tokens, values) in zip(contexts, tables, strict=True))
        for task in tasks:
            task.answer = [answers[context, task.request.k] for context in task.request.contexts]
        seconds = time.perf_counter() - started
        self._stats.masked_lm_seconds += seconds
        share(seconds, tasks, [1 + len(task.request.contexts) for task in tasks])

    def _texts(self, contexts: Sequence[Context]) -> list[tuple[list[str], int]]:
        """The pieces of each context with its mask, cut to what the masked LM sees, and the mask's place."""
        mask, window = self._masked_lm.mask, self._masked_lm.window
        inner = list(dict.fromkeys(chain.from_iterable((*left[1:], *right) for left, right in contexts)))
        pieces = dict(zip(inner, self._masked_lm.pieces(["a", *inner])[1:], strict=True))  # read with a space before
        opening = {word: self._masked_lm.pieces([word])[0] for word in dict.fromkeys(c[0][0] for c in contexts if c[0])}
        texts = []
        for left, right in contexts:
            before = [*(opening[left[0]] if left else ()), *chain.from_iterable(pieces[word] for word in left[1:])]
            flat = [*before, mask, *chain.from_iterable(pieces[word] for word in right)]
            start = max(0, min(len(before) - window // 2, len(flat) - window))
            texts.append((flat[start : start + window], len(before) - start))
        return texts


class Rating:
    """Answers ``Perplexity`` with a masked LM."""

    def __init__(self, masked_lm: MaskedLM, stats: Stats) -> None:
        self._masked_lm, self._stats = masked_lm, stats

    def serve(self, tasks: Sequence[Task]) -> None:
        started = time.perf_counter()
        texts = list(dict.fromkeys(text for task in tasks for text in task.request.texts))
        found = dict(zip(texts, self._masked_lm.perplexity(texts), strict=True))
        for task in tasks:
            task.answer = numpy.array([found[text] for text in task.request.texts])
        seconds = time.perf_counter() - started
        self._stats.masked_lm_seconds += seconds
        share(seconds, tasks, [len(task.request.texts) for task in tasks])


def _by_word(request: Propose, places: dict[int, range], table: tuple[list[list[str]], numpy.ndarray]) -> Proposals:
    """The masked LM's flat answer sorted by word."""
    rows = iter(zip(*table, strict=True))
    answer: Proposals = [[] for _ in request.words]
    for word, place in places.items():
        answer[word] = list(islice(rows, len(place)))
    return answer
