"""Characters that look alike, from the Unicode confusables (Unicode Technical Standard 39, section 4).

The data come with the package ``confusable-homoglyphs``. It lists each pair in both directions; every group of look-alikes
is a star around its prototype, which is found again here.

>>> of("a")[:2], of("5")[:1], of("🔥")
(('а', 'ɑ'), ('Ƽ',), ())
>>> visually_identical("scope", "ѕсоре"), visually_identical("scope", "slope")
(True, False)
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from importlib.resources import files

TURQUAZ = {"a": "аɑ", "e": "е", "o": "оο", "c": "сϲ", "p": "р", "x": "х", "y": "у", "i": "і", "l": "ⅼ"}
"""Look-alikes of each letter in TurQUaz' genetic attack (CheckThat! 2024)."""

_SAME_OUTLINE = {  # drawn alike in DejaVu Sans, to the point, and so in most fonts: Cyrillic, Greek, Roman numerals, others
    "A": "АΑ", "B": "ВΒ", "C": "СϹⅭ", "D": "Ⅾ", "E": "ЕΕ", "H": "НΗ", "I": "ІӀΙⅠ", "J": "Ј", "K": "Κ", "L": "Ⅼ",
    "M": "МΜⅯ", "N": "Ν", "O": "ОΟ", "P": "РΡ", "S": "Ѕ", "T": "ТΤ", "V": "Ⅴ", "W": "Ԝ", "X": "ХΧⅩ", "Y": "ҮΥ", "Z": "Ζ",
    "a": "а", "c": "сϲⅽ", "d": "ⅾ", "e": "е", "h": "һ", "i": "іⅰ", "j": "јϳ", "l": "ⅼ", "m": "ⅿ", "o": "оοᴏ", "p": "р",
    "q": "ԛ", "s": "ѕ", "v": "ⅴᴠ", "w": "ԝᴡ", "x": "хⅹ", "y": "у", "z": "ᴢ",
}
_NEAR = ("LATIN ", "CYRILLIC ", "GREEK ", "ARMENIAN ")
UNSEEN = re.compile(  # code points that are not drawn (Default_Ignorable_Code_Point)
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")
_NO_SUBSTITUTE = ("M", "C", "Zl", "Zp")  # combining, control and unassigned characters, line breaks
_RIGHT_TO_LEFT = ("R", "AL", "AN")  # among Latin letters they stand elsewhere than where they were put


@lru_cache(maxsize=10_000)
def of(character: str) -> tuple[str, ...]:
    """Single characters that can be taken for ``character``, the closest first; empty if there are none.

    First the ones with the same outline in common fonts (Cyrillic, then Greek), then other letters of alphabets akin to
    the Latin, then the rest, and last the ones that compatibility normalisation (NFKC) turns back; within each by code
    point. Never combining characters, line breaks, unassigned code points or right-to-left letters.
    """
    prototype = _prototypes().get(character, character)
    group = [prototype, *_groups().get(prototype, ())]
    same = _SAME_OUTLINE.get(character, "")
    others = (c for c in group if c != character and c not in same and _substitute(c))
    return (*same, *sorted((c for c in others if visually_identical(c, character)), key=_distance))


def skeleton(text: str) -> str:
    """The text with each character replaced by its prototype and without unseen ones (UTS 39, section 4).

    Two texts that look alike have the same skeleton. The prototype of I, 1 and | is l, of 0 is O, and of m it is rn.

    >>> skeleton("Ѕаⅼе"), skeleton("te\\u200bam")
    ('Sale', 'tearn')
    """
    decomposed = UNSEEN.sub("", unicodedata.normalize("NFD", text))
    prototypes = _prototypes()
    return unicodedata.normalize("NFD", "".join(prototypes.get(c, c) for c in decomposed))


def visually_identical(a: str, b: str) -> bool:
    """Whether two texts can be taken for one another: equal skeletons."""
    return skeleton(a) == skeleton(b)


def _substitute(character: str) -> bool:
    return (len(character) == 1 and not unicodedata.category(character).startswith(_NO_SUBSTITUTE)
            and unicodedata.bidirectional(character) not in _RIGHT_TO_LEFT)


def _distance(character: str) -> tuple[int, int]:
    if unicodedata.normalize("NFKC", character) != character:
        return 2, ord(character)
    return (0 if unicodedata.name(character, "").startswith(_NEAR) else 1), ord(character)


@lru_cache(maxsize=1)
def _prototypes() -> dict[str, str]:
    """The prototype of every character that has another one."""
    confusables = json.loads((files("confusable_homoglyphs") / "confusables.json").read_text("utf-8"))
    prototypes: dict[str, str] = {}
    for written, alike in confusables.items():
        # The centre of a star has many partners. In a pair the prototype comes second, as in Unicode's own list.
        partner = alike[0]["c"]
        if len(alike) == 1 and (len(confusables[partner]) > 1 or _plain(partner) not in prototypes):
            prototypes[_plain(written)] = _plain(partner)
    return {c: "".join(prototypes.get(part, part) for part in unicodedata.normalize("NFD", prototype))
            for c, prototype in prototypes.items()}  # Ž is listed as such, and its caron looks like a breve


@lru_cache(maxsize=1)
def _groups() -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for character, prototype in _prototypes().items():
        groups.setdefault(prototype, []).append(character)
    return groups


def _plain(written: str) -> str:
    return written.replace("\u200e", "")  # the list wraps right-to-left characters in direction marks
