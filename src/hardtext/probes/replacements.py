"""Whom a politician is replaced by: somebody of the other party, as like the person as the text asks for.

In this order: who held the office that the text speaks of, who has the person's gender, who was in politics at the time,
who is of the state that the text names, who stood for offices as high.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Optional

from hardtext import seeding
from hardtext.probes.mentions import Mention
from hardtext.probes.places import places
from hardtext.probes.politicians import PRESIDENTIAL, TICKET, Politician, Politicians, key

_ENOUGH = 8  # people to draw from where the best likeness leaves fewer, so that no one name is drawn all the time
_ENOUGH_IN_OFFICE = 2  # who was never president, or decades ago, does not fit where a president is spoken of
_CAREER = 15  # the last years of a public life, which a text most likely speaks of
_AFTERWARDS, _BEFORE = 9, 3  # years for which people are still, or already, known
_LEADING = frozenset(("speaker", "leader"))
_SIBILANTS = ("s", "x", "z")

_OFFICES = {role: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for role, words in {
    "president": "presidents?|presidency|administration|era|period|white house",
    "governor": "governors?|governorship|gov",
    "mayor": "mayors?",
    "speaker": "speaker",
    "attorney-general": "attorney general",
    "secretary": "secretary",
    "senator": "senators?|senate|sen",
    "representative": "congressm[ae]n|congresswom[ae]n|rep",
}.items()}
_YEAR = re.compile(r"(?<![\w$.,-])(?:18|19|20)\d\d(?![\w%]|[.,]\d)")
_STATES = dict(pair.replace("_", " ").split(":") for pair in """Alabama:AL Alaska:AK Arizona:AZ Arkansas:AR California:CA
    Colorado:CO Connecticut:CT Delaware:DE Florida:FL Georgia:GA Hawaii:HI Idaho:ID Illinois:IL Indiana:IN Iowa:IA
    Kansas:KS Kentucky:KY Louisiana:LA Maine:ME Maryland:MD Massachusetts:MA Michigan:MI Minnesota:MN Mississippi:MS
    Missouri:MO Montana:MT Nebraska:NE Nevada:NV New_Hampshire:NH New_Jersey:NJ New_Mexico:NM New_York:NY
    North_Carolina:NC North_Dakota:ND Ohio:OH Oklahoma:OK Oregon:OR Pennsylvania:PA Rhode_Island:RI South_Carolina:SC
    South_Dakota:SD Tennessee:TN Texas:TX Utah:UT Vermont:VT Virginia:VA Washington:WA West_Virginia:WV Wisconsin:WI
    Wyoming:WY""".split())


def replacements(text: str, found: list[Mention], people: Politicians, seed: int) -> Optional[dict[Politician, Politician]]:
    """One person of the other side for each one named, with surnames that are all different; None if there are too few."""
    there = set(key(text))
    chosen: dict[Politician, Politician] = {}
    for person in dict.fromkeys(mention.person for mention in found):
        own = [mention for mention in found if mention.person == person]
        taken = {other.surname for other in chosen.values()}
        pool = [p for p in people.people if p.side is not None and p.side != person.side and p.surname not in taken
                and not there & set(key(p.surname))]
        if any(text[m.end:m.end + 1].isalpha() for m in own):  # "Palins son" has no apostrophe to help "Bass"
            pool = [p for p in pool if not p.surname.lower().endswith(_SIBILANTS)]
        office = next((m.title for m in own if m.title), None) or _spoken_of(text, person)
        if all(mention.form == "surname" for mention in own):
            pool = [p for p in pool if _known_by_surname(p, office, people)]
        if not pool:
            return None
        chosen[person] = _draw(person, office, pool, text, seeding.generator(seed, "party", person.name))
    return chosen


def _spoken_of(text: str, person: Politician) -> Optional[str]:
    """The first of the person's offices that the text speaks of anywhere."""
    return next((role for role in person.roles if role in _OFFICES and _OFFICES[role].search(text)), None)


def _known_by_surname(person: Politician, office: Optional[str], people: Politicians) -> bool:
    """Whether nobody else can be meant by office and surname; a president may share the surname with others."""
    bearers = [p for p in people.surnamed(key(person.surname)) if p.leaning]
    if office == "president":
        return len({p.leaning for p in bearers if office in p.roles}) == 1
    return len(bearers) == 1 and office not in person.shared_titles


def _draw(person: Politician, office: Optional[str], pool: list[Politician], text: str, rng: random.Random) -> Politician:
    span = _span(person, text)
    pool = _preferred(pool, lambda p: office in p.roles)
    pool = _preferred(pool, lambda p: p.gender == person.gender)
    if span:
        known = [p for p in pool if p.years is None
                 or span[0] - _AFTERWARDS <= p.years[1] and p.years[0] <= span[1] + _BEFORE]
        pool = known or sorted(pool, key=lambda p: _distance(p, span))[:_ENOUGH]
    home = _states(text) & {*person.states}
    pool = _preferred(pool, lambda p: bool(home & {*p.states}))
    tiers: dict[tuple[int, bool], list[Politician]] = {}
    for other in pool:
        likeness = 0 if office in other.roles else _unlike(person, other)
        tiers.setdefault((likeness, bool(span) and _distance(other, span) > 0), []).append(other)
    best: list[Politician] = []
    for tier in sorted(tiers):
        best += tiers[tier] if len(best) < (_ENOUGH_IN_OFFICE if office else _ENOUGH) else []
    return rng.choice(best)


def _preferred(pool: list[Politician], wanted: Callable[[Politician], bool]) -> list[Politician]:
    """Those who are wanted, or all where none is."""
    return [person for person in pool if wanted(person)] or pool


def _unlike(person: Politician, other: Politician) -> int:
    """How far the best known offices of two people are apart: 0 is the same."""
    roles, first = {*other.roles}, {*person.roles[:1]}
    if PRESIDENTIAL & {*person.roles}:
        steps = PRESIDENTIAL, TICKET, _LEADING, {*person.roles}
    elif TICKET & first:
        steps = TICKET, _LEADING, {*person.roles}
    else:
        return 0 if first & {*other.roles[:1]} else 1 if first & roles else 2
    return next((step for step, wanted in enumerate(steps) if wanted & roles), len(steps))


def _span(person: Politician, text: str) -> Optional[tuple[int, int]]:
    """The years of the person's public life that the text speaks of: those it names, else the last ones."""
    if person.years is None:
        return None
    named = [int(year) for year in _YEAR.findall(text) if person.years[0] <= int(year) <= person.years[1]]
    return (min(named), max(named)) if named else (max(person.years[0], person.years[1] - _CAREER), person.years[1])


def _distance(person: Politician, span: tuple[int, int]) -> int:
    """Years between a public life and a time; 0 where they overlap."""
    return 1_000 if person.years is None else max(0, person.years[0] - span[1], span[0] - person.years[1])


def _states(text: str) -> set[str]:
    """The postal codes of the states that the text names, or names a large city of."""
    regions = {name: name for name in _STATES} | {p.name: p.region for p in places().values() if p.region in _STATES}
    return {_STATES[region] for name, region in regions.items()
            if name in text and re.search(rf"\b{re.escape(name)}s?\b", text)}  # "Ohios", whose apostrophe was lost
