"""A text as published attack code reads it: one string, a pair joined by " ~ ", split at single spaces."""

from __future__ import annotations

from collections.abc import Sequence

from hardtext import text
from hardtext.attacks.importance import UNKNOWN
from hardtext.core import Segments


def splits_back(original: Segments, changed: Segments) -> bool:
    """Whether a pair, joined, still holds the separator as often: a change beside a "~" of the text may close a gap."""
    return len(original) == 1 or text.separator_count(changed) == text.separator_count(original)


class Joined:
    """``words`` stand between single spaces (some are empty); ``separator`` is the position of a pair's own "~", -1 for
    a single text. Texts go back to segments around that position, so that it survives whatever happens beside it.

    ``newline``: what a line break becomes before the text is split.
    """

    def __init__(self, segments: Segments, newline: str) -> None:
        parts = [s.replace("\n", newline).split(" ") for s in segments]
        self.separator = len(parts[0]) if len(parts) == 2 else -1
        self.words = tuple(parts[0]) if len(parts) == 1 else (*parts[0], "~", *parts[1])

    def render(self, words: Sequence[str]) -> Segments:
        """The text of ``words``, as many as ``self.words``."""
        if self.separator < 0:
            return (" ".join(words),)
        return (" ".join(words[:self.separator]), " ".join(words[self.separator + 1:]))

    def without(self, i: int) -> Segments:
        """The text with word ``i`` made unreadable."""
        if i == self.separator:  # no separator, so BODEGA's victims read it as a first text without a second
            return (" ".join([*self.words[:i], UNKNOWN, *self.words[i + 1:]]), "")
        return self.render([*self.words[:i], UNKNOWN, *self.words[i + 1:]])
