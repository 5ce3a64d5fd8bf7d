"""TextFooler (Jin et al. 2020, "Is BERT Really Robust? A Strong Baseline for Natural Language Attack on Text
Classification and Entailment", AAAI).

Rank the words by what the victim makes of the text without them (eq. 2); at each word in turn try its nearest
neighbours among counter-fitted vectors that can be the same part of speech and leave the sentence similar. Of those that
move the prediction take the most similar text, else keep the one that hurts most.

Variants:

``hardtext``   (default) the paper on words with offsets: case, spacing and marks stay byte for byte. Deviations: only
               words that have candidates are ranked; every text is compared with the original, not with the step
               before, so that small steps cannot add up; a text that is not similar enough is never asked (the paper's
               code asks first and compares then, which costs queries); the part of speech is a possible one of the
               word, without a tagger. The least similarity is recalibrated (``constraints.NEIGHBOURLY``).
``published``  OpenAttack 2.1.1: WordNet's synonyms for every word; texts are lower-case tokens joined by single spaces;
               a token window of 15 compared with the step before, cosine 0.5, but 0.1 for a text of fewer than 15
               tokens; a candidate is kept where it is below the original's probability, even if above the current one.
               Three things differ. OpenAttack keeps the 0.1 for the rest of the run once it met a short text: here a
               text's threshold is its own. Its part-of-speech check (noun and verb pass for each other) needs its
               tagger and is left out. Its figures are cosines of the Universal Sentence Encoder, kept as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Optional

import numpy

from hardtext import text
from hardtext.attacks import importance, ties
from hardtext.attacks.base import Target, WordAttack, check_choice, check_unused
from hardtext.attacks.constraints import NEIGHBOURLY, Constraints
from hardtext.attacks.punct_tokens import KEPT, PunctTokens, synonyms
from hardtext.attacks.requests import Gradient, Score, Similar, Steps
from hardtext.attacks.search import greedy
from hardtext.attacks.vectors import STAND_IN, load_vectors
from hardtext.core import InputError

K = 50
OWN = Constraints(stop_words=True, part_of_speech=True, similarity=NEIGHBOURLY, similarity_window=15)

WINDOW, SIMILAR, SIMILAR_SHORT = 15, 0.5, 0.1  # OpenAttack's; the last for texts of fewer tokens than the window


@dataclass
class TextFooler(WordAttack):
    """Settings of the hardtext variant. ``ranking``: ``delete`` (the paper's) or ``gradient`` (after A2T, Yoo & Qi 2021: the
    norm of the gradient at each word, one query for all; only for victims in this process). ``k``: neighbours a word
    (null: 50). ``cosine``: least cosine of a neighbour (null: that of the vectors, 0.5 for the published ones).
    ``vectors``: ``bundled`` or a file."""

    name: str = "textfooler"
    variant: str = "hardtext"
    ranking: str = "delete"
    k: Optional[int] = None
    cosine: Optional[float] = None
    vectors: str = "bundled"
    own: ClassVar[Constraints] = OWN

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.variant", self.variant, ("hardtext", "published"))
        check_choice("attack.ranking", self.ranking, ("delete", "gradient"))
        if self.k is not None and self.k < 1:
            raise InputError(f"attack.k={self.k}: expected at least 1")
        if self.cosine is not None and not -1 <= self.cosine <= 1:
            raise InputError(f"attack.cosine={self.cosine}: expected a cosine from -1 to 1")
        if self.variant == "published":
            check_unused(self, "k", "cosine")
            if self.ranking != "delete":
                raise InputError(f"attack.ranking={self.ranking}: attack.variant=published has its own; leave it out")
            if self.vectors != "bundled":
                raise InputError(f"attack.vectors={self.vectors}: attack.variant=published does not use it; "
                                 f"leave it out or choose another variant")
            self.constraints.check_unused("attack.variant=published")

    def stand_ins(self) -> list[str]:
        used = self.variant == "hardtext" and self.vectors == "bundled"
        return [*super().stand_ins(), *([STAND_IN] if used else [])]

    def steps(self, target: Target) -> Steps:
        if self.variant == "published":
            return _published(target)
        return self._sound(target, self.constraints.over(OWN))

    def _sound(self, target: Target, rules: Constraints) -> Steps:
        candidates = {word: found for word in rules.changeable(target)
                      if (found := rules.fitting(word.text, self._neighbours(word.text)))}
        if not candidates:
            return None
        words = list(candidates)
        if self.ranking == "gradient":
            scores = importance.by_gradient(words, (yield Gradient(target.segments, target.label)))
        else:
            masked = yield Score(importance.leave_one_out(target.segments, words, unknown=""), probe=True)
            scores = importance.drop_with_flip(target.probabilities, masked, target.label)
        order = [words[i] for i in importance.ranking(scores)]
        return (yield from greedy(target, order, lambda word, _: candidates[word], rules, closest=True))

    def _neighbours(self, word: str) -> list[str]:
        vectors = load_vectors(self.vectors)
        least = vectors.threshold if self.cosine is None else self.cosine
        found = vectors.neighbours(word, K if self.k is None else self.k)
        return [text.match_case(neighbour, word) for neighbour, cosine in found if cosine >= least]


def _published(target: Target) -> Steps:
    text = PunctTokens(target.segments)
    tokens, count = list(text.tokens), len(text.tokens)
    least = SIMILAR_SHORT if count < WINDOW else SIMILAR
    original = (yield Score([tuple(s.lower() for s in target.segments)]))[0]
    label = int(ties.predicted(original))  # of the text in lower case, which may be another than the text's own
    masked = yield Score(text.without(), probe=True)
    for i in importance.ranking(importance.drop_with_flip(original, masked, label)):
        found = [] if tokens[i] in KEPT else synonyms(tokens[i])
        if not found:
            continue
        answer = yield Score([text.put(tokens, i, new) for new in found])
        start = max(0, min(i - WINDOW // 2, count - WINDOW))
        before, after = tokens[start:i], tokens[i + 1:start + WINDOW]
        current = " ".join([*before, tokens[i], *after])
        cosines = yield Similar(tuple((current, " ".join([*before, new, *after])) for new in found))
        similar = cosines >= least - ties.MARGIN
        flips = numpy.flatnonzero(similar & ties.moved(answer, label))
        if flips.size:
            tokens[i] = found[flips[ties.most(cosines[flips])]]
            [again] = yield Score([text.render(tokens)])
            if target.moved(again):
                return text.render(tokens)
        else:
            left = answer[:, label] + ~similar  # a text that is not similar enough is never the lowest
            best = ties.least(left)
            if ties.below(left[best], original.max()):
                tokens[i] = found[best]
    return None
