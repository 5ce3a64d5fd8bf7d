"""Is one attack better than another on the same texts? Paired bootstrap, corrected for many comparisons. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

RESAMPLES = 10_000
_CELLS = 4_000_000  # drawn at once: bounds the memory, never the result


def resampled_means(table: numpy.ndarray, *, seed: int, resamples: int = RESAMPLES) -> numpy.ndarray:
    """Means of each column over instances drawn with replacement: float, (resamples, columns).

    ``table`` is float, (instances, columns); a resample draws whole rows, so the columns stay paired. The same seed and
    number of instances give the same draws, so columns of two calls are paired too where their rows are the same texts.
    """
    table = numpy.asarray(table, dtype=float)
    n = len(table)
    generator = numpy.random.default_rng(seed)
    rows = max(1, _CELLS // n)
    means = []
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        draws = generator.integers(n, size=(size, n)) + numpy.arange(size)[:, None] * n
        counts = numpy.bincount(draws.ravel(), minlength=size * n).reshape(size, n)
        means.append(counts @ table / n)
    return numpy.concatenate(means)


def bounds(means: numpy.ndarray, level: float = 0.95) -> tuple[float, float]:
    """The percentile interval of resampled means: (resamples,)."""
    tail = 100 * (1 - level) / 2
    low, high = numpy.percentile(means, [tail, 100 - tail])
    return float(low), float(high)


def p_value(difference: float, resampled: numpy.ndarray) -> float:
    """How often a difference at least as large would turn up if there were none; two-sided.

    ``difference`` is the observed mean difference, ``resampled`` (resamples,) the same difference in resamples; shifted
    by ``difference`` these are what it would be without one (Efron & Tibshirani 1993, §16.4). Never 0: the observed
    data count as one resample.

    >>> p_value(0.2, numpy.array([0.1, 0.2, 0.3, 0.45])), p_value(0.0, numpy.array([0.1, -0.1]))
    (0.4, 1.0)
    """
    # 1e-12: of two identical systems every difference is 0 but for rounding
    extreme = numpy.abs(resampled - difference) >= abs(difference) - 1e-12
    return float((1 + extreme.sum()) / (1 + len(resampled)))


def holm(values: Sequence[float]) -> list[float]:
    """p-values corrected for being several (Holm 1979): each is compared as if with the others of its family.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [1.0] * len(values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        corrected[index] = largest
    return corrected
