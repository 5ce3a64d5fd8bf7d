"""Homoglyph search (SINAI at CheckThat! 2024, task 6, InCrediblAE): take the words in reading order, without any
ranking, replace one random character of a word by a look-alike, and see whether the prediction moves.

Variants, the search modes of the published system:

``memory``     (default) each word alone; when all have failed, the first word keeps an edit and all are tried again,
               then the second keeps one too, until all but the last do: up to n² queries for n words. A text of more
               words than ``chunk`` is attacked as by ``chunked``, so that the queries stay in proportion to n.
``no_memory``  each word alone on the original: one edit in the whole text, up to n queries.
``chunked``    each word alone, then each chunk of 100 words by itself, its edits adding up word after word: up to 2n
               queries, and never more than a chunk of edited words.

There is no bug-for-bug variant: in the published file the iterative modes cannot run (a comparison stands where an
assignment was meant, ``self.BF_SEARCH == "True"``, so that the branch is never taken and the mode with memory meets a
name that was never set). What was left open is settled here: every try draws its edit anew; a word that keeps an edit
is edited from its original form when its turn comes again, so that no word ever holds two; words are those of
``hardtext.text``, so that all other bytes stay.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hardtext import text
from hardtext.attacks import characters
from hardtext.attacks.base import Target, WordAttack, check_choice
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.requests import LazyTexts, Score, Steps
from hardtext.attacks.search import Edits
from hardtext.core import InputError
from hardtext.lexicon import wordnet

INVISIBLE = "\u115f"  # HANGUL CHOSEONG FILLER: a letter without a shape

Perturb = Callable[[text.Word], str]

EDITS: dict[str, Callable[[str, random.Random, Constraints], str]] = {
    "homoglyph": lambda word, rng, constraints: characters.swap_random(word, rng),
    "invisible": lambda word, rng, constraints: INVISIBLE + word,
    "both": lambda word, rng, constraints: INVISIBLE + characters.swap_random(word, rng),
    # the most frequent sense; SINAI chose it by Lesk's overlap with the text
    "synonym": lambda word, rng, constraints: next(
        (text.match_case(s, word) for s in constraints.fitting(word, wordnet.synonyms(word))), word),
}


@dataclass
class HomoglyphSearch(WordAttack):
    """Settings. ``edit``: ``homoglyph``, ``invisible`` (the invisible letter U+115F before the word), ``both``, or
    ``synonym`` (from WordNet). ``chunk``: words a chunk, and the most words that ``memory`` searches in its own way."""

    name: str = "homoglyph_search"
    variant: str = "memory"
    edit: str = "homoglyph"
    chunk: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.variant", self.variant, ("memory", "no_memory", "chunked"))
        check_choice("attack.edit", self.edit, tuple(EDITS))
        if self.chunk < 1:
            raise InputError(f"attack.chunk={self.chunk}: expected at least 1 word")
        self.constraints.check_unused(self.name, "similarity", "similarity_window")
        if self.edit != "synonym":
            self.constraints.check_unused(f"attack.edit={self.edit}", "part_of_speech", "antonyms")

    def steps(self, target: Target) -> Steps:
        def perturb(word: text.Word) -> str:
            return EDITS[self.edit](word.text, target.rng, self.constraints)

        words = [w for w in characters.long_words(target, self.constraints) if perturb(w) != w.text]
        limit = self.constraints.limit(target)
        if self.variant == "no_memory":
            return _each_alone(target, words, perturb)
        if self.variant == "chunked" or len(words) > self.chunk:
            return _chunked(target, words, perturb, self.chunk, limit)
        return _memory(target, words, perturb, limit)


def _memory(target: Target, words: Sequence[text.Word], perturb: Perturb, limit: int) -> Steps:
    kept: Edits = {}
    for word in words[:limit]:
        found = yield from _first_flip(target, [{**kept, w: perturb(w)} for w in words])
        if found is not None:
            return found
        kept[word] = perturb(word)
    return None


def _each_alone(target: Target, words: Sequence[text.Word], perturb: Perturb) -> Steps:
    return _first_flip(target, [{word: perturb(word)} for word in words])


def _chunked(target: Target, words: Sequence[text.Word], perturb: Perturb, size: int, limit: int) -> Steps:
    found = yield from _each_alone(target, words, perturb)
    for start in range(0, len(words), size):
        if found is not None:
            break
        edits = [(word, perturb(word)) for word in words[start:start + size][:limit]]
        found = yield from _first_flip(target, [dict(edits[:count]) for count in range(1, len(edits) + 1)])
    return found


def _first_flip(target: Target, tries: Sequence[Edits]) -> Steps:
    """The text with the first of ``tries`` that moves the prediction. Drawn before, since asking ahead builds texts
    that the search may never need."""
    if not tries:
        return None
    texts = LazyTexts(len(tries), lambda i: text.replace(target.segments, tries[i]))
    answer = yield Score(texts, until_flip=target.label)
    return texts[len(answer) - 1] if target.moved(answer[-1]) else None
