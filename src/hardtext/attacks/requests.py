"""What an attack may ask for while it runs. It yields one request at a time and is sent the answer.

A new kind of request is a dataclass here and a service that answers it (``services.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from hardtext.core import Segments


class LazyTexts(Sequence[Segments]):
    """``count`` texts of which each is built when it is read.

    The leave-one-out texts of a long document are as many as its words, each as long as the document:
    held all at once they would take gigabytes.
    """

    def __init__(self, count: int, build: Callable[[int], Segments]) -> None:
        self._count, self._build = count, build

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self._build(i) for i in range(*index.indices(self._count))]
        if not 0 <= index < self._count:
            raise IndexError(index)
        return self._build(index)


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """Class probabilities of ``texts``. The answer is a float array, (texts, classes).

    With ``until_flip=label`` the texts are asked one by one, in order, up to the first whose most probable class is
    not ``label``: the answer holds the rows up to that one, itself included, and only they count as queries.
    (The engine may send a few more at once to fill the victim's batches; the attack never sees those.)
    Where two classes are equally probable the lower index is the prediction.
    """

    texts: Sequence[Segments]
    until_flip: int | None = None


@dataclass(frozen=True, slots=True)
class Propose:
    """The masked LM's best ``k`` pieces at every piece of some words of a text, from one pass over the unmasked text.

    ``wanted`` are the positions in ``words`` to answer for; with ``whole`` only those that are a single piece.
    The answer is a list with one entry a word: a list with one ``(pieces, logits)`` for each piece of that word,
    best first; pieces in WordPiece spelling whatever the vocabulary (a piece inside a word begins with "##").
    The entry of a word that is not wanted, has no pieces or reaches past the window the masked LM sees is empty.
    """

    words: tuple[str, ...]
    k: int
    wanted: tuple[int, ...]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Perplexity:
    """Perplexity of texts made of pieces (as ``Propose`` spells them), each piece scored at its own unmasked place
    without any text around. The answer is a float array, (texts,)."""

    texts: tuple[tuple[str, ...], ...]


Request = Score | Propose | Perplexity
Steps = Generator[Request, Any, Segments | None]
"""A running attack: yields requests, is sent the answers, returns the adversarial text or None."""

Proposals = list[list[tuple[list[str], numpy.ndarray]]]
"""The answer to ``Propose``."""
