"""Did changed texts change the answers, and as they should? Pure statistics over original and changed texts.

%LabelFlip and ΔProb after Flores and Hao, "An Adversarial Benchmark for Fake News Detection Models"; intervals and
tests are ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy

from hardtext.scoring import bootstrap, paired

RESAMPLES = 9_999  # of the paired test, where the sign flips are too many to go through all of them
NOISE = 1e-6  # by which float32 probabilities of one text differ from batch to batch
_CELLS = 4_000_000  # drawn at once: bounds the memory, never the result


@dataclass(frozen=True, eq=False)
class Pairs:
    """What a victim said of n texts before and after a probe changed them.

    ``label``: (n,) int, the gold class. ``before`` and ``after``: (n, classes) float, its probabilities.
    ``said`` and ``said_after``: (n,) int, the classes it predicted (given, since ties are broken elsewhere).
    ``expects``: (n,) str, what a good classifier does: "flip" its label, call the text "fake", or "stay".
    ``positive``: the indices of the non-credible classes.
    """

    label: numpy.ndarray
    before: numpy.ndarray
    after: numpy.ndarray
    said: numpy.ndarray
    said_after: numpy.ndarray
    expects: numpy.ndarray
    positive: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.label)

    def where(self, chosen: numpy.ndarray) -> Pairs:
        """Those at ``chosen``: (n,) bool, or indices."""
        return Pairs(self.label[chosen], self.before[chosen], self.after[chosen], self.said[chosen],
                       self.said_after[chosen], self.expects[chosen], self.positive)

    @property
    def flipped(self) -> numpy.ndarray:
        """(n,) bool: another class is predicted than before."""
        return self.said != self.said_after

    @property
    def shift(self) -> numpy.ndarray:
        """(n,) float: P(fake) of the changed text minus P(fake) of the original; positive: looks more fake. 0 where only
        float noise tells them apart, whose signs would pass for evidence."""
        positive = list(self.positive)
        shift = self.after[:, positive].sum(axis=1) - self.before[:, positive].sum(axis=1)
        return numpy.where(numpy.abs(shift) < NOISE, 0.0, shift)

    @property
    def confidence(self) -> numpy.ndarray:
        """(n,) float: the probability of the class predicted for the original."""
        return self.before[numpy.arange(len(self)), self.said]

    @property
    def as_expected(self) -> numpy.ndarray:
        """(n,) bool: the victim did what a classifier that understands does."""
        called_fake = numpy.isin(self.said_after, self.positive)
        return numpy.select([self.expects == "flip", self.expects == "fake"], [self.flipped, called_fake], ~self.flipped)


@dataclass(frozen=True, slots=True)
class Share:
    """``count`` of ``of``, and its 95 % Wilson interval; ``share`` and ``interval`` are None where ``of`` is 0."""

    count: int
    of: int
    share: float | None
    interval: tuple[float, float] | None

    @classmethod
    def of_flags(cls, flags: numpy.ndarray) -> Share:
        """``flags``: (n,) bool."""
        count, of = int(flags.sum()), len(flags)
        return cls(count, of, count / of if of else None, wilson(count, of))


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over ``of`` values and its 95 % bootstrap interval (None for fewer than two values)."""

    of: int
    mean: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How a victim behaved on a group of changed texts. ``expected_of_right``: among the texts whose original it got
    right, the share that it then treated as expected."""

    flipped: Share
    shift: Mean
    expected: Share
    expected_of_right: Share


def behaviour(pairs: Pairs, seed: int = 0) -> Behaviour:
    """%LabelFlip, ΔProb and the share behaving as expected, with 95 % intervals."""
    right = pairs.said == pairs.label
    return Behaviour(Share.of_flags(pairs.flipped), _mean(pairs.shift, seed), Share.of_flags(pairs.as_expected),
                     Share.of_flags(pairs.as_expected[right]))


def _mean(values: numpy.ndarray, seed: int) -> Mean:
    if not len(values):
        return Mean(0, None, None)
    found = bootstrap.bounds({"mean": values}, seed=seed)["mean"]
    return Mean(len(values), float(values.mean()), None if found is None else (found[0], found[1]))


def wilson(count: int, of: int, level: float = 0.95) -> tuple[float, float] | None:
    """The Wilson score interval of a share (Wilson 1927); None where ``of`` is 0.

    >>> [round(bound, 4) for bound in wilson(1, 10)]
    [0.0179, 0.4042]
    """
    if not of:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = count / of
    middle = share + z * z / (2 * of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    scale = 1 + z * z / of
    # at the ends the bound is exactly 0 or 1; rounding would miss it by 1e-17
    return (0.0 if count == 0 else (middle - half) / scale, 1.0 if count == of else (middle + half) / scale)


def sign_flip_p(differences: numpy.ndarray, seed: int = 0, resamples: int = RESAMPLES) -> float | None:
    """Whether paired differences, (n,), have a mean other than 0: the two-sided p of the sign-flip permutation test.

    If the change did nothing, each difference is as likely with the other sign. All 2^n signs are gone through where
    they are at most ``resamples`` (exact, n ≤ 13), else so many are drawn and the observed ones counted as one of them.
    None for no differences. The smallest p of n texts is 2 / 2^n: with five texts none is below 0.05.

    >>> sign_flip_p(numpy.array([0.1, 0.2, 0.3]))
    0.25
    """
    if len(differences) < 2:  # one difference is as extreme as its opposite
        return 1.0 if len(differences) else None
    from scipy.stats import permutation_test

    test = permutation_test((numpy.asarray(differences, dtype=float),), _column_mean, permutation_type="samples",
                            vectorized=True, n_resamples=resamples, batch=max(1, _CELLS // len(differences)),
                            rng=numpy.random.default_rng(seed))
    return float(test.pvalue)


def _column_mean(values: numpy.ndarray, axis: int) -> numpy.ndarray:
    return values.mean(axis=axis)


def movements(pairs: Pairs) -> numpy.ndarray:
    """(classes, classes) counts: how many texts went from the predicted class of the row to that of the column."""
    classes = pairs.before.shape[1]
    table = numpy.zeros((classes, classes), dtype=int)
    numpy.add.at(table, (pairs.said, pairs.said_after), 1)
    return table


def directions(pairs: Pairs) -> dict[str, int]:
    """Flips by direction: to fake, to real, and (of more than two classes) within the fake or the real ones."""
    was, now = numpy.isin(pairs.said, pairs.positive), numpy.isin(pairs.said_after, pairs.positive)
    return {"real_to_fake": int((~was & now).sum()), "fake_to_real": int((was & ~now).sum()),
            "within": int((pairs.flipped & (was == now)).sum())}


def thirds(values: numpy.ndarray) -> list[tuple[float, float, numpy.ndarray]]:
    """(lowest, highest, (n,) bool) of the lower, middle and upper third of values; equal values stay together, so a
    third may be larger, or missing.

    >>> [(low, high) for low, high, _ in thirds(numpy.array([0.5, 0.6, 0.7, 0.8, 0.9, 1.0]))]
    [(0.5, 0.6), (0.7, 0.8), (0.9, 1.0)]
    """
    if not len(values):
        return []
    order = numpy.sort(values)
    cuts = [order[len(order) // 3], order[2 * len(order) // 3]]
    place = numpy.searchsorted(cuts, values, side="right")
    return [(float(values[place == third].min()), float(values[place == third].max()), place == third)
            for third in range(3) if (place == third).any()]


def worst(pairs: Pairs, most: int = 5) -> list[int]:
    """Positions of the wrong behaviours, the one the victim was surest of first (by the probability it gives to the
    class it predicts for the changed text)."""
    sure = pairs.after[numpy.arange(len(pairs)), pairs.said_after]
    order = numpy.argsort(-sure, kind="stable")
    return [int(i) for i in order if not pairs.as_expected[i]][:most]


def typical(pairs: Pairs, most: int = 3) -> list[int]:
    """Positions of the texts whose shift is nearest to the median one."""
    if not len(pairs):
        return []
    return [int(i) for i in numpy.argsort(numpy.abs(pairs.shift - numpy.median(pairs.shift)), kind="stable")[:most]]


def holm(values: Sequence[float | None]) -> list[float | None]:
    """p-values corrected for being several (``paired.holm``); None stays None and does not count."""
    known = iter(paired.holm([value for value in values if value is not None]))
    return [None if value is None else next(known) for value in values]
