"""Characters that a reader would overlook or mistake: unseen ones, look-alikes, unusual spaces. Pure functions."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from hardtext.lexicon import homoglyphs

KINDS = ("lookalike", "unseen", "space", "combining")
_LAYOUT = "\n\t "


def describe(text: Iterable[str]) -> dict[str, dict[str, str]]:
    """What the page must know about the odd characters of a text: code point, name, kind, what it looks like.

    >>> describe("pаy\\u200b")["а"]
    {'code': 'U+0430', 'name': 'CYRILLIC SMALL LETTER A', 'kind': 'lookalike', 'like': 'a'}
    >>> describe("pаy\\u200b")["\\u200b"]["kind"], describe("plain text – “quoted”")
    ('unseen', {})
    """
    found = {}
    for character in sorted(set(text)):
        if kind := kind_of(character):
            found[character] = {"code": f"U+{ord(character):04X}", "name": unicodedata.name(character, _unnamed(character)),
                                "kind": kind, "like": _like(character) if kind == "lookalike" else ""}
    return found


def kind_of(character: str) -> str:
    """One of ``KINDS``; '' for a character that looks like what it is.

    >>> kind_of("а"), kind_of("\\u200b"), kind_of("\\u00a0"), kind_of("\\u0301"), kind_of("é"), kind_of("a"), kind_of("“")
    ('lookalike', 'unseen', 'space', 'combining', '', '', '')
    """
    if character in _LAYOUT:
        return ""
    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Zl", "Zp", "Cn", "Co") or homoglyphs.UNSEEN.match(character):
        return "unseen"
    if category == "Zs":
        return "space"
    if category.startswith("M"):
        return "combining"
    return "lookalike" if character.isalnum() and not character.isascii() and _like(character) else ""


def _like(character: str) -> str:
    """The ASCII letters and digits it can be taken for."""
    return _alike().get(homoglyphs.skeleton(character), "")


@lru_cache(maxsize=1)
def _alike() -> dict[str, str]:
    groups: dict[str, str] = {}
    for letter in string.ascii_letters + string.digits:
        shape = homoglyphs.skeleton(letter)
        groups[shape] = groups.get(shape, "") + letter
    return groups


def _unnamed(character: str) -> str:
    category = unicodedata.category(character)
    return {"Cc": "control character", "Co": "private use", "Cn": "unassigned"}.get(category, "no name")
