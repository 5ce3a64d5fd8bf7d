"""A rewriting as small changes of the original, which can be applied one by one. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from hardtext import text
from hardtext.core import Segments


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """``segment[start:end]`` becomes ``new``."""

    segment: int
    start: int
    end: int
    new: str

    @property
    def size(self) -> int:
        return max(self.end - self.start, len(self.new))

    def apart(self, other: Change) -> bool:
        """Whether the two neither overlap nor touch."""
        return self.segment != other.segment or self.end < other.start or other.end < self.start


def cut(segment: int, old: str, new: str) -> Iterator[Change]:
    """The changes that make the words of ``old`` those of ``new`` (Wagner and Fischer 1974), neighbours as one.

    A word that goes or comes takes the space before it along; at the beginning, the space after it.

    >>> [(c.start, c.end, c.new) for c in cut(0, "The bad man lied again.", "Then the man lied.")]
    [(0, 7, 'Then the'), (16, 22, '')]
    """
    a, b = text.words(old), text.words(new)
    blocks: list[list[int]] = []
    for tag, i1, i2, j1, j2 in Levenshtein.opcodes([w.text for w in a], [w.text for w in b]):
        if tag == "equal":
            continue
        if blocks and blocks[-1][1] == i1 and blocks[-1][3] == j1:
            blocks[-1][1], blocks[-1][3] = i2, j2
        else:
            blocks.append([i1, i2, j1, j2])
    for i1, i2, j1, j2 in blocks:
        if i1 < i2 and j1 < j2:
            yield Change(segment, a[i1].start, a[i2 - 1].end, new[b[j1].start:b[j2 - 1].end])
        elif i1 > 0:
            yield Change(segment, a[i1 - 1].end, a[i2 - 1].end, new[b[j1 - 1].end:b[j2 - 1].end])
        else:
            yield Change(segment, a[0].start, a[i2].start, new[b[0].start:b[j2].start])


def apply(segments: Segments, changes: Sequence[Change]) -> Segments:
    """The text with the changes, which must be apart from one another."""
    result = list(segments)
    for change in sorted(changes, reverse=True):
        old = result[change.segment]
        result[change.segment] = old[:change.start] + change.new + old[change.end:]
    return tuple(result)
