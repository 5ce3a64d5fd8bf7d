"""Orders in which edits are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hardtext import text
from hardtext.attacks.base import Target
from hardtext.attacks.requests import Score, Steps

Edits = dict[text.Word, str]


def greedy(target: Target, order: Iterable[text.Word], options: Callable[[text.Word, Edits], Sequence[str]]) -> Steps:
    """Visit the words in ``order``; at each ask the victim about its replacements one by one.

    The first that moves the prediction is the result. When none does, the one that lowers the probability of the
    original class most is kept (of equal ones the first; none when none lowers it) and the next word is visited.
    ``options(word, edits)`` gives the replacements of a word, after the edits kept so far.
    """
    edits: Edits = {}
    lowest = target.probabilities[target.label]
    for word in order:
        replacements = options(word, edits)
        if not replacements:
            continue
        texts = [text.replace(target.segments, {**edits, word: r}) for r in replacements]
        answer = yield Score(texts, until_flip=target.label)
        if answer[-1].argmax() != target.label:
            return texts[len(answer) - 1]
        best = int(answer[:, target.label].argmin())
        if answer[best, target.label] < lowest:
            lowest = answer[best, target.label]
            edits[word] = replacements[best]
    return None
