"""A text as OpenAttack's attacks read it: tokens joined by single spaces, a pair joined by " ~ ".

Used by the variants that stand beside published figures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hardtext.attacks.requests import LazyTexts
from hardtext.core import Segments
from hardtext.lexicon import wordnet
from hardtext.lexicon.function_words import LI_2020

UNKNOWN = "<UNK>"

KEPT = LI_2020 | {"have", "be", "~"}
"""Words that OpenAttack leaves alone, and BODEGA's separator."""

_TOKEN = re.compile(r"\w+|[^\w\s]+")  # NLTK's WordPunct; see scoring/normalise.py for where Punkt would differ
_NO_SYNONYMS = ("be", "is", "are", "am")


class PunctTokens:
    """``tokens``: those of all segments, with "~" between a pair's two (at ``separator``, else -1); in lower case, as its
    word attacks take them, unless ``lower`` says no."""

    def __init__(self, segments: Segments, lower: bool = True) -> None:
        parts = [_TOKEN.findall(segment.lower() if lower else segment) for segment in segments]
        self.separator = len(parts[0]) if len(parts) == 2 else -1
        self.tokens: list[str] = parts[0] if len(parts) == 1 else [*parts[0], "~", *parts[1]]

    def render(self, tokens: Sequence[str]) -> Segments:
        """Tokens as a text; without its separator a pair is a first text and no second, as BODEGA's victims read it."""
        if self.separator < 0:
            return (" ".join(tokens),)
        if tokens[self.separator] != "~":
            return (" ".join(tokens), "")
        return (" ".join(tokens[:self.separator]), " ".join(tokens[self.separator + 1:]))

    def put(self, tokens: Sequence[str], at: int, new: str) -> Segments:
        """The text of ``tokens`` with the one ``at`` replaced."""
        return self.render([*tokens[:at], new, *tokens[at + 1:]])

    def without(self, unknown: str = UNKNOWN) -> LazyTexts:
        """The text once for each token, that token unknown."""
        return LazyTexts(len(self.tokens), lambda i: self.put(self.tokens, i, unknown))


def synonyms(token: str) -> list[str]:
    """What OpenAttack takes from WordNet for a token in lower case: bare lemmas, of every part of speech, as there is no
    tagger here; its first words of phrases ("run" of "run away") are left out."""
    if token in _NO_SYNONYMS:
        return []
    return [s for s in dict.fromkeys(map(str.lower, wordnet.lemma_names(token))) if s != token]
