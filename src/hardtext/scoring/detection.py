"""How well a score tells suspicious texts from clean ones: ROC curve, area under it, bounds over originals. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from hardtext.scoring import paired

FALSE_ALARMS = (0.01, 0.05)
"""Shares of clean texts that a detector may flag."""


@dataclass(frozen=True)
class Judged:
    """``auc``: the probability that an adversarial text scores higher than a clean one (ties count half); ``caught``: the
    share of the adversarial texts above the threshold that at most so many of the clean ones exceed. Bounds are 95 %."""

    auc: float
    interval: tuple[float, float] | None
    caught: dict[float, float]
    caught_interval: dict[float, tuple[float, float] | None]


def judge(positive: numpy.ndarray, negative: numpy.ndarray, positive_groups: Sequence[Any], negative_groups: Sequence[Any], *,
          seed: int = 0, resamples: int = 1000) -> Judged:
    """``positive``, ``negative``: scores of adversarial and clean texts, (n,) and (m,).

    The bootstrap draws groups, not texts: an original and all that attacks made of it come and go together. Raises
    ValueError where there is nothing on a side, or a score is no number.
    """
    positive, negative = _scores(positive), _scores(negative)
    names = {name: n for n, name in enumerate(dict.fromkeys([*positive_groups, *negative_groups]))}
    owners = [numpy.array([names[name] for name in groups], int) for groups in (positive_groups, negative_groups)]
    ones = numpy.ones((1, len(positive))), numpy.ones((1, len(negative)))
    curve = _weighted(positive, negative, *ones)
    if len(names) < 2:
        return Judged(float(curve["auc"][0]), None, {rate: float(curve[rate][0]) for rate in FALSE_ALARMS},
                      dict.fromkeys(FALSE_ALARMS))
    generator = numpy.random.default_rng(seed)
    drawn: dict[Any, list[numpy.ndarray]] = {key: [] for key in ("auc", *FALSE_ALARMS)}
    size = max(1, 2_000_000 // (len(positive) + len(negative)))  # resamples at once: bounds the memory, never the result
    for start in range(0, resamples, size):
        count = min(size, resamples - start)
        draws = generator.integers(len(names), size=(count, len(names)))
        times = numpy.stack([numpy.bincount(row, minlength=len(names)) for row in draws]).astype(float)
        weights = [times[:, owner] for owner in owners]
        known = (weights[0].sum(axis=1) > 0) & (weights[1].sum(axis=1) > 0)  # a resample without a side says nothing
        if known.any():
            for key, values in _weighted(positive, negative, weights[0][known], weights[1][known]).items():
                drawn[key].append(values)
    bounds = {key: paired.bounds(numpy.concatenate(values)) if values else None for key, values in drawn.items()}
    return Judged(float(curve["auc"][0]), bounds["auc"], {rate: float(curve[rate][0]) for rate in FALSE_ALARMS},
                  {rate: bounds[rate] for rate in FALSE_ALARMS})


def roc(positive: numpy.ndarray, negative: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """The ROC curve: shares of clean and of adversarial texts flagged at each threshold (flagged: score >= threshold), from
    none to all: three (k,) arrays (false alarms, caught, thresholds); the first threshold is inf.

    >>> [values.tolist() for values in roc([0.9, 0.4], [0.4, 0.1])]
    [[0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0], [inf, 0.9, 0.4, 0.1]]
    """
    positive, negative = _scores(positive), _scores(negative)
    thresholds = numpy.unique(numpy.concatenate([positive, negative]))[::-1]
    caught, alarms = (1 - numpy.searchsorted(numpy.sort(values), thresholds, side="left") / len(values)
                      for values in (positive, negative))
    return (numpy.concatenate([[0.0], alarms]), numpy.concatenate([[0.0], caught]),
            numpy.concatenate([[numpy.inf], thresholds]))


def threshold_at(negative: numpy.ndarray, rate: float) -> float:
    """The lowest clean score that at most ``rate`` of the clean texts exceed: what is above it is to be flagged.

    >>> threshold_at([0.1, 0.2, 0.3, 0.4], 0.25), threshold_at([0.5, 0.5], 0.4)
    (0.3, 0.5)
    """
    values, counts = numpy.unique(_scores(negative), return_counts=True)
    above = counts.sum() - counts.cumsum()
    return float(values[above <= rate * counts.sum() + 1e-9][0])


def _weighted(positive: numpy.ndarray, negative: numpy.ndarray, positive_weights: numpy.ndarray,
              negative_weights: numpy.ndarray) -> dict[Any, numpy.ndarray]:
    """AUC and the shares caught where each text counts ``weights`` times: arrays over the rows of weights, (resamples, n)
    and (resamples, m)."""
    values, places = numpy.unique(numpy.concatenate([positive, negative]), return_inverse=True)
    up = _by_value(positive_weights, places[: len(positive)], len(values))
    down = _by_value(negative_weights, places[len(positive):], len(values))
    up, down = up / up.sum(axis=1, keepdims=True), down / down.sum(axis=1, keepdims=True)
    below = down.cumsum(axis=1) - down
    found: dict[Any, numpy.ndarray] = {"auc": (up * (below + down / 2)).sum(axis=1)}
    alarms, caught = (side[:, ::-1].cumsum(axis=1)[:, ::-1] for side in (down, up))  # flagged at each value or above
    for rate in FALSE_ALARMS:
        found[rate] = numpy.where(alarms <= rate + 1e-12, caught, 0.0).max(axis=1)
    return found


def _by_value(weights: numpy.ndarray, places: numpy.ndarray, count: int) -> numpy.ndarray:
    """Weights added up by distinct value: (resamples, count)."""
    order = numpy.argsort(places, kind="stable")
    present, starts = numpy.unique(places[order], return_index=True)
    table = numpy.zeros((len(weights), count))
    table[:, present] = numpy.add.reduceat(weights[:, order], starts, axis=1)
    return table


def _scores(values: Any) -> numpy.ndarray:
    values = numpy.asarray(values, dtype=float)
    if not len(values) or not numpy.isfinite(values).all():
        raise ValueError("expected one score or more, all of them numbers")
    return values
