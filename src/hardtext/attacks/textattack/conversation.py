"""Code that calls a function when it wants something, turned into a generator that yields what it wants.

The code runs in a greenlet of its own: all in one thread, and it changes places with its caller at these calls only.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from typing import Any

import numpy

Ask = Callable[[Any], Any]


def conversation(work: Callable[[Ask], Any], seed: int) -> Generator[Any, Any, Any]:
    """Run ``work(ask)``: yield what it asks, hand it what is sent, return what it returns.

    While it is at work the global generators of ``random``, numpy and torch are its own, seeded with ``seed`` (32 bits)
    at the start; whenever it stops they are what they were. Closing the generator raises GreenletExit in ``ask``, so
    that nothing of ``work`` is left.
    """
    from greenlet import getcurrent, greenlet

    draws = _Draws(seed)
    worker = greenlet(lambda: work(lambda question: getcurrent().parent.switch(question)))
    try:
        with draws:
            said = worker.switch()
        while not worker.dead:
            answer = yield said
            worker.parent = getcurrent()  # whoever drives the generator now
            with draws:
                said = worker.switch(answer)
        return said
    finally:
        if not worker.dead:
            worker.parent = getcurrent()
            worker.throw()


class _Draws:
    """The states of the process's random generators that belong to one conversation."""

    def __init__(self, seed: int) -> None:
        self._seed, self._inside, self._outside = seed, None, None

    def __enter__(self) -> None:
        import torch

        self._outside = _states()
        if self._inside is None:
            random.seed(self._seed)
            numpy.random.seed(self._seed)
            torch.manual_seed(self._seed)
        else:
            _restore(self._inside)

    def __exit__(self, *_: object) -> None:
        self._inside = _states()
        _restore(self._outside)


def _states() -> tuple[Any, Any, Any]:
    import torch

    return random.getstate(), numpy.random.get_state(), torch.get_rng_state()


def _restore(states: tuple[Any, Any, Any]) -> None:
    import torch

    random.setstate(states[0])
    numpy.random.set_state(states[1])
    torch.set_rng_state(states[2])
