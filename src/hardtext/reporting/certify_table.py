"""How many words may be changed, as tables and files: ``certify.json``, ``certify.md``, ``certify.csv``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy
from rich.console import Console

from hardtext import records, spreadsheet
from hardtext.reporting import leaderboard_formats as formats
from hardtext.reporting.leaderboard_sheets import MISSING, Line, Sheet
from hardtext.scoring.flips import Share

RADII = (0, 1, 2, 3, 5, 10, 20)
_LONG = 1e7  # seconds a text may have taken
WIDE = 160  # columns of the printed table where there is no terminal
CHANGES = {"mask": "words changed into any other words", "synonyms": "words changed into synonyms the defence knows"}


@dataclass(frozen=True)
class Certified:
    """What is certified of a text. ``words``: how many it has; ``votes``: copies for each class; ``radius``: how many words
    may be changed, None where not even the vote on the text itself is certain; ``forwards`` and ``seconds``: what it cost
    (0 for a text that had been asked about)."""

    id: str
    label: int
    words: int
    votes: list[int]
    radius: int | None
    forwards: int
    seconds: float

    @property
    def right(self) -> bool:
        return self.votes.index(max(self.votes)) == self.label

    def of(self, id: str, label: int) -> Certified:
        """The same text under another id."""
        return replace(self, id=id, label=label)

    def again(self) -> Certified:
        """What it costs to say so again."""
        return replace(self, forwards=0, seconds=0.0)

    def to_row(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Certified | None:
        """None for a row that ``to_row`` did not make."""
        try:
            made = cls(**row)
        except TypeError:
            return None
        fits = (isinstance(made.id, str) and type(made.label) is int and type(made.words) is int
                and isinstance(made.votes, list) and all(type(count) is int and count >= 0 for count in made.votes)
                and (made.radius is None or type(made.radius) is int) and type(made.forwards) is int
                and isinstance(made.seconds, float | int) and 0 <= made.seconds < _LONG)
        return made if fits else None


@dataclass(frozen=True)
class About:
    """``copies``: drawn for the certificate; ``voters``: over which the victim itself votes; ``whole``: texts of the split;
    ``at_best``: the most words that a unanimous vote would certify in one of the texts; ``hint``: what to do where that is
    none."""

    domain: str
    stand_in: str
    classes: tuple[str, ...]
    victim: str
    kind: str
    copies: int
    voters: int
    alpha: float
    split: str
    whole: int
    at_best: int
    hint: str = ""

    @property
    def title(self) -> str:
        stand_in = f" ({self.stand_in})" if self.stand_in else ""
        return f"{self.victim} on {self.domain}{stand_in}, {self.split} split"


def certified_at(rows: Sequence[Certified], words: int) -> Share:
    """The texts answered rightly, whose vote is certain whichever ``words`` words are changed."""
    return Share.of_flags(numpy.array([row.right and row.radius is not None and row.radius >= words for row in rows]))


def median_words(rows: Sequence[Certified]) -> float | None:
    """Of the texts that are answered rightly; what is not certain counts as 0."""
    right = [row.radius or 0 for row in rows if row.right]
    return float(numpy.median(right)) if right else None


def sheet(about: About, rows: Sequence[Certified]) -> Sheet:
    right = Share.of_flags(numpy.array([row.right for row in rows]))
    last = max((row.radius for row in rows if row.radius is not None), default=0)
    lines = [_line("right by vote", right), *(_line(f"certified, {words} word{'s' * (words != 1)} changed",
                                                    certified_at(rows, words)) for words in RADII if words <= last + 1)]
    asked = [row for row in rows if row.forwards]
    cost = (f"{about.copies} forwards and {numpy.mean([row.seconds for row in asked]) * 1000:,.0f} ms a text for the "
            f"certificate; {about.voters} forwards for an answer") if asked else f"{about.copies} forwards a text"
    median = median_words(rows)
    return Sheet(f"Certified: {about.title}", ("", "share", "95 %", "texts"), tuple(lines), (
        f"{len(rows)} of {about.whole} texts; {CHANGES[about.kind]}; no words put in or left out",
        f"each text's certificate is wrong with a probability of at most {about.alpha:g}; it is about the vote over all "
        f"copies, and the victim, which votes over {about.voters} of them, may err besides",
        f"median of the texts answered rightly: {MISSING if median is None else f'{median:g}'} words; not certain at all: "
        f"{sum(row.radius is None for row in rows)} texts",
        f"the most that a unanimous vote would certify: {about.at_best} words{about.hint and '; '}{about.hint}",
        cost, *([f"stand-in: domain: {about.stand_in}"] if about.stand_in else [])))


def _line(words: str, share: Share) -> Line:
    low, high = share.interval or (0.0, 0.0)
    return Line((words, f"{share.share or 0:.3f}", f"{low:.2f}–{high:.2f}", f"{share.count} of {share.of}"))


def write(folder: Path, about: About, rows: Sequence[Certified], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The three files; returns what ``certify.json`` holds."""
    radii = range(max((row.radius for row in rows if row.radius is not None), default=0) + 2)
    made = {"about": asdict(about) | {"classes": list(about.classes)}, "texts": len(rows),
            "right": asdict(Share.of_flags(numpy.array([row.right for row in rows]))),
            "certified": [{"words": words, **asdict(certified_at(rows, words))} for words in radii],
            "median_words": median_words(rows), "uncertain": sum(row.radius is None for row in rows),
            "forwards": sum(row.forwards for row in rows), "seconds": round(sum(row.seconds for row in rows), 3),
            "stand_ins": [f"domain: {about.stand_in}"] if about.stand_in else [], "settings": dict(settings)}
    records.write_json(folder / "certify.json", made)
    records.write_text(folder / "certify.md", formats.markdown([sheet(about, rows)]))
    records.write_text(folder / "certify.csv", spreadsheet.table(
        [{"id": row.id, "label": about.classes[row.label], "answer": about.classes[row.votes.index(max(row.votes))],
          "words": row.words, "certified_words": "" if row.radius is None else row.radius,
          **{f"votes_{name}": count for name, count in zip(about.classes, row.votes, strict=True)}} for row in rows]))
    return made


def show(about: About, rows: Sequence[Certified]) -> None:
    console = Console(width=None if sys.stdout.isatty() else WIDE)
    console.print(formats.rich_table(sheet(about, rows)), "")
