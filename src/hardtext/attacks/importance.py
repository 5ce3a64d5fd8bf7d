"""Which words matter: the victim's reaction to a text with one word made unreadable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from hardtext import text
from hardtext.attacks import ties
from hardtext.attacks.requests import LazyTexts
from hardtext.core import Segments

UNKNOWN = "[UNK]"
"""What BERT-ATTACK puts in a word's place (Li et al. 2020, section 3.1)."""


def leave_one_out(segments: Segments, words: Sequence[text.Word], unknown: str = UNKNOWN) -> LazyTexts:
    """The text once for each word of ``words``, that word replaced by ``unknown``."""
    return LazyTexts(len(words), lambda i: text.replace(segments, {words[i]: unknown}))


def drop(original: numpy.ndarray, masked: numpy.ndarray, label: int) -> numpy.ndarray:
    """How much the probability of ``label`` falls without each word.

    ``original``: (classes,); ``masked``: (words, classes). Returns (words,).
    """
    return original[label] - masked[:, label]


def drop_with_flip(original: numpy.ndarray, masked: numpy.ndarray, label: int) -> numpy.ndarray:
    """BERT-ATTACK's score: the drop from the original's highest probability and, where the prediction changes,
    what the new class gains besides (Li et al. 2020, section 3.1, after Jin et al. 2020, eq. 2).

    ``original``: (classes,); ``masked``: (words, classes). Returns (words,).
    """
    predicted = ties.predicted(masked)
    gained = masked.max(axis=1) - original[predicted]
    return original.max() - masked[:, label] + (predicted != label) * gained


def ranking(scores: numpy.ndarray) -> list[int]:
    """Positions by falling score; of scores equal up to float noise (``ties``) the earlier position first."""
    return ties.falling(scores)


def by_gradient(words: Sequence[text.Word], pieces: Sequence[tuple[int, int, int, float]]) -> numpy.ndarray:
    """The gradient norms of a ``Gradient`` request summed to words, (words,): a piece counts for the word it overlaps.

    Norms of several pieces add as lengths of vectors do (Yoo & Qi 2021, A2T, take the norm over a word's pieces). As
    shares of the largest, since float noise (``ties``) grows with them.
    """
    squares = numpy.zeros(len(words))
    for i, word in enumerate(words):
        squares[i] = sum(norm * norm for segment, start, end, norm in pieces
                         if segment == word.segment and start < word.end and end > word.start)
    norms = numpy.sqrt(squares)
    return norms / norms.max() if norms.any() else norms
