"""Text as it was before somebody tampered with its characters: what a classifier should read.

Five steps, each of which leaves honest text as it is, in any script:

1. ``unseen``: zero-width, bidirectional and other characters that are not drawn go (joiners stay where a script or an
   emoji needs them, direction marks in right-to-left text), text written backwards under an override is turned round,
   and so do combining marks that no language stacks.
2. ``compatible``: full-width, bold, circled … Latin letters and digits become plain ones (those that NFKC takes to ASCII),
   marks are composed (NFC). "…", "½", "™", "x²" stay: tokenizers know them, and honest writers use them.
3. ``lookalikes``: a letter of another script becomes the Latin one it looks like, where scripts are mixed within a word,
   or where a whole word of look-alikes stands in Latin text and reads as a known word; likewise digits, I, l and | in
   place of letters, where the word becomes a known one.
4. ``split``: words torn apart are joined.
5. ``spelling``: unknown words are taken for the known word that is one or two edits away; a capitalised one needs to be
   closer, since it may be a name.

The last two only in English text, and never in addresses, handles, hashtags and identifiers. Words in capitals are not
spelled over. The steps are repeated until nothing changes.

>>> Canonicaliser()("The gоvеrnment lied\\u200b, and the med ia wсre siIent about it: wonderfull.")
'The government lied, and the media were silent about it: wonderful.'
>>> Canonicaliser()("Привет, мир! Το νερό είναι κρύο. 👩‍👩‍👧 नमस्ते क्ष")
'Привет, мир! Το νερό είναι κρύο. 👩‍👩‍👧 नमस्ते क्ष'
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial

from hardtext.lexicon import homoglyphs
from hardtext.lexicon.spelling import Spelling
from hardtext.text import match_case

STEPS = ("unseen", "compatible", "lookalikes", "split", "spelling")

PASSES = 8  # one or two are usual; hardly any text needs three
_LATIN_SHARE = 0.5
_UNKNOWN_SHARE = 0.25  # of the words; in text with words that hardly any other language has, more
_UNKNOWN_SHARE_ENGLISH = 0.6
_ENGLISH = frozenset("the of and to that with for this from they his which their are have has it by as were would not "
                     "you".split())
_PIECES = 5  # a word is looked for in up to so many
_KEPT = (r"(?:https?://|www\.)\S+"  # an address,
         r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # of e-mail too,
         r"|[@#]\w+"  # a handle, a hashtag,
         r"|[^\W_]*_\w*"  # an identifier,
         r"|[\w-]+(?:\.[a-z][\w-]*)+(?:/\S*)?")  # the name of a file or a machine
_WORD = re.compile(rf"(?P<kept>{_KEPT})|[^\W_]+(?:['’][^\W_]+)*")
_GAP = re.compile(r"[^\S\n]")
_LEADING_I = ("lt", "ln", "lf", "ls")
_LONE_I = re.compile(r"(?:.*\w\w.|.*\W\W|\W?)l(?:['’](?:m|ve|d|ll)\b.*| [a-z]{2}.*)", re.S)  # not the last of "p o l l"
_AS_LOWER = str.maketrans("0134578I|$", "oleastblls"), str.maketrans("0134578|$", "oieastbis")
_DRAWN_ALIKE = str.maketrans("", "", "0123456789l|$")
_AS_CAPITALS = str.maketrans("0134578l|$", "OIEASTBIIS")


class Canonicaliser:
    """A pure function of the text. ``steps``: which of ``STEPS``; ``own``: words of one's own texts, which count as known."""

    def __init__(self, own: Iterable[str] = (), steps: Iterable[str] = STEPS) -> None:
        wanted = set(steps)
        self.steps = tuple(step for step in STEPS if step in wanted)
        self.spelling = Spelling(own)
        self._step = lru_cache(maxsize=10_000)(self._once)  # an attack's texts come back to few, each to be settled once

    def __call__(self, text: str) -> str:
        for _ in range(PASSES):
            if (new := self._step(text)) == text:
                break
            text = new
        return text

    def _once(self, text: str) -> str:
        if "unseen" in self.steps:
            text = seen(text)
        if "compatible" in self.steps:
            text = compatible(text)
        latin = _mostly_latin(text)
        if "lookalikes" in self.steps:
            text = self._latin(text, latin)
        if not latin or not {"split", "spelling"} & set(self.steps):
            return text
        if "split" in self.steps:
            text = self._joined(text)
        return self._spelled(text) if "spelling" in self.steps else text

    def _latin(self, text: str, latin: bool) -> str:
        """Look-alikes of Latin letters put back. ``latin``: whether the text is mostly of those."""
        if text.isascii():
            return _runs().sub(self._letters, text) if latin else text
        honest = {script for run in _runs().findall(text) for script in _honest(run)}
        english = not _ENGLISH.isdisjoint(text.lower().split())
        return _runs().sub(partial(self._back, latin, english, honest), text)

    def _back(self, latin: bool, english: bool, honest: set[str], match: re.Match[str]) -> str:
        """``honest``: the scripts in which the text holds words that cannot be Latin ones."""
        run = match.group()
        foreign = [c for c in run if _foreign(c)]
        if not foreign:
            plain = "".join(_prototypes().get(c, c) for c in run)  # the Turkish ı in "cıtizen"
            if english and plain != run and self.spelling.known(plain):
                return plain
            return self._letters(match) if latin else run
        plain = "".join(_prototypes()[c] if _foreign(c) else c for c in run)
        if not all(c.isascii() or _script(c) == "LATIN" for c in plain):
            return run
        if plain[0] == "l" != run[0]:  # what looks like l looks like I too
            plain = max(plain, "I" + plain[1:], key=self.spelling.count)
        own = len(run) - len(foreign)
        if own and (latin or own >= len(foreign)):
            return plain if not _sum(foreign, len(run)) or self.spelling.known(plain) else run
        if not latin or own or honest & set(map(_script, foreign)):
            return run
        return plain if (len(run) == 1 and not _sum(foreign, 1)) or self.spelling.known(plain) and len(run) > 1 else run

    def _letters(self, match: re.Match[str]) -> str:
        """A run of Latin letters with those that its digits, I, l, | and $ stand for, where that makes it a better known
        word."""
        run = match.group()
        if run in _LEADING_I and match.string[match.end() : match.end() + 1] != ".":
            return "I" + run[1:]
        if run == "l" and _LONE_I.fullmatch(match.string[max(0, match.start() - 3) : match.end() + 5]):
            return "I"
        if run[0] == "I" and run[1:].islower() and not self.spelling.known(run) and self.spelling.known("l" + run[1:]):
            return "l" + run[1:]
        if run.isalpha() and (run.islower() or run.istitle()):
            return run
        if run.translate(_DRAWN_ALIKE).isupper() and len(run) > 2:
            choices = [run.translate(_AS_CAPITALS)]
        elif any(map(str.islower, run)):
            head, tail = (run[0], run[1:]) if run[0] == "I" else ("", run)
            choices = [head + tail.translate(table) for table in _AS_LOWER]
        else:
            return run
        best = max(choices, key=self.spelling.count)
        return best if best != run and self.spelling.count(best) > self.spelling.count(run) else run

    def _joined(self, text: str) -> str:
        """Neighbours separated by one space that are pieces of a word, joined; up to as many as a word has letters."""
        words = list(_WORD.finditer(text))
        parts: list[str] = []
        end, index = 0, 0
        while index < len(words):
            last = self._last_piece(text, words, index)
            if last > index:
                parts += text[end : words[index].start()], "".join(w.group() for w in words[index : last + 1])
                end = words[last].end()
            index = last + 1
        return "".join((*parts, text[end:]))

    def _last_piece(self, text: str, words: list[re.Match[str]], first: int) -> int:
        """The last of the words that are, together with ``first``, one word torn apart; ``first`` itself where none is."""
        pieces = [words[first].group()]
        if words[first].lastgroup or not pieces[0].isalpha():
            return first
        for last in range(first + 1, min(first + _PIECES, len(words))):
            if words[last].lastgroup or not _GAP.fullmatch(text, words[last - 1].end(), words[last].start()):
                break
            pieces.append(words[last].group())
            # Two words may be halves; more than two are pieces only where none of them is a word.
            if not pieces[-1].isalpha() or self._word(pieces[0]) or self._word(pieces[-1]):
                break
        # The farthest first: "p o l l" has no known word on the way.
        count = next((count for count in range(len(pieces), 1, -1) if self._torn(pieces[:count])), 1)
        return first if count == 2 and self._rather_next(text, words, first) else first + count - 1

    def _rather_next(self, text: str, words: list[re.Match[str]], first: int) -> bool:
        """Whether the second of two halves goes rather with the word behind it: "the bes t" is not "Thebes t"."""
        found = [word.group() for word in words[first : first + 3]]
        if len(found) < 3 or not _GAP.fullmatch(text, words[first + 1].end(), words[first + 2].start()):
            return False
        if not self._torn(found[1:]):
            return False
        return self.spelling.count(found[1] + _base(found[2])) > self.spelling.count(found[0] + found[1])

    def _word(self, piece: str) -> bool:
        return len(piece) > 1 and self.spelling.known(piece)

    def _torn(self, pieces: list[str]) -> bool:
        """Whether the pieces, of which the last may end in a possessive, are those of a known word, in one case."""
        *firsts, last = pieces
        base, _, ending = last.replace("’", "'").partition("'")  # "Tr ump's"
        if "'" in ending or not base.isalpha():
            return False
        if not (all(p.islower() for p in pieces[1:]) or all(p.isupper() for p in pieces)):
            return False
        if len(pieces) == 2:
            return self.spelling.halves(firsts[0], base)
        return not self._word(base) and self.spelling.known("".join(firsts) + base)

    def _spelled(self, text: str) -> str:
        words = {_base(match.group()) for match in _WORD.finditer(text) if not match.lastgroup}
        share = _UNKNOWN_SHARE if _ENGLISH.isdisjoint(map(str.lower, words)) else _UNKNOWN_SHARE_ENGLISH
        if sum(not self.spelling.known(word) for word in words) > share * len(words):
            return text  # not English

        def repaired(match: re.Match[str]) -> str:
            word = _base(match.group())
            # Not of acronyms, of somebody shouting, of names with accents.
            if match.lastgroup or not word.isascii() or not (word.islower() or word.istitle()):
                return match.group()
            meant = self.spelling.repaired(word, word.istitle())
            return match.group() if meant is None else match_case(meant, word) + match.group()[len(word):]

        return _WORD.sub(repaired, text)


def _base(word: str) -> str:
    """Without the ending of a possessive."""
    return word[:-2] if word.endswith(("'s", "’s")) else word


_FLAG = "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"  # of a part of a country
_OVERRIDDEN = re.compile("\u202e([^\u202a-\u202e\u2066-\u2069\n]*)\u202c?")
_FLAGS_AND_UNSEEN = re.compile(f"{_FLAG}|{homoglyphs.UNSEEN.pattern}")
_STACKED = re.compile(r"(?<=\w)[\u0300-\u036f]{3,}")  # more combining marks than any orthography puts on one letter
_UNSPACED = ("THAI", "LAO", "KHMER", "MYANMAR")  # scripts that mark the ends of words by a space without width
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a\u202b\u202c\u2066-\u2069]")


def seen(text: str) -> str:
    """The text as it is drawn: without the characters that are not drawn, and without stacks of combining marks.

    >>> seen("te\\u200bam \\u202eabc\\u202c so\\u0301\\u0302\\u0303\\u0304")
    'team cba so'
    """
    if text.isascii():
        return text
    text = _OVERRIDDEN.sub(lambda match: match.group(1)[::-1], text)
    rightwards = any(c.isalpha() and unicodedata.bidirectional(c) in ("R", "AL") for c in text)

    def kept(match: re.Match[str]) -> str:
        found = match.group()
        if len(found) > 1 or _needed(found, text[max(0, match.start() - 1) : match.start()], text[match.end() :][:1]):
            return found
        return found if rightwards and _DIRECTION.match(found) else ""

    return _STACKED.sub("", _FLAGS_AND_UNSEEN.sub(kept, text))


def _needed(unseen: str, before: str, after: str) -> bool:
    """Whether the character between two others changes what is drawn."""
    if not before:
        return False
    scripts = {_script(before), _script(after) if after else ""}
    if unseen in "\u200c\u200d":  # between letters of scripts other than Latin, and in emoji
        return bool(after) and not (before + after).isascii() and not scripts & {"LATIN", "CYRILLIC", "GREEK"}
    if unseen == "\u200b":
        return scripts <= set(_UNSPACED)
    if "\ufe00" <= unseen <= "\ufe0f":  # the emoji form of a sign
        return after == "\u20e3" or not (before.isalnum() or before.isspace() or before.isascii())
    return "\u180b" <= unseen <= "\u180f" and _script(before) == "MONGOLIAN"


def compatible(text: str) -> str:
    """Letters and digits that are Latin ones in another form (NFKC) as plain ones, marks composed (NFC).

    >>> compatible("ＢＲＥＡＫＩＮＧ 𝐧𝐞𝐰𝐬 ⓕrom the ﬁeld… ½ of ACME™, x²")
    'BREAKING news from the field… ½ of ACME™, x²'
    """
    if text.isascii():
        return text
    return "".join(map(_plain, unicodedata.normalize("NFC", text)))


@lru_cache(maxsize=8_192)
def _plain(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character)
    if character <= "\u00ff" or plain == character or not (plain.isascii() and plain.isalnum()):
        return character
    if unicodedata.decomposition(character).startswith(("<super>", "<sub>")):  # H₂O, and ™ with others of two letters
        return character
    return plain if len(plain) == 1 or character.isalnum() else character


@lru_cache(maxsize=8_192)
def _script(character: str) -> str:
    """The first word of the character's Unicode name ("LATIN", "CYRILLIC", "GREEK"); "" of one without a name."""
    return unicodedata.name(character, "").partition(" ")[0]


@lru_cache(maxsize=8_192)
def _foreign(character: str) -> bool:
    """Whether it looks like a Latin letter and is none that an orthography in Latin letters uses."""
    if character not in _prototypes():
        return False
    return _script(character) != "LATIN" or not (character <= "\u017f" or "\u1e00" <= character <= "\u1eff")


def _sum(foreign: Sequence[str], length: int) -> bool:
    """Whether look-alikes in a run of this length may be meant as they are: "x∨y", "hν", "α"."""
    return not all(map(str.isalpha, foreign)) or (length < 3 and any(_script(c) == "GREEK" and c.islower() for c in foreign))


def _honest(run: str) -> Iterator[str]:
    """The scripts other than Latin of a run that does not look like a Latin word."""
    if len(run) > 1 and any(c.isalpha() and _script(c) != "LATIN" and not _foreign(c) for c in run):
        yield from (_script(c) for c in run)


def _mostly_latin(text: str) -> bool:
    if text.isascii():
        return True
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


@lru_cache(maxsize=1)
def _runs() -> re.Pattern[str]:
    """Letters, digits, and signs that look like letters, without a break."""
    signs = "".join(sorted(c for c in _prototypes() if not c.isalnum()))
    return re.compile(rf"(?:[^\W_]|[|${re.escape(signs)}])+")
