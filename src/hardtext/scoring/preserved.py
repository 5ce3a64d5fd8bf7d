"""``preserved``: how likely a person says that a changed text keeps the meaning of the original.

A logistic model over the flags of a change, two character scores and the similarity of what a reader reads; its
coefficients, its cross-validated figures and its limits stand in ``preserved.json`` (``scripts/meaning_model.py`` makes
it from the 680 pairs that people judged for CheckThat! 2024, task 6). Only numpy is needed to use it, and the bundled
sentence encoder for the similarity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log1p
from pathlib import Path
from typing import Any

import numpy

from hardtext import text
from hardtext.core import Segments
from hardtext.records import read_json
from hardtext.scoring import bodega, segment
from hardtext.scoring.documents import Change, character_scores
from hardtext.scoring.edits import mended
from hardtext.scoring.flags import CHANGED, Flag, flags
from hardtext.scoring.semantic import MiniLM

FILE = Path(__file__).parent / "preserved.json"
JUDGED = "fc"
"""The domain whose texts people judged."""

FLAG_FEATURES = ("changed", "changed_claim", "changed_evidence", "negation", "number", "date", "name", "function_claim",
                 "function_evidence", "split_claim", "split_evidence")
"""``changed``: 1 where any word became another one; the rest log(1 + n): changed words in the claim (the last segment) and
in the evidence, flags of one kind, changed function words, and words split by a space. Case is no feature."""

TEXT_FEATURES = ("character", "character_read", "similarity_least", "similarity_mean")
"""BODEGA's character score, as written and as a reader reads it (``edits.mended``: look-alike letters and split words
undone); MiniLM similarity of the sentences as read, the least and the mean over the original's sentences."""

FEATURES = FLAG_FEATURES + TEXT_FEATURES


@dataclass(frozen=True)
class Model:
    """probability = 1 / (1 + exp(−(intercept + Σ coefficient · (feature − mean) / scale)))"""

    mean: numpy.ndarray  # float, (features,), in the order of FEATURES; the other two alike
    scale: numpy.ndarray
    coefficients: numpy.ndarray
    intercept: float
    limits: str

    def probabilities(self, table: numpy.ndarray) -> numpy.ndarray:
        """float, (n,), of float, (n, features)."""
        return 1 / (1 + numpy.exp(-(self.intercept + ((table - self.mean) / self.scale) @ self.coefficients)))


def stored() -> dict[str, Any]:
    """The coefficient file: coefficients, cross-validated figures, calibration, data digest, versions and limits."""
    return read_json(FILE)


@lru_cache(maxsize=1)
def model() -> Model:
    """The packaged model."""
    packaged = stored()
    columns = [[feature[key] for feature in packaged["features"]] for key in ("mean", "scale", "coefficient")]
    return Model(*map(numpy.array, columns), packaged["intercept"], packaged["limits"])


def limits(domain: str) -> str:
    """What ``preserved`` is worth on a domain: it stands wherever the number is shown.

    >>> limits("pr").startswith("never checked on domain pr: a model of 680 judged pairs"), limits("fc")[:7]
    (True, 'a model')
    """
    return ("" if domain == JUDGED else f"never checked on domain {domain or '(unknown)'}: ") + model().limits


def probabilities(changes: Sequence[Change], encoder: MiniLM | None = None) -> numpy.ndarray:
    """``preserved`` of each (original, adversarial): float, (len(changes),), from 0 to 1. ``encoder``: of the sentences."""
    return model().probabilities(features(changes, encoder))


def features(changes: Sequence[Change], encoder: MiniLM | None = None) -> numpy.ndarray:
    """float, (len(changes), features), columns in the order of ``FEATURES``."""
    read = [mended(old, new) for old, new in changes]
    columns = [numpy.array([flag_features(old, new) for old, new in changes], float).reshape(-1, len(FLAG_FEATURES)),
               character_scores(changes)[:, None],
               character_scores([_as_change(pairs) for pairs in read])[:, None],
               _similarities(read, encoder or MiniLM())]
    return numpy.concatenate(columns, axis=1)


def flag_features(original: Segments, adversarial: Segments) -> list[float]:
    """The values of ``FLAG_FEATURES``."""
    found = flags(original, adversarial)
    kinds = Counter(flag.kind for flag in found)
    claim = len(original) - 1

    def words(in_claim: bool) -> int:
        return sum(_words(flag) for flag in found if flag.kind in CHANGED and (flag.segment == claim) == in_claim)

    def of_kind(kind: str, in_claim: bool) -> int:
        return sum(flag.kind == kind and (flag.segment == claim) == in_claim for flag in found)

    counts = [words(True), words(False), *(kinds[kind] for kind in ("negation", "number", "date", "name")),
              of_kind("function", True), of_kind("function", False), of_kind("split", True), of_kind("split", False)]
    return [float(any(flag.kind in CHANGED for flag in found)), *map(log1p, counts)]


def _words(flag: Flag) -> int:
    """How many words a change touches, on the side where it is more."""
    return max(1, *(sum(w.is_word for w in text.words(side)) for side in (flag.old, flag.new)))


def _as_change(pairs: Sequence[tuple[str, str]]) -> Change:
    return tuple(old for old, _ in pairs), tuple(new for _, new in pairs)


def _similarities(read: Sequence[Sequence[tuple[str, str]]], encoder: MiniLM) -> numpy.ndarray:
    """The least and the mean similarity over the sentences of each text: float, (len(read), 2).

    Sentences are cut by rules and aligned as for BODEGA; one that a reader reads unchanged counts 1 and asks nothing.
    """
    result = numpy.ones((len(read), 2))
    documents = [[pair for old, new in pairs
                  for pair in bodega.sentence_pairs(segment.sentences(old) or [old], segment.sentences(new))]
                 for pairs in read]
    asked = sorted({pair for document in documents for pair in document if pair[0].lower() != pair[1].lower()})
    answers = dict(zip(asked, encoder.score_pairs(asked))) if asked else {}
    for row, document in enumerate(documents):
        values = [answers.get(pair, 1.0) for pair in document]
        result[row] = min(values), sum(values) / len(values)
    return result
