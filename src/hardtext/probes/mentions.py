"""Where a text names politicians.

A name must be part of a full mention ("Marco Rubio", "John F. Kennedy") or a titled one ("Sen. Rubio"); the surname alone
counts where one of these stands in the same text, so that "Bush" the plant and "Ford" the car are nobody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple, Optional

from hardtext.lexicon.function_words import is_content
from hardtext.probes.editing import addresses, headline, inside
from hardtext.probes.politicians import TICKET, Key, Politician, Politicians, key, plain

_LETTERS = re.compile(r"[^\W\d_]+")
_SPACES = re.compile(r"[ \u00a0]{1,3}")
_PARTICLES = frozenset(("de", "van", "la", "von"))
_TITLES: dict[Key, str] = {tuple(words.split()): role for role, spellings in {
    "president": "president|pres|president elect",
    "vice-president": "vice president|vice president elect|v p|vp",
    "senator": "senator|sen|senator elect",
    "representative": "representative|rep|congressman|congresswoman",
    "governor": "governor|gov|governor elect",
    "lieutenant-governor": "lieutenant governor|lt gov|lt governor",
    "secretary": "secretary|secretary of state",
    "speaker": "speaker",
    "leader": "majority leader|minority leader",
    "mayor": "mayor",
    "attorney-general": "attorney general",
}.items() for words in spellings.split("|")}
_OF_ANOTHER_HOUSE = frozenset("""association bank board borough chamber city class club college company council county
    deputy nra school senate society state student union university""".split())  # state Sen. X, Senate President X
_NAMED_AFTER = frozenset("""airport avenue award boulevard bridge building casino center centre club county dam doctrine
    drive elementary foundation global golf hall highway hospital hotel hotels institute international lane library lodge
    medal memorial middle monument motor museum organization park parkway plaza presidential prize resort road school
    square stadium street tower towers township university winery""".split())
_NO_PAIR = frozenset("appointed backed care controlled endorsed era hating led like loving nominated style supported "
                     "supporter supporters supporting".split())
_PREFIXES = frozenset("anti ex mid neo never non post pre pro un".split())
_ALSO_WORDS = frozenset("""angus beau bill bob butch chuck dick faith grant grover jack kit lincoln london mark may pat penny
    rand rex rob rich rush sonny tip trent will""".split())  # first names that say other things too
_BEFORE_NAMES = frozenset("""candidate candidates conservative democrat democratic democrats former gop liberal mr mrs ms
    nominee opponent republican republicans rival says""".split())

_ORDINARY = frozenset("""baker barr barry bass bond brown burns bush cain castle cotton cox deal dean ford frank gates gore
    grant graves graham grimes hall hart heller holder hunter king kind lake lamb lee little long lynch mack mills moore
    nelson nixon owens paul perry pierce porter power price reed reid rice rich ridge rush scott sink smith snow steele
    stein taft walker wallace walsh warren waters west white wolf wright yang young""".split())
"""Surnames that are words or first names too: in a text without capitals they never stand for a person by themselves."""
_SUFFIX = re.compile(r",? (?:Jr|Sr|II|III|IV)\b(?:\.(?=[\s,]*[a-z,]|['’]))?", re.IGNORECASE)


class Word(NamedTuple):
    """A run of letters of the text, and its form in names' keys."""

    key: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """``text[start:end]``, without title and possessive, names ``person`` by ``form``: full, surname or first (name)."""

    start: int
    end: int
    person: Politician
    form: str
    title: Optional[str] = None  # the office in front of the name, as in ``Politician.roles``


def mentions(text: str, people: Politicians) -> list[Mention]:
    """Every mention, in reading order; never two at one place, and the longest name wins.

    A name that fits people of both parties ("Sen. Brown") names nobody; where it fits several of one party, the first of
    them in the table is meant.
    """
    return _Reading(text, people).mentions()


class _Reading:
    """One text, word by word."""

    def __init__(self, text: str, people: Politicians) -> None:
        self.text, self.people = text, people
        self.cased = any(c.isupper() for c in text)
        self.headline = headline(text)
        self.apostrophes = "'" in text or "’" in text
        elsewhere = addresses(text)
        self.words = [Word(plain(m.group()), m.group(), *m.span()) for m in _LETTERS.finditer(text)
                      if not inside(m.span(), elsewhere)]
        self.taken = [False] * len(self.words)

    def mentions(self) -> list[Mention]:
        found = self._full() + self._titled()
        found += self._surnames(sorted(found, key=lambda mention: mention.start))
        found += self._first_names([mention for mention in found if mention.form == "full"])
        return sorted((m for m in found if not self._named_after(m)), key=lambda mention: mention.start)

    def _full(self) -> list[Mention]:
        found = []
        for i, word in enumerate(self.words):
            if word.key not in self.people.starts or self.taken[i]:
                continue
            for size in range(min(self.people.longest + 1, len(self.words) - i), 1, -1):
                if people := self._called(i, size):
                    found.append(self._take(i, size, _likeliest(people), "full"))
                    found += self._couple(i, found[-1].person)
                    break
        return [mention for mention in found if mention.person.side]

    def _called(self, i: int, size: int) -> list[Politician]:
        """Who is called by the ``size`` words from the i-th on, initials in the middle allowed; all of one side."""
        if not self._one_name(i, size):
            return []
        names = self._key(i, size)
        people = self.people.named(names) or self.people.named(self._without_s(names))
        if not people and size > 2:
            short = tuple(name for at, name in enumerate(names) if at in (0, size - 1) or len(name) > 1)
            people = self.people.named(short) if len(short) > 1 else []
        if len({person.side for person in people}) > 1:
            return [Politician(" ".join(names), names[-1], "", None)]  # taken, and nobody
        return people

    def _couple(self, i: int, second: Politician) -> list[Mention]:
        """The first of two who share the surname: "Bill and Hillary Clinton"."""
        if i < 2 or self.words[i - 1].key != "and" or not self._follows(i) or not self._follows(i - 1):
            return []
        first = self.people.named((self.words[i - 2].key, *key(second.surname)))
        return [self._take(i - 2, 1, _likeliest(first), "full")] if first and self._one_name(i - 2, 1) else []

    def _titled(self) -> list[Mention]:
        found = []
        for i in range(1, len(self.words)):
            title = self._title(i)
            for size in (3, 2, 1):
                if title and not self.taken[i] and (person := self._bearer(i, size, title)):
                    found.append(self._take(i, size, person, "surname"))
                    break
        return found

    def _bearer(self, i: int, size: int, title: str) -> Optional[Politician]:
        if not self._one_name(i, size) or self._opens_another_name(i, size):
            return None
        name = self._key(i, size)
        bearers = self.people.surnamed(name) or self.people.surnamed(self._without_s(name))
        people = [p for p in bearers if title in p.roles]
        one_side = len({person.side for person in people}) == 1
        clear = one_side and people[0].side and not any(title in person.shared_titles for person in people)
        return _likeliest(people) if clear else None

    def _surnames(self, named: list[Mention]) -> list[Mention]:
        """The surnames that stand alone, of people whom the text names in full or with a title."""
        people = {mention.person for mention in named}
        found = []
        for i in range(len(self.words)):
            for size in (3, 2, 1):
                bearers = people.intersection(self.people.surnamed(self._key(i, size)))
                if not bearers or not self._one_name(i, size) or not self._stands_alone(i, size, people):
                    continue
                before = [m for m in named if m.person in bearers and m.start < self.words[i].start]
                person = before[-1].person if before else next(m.person for m in named if m.person in bearers)
                found.append(self._take(i, size, person, "surname"))
                found += self._mates((i - 1, i), person) + self._mates((i + size, i + size - 1), person)
                break
        return found

    def _mates(self, places: tuple[int, int], person: Politician) -> list[Mention]:
        """The other one of "Obama-Biden", who stands at the first of two places tied by a hyphen; no one else."""
        at, beside = places
        if not 0 <= at < len(self.words) or self._gap(min(at, beside)) not in ("-", "–", "/") or not self._one_name(at, 1):
            return []
        mates = [p for p in self.people.surnamed((self.words[at].key,)) if p.side == person.side and TICKET & {*p.roles}]
        return [self._take(at, 1, _likeliest(mates), "surname")] if mates else []

    def _stands_alone(self, i: int, size: int, people: set[Politician]) -> bool:
        """Whether the words from the i-th on are a whole name, and not part of another person's or thing's."""
        if not self.cased and self.words[i].key in _ORDINARY:
            return False
        if self._opens_another_name(i, size):
            return False
        if self._follows(i):
            last = self.words[i - 1]
            first_name = bool(self.people.first_named(last.key)) and last.key not in _ALSO_WORDS
            opens = i == 1 or bool(re.search(r"[.!?:;\"“”]", self.text[self.words[i - 2].end:last.start]))
            named = (self.cased and not self.headline and last.text[0].isupper() and not opens and is_content(last.text)
                     and last.key not in _BEFORE_NAMES and not self._title(i))
            initial = len(last.key) == 1 and last.key != "a" and self.text[last.start - 1:last.start] not in ("'", "’")
            if first_name or named or initial:
                return False
        return self._pair(i, i - 1, people) and self._pair(i + size - 1, i + size, people)

    def _pair(self, i: int, other: int, people: set[Politician]) -> bool:
        """False where a hyphen ties the i-th word to another name ("McCain-Feingold"); running mates pass."""
        if not 0 <= other < len(self.words):
            return True
        left, right = sorted((i, other))
        if self.text[self.words[left].end:self.words[right].start] not in ("-", "–", "/"):
            return True
        word = self.words[other]
        if word.key in _NO_PAIR | _PREFIXES:
            return True
        partners = self.people.surnamed((word.key,))
        if not partners:
            return not word.text[0].isupper()
        mate = any(TICKET & {*p.roles} for p in partners)
        return mate or any(partner in people for partner in partners)

    def _first_names(self, full: list[Mention]) -> list[Mention]:
        """First names alone ("Hillary"), where nobody else in the table has them and they are no other word."""
        found = []
        own = {plain(m.person.first_name): m.person for m in full}
        for i, word in enumerate(self.words):
            person = own.get(word.key)
            if person is None or self.taken[i] or not self._one_name(i, 1) or word.key in _ALSO_WORDS or len(word.key) < 3:
                continue
            if len(self.people.first_named(word.key)) > 1 or self._follows(i + 1) and self._name_like(i + 1):
                continue
            if not (self._follows(i) and self._name_like(i - 1) and not self.headline):
                found.append(self._take(i, 1, person, "first"))
        return found

    def _title(self, i: int) -> Optional[str]:
        """The office that stands before the i-th word."""
        for size in (3, 2, 1):
            start = i - size
            words = self.words[max(start, 0):i]
            role = _TITLES.get(tuple(word.key for word in words)) if start >= 0 else None
            if role and all(re.fullmatch(r"\.?[ \u00a0]{1,2}|-|\.", self._gap(at)) for at in range(start, i)):
                before = self.words[start - 1].key if start and self._follows(start) else ""
                if before == "house" and role in ("speaker", "leader") or before == "senate" and role == "leader":
                    return role
                return None if before in _OF_ANOTHER_HOUSE else role
        return None

    def _one_name(self, i: int, size: int) -> bool:
        """Whether the words from the i-th on can be one name: tied together, and written in one case."""
        words = self.words[i:i + size]
        if len(words) < size or i and self.text[words[0].start - 1] in "#@_" or self._any_taken(i, size):
            return False
        if any(c.isdigit() or c == "_" for c in self.text[words[-1].end:words[-1].end + 1]):
            return False
        for at in range(i, i + size - 1):
            gap, word, following = self._gap(at), self.words[at], self.words[at + 1].key
            initial = len(word.key) == 1 or word.key in ("jr", "st")
            tied = _SPACES.fullmatch(gap) or gap in ("-", "'", "’") or initial and re.fullmatch(r"\.[ \u00a0]?", gap)
            if not tied and not (following in ("jr", "sr") and gap == ", "):
                return False
        capitals = [word.text[0].isupper() for word in words if word.key not in _PARTICLES]
        return all(capitals) or size > 1 and not any(capitals) or not self.cased

    def _opens_another_name(self, i: int, size: int) -> bool:
        """Whether the surname is also a first name, and a name goes on: "Sen. Scott Fitzgerald"."""
        return bool(self.people.first_named(self.words[i].key)) and self._follows(i + size) and self._name_like(i + size)

    def _name_like(self, i: int) -> bool:
        word = self.words[i]
        return word.text[0].isupper() and word.key not in _BEFORE_NAMES if self.cased else is_content(word.key)

    def _named_after(self, mention: Mention) -> bool:
        """Whether it is the name of an airport, a foundation, …"""
        following = [word for word in self.words if word.start >= mention.end][:3]
        end = mention.end
        for word in following:
            if not _SPACES.fullmatch(self.text[end:word.start]) or self.cased and not word.text[0].isupper():
                return False
            if word.key in _NAMED_AFTER:
                return self.cased or word is following[0]
            end = word.end
        return False

    def _take(self, i: int, size: int, person: Politician, form: str) -> Mention:
        for at in range(i, i + size):
            self.taken[at] = True
        last = self.words[i + size - 1]
        lost = form != "first" and last.key.endswith("s") and last.key[:-1] == key(person.surname)[-1]
        end = last.end - lost
        if form == "full" and not lost and (suffix := _SUFFIX.match(self.text, end)):
            end = suffix.end()
        return Mention(self.words[i].start, end, person, form, self._title(i))

    def _without_s(self, name: Key) -> Key:
        """The name without the -s of a possessive whose apostrophe was lost ("Barack Obamas plan"); empty where the text
        has apostrophes."""
        return (*name[:-1], name[-1][:-1]) if name[-1].endswith("s") and not self.apostrophes else ()

    def _any_taken(self, i: int, size: int) -> bool:
        return any(self.taken[i:i + size])

    def _key(self, i: int, size: int) -> Key:
        return tuple(word.key for word in self.words[i:i + size])

    def _gap(self, at: int) -> str:
        return self.text[self.words[at].end:self.words[at + 1].start]

    def _follows(self, i: int) -> bool:
        """Whether only spaces stand between the i-th word and the one before."""
        return 0 < i < len(self.words) and bool(_SPACES.fullmatch(self._gap(i - 1)))



def _likeliest(people: list[Politician]) -> Politician:
    """Of several who may be meant, the one whose public life is the most recent."""
    return max(people, key=lambda person: person.years or (0, 0))
