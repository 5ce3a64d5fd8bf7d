"""The lines of ``saliency.jsonl``: for one text each, what its words add to the victim's answer."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from hardtext import records, runs, text
from hardtext.core import Attempt, InputError, Piece, Segments
from hardtext.text import Word

FILE = "saliency.jsonl"
_REMEDY = "overwrite=true with the same command of task=saliency explains the texts again"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Explained:
    """One text. ``target``: the class whose logit is explained; ``label`` is −1 where nobody knows it.

    ``pieces``: the words and marks of ``text.words`` that the victim read, each with what it adds to the logit;
    ``special``: what the pieces that stand for no characters add together; ``read``: how many characters of each segment
    the victim reads. ``gap`` is the completeness gap of integrated gradients. ``comprehensiveness`` and
    ``sufficiency`` are None unless ``saliency.checks``; those of randomly chosen words are ``…_random``.
    ``settings``: a digest of what the values depend on; rows of two runs differ in it.
    """

    id: str
    method: str
    target: int
    label: int
    prediction: int
    probs: list[float]
    segments: Segments
    pieces: tuple[Piece, ...]
    special: float
    read: tuple[int, ...]
    gap: float | None = None
    comprehensiveness: float | None = None
    sufficiency: float | None = None
    comprehensiveness_random: float | None = None
    sufficiency_random: float | None = None
    settings: str = ""

    @property
    def truncated(self) -> bool:
        return any(n < len(segment.rstrip()) for n, segment in zip(self.read, self.segments))

    def words(self) -> list[tuple[Word, float]]:
        """The words (no marks) that were read, with their values, in reading order."""
        return [(word, value) for word, value in self.words_and_marks() if word.is_word]

    def words_and_marks(self) -> list[tuple[Word, float]]:
        return [(Word(self.segments[segment][start:end], segment, start, end), value)
                for segment, start, end, value in self.pieces]

    def to_row(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Explained:
        """The inverse of ``to_row``. Raises InputError for anything else."""
        if set(row) != {f.name for f in fields(cls)}:
            raise InputError("not a line of saliency.jsonl: missing or unknown "
                             + ", ".join(sorted(set(row) ^ {f.name for f in fields(cls)})))
        try:
            segments = tuple(str(segment) for segment in row["segments"])
            pieces = tuple((int(s), int(a), int(b), float(value)) for s, a, b, value in row["pieces"])
            read = tuple(int(n) for n in row["read"])
        except (TypeError, ValueError) as error:
            raise InputError("not a line of saliency.jsonl: expected segments, read and pieces "
                             "[segment, start, end, value]") from error
        if any(not (0 <= s < len(segments) and 0 <= a <= b <= len(segments[s])) for s, a, b, _ in pieces):
            raise InputError(f"not a line of saliency.jsonl: a piece lies outside the text {row['id']!r}")
        if len(read) != len(segments):
            raise InputError(f"not a line of saliency.jsonl: read has {len(read)} numbers for {len(segments)} segments")
        if wrong := [name for name, fits in _FITS.items() if not fits(row[name])]:
            raise InputError(f"not a line of saliency.jsonl: {wrong[0]} is {str(row[wrong[0]])[:40]!r}")
        if not all(0 <= row[name] < len(row["probs"]) for name in ("target", "prediction")):
            raise InputError("not a line of saliency.jsonl: target and prediction are to be classes, which the "
                             f"{len(row['probs'])} numbers of probs belong to")
        return cls(**{**row, "segments": segments, "pieces": pieces, "read": read})


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_FITS = {**dict.fromkeys(("id", "method", "settings"), lambda value: isinstance(value, str)),
         **dict.fromkeys(("target", "label", "prediction"), _is_index), "special": _is_number,
         "probs": lambda value: isinstance(value, list) and all(map(_is_number, value)),
         **dict.fromkeys(("gap", "comprehensiveness", "sufficiency", "comprehensiveness_random", "sufficiency_random"),
                         lambda value: value is None or _is_number(value))}
"""What the other fields of a row hold."""


def visible(words: str) -> str:
    """The text without what a terminal or a page would obey or choke on: lone surrogates and control characters.

    >>> visible("a\\x1b[31mb\\x00")
    'a�[31mb�'
    """
    return _CONTROL.sub("\ufffd", text.readable(words))


def read(path: Path) -> list[Explained]:
    """The rows of a file, in its order. Raises InputError with file, line and remedy for a damaged one."""
    found = []
    try:
        for number, row in enumerate(records.read_rows(path), 1):
            try:
                found.append(Explained.from_row(row))
            except InputError as error:
                raise InputError(f"{path}, line {number}: {error}") from error
    except InputError as error:
        raise InputError(f"{error}; {_REMEDY}") from error
    return found


def of_attempts(attempts: list[Attempt]) -> dict[str, list[Piece]]:
    """What ``task=saliency`` has said under ``runs/evaluate/saliency`` about the originals of an attack, by id.

    Rows of the same domain and victim whose text is the original, letter for letter; where several methods or seeds have
    explained one text, the folder that comes last in alphabetical order is taken.
    """
    if not attempts:
        return {}
    originals = {attempt.id: tuple(map(text.readable, attempt.original)) for attempt in attempts}
    folder = runs.evaluate_folder("saliency", attempts[0].domain, attempts[0].victim)
    files = records.files_below(folder, FILE) if folder.is_dir() else []
    return {row.id: list(row.pieces) for file in files for row in read(file)
            if originals.get(row.id) == tuple(map(text.readable, row.segments))}
