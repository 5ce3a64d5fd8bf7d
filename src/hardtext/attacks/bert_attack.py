"""BERT-ATTACK (Li et al. 2020, "BERT-ATTACK: Adversarial Attack Against BERT Using BERT", EMNLP).

Rank the words by what the victim makes of the text without them; at each word in turn try the masked LM's candidates
for that place, all taken from one pass over the unmasked original; stop at the first that moves the prediction, else
keep the one that hurts most.

Variants:

``hardtext``  (default) the algorithm on words with offsets: case, spacing and marks of the original stay byte for
              byte, a word keeps its marks ("that," is the word "that"), the last word counts too, only words that have
              candidates are ranked, and a place where no candidate helps gets its word back.
``bodega``    what the shared tasks ran: OpenAttack 2.1.1 as BODEGA calls it (Przybyła et al. 2023).
``paper``     the code the authors published with the paper: sub-words on, 48 candidates, 40 % of the words.
``textattack``  TextAttack's recipe BERTAttackLi2020 without its sentence encoder (``bert_attack_textattack.py``): all
              candidates of a word at once, 8 of them from the text as it then stands, 40 % of the words.

``bodega`` and ``paper`` share these habits, kept because published figures contain them: the text is lower-cased,
line breaks are deleted, words are what stands between single spaces, the last word is never ranked, and a place where
no candidate lowers the probability keeps the last one tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Optional

import numpy

from hardtext import text
from hardtext.attacks import bert_attack_textattack, importance, ties
from hardtext.attacks.base import MaskedLMAttack, Target, WordAttack, check_choice, check_unused
from hardtext.attacks.constraints import Constraints, whole_word
from hardtext.attacks.joined import Joined
from hardtext.attacks.proposals import proposed
from hardtext.attacks.requests import LazyTexts, Perplexity, Propose, Score, Steps
from hardtext.attacks.search import greedy
from hardtext.core import InputError, Segments
from hardtext.lexicon.function_words import LI_2020

PIECES, TOP, COMBINATIONS = 12, 4, 24  # of a word of several pieces: how many pieces, candidates each, combinations


@dataclass(frozen=True)
class Constants:
    """The figures in which the variants differ."""

    k: int  # candidates a position
    threshold: float  # on the raw logit: stop at the first candidate below; 0 = off
    max_changed: float  # share of the words
    subwords: bool  # whether a word of several pieces is attacked, by combinations of candidates for its pieces
    kept: frozenset[str] = frozenset()  # words never replaced and never put in (hardtext has its own rule)
    softmax: bool = False  # take the softmax of the victim's probabilities again


VARIANTS = {
    "hardtext": Constants(k=36, threshold=0.0, max_changed=0.2, subwords=False),
    "bodega": Constants(k=36, threshold=0.3, max_changed=0.2, subwords=False,
                        kept=LI_2020 | {"have", "be", "~"}, softmax=True),
    "paper": Constants(k=48, threshold=0.0, max_changed=0.4, subwords=True, kept=LI_2020 | {"~"}),
    "textattack": Constants(k=8, threshold=0.0, max_changed=0.4, subwords=True),
}


@dataclass
class BertAttack(MaskedLMAttack, WordAttack):
    """Settings; null means the variant's own figure.

    ``k``: candidates a position. ``threshold``: least raw logit of a candidate. ``max_changed``: share of the words
    that may change. ``subwords``: attack words of several pieces too (published variants only).
    """

    name: str = "bert_attack"
    variant: str = "hardtext"
    k: Optional[int] = None
    threshold: Optional[float] = None
    max_changed: Optional[float] = None
    subwords: Optional[bool] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.variant", self.variant, tuple(VARIANTS))
        if self.k is not None and self.k < 1:
            raise InputError(f"attack.k={self.k}: expected at least 1")
        if self.max_changed is not None and not 0 < self.max_changed <= 1:
            raise InputError(f"attack.max_changed={self.max_changed}: expected a share of the words, "
                             f"above 0 and at most 1")
        if self.variant == "hardtext":
            check_unused(self, "subwords")
            if self.max_changed is not None and self.constraints.max_changed is not None:
                raise InputError(f"attack.constraints.max_changed={self.constraints.max_changed}: attack.max_changed says "
                                 f"the same; leave one of them out")
        else:
            self.constraints.check_unused(f"attack.variant={self.variant}")
        if self.variant == "textattack":
            check_unused(self, "threshold", "subwords")

    def steps(self, target: Target) -> Steps:
        chosen = {key: getattr(self, key) for key in ("k", "threshold", "max_changed", "subwords")}
        constants = replace(VARIANTS[self.variant], **{k: v for k, v in chosen.items() if v is not None})
        if self.variant == "hardtext":
            return _sound(target, constants, self.constraints.over(Constraints(stop_words=True,
                                                                               max_changed=constants.max_changed)))
        if self.variant == "textattack":
            return bert_attack_textattack.steps(target, constants.k, constants.max_changed)
        return _published(target, constants)


def _sound(target: Target, constants: Constants, rules: Constraints) -> Steps:
    segments, label = target.segments, target.label
    proposals = yield from proposed(segments, rules.changeable(target), constants.k)
    candidates: dict[text.Word, list[str]] = {}
    for word, proposal in proposals.items():
        likely = [text.match_case(c, word.text) for c in _single(proposal, constants) if whole_word(c)]
        if found := rules.fitting(word.text, likely):
            candidates[word] = found
    if not candidates:
        return None
    attackable = list(candidates)
    masked = yield Score(importance.leave_one_out(segments, attackable), probe=True)
    scores = importance.drop_with_flip(target.probabilities, masked, label)
    order = [attackable[i] for i in importance.ranking(scores)]
    return (yield from greedy(target, order, lambda word, _: candidates[word], rules))


def _published(target: Target, constants: Constants) -> Steps:
    lowered = tuple(s.lower() for s in target.segments)
    joined = Joined(lowered, newline="")
    words, label = list(joined.words), target.label
    original = _settle((yield Score([lowered], probe=True)), constants)[0]
    if len(words) == 1:
        return None  # nothing is ranked, since the last word never is; OpenAttack 2.1.1 stops with an error here
    wanted = tuple(i for i, w in enumerate(words[:-1]) if i != joined.separator and w not in constants.kept)
    proposals = yield Propose(joined.words, constants.k, wanted, whole=not constants.subwords)
    masked = _settle((yield Score(LazyTexts(len(words) - 1, joined.without), probe=True)), constants)
    scores = importance.drop_with_flip(original, masked, label)
    current = original.max()
    changes = 0
    for i in importance.ranking(scores):
        if changes > int(constants.max_changed * len(words)):
            return None
        if len(proposals[i]) > 1:
            found = yield from _combinations(proposals[i])
        else:
            found = _single(proposals[i], constants)
        replacements = [c for c in found if c != words[i] and "##" not in c and c not in constants.kept]
        if not replacements:
            continue
        texts = [_render(joined, [*words[:i], r, *words[i + 1:]]) for r in replacements]
        answer = yield Score(texts, until_flip=label)
        if target.moved(answer[-1]):
            return texts[len(answer) - 1]
        drops = current - _settle(answer, constants)[:, label]
        best = ties.most(drops)
        if drops[best] > 0:
            words[i] = replacements[best]
            current = current - drops[best]
            changes += 1
        else:
            words[i] = replacements[-1]  # tried in place and never taken back
    return None


def _single(proposal: list[tuple[list[str], numpy.ndarray]], constants: Constants) -> list[str]:
    """The candidates for a word of one piece (none for a word that was not answered for), best first."""
    if not proposal:
        return []
    pieces, logits = proposal[0]
    if constants.threshold == 0:
        return pieces
    below = numpy.flatnonzero(logits < constants.threshold)
    return pieces[:below[0]] if below.size else pieces


def _combinations(proposal: list[tuple[list[str], numpy.ndarray]]):
    """The candidates for a word of several pieces: combinations of each piece's best, by rising perplexity.

    The first combinations in product order are ranked, not the best ones; k^pieces is never built.
    """
    columns = [pieces[:TOP] for pieces, _ in proposal[:PIECES]]
    combinations = tuple(islice(product(*columns), COMBINATIONS))
    perplexity = yield Perplexity(combinations)
    return [_spell(combinations[i]) for i in numpy.argsort(perplexity, kind="stable")]


def _spell(pieces: Sequence[str]) -> str:
    """Pieces as text: "##" joins to the piece before."""
    return " ".join(pieces).replace(" ##", "").strip()


def _settle(rows: numpy.ndarray, constants: Constants) -> numpy.ndarray:
    """Single precision, and in OpenAttack a softmax over what already are probabilities; (texts, classes)."""
    rows = rows.astype(numpy.float32)
    if not constants.softmax:
        return rows
    powers = numpy.exp(rows - rows.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _render(joined: Joined, words: Sequence[str]) -> Segments:
    """The text of words that may hold pieces: "##" joins to the word before."""
    if joined.separator < 0:
        return (_spell(words),)
    left, right = joined.render(words)
    return (left.replace(" ##", "").lstrip(), right.replace(" ##", "").rstrip())
