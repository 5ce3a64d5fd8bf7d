"""Which words of a text became which: the alignment that flags and ``preserved`` are read from. Pure functions.

Words are aligned by how they look to a reader: case, accents, look-alike letters and characters that are not drawn make
no difference, nor does a space inside a word ("bes t" for "best").
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from hardtext import text
from hardtext.core import Segments
from hardtext.lexicon.homoglyphs import skeleton
from hardtext.text import SEPARATOR, Word

Stretch = tuple[Sequence[Word], Sequence[Word], bool]
"""Words of the original, words of the adversarial text, and whether a reader takes one for the other."""

_MOST_CELLS = 2_500


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of words that became another: ``old`` is empty for an insertion, ``new`` for a deletion.

    ``before`` and ``after`` are the stretches as they are written. ``alike``: a reader takes one for the other.
    """

    segment: int  # of the original
    old: tuple[Word, ...]
    new: tuple[Word, ...]
    before: str
    after: str
    alike: bool


def word_edits(original: Segments, adversarial: Segments) -> list[Edit]:
    """The edits that make one text of the other, in reading order. Words that are the same letter for letter are none,
    nor is white space between words. A pair whose separator is broken is compared in its joined form.

    >>> [(e.before, e.after, e.alike) for e in word_edits(("He won 2 of the best.",), ("He w0n caps of bes t .",))]
    [('won', 'w0n', True), ('2', 'caps', False), ('the', '', False), ('best', 'bes t', True)]
    """
    return [edit for segment, old, new in _compared(original, adversarial) for edit in _edits(segment, old, new)]


def mended(original: Segments, adversarial: Segments) -> list[tuple[str, str]]:
    """(original, adversarial) of each segment, what a reader takes for the original's words put back: what still differs
    has changed for a reader. A pair whose separator is broken is one joined text.

    >>> mended(("The best film",), ("The bеs t movie",))
    [('The best film', 'The best movie')]
    """
    result = []
    for segment, old, new in _compared(original, adversarial):
        back = {Word(edit.after, 0, edit.new[0].start, edit.new[-1].end): edit.before
                for edit in _edits(segment, old, new) if edit.alike}
        result.append((old, text.replace((new,), back)[0]))
    return result


def is_broken(original: Segments, adversarial: Segments) -> bool:
    """Whether the joined text holds the separator more or less often than the original's, so that it is cut elsewhere."""
    return len(original) == 2 and text.separator_count(original) != text.separator_count(adversarial)


@lru_cache(maxsize=100_000)
def look(word: str) -> str:
    """What a reader sees of a word: two words of one look are taken for one another.

    >>> look("Сafé") == look("cafe"), look("W0N") == look("won"), look("\\u200b")
    (True, True, '')
    """
    return skeleton(without_accents(skeleton(word.lower()))).lower()


def without_accents(word: str) -> str:
    """The word without combining marks, in compatibility form: letters drawn in another style become plain ones.

    >>> without_accents("ｃafé"), without_accents("𝟐𝟎")
    ('cafe', '20')
    """
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


def _compared(original: Segments, adversarial: Segments) -> list[tuple[int | None, str, str]]:
    """(segment, old, new); the segment is None for a joined pair."""
    if len(original) == len(adversarial) and not is_broken(original, adversarial):
        return [(i, old, new) for i, (old, new) in enumerate(zip(original, adversarial))]
    return [(None if len(original) == 2 else 0, text.join(original), text.join(adversarial))]


def _edits(segment: int | None, old: str, new: str) -> Iterator[Edit]:
    cut = old.rfind(SEPARATOR) if segment is None else 0
    at = 0
    for before, after, alike in _stretches(_drawn(old), _drawn(new)):
        at = before[0].start if before else at
        if not alike or _slice(old, before) != _slice(new, after):
            place = int(at > cut) if segment is None else segment
            yield Edit(place, tuple(before), tuple(after), _slice(old, before), _slice(new, after), alike)
        at = before[-1].end if before else at


def _drawn(segment: str) -> list[Word]:
    """The words and marks of a segment; characters that are not drawn are neither."""
    return [word for word in text.words(segment) if look(word.text)]


def _slice(segment: str, words: Sequence[Word]) -> str:
    return segment[words[0].start : words[-1].end] if words else ""


def _stretches(old: Sequence[Word], new: Sequence[Word]) -> Iterator[Stretch]:
    """The whole of both texts, stretch by stretch: equal words one by one, what is between them as ``_region`` cuts it."""
    start_old = start_new = 0
    blocks = Levenshtein.opcodes([look(w.text) for w in old], [look(w.text) for w in new]).as_matching_blocks()
    for block in blocks:  # the last one is empty and stands at the ends
        yield from _region(old[start_old : block.a], new[start_new : block.b])
        for i in range(block.size):
            yield old[block.a + i : block.a + i + 1], new[block.b + i : block.b + i + 1], True
        start_old, start_new = block.a + block.size, block.b + block.size


def _region(old: Sequence[Word], new: Sequence[Word]) -> Iterator[Stretch]:
    """A region without a common word, cut where least is changed: a word deleted or inserted costs 1, one replaced 1 less
    half of how similar the two are (a mark is never a word's), words that look alike but for the spaces in them nothing.

    A rewritten passage of more than ``_MOST_CELLS`` word pairs is one stretch.
    """
    if not old and not new:
        return
    if not old or not new or len(old) * len(new) > _MOST_CELLS:
        yield old, new, False
        return
    # best[i][j]: (cost of what follows old[i:] and new[j:], words taken of each, alike)
    best: list[list[tuple[float, int, int, bool]]] = [[(0.0, 0, 0, False)] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old), -1, -1):
        for j in range(len(new), -1, -1):
            ways = [(1 + best[i + 1][j][0], 1, 0, False)] if i < len(old) else []
            if j < len(new):
                ways.append((1 + best[i][j + 1][0], 0, 1, False))
            if i < len(old) and j < len(new):
                a, b = old[i], new[j]
                if a.is_word == b.is_word:
                    alike = _alike(a.text, b.text)
                    cost = 0.0 if alike else 1 - Levenshtein.normalized_similarity(look(a.text), look(b.text)) / 2
                    ways.append((cost + best[i + 1][j + 1][0], 1, 1, alike))
                if taken := _same_letters(old[i:], new[j:]):
                    ways.append((best[i + taken[0]][j + taken[1]][0], *taken, True))
            if ways:
                best[i][j] = min(ways, key=lambda way: way[0])
    i = j = 0
    while i < len(old) or j < len(new):
        _, m, n, alike = best[i][j]
        yield old[i : i + m], new[j : j + n], alike
        i, j = i + m, j + n


def _same_letters(old: Sequence[Word], new: Sequence[Word]) -> tuple[int, int] | None:
    """How many words at the start of each side, as few as can be, look the same without spaces; None where none do."""
    i = j = 1
    first, second = look(old[0].text), look(new[0].text)
    while first != second:
        if len(first) < len(second) and second.startswith(first) and i < len(old):
            first, i = first + look(old[i].text), i + 1
        elif len(second) < len(first) and first.startswith(second) and j < len(new):
            second, j = second + look(new[j].text), j + 1
        else:
            return None
    return i, j


def _alike(old: str, new: str) -> bool:
    """For two words of different look. "heIlo": an I in place of an l, which is one only before it is lower-cased.
    "20ⅰ0": a few letters of other alphabets, where the confusables do not list what they were put for."""
    if skeleton(old).lower() == skeleton(new).lower():
        return True
    if len(old) != len(new) or len(old) < 3 or not old.isascii():
        return False
    foreign = [b for a, b in zip(old, new) if look(a) != look(b)]
    return (len(foreign) <= len(old) // 3
            and all(not c.isascii() and unicodedata.decimal(c, None) is None for c in foreign))
