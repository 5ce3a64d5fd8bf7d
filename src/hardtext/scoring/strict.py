"""Believe no file: are its originals the domain's, and do its successes fool the victim? Pure functions.

Nothing here asks a victim; ``recheck`` takes the classes it predicted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from hardtext.core import Attempt, Corpus, Example, InputError, Segments
from hardtext.text import join, readable

_SHOWN = 60  # characters of a text in a message


def reading(segments: Segments) -> str:
    r"""A text as every layout holds it: a pair joined, escapes undone, and no white space, since a submission's texts
    may have been tokenised, and BODEGA's scores see no spacing either.

    >>> reading(("two\\nlines", "the U.S. claim")) == reading(("two\nlines ~ the U . S . claim",))
    True
    """
    return "".join(readable(join(segments)).replace("\\n", "").replace("\\", "").split())


def check_originals(attempts: Sequence[Attempt], corpus: Corpus) -> None:
    """Refuse attempts whose originals are not texts of the corpus, whatever split they are of.

    An attempt whose id is one of the corpus's must hold that example's text; any other id (a submission has none but
    row numbers) may go with any example's text. Raises InputError with the number of foreign originals and the first.
    """
    examples: dict[str, Example] = {example.id: example for split in ("attack", "dev", "train")
                                    for example in corpus.split(split)}
    readings = {id_: reading(example.segments) for id_, example in examples.items()}
    texts = set(readings.values())
    foreign = [attempt for attempt in attempts
               if (reading(attempt.original) != readings[attempt.id] if attempt.id in readings
                   else reading(attempt.original) not in texts)]
    if not foreign:
        return
    first = foreign[0]
    where = f"domain={corpus.domain.name}" + (f" ({corpus.domain.stand_in})" if corpus.domain.stand_in else "")
    why = "that id has another text there" if first.id in readings else "no such text is there"
    raise InputError(f"strict=true: {len(foreign)} of {len(attempts)} originals are not those of {where}, the first one "
                     f"id {first.id}, {join(first.original)[:_SHOWN]!r}: {why}; name the domain, seed and settings that "
                     f"the attempts were made with")


@dataclass(frozen=True)
class Recheck:
    """What asking the victim again found. An attempt succeeds where the victim's own prediction flips.

    ``unconfirmed``: ids of claimed successes whose adversarial text does not flip it; ``flipped``: ids of attempts that
    are no successes in the file, though the adversarial text that stands there flips it. ``most_moved``: the greatest
    difference between a probability in the file and the victim's answer now (None where the file holds none).
    """

    victim: str
    asked: int
    confirmed: int
    unconfirmed: tuple[str, ...]
    flipped: tuple[str, ...]
    most_moved: float | None

    def to_row(self) -> dict[str, Any]:
        return asdict(self) | {"unconfirmed": list(self.unconfirmed), "flipped": list(self.flipped)}

    def notes(self) -> list[str]:
        """The findings in words, for people."""
        notes = [f"strict: the originals are the domain's; {self.victim} was asked again about {self.asked} attempts, "
                 f"{self.confirmed} successes confirmed"]
        if self.unconfirmed:
            notes.append(f"strict: {len(self.unconfirmed)} claimed successes not confirmed and counted as failures "
                         f"(ids {_some(self.unconfirmed)})")
        if self.flipped:
            notes.append(f"strict: {len(self.flipped)} failures in fact flip the victim and count as successes "
                         f"(ids {_some(self.flipped)})")
        if self.most_moved is not None and self.most_moved > 0.01:
            notes.append(f"strict: a probability differs by {self.most_moved:.2f} from the file's; is it the same victim?")
        return notes


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")


def to_ask(attempts: Sequence[Attempt]) -> list[Attempt]:
    """The attempts that hold an adversarial text, whatever they say became of it."""
    return [attempt for attempt in attempts if attempt.adversarial is not None and attempt.status != "error"]


def recheck(attempts: Sequence[Attempt], flips: Mapping[str, bool], victim: str,
            most_moved: float | None = None) -> tuple[list[Attempt], Recheck]:
    """The attempts with the status that the victim gives them, and what differed.

    ``flips``: for the id of every attempt in ``to_ask(attempts)``, whether the victim predicts another class for its
    adversarial text than for its original.
    """
    asked = to_ask(attempts)
    unconfirmed = tuple(a.id for a in asked if a.status == "success" and not flips[a.id])
    flipped = tuple(a.id for a in asked if a.status != "success" and flips[a.id])
    changed = {**dict.fromkeys(unconfirmed, "failed"), **dict.fromkeys(flipped, "success")}
    result = [replace(a, status=changed[a.id]) if a.id in changed else a for a in attempts]
    return result, Recheck(victim=victim, asked=len(asked),
                           confirmed=sum(a.status == "success" for a in asked) - len(unconfirmed),
                           unconfirmed=unconfirmed, flipped=flipped, most_moved=most_moved)
