"""The words for the two parties and their camps in a text, and the words of the other side."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

from hardtext.probes.editing import Edit, Token, parsed
from hardtext.probes.politicians import DEMOCRAT, REPUBLICAN
from hardtext.text import match_case

_WORD = re.compile(r"(?<![\w#@])(?:republicans?|democrats?|democratic|gop|dems|conservatives?|liberals?|rnc|dnc)(?!\w)",
                   re.IGNORECASE)
_LETTER = re.compile(r"(?<=[(\[])[DR](?=[)\]])|(?<![\w.-])[DR](?=-(?!Day\b)[A-Z][A-Za-z.]+(?=[\s,)\]]|$))")
_FIXED = {"republicans": "Democrats", "democrats": "Republicans", "democrat": "Republican", "dems": "Republicans",
          "rnc": "DNC", "dnc": "RNC", "conservatives": "liberals", "liberals": "conservatives",
          "conservative": "liberal", "liberal": "conservative", "democratic": "Republican", "d": "R", "r": "D"}
_SIDES = {"r": REPUBLICAN, "g": REPUBLICAN, "c": REPUBLICAN, "d": DEMOCRAT, "l": DEMOCRAT}
_NOT_A_CAMP = re.compile(r"\s+(?:arts?|education|union|estimates?|estimated|use|amounts?|party of canada)\b|-?\s?minded|ly\b",
                         re.IGNORECASE)
_NOT_A_PARTY = re.compile(r"[\s-]+(?:republic|process|elections?|institutions?|society|societies|values|principles|ideals|"
                          r"norms|rights?|reforms?|socialis[mt]s?|governments?|countr(?:y|ies)|nations?|world|system|"
                          r"state of)\b", re.IGNORECASE)
_ATTRIBUTE = ("amod", "compound", "nmod", "acomp")


class PartyWord(NamedTuple):
    """A word of ``side`` at ``edit.start:edit.end``, and the other side's word for it."""

    side: str
    edit: Edit


def parties(text: str) -> set[str]:
    """The parties that a text names by a word or letter of theirs; conservatives and liberals are none."""
    return {_SIDES[match[0][0].lower()] for match in _found(text) if match[0][0] not in "CcLl"}


def party_words(text: str) -> list[PartyWord]:
    """Every Republican, Democrat, Democratic, GOP, RNC, DNC, conservative and liberal that stands for a party or camp, and
    the letter in "(D)", "(R-Ohio)", "D-Fla.".

    "GOP" becomes "Democratic" in front of a noun, else "Democratic Party".
    """
    found = _found(text)
    if not found:
        return []
    tokens = {token.idx: token for token in parsed(text)}
    return [PartyWord(_SIDES[match[0][0].lower()], Edit(*match.span(), _other(text, match, tokens.get(match.start()))))
            for match in found]


def _found(text: str) -> list[re.Match[str]]:
    matches = (*_WORD.finditer(text), *_LETTER.finditer(text))
    return sorted((m for m in matches if _means_a_party(text, m)), key=lambda match: match.start())


def _means_a_party(text: str, match: re.Match[str]) -> bool:
    word = match[0].lower()
    if word in ("conservative", "liberal"):
        return not _NOT_A_CAMP.match(text, match.end())
    if word in ("democratic", "republican") and _NOT_A_PARTY.match(text, match.end()):
        return False
    return word != "democratic" or match[0] != word or not any(c.isupper() for c in text)  # "a democratic society"


def _other(text: str, match: re.Match[str], token: Optional[Token]) -> str:
    word = match[0].lower()
    attribute = token is not None and token.dep_ in _ATTRIBUTE
    if word == "gop":
        other = "Democratic" if attribute else "Democratic Party"
        return other.lower() if match[0].islower() else other.upper() if text.isupper() else other
    other = _FIXED.get(word) or ("Democratic" if attribute else "Democrat")
    if match[0].isupper() and len(word) > 3 and word != "dems" or word in ("rnc", "dnc"):
        return other.lower() if match[0].islower() else other.upper()
    return other.lower() if match[0].islower() else match_case(other, match[0])
