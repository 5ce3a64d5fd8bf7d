"""How a victim's answer reacts when one word is left out: the word-level differential reaction of Mosca et al. 2022,
"Interpreting Logits Variation to Detect NLP Adversarial Attacks"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hardtext.core import Segments, Victim
from hardtext.saliency.base import characters_read, read_words
from hardtext.saliency.removal import removal
from hardtext.text import Word

if TYPE_CHECKING:
    import numpy


@dataclass(frozen=True, slots=True, eq=False)
class Reaction:
    """``words``: the words and marks that the victim reads. ``margin``: the logit of its answer less the greatest of the
    others (log-odds where the victim has no logits); ``without``: (words,) that margin with each word left out, below 0
    where the answer becomes another."""

    words: tuple[Word, ...]
    margin: float
    without: numpy.ndarray


def reactions(victim: Victim, texts: Sequence[Segments], batch_tokens: int | None = None) -> list[Reaction]:
    """Of each text, in order. Asks for as many texts as they have words, and one each."""
    import numpy

    read = characters_read(victim, texts)
    words = [read_words(text, n) for text, n in zip(texts, read, strict=True)]
    variants = [(i, removed) for i, own in enumerate(words) for removed in [(), *((w,) for w in range(len(own)))]]
    if not variants:
        return []
    found, done, made = removal(victim, batch_tokens).logits(texts, words, variants), 0, []
    for own in words:
        logits = found[done : done + len(own) + 1]
        done += len(own) + 1
        answer = int(logits[0].argmax())
        margins = logits[:, answer] - numpy.delete(logits, answer, axis=1).max(axis=1)
        made.append(Reaction(tuple(own), float(margins[0]), margins[1:]))
    return made
