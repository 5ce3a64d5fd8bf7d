"""The attack view: did an attack change the words that the victim relied on? Pure.

Each word and mark of an original that the victim read has a |saliency|, and was changed or not (``scoring.edits``). A word
that was only inserted changes no word of the original and is not counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy

from hardtext.core import Attempt
from hardtext.reporting.saliency.rows import Explained
from hardtext.scoring import bootstrap
from hardtext.scoring.edits import is_broken, word_edits
from hardtext.text import Word

MEASURES = {"auc": "AUC of |saliency| for “was changed”", "point_biserial": "point-biserial correlation",
            "spearman": "Spearman correlation", "top": "share of changed words among the k most salient",
            "chance": "the same by chance, k of n words", "gain": "the share less chance"}
CHANCE = {"auc": 0.5, "point_biserial": 0.0, "spearman": 0.0, "gain": 0.0}
TENTHS = 10
FEWEST = 10  # texts: a bootstrap over fewer is far too narrow


@dataclass(frozen=True)
class Text:
    """One success: k of its n words were changed. ``ranks``: of each changed word, its place among the n by |saliency|
    as a share, 0 for the most salient. ``measures``: by name, see ``MEASURES``."""

    id: str
    words: int
    changed: int
    ranks: tuple[float, ...]
    measures: dict[str, float]


@dataclass(frozen=True)
class Agreement:
    """``left_out``: why how many successes say nothing. ``means`` and ``intervals`` (95 % bootstrap over texts, none for
    fewer than ``FEWEST``): of each of ``MEASURES``, every text counting alike; ``tenths``: the share of words changed among
    each tenth of the words, the most salient tenth first, and ``overall`` among all."""

    texts: list[Text]
    left_out: dict[str, int]
    means: dict[str, float]
    intervals: dict[str, list[float] | None]
    tenths: list[float]
    overall: float


def changed_words(attempt: Attempt) -> set[tuple[int, int]]:
    """(segment, start) of the words and marks of the original that the adversarial text has not kept."""
    return {(word.segment, word.start) for edit in word_edits(attempt.original, attempt.adversarial)
            for word in edit.old}


def compare(row: Explained, changed: set[tuple[int, int]]) -> Text | None:
    """None where no word or every word was changed, or all are equally salient: then nothing can agree."""
    from scipy.stats import pearsonr, rankdata, spearmanr

    found = row.words_and_marks()
    size = numpy.array([abs(value) for _, value in found])
    hit = numpy.array([_place(word) in changed for word, _ in found], bool)
    n, k = len(hit), int(hit.sum())
    if not 0 < k < n or numpy.ptp(size) == 0:
        return None
    rank = rankdata(size)  # 1 for the least salient, ties share
    top = _top_share(size, hit, k)
    measures = {"auc": float((rank[hit].sum() - k * (k + 1) / 2) / (k * (n - k))),
                "point_biserial": float(pearsonr(size, hit)[0]), "spearman": float(spearmanr(size, hit)[0]),
                "top": top, "chance": k / n, "gain": top - k / n}
    return Text(row.id, n, k, tuple(((n - rank[hit]) / (n - 1)).tolist()), measures)


def _top_share(size: numpy.ndarray, hit: numpy.ndarray, k: int) -> float:
    """Of the k most salient words, the share that was changed; words tied at the edge count by the share that fits."""
    edge = numpy.sort(size)[::-1][k - 1]
    above, tied = size > edge, size == edge
    room = k - above.sum()
    return float((hit[above].sum() + hit[tied].mean() * room) / k)


def _place(word: Word) -> tuple[int, int]:
    return word.segment, word.start


def agreement(rows: Sequence[Explained], attempts: Mapping[str, Attempt], seed: int) -> Agreement:
    """``attempts``: the successes by id. Rows that belong to none are passed over."""
    texts: list[Text] = []
    left_out = {"the separator of the pair was changed": 0, "no word that was read was changed, or all of them": 0}
    broken, nothing = left_out
    counts = numpy.zeros((2, TENTHS))
    for row in rows:
        if row.id not in attempts:
            continue
        attempt = attempts[row.id]
        if is_broken(attempt.original, attempt.adversarial):
            left_out[broken] += 1
            continue
        text = compare(row, changed := changed_words(attempt))
        if text is None:
            left_out[nothing] += 1
            continue
        texts.append(text)
        counts += _tenths(row, changed)
    columns = {name: numpy.array([text.measures[name] for text in texts]) for name in MEASURES}
    means = {name: float(column.mean()) for name, column in columns.items()} if texts else {}
    intervals = bootstrap.bounds(columns, seed=seed) if len(texts) >= FEWEST else {}
    with numpy.errstate(invalid="ignore"):
        tenths = (counts[0] / counts[1]).tolist()
    return Agreement(texts, {why: count for why, count in left_out.items() if count}, means, intervals, tenths,
                     float(counts[0].sum() / counts[1].sum()) if texts else math.nan)


def _tenths(row: Explained, changed: set[tuple[int, int]]) -> numpy.ndarray:
    """Words changed and words, by the tenth of the text's words that their |saliency| puts them in: (2, TENTHS)."""
    found = sorted(row.words_and_marks(), key=lambda pair: (-abs(pair[1]), _place(pair[0])))
    tenth = numpy.arange(len(found)) * TENTHS // len(found)
    hit = numpy.array([_place(word) in changed for word, _ in found], float)
    return numpy.stack([numpy.bincount(tenth, hit, TENTHS), numpy.bincount(tenth, minlength=TENTHS)])
