"""One rule for values that float noise could order either way: within 1e-6 they are equal, and the earlier wins.

The make-up of a batch moves a float32 probability by about 1e-7. Without the rule two candidates that close would
change places with the batch size; with it they never do, unless their difference lies that close to 1e-6 itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy

MARGIN = 1e-6

Values = numpy.ndarray | Sequence[float]


def least(values: Values) -> int:
    """The first position whose value is the smallest, up to the margin.

    >>> least([0.5, 0.2 + 4e-7, 0.2])
    1
    """
    values = numpy.asarray(values, dtype=numpy.float64)
    return int((values <= values.min() + MARGIN).argmax())


def most(values: Values) -> int:
    """The first position whose value is the largest, up to the margin."""
    return least(-numpy.asarray(values, dtype=numpy.float64))


def below(value: float, other: float) -> bool:
    """Whether ``value`` is smaller by more than the margin."""
    return bool(value < other - MARGIN)


def falling(values: Values) -> list[int]:
    """Positions by falling value; neighbours in that order that differ by at most the margin stand in their own order.

    >>> falling([0.1, 0.3, 0.3 + 4e-7, 0.2])
    [1, 2, 3, 0]
    """
    values = numpy.asarray(values, dtype=numpy.float64)
    order = numpy.argsort(-values, kind="stable")
    if len(order) < 2:
        return order.tolist()
    groups = numpy.concatenate([[0], numpy.cumsum(-numpy.diff(values[order]) > MARGIN)])
    return order[numpy.lexsort((order, groups))].tolist()


def predicted(rows: numpy.ndarray) -> numpy.ndarray:
    """The predicted class of each row of probabilities, (…, classes): of classes as probable, the lower index."""
    return (rows >= rows.max(axis=-1, keepdims=True) - MARGIN).argmax(axis=-1)


def moved(rows: numpy.ndarray, label: int) -> numpy.ndarray:
    """Whether each row of probabilities, (…, classes), predicts another class than ``label``."""
    return predicted(rows) != label
