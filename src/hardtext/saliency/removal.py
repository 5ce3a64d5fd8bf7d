"""A text without some of its words, in the form that suits the victim, and the victim's answer to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hardtext.core import Inside, Segments, Span, Transparent, Victim
from hardtext.saliency.base import owners
from hardtext.text import Word, replace

if TYPE_CHECKING:
    import numpy

Variant = tuple[int, Sequence[int]]
"""(text, words taken away): indices."""

LEAST = 1e-7  # probabilities are kept this far from 0 and 1, where log-odds are infinite


class Removal(Protocol):
    """How words are taken away. ``how`` says it to a reader, ``scale`` what ``logits`` returns."""

    how: str
    scale: str

    def logits(self, texts: Sequence[Segments], words: Sequence[Sequence[Word]],
               variants: Sequence[Variant]) -> numpy.ndarray:
        """(variants, classes)"""
        ...

    def probabilities(self, texts: Sequence[Segments], words: Sequence[Sequence[Word]],
                      variants: Sequence[Variant]) -> numpy.ndarray:
        """(variants, classes)"""
        ...


def removal(victim: Victim, batch_tokens: int | None = None) -> Removal:
    return BlankedPieces(victim.inside(), batch_tokens) if isinstance(victim, Transparent) else DeletedWords(victim)


class BlankedPieces:
    """The words' pieces give way to a blank one, so that all others stay where they are."""

    scale = "logit"

    def __init__(self, inside: Inside, batch_tokens: int | None = None) -> None:
        self._inside, self._batch_tokens = inside, batch_tokens
        self.how = f"pieces replaced by {inside.blank}"

    def logits(self, texts: Sequence[Segments], words: Sequence[Sequence[Word]],
               variants: Sequence[Variant]) -> numpy.ndarray:
        import numpy

        inside = self._inside
        owned = [_pieces_of(inside.spans(text), own) for text, own in zip(texts, words, strict=True)]

        def work(batch: Any, places: numpy.ndarray) -> list:
            rows, columns = [], []
            for row, place in enumerate(places):
                text, removed = variants[place]
                for word in removed:
                    columns += owned[text][word]
                    rows += [row] * len(owned[text][word])
            vectors = inside.vectors(batch)
            vectors[rows, columns] = inside.blank_vector()
            return inside.logits(batch, vectors).tolist()

        texts_of = numpy.array([text for text, _ in variants], dtype=int)
        found = inside.in_batches(inside.table(texts), texts_of, work, batch_tokens=self._batch_tokens)
        return numpy.array(found, dtype=float)

    def probabilities(self, texts: Sequence[Segments], words: Sequence[Sequence[Word]],
                      variants: Sequence[Variant]) -> numpy.ndarray:
        import numpy

        logits = self.logits(texts, words, variants)
        powers = numpy.exp(logits - logits.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)


class DeletedWords:
    """The words are deleted from the text: for a victim of which only probabilities are known."""

    how, scale = "words deleted from the text", "log-odds"

    def __init__(self, victim: Victim) -> None:
        self._victim = victim

    def logits(self, texts: Sequence[Segments], words: Sequence[Sequence[Word]],
               variants: Sequence[Variant]) -> numpy.ndarray:
        import numpy

        found = self.probabilities(texts, words, variants).clip(LEAST, 1 - LEAST)
        return numpy.log(found) - numpy.log1p(-found)

    def probabilities(self, texts: Sequence[Segments], words: Sequence[Sequence[Word]],
                      variants: Sequence[Variant]) -> numpy.ndarray:
        shortened = [replace(texts[text], {words[text][word]: "" for word in removed}) for text, removed in variants]
        return self._victim.probabilities(shortened).astype(float)


def _pieces_of(spans: Sequence[Span | None], words: Sequence[Word]) -> list[list[int]]:
    """The pieces of each word."""
    pieces: list[list[int]] = [[] for _ in words]
    for piece, shares in enumerate(owners(spans, words)):
        for word, _ in shares:
            pieces[word].append(piece)
    return pieces
