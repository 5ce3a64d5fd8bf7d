"""Prominent US politicians: who they are called, their party and gender, the offices they held, and when.

``data/politicians.csv``, edited by hand; scripts/politicians.py checks it. Names, parties and genders of members of
Congress agree with the files of the congress-legislators project (CC0), those of governors with us-governors (MIT). Its
columns:

    name, surname, other_names     "Joe Biden", "Biden", "Joseph Biden|Joseph R. Biden"
    bare_names                     single words that mean this person in a text on politics; no common words, first names
                                   of many, or places ("Obama|Barack")
    gender                         F or M
    party                          Democrat, Republican, Independent, various (changed it, or stood for others), none (family)
    caucus                         the party an Independent sat with in the Senate
    roles                          offices, the one best known for first; "nominee" for president, "running-mate" for
                                   vice-president, "candidate" for another high office
    states                         for which they held or sought office, as postal codes
    first_year, last_year          of prominence in state or national politics (2026: still)
    shared_titles                  offices whose title with the surname also fits members of the other party ("Sen. Brown")
"""

from __future__ import annotations

import csv
import logging
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Optional

from hardtext.core import InputError
from hardtext.probes import user_tables

log = logging.getLogger(__name__)

TABLE = Path(__file__).parent / "data" / "politicians.csv"

SIDES = DEMOCRAT, REPUBLICAN = "Democrat", "Republican"
PRESIDENTIAL = frozenset(("president", "nominee"))
"""Roles of those who stood for president."""
TICKET = PRESIDENTIAL | {"vice-president", "running-mate"}
"""Roles of those who stood for the highest offices."""

_PARTIES = {"democrat": DEMOCRAT, "democratic": DEMOCRAT, "dem": DEMOCRAT, "d": DEMOCRAT,
            "republican": REPUBLICAN, "rep": REPUBLICAN, "gop": REPUBLICAN, "r": REPUBLICAN}
_TYPES = {"sen": ("senator",), "rep": ("representative",), "prez": ("president",), "viceprez": ("vice-president",)}
_NO_FIRST_NAMES = frozenset(("all", "an", "my", "our", "the", "we"))  # "The People"
_FIRST = 3  # odd rows that a warning quotes
_EARLIER = 1960  # people whose public life ended before are meant only where nobody later has the name
_LETTERS = re.compile(r"[^\W\d_]+")

Key = tuple[str, ...]
"""The words of a name, in lower case and without accents: ("beto", "o", "rourke")."""


@dataclass(frozen=True, slots=True)
class Politician:
    """``side`` is the party whose people the other side's are swapped for; None: named, but never swapped.
    ``leaning`` is the party that others take an Independent for."""

    name: str
    surname: str
    party: str
    side: Optional[str]
    other_names: tuple[str, ...] = ()
    gender: str = ""  # F, M, or "" where not known
    roles: tuple[str, ...] = ()
    years: Optional[tuple[int, int]] = None
    shared_titles: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    bare_names: tuple[str, ...] = ()
    leaning: Optional[str] = None

    @property
    def letter(self) -> str:
        """The party in one letter, as newspapers write it."""
        return self.party[0].upper()

    @property
    def first_name(self) -> str:
        return self.name.removesuffix(self.surname).split()[0] if self.name != self.surname else self.name


class Politicians:
    """People by name. ``people`` are in the order of preference among namesakes."""

    def __init__(self, people: Iterable[Politician]) -> None:
        self.people = tuple(people)
        self._named: dict[Key, list[Politician]] = defaultdict(list)
        self._surnames: dict[Key, list[Politician]] = defaultdict(list)
        self._first_names: dict[str, list[Politician]] = defaultdict(list)
        self._bare_names: dict[str, list[Politician]] = defaultdict(list)
        for person in self.people:
            for name in (person.name, *person.other_names):
                if person not in self._named[key(name)]:
                    self._named[key(name)].append(person)
            self._surnames[key(person.surname)].append(person)
            if first := key(person.first_name):
                self._first_names[first[0]].append(person)
            for name in person.bare_names:
                self._bare_names[plain(name)].append(person)
        self.longest = max((len(words) for words in self._named), default=0)
        self.starts = frozenset(words[0] for words in self._named)

    def named(self, words: Key) -> list[Politician]:
        """Who is called so in full."""
        return _later(self._named.get(words, []))

    def surnamed(self, words: Key) -> list[Politician]:
        """Who has the surname."""
        return _later(self._surnames.get(words, []))

    def first_named(self, word: str) -> list[Politician]:
        """Who has the first name."""
        return self._first_names.get(word, [])

    def barely_named(self, word: str) -> list[Politician]:
        """Whom the word means by itself."""
        return self._bare_names.get(word, [])


def key(name: str) -> Key:
    """The words of a name as texts are searched for them.

    >>> key("George H.W. Bush"), key("Julián Castro")
    (('george', 'h', 'w', 'bush'), ('julian', 'castro'))
    """
    return tuple(plain(word) for word in _LETTERS.findall(unicodedata.normalize("NFC", name)))


def plain(word: str) -> str:
    """A word in lower case, without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)).casefold()


@lru_cache(maxsize=1)
def packaged() -> tuple[Politician, ...]:
    """The people of the packaged table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(_packaged(row) for row in csv.DictReader(file))


def _packaged(row: dict[str, str]) -> Politician:
    party, leaning = row["party"], row["caucus"] or row["party"]
    return Politician(
        row["name"], row["surname"], party, party if party in SIDES else None,
        _parts(row["other_names"]), row["gender"], _parts(row["roles"]), (int(row["first_year"]), int(row["last_year"])),
        _parts(row["shared_titles"]), _parts(row["states"]), _parts(row["bare_names"]), leaning if leaning in SIDES else None)


def _parts(cell: str) -> tuple[str, ...]:
    return tuple(part for part in cell.split("|") if part)


@lru_cache(maxsize=4)
def politicians(path: Optional[str] = None) -> Politicians:
    """The packaged people, and those of the CSV file at ``path``, if any.

    The file has a column ``party`` and either ``name`` or ``first_name`` and ``last_name``; ``nickname``, ``suffix``,
    ``full_name``, ``gender``, ``type`` (sen, rep), ``state`` (its postal code) and ``birthday`` are used where present, so
    that the legislators files of congress-legislators can be given as they are. Only Democrats and Republicans are taken;
    where a name is in both, the packaged table counts.

    Rows that name nobody by first and last name, contradict the packaged table or put one person into both parties are left
    out, in one line of warning. Raises InputError where the file cannot be read, lacks a column, or names no Democrat or
    Republican.
    """
    people = list(packaged())
    if path is not None:
        people += _checked(Path(path), _read(Path(path)), people)
    return Politicians(people)


def _read(path: Path) -> list[tuple[int, Politician]]:
    """The Democrats and Republicans of a file, with their lines."""
    setting = f"probe.politicians={path}"
    rows = user_tables.table(path, lambda found: "party" in found and (
                                 "name" in found or {"first_name", "last_name"} <= found),
                             "the columns party and name (or first_name and last_name)", setting)
    people = [(line, person) for line, row in rows
              if (person := _person({name: cell.strip() for name, cell in row.items()})) is not None]
    if not people:
        raise InputError(f"{setting}: no row names a Democrat or a Republican; expected party to be Democrat or Republican")
    return people


def _checked(path: Path, rows: list[tuple[int, Politician]], table: list[Politician]) -> list[Politician]:
    """The people whom the packaged table lacks. What is odd about the others is said in one line."""
    sides = {key(name): person.party for person in table for name in (person.name, *person.other_names)}
    parties: dict[object, set[str]] = defaultdict(set)
    for _, person in rows:
        parties[key(person.name), person.years].add(person.party)  # namesakes of another time are other people
    odd: dict[str, list[str]] = defaultdict(list)
    kept = []
    for line, person in rows:
        words = key(person.name)
        shown = f"line {line}: {person.name[:40]}, {person.party}"
        if len(words) < 2 or words[0] in _NO_FIRST_NAMES:
            odd["left out, since no first and last name"].append(shown)
        elif words in sides:
            if sides[words] != person.party:
                odd["against the packaged table, which counts"].append(f"{shown}, not {sides[words]}")
        elif len(parties[words, person.years]) > 1:
            odd["left out, since in both parties"].append(shown)
        else:
            kept.append(person)
    if odd:
        said = (f"{words}: {len(lines)} row{'s' * (len(lines) > 1)} ({'; '.join(lines[:_FIRST])})"
                for words, lines in odd.items())
        log.warning("probe.politicians=%s: %s", path, "; ".join(said))
    return kept


def _person(row: dict[str, str]) -> Optional[Politician]:
    party = _PARTIES.get(row["party"].lower())
    name = row.get("name") or f"{row.get('nickname') or row.get('first_name', '')} {row.get('last_name', '')}".strip()
    surname = row.get("last_name") or re.sub(r",? (?:Jr|Sr)\.?$| I{2,3}$| IV$", "", name).split(" ")[-1]
    if party is None or not key(name) or not key(surname):
        return None
    others = {row.get("full_name", ""), f"{row.get('first_name', '')} {surname}".strip()} - {"", name, surname}
    born = row.get("birthday", "")[:4]
    years = (int(born) + 35, int(born) + 75) if born.isascii() and born.isdigit() else None
    return Politician(name, surname, party, party, tuple(sorted(others)), row.get("gender", "")[:1].upper(),
                      _TYPES.get(row.get("type", ""), ()), years, states=_parts(row.get("state", "")), leaning=party)


def _later(people: list[Politician]) -> list[Politician]:
    recent = [person for person in people if person.years is None or person.years[1] >= _EARLIER]
    return recent or people
