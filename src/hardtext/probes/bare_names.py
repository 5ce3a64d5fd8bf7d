"""Names that stand by themselves ("just like Reagan", "Trump's own words"): they are never swapped, but say whose camp a
text speaks of, and make nonsense of it where people around them are swapped."""

from __future__ import annotations

import re

from hardtext.probes.editing import inside
from hardtext.probes.mentions import Mention
from hardtext.probes.politicians import Key, Politicians, key, plain

_WORD = re.compile(r"(?<![\w@#])[^\W\d_]+")
_NAME = r"(?P<name>[A-Z][^\W\d_]+)\b"
_JOINED_AFTER = re.compile(rf"(?:['’]s?)?(?:,? (?:and|or|&)|,|/) ?{_NAME}(?! [A-Z])")
_JOINED_BEFORE = re.compile(rf"(?:^|(?<!\w)[A-Z]\w*\. |\b[a-z]\w*,? |[^\w\s]\s*){_NAME}(?:['’]s?)?(?:,? (?:and|or|&) |, |/)$")
_MADE_OF_NAMES = re.compile(r"(?:care|nomics|phone|conomy)s?")


def camps(text: str, found: list[Mention], people: Politicians) -> set[str]:
    """The parties of the people named so, outside the mentions ``found``."""
    sides = set()
    for word in _outside(text, found):
        bearers = people.barely_named(word) or people.barely_named(word.removesuffix("s"))
        leanings = {person.leaning for person in bearers if person.leaning}
        sides |= leanings if len(leanings) == 1 else set()
    return sides


def beside(text: str, found: list[Mention], people: Politicians) -> bool:
    """Whether a surname of the table that is not swapped is joined to a mention: "Mitt Romney's and Ryan's plan"."""
    named = [(mention.start, mention.end) for mention in found]
    for start, end in named:
        joined = (_JOINED_AFTER.match(text, end), _JOINED_BEFORE.search(text[:start]))
        if any(name and not inside(name.span("name"), named) and people.surnamed((plain(name["name"]),))
               for name in joined):
            return True
    return False


def namesakes(found: list[Mention], text: str, people: Politicians) -> bool:
    """Whether one person is named in full in two ways and others share the surname, so that two may be meant:
    "George W. Bush and his father George Bush"."""
    names: dict[str, set[Key]] = {}
    for mention in found:
        if mention.form == "full":
            names.setdefault(mention.person.name, set()).add(key(text[mention.start:mention.end]))
    return any(len(ways) > 1 and any(len(people.surnamed(way[-1:])) > 1 for way in ways) for ways in names.values())


def in_other_words(text: str, found: list[Mention]) -> bool:
    """Whether a word made of the name of one of those ``found`` stands in the text ("Obamacare")."""
    names = {plain(mention.person.surname) for mention in found}
    return any(word.startswith(name) and _MADE_OF_NAMES.fullmatch(word[len(name):])
               for word in _outside(text, found) for name in names)


def _outside(text: str, found: list[Mention]) -> list[str]:
    """The capitalised words outside the mentions, in the form of names' keys."""
    named = [(mention.start, mention.end) for mention in found]
    return [plain(m.group()) for m in _WORD.finditer(text) if m.group()[0].isupper() and not inside(m.span(), named)]
