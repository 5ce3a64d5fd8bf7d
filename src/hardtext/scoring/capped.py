"""What an attack achieves within a number of queries. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

CAPS = (50, 100, 500)
"""Queries per text that the leaderboard looks at."""


def within(bodega: numpy.ndarray, queries: numpy.ndarray, caps: Sequence[int] = CAPS) -> numpy.ndarray:
    """The mean BODEGA score where only successes that took at most ``cap`` queries count: float, (len(caps),).

    Both arguments are (n,) over the same instances; ``bodega`` is 0 where the attack did not succeed. All queries of an
    attempt count, the first prediction and the final re-check included. An attack that knew of the cap could do better.

    >>> within(numpy.array([0.8, 0.6, 0.0]), numpy.array([50, 51, 7]), caps=(50, 100)).round(3).tolist()
    [0.267, 0.467]
    """
    bodega, queries = numpy.asarray(bodega, dtype=float), numpy.asarray(queries)
    return numpy.array([numpy.where(queries <= cap, bodega, 0.0).mean() for cap in caps])
