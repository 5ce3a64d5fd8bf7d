"""TurQUaz's genetic search (CheckThat! 2024, task 6, InCrediblAE): texts with small random edits of words (look-alikes,
a space inside, a letter inserted, deleted or moved) are crossed, mutated and selected until one moves the prediction.

Variants:

``hardtext``  (default) look-alikes and spaces that leave no odd single letter; children of the best half so far, best
              by the victim's probability; every text holds a change and is asked once, those with the fewest changed
              words first, so that the first success is the smallest of its generation; all other bytes stay.
``splitR``    a space at a random place of a token.
``splitH``    the same, but no single letter is cut off unless it is "a" or "i".
``splitM``    a space at the first place where both halves are words.
``homoglyph_split``  look-alikes for every letter of a token that has one, or a space.
``hadssh``    a look-alike, an added or deleted letter, a shuffle, or a space.

The published five see the predicted label only: fitness is minus the changed tokens where it moves, so that failures
look alike and the search is in practice a random one. Each generation is scored, then asked again in order up to the
first success, whatever its size (at most 420 queries); mutation may change nothing; texts come back as tokens joined
by single spaces, quotation marks as `` and ''. Their known faults are kept and marked below. What was not published and
is our reading: children replace the whole generation; tokens keep their places when they are split, so that any two
texts can be crossed. In every variant nothing touches "~", which joins pairs.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Optional

from hardtext import text
from hardtext.attacks import characters, ties
from hardtext.attacks.base import Target, WordAttack, check_choice, check_unused
from hardtext.attacks.requests import Score, Steps
from hardtext.core import InputError, Segments
from hardtext.lexicon import wordnet
from hardtext.lexicon.function_words import FUNCTION_WORDS
from hardtext.lexicon.homoglyphs import TURQUAZ

# Close to NLTK's word_tokenize: the same tokens for 389 of 416 propaganda sentences (abbreviations such as "Mr." are
# not known here). What holds "~" stays whole, with the space around it, so that no separator is made or lost.
_ENDS = r"""n't\b|'(?:s|m|d|re|ve|ll)\b|\.{2,}|--|[,:](?!\d)|'(?=\s|$)|\.(?=["')\]]*\s*$)"""
_MARKS = r"""\]\[(){}<>?!;@#$%&"“”‘’«»*"""
_TOKEN = re.compile(rf"(?:\s*[^\s~]*~)+[^\s~]*\s*|{_ENDS}|[{_MARKS}]|(?:(?!{_ENDS})[^\s{_MARKS}])+", re.IGNORECASE)

Genes = tuple[str, ...]
"""The tokens of a text, each as it was or edited."""


# ---- edits: a token's new form; the token itself where the edit does not apply

def _homoglyph(word: str, rng: random.Random) -> str:
    places = [i for i, c in enumerate(word) if c in TURQUAZ]
    if not places:
        return word
    at = rng.choice(places)
    return word[:at] + rng.choice(TURQUAZ[word[at]]) + word[at + 1:]


def _homoglyphs(word: str, rng: random.Random) -> str:
    return "".join(rng.choice(TURQUAZ.get(c, c)) for c in word)


def _split_random(word: str, rng: random.Random) -> str:
    cuts = _cuts(word)
    return _cut(word, rng.choice(cuts)) if cuts else word


def _split_ends(word: str, rng: random.Random) -> str:
    cuts = [i for i in _cuts(word) if (i > 1 or word[0] in "aAiI") and (i < len(word) - 1 or word[-1] in "aAiI")]
    return _cut(word, rng.choice(cuts)) if cuts else word


def _split_words(word: str, rng: random.Random) -> str:
    cut = next((i for i in _cuts(word) if _is_word(word[:i]) and _is_word(word[i:])), 0)
    return _cut(word, cut) if cut else word


def _insert(word: str, rng: random.Random) -> str:
    places = [i for i in _inside(word) if word[i].isascii()]  # a Latin letter has no place in an Arabic word
    if not places:
        return word
    at, letter = rng.choice(places), rng.choice(ascii_lowercase)
    return word[:at] + (letter.upper() if word.isupper() else letter) + word[at:]


def _delete(word: str, rng: random.Random) -> str:
    if len(word) < 3:
        return word
    at = rng.randrange(1, len(word) - 1)
    return word[:at] + word[at + 1:]


def _shuffle(word: str, rng: random.Random) -> str:
    inner = list(word[1:-1])
    rng.shuffle(inner)
    return word[:1] + "".join(inner) + word[-1] if len(word) > 3 else word


def _inside(word: str) -> list[int]:
    """Places between two letters."""
    return [i for i in range(1, len(word)) if word[i - 1:i + 1].isalpha()]


def _cuts(word: str) -> list[int]:
    return _inside(word) if " " not in word else []  # one space a word


def _cut(word: str, at: int) -> str:
    return f"{word[:at]} {word[at:]}"


def _is_word(half: str) -> bool:
    """In WordNet or a function word (the published splitM looks into NLTK's word list, where every letter is one)."""
    half = half.lower()
    return half in ("a", "i") or len(half) > 1 and (half in FUNCTION_WORDS or wordnet.known(half))


EDITS: dict[str, Callable[[str, random.Random], str]] = {
    "homoglyph": _homoglyph, "homoglyphs": _homoglyphs, "split_random": _split_random, "split_ends": _split_ends,
    "split_words": _split_words, "insert": _insert, "delete": _delete, "shuffle": _shuffle}

VARIANTS = {
    "hardtext": ("homoglyph", "split_ends"),
    "splitR": ("split_random",),
    "splitH": ("split_ends",),
    "splitM": ("split_words",),
    "homoglyph_split": ("homoglyphs", "split_random"),
    "hadssh": ("homoglyph", "insert", "delete", "shuffle", "split_random"),
}


@dataclass
class TurQuaz(WordAttack):
    """Settings. ``population``: texts a generation. ``generations``. ``mutation``: chance of each token to be edited.
    ``edits`` (variant ``hardtext`` only): which edits a word may get, one of them at random each time; null: homoglyph
    and split_ends."""

    name: str = "turquaz"
    variant: str = "hardtext"
    population: int = 20
    generations: int = 10
    mutation: float = 0.1
    edits: Optional[list[str]] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.variant", self.variant, tuple(VARIANTS))
        if self.variant != "hardtext":
            check_unused(self, "edits")
            self.constraints.check_unused(f"attack.variant={self.variant}")
        self.constraints.check_unused(self.name, "part_of_speech", "antonyms", "similarity", "similarity_window")
        if self.edits == []:
            raise InputError(f"attack.edits=[]: expected at least one of {', '.join(EDITS)}, or null for the default")
        for edit in self.edits or ():
            check_choice("attack.edits", edit, tuple(EDITS))
        if self.population < 2:
            raise InputError(f"attack.population={self.population}: expected at least 2 texts, which are parents")
        if self.generations < 1:
            raise InputError(f"attack.generations={self.generations}: expected at least 1")
        if not 0 < self.mutation <= 1:
            raise InputError(f"attack.mutation={self.mutation}: expected a chance, above 0 and at most 1")

    def steps(self, target: Target) -> Steps:
        return self._sound(target) if self.variant == "hardtext" else self._published(target)

    def _sound(self, target: Target) -> Steps:
        words = characters.long_words(target, self.constraints)
        if not words:
            return None
        original = tuple(w.text for w in words)
        limit = self.constraints.limit(target)

        def render(genes: Genes) -> Segments:
            return text.replace(target.segments, {w: g for w, g in zip(words, genes, strict=True) if g != w.text})

        known = {original}
        parents = [(float(target.probabilities[target.label]), original)]
        for _ in range(self.generations):
            children = [self._child([genes for _, genes in parents], target.rng, known) for _ in range(self.population)]
            children = [_limited(genes, original, limit, target.rng) for genes in children]
            children = [genes for genes in dict.fromkeys(children) if genes not in known]
            if not children:
                continue
            children.sort(key=lambda genes: _changes(genes, original))
            known.update(children)
            answer = yield Score([render(genes) for genes in children], until_flip=target.label)
            if target.moved(answer[-1]):
                return render(children[len(answer) - 1])
            parents += zip(answer[:, target.label].tolist(), children, strict=True)
            parents = [parents[i] for i in ties.falling([-p for p, _ in parents])[:self.population // 2]]
        return None

    def _published(self, target: Target) -> Steps:
        tokens = [_tokens(segment) for segment in target.segments]
        original = tuple(token for segment in tokens for token in segment)
        if [len(t) for t in tokens] == [1] and self.variant in ("splitR", "splitM"):
            return None  # crossover asks for a cut between 1 and 0: an error, and the text comes back as it was

        def render(genes: Genes) -> Segments:
            border = len(tokens[0])
            parts = (genes[:border], genes[border:])[:len(tokens)]
            return tuple(" ".join(part) for part in parts)

        population = [self._mutated(original, target.rng) for _ in range(self.population)]
        for _ in range(self.generations):
            texts = [render(genes) for genes in population]
            yield Score(texts)  # the fitness: where a prediction moved the same text ends the search in the test below
            answer = yield Score(texts, until_flip=target.label)
            if target.moved(answer[-1]):
                return texts[len(answer) - 1]
            if self.variant in ("homoglyph_split", "hadssh"):
                # A failure's fitness is -1000 minus its changes, sorted in the wrong direction: the most changed breed.
                population.sort(key=lambda genes: _changes(genes, original), reverse=True)
            parents = population[:self.population // 2]
            population = [self._mutated(_crossed(parents, target.rng), target.rng) for _ in range(self.population)]
        texts = [render(genes) for genes in population]
        answer = yield Score(texts, until_flip=target.label)
        return texts[len(answer) - 1] if target.moved(answer[-1]) else None

    def _child(self, parents: Sequence[Genes], rng: random.Random, known: set[Genes]) -> Genes:
        """A crossed and mutated text. One that is known already gets one more edit."""
        child = self._mutated(_crossed(parents, rng), rng)
        if child in known:
            at = rng.randrange(len(child))
            child = (*child[:at], self._edited(child[at], rng), *child[at + 1:])
        return child

    def _mutated(self, genes: Genes, rng: random.Random) -> Genes:
        return tuple(self._edited(g, rng) if rng.random() < self.mutation else g for g in genes)

    def _edited(self, token: str, rng: random.Random) -> str:
        """The token after one of the edits that apply to it."""
        if "~" in token:
            return token
        names = self.edits or VARIANTS[self.variant]
        for name in rng.sample(names, len(names)):
            if (edited := EDITS[name](token, rng)) != token:
                return edited
        return token


def _crossed(parents: Sequence[Genes], rng: random.Random) -> Genes:
    """The first tokens of one random parent and the last of another, cut at a random place."""
    first, second = rng.choice(parents), rng.choice(parents)
    cut = rng.randint(1, max(1, len(first) - 1))
    return first[:cut] + second[cut:]


def _limited(genes: Genes, original: Genes, limit: int, rng: random.Random) -> Genes:
    """The genes with at most ``limit`` changes: random ones are taken back."""
    changed = [i for i, (a, b) in enumerate(zip(genes, original, strict=True)) if a != b]
    back = set(rng.sample(changed, max(0, len(changed) - limit)))
    return tuple(original[i] if i in back else gene for i, gene in enumerate(genes))


def _changes(genes: Genes, original: Genes) -> int:
    return sum(a != b for a, b in zip(genes, original, strict=True))


def _tokens(segment: str) -> list[str]:
    tokens = []
    for match in _TOKEN.finditer(segment):
        opening = match.start() == 0 or segment[match.start() - 1] in " ([{<"
        tokens.append(match.group() if match.group() != '"' else "``" if opening else "''")
    return tokens
