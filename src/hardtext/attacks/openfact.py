"""OpenFact-style ensembles (after Lewoniewski et al. 2024, "OpenFact at CheckThat! 2024: Combining Multiple Attack
Methods for Effective Adversarial Text Generation", arXiv 2409.02649): known attacks, some modified, and for each text
the best of what they find.

No reproduction: the abstract names the attacks, but no parameters, order or rule of choice, and no code was found. What
is written beside the members here is our choice. Variants:

``bert_genetic``     BERT-ATTACK with exhaustive choice of the place (``exhaustive.py``: 1 to 7 words, figures and marks
                     at last); where it fails, the genetic attack.
``swap_textfooler``  greedy swaps for counter-fitted neighbours, most important word first, with no sentence
                     similarity to keep; where it fails, TextFooler.
``clare``            CLARE.
``all``              (default) each of the three, cheapest first, on every text; the result with the best
                     semantic × character score. No member sees what another found.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hardtext import text
from hardtext.attacks import importance, quality
from hardtext.attacks.base import Attack, MaskedLMAttack, SemanticAttack, Target, WordAttack, check_choice
from hardtext.attacks.clare import CLARE
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.exhaustive import Bounds, exhaustive
from hardtext.attacks.genetic import Genetic
from hardtext.attacks.metering import within
from hardtext.attacks.requests import Credit, Score, Steps
from hardtext.attacks.search import greedy
from hardtext.attacks.textfooler import TextFooler
from hardtext.attacks.vectors import load_vectors
from hardtext.core import InputError, Segments

ENSEMBLES = ("swap_textfooler", "bert_genetic", "clare")  # cheapest first
OWN = Constraints(stop_words=True)  # of the exhaustive BERT-ATTACK and of the swaps; the others have their own
FRAME = 2  # queries around every attack: the first prediction and the final check
NEIGHBOURS = 50  # of a word, as many as TextFooler looks at (Jin et al. 2020)


@dataclass
class OpenFact(MaskedLMAttack, SemanticAttack, WordAttack):
    """Settings. ``k`` and ``changes``: candidates a place and words that may change in the exhaustive BERT-ATTACK.
    ``places``: the most important words, which it and the swaps try. ``vectors``: counter-fitted word vectors,
    ``bundled`` (stand-in) or a file. Genetic, TextFooler and CLARE run with their own defaults."""

    name: str = "openfact"
    variant: str = "all"
    vectors: str = "bundled"
    k: int = 12
    places: int = 60
    changes: int = 7

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.variant", self.variant, ("all", *ENSEMBLES))
        for key in ("k", "places", "changes"):
            if getattr(self, key) < 1:
                raise InputError(f"attack.{key}={getattr(self, key)}: expected at least 1")
        if self.variant in ("all", "clare"):
            self.constraints.check_unused(f"CLARE (a member of attack.variant={self.variant})", "part_of_speech")

    def stand_ins(self) -> list[str]:
        members = [self._known(name) for name in ENSEMBLES if self.variant in ("all", name)]
        return list(dict.fromkeys([*super().stand_ins(), *(words for m in members for words in m.stand_ins())]))

    def steps(self, target: Target) -> Steps:
        if self.variant != "all":
            return (yield from self._ensemble(self.variant, target))
        found: dict[str, Segments] = {}
        left = None if target.max_queries is None else target.max_queries - FRAME
        for name in ENSEMBLES:
            # a generator of its own, so that what one ensemble draws does not shift what the next one draws
            own = replace(target, rng=random.Random(target.rng.getrandbits(64)))
            # once there is something to lose, no ensemble may ask beyond the engine's limit, which would end the attempt
            result, used, _ = yield from within(self._ensemble(name, own), left if found else None)
            if left is not None:
                left -= used
            if result is not None:
                found[name] = result
        if not found:
            return None
        index, _ = yield from quality.best(target, list(found.values()))
        winner = list(found)[index]
        yield Credit(winner)
        return found[winner]

    def _ensemble(self, name: str, target: Target) -> Steps:
        """Its members in turn, until one finds a text."""
        for member in self._members(name, target):
            found = yield from member
            if found is not None:
                return found
        return None

    def _members(self, name: str, target: Target) -> Iterator[Steps]:
        if name == "bert_genetic":
            yield exhaustive(target, self.constraints.over(OWN), Bounds(self.k, self.places, self.changes))
        elif name == "swap_textfooler":
            yield self._swaps(target)
        yield self._known(name).steps(target)

    def _known(self, name: str) -> Attack:
        """The published attack of an ensemble."""
        if name == "bert_genetic":
            return Genetic(masked_lm=self.masked_lm, vectors=self.vectors, constraints=self.constraints)
        if name == "swap_textfooler":
            return TextFooler(vectors=self.vectors, constraints=self.constraints)
        return CLARE(masked_lm=self.masked_lm, constraints=self.constraints)

    def _swaps(self, target: Target) -> Steps:
        rules, near = self.constraints.over(OWN), load_vectors(self.vectors)
        candidates: dict[text.Word, list[str]] = {}
        for word in rules.changeable(target):
            alike = [text.match_case(n, word.text) for n, cosine in near.neighbours(word.text.lower(), NEIGHBOURS)
                     if cosine >= near.threshold]
            if fitting := rules.fitting(word.text, alike):
                candidates[word] = fitting
        if not candidates:
            return None
        words = list(candidates)
        masked = yield Score(importance.leave_one_out(target.segments, words), probe=True)
        scores = importance.drop_with_flip(target.probabilities, masked, target.label)
        ranked = [words[i] for i in importance.ranking(scores)[:self.places]]
        return (yield from greedy(target, ranked, lambda word, _: candidates[word], rules))

