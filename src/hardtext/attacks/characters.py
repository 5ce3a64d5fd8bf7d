"""Edits of single characters, and the words that can take them."""

from __future__ import annotations

import random
import unicodedata
from functools import lru_cache

from hardtext import text
from hardtext.attacks.base import Target
from hardtext.attacks.constraints import Constraints
from hardtext.lexicon import homoglyphs

_RIGHT_TO_LEFT = ("R", "AL", "AN")


@lru_cache(maxsize=10_000)
def look_alikes(character: str) -> tuple[str, ...]:
    """What may stand for a letter or digit: letters and digits that look like it, so that a word stays one word.

    None for right-to-left scripts: their look-alikes run left to right, so that a word with one of them would be shown
    in another order.
    """
    if not character.isalnum() or unicodedata.bidirectional(character) in _RIGHT_TO_LEFT:
        return ()
    return tuple(c for c in homoglyphs.of(character) if c.isalnum())


def editable(word: str) -> list[int]:
    """Positions of the characters of ``word`` that have a look-alike.

    >>> editable("café!"), editable("أخبار"), editable("🔥")
    ([0, 1, 2], [], [])
    """
    return [i for i, c in enumerate(word) if look_alikes(c)]


def swap(word: str, at: int, rng: random.Random) -> str:
    """``word`` with a random look-alike in place of its character ``at``."""
    return word[:at] + rng.choice(look_alikes(word[at])) + word[at + 1:]


def swap_random(word: str, rng: random.Random) -> str:
    """``word`` with one random character replaced by a random look-alike; unchanged where none has any."""
    places = editable(word)
    return swap(word, rng.choice(places), rng) if places else word


def long_words(target: Target, constraints: Constraints) -> list[text.Word]:
    """The words of two characters and more that may change."""
    return [w for w in constraints.changeable(target) if len(w.text) > 1]
