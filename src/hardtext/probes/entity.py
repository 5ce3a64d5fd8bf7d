"""Entity swap: one place or politician of a true statement becomes another of the same kind, wherever it is mentioned."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from hardtext import seeding
from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged
from hardtext.probes.editing import Doc, Edit, addresses, apply, inside, parsed
from hardtext.probes.mentions import Mention, mentions
from hardtext.probes.places import Place, places
from hardtext.probes.politicians import Politicians, key, politicians

SINCE = 1990
"""A politician may take another's place whose public life lasted beyond this year."""
_ENOUGH = 3  # politicians of an office to draw from

_PLACE_LABELS = ("GPE", "LOC")
_OF_ANOTHER_NAME = re.compile(r"(?:\b(?:North|South|East|West|Northern|Southern|Eastern|Western|Central|New|Upper|Lower|Fort|"
                              r"Port|San|Lake|Mount|University of|Bank of|Miss|USS|King of) |[A-Z]\w*-)$")
_ENDING = r"(?P<ending>['’]s|['’]|s)?(?!\w|['’]\w|-[A-Z])"


class _Found(NamedTuple):
    """A mention of a place; ``region`` is its state or country where the text adds it ("Austin, Texas")."""

    place: Place
    start: int
    end: int
    region: tuple[int, int]
    ending: str


class Entity(Probe):
    """The first place or politician that the packaged tables know, in all its mentions: full name, surname, possessives.

    A state becomes a state, a country a country, a US city a US city ("Austin, Texas" with its state), a politician one of
    the same party, gender and office, so that the party (which the probe ``party`` asks about) stays. Places count where
    the parser takes them for places. The United States, peoples ("Iranian") and names within others ("University of
    Texas") stay.
    """

    name = "entity"
    expects = "fake"
    of = "real"
    asks = "Does it notice that a place or politician was exchanged for another of the same kind?"
    few_flips = ("A low rate says that it does not matter to the classifier who did what where. A changed statement may be "
                 "true by chance (more than one state has a deficit), so that not every missed one is a fault.")

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        rng = seeding.generator(seed, self.name)
        people = politicians()
        named, found = mentions(text, people), list(_places(text))
        others = [(mention.start, mention.end) for mention in named]
        found = [f for f in found if not inside((f.start, f.end), others)]
        if not named and not found:
            return Unchanged("names no place or politician of the tables")
        if found and (not named or found[0].start < named[0].start):
            return _move(text, found, rng)
        return _exchange(text, named, people, rng)


def probe(settings: ProbeSettings) -> Entity:
    return Entity()


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in sorted(places(), key=len, reverse=True))
    after = rf", (?P<after>(?:{names})\b|[A-Z][a-z]{{1,4}}\.|[A-Z]{{2}}\b|D\.C\.)"
    return re.compile(rf"(?<![\w.])(?P<name>{names}){_ENDING}(?:{after})?")


def _places(text: str) -> Iterator[_Found]:
    """The mentions of places of the table, in reading order."""
    if not _pattern().search(text):
        return
    doc = parsed(text)
    spans = [(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents]
    rivers = _rivers(doc)
    elsewhere = addresses(text)
    at = 0
    while found := _pattern().search(text, at):
        place, span = places()[found["name"]], found.span("name")
        at = found.start("after") if found["after"] else found.end()
        around = [ent for ent in spans if ent[0] <= span[0] and span[1] <= ent[1]]
        if span[0] in rivers or inside(span, elsewhere) or not around:
            continue
        if around[0][2] not in _PLACE_LABELS or _part_of_name(around[0], found):
            continue
        region = (0, 0)
        if place.region and found["after"] == place.region:
            region, at = found.span("after"), found.end()
        elif place.region and found["after"] and not _is_city(found["after"]):
            continue  # another city of that name: Portland, Maine
        yield _Found(place, *span, region, found["ending"] or "")


def _rivers(doc: Doc) -> set[int]:
    """Where names stand that "the" makes those of rivers ("crossed the Delaware"), not "the Texas law"."""
    return {token.idx for token in doc[1:] if token.nbor(-1).lower_ == "the" and token.tag_ == "NNP"
            and token.dep_ not in ("compound", "amod", "nmod", "poss", "nummod")}


def _is_city(name: str) -> bool:
    return name in places() and bool(places()[name].region)


def _part_of_name(span: tuple[int, int, str], found: re.Match[str]) -> bool:
    text = found.string
    end = found.end("ending") if found["ending"] else found.end("name")
    before, after = text[span[0]:found.start()].strip().lower(), text[end:span[1]].strip(" .")
    return bool(before not in ("", "the") or after[:1].isupper() and not after.isupper()
                or _OF_ANOTHER_NAME.search(text, max(0, found.start() - 15), found.start()))


def _move(text: str, found: list[_Found], rng: random.Random) -> Changed | Unchanged:
    """The first place becomes another one."""
    old = found[0].place
    mine = [f for f in found if f.place == old]
    there = {f.place.name for f in found} | {f.place.region for f in found}
    pool = [p for p in places().values() if p.kind == old.kind and p.name not in there and p.region not in there - {""}
            and p.name not in text and not (p.name.endswith("s") and any(f.ending for f in mine))]
    new = rng.choice(pool)
    edits = []
    for mention in mine:
        name = text[mention.start:mention.end]
        edits.append(Edit(mention.start, mention.end, _cased(new.name, name)))
        if mention.region[0] < mention.region[1]:
            edits.append(Edit(*mention.region, new.region))
    return Changed(apply(text, edits), f"{old.name} -> {new.name}")


def _exchange(text: str, named: list[Mention], people: Politicians, rng: random.Random) -> Changed | Unchanged:
    """The first politician becomes another one."""
    old = named[0].person
    mine = [mention for mention in named if mention.person == old]
    office = next((mention.title for mention in mine if mention.title), None) or old.roles[:1] and old.roles[0]
    there = set(key(text))
    pool = [p for p in people.people if p.side == old.side and p.gender == old.gender and p != old and p.years
            and p.years[1] > SINCE and not there & set(key(p.surname))
            and p.surname.endswith("s") == old.surname.endswith("s")]  # so that a possessive apostrophe stays right
    same_office = [p for p in pool if office in p.roles]
    pool = same_office if len(same_office) >= _ENOUGH else pool
    if not pool:
        return Unchanged("no politician like the one named")
    new = rng.choice(pool)
    names = {"full": new.name, "surname": new.surname, "first": new.first_name}
    edits = [Edit(m.start, m.end, _cased(names[m.form], text[m.start:m.end])) for m in mine]
    return Changed(apply(text, edits), f"{old.name} -> {new.name}")


def _cased(name: str, like: str) -> str:
    return name.upper() if like.isupper() else name.lower() if like.islower() else name
