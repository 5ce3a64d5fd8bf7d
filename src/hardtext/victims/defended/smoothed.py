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
from math import comb
from random import Random

import numpy as np
from scipy.stats import beta

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
    words = [w for w in texts_of.words(segments) if w.is_word]
    count = min(round(rate * len(words)), max(len(words) - 1, 0))
    return texts_of.replace(segments, dict.fromkeys(random.sample(words, count), mask))


def substituted(segments: Segments, random: Random) -> Segments:
    """Each word replaced by one drawn from itself and its synonyms, all equally likely."""
    edits = {}
    for word in texts_of.words(segments):
        if choices := _synonyms(word.text.lower()):
            drawn = random.randrange(len(choices) + 1)
            if drawn:
                edits[word] = match_case(choices[drawn - 1], word.text)
    return texts_of.replace(segments, edits)


@lru_cache(maxsize=50_000)
def _synonyms(word: str) -> tuple[str, ...]:
    from hardtext.lexicon import wordnet
    from hardtext.lexicon.function_words import is_content

    return tuple(wordnet.synonyms(word)) if is_content(word) else ()


def certified_words(votes: np.ndarray, words: int, rate: float, *, alpha: float = 0.05) -> int:
    """How many words of a text an attacker may change, whichever they are and whatever to, without changing the vote of
    all possible masked copies, with confidence 1 − ``alpha`` (RanMASK, section 3).

    ``votes``: (classes,) of many masked copies of the text; ``words``: how many it has; ``rate``: the share masked. With d
    words changed a copy shows none of them with probability C(words − d, kept) / C(words, kept); the vote holds as long as
    the lower bound of the winner's share (Clopper and Pearson's), less what the other copies can take from it, stays above
    one half (β = 1, the conservative bound). Where the paper draws copies of their own to find the winner, ``alpha`` is
    shared out among the classes here. 0 where not even the vote itself is certain.
    """
    total, best = int(votes.sum()), int(votes.max())
    lower = float(beta.ppf(alpha / len(votes), best, total - best + 1)) if best else 0.0
    kept = words - min(round(rate * words), max(words - 1, 0))
    radius = 0
    while radius < words:
        untouched = comb(words - radius - 1, kept) / comb(words, kept)
        if lower - (1 - untouched) <= 0.5:
            break
        radius += 1
    return radius
