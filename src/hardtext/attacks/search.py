"""Orders in which edits are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy

from hardtext import text
from hardtext.attacks import ties
from hardtext.attacks.base import Target
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.requests import Score, Steps

Edits = dict[text.Word, str]


class Greedy:
    """A greedy search on its way: word by word, the best edit of each is kept.

    ``edits``: those kept so far. ``constraints``: how many words may change and how alike the text must stay.
    ``closest``: which of the replacements that move the prediction is taken: the first, which ends the asking, or
    (True) after all of them were asked, the one whose text is most similar.
    """

    def __init__(self, target: Target, constraints: Constraints, closest: bool = False) -> None:
        self._target, self._constraints, self._closest = target, constraints, closest
        self._lowest = target.probabilities[target.label]
        self._limit = constraints.limit(target)
        self.edits: Edits = {}

    @property
    def full(self) -> bool:
        """Whether no further word may change."""
        return len(self.edits) >= self._limit

    def visit(self, word: text.Word, replacements: Sequence[str]) -> Steps:
        """Ask the victim about the replacements of a word; returns a text that moves the prediction, if there is one.

        When none does, the replacement that lowers the probability of the original class most is kept (of equal ones
        the first; none when none lowers it).
        """
        target, label = self._target, self._target.label
        changes = [{**self.edits, word: r} for r in replacements]
        kept, cosines = yield from self._constraints.similar(target, changes, word)
        if not kept:
            return None
        texts = [text.replace(target.segments, changes[i]) for i in kept]
        answer = yield Score(texts, until_flip=None if self._closest else label)
        flips = numpy.flatnonzero(ties.moved(answer, label))
        if flips.size:
            return texts[flips[ties.most(cosines[flips])]]
        best = ties.least(answer[:, label])
        if ties.below(answer[best, label], self._lowest):
            self._lowest = answer[best, label]
            self.edits = changes[kept[best]]
        return None


def greedy(target: Target, order: Iterable[text.Word], options: Callable[[text.Word, Edits], Sequence[str]],
           constraints: Constraints | None = None, closest: bool = False) -> Steps:
    """Visit the words in ``order`` until the prediction moves (see ``Greedy``; without constraints nothing limits it).

    ``options(word, edits)`` gives the replacements of a word, after the edits kept so far.
    """
    search = Greedy(target, Constraints() if constraints is None else constraints, closest)
    for word in order:
        if search.full:
            return None
        found = yield from search.visit(word, options(word, search.edits))
        if found is not None:
            return found
    return None
