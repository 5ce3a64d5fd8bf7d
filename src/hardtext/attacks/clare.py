"""CLARE (Li et al. 2021, "Contextualized Perturbation for Textual Adversarial Attack", NAACL): a masked LM fills a mask
that replaces a word, is inserted after it, or stands for it and the next word (merge). At each place the best action is
what takes most from the victim while the text stays similar; actions are applied one after the other, the best first.

Variants:

``hardtext``  (default) Algorithm 1 of the paper on words with offsets: each place's actions are asked once, on the
              original text. Deviations: places are visited by their importance (leave one out), no more than 50, so
              that a long text stays bounded; where an action moves the prediction by itself the most similar such text
              ends the search; a text made of several actions must be similar too.
``greedy``    the search of TextAttack's recipe: after each applied action all places left are asked anew, in the text as
              changed so far. The same bound is 20 places, as the cost grows with their square.

A merge joins two neighbouring words that can be of one phrase (noun and noun, adjective and noun, …), with nothing but
space between; it never crosses segments. Cosines are of the bundled sentence encoder instead of the Universal Sentence
Encoder, so that the paper's threshold of 0.7 is recalibrated (``constraints.NEIGHBOURLY``).
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Optional

import numpy

from hardtext import text
from hardtext.attacks import importance, ties
from hardtext.attacks.base import MaskedLMAttack, Target, WordAttack, check_choice
from hardtext.attacks.constraints import NEIGHBOURLY, Constraints, whole_word
from hardtext.attacks.requests import SEEN_WORDS, Context, Fill, Request, Score, Steps
from hardtext.attacks.search import Edits
from hardtext.core import InputError, Segments
from hardtext.lexicon import wordnet

K = 50
PLACES = {"hardtext": 50, "greedy": 20}
LEAST = {"replace": 5e-4, "insert": 0.0, "merge": 5e-3}  # probability of a candidate
OWN = Constraints(stop_words=True, similarity=NEIGHBOURLY, similarity_window=15)

PHRASES = {"n": "n", "a": "nar", "r": "av", "v": "nvar"}  # a word's part of speech and those that the next may have


@dataclass
class CLARE(MaskedLMAttack, WordAttack):
    """Settings; null means the variant's own figure. ``k``: the masked LM's candidates for an action. ``replace``,
    ``insert``, ``merge``: least probability of such a candidate (1 turns the action off). ``places``: words whose
    actions are tried."""

    name: str = "clare"
    variant: str = "hardtext"
    k: Optional[int] = None
    replace: Optional[float] = None
    insert: Optional[float] = None
    merge: Optional[float] = None
    places: Optional[int] = None
    own: ClassVar[Constraints] = OWN

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.variant", self.variant, tuple(PLACES))
        for key in ("k", "places"):
            value = getattr(self, key)
            if value is not None and value < 1:
                raise InputError(f"attack.{key}={value}: expected at least 1")
        for key in LEAST:
            value = getattr(self, key)
            if value is not None and not 0 <= value <= 1:
                raise InputError(f"attack.{key}={value}: expected a probability from 0 to 1 (off)")
        self.constraints.check_unused("attack=clare", "part_of_speech")

    def steps(self, target: Target) -> Steps:
        rules = self.constraints.over(OWN)
        words = rules.changeable(target)
        if not words:
            return None
        masked = yield Score(importance.leave_one_out(target.segments, words), probe=True)
        ranked = importance.ranking(importance.drop(target.probabilities, masked, target.label))
        order = [words[i] for i in ranked[:PLACES[self.variant] if self.places is None else self.places]]
        page = Page(target.segments, set(words))
        return (yield from (self._sound if self.variant == "hardtext" else self._greedy)(target, rules, page, order))

    def _sound(self, target: Target, rules: Constraints, page: Page, order: Sequence[text.Word]) -> Steps:
        found, actions, left = yield from self._ask(target, rules, page, order, ())
        if found is not None:
            return found
        done: list[Action] = []
        lowest = target.probabilities[target.label]
        for i in ties.falling([-p for p in left]):
            if len(done) == rules.limit(target) or not ties.below(left[i], target.probabilities[target.label]):
                return None
            if any(word in action.reads for action in done for word in actions[i].reads):
                continue
            if not done:  # its text was asked already
                done, lowest = [actions[i]], left[i]
                continue
            edits = _edits([*done, actions[i]])
            kept, _ = yield from rules.similar(target, [edits], actions[i].word)
            if not kept:
                continue
            changed = text.replace(target.segments, edits)
            [row] = yield Score([changed])
            if target.moved(row):
                return changed
            if ties.below(row[target.label], lowest):
                done, lowest = [*done, actions[i]], row[target.label]
        return None

    def _greedy(self, target: Target, rules: Constraints, page: Page, order: Sequence[text.Word]) -> Steps:
        done: list[Action] = []
        lowest = target.probabilities[target.label]
        while len(done) < rules.limit(target):
            found, actions, left = yield from self._ask(target, rules, page, order, done)
            if found is not None:
                return found
            best = ties.least(left) if left else -1
            if not left or not ties.below(left[best], lowest):
                return None
            done, lowest = [*done, actions[best]], left[best]
        return None

    def _ask(self, target: Target, rules: Constraints, page: Page, order: Sequence[text.Word], done: Sequence[Action],
             ) -> Generator[Request, Any, tuple[Segments | None, list[Action], list[float]]]:
        """The best action at each place that ``done`` has left, and the probability of the original class after it; or a
        text that moves the prediction."""
        label, best, left = target.label, [], []
        edits = _edits(done)
        for word in order:
            if any(word in action.reads for action in done):
                continue
            actions = yield from self._actions(rules, page, word, done)
            changes = [{**edits, action.span: action.new} for action in actions]
            kept, cosines = yield from rules.similar(target, changes, word)
            if not kept:
                continue
            texts = [text.replace(target.segments, changes[i]) for i in kept]
            answer = yield Score(texts)
            flips = numpy.flatnonzero(ties.moved(answer, label))
            if flips.size:
                return texts[flips[ties.most(cosines[flips])]], [], []
            least = ties.least(answer[:, label])
            best.append(actions[kept[least]])
            left.append(float(answer[least, label]))
        return None, best, left

    def _actions(self, rules: Constraints, page: Page, word: text.Word, done: Sequence[Action],
                 ) -> Generator[Request, Any, list[Action]]:
        """What the masked LM would do at a word."""
        before, after = page.around(word, done)
        second = page.phrase(word)
        if second is not None and any(second in action.reads for action in done):
            second = None
        contexts: dict[str, Context] = {"replace": (before, after), "insert": ((*before, word.text), after)}
        if second is not None:
            contexts["merge"] = (before, after[1:])
        least = {kind: LEAST[kind] if getattr(self, kind) is None else getattr(self, kind) for kind in contexts}
        kinds = [kind for kind in contexts if least[kind] < 1]
        answer = yield Fill(tuple(contexts[kind] for kind in kinds), K if self.k is None else self.k)
        actions = []
        for kind, (pieces, logs) in zip(kinds, answer, strict=True):
            likely = [p for p, log in zip(pieces, logs, strict=True) if math.exp(log) >= least[kind] and whole_word(p)]
            for new in rules.fitting(word.text, likely):
                cased = text.match_case(new, word.text)
                if kind == "replace":
                    actions.append(Action(word, word, cased, {word: (cased,)}))
                elif kind == "insert":
                    actions.append(Action(word, word, f"{word.text} {new}", {word: (word.text, new)}))
                else:
                    actions.append(Action(word, page.span(word, second), cased, {word: (cased,), second: ()}))
        return actions


@dataclass(frozen=True)
class Action:
    """At ``word``: ``span`` of the original becomes ``new``. ``reads``: the words it uses up, and what reads in their
    places after it."""

    word: text.Word
    span: text.Word
    new: str
    reads: dict[text.Word, tuple[str, ...]]


def _edits(actions: Sequence[Action]) -> Edits:
    return {action.span: action.new for action in actions}


class Page:
    """The words of a text, marks among them, and what stands beside each."""

    def __init__(self, segments: Segments, changeable: set[text.Word]) -> None:
        self._segments, self._changeable = segments, changeable
        words = text.words(segments)
        self._beside = [[w for w in words if w.segment == n] for n in range(len(segments))]
        self._place = {w: i for here in self._beside for i, w in enumerate(here)}

    def around(self, word: text.Word, done: Sequence[Action]) -> Context:
        """The words before and after, as they read once ``done``."""
        reads = {w: now for action in done for w, now in action.reads.items()}
        here, at = self._beside[word.segment], self._place[word]
        sides = here[max(0, at - SEEN_WORDS):at], here[at + 1:at + 1 + SEEN_WORDS]
        before, after = (tuple(now for w in side for now in reads.get(w, (w.text,))) for side in sides)
        return before, after

    def phrase(self, word: text.Word) -> text.Word | None:
        """The next word, if the two can be of one phrase and both may change."""
        here, after = self._beside[word.segment], self._place[word] + 1
        if after == len(here) or here[after] not in self._changeable:
            return None
        second = here[after]
        if not self._segments[word.segment][word.end:second.start].isspace():
            return None
        following = {r.pos for r in wordnet.readings(second.text)}
        return second if any(p in following for r in wordnet.readings(word.text) for p in PHRASES[r.pos]) else None

    def span(self, first: text.Word, last: text.Word) -> text.Word:
        """Two words and what is between them as one."""
        return text.Word(self._segments[first.segment][first.start:last.end], first.segment, first.start, last.end)
