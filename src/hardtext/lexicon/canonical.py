"""Text as it was before somebody tampered with its characters: what a classifier should read.

Four steps, each of which leaves honest text as it is, in any script:

1. ``unseen``: zero-width, bidirectional and other characters that are not drawn go (joiners stay where a script or an
   emoji needs them), and combining marks that no language stacks.
2. ``compatible``: Unicode's compatibility form (NFKC): full-width, bold, superscript letters become plain ones.
3. ``lookalikes``: a letter of another script becomes the Latin one it looks like, where scripts are mixed within a word,
   or where a whole word of look-alikes stands in Latin text and reads as a known word; likewise digits, I and | in place
   of letters, where the word becomes a known one.
4. ``split`` and ``spelling``: words torn apart are joined, unknown words are taken for the known word that is one or two
   edits away. Only in English text; words in capitals stay, and a capitalised one needs to be closer, since it may be a name.

>>> Canonicaliser()("The gоvеrnment lied\\u200b, and the med ia wсre siIent about it: wonderfull.")
'The government lied, and the media were silent about it: wonderful.'
>>> Canonicaliser()("Привет, мир! Το νερό είναι κρύο. 👩‍👩‍👧 नमस्ते क्ष")
'Привет, мир! Το νερό είναι κρύο. 👩‍👩‍👧 नमस्ते क्ष'
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from hardtext.lexicon import homoglyphs
from hardtext.lexicon.spelling import Spelling
from hardtext.text import match_case

STEPS = ("unseen", "compatible", "lookalikes", "split", "spelling")

_JOINERS = "\u200c\u200d"
_WORD = re.compile(r"[^\W_]+(?:['’|][^\W_]+)*")
_ODD_INSIDE = re.compile(r"[a-z].*[0-9I|$]|[0-9|$].*[a-z]")
_LETTERS = str.maketrans("0134578I|$", "oleastblls")
_STACKED = re.compile(r"(?<=\w)[\u0300-\u036f]{3,}")  # more combining marks than any orthography puts on one letter
_LATIN_SHARE = 0.5
_UNKNOWN_SHARE = 0.6


class Canonicaliser:
    """A pure function of the text. ``steps``: which of ``STEPS``; ``own``: words of one's own texts, which count as known."""

    def __init__(self, own: Iterable[str] = (), steps: Iterable[str] = STEPS) -> None:
        self.steps = tuple(step for step in STEPS if step in set(steps))
        self.spelling = Spelling(own)

    def __call__(self, text: str) -> str:
        if "unseen" in self.steps:
            text = seen(text)
        if "compatible" in self.steps:
            text = unicodedata.normalize("NFKC", text)
        if "lookalikes" in self.steps:
            text = self._latin(text)
        if not {"split", "spelling"} & set(self.steps) or not _mostly_latin(text):
            return text
        if "split" in self.steps:
            text = self._joined(text)
        return self._spelled(text) if "spelling" in self.steps else text

    def _latin(self, text: str) -> str:
        """Look-alikes of Latin letters put back."""
        latin = _mostly_latin(text)

        def back(match: re.Match[str]) -> str:
            word = match.group()
            if word.isascii():
                return self._letters(word)
            plain = "".join(_prototypes().get(c, c) for c in word)
            if plain == word or not plain.isascii():
                return word
            mixed = any(_script(c) == "LATIN" or c.isdigit() for c in word) and any(_script(c) != "LATIN" for c in word)
            return plain if mixed or (latin and self.spelling.known(plain)) else word

        return _WORD.sub(back, text)

    def _letters(self, word: str) -> str:
        """``word`` (ASCII) with the letters that its digits, I and | stand for, where that makes it a known one."""
        if not _ODD_INSIDE.search(word) or self.spelling.known(word):
            return word
        plain = word.translate(_LETTERS)
        return plain if self.spelling.known(plain) else word

    def _joined(self, text: str) -> str:
        """Neighbours separated by one space that are halves of a word, joined; up to as many as a word has letters."""
        words = list(_WORD.finditer(text))
        parts: list[str] = []
        end, index = 0, 0
        while index < len(words):
            joined, last = words[index].group(), index
            # All reaches up to five pieces are tried, the farthest first: "p o l l" has no known word on the way.
            for reach in range(min(index + 5, len(words) - 1), index, -1):
                pieces = [w.group() for w in words[index : reach + 1]]
                gaps = {text[a.end() : b.start()] for a, b in zip(words[index:reach], words[index + 1 : reach + 1])}
                whole = "".join(pieces)
                if gaps == {" "} and whole.isalpha() and all(p.islower() for p in pieces[1:]) and self._torn(pieces):
                    joined, last = whole, reach
                    break
            parts += text[end : words[index].start()], joined
            end, index = words[last].end(), last + 1
        return "".join((*parts, text[end:]))

    def _torn(self, pieces: list[str]) -> bool:
        if len(pieces) == 2:
            return self.spelling.halves(*pieces)
        return all(not self.spelling.known(p) or len(p) == 1 for p in pieces) and self.spelling.known("".join(pieces))

    def _spelled(self, text: str) -> str:
        words = {word.group() for word in _WORD.finditer(text)}
        if sum(not self.spelling.known(word) for word in words) > _UNKNOWN_SHARE * len(words):
            return text  # not English

        def repaired(match: re.Match[str]) -> str:
            word = match.group()
            if not (word.islower() or word.istitle()):  # an acronym, or somebody shouting
                return word
            meant = self.spelling.repaired(word, word.istitle())
            return word if meant is None else match_case(meant, word)

        return _WORD.sub(repaired, text)


def seen(text: str) -> str:
    """Without the characters that are not drawn. Joiners stay between letters of scripts other than Latin, and in emoji.

    >>> seen("te\\u200bam \\u202eabc\\u202c so\\u0301\\u0302\\u0303\\u0304")
    'team abc so'
    """
    if text.isascii():
        return text
    kept = []
    for index, c in enumerate(text):
        if homoglyphs.UNSEEN.match(c):
            before, after = text[index - 1 : index], text[index + 1 : index + 2]
            needed = c in _JOINERS and before and after and not (before + after).isascii() and "LATIN" not in (
                _script(before), _script(after))
            variation = "\ufe00" <= c <= "\ufe0f" and before and not before.isalnum()  # the emoji form of a sign
            if not (needed or variation):
                continue
        kept.append(c)
    return _STACKED.sub("", "".join(kept))


@lru_cache(maxsize=4_096)
def _script(character: str) -> str:
    """The first word of the character's Unicode name ("LATIN", "CYRILLIC", "GREEK"); "" of one without a name."""
    return unicodedata.name(character, "").partition(" ")[0]


def _mostly_latin(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return not letters or sum(_script(c) == "LATIN" for c in letters) > _LATIN_SHARE * len(letters)


@lru_cache(maxsize=1)
def _prototypes() -> dict[str, str]:
    """Every character that looks like a Latin letter, with the letter. Of a character that looks like several the
    letter of its own outline wins; l wins over I and 1."""
    found: dict[str, str] = {}
    letters = "labcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNOPQRSTUVWXYZI"
    ranked = [(rank, letter, c) for letter in letters for rank, c in enumerate(homoglyphs.of(letter)) if not c.isascii()]
    for _, letter, c in sorted(ranked, key=lambda item: item[0]):
        found.setdefault(c, letter)
    return found
