"""LIME for text (Ribeiro, Singh & Guestrin 2016, "Why Should I Trust You?": Explaining the Predictions of Any
Classifier, KDD): how much each word holds up the victim's decision, by a linear model of the victim near one text.

The constants are those of its authors' text explainer, positions told apart (``bow=False``). Two things differ: the
model is always fitted on all words (theirs picks 10 first, unless told otherwise), and the text itself, which is the
first sample, is not asked again.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence

import numpy

from hardtext import text
from hardtext.attacks.base import Target
from hardtext.attacks.requests import LazyTexts, Score

UNKNOWN = "UNKWORDZ"  # what stands in a hidden word's place
KERNEL_WIDTH = 25.0
DISTANCE = 100.0  # the cosine distance of a sample is multiplied by this before the kernel sees it
PENALTY = 1.0  # of the ridge regression


def explain(target: Target, words: Sequence[text.Word], samples: int) -> Generator[Score, numpy.ndarray, numpy.ndarray]:
    """Ask about ``samples`` - 1 random maskings of ``words``; returns the weight of each word for the prediction of
    the text: float array, (words,)."""
    kept = masks(len(words), samples, target.rng)

    def build(i: int):
        hidden = [word for word, keep in zip(words, kept[i + 1], strict=True) if not keep]
        return text.replace(target.segments, dict.fromkeys(hidden, UNKNOWN))

    rows = yield Score(LazyTexts(samples - 1, build), probe=True)
    values = numpy.concatenate([target.probabilities[[target.label]], rows[:, target.label]])
    return ridge(kept, values, nearness(kept))


def masks(words: int, samples: int, rng: random.Random) -> numpy.ndarray:
    """Which words each sample keeps: bool array, (samples, words). The first keeps all; of each other one, between one
    and all words are hidden, every number as likely."""
    draws = numpy.random.RandomState(rng.getrandbits(32))
    kept = numpy.ones((samples, words), dtype=bool)
    for row, hidden in zip(kept[1:], draws.randint(1, words + 1, samples - 1), strict=True):
        row[draws.permutation(words)[:hidden]] = False
    return kept


def nearness(kept: numpy.ndarray) -> numpy.ndarray:
    """The weight of each sample in the fit, (samples,): an exponential kernel over its cosine distance from the text.

    The cosine between a sample that keeps m of n words and the one that keeps all is the root of m / n.
    """
    distance = DISTANCE * (1 - numpy.sqrt(kept.mean(axis=1)))
    return numpy.sqrt(numpy.exp(-((distance / KERNEL_WIDTH) ** 2)))


def ridge(kept: numpy.ndarray, values: numpy.ndarray, weights: numpy.ndarray) -> numpy.ndarray:
    """Weighted ridge regression of ``values``, (samples,), on ``kept``, (samples, words); the intercept is not
    penalised. Returns the coefficients, (words,)."""
    share, root = weights / weights.sum(), numpy.sqrt(weights)
    x = (kept - share @ kept) * root[:, None]
    y = (values - share @ values) * root
    if x.shape[1] <= x.shape[0]:
        return numpy.linalg.solve(x.T @ x + PENALTY * numpy.eye(x.shape[1]), x.T @ y)
    # The same solution from the smaller system: a document has more words than there are samples.
    return x.T @ numpy.linalg.solve(x @ x.T + PENALTY * numpy.eye(x.shape[0]), y)
