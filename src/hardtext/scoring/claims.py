"""A claim: one attack run measured text by text, as a file. The leaderboard is a function of these files.

A claim holds the SHA-256 of the attempts it was made from and the scorer's settings, so that it is used again only for
the same attempts and the same scorer; and a digest of itself, so that damage and alterations do not pass for scores.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy

from hardtext.core import Attempt, InputError
from hardtext.records import open_plain, read_json
from hardtext.scoring import bodega, segment
from hardtext.scoring import measure as measuring
from hardtext.scoring.semantic import SemanticSettings
from hardtext.text import join, readable

log = logging.getLogger(__name__)

_NOT_RESULTS = ("device", "batch_size")
"""Settings of a scorer that do not change a score."""
_ARRAYS = ("success", "semantic", "character", "queries")


@dataclass(frozen=True)
class Header:
    """Everything in a claim but its numbers; a claim is used again only where all of it is the same.

    ``system``: the attack's name, and what tells this run's settings from others of the same attack.
    ``marks``: what stands in for something else, or keeps the run from being a complete one, in words.
    """

    domain: str
    victim: str
    system: str
    attack: str
    seed: int
    source: str  # the attempts file
    sha256: str  # of its bytes
    scorer: dict[str, Any]
    segmenter: str
    marks: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Claim(Header):
    """One run. The arrays are (n,) over its instances (errors left out): ``success`` bool; ``semantic`` and
    ``character`` float, nan where the attack did not succeed; ``queries`` float.

    ``texts`` tells which text each instance is: equal strings mean the same example with the same original.
    """

    errors: int
    broken_pairs: int
    texts: tuple[str, ...]
    success: numpy.ndarray
    semantic: numpy.ndarray
    character: numpy.ndarray
    queries: numpy.ndarray

    @property
    def bodega(self) -> numpy.ndarray:
        """The BODEGA score of each instance, 0 where the attack did not succeed: float, (n,)."""
        return bodega.columns(self.success, self.semantic, self.character)["bodega"]

    def to_row(self) -> dict[str, Any]:
        """JSON-ready; null where there is no number. Its ``digest`` is of everything else in it."""
        row = {field.name: getattr(self, field.name) for field in fields(self)}
        arrays = {name: [None if value != value else value for value in getattr(self, name).tolist()]
                  for name in _ARRAYS}
        row |= arrays | {"marks": list(self.marks), "texts": list(self.texts)}
        return row | {"digest": _digest(row)}

    @classmethod
    def from_row(cls, row: Any) -> Claim:
        """The inverse of ``to_row``. Raises InputError for what it cannot have written, and for what was altered since."""
        expected = {field.name for field in fields(cls)} | {"digest"}
        if not isinstance(row, dict) or row.keys() != expected:
            raise InputError("other fields than a claim has")
        row = dict(row)
        if row.pop("digest") != _digest(row):
            raise InputError("altered since it was written: its digest is another")
        _check(row)
        arrays = {name: numpy.array(row[name], dtype=bool if name == "success" else float) for name in _ARRAYS}
        return cls(**row | arrays | {"marks": tuple(row["marks"]), "texts": tuple(row["texts"])})


def _digest(row: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()


def _check(row: dict[str, Any]) -> None:
    """Refuse columns that are no measurement: of different lengths, or with values that no score has."""
    lists = {name: row[name] for name in ("texts", *_ARRAYS, "marks")}
    if odd := [name for name, values in lists.items() if not isinstance(values, list)]:
        raise InputError(f"{', '.join(odd)}: expected a list")
    length = len(row["texts"])
    if odd := [name for name in _ARRAYS if len(row[name]) != length]:
        raise InputError(f"{length} texts, but {', '.join(f'{len(row[name])} values of {name}' for name in odd)}")
    if not length:
        raise InputError("it holds no text")
    counts = [row["errors"], row["broken_pairs"]]
    sound = {
        "texts": all(isinstance(text, str) for text in row["texts"]) and len(set(row["texts"])) == length,
        "marks": all(isinstance(words, str) for words in row["marks"]),
        "success": all(isinstance(value, bool) for value in row["success"]),
        "queries": all(_is_number(value) and value >= 0 for value in row["queries"]),
        "errors, broken_pairs": all(type(count) is int and count >= 0 for count in counts),
        **{name: all((_is_number(value) and 0 <= value <= 1) if success else value is None
                     for success, value in zip(row["success"], row[name])) for name in ("semantic", "character")},
    }
    if odd := [name for name, fine in sound.items() if not fine]:
        raise InputError(f"values that it cannot have: {'; '.join(odd)}")


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def digest(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def settings_of(semantic: SemanticSettings) -> dict[str, Any]:
    """The settings of a scorer that a score depends on."""
    return {key: value for key, value in asdict(semantic).items() if key not in _NOT_RESULTS}


def text_key(attempt: Attempt) -> str:
    """Which text an attempt is about: its id and its original, so that equal ids of other texts are not confused."""
    return f"{attempt.id}:{hashlib.sha256(readable(join(attempt.original)).encode()).hexdigest()[:12]}"


def header(attempts: Sequence[Attempt], *, system: str, source: str, sha256: str, semantic: SemanticSettings,
           segmenter: str = "auto", marks: Sequence[str] = ()) -> Header:
    """The header for one run's attempts.

    ``marks``: what the run's own files say stands in; what the scorer and the segmenter stand in for is added.
    Raises InputError where the attempts are of several runs.
    """
    first = attempts[0]
    for field in ("domain", "victim", "attack", "seed"):
        if len(values := sorted({str(getattr(attempt, field)) for attempt in attempts})) > 1:
            raise InputError(f"{source}: attempts of several runs ({field}: {', '.join(values)}); keep each run by itself")
    segmenter = measuring.resolve_segmenter(segmenter, first.domain, attempts)
    ours = (semantic.stand_in, segment.stand_in(segmenter, first.domain))
    return Header(domain=first.domain, victim=first.victim, system=system, attack=first.attack, seed=first.seed,
                  source=source, sha256=sha256, scorer=settings_of(semantic), segmenter=segmenter,
                  marks=tuple(dict.fromkeys(words for words in (*ours, *marks) if words)))


def measure(attempts: Sequence[Attempt], about: Header, semantic: SemanticSettings) -> Claim:
    """The claim of one run. Raises InputError where every attempt is an error, and where the scorer cannot be had."""
    instances = measuring.instances(attempts, about.source)
    columns = measuring.columns(instances, semantic, about.segmenter, with_preserved=False)
    return Claim(**{field.name: getattr(about, field.name) for field in fields(about)},
                 errors=len(attempts) - len(instances), broken_pairs=measuring.broken_pairs(instances),
                 texts=tuple(text_key(attempt) for attempt in instances), success=columns.success,
                 semantic=columns.semantic, character=columns.character,
                 queries=numpy.array([attempt.queries for attempt in instances], dtype=float))


def read_claim(path: Path, about: Header) -> Claim | None:
    """The claim in a file where it has this header; else None. A damaged or altered file is refused and named."""
    if not path.is_file():
        return None
    try:
        claim = Claim.from_row(read_json(path))
    except InputError as error:
        log.warning("%s: no claim of ours (%s); the attempts are measured again", path,
                    str(error).removeprefix(f"{path}: "))
        return None
    return claim if all(getattr(claim, f.name) == getattr(about, f.name) for f in fields(about)) else None
