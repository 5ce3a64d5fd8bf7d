"""GloTa (team Palöri at CheckThat! 2024, InCrediblAE): global words first, then the masked LM.

Rank the words as BERT-ATTACK does; replace each in turn by its nearest neighbours among counter-fitted word vectors,
or, where these do not know it, by the masked LM's candidates, those that fit the text best first; stop at the first
that moves the prediction, else keep the one that hurts most. The search ends after half of the words (8 of a short
text) or after 80.

Variants:

``hardtext``   (default) works on words with offsets and keeps case, spacing and marks; function words stay; the last
               word counts too; only words that the victim reads; an unknown word is masked as a whole, however many
               pieces it has; a place where no candidate helps gets its word back.
``published``  the code of the submission: lower case, line breaks deleted, words stand between single spaces and lose
               their marks when they are replaced, function words are replaced too, the last word is never ranked, the
               80th never tried, and a place where no candidate helps keeps the last one tried. Its masked LM reads the
               text once, unmasked: candidates above a raw logit of 0.3 for a word of one piece, and for any word those
               at its last piece that resemble it in context. What would break a pair's separator is left out,
               which the original does not see to.

What differs from the submission in both, for want of the same resources: its vectors are the counter-fitted ones of the
50,000 commonest words of the IMDB reviews (15,153 of these have none, and their neighbours are arbitrary), its masked LM
is roberta-base; a candidate's resemblance comes from that model's inner states (and those candidates from one place too
early), the final order from a tiny BLEURT. Here ``vectors`` and ``masked_lm`` say which, and the cosine of sentence
embeddings of the ``WINDOW`` words around decides both.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from hardtext import text
from hardtext.attacks import ties
from hardtext.attacks.base import MaskedLMAttack, Target, WordAttack, check_choice
from hardtext.attacks.constraints import Constraints, whole_word
from hardtext.attacks.importance import drop_with_flip, leave_one_out, ranking
from hardtext.attacks.joined import Joined, splits_back
from hardtext.attacks.requests import Answered, Fill, LazyTexts, Propose, Request, Score, Similar, Steps, around
from hardtext.attacks.search import Greedy
from hardtext.attacks.vectors import STAND_IN, load_vectors
from hardtext.core import InputError

MOST, FEW, SHARE = 80, 8, 0.5  # words tried at most; so many always; otherwise this share of all
THRESHOLD = 0.3  # least raw logit, and least cosine
WINDOW = 15  # words that are compared, the replaced one in the middle

OWN = Constraints(stop_words=True)
FITTING = Constraints(similarity=THRESHOLD, similarity_window=WINDOW)

_LETTERS = re.compile("[a-zA-Z]+")


@dataclass
class GloTa(WordAttack, MaskedLMAttack):
    """Settings. ``candidates``: replacements tried at a word. ``k``: candidates asked of the masked LM. ``vectors``:
    the word vectors, ``bundled`` or a file."""

    name: str = "glota"
    variant: str = "hardtext"
    candidates: int = 30
    k: int = 36
    vectors: str = "bundled"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.variant", self.variant, ("hardtext", "published"))
        for key in ("candidates", "k"):
            if getattr(self, key) < 1:
                raise InputError(f"attack.{key}={getattr(self, key)}: expected at least 1")
        if self.variant == "published":
            self.constraints.check_unused("attack.variant=published")

    def stand_ins(self) -> list[str]:
        return [*super().stand_ins(), *([STAND_IN] if self.vectors == "bundled" else []),
                "cosine of sentence embeddings in place of the masked LM's inner states and of a tiny BLEURT"]

    def steps(self, target: Target) -> Steps:
        return self._sound(target) if self.variant == "hardtext" else self._published(target)

    def _neighbours(self, word: str) -> list[str]:
        """The nearest words, none of a word without a vector."""
        return [neighbour for neighbour, _ in load_vectors(self.vectors).neighbours(word, self.candidates)]

    def _sound(self, target: Target) -> Steps:
        rules = self.constraints.over(OWN)
        words = rules.changeable(target)
        if not words:
            return None
        everything = text.words(target.segments)
        tried = min(MOST, _enough(sum(w.is_word for w in everything)))
        masked = yield Score(leave_one_out(target.segments, words), probe=True)
        order = ranking(drop_with_flip(target.probabilities, masked, target.label))
        search = Greedy(target, rules)
        for word in [words[i] for i in order[:tried]]:
            if search.full:
                return None
            candidates: Sequence[str] = [text.match_case(c, word.text) for c in self._neighbours(word.text.lower())]
            if not candidates:
                candidates = yield from self._filled(target, everything, word, search)
            found = yield from search.visit(word, rules.fitting(word.text, candidates))
            if found is not None:
                return found
        return None

    def _filled(self, target: Target, everything: Sequence[text.Word], word: text.Word, search: Greedy,
                ) -> Generator[Request, Any, list[str]]:
        """The masked LM's candidates for a word, the most similar text first."""
        line = [w for w in everything if w.segment == word.segment]
        i = line.index(word)
        [(pieces, _)] = yield Fill((around([w.text for w in line], i, i + 1),), self.k)
        found = [text.match_case(p, word.text) for p in pieces if whole_word(p)]
        kept, cosines = yield from FITTING.similar(target, [{**search.edits, word: c} for c in found], word)
        return [found[kept[j]] for j in ties.falling(cosines)][:self.candidates]

    def _published(self, target: Target) -> Steps:
        lowered = tuple(s.lower() for s in target.segments)
        joined, label = Joined(lowered, newline=""), target.label
        words = list(joined.words)
        original = (yield Score([lowered], probe=True))[0]
        masked = yield Score(LazyTexts(max(len(words), 2) - 1, joined.without), probe=True)
        order = ranking(drop_with_flip(original, masked, label))[:min(MOST - 1, _enough(len(words)))]
        order = [i for i in order if i != joined.separator]  # counted as tried all the same
        known = {i: self._neighbours(found.group() if (found := _LETTERS.search(words[i])) else words[i])
                 for i in order}
        unknown = tuple(sorted(i for i in order if not known[i]))
        proposals = (yield Propose(joined.words, self.k, unknown)) if unknown else []
        current = original.max()
        for i in order:
            candidates = known[i] or (yield from self._ranked(joined.words, words, i, proposals[i]))
            changes = [(c, joined.render([*words[:i], c, *words[i + 1:]])) for c in candidates]
            changes = [(c, t) for c, t in changes
                       if c != words[i] and "##" not in c and splits_back(target.segments, t)]
            if not changes:
                continue
            candidates, texts = zip(*changes, strict=True)
            answer = yield Score(texts, until_flip=label)
            if target.moved(answer[-1]):
                return texts[len(answer) - 1]
            drops = current - answer[:, label]
            best = ties.most(drops)
            if drops[best] > 0:
                words[i] = candidates[best]
                current = current - drops[best]
            else:
                words[i] = candidates[-1]  # tried in place and never taken back
        return None

    def _ranked(self, original: Sequence[str], words: Sequence[str], i: int, proposal: Sequence[Answered],
                ) -> Generator[Similar, numpy.ndarray, list[str]]:
        """The masked LM's candidates for word ``i`` of a text, the most similar text first."""
        if not proposal:
            return []
        pieces, logits = proposal[-1]
        below = numpy.flatnonzero(logits < THRESHOLD)
        likely = len(pieces) if not below.size else int(below[0])
        if len(proposal) > 1:
            likely = 0
        start, end = max(0, i - WINDOW // 2), i + WINDOW // 2 + 1
        before = " ".join(original[start:end])
        cosines = yield Similar(tuple((before, " ".join([*words[start:i], p, *words[i + 1:end]])) for p in pieces))
        kept = [j for j in ties.falling(cosines) if j < likely or ties.below(THRESHOLD, cosines[j])]
        return [pieces[j] for j in kept][:self.candidates]


def _enough(words: int) -> int:
    """How many words of a text are tried before the search ends, if nothing ends it sooner."""
    return max(FEW, int(SHARE * words))
