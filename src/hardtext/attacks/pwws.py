"""PWWS (Ren et al. 2019, "Generating Natural Language Adversarial Examples through Probability Weighted Word Saliency",
ACL): how much a word matters (the softmax over all words of what the text loses without each, eq. 7) times what the best of
its WordNet synonyms takes from the victim (eq. 4) gives the order H in which the synonyms are put in, until the prediction
moves.

Variants:

``hardtext``   (default) on words with offsets: synonyms come inflected like the word and in its case, everything else
               stays byte for byte. Only words that have synonyms are ranked, and one whose best synonym takes nothing
               from the victim stays. The original's probability is known and not asked again.
``published``  OpenAttack 2.1.1: texts are lower-case tokens joined by single spaces; bare lemmas; the original is asked
               anew for every word that has synonyms; every token is put in H's order, changed or not, and the text is
               asked each time. Two parts of it are left out: its tagger (synonyms are those of every part of speech),
               and the first words of phrases as synonyms.

Neither swaps named entities: the paper's lists of them come from the corpus with its labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy

from hardtext import text
from hardtext.attacks import importance, ties
from hardtext.attacks.base import Target, WordAttack, check_choice
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.punct_tokens import KEPT, PunctTokens, synonyms
from hardtext.attacks.requests import LazyTexts, Score, Steps
from hardtext.core import Segments
from hardtext.lexicon import wordnet

OWN = Constraints(stop_words=True)


@dataclass
class PWWS(WordAttack):
    """It has no figures of its own: ``constraints`` are all there is to set."""

    name: str = "pwws"
    variant: str = "hardtext"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.variant", self.variant, ("hardtext", "published"))
        if self.variant == "published":
            self.constraints.check_unused("attack.variant=published")

    def steps(self, target: Target) -> Steps:
        if self.variant == "published":
            return _published(target)
        return _sound(target, self.constraints.over(OWN))


def _sound(target: Target, rules: Constraints) -> Steps:
    segments, label = target.segments, target.label
    candidates: dict[text.Word, list[str]] = {}
    for word in rules.changeable(target):
        found = rules.fitting(word.text, (text.match_case(s, word.text) for s in wordnet.synonyms(word.text)))
        kept, _ = yield from rules.similar(target, [{word: s} for s in found], word)
        if kept:
            candidates[word] = [found[i] for i in kept]
    if not candidates:
        return None
    words = list(candidates)
    masked = yield Score(importance.leave_one_out(segments, words), probe=True)
    saliency = _softmax(importance.drop(target.probabilities, masked, label))
    swaps = [(word, synonym) for word, found in candidates.items() for synonym in found]
    answer = yield Score(LazyTexts(len(swaps), lambda i: text.replace(segments, dict([swaps[i]]))))
    drops = _split(importance.drop(target.probabilities, answer, label), candidates.values())
    best = [found[ties.most(own)] for found, own in zip(candidates.values(), drops, strict=True)]
    taken = numpy.array([own.max() for own in drops])
    order = [i for i in importance.ranking(saliency * taken) if ties.below(0, taken[i])][:rules.limit(target)]
    return (yield from _in_turn(target, LazyTexts(
        len(order), lambda n: text.replace(segments, {words[i]: best[i] for i in order[:n + 1]}))))


def _published(target: Target) -> Steps:
    text, label = PunctTokens(target.segments), target.label
    tokens = text.tokens
    found = [[] if token in KEPT else synonyms(token) for token in tokens]
    masked = yield Score(text.without(), probe=True)
    original = (yield Score([text.render(tokens)]))[0]
    saliency = _softmax(importance.drop(original, masked, label))
    # Each word's synonyms and then the original once more.
    asked = [[*own, tokens[i]] if own else [] for i, own in enumerate(found)]
    swaps = [(i, new) for i, own in enumerate(asked) for new in own]
    if not swaps:
        return None
    answer = yield Score(LazyTexts(len(swaps), lambda n: text.put(tokens, *swaps[n])))
    drops = _split(importance.drop(original, answer, label), asked)
    best = [own[ties.most(d[:-1])] if own else tokens[i] for i, (own, d) in enumerate(zip(found, drops, strict=True))]
    taken = numpy.array([d[:-1].max() if d.size else 0.0 for d in drops])
    order = [i for i in importance.ranking(saliency * taken) if tokens[i] not in KEPT]

    def build(n: int) -> Segments:
        put = set(order[:n + 1])
        return text.render([best[i] if i in put else token for i, token in enumerate(tokens)])

    return (yield from _in_turn(target, LazyTexts(len(order), build)))


def _in_turn(target: Target, texts: LazyTexts) -> Steps:
    """The first of the texts that moves the prediction."""
    if not texts:
        return None
    answer = yield Score(texts, until_flip=target.label)
    return texts[len(answer) - 1] if target.moved(answer[-1]) else None


def _softmax(drops: numpy.ndarray) -> numpy.ndarray:
    """Times the number of words: the same order, and on the scale of the victim's probabilities however long the text
    (``ties``)."""
    powers = numpy.exp(drops - drops.max())
    return powers / powers.mean()


def _split(drops: numpy.ndarray, groups: Iterable[Sequence[str]]) -> list[numpy.ndarray]:
    """A flat array cut into one part for each group."""
    return numpy.split(drops, numpy.cumsum([len(group) for group in groups])[:-1])
