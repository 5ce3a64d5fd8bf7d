"""Party reversal: politicians of one party become politicians of the other, so that what is said of them is untrue.

After Flores and Hao, who swap the names of true statements about Republicans or Democrats for random ones of the other
party. Their notebooks find names with a named-entity tagger, match them fuzzily to a list and check the doubtful ones by
hand, and draw without a seed; none of this can be repeated, so ``rules=published`` changes nothing here. Nor does anybody
read the changed statements: that the new one is untrue is likely, not certain.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from typing import Optional

from hardtext import seeding
from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged
from hardtext.probes.editing import Edit, apply
from hardtext.probes.mentions import Mention, mentions
from hardtext.probes.party_words import PartyWord, party_words
from hardtext.probes.politicians import TICKET, Politician, Politicians, key, politicians

_ENOUGH = 3  # people to draw from, at least


class Party(Probe):
    """Swaps politicians for others of the other party, of the same gender and office and of near years where there is one.

    ``people`` are those to look for and to draw from; ``words`` also swaps the parties' names; ``both`` also changes texts
    that name people (or, with ``words``, parties) of both sides, each for the other.
    """

    name = "party"
    expects = "fake"
    of = "real"
    asks = "Does it notice that a true statement now names politicians of the other party?"
    few_flips = ("Few flips mean that the label does not depend on who is named: the classifier judges wording and topic. "
                 "That is no fault where the statement is true of both people, which nobody has checked.")
    source = "Flores and Hao (2022)"

    def __init__(self, people: Politicians, words: bool = False, both: bool = False) -> None:
        self.people, self.words, self.both = people, words, both

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        found = mentions(text, self.people)
        words = party_words(text) if self.words else []
        if not found and not words:
            return Unchanged("names no politician and no party" if self.words else "names no politician")
        sides = {mention.person.side for mention in found} | {word.side for word in words}
        if len(sides) > 1 and not self.both:
            return Unchanged("names both parties")
        replacements = self._replacements(text, found, seed)
        if replacements is None:
            return Unchanged("names more politicians than there are to swap with")
        edits = [_edit(text, mention, replacements[mention.person]) for mention in found]
        said = [f"{_label(old)} -> {_label(new)}" for old, new in replacements.items()]
        for word in _apart(words, found):
            edits.append(word.edit)
            said.append(f"{text[word.edit.start:word.edit.end]} -> {word.edit.new}")
        return Changed(apply(text, edits), "; ".join(dict.fromkeys(said)))

    def _replacements(self, text: str, found: list[Mention], seed: int) -> Optional[dict[Politician, Politician]]:
        """One person of the other side for each one named, all different; None if there are too few."""
        offices: dict[Politician, Optional[str]] = {}
        for mention in found:
            offices[mention.person] = offices.get(mention.person) or mention.title
        there = set(key(text))
        taken: set[str] = set()
        chosen: dict[Politician, Politician] = {}
        for person, office in offices.items():
            pool = [p for p in self.people.people if p.party == p.side != person.side and p.surname not in taken
                    and not there & set(key(p.surname))]
            if not pool:
                return None
            chosen[person] = _draw(person, office, pool, seeding.generator(seed, "party", person.name))
            taken.add(chosen[person].surname)
        return chosen


def _draw(person: Politician, office: Optional[str], pool: list[Politician], rng: random.Random) -> Politician:
    """One of the pool. Where the text names an office: who held it, if possible of the same gender, then the nearest in
    time. Else: of the same gender, of the nearest years, and with an office like the person's first."""
    if office:
        pool = [p for p in pool if office in p.roles] or pool
        pool = [p for p in pool if p.gender == person.gender] or pool
        return rng.choice(_contemporaries(person, pool))
    pool = [p for p in pool if p.gender == person.gender] or pool
    pool = _contemporaries(person, pool)
    alike = TICKET if TICKET & {*person.roles[:1]} else {*person.roles[:1]}
    similar = [p for p in pool if alike & {*p.roles[:1]}]
    return rng.choice(similar if len(similar) >= _ENOUGH else pool)


def _contemporaries(person: Politician, pool: list[Politician]) -> list[Politician]:
    """Those whose public lives overlap the person's; where they are few, the few nearest in time."""
    nearest = sorted(pool, key=lambda p: _distance(person, p))
    return nearest[:max(_ENOUGH, sum(_distance(person, p) == 0 for p in pool))] if person.years else pool


def _distance(one: Politician, other: Politician) -> int:
    """Years between the public lives of two people; 0 where they overlap."""
    if one.years is None or other.years is None:
        return 1_000
    return max(0, other.years[0] - one.years[1], one.years[0] - other.years[1])


def _edit(text: str, mention: Mention, new: Politician) -> Edit:
    """The new name in the form and case of the mention; a possessive apostrophe after an -s gets the s that it needs."""
    old, start, end = text[mention.start:mention.end], mention.start, mention.end
    name = {"full": new.name, "surname": new.surname, "first": new.first_name}[mention.form]
    if old[-1:] in "sS" and text[end:end + 1] in ("'", "’") and text[end + 1:end + 2] == " " and not _quoted(text, end):
        name += text[end] + ("" if name.endswith("s") else "s")
        end += 1
    if old.isupper() and len(old) > 1:
        name = name.upper()
    elif old.islower():
        name = name.lower()
    return Edit(start, end, name)


def _quoted(text: str, end: int) -> bool:
    """Whether a single quotation mark is open at ``end``."""
    return text[:end].count("‘") > text[:end].count("’") or f" {text[:end]}".count(" '") > 0


def _apart(words: list[PartyWord], found: list[Mention]) -> Collection[PartyWord]:
    return [word for word in words if not any(m.start < word.edit.end and word.edit.start < m.end for m in found)]


def _label(person: Politician) -> str:
    return f"{person.name} ({person.letter})"


def probe(settings: ProbeSettings) -> Probe:
    """The probe as ``settings`` ask for it. Raises InputError where the file of politicians is no good."""
    return Party(politicians(settings.politicians), settings.party_words, settings.both_parties)
