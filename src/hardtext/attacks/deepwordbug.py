"""DeepWordBug (Gao et al. 2018, "Black-box Generation of Adversarial Text Sequences to Evade Deep Learning
Classifiers", IEEE Security and Privacy Workshops): rank the words by the victim's reaction to the text without each,
then misspell the most important ones.

Variants:

``paper``   (default) four edits at a random place of a word (swap two neighbouring characters, substitute, delete,
            insert), the one that hurts most is kept, word after word until the prediction moves or the edit distance
            of 30 is used up. Function words, figures and single letters stay; so does every byte outside the edited
            words. The paper applies one kind of edit and asks once at the end; choosing among the four after each
            word is how the attack is run since (TextAttack).
``bodega``  what the shared tasks ran: OpenAttack 2.1.1 as BODEGA calls it (Przybyła et al. 2023). One random character
            of each of the 5 most important tokens is replaced by a look-alike, then the victim is asked once. A
            character without a look-alike stays, so an edit may change nothing; the text comes back as tokens joined
            by single spaces ("isn't" as "isn ` t").
"""

from __future__ import annotations

import random
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

import numpy

from hardtext import text
from hardtext.attacks import importance
from hardtext.attacks.base import Target, WordAttack, check_choice, check_unused
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.punct_tokens import PunctTokens
from hardtext.attacks.requests import Score, Steps
from hardtext.attacks.search import Edits, greedy
from hardtext.core import InputError

POWER = 5  # tokens that the bodega variant edits
MAX_DISTANCE = 30  # Levenshtein distance from the original (Gao et al. 2018, section 5)
FIRE = "🔥"  # BODEGA's unknown token: outside every victim's vocabulary

LOOK_ALIKES = dict(zip(
    "-9876543210'abcdefghijklmnopqrstuvwxyz",
    "˗৭Ȣ𝟕бƼᏎƷᒿlO`ɑЬϲԁе𝚏ɡհіϳ𝒌ⅼｍոорԛⲅѕ𝚝սѵԝ×уᴢ", strict=True))


@dataclass
class DeepWordBug(WordAttack):
    """Settings. ``power``: tokens edited by the bodega variant (null: 5). ``max_distance``: edit distance the paper
    variant may use (null: 30)."""

    name: str = "deepwordbug"
    variant: str = "paper"
    power: Optional[int] = None
    max_distance: Optional[int] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.variant", self.variant, ("paper", "bodega"))
        check_unused(self, "power" if self.variant == "paper" else "max_distance")
        if self.variant == "bodega":
            self.constraints.check_unused("attack.variant=bodega")
        self.constraints.check_unused("attack=deepwordbug", "part_of_speech", "antonyms")
        for key in ("power", "max_distance"):
            value = getattr(self, key)
            if value is not None and value < 1:
                raise InputError(f"attack.{key}={value}: expected at least 1")

    def steps(self, target: Target) -> Steps:
        if self.variant == "bodega":
            return _bodega(target, POWER if self.power is None else self.power)
        return _paper(target, MAX_DISTANCE if self.max_distance is None else self.max_distance,
                      self.constraints.over(Constraints(stop_words=True)))


def _paper(target: Target, max_distance: int, rules: Constraints) -> Steps:
    words = [w for w in rules.changeable(target) if len(w.text) > 1]
    if not words:
        return None
    masked = yield Score(importance.leave_one_out(target.segments, words), probe=True)
    scores = importance.drop(target.probabilities, masked, target.label)
    cost: dict[tuple[text.Word, str], int] = {}

    def options(word: text.Word, edits: Edits) -> Sequence[str]:
        left = max_distance - sum(cost[kept] for kept in edits.items())
        misspelt = {m: c for m, c in misspellings(word.text, target.rng) if c <= left}
        cost.update({(word, m): c for m, c in misspelt.items()})
        return list(misspelt)

    return (yield from greedy(target, [words[i] for i in importance.ranking(scores)], options, rules))


def misspellings(word: str, rng: random.Random) -> list[tuple[str, int]]:
    """One swap, substitution, deletion and insertion at random places, with their Levenshtein distances.

    An edit that leaves the word as it was (a swap of equal characters) is left out.
    """
    n = len(word)
    i, j, k, m = rng.randrange(n - 1), rng.randrange(n), rng.randrange(n), rng.randrange(n + 1)
    edits = [
        (word[:i] + word[i + 1] + word[i] + word[i + 2:], 2),
        (word[:j] + _letter(rng, word[j]) + word[j + 1:], 1),
        (word[:k] + word[k + 1:], 1),
        (word[:m] + _letter(rng, word[max(0, m - 1)]) + word[m:], 1),
    ]
    return [(edited, cost) for edited, cost in edits if edited != word]


def _letter(rng: random.Random, beside: str) -> str:
    """A random letter in the case of the character it replaces or follows."""
    letter = rng.choice(string.ascii_lowercase)
    return letter.upper() if beside.isupper() else letter


def _bodega(target: Target, power: int) -> Steps:
    source = PunctTokens(target.segments, lower=False)
    masked = yield Score(source.without(FIRE), probe=True)
    order = importance.ranking(-masked[:, target.label])
    draws = numpy.random.RandomState(target.rng.getrandbits(32))  # OpenAttack's generator, seeded for each example
    edited = list(source.tokens)
    for i in order[:power]:
        token = edited[i]
        at = draws.randint(0, len(token))
        edited[i] = token[:at] + LOOK_ALIKES.get(token[at], token[at]) + token[at + 1:]
    result = source.render(edited)
    answer = yield Score([result])
    return result if target.moved(answer[0]) else None
