"""A or an: the indefinite article before a word, by the sound that the word begins with.

>>> article("hour"), article("university"), article("FBI"), article("US"), article("80-year-old"), article("110th")
('an', 'a', 'an', 'a', 'an', 'a')
>>> repair("It is an false claim.", 9)
'It is a false claim.'
"""

from __future__ import annotations

import re
import unicodedata
from typing import Optional

_LETTERS_AN = "AEFHILMNORSX"  # letters whose names begin with a vowel: an F, an X-ray
_AS_WORDS = set("FEW FUN HIT HOT HUD LIE LOT LOW MAD MAN NEW NON NOW RAM RED SAD SCOTUS SEA SET SEX SHE SIX SNAP SON START "
                "STATE STEM STOP STRONG SWAT SWIFT".split())
_AS_LETTERS = {"NAACP", "UCLA", "USAID", "USDA"}
_CONSONANT = re.compile(  # words that are written with a vowel first and spoken with a consonant: you-, w-
    r"eu|ewe|ubi|uga|uk[er]|uly|una[nm][ie]|unesco|uni(?![mn]|d(?!ir))|ur[aiou]|us[aeu]|ut[aeio]|ouija|once\b"
    r"|one(?:s|self|ness)?\b")
_VOWEL = re.compile(r"[aeiou]|h(?:ours?\b|ourly|onest|ono[u]?r|eir|erb(?!ert|ivor|icid))|y[^aeiou\W]")
_NUMBER = re.compile(r"(\d+)([,.]\d)?")
_BEFORE = re.compile(r"(?<![\w.'’&/-])(an?)(\s+[\"'“‘(\[]*[$£€]?)$", re.IGNORECASE)
_NAMED_A = re.compile(r"(?:appendix|category|class|exhibit|grade|group|hepatitis|influenza|part|plan|schedule|section|"
                      r"serie|team|title|type|vitamin)\s+$", re.IGNORECASE)


def article(word: str) -> Optional[str]:
    """The article before ``word`` ("a" or "an"), by its first sound; None where it begins with no letter or digit.

    Upper-case words of up to three letters, and longer ones that cannot be spoken, are read as letters (an FBI agent, an
    NRA member), others as words (a NATO ally).
    """
    if number := _NUMBER.match(word):
        digits, more = number.groups()
        eleven = digits[:2] in ("11", "18") and (len(digits) == 2 or (len(digits) == 4 and not more))
        return "an" if digits[0] == "8" or eleven else "a"
    plain = unicodedata.normalize("NFKD", word[:40])
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    if not plain[:1].isalpha():
        return None
    head = re.match(r"[^\W\d_]+(?:\.[^\W\d_]\b)*", plain)
    letters = head.group().replace(".", "") if head else plain[:1]
    spelled = "." in (head.group() if head else "") or len(letters) == 1 and letters.lower() not in ("a", "i", "o")
    if spelled or letters.isupper() and _read_as_letters(letters):
        return "an" if letters[0].upper() in _LETTERS_AN else "a"
    lower = plain.lower()
    return "an" if _VOWEL.match(lower) and not _CONSONANT.match(lower) else "a"


def _read_as_letters(capitals: str) -> bool:
    if capitals in _AS_WORDS:
        return False
    return len(capitals) <= 3 or capitals in _AS_LETTERS or not re.search("[AEIOUY]", capitals[:2])


def repair(text: str, at: int) -> str:
    """``text`` with the article right before the word at ``at`` fitted to that word; unchanged where none stands there.

    The text may grow or shrink by one character before ``at``, so edit several places from right to left.
    """
    found = _BEFORE.search(text, max(0, at - 40), at)
    if not found or (found[1] == "A" and _NAMED_A.search(text, 0, found.start())):
        return text
    word = text[at:at + 40]
    capitals = text.isupper()
    right = article(word.lower() if capitals else word)
    if right is None or right == found[1].lower():
        return text
    written = right.upper() if capitals else right.capitalize() if found[1][0] == "A" else right
    return text[:found.start()] + written + text[found.end(1):]
