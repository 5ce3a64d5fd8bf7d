"""Amounts in English text: numbers that are no dates, times, ranges or parts of a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Optional

from hardtext.probes.editing import addresses, headline, inside

WORDS = dict(zip("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
                 "seventeen eighteen nineteen".split(), range(1, 20)))
WORDS |= dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10)))
_ANY_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
_NUMBER = re.compile(rf"""
    (?<![\w.,/:\#&'’+*-]) (?<!\d\s)
    (?: (?P<fraction>(?:two|three|four)[ -](?:thirds|quarters|fourths|fifths)\b)
      | (?P<currency>[$€£]\s?)? (?P<digits>[1-9]\d{{0,2}}(?:,\d{{3}})+|[1-9]\d{{0,6}}|0(?=\.\d)) (?P<decimals>\.\d+)?
        (?: (?P<ordinal>st|nd|rd|th)\b | (?:[kKmM]|[bB]n?)\b | (?!\w) )
      | (?P<word>(?:{_ANY_WORD})(?:-(?:one|two|three|four|five|six|seven|eight|nine))?)\b
    )
    (?! [.,/:'’]\d | \( | -(?!year|month|week|day|hour|percent|million|billion|trillion|mile|point|foot|page) )
    """, re.VERBOSE | re.IGNORECASE)

# What stands before a number, read up to where it begins
_MONTH = (r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|january|february|march|april|june|july|august|september|"
          r"october|november|december)\b\.?")
_LABEL = re.compile(  # a number after one of these is a name, not an amount
    r"(?:\b(?:act|agenda|amendment|apollo|apt|area|article|big|bill|boeing|box|building|case|catch|category|channel|chapter|"
    r"district|episode|exit|figure|flight|formula|fortune|gate|grade|group of|class of|highway|h\.?b|h\.?r|hwy|interstate|"
    r"iphone|issue|item|level|lines?|measure|news|nos?|numbers?|pages?|part|phase|pier|prop|proposition|psalm|question|"
    r"resolution|room|route|rule|s\.?b|season|section|size|stage|step|studio|suite|super bowl|table|title|tier|type|u\.?s|"
    r"verse|version|vol|volume|ward|war|wbn|windows)\.?|" + _MONTH + r")\s+$|[(\[]$", re.IGNORECASE)
_NAME = re.compile(r"(?<![\w'’])[A-Z][\w.'’-]*\s+$")
_OPENER = re.compile(r"(?:^|[.!?:;]['\"”’]?\s|\n|[\"“(]|--)\s*[\"“'(]?[\w.'’-]+\s+$")
_LINE_START = re.compile(r"(?:^|\n)\s*$")
_DEFINITE = re.compile(r"\b(?:the|these|those|this|that|his|her|their|my|our|its|your|other|no|any|every|each|which)\s+$",
                       re.IGNORECASE)
_RANGE_BEGUN = re.compile(rf"(?:\d|\b(?:{_ANY_WORD})\b)%?(?: percent| million| billion)?\s?(?:[-–—]|to|or|and|,)\s*$"
                          r"|\bor\s+$", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|from)\s+$", re.IGNORECASE)
_AT_LEAST = re.compile(r"\b(?:(?:more|greater|higher|larger|longer|older) than|over|above|at least|exceed(?:s|ed|ing)?|"
                       r"(?:no|not) (?:less|fewer) than|upwards? of|minimum of|tops?|past)(?: an?)?\s+$", re.IGNORECASE)
_AT_MOST = re.compile(r"\b(?:(?:less|fewer|lower|smaller|shorter|younger) than|under|below|at most|up to|no more than|within|"
                      r"as (?:many|much|high) as|maximum of|capped at)(?: an?)?\s+$", re.IGNORECASE)

# What stands after it
_LIST_MARK = re.compile(r"[.)]\s")
_RANGE_GOES_ON = re.compile(rf"(?:\s?(?:[-–—]|to|or)\s?|,\s)[$€£]?(?:\d|(?:{_ANY_WORD})\b)", re.IGNORECASE)
_TO_NUMBER = re.compile(rf"[^.;]{{0,25}}?\b(?:and|to) [$€£]?(?:\d|(?:{_ANY_WORD})\b)", re.IGNORECASE)
_TIME = re.compile(rf"\s?(?:[ap]\.?m\b|o['’]clock\b|noon\b|midnight\b|(?:of )?{_MONTH}(?! (?:be|have|not)\b))",
                   re.IGNORECASE)
_NAME_GOES_ON = re.compile(r"\s+(?:[A-Z]|century\b|floor\b|street\b)")
_PERCENT = re.compile(r"(?:\s|-)?(?:%|per ?cent)", re.IGNORECASE)
_YEARS = re.compile(r"(?:\s|-)years?\b", re.IGNORECASE)
_OR_MORE = re.compile(r"[^.,;]{0,25}?\bor (?:more|higher|greater|above|over|longer|older)\b")
_OR_LESS = re.compile(r"[^.,;]{0,25}?\bor (?:less|lower|fewer|under|below|shorter|younger)\b")
_LARGE = re.compile(r"(?:[\s-](?:hundred|thousand|million|billion|trillion)s?|[kmb]n?)\b", re.IGNORECASE)
_PARTS = re.compile(rf" (?:in|of|out of)(?: every)? (?P<whole>[1-9]\d{{0,3}}|{_ANY_WORD})\b"
                    r"(?! percent|%|,\d|\.\d| (?:million|billion))", re.IGNORECASE)


def amounts(text: str) -> Iterator[re.Match[str]]:
    """The amounts of a text, in reading order: ``digits`` with ``decimals`` (between ``currency`` and ``ordinal``), a
    ``word`` ("two", "twenty-five") or a ``fraction`` ("two-thirds"). Years, scores, identifiers, "Proposition 8", "9/11",
    "G20", "U.S. 19" and list numbers are none."""
    kept, title = addresses(text), headline(text)
    for found in _NUMBER.finditer(text):
        if not inside(found.span(), kept) and not _names_something(found, text, title) and not _in_a_range(found, text):
            yield found


def _names_something(found: re.Match[str], text: str, title: bool) -> bool:
    if _before(_LABEL, found) or _TIME.match(text, found.end()):
        return True
    if _before(_LINE_START, found) and _LIST_MARK.match(text, found.end()):
        return True
    if not title and _before(_NAME, found) and not _before(_OPENER, found):
        return True
    if found["word"]:
        return bool(_before(_DEFINITE, found)) and not large(found)
    if found["ordinal"]:
        return bool(_NAME_GOES_ON.match(text, found.end()))
    unit = found["currency"] or found["decimals"] or percent(found) or large(found)
    return not unit and bool(found["digits"] == "911" or re.fullmatch("1[0-9]..|20..", found["digits"] or ""))


def _in_a_range(found: re.Match[str], text: str) -> bool:
    return bool(_before(_RANGE_BEGUN, found) or _RANGE_GOES_ON.match(text, found.end())
                or _before(_BETWEEN, found) and _TO_NUMBER.match(text, found.end()))


def _before(pattern: re.Pattern[str], found: re.Match[str]) -> Optional[re.Match[str]]:
    """The match of a pattern that ends where the number begins, if it is not longer than a few words."""
    return pattern.search(found.string, max(0, found.start() - 60), found.start())


def value(written: str) -> Decimal:
    """What a figure or number word says.

    >>> value("1,200"), value("3.5"), value("Twenty-five")
    (Decimal('1200'), Decimal('3.5'), Decimal('25'))
    """
    if written[0].isdigit():
        return Decimal(written.replace(",", ""))
    return Decimal(sum(WORDS[part] for part in written.lower().split("-")))


def bound(found: re.Match[str]) -> str:
    """"least" for a number after "more than" or before "or more", "most" after "less than" or before "or less", else ""."""
    if _before(_AT_LEAST, found) or _OR_MORE.match(found.string, found.end()):
        return "least"
    return "most" if _before(_AT_MOST, found) or _OR_LESS.match(found.string, found.end()) else ""


def percent(found: re.Match[str]) -> bool:
    """Whether it is a percentage."""
    return bool(_PERCENT.match(found.string, found.end()))


def years(found: re.Match[str]) -> bool:
    """Whether it is an age or a number of years."""
    return bool(_YEARS.match(found.string, found.end()))


def large(found: re.Match[str]) -> bool:
    """Whether a million or the like follows."""
    return bool(_LARGE.match(found.string, span(found)[1]))


def whole(found: re.Match[str]) -> Optional[re.Match[str]]:
    """The match of "in five", "out of 10" after a number, if it follows; the group ``whole`` is its number."""
    parts = None if found["currency"] or found["ordinal"] else _PARTS.match(found.string, found.end())
    return parts if parts and value(written(found)) < value(parts["whole"]) else None


def span(found: re.Match[str]) -> tuple[int, int]:
    """Where the number itself stands, without currency and ending."""
    if found["digits"]:
        return found.start("digits"), found.end("decimals") if found["decimals"] else found.end("digits")
    return found.span()


def written(found: re.Match[str]) -> str:
    start, end = span(found)
    return found.string[start:end]
