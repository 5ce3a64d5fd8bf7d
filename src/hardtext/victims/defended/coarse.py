"""Answers that tell an attacker less: the label alone, rounded scores, few answers a minute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from hardtext.core import Segments, Victim
from hardtext.victims.defended.identity import fingerprint
from hardtext.victims.defended.settings import Output


class Coarse:
    """``victim`` with coarse answers. Rows still sum to 1; equal rounded scores keep the victim's order of classes."""

    def __init__(self, victim: Victim, settings: Output) -> None:
        self.victim, self.name, self.classes = victim, victim.name, victim.classes
        self.digits, self.per_minute = settings.digits, settings.per_minute
        self.fingerprint = fingerprint(victim, "output", asdict(settings))

    def probabilities(self, texts: Sequence[Segments | str]) -> np.ndarray:
        """float (len(texts), classes). The most probable class stays the most probable one: where rounding makes others
        equal to it, it gets the last digit more."""
        rows = np.asarray(self.victim.probabilities(texts))
        best = rows.argmax(axis=1)[:, None]
        if self.digits == 0:
            return (np.arange(rows.shape[1]) == best).astype(rows.dtype)
        coarse = np.floor(rows * 10**self.digits) / 10**self.digits  # what is left over goes to the best class
        np.put_along_axis(coarse, best, 0.0, axis=1)
        np.put_along_axis(coarse, best, 1.0 - coarse.sum(axis=1, keepdims=True), axis=1)
        return coarse


def minutes_at_rate(queries: int, per_minute: int) -> float:
    """How long ``queries`` answers take one client that gets ``per_minute``.

    >>> minutes_at_rate(10, 10), minutes_at_rate(11, 10), minutes_at_rate(500, 60)
    (0.0, 1.0, 8.0)
    """
    return float(max(0, -(-queries // per_minute) - 1))
