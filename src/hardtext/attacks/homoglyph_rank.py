"""Homoglyphs in the most important words, in the style of MMU_NLP (CheckThat! 2024, task 6, InCrediblAE).

The team described "an importance-based search technique with a homoglyph attack" and published neither code nor
figures: this is an attack of that kind, not a reproduction. Words are ranked by how much the probability of the
victim's prediction falls without each; from the most important on, a word gets one edit, which stays if it lowers that
probability, until the prediction moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Optional

from hardtext import text
from hardtext.attacks import characters, importance
from hardtext.attacks.base import MaskedLMAttack, Target, WordAttack, check_choice
from hardtext.attacks.constraints import Constraints, whole_word
from hardtext.attacks.proposals import proposed
from hardtext.attacks.requests import Score, Steps
from hardtext.attacks.search import greedy
from hardtext.core import InputError

CANDIDATES = 10  # of the masked LM

PLACES: dict[str, Callable[[list[int], Target], int]] = {
    "random": lambda places, target: target.rng.choice(places),
    "begin": lambda places, target: places[0],
    "end": lambda places, target: places[-1],
}


@dataclass
class HomoglyphRank(MaskedLMAttack, WordAttack):
    """Settings. ``edit``: which character of a word gets a random look-alike, ``random``, ``begin`` (the first that has
    one) or ``end`` (the last); or ``substitute``, which replaces the word by one of the masked LM's best ``k``
    (null: 10)."""

    name: str = "homoglyph_rank"
    variant: str = "hardtext"
    edit: str = "random"
    k: Optional[int] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.variant", self.variant, ("hardtext",))
        check_choice("attack.edit", self.edit, (*PLACES, "substitute"))
        if self.k is not None and self.k < 1:
            raise InputError(f"attack.k={self.k}: expected at least 1 candidate")
        if self.edit != "substitute":
            if self.k is not None:
                raise InputError(f"attack.k={self.k}: attack.edit={self.edit} does not use it; "
                                 f"leave it out or set attack.edit=substitute")
            self.constraints.check_unused(f"attack.edit={self.edit}", "part_of_speech", "antonyms")

    def steps(self, target: Target) -> Steps:
        constraints = self.constraints.over(Constraints(stop_words=self.edit == "substitute"))
        words = characters.long_words(target, constraints)
        if self.edit == "substitute":
            replacements = yield from _substitutes(target, words, CANDIDATES if self.k is None else self.k, constraints)
        else:
            replacements = _homoglyphs(target, words, self.edit)
        if not replacements:
            return None
        words = list(replacements)
        masked = yield Score(importance.leave_one_out(target.segments, words), probe=True)
        order = importance.ranking(importance.drop(target.probabilities, masked, target.label))
        return (yield from greedy(target, [words[i] for i in order], lambda word, _: replacements[word], constraints))


def _homoglyphs(target: Target, words: Sequence[text.Word], edit: str) -> dict[text.Word, list[str]]:
    found = {}
    for word in words:
        if places := characters.editable(word.text):
            found[word] = [characters.swap(word.text, PLACES[edit](places, target), target.rng)]
    return found


def _substitutes(target: Target, words: Sequence[text.Word], k: int, constraints: Constraints):
    """The masked LM's whole words for each word, in its case, from one pass over the original."""
    proposals = yield from proposed(target.segments, words, k)
    found: dict[text.Word, list[str]] = {}
    for word, proposal in proposals.items():
        for pieces, _ in proposal:
            if new := constraints.fitting(word.text, filter(whole_word, pieces)):
                found[word] = [text.match_case(piece, word.text) for piece in new]
    return found
