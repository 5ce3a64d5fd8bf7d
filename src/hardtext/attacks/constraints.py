"""What a word attack may change and into what, by rules that all word attacks share.

An attack has its own rules (its paper's); the user's ``attack.constraints.*`` go over them one by one.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Optional

import numpy

from hardtext import text
from hardtext.attacks import ties, typed
from hardtext.attacks.requests import Similar
from hardtext.core import InputError
from hardtext.lexicon import wordnet
from hardtext.lexicon.function_words import is_content
from hardtext.lexicon.names import names

if TYPE_CHECKING:
    from hardtext.attacks.base import Target
    from hardtext.attacks.search import Edits

KINDS = ("numbers", "names", "urls")

NEIGHBOURLY = 0.85
"""Least cosine of the bundled sentence encoder, window of 15 words, in place of the 0.7 that papers use with the Universal
Sentence Encoder. One word of a PR sentence replaced by one of its 3 nearest counter-fitted neighbours, by a random content
word of the same sentences: 0.7 keeps 100 % and 94 % of such texts, 0.8 98 % and 84 %, 0.85 96 % and 75 %, 0.9 87 % and 62 %
(12 sentences, 480 texts). 0.85 is the largest step of 0.05 that keeps 95 % of the neighbours."""

_NUMBER_WORDS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundreds? thousands? millions?
    billions? trillions? dozens? half quarter first third twice thrice double triple""".split()
_NUMBER = re.compile(rf"\d+(?:[.,:/-]\d+)*|\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_URL = re.compile(  # with a scheme or www, an e-mail address, a bare host name under a common domain
    r"(?:https?://|www\.)\S+"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w.-])(?:[\w-]+\.)+(?:com|org|net|gov|edu|int|info|news|co|uk|eu|de|fr|ru|cn|io|tv|me|ly)\b(?:/\S*)?",
    re.IGNORECASE)


@dataclass
class Constraints:
    """Settings; null means the attack's own rule, and each rule says how it is turned off.

    ``stop_words``: function words stay, and none is put in (off: false). ``part_of_speech``: a replacement can be the
    same part of speech in the same form (off: false). ``antonyms``: no opposite is put in (off: false).
    ``similarity``: least cosine of the sentence embeddings of old and new text, -1 to 1 (off: -1).
    ``similarity_window``: words around the change that are compared (the whole text: 0).
    ``max_changed``: share of the words that may change, at least one word (off: 1).
    ``protect``: what stays, of ``numbers`` (figures and number words), ``names`` (see ``names``) and ``urls`` (addresses,
    e-mail too) (off: an empty list).
    ``protect_pattern``: a regular expression; what it matches stays (off: an empty string).
    """

    stop_words: Optional[bool] = None
    part_of_speech: Optional[bool] = None
    antonyms: Optional[bool] = None
    similarity: Optional[float] = None
    similarity_window: Optional[int] = None
    max_changed: Optional[float] = None
    protect: Optional[list[str]] = None
    protect_pattern: Optional[str] = None

    def __post_init__(self) -> None:
        typed.check(self, "attack.constraints")
        if self.similarity is not None and not -1 <= self.similarity <= 1:
            raise InputError(f"{_key('similarity')}={self.similarity}: expected a cosine from -1 (off) to 1")
        if self.similarity_window is not None and self.similarity_window < 0:
            raise InputError(f"{_key('similarity_window')}={self.similarity_window}: expected a number of words, "
                             f"or 0 for the whole text")
        if self.max_changed is not None and not 0 < self.max_changed <= 1:
            raise InputError(f"{_key('max_changed')}={self.max_changed}: expected a share of the words, "
                             f"above 0 and at most 1")
        for kind in self.protect or ():
            if kind not in KINDS:
                raise InputError(f"{_key('protect')}={kind}: expected some of {', '.join(KINDS)}")
        try:
            re.compile(self.protect_pattern or "")
        except (re.error, OverflowError) as error:
            raise InputError(f"{_key('protect_pattern')}={self.protect_pattern}: not a regular expression "
                             f"({error})") from error

    def over(self, own: Constraints) -> Constraints:
        """These rules, and ``own`` where they say nothing. In the result null is the same as off."""
        return replace(own, **self._said())

    def check_unused(self, attack: str, *names: str) -> None:
        """Refuse rules (all of them, or ``names``) that ``attack`` would ignore."""
        for name, value in self._said().items():
            if not names or name in names:
                raise InputError(f"{_key(name)}={value}: {attack} does not use it; "
                                 f"leave it out or choose another variant")

    def _said(self) -> dict[str, object]:
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) is not None}

    def changeable(self, target: Target, marks: bool = False) -> list[text.Word]:
        """The words that may change, in reading order: they hold a letter, and begin where the victim still reads.

        With ``marks``, figures and marks are among them.
        """
        words = [w for w in text.words(target.segments) if w.start < target.visible[w.segment]]
        words = [w for w in words if (is_content(w.text) if self.stop_words else any(map(str.isalpha, w.text)))
                 or (marks and not any(map(str.isalpha, w.text)))]
        if not self.protect and not self.protect_pattern:
            return words
        kept = [bytearray(len(segment)) for segment in target.segments]  # 1: a character that stays
        for marks, segment in zip(kept, target.segments, strict=True):
            for start, end in self._protected(segment):
                marks[start:end] = b"\1" * (end - start)
        return [w for w in words if not any(kept[w.segment][w.start:w.end])]

    def _protected(self, segment: str) -> Iterator[tuple[int, int]]:
        protect = self.protect or ()
        if "names" in protect:
            yield from names(segment, cautious=True)
        patterns = [_NUMBER] * ("numbers" in protect) + [_URL] * ("urls" in protect)
        if self.protect_pattern:
            patterns.append(re.compile(self.protect_pattern))
        for pattern in patterns:
            yield from (match.span() for match in pattern.finditer(segment))

    def fitting(self, word: str, candidates: Iterable[str]) -> list[str]:
        """The candidates that may take the place of ``word``, each once, in their order."""
        found = list(dict.fromkeys(c for c in candidates if c.lower() != word.lower()))
        if self.stop_words:
            found = [c for c in found if is_content(c)]
        if self.part_of_speech:
            found = [c for c in found if wordnet.same_form(word, c)]
        if self.antonyms:
            opposites = wordnet.antonyms(word)
            found = [c for c in found if c.lower() not in opposites]
        return found

    def limit(self, target: Target) -> int:
        """How many words may change: at least one."""
        count = sum(w.is_word for w in text.words(target.segments))
        return count if self.max_changed is None else max(1, int(self.max_changed * count))

    def similar(self, target: Target, changes: Sequence[Edits], place: text.Word,
                ) -> Generator[Similar, numpy.ndarray, tuple[list[int], numpy.ndarray]]:
        """Which of the changed texts mean nearly the same as the original around ``place``, a word of the original.

        Returns their positions in ``changes`` and the cosine of each; where nothing is compared all stay, with 1.
        Every text is compared with the original, never with an earlier change, and by the same threshold whatever its
        length: what one example is allowed cannot depend on another.
        """
        if not changes or self.similarity is None or self.similarity == -1:
            return list(range(len(changes))), numpy.ones(len(changes))
        cosines = yield Similar(tuple(self._around(target, edits, place) for edits in changes))
        kept = [i for i, cosine in enumerate(cosines) if not ties.below(cosine, self.similarity)]
        return kept, cosines[kept]

    def _around(self, target: Target, edits: Edits, place: text.Word) -> tuple[str, str]:
        """The original and the changed text, both cut to the window around ``place``."""
        segments = target.segments
        if not self.similarity_window:
            return text.join(segments), text.join(text.replace(segments, edits))
        segment = segments[place.segment]
        start, end = _window(segment, place, self.similarity_window)
        inside = {w: new for w, new in edits.items() if w.segment == place.segment and w.start < end and w.end > start}
        start, end = min([start, *(w.start for w in inside)]), max([end, *(w.end for w in inside)])
        changed = text.replace(segments, inside)[place.segment]
        return segment[start:end], changed[start:len(changed) - (len(segment) - end)]


def _key(name: str) -> str:
    return f"attack.constraints.{name}"


@lru_cache(maxsize=256)  # asked for each word of a text, and there are about as many texts in flight
def _spans(segment: str) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Where the words of a segment (no marks) start and end."""
    words = [w for w in text.words(segment) if w.is_word]
    return numpy.array([w.start for w in words], int), numpy.array([w.end for w in words], int)


def _window(segment: str, place: text.Word, width: int) -> tuple[int, int]:
    """The span of ``width`` words with ``place`` in the middle, moved inwards where the text ends."""
    starts, ends = _spans(segment)
    if not starts.size:
        return place.start, place.end
    at = int(numpy.searchsorted(ends, place.end))
    first = max(0, min(at - width // 2, len(starts) - width))
    last = min(first + width, len(starts)) - 1
    return int(starts[first]), int(ends[last])


def whole_word(piece: str) -> bool:
    """Whether a masked LM's piece can stand as a content word: no inner piece, letter, mark, figure or special token.

    >>> [p for p in ["##ing", "x", "[UNK]", "7", "the", "lie"] if whole_word(p)]
    ['lie']
    """
    return len(piece) > 1 and piece.isalpha() and is_content(piece)
