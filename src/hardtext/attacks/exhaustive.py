"""BERT-ATTACK with exhaustive choice of the place: a member of the ensembles of ``openfact.py``.

Each step tries every candidate at every place and makes the best replacement anywhere, until the prediction moves or
so many words have changed. Of the texts that move it in one step, the one that keeps the original best is the result.
Where words do not suffice, figures and marks are replaced on top: a figure by another figure, a mark by another mark.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from hardtext import text
from hardtext.attacks import importance, quality, ties
from hardtext.attacks.base import Target
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.proposals import proposed
from hardtext.attacks.requests import LazyTexts, Request, Score, Steps
from hardtext.attacks.search import Edits
from hardtext.core import Segments
from hardtext.lexicon.function_words import is_content
from hardtext.scoring.documents import character_scores

JUDGED = 24  # of the flips of one step, those nearest by characters: the meaning of so many is compared
Places = dict[text.Word, list[str]]


@dataclass(frozen=True)
class Bounds:
    """``k``: candidates of the masked LM a place. ``places``: the most important ones are tried. ``changes``: how many
    words may change, and on top of them how many figures and marks."""

    k: int
    places: int
    changes: int


def exhaustive(target: Target, rules: Constraints, bounds: Bounds) -> Steps:
    label, edits, lowest = target.label, {}, target.probabilities[target.label]
    words = rules.changeable(target, marks=True)
    limit = min(bounds.changes, rules.limit(target))
    for kinds in (("word",), ("figure", "mark")):
        places = yield from _places(target, [w for w in words if kind(w.text) in kinds], rules, bounds)
        for _ in range(limit):
            options = yield from _options(target, places, edits, rules)
            if not options:
                break
            texts = LazyTexts(len(options), lambda i, options=options: text.replace(target.segments, options[i]))
            answer = yield Score(texts)
            flips = numpy.flatnonzero(ties.moved(answer, label))
            if flips.size:
                return (yield from _nearest(target, [texts[i] for i in flips.tolist()]))
            best = ties.least(answer[:, label])
            if not ties.below(answer[best, label], lowest):
                break
            edits, lowest = options[best], answer[best, label]
    return None


def kind(word: str) -> str:
    """``word`` (of content), ``figure``, ``mark``, or empty for what is never replaced and never put in.

    >>> [kind(w) for w in ("tax", "1917", "!", "the", "x", "##s", "~")]
    ['word', 'figure', 'mark', '', '', '', '']
    """
    if len(word) > 1 and word.isalpha() and is_content(word):
        return "word"
    if word.isdecimal():
        return "figure"
    return "mark" if len(word) == 1 and not word.isalnum() and word not in "~_" else ""


def _places(target: Target, words: Sequence[text.Word], rules: Constraints, bounds: Bounds,
            ) -> Generator[Request, Any, Places]:
    """The candidates of each word that has any, from one pass of the masked LM over each unmasked segment."""
    proposals = yield from proposed(target.segments, words, bounds.k)
    found: Places = {}
    for word, proposal in proposals.items():
        old = word.text
        pieces = proposal[0][0] if proposal else []
        alike = [text.match_case(p, old) for p in pieces if kind(p) == kind(old)]
        if kind(old) == "word":
            alike = rules.fitting(old, alike)
        alike = list(dict.fromkeys(a for a in alike if a.lower() != old.lower()))
        if alike:
            found[word] = alike
    if len(found) <= bounds.places:
        return found
    ranked = list(found)
    masked = yield Score(importance.leave_one_out(target.segments, ranked), probe=True)
    scores = importance.drop_with_flip(target.probabilities, masked, target.label)
    return {ranked[i]: found[ranked[i]] for i in importance.ranking(scores)[:bounds.places]}


def _options(target: Target, places: Places, edits: Edits, rules: Constraints,
             ) -> Generator[Request, Any, list[Edits]]:
    """The edits with one more replacement, every one that keeps the rules."""
    found: list[Edits] = []
    for word, candidates in places.items():
        if word not in edits:
            changes = [{**edits, word: c} for c in candidates]
            kept, _ = yield from rules.similar(target, changes, word)
            found += [changes[i] for i in kept]
    return found


def _nearest(target: Target, texts: list[Segments]) -> Steps:
    """The text with the best semantic × character score, which is never above its character score."""
    alike = ties.falling(character_scores([(target.segments, changed) for changed in texts]))
    judged = [texts[i] for i in alike[:JUDGED]]
    index, _ = yield from quality.best(target, judged)
    return judged[index]
