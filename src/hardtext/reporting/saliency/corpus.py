"""The corpus view (Flores and Hao 2022, Figure 1): what a word adds on average, against how many texts hold it. Pure."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy

from hardtext.reporting.saliency.rows import Explained

EXTREMES = 30
BIN_WORDS = 20
"""The trend: every bin of document frequencies holds at least so many words."""


@dataclass(frozen=True)
class WordSaliency:
    """A word, lower-cased. ``mean`` and ``sd`` are over its occurrences (``sd`` nan for a single one); ``labels`` and
    ``targets``: (texts, mean) among the texts of each gold class and of each explained class."""

    word: str
    texts: int
    occurrences: int
    mean: float
    sd: float
    labels: dict[int, tuple[int, float]] = field(default_factory=dict)
    targets: dict[int, tuple[int, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Trend:
    """How the means lie by document frequency, bin by bin: float (bins,) each.

    ``low`` and ``high`` hold the middle 80 % of the words. ``slope``: of log |mean| over log document frequency, that is
    |mean| grows as frequency ** slope; nan for fewer than three bins.
    """

    frequency: numpy.ndarray
    median: numpy.ndarray
    low: numpy.ndarray
    high: numpy.ndarray
    slope: float


def word_saliency(rows: Sequence[Explained]) -> list[WordSaliency]:
    """Every word of the texts as far as they were read, the most frequent first, then by spelling."""
    values: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for index, row in enumerate(rows):
        for word, value in row.words():
            values[word.text.lower()].append((index, value))
    return sorted((_of_word(word, found, rows) for word, found in values.items()), key=lambda w: (-w.texts, w.word))


def _of_word(word: str, found: Sequence[tuple[int, float]], rows: Sequence[Explained]) -> WordSaliency:
    every = numpy.array([value for _, value in found])
    labels, targets = ({name: (len({index for index, _ in part}), float(numpy.mean([value for _, value in part])))
                        for name, part in sorted(parts.items())}
                       for parts in (_grouped(found, [row.label for row in rows]),
                                     _grouped(found, [row.target for row in rows])))
    return WordSaliency(word, len({index for index, _ in found}), len(found), float(every.mean()),
                        float(every.std(ddof=1)) if len(every) > 1 else math.nan, labels, targets)


def _grouped(found: Sequence[tuple[int, float]], keys: Sequence[int]) -> dict[int, list[tuple[int, float]]]:
    parts: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for index, value in found:
        parts[keys[index]].append((index, value))
    return parts


def extremes(words: Sequence[WordSaliency], count: int = EXTREMES) -> list[WordSaliency]:
    """The words whose mean is furthest from zero, the furthest first."""
    return sorted(words, key=lambda w: (-abs(w.mean), w.word))[:count]


def trend(words: Sequence[WordSaliency]) -> Trend:
    """Medians over bins of document frequency, so that no single word pulls the line.

    A frequency that many words share is a bin of its own; rarer ones are joined until a bin holds ``BIN_WORDS`` words. The
    slope is Theil and Sen's, over the median |mean| of each bin.
    """
    from scipy.stats import theilslopes

    frequency = numpy.array([word.texts for word in words], float)
    mean = numpy.array([word.mean for word in words], float)
    bins = _bins(frequency)
    at = numpy.array([math.exp(numpy.log(frequency[part]).mean()) for part in bins])
    low, median, high = numpy.array([numpy.percentile(mean[part], (10, 50, 90)) for part in bins]).reshape(-1, 3).T
    size = numpy.array([numpy.median(numpy.abs(mean[part])) for part in bins])
    known = size > 0
    slope = float(theilslopes(numpy.log(size[known]), numpy.log(at[known]))[0]) if known.sum() >= 3 else math.nan
    return Trend(at, median, low, high, slope)


def _bins(frequency: numpy.ndarray) -> list[numpy.ndarray]:
    """The indices of the words of each bin, by rising frequency; a last bin that is too small joins the one before."""
    order = numpy.argsort(frequency, kind="stable")
    groups = numpy.split(order, numpy.flatnonzero(numpy.diff(frequency[order])) + 1) if len(order) else []
    bins: list[list[int]] = [[]]
    for group in groups:
        if len(bins[-1]) >= BIN_WORDS:
            bins.append([])
        bins[-1] += group.tolist()
    if len(bins) > 1 and len(bins[-1]) < BIN_WORDS:
        last = bins.pop()
        bins[-1] += last
    return [numpy.array(part) for part in bins if part]
