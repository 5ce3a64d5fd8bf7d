"""Randomised smoothing of text: many copies with words masked or replaced, and a vote.

``mask``: RanMASK (Zeng et al. 2023, "Certified Robustness to Text Adversarial Attacks by Randomized [MASK]").
``synonyms``: SAFER (Ye, Gong and Liu 2020, "SAFER: A Structure-free Approach for Certified Robustness to Adversarial Word
Substitutions"); the sets of synonyms are WordNet's here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property, lru_cache
from random import Random

import numpy as np

from hardtext import text as texts_of
from hardtext.core import Segments, Victim, listed
from hardtext.seeding import derive
from hardtext.text import match_case
from hardtext.victims.defended.identity import fingerprint
from hardtext.victims.defended.settings import Smooth


class Smoothed:
    """``victim`` asked about ``copies`` randomised copies of each text; the answer is the share of the votes."""

    def __init__(self, victim: Victim, settings: Smooth) -> None:
        self.victim, self.name, self.classes, self.settings = victim, victim.name, victim.classes, settings
        self._asked: Counter[int] = Counter()  # how often each text was, by its hash

    @cached_property
    def fingerprint(self) -> str:
        """Equal ones answer alike, up to chance."""
        return fingerprint(self.victim, "smooth", asdict(self.settings))

    def probabilities(self, texts: Sequence[Segments | str]) -> np.ndarray:
        """Shares of the votes, float64 (len(texts), classes)."""
        return self.votes(texts, self.settings.copies) / self.settings.copies

    def votes(self, texts: Sequence[Segments | str], copies: int) -> np.ndarray:
        """Votes for each class, int (len(texts), classes), of ``copies`` copies of each text.

        What is drawn for a text depends on it and on how often it was asked before, not on other texts: an attack that was
        killed and goes on asks as if it had not been.
        """
        made: list[Segments] = []
        for text in listed(texts):
            segments = (text,) if isinstance(text, str) else text
            seed = derive(0, "smooth", *segments)
            if not self.settings.fixed:
                self._asked[seed] += 1
            random = Random(derive(self._asked[seed], "smooth", *segments))
            made += [self.settings.copy(segments, random) for _ in range(copies)]
        if not made:
            return np.zeros((0, len(self.classes)), int)
        answers = np.asarray(self.victim.probabilities(made)).argmax(axis=1).reshape(len(texts), copies)
        return (answers[:, :, None] == np.arange(len(self.classes))).sum(axis=1)


def masked(segments: Segments, rate: float, mask: str, random: Random) -> Segments:
    """``rate`` of the words of the text masked, at least one left; marks stay."""
    words = maskable(tuple(segments))
    return texts_of.replace(segments, dict.fromkeys(random.sample(words, len(words) - kept_words(len(words), rate)), mask))


@lru_cache(maxsize=1_000)  # a text is copied many times over
def maskable(segments: Segments) -> tuple[texts_of.Word, ...]:
    """The words of a text, marks left out."""
    return tuple(word for word in texts_of.words(segments) if word.is_word)


def kept_words(words: int, rate: float) -> int:
    """How many of ``words`` words are left where ``rate`` of them are masked: one at least.

    >>> kept_words(10, 0.3), kept_words(1, 0.9), kept_words(0, 0.3)
    (7, 1, 0)
    """
    return words - min(round(rate * words), max(words - 1, 0))


def substituted(segments: Segments, random: Random) -> Segments:
    """Each word replaced by one drawn from itself and its synonyms, all equally likely."""
    edits = {}
    for word in texts_of.words(segments):
        if choices := synonyms(word.text.lower()):
            drawn = random.randrange(len(choices) + 1)
            if drawn:
                edits[word] = match_case(choices[drawn - 1], word.text)
    return texts_of.replace(segments, edits)


@lru_cache(maxsize=50_000)
def synonyms(word: str) -> tuple[str, ...]:
    """Those that a word in lower case may be replaced by."""
    from hardtext.lexicon import wordnet
    from hardtext.lexicon.function_words import is_content

    return tuple(wordnet.synonyms(word)) if is_content(word) else ()
