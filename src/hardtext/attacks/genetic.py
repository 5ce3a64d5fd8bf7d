"""The genetic attack (Alzantot et al. 2018, "Generating Natural Language Adversarial Examples", EMNLP).

A population of changed texts. Each generation keeps its best member and breeds the rest: two parents drawn by how far
they moved the victim, each word from one or the other, then one more word replaced by the neighbour that moves the
victim most. A text that moves the prediction ends it.

Variants:

``hardtext``   (default) the paper: 60 members, 20 generations, at most 20 % of the words; of a word's 8 nearest
               counter-fitted neighbours (squared distance at most 0.5, that is cosine 0.75, rescaled for vectors whose
               cosines lie otherwise) the 4 that fit the place; a word is drawn in proportion to its number of
               neighbours. Works on words with offsets. Nothing is asked twice, and every text that is asked may end
               the attack, not only those that enter the population.
               Stand-in: the paper asks Google's one-billion-word language model which neighbours fit; here a masked LM
               ranks them, from one pass over the unmasked original. It says nothing of neighbours outside its first
               500 pieces, of words it splits or past its window: there the nearest neighbours come first.
``published``  OpenAttack 2.1.1: 20 members, 20 generations, every WordNet synonym of a word, no language model, no
               limit on the words changed, repeats asked again; the text comes back as lower-case tokens joined by
               single spaces. Two parts of it are left out: its tagger (synonyms are those of every part of speech)
               and the first words of phrases as synonyms.

Parents are drawn with the victim's probabilities as chances, and float noise in them (1e-7) changes one draw in about a
million: of a thousand attempts that breed to the end (2,400 draws each) a few may differ between batch sizes.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Optional

import numpy

from hardtext import text
from hardtext.attacks import ties
from hardtext.attacks.base import MaskedLMAttack, Target, WordAttack, check_choice, check_unused
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.proposals import proposed
from hardtext.attacks.punct_tokens import KEPT, PunctTokens, synonyms
from hardtext.attacks.requests import Answered, LazyTexts, Request, Score, Steps
from hardtext.attacks.search import Edits
from hardtext.attacks.vectors import PUBLISHED_THRESHOLD, STAND_IN, load_vectors
from hardtext.core import InputError, Segments

NEIGHBOURS, DISTANCE, FITTING = 8, 0.5, 4  # Alzantot et al. 2018, section 4.1: N, delta, K
RANKED = 500  # pieces of the masked LM's answer, among which neighbours are looked for
OWN = Constraints(stop_words=True, max_changed=0.2)  # section 4.1
LEAST_CHANCE = 1e-9  # as a parent: of a victim that is certain to the last digit, all members have the same chance


@dataclass
class Genetic(MaskedLMAttack, WordAttack):
    """Settings; null means the variant's own figure. ``vectors``: counter-fitted word vectors, ``bundled`` (stand-in,
    the default) or a file. ``population``: members. ``generations``: populations that are bred, the first included."""

    name: str = "genetic"
    variant: str = "hardtext"
    vectors: Optional[str] = None
    population: Optional[int] = None
    generations: Optional[int] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.variant", self.variant, ("hardtext", "published"))
        for key, least in (("population", 2), ("generations", 1)):
            value = getattr(self, key)
            if value is not None and value < least:
                raise InputError(f"attack.{key}={value}: expected at least {least}")
        if self.variant == "published":
            check_unused(self, "vectors")
            self.constraints.check_unused("attack.variant=published")

    def stand_ins(self) -> list[str]:
        if self.variant == "published":
            return super().stand_ins()
        found = [*super().stand_ins(), "the masked LM in place of the language model that chooses among neighbours"]
        return found if self.vectors not in (None, "bundled") else [*found, STAND_IN]

    def steps(self, target: Target) -> Steps:
        generations = 20 if self.generations is None else self.generations
        if self.variant == "published":
            return _published(target, 20 if self.population is None else self.population, generations)
        return self._sound(target, 60 if self.population is None else self.population, generations)

    def _sound(self, target: Target, size: int, generations: int) -> Steps:
        rng, label = target.rng, target.label
        pool = yield from self._pool(target)
        if not pool.candidates:
            return None
        gain = {_key({}): 1 - target.probabilities[label]}  # of every change asked so far

        def best(members: Sequence[Edits]) -> Edits:
            return members[ties.most([gain[_key(m)] for m in members])]

        elite: list[Edits] = []
        children: list[Edits] = [{}] * size
        for _ in range(generations):
            litters = []
            for child in children:
                litters.append([child, *(yield from pool.mutations(child))])
            fresh = {_key(e): e for litter in litters for e in litter if _key(e) not in gain}
            if fresh:
                texts = _texts(target.segments, list(fresh.values()))
                answer = yield Score(texts, until_flip=label)
                if target.moved(answer[-1]):
                    return texts[len(answer) - 1]
                gain.update(zip(fresh, 1 - answer[:, label], strict=True))
            population = elite + [best(litter) for litter in litters]
            elite = [best(population)]
            chances = [gain[_key(m)] + LEAST_CHANCE for m in population]
            parents = rng.choices(population, chances, k=2 * (size - 1))
            children = []
            for pair in zip(parents[::2], parents[1::2], strict=True):
                children.append((yield from pool.cross(*pair)))
        return None

    def _pool(self, target: Target) -> Generator[Request, Any, _Pool]:
        """The candidates of every word that may change, those that fit first."""
        rules, near = self.constraints.over(OWN), load_vectors(self.vectors or "bundled")
        least = 1 - DISTANCE / 2 * (1 - near.threshold) / (1 - PUBLISHED_THRESHOLD)  # 0.75 for the published vectors
        neighbours: dict[text.Word, list[str]] = {}
        for word in rules.changeable(target):
            alike = [text.match_case(n, word.text) for n, cosine in near.neighbours(word.text.lower(), NEIGHBOURS)
                     if cosine >= least]
            if fitting := rules.fitting(word.text, alike):
                neighbours[word] = fitting
        proposals = yield from proposed(target.segments, neighbours, RANKED)
        candidates = {word: _fitting(neighbours[word], proposal) for word, proposal in proposals.items()}
        return _Pool(candidates, {w: len(n) for w, n in neighbours.items()}, rules, target)


def _fitting(neighbours: list[str], proposal: list[Answered]) -> list[str]:
    """The neighbours that fit the place best; those the masked LM does not name come last, the nearest first."""
    ranks = {piece: rank for rank, piece in enumerate(proposal[0][0])} if proposal else {}
    return sorted(neighbours, key=lambda n: ranks.get(n.lower(), RANKED))[:FITTING]


class _Pool:
    """What members are made of: the candidates of each word, how many neighbours it had before the language model
    chose among them, and the rules."""

    def __init__(self, candidates: dict[text.Word, list[str]], neighbours: dict[text.Word, int], rules: Constraints,
                 target: Target) -> None:
        self.candidates, self._neighbours, self._rules, self._target = candidates, neighbours, rules, target
        self._limit = rules.limit(target)

    def mutations(self, member: Edits) -> Generator[Request, Any, list[Edits]]:
        """The member with one word drawn and replaced, once for each of its candidates.

        A word already changed is drawn only where every word is, or the limit is reached.
        """
        free = [w for w in self.candidates if w not in member] if len(member) < self._limit else []
        words = free or list(member)
        [word] = self._target.rng.choices(words, [self._neighbours[w] for w in words])
        changes = [{**member, word: c} for c in self.candidates[word] if c != member.get(word)]
        kept, _ = yield from self._rules.similar(self._target, changes, word)
        return [changes[i] for i in kept]

    def cross(self, first: Edits, second: Edits) -> Generator[Request, Any, Edits]:
        """Each word from either parent; what exceeds the limit is taken back at random.

        Where the mixture breaks the rule of similarity, it is the first parent again.
        """
        rng = self._target.rng
        child = {w: p[w] for w in {**first, **second} for p in [rng.choice((first, second))] if w in p}
        if len(child) > self._limit:
            child = {w: child[w] for w in rng.sample(list(child), self._limit)}
        for word in child:
            kept, _ = yield from self._rules.similar(self._target, [child], word)
            if not kept:
                return first
        return child


def _key(edits: Edits) -> frozenset[tuple[text.Word, str]]:
    """What two members have in common that are the same text."""
    return frozenset(edits.items())


def _texts(segments: Segments, changes: Sequence[Edits]) -> LazyTexts:
    return LazyTexts(len(changes), lambda i: text.replace(segments, changes[i]))


def _published(target: Target, size: int, generations: int) -> Steps:
    rng, label, source = target.rng, target.label, PunctTokens(target.segments)
    original = source.tokens
    replacements = [[] if token in KEPT else synonyms(token) for token in original]
    if not any(replacements):
        return None

    def draw(child: list[str]) -> int:
        """A place, not yet changed where there is one left."""
        chances = [len(found) * (new == old) for found, new, old in zip(replacements, child, original, strict=True)]
        return rng.choices(range(len(child)), chances if any(chances) else list(map(len, replacements)))[0]

    elite: list[list[str]] = []
    children = [original] * size
    for _ in range(generations):
        places = [draw(child) for child in children]
        # each child with every synonym at its place, and as it is
        options = [[*replacements[i], child[i]] for child, i in zip(children, places, strict=True)]
        flat = [(child, i, new) for child, i, found in zip(children, places, options, strict=True) for new in found]
        answer = yield Score(LazyTexts(len(flat), lambda n, flat=flat: source.render(_put(*flat[n]))))
        left = numpy.split(answer[:, label], numpy.cumsum(list(map(len, options)))[:-1])
        population = elite + [_put(child, i, found[_strongest(rest)])
                              for child, i, found, rest in zip(children, places, options, left, strict=True)]
        answer = yield Score([source.render(member) for member in population])
        top = ties.least(answer[:, label])
        if target.moved(answer[top]):
            return source.render(population[top])
        elite = [population[top]]
        chances = (1 - answer[:, label] + LEAST_CHANCE).tolist()  # where all are 0 OpenAttack gives up
        first, second = (rng.choices(population, chances, k=size - 1) for _ in range(2))
        children = [list(map(rng.choice, zip(*parents, strict=True))) for parents in zip(first, second, strict=True)]
    return None


def _put(tokens: list[str], i: int, new: str) -> list[str]:
    return [*tokens[:i], new, *tokens[i + 1:]]


def _strongest(left: numpy.ndarray) -> int:
    """The option that leaves the original class least; the last, the child as it is, where none leaves less than it."""
    least = ties.least(left)
    return least if ties.below(left[least], left[-1]) else -1
