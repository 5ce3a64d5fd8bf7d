"""Probabilities on record: the same to the last digit, whatever batch they were computed in."""

from __future__ import annotations

from collections.abc import Callable

import numpy

from hardtext.core import Segments

Ask = Callable[[list[Segments]], numpy.ndarray]
"""Sends texts to the victim; the answer is a float array, (texts, classes)."""

DIGITS = 5
NOISE = 5e-7  # how far the make-up of a batch moves a float32 probability (about 1e-7 seen), with room to spare


def settle(ask: Ask, segments: Segments, row: numpy.ndarray) -> list[float]:
    """The class probabilities ``row``, (classes,), of a text, rounded to five digits.

    ``ask`` sends texts to the victim. Where noise could carry a probability over a rounding edge, the text is asked
    once more by itself (neither a query nor a forward of the attack), so that a run that was killed and resumed
    records the same digits.
    """
    scaled = numpy.asarray(row, dtype=numpy.float64) * 10**DIGITS
    if (numpy.abs(scaled - numpy.floor(scaled) - 0.5) < NOISE * 10**DIGITS).any():
        row = ask([segments])[0]
    return [round(float(p), DIGITS) for p in row]
