"""Date change: a year, decade, month or weekday of a true statement becomes another one."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from hardtext import seeding
from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged
from hardtext.probes.editing import Edit, addresses, apply, inside
from hardtext.text import match_case

MONTHS = "January February March April May June July August September October November December".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_SHORT = "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec".split()
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DECADES = "thirties forties fifties sixties seventies eighties nineties".split()

_MONTH = rf"(?:{'|'.join(MONTHS)}|(?:{'|'.join(_SHORT)}|Sep)(?=[. ])\.?)"
_YEAR = re.compile(r"(?<![\w.,/:#&'’+*$€£-])(?P<year>1[5-9]\d\d|20\d\d)(?![\w%]|[,./:]\d|-\d|\s?[–—]\s?\d)"
                   r"|(?<![\w/.-])(?:\d\d?/\d\d?/(?P<slashed>(?:19|20)\d\d)|(?P<iso>(?:19|20)\d\d)-[01]\d-[0-3]\d)(?![\w/-])")
_BEFORE_YEAR = re.compile(
    rf"(?:\b(?:in|since|by|of|until|till|before|after|from|for|during|through|to|between|and|or|around|early|late|mid|year|"
    rf"years|spring|summer|fall|autumn|winter|than|back|as of|into|circa|the|this|a|an|his|her|its|their|our|my|fy|"
    rf"{_MONTH}(?: \d\d?(?:st|nd|rd|th)?)?,?)|['’]s|[(\[,]|^[\"“'‘]?)[\s-]*$", re.IGNORECASE)
_COUNTED = re.compile(r"\s(?:\w+\s)?(?:people|persons|men|women|workers|jobs|dollars|miles|feet|acres|votes|times|"
                      r"pages|percent|million|billion|euros?|pounds|tons|degrees|calories|soldiers|troops|words|points)\b",
                      re.IGNORECASE)
_EVERY_FOURTH_YEAR = re.compile(r" (?:\w+ ){0,2}(?:elections?|campaigns?|race|primar(?:y|ies)|conventions?|Olympics)\b",
                                re.IGNORECASE)
_DECADE = re.compile(r"(?<![\w.,/:#$€£-])(?P<ten>1[6-9]\d)(?P<ending>0['’]?s)\b")
_SHORT_DECADE = re.compile(r"\b(?:the|early|late|mid|in|since)[\s-]{1,2}['’]?(?P<ten>[4-9])(?P<ending>0['’]?s)\b",
                           re.IGNORECASE)
_WORD_DECADE = re.compile(rf"\bthe (?:early |late |mid-?)?(?P<decade>{'|'.join(_DECADES)})\b", re.IGNORECASE)
_MONTH_AND_DAY = re.compile(rf"\b(?P<month>{_MONTH})(?![\w'’-])(?: (?P<day>\d\d?)(?:st|nd|rd|th)?\b(?! percent|,\d|%))?")
_BEFORE_MONTH = re.compile(r"\b(?:in|of|since|by|until|till|before|after|from|during|through|last|next|this|early|late|mid|"
                           r"every|each|between|\d{1,2}(?:st|nd|rd|th)?)[\s-]$", re.IGNORECASE)
_WEEKDAY = re.compile(rf"\b(?P<day>{'|'.join(WEEKDAYS)})(?=s?\b)")
_BEFORE_NAMED_DAY = re.compile(r"\b(?:Black|Cyber|Good|Super|Fat|Ruby|Bloody|Ash|Palm|Easter|Freaky|Giving|Casual|Joe)\s$",
                               re.IGNORECASE)
_AFTER_NAMED_DAY = re.compile(r"s?\s(?:Night|Times|Telegraph|Mail|Post|Review|School)\b")
_NAMED = re.compile(  # dates that are names of what happened on them, and names that hold a year
    r"\b(?:Sept(?:ember|\.)? 11(?:th)?|July 4(?:th)?|(?:4th|Fourth) of July|May Day|"
    r"(?:Windows|Agenda|Vision|Office|Expo|Area|Studio|HB|SB|HR) (?:19|20)\d\d)\b", re.IGNORECASE)
_TO_COME = re.compile(r"\b(?:will|shall|won['’]?t|going to|projected|expected|scheduled|forecast|would|plans? to)\b",
                      re.IGNORECASE)
_BEFORE_YEAR_TO_COME = re.compile(r"\b(?:by|until|through|till|in|after|before)(?: the| fiscal| early| late)?(?: year)?\s*$",
                                  re.IGNORECASE)


class Date(Probe):
    """The first date moves: a year by three to nine years, a decade by two to four, a month or a weekday to another one.

    Years and decades move further into the past, or into the future where the statement speaks of what is to come. Numbers
    that only look like years, years in addresses, dates that are names ("September 11") and ranges written with a dash
    stay. "May" and "March" are months where a preposition or a day says so.
    """

    name = "date"
    expects = "fake"
    of = "real"
    asks = "Does it notice that a date was changed?"
    few_flips = ("A low rate says that dates hardly weigh. A classifier that was never told the right date cannot know "
                 "better, so that a low rate is what to expect, not a fault.")

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        kept = addresses(text) + [found.span() for found in _NAMED.finditer(text)]
        edits = [edit for edit in _edits(text, seeding.generator(seed, self.name)) if not inside(edit[:2], kept)]
        if not edits:
            return Unchanged("no date that could change")
        first = min(edits)
        return Changed(apply(text, [first]), f"{text[first.start:first.end]} -> {first.new}")


def probe(settings: ProbeSettings) -> Date:
    return Date()


def _edits(text: str, rng: random.Random) -> Iterator[Edit]:
    """How each date of the text would change."""
    years, decades, months, days = rng.randint(3, 9), rng.randint(2, 4), rng.randint(2, 10), rng.randint(1, 6)
    future = bool(_TO_COME.search(text))
    for found in _YEAR.finditer(text):
        start, end = found.span(found.lastgroup)
        if found["year"] and (not _before(_BEFORE_YEAR, found) or _COUNTED.match(text, end)):
            continue
        later = future and _before(_BEFORE_YEAR_TO_COME, found)
        shift = 4 * (1 + years % 2) if _EVERY_FOURTH_YEAR.match(text, end) else years
        yield Edit(start, end, str(int(text[start:end]) + (shift if later else -shift)))
    for found in _DECADE.finditer(text):
        yield Edit(*found.span(), f"{int(found['ten']) - decades}{found['ending']}")
    for found in _SHORT_DECADE.finditer(text):  # the 40s to the 90s
        yield Edit(found.start("ten"), found.end(), f"{(int(found['ten']) - 4 - decades) % 6 + 4}{found['ending']}")
    for found in _WORD_DECADE.finditer(text):
        at = _DECADES.index(found["decade"].lower())
        yield Edit(*found.span("decade"), match_case(_DECADES[at - decades], found["decade"]))
    for found in _MONTH_AND_DAY.finditer(text):
        if found["day"] or found["month"] not in ("May", "March", "Mar") or _before(_BEFORE_MONTH, found):
            yield Edit(*found.span("month"), _other_month(found, months))
    for found in _WEEKDAY.finditer(text):
        if not _before(_BEFORE_NAMED_DAY, found) and not _AFTER_NAMED_DAY.match(text, found.end()):
            yield Edit(*found.span("day"), WEEKDAYS[(WEEKDAYS.index(found["day"]) + days) % 7])


def _before(pattern: re.Pattern[str], found: re.Match[str]) -> bool:
    return bool(pattern.search(found.string, max(0, found.start() - 40), found.start()))


def _other_month(found: re.Match[str], ahead: int) -> str:
    """Another month that has the day, abbreviated where this one is."""
    at = next(i for i, name in enumerate(_SHORT) if found["month"].startswith(name[:3]))
    day = int(found["day"] or 1)
    long_enough = [i % 12 for i in range(at + ahead, at + ahead + 12) if i % 12 != at and day <= max(28, _DAYS[i % 12])]
    new = long_enough[0] if long_enough else at - 1
    if found["month"] in MONTHS:
        return MONTHS[new]
    if new in (4, 5, 6):  # May, June and July are not abbreviated
        return MONTHS[new]
    return _SHORT[new] + ("." if found["month"].endswith(".") else "")
