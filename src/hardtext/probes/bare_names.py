"""Names that stand by themselves ("just like Reagan", "Trump's own words"): they are never swapped, but say whose camp a
text speaks of, and make nonsense of it where people around them are swapped."""

from __future__ import annotations

import re

from hardtext.probes.editing import inside
from hardtext.probes.mentions import Mention
from hardtext.probes.politicians import Politicians, plain

_WORD = re.compile(r"(?<![\w@#])[^\W\d_]+")
_MADE_OF_NAMES = re.compile(r"(?:care|nomics|phone|conomy)s?")


def camps(text: str, found: list[Mention], people: Politicians) -> set[str]:
    """The parties of the people named so, outside the mentions ``found``."""
    sides = set()
    for word in _outside(text, found):
        bearers = people.barely_named(word) or people.barely_named(word.removesuffix("s"))
        leanings = {person.leaning for person in bearers if person.leaning}
        sides |= leanings if len(leanings) == 1 else set()
    return sides


def in_other_words(text: str, found: list[Mention]) -> bool:
    """Whether a word made of the name of one of those ``found`` stands in the text ("Obamacare")."""
    names = {plain(mention.person.surname) for mention in found}
    return any(word.startswith(name) and _MADE_OF_NAMES.fullmatch(word[len(name):])
               for word in _outside(text, found) for name in names)


def _outside(text: str, found: list[Mention]) -> list[str]:
    """The capitalised words outside the mentions, in the form of names' keys."""
    named = [(mention.start, mention.end) for mention in found]
    return [plain(m.group()) for m in _WORD.finditer(text) if m.group()[0].isupper() and not inside(m.span(), named)]
