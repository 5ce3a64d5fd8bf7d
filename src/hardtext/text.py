"""Words with offsets, and the joined form of a pair. Pure functions.

A word-level attack edits a word's span and leaves every other byte of the text as it was;
``Words.replace`` is the only way it does so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hardtext.core import InputError, Segments

SEPARATOR = " ~ "
"""How BODEGA joins a pair into one string (Przybyła et al. 2023); only files and plain callables see this form."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def readable(text: str) -> str:
    """The text with U+FFFD for each lone surrogate: half a character, which no tokenizer takes."""
    return _LONE_SURROGATE.sub("\ufffd", text)


_WORD = re.compile(
    r"[^\W_]+(?:\.[^\W_]+)+\.?(?=\W|$)"  # U.S.  e.g.  3.5  example.com
    r"|[^\W_]+(?:['’\-_&@/][^\W_]+)*"    # don't  well-known  slovakia_slota  and/or
    r"|_+"
    r"|[^\w\s]",                          # each other mark by itself
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a mark: ``segment`` and ``start:end`` say where it stands."""

    text: str
    segment: int
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether it holds a letter or digit (a mark does not)."""
        return any(c.isalnum() for c in self.text)


def words(segments: Segments | str) -> list[Word]:
    """The words and marks of a text, in reading order.

    >>> [w.text for w in words("Many older U.S. adults don't, e.g. 'CCC' at 3.5%.")]
    ['Many', 'older', 'U.S.', 'adults', "don't", ',', 'e.g.', "'", 'CCC', "'", 'at', '3.5', '%', '.']
    """
    if isinstance(segments, str):
        segments = (segments,)
    return [Word(m.group(), i, m.start(), m.end()) for i, s in enumerate(segments) for m in _WORD.finditer(s)]


def space_words(segments: Segments | str) -> list[Word]:
    """Runs of non-space characters, as the published BERT-ATTACK splits a text.

    >>> [w.text for w in space_words("said  that, twice")]
    ['said', 'that,', 'twice']
    """
    if isinstance(segments, str):
        segments = (segments,)
    return [Word(m.group(), i, m.start(), m.end()) for i, s in enumerate(segments) for m in re.finditer(r"\S+", s)]


def replace(segments: Segments, edits: dict[Word, str]) -> Segments:
    """The text with each word of ``edits`` replaced; everything else stays byte for byte.

    >>> t = ("It is  bad, bad.",)
    >>> replace(t, {words(t)[2]: "poor"})
    ('It is  poor, bad.',)
    """
    parts: list[list[str]] = [[] for _ in segments]
    ends = [0] * len(segments)
    for word in sorted(edits, key=_place):
        parts[word.segment] += segments[word.segment][ends[word.segment] : word.start], edits[word]
        ends[word.segment] = word.end
    return tuple("".join((*part, segment[end:])) for part, segment, end in zip(parts, segments, ends, strict=True))


def _place(word: Word) -> tuple[int, int]:
    return word.segment, word.start


def match_case(replacement: str, original: str) -> str:
    """The replacement in the capitalisation of the word it replaces.

    >>> match_case("poor", "Bad"), match_case("poor", "BAD"), match_case("Iran", "bad"), match_case("he", "I")
    ('Poor', 'POOR', 'Iran', 'He')
    """
    if len(original) > 1 and original.isupper():
        return replacement.upper()
    if original[:1].isupper():
        return replacement[:1].upper() + replacement[1:]
    return replacement


def join(segments: Segments) -> str:
    """The one-string form of a text: the segment itself, or a pair joined by ' ~ '."""
    return SEPARATOR.join(segments)


def separator_count(segments: Segments) -> int:
    """How often the joined form holds the separator; more than ``len(segments) - 1`` means it cannot be split back."""
    return join(segments).count(SEPARATOR)


def split(text: str, pair: bool) -> Segments:
    """The inverse of ``join``. Raises InputError where a pair's text does not hold the separator exactly once.

    >>> split("the evidence ~ the claim", pair=True)
    ('the evidence', 'the claim')
    """
    if not pair:
        return (text,)
    parts = text.split(SEPARATOR)
    if len(parts) != 2:
        raise InputError(f"a pair must hold {SEPARATOR!r} exactly once, found {len(parts) - 1} times in {text[:60]!r}")
    return tuple(parts)
