"""BERT-ATTACK's variant ``textattack``: what TextAttack 0.3.11 runs as BERTAttackLi2020, less its sentence encoder.

The words are ranked once, by the victim's reaction to [UNK] in their place. At each in turn the masked LM reads the
text as it stands now, all its candidates are asked about, and the best is kept if it helps; where that one moves the
prediction it is the result. (With more than two classes another candidate may move it: it is passed over.)

Kept from the recipe: "The" is no stop word, since the list is lower-case; candidates are lower-case; "U.S." is the words
"U" and "S"; of a word of several pieces the first 8 products of the candidates for its pieces that spell a word are
tried, not the best.

Otherwise than in the recipe: words with equal scores (within 1e-6) are visited in reading order, which the recipe leaves
to an unstable sort; a word that touches a sign which the masked LM's tokenizer does not split off (€, ™, a combining
mark) is read as if it stood apart; Chinese is not segmented; only a few thousand products are looked at; and a word that
reaches past the masked LM's 510 pieces has no candidates.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice, product

from hardtext import text
from hardtext.attacks import importance, ties
from hardtext.attacks.base import Target
from hardtext.attacks.requests import SEEN_WORDS, Propose, Score, Steps
from hardtext.attacks.search import Edits
from hardtext.core import Segments
from hardtext.lexicon.function_words import NLTK_ENGLISH

PRODUCTS = 4096  # combinations of pieces that are looked at until k of them are words
_LETTERS = re.compile(r"[\w˗`×'*@-]+")  # with the look-alikes that are no letters
_INSIDE_ONLY = "'-_*@"


def steps(target: Target, k: int, max_changed: float) -> Steps:
    """``k``: candidates a word. ``max_changed``: share of the words that may change, rounded up."""
    segments, label = target.segments, target.label
    everything = words(segments)
    attackable = [w for w in everything if w.text not in NLTK_ENGLISH]
    if not attackable:
        return None
    masked = yield Score(importance.leave_one_out(segments, attackable), probe=True)
    lowest = target.probabilities[label]
    limit = math.ceil(len(everything) * max_changed)
    edits: Edits = {}
    for i in ties.falling(-masked[:, label]):
        if len(edits) == limit:
            return None
        word = attackable[i]
        found = yield from _candidates(segments, everything, edits, word, k)
        changed = [(text.replace(segments, {**edits, word: c}), c) for c in found if c != word.text]
        if not changed:
            continue
        changed.sort(key=lambda pair: "\n".join(pair[0]))  # the recipe asks in alphabetic order of the whole text
        rows = yield Score([t for t, _ in changed])
        best = ties.least(rows[:, label])
        if not ties.below(rows[best, label], lowest):
            continue
        lowest, edits[word] = rows[best, label], changed[best][1]
        if target.moved(rows[best]):
            return changed[best][0]
    return None


def _candidates(segments: Segments, everything: list[text.Word], edits: Edits, word: text.Word, k: int):
    """What the masked LM, reading the text with its edits, puts in the place of ``word``."""
    tokens = tuple(islice(_tokens(segments, everything, edits), SEEN_WORDS))
    if (place := next((i for i, (_, owner) in enumerate(tokens) if owner == word), None)) is None:
        return []
    answer = yield Propose(tuple(t for t, _ in tokens), k, (place,))
    columns = [pieces for pieces, _ in answer[place]]
    if len(columns) == 1:
        return [piece for piece in columns[0] if "##" not in piece and _is_one_word(piece)]
    spelled = ("".join(pieces).replace("##", "") for pieces in islice(product(*columns), PRODUCTS))
    return list(islice(filter(_is_one_word, spelled), k))


def _tokens(segments: Segments, everything: list[text.Word], edits: Edits) -> Iterator[tuple[str, text.Word | None]]:
    """The words as they now are and, each by itself, the marks between them."""
    for number, segment in enumerate(segments):
        end = 0
        for word in (w for w in everything if w.segment == number):
            yield from ((mark, None) for mark in segment[end:word.start].split())
            yield edits.get(word, word.text), word
            end = word.end
        yield from ((mark, None) for mark in segment[end:].split())


def words(segments: Segments) -> list[text.Word]:
    """The words as TextAttack finds them, with the places where they stand.

    >>> [w.text for w in words(("Many 'older' U.S. adults don't - 3.5%.",))]
    ['Many', 'older', 'U', 'S', 'adults', "don't", '3', '5']
    """
    found = []
    for number, segment in enumerate(segments):
        for match in _LETTERS.finditer(segment):
            word = match.group().strip(_INSIDE_ONLY)
            if word:
                start = match.start() + len(match.group()) - len(match.group().lstrip(_INSIDE_ONLY))
                found.append(text.Word(word, number, start, start + len(word)))
    return found


def _is_one_word(candidate: str) -> bool:
    return len(words((candidate,))) == 1
