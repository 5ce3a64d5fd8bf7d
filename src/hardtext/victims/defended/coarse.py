"""Answers that tell an attacker less: the label alone, rounded scores, few answers a minute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property

import numpy as np

from hardtext.core import Segments, Victim
from hardtext.victims.defended.identity import fingerprint
from hardtext.victims.defended.settings import Output


class Coarse:
    """``victim`` with coarse answers. Rows still sum to 1, and the most probable class stays the most probable one."""

    def __init__(self, victim: Victim, settings: Output) -> None:
        self.victim, self.name, self.classes, self.settings = victim, victim.name, victim.classes, settings

    @cached_property
    def fingerprint(self) -> str:
        """Equal ones answer alike."""
        return fingerprint(self.victim, "output", asdict(self.settings))

    def probabilities(self, texts: Sequence[Segments | str]) -> np.ndarray:
        """float64 (len(texts), classes). Of classes that are equally probable the first one is the answer."""
        return rounded(np.asarray(self.victim.probabilities(texts), np.float64), self.settings.digits)


def rounded(rows: np.ndarray, digits: int) -> np.ndarray:
    """Probabilities (texts, classes) to ``digits`` digits; 0 digits: 1 for the most probable class.

    The others are rounded and the most probable class gets what is left of 1. Where that would not put it ahead of them,
    they are rounded down.

    >>> rounded(np.array([[0.626, 0.374], [0.4951, 0.5049]]), 1).tolist()
    [[0.6, 0.4], [0.4, 0.6]]
    """
    best = rows.argmax(axis=1)[:, None]
    if digits == 0:
        return (np.arange(rows.shape[1]) == best).astype(np.float64)
    scale = 10**digits
    units = rows * scale  # whole numbers from here on, so that sums are exact
    nearest, below = (_rest_to(best, step(units), scale) for step in (np.rint, np.floor))
    ahead = (nearest < np.take_along_axis(nearest, best, axis=1)).sum(axis=1) == rows.shape[1] - 1
    return np.where(ahead[:, None], nearest, below) / scale


def _rest_to(best: np.ndarray, units: np.ndarray, total: int) -> np.ndarray:
    np.put_along_axis(units, best, 0.0, axis=1)
    np.put_along_axis(units, best, total - units.sum(axis=1, keepdims=True), axis=1)
    return units


def minutes_at_rate(queries: int, per_minute: int) -> float:
    """How long ``queries`` answers take one client that gets ``per_minute``, the first minute's at once.

    >>> minutes_at_rate(10, 10), minutes_at_rate(11, 10), minutes_at_rate(500, 60)
    (0.0, 1.0, 8.0)
    """
    return float(max(0, -(-queries // per_minute) - 1))


def rate_of(victim: Victim) -> int | None:
    """How many answers a minute a client of ``victim`` gets; None where any number."""
    return victim.settings.per_minute if isinstance(victim, Coarse) else None
