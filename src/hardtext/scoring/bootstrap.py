"""How far an average may be off: percentile bootstrap over instances. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import numpy

_CELLS = 4_000_000  # drawn at once: bounds the memory, never the result


def bounds(columns: Mapping[str, numpy.ndarray], *, seed: int, resamples: int = 1000,
           level: float = 0.95) -> dict[str, list[float] | None]:
    """Lower and upper bound for the mean of each column, its nan left out (see ``bodega.columns``).

    The columns are (n,) float arrays over the same instances, resampled together. A resample in which a column holds
    only nan says nothing about that column and is left out. None where a column holds fewer than two values.
    """
    table = numpy.stack(list(columns.values()), axis=1)
    n = len(table)
    known = ~numpy.isnan(table)
    filled = numpy.where(known, table, 0.0)
    known_float = known.astype(float)
    generator = numpy.random.default_rng(seed)
    means = []
    rows = max(1, _CELLS // max(n, 1))
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        draws = generator.integers(n, size=(size, n)) + numpy.arange(size)[:, None] * n
        counts = numpy.bincount(draws.ravel(), minlength=size * n).reshape(size, n).astype(float)
        weight = counts @ known_float
        with numpy.errstate(invalid="ignore"):
            means.append(counts @ filled / weight)
    means = numpy.concatenate(means)
    tail = 100 * (1 - level) / 2
    result: dict[str, list[float] | None] = {}
    for index, name in enumerate(columns):
        if known[:, index].sum() < 2:
            result[name] = None
        else:
            values = means[:, index]
            result[name] = [float(b) for b in numpy.percentile(values[~numpy.isnan(values)], [tail, 100 - tail])]
    return result
