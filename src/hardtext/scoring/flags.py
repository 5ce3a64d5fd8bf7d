"""What an attack did to a text, as flags that explain why its meaning may be lost. Pure functions; English.

Rules over the word alignment of ``edits``, WordNet and short lists; no tagger. A word that a reader still takes for the
original's (another alphabet's letters, a space inside) is no changed word, whatever it does to a victim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import OSA

from hardtext import text
from hardtext.core import Segments
from hardtext.lexicon import wordnet
from hardtext.lexicon.function_words import FUNCTION_WORDS, is_content
from hardtext.lexicon.homoglyphs import UNSEEN, skeleton
from hardtext.lexicon.names import names
from hardtext.scoring.edits import Edit, is_broken, look, without_accents, word_edits

KINDS = {
    "number": "changed number", "date": "changed date", "name": "changed name", "negation": "changed negation",
    "antonym": "antonym", "deleted": "deleted content word", "inserted": "inserted word", "replaced": "replaced word",
    "synonym": "WordNet synonym", "inflection": "another form of the word", "function": "changed function word",
    "misspelling": "misspelling", "split": "split word", "joined": "joined words", "identical": "visually identical",
    "letters": "accented or foreign letters", "case": "change of case", "mark": "changed mark",
    "invisible": "invisible characters", "separator": "broken pair separator",
}
"""The kinds of flags, and what each is called."""

CHANGED = ("number", "date", "name", "negation", "antonym", "deleted", "inserted", "replaced")
"""The kinds after which a reader reads other words than before."""

_NEGATIONS = frozenset("""no not never none nobody nothing nowhere neither nor cannot without hardly barely scarcely
    seldom rarely""".split())
_NUMBERS = frozenset("""zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million
    billion trillion dozen half twice first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
    hundredth""".split())
_MONTHS = frozenset("""january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec""".split())
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow".split())
_YEAR = re.compile(r"(?:1\d|20)\d\d(?:s|-\d{2,4})?")
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Flag:
    """One thing that happened to the text: ``old`` became ``new`` (either may be empty) in a segment of the original."""

    kind: str
    segment: int
    old: str
    new: str

    @property
    def line(self) -> str:
        """What happened, in a line.

        >>> Flag("number", 1, "2", "caps").line, Flag("deleted", 0, "best", "").line
        ('changed number: 2 -> caps', 'deleted content word: best -> (nothing)')
        """
        return f"{KINDS[self.kind]}: {_shown(self.old)} -> {_shown(self.new)}"


def flags(original: Segments, adversarial: Segments) -> list[Flag]:
    """The flags of a change: broken separator and invisible characters first, then word by word in reading order.

    >>> [flag.line for flag in flags(("He is 2 years old.",), ("Не is caps yea rs young.",))]
    ['visually identical: He -> Не', 'changed number: 2 -> caps', 'split word: years -> yea rs', 'antonym: old -> young']
    """
    found = []
    if is_broken(original, adversarial):
        found.append(Flag("separator", 0, str(text.separator_count(original)), str(text.separator_count(adversarial))))
    before, after = UNSEEN.findall(text.join(original)), UNSEEN.findall(text.join(adversarial))
    if len(after) > len(before):
        points = " ".join(f"U+{ord(c):04X}" for c in sorted(set(after)))
        found.append(Flag("invisible", 0, str(len(before)), f"{len(after)} ({points})"))
    name_words = _names(original)
    for edit in word_edits(original, adversarial):
        if edit.alike:
            found += [Flag(kind, edit.segment, edit.before, edit.after) for kind in _alike_kinds(edit)]
        else:
            found.append(Flag(_kind(edit, name_words), edit.segment, edit.before, edit.after))
    return found


def _names(original: Segments) -> frozenset[str]:
    """Words of the original that look like names: by their capitals, or by WordNet where the text has none."""
    if text.join(original).islower():
        return frozenset(w.text for w in text.words(original) if _written_as_name(w.text))
    return frozenset(segment[start:end] for segment in original for start, end in names(segment))


@lru_cache(maxsize=100_000)
def _written_as_name(word: str) -> bool:
    """Whether a lower-case word is unknown, or a name in each of its meanings."""
    if len(word) < 2 or not is_content(word):
        return False
    spelled = [n for r in wordnet.readings(word) for s in wordnet.table().senses(r.lemma, r.pos) for n in s.names
               if n.lower() == r.lemma]
    return all(name[0].isupper() for name in spelled)


def _alike_kinds(edit: Edit) -> Iterator[str]:
    """What was done to words that a reader still takes for the same: spaces, then letters."""
    old, new = UNSEEN.sub("", edit.before), UNSEEN.sub("", edit.after)
    spaces = _inner_spaces(new) - _inner_spaces(old)
    if spaces:
        yield "split" if spaces > 0 else "joined"
    old, new = "".join(old.split()), "".join(new.split())
    if old == new:
        return
    if old.lower() == new.lower():
        yield "case"
    elif skeleton(old).lower() == skeleton(new).lower() or skeleton(old.lower()) == skeleton(new.lower()):
        yield "identical"
    else:
        yield "letters"


def _inner_spaces(written: str) -> int:
    """Stretches of white space between two letters or figures: a space beside a mark splits no word."""
    parts = written.split()
    return sum(look(a[-1])[-1:].isalnum() and look(b[0])[:1].isalnum() for a, b in zip(parts, parts[1:]))


def _kind(edit: Edit, name_words: frozenset[str]) -> str:
    """The one kind that says most about words that became others."""
    old = [w.text.replace("’", "'").lower() for w in edit.old if w.is_word]
    new = [w.text.replace("’", "'").lower() for w in edit.new if w.is_word]
    if not old and not new:
        return "mark"
    if any(map(is_date, old)) or (not old and any(map(is_date, new))):
        return "date"
    if any(map(is_number, old)) or (not old and any(map(is_number, new))):
        return "number"
    if sum(map(is_negation, old)) != sum(map(is_negation, new)):
        return "negation"
    if len(old) == len(new) == 1 and (near := _near_kind(old[0], new[0])):
        return near
    if any(w.text in name_words for w in edit.old):
        return "name"
    if not any(map(is_content, [*old, *new])):
        return "function"
    if not new:
        return "deleted" if any(map(is_content, old)) else "function"
    if not old:
        return "inserted"
    if len(old) == len(new) == 1:
        if new[0] in wordnet.antonyms(old[0]):
            return "antonym"
        if new[0] in wordnet.synonyms(old[0]):
            return "synonym"
    return "replaced"


def _near_kind(old: str, new: str) -> str:
    """Whether ``new`` is ``old`` in another form or with a slip of the pen; '' for another word."""
    known = _is_known(new)
    lemmas = {reading.lemma for reading in wordnet.readings(old)}
    if known and lemmas & {reading.lemma for reading in wordnet.readings(new)}:
        return "inflection"
    slips = OSA.distance(without_accents(old), without_accents(new))  # two letters that change places are one slip
    return "misspelling" if not known and slips <= max(1, len(old) // 4) and len(old) > 2 else ""


def _is_known(word: str) -> bool:
    return word in FUNCTION_WORDS or wordnet.known(word)


def is_number(word: str) -> bool:
    return any(c.isdigit() for c in word) or not _NUMBERS.isdisjoint(word.split("-"))


def is_date(word: str) -> bool:
    return word in _MONTHS or word in _DAYS or _YEAR.fullmatch(word) is not None


def is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _shown(written: str) -> str:
    written = " ".join(written.split())
    if not written:
        return "(nothing)"
    return written if len(written) <= _SHOWN else written[: _SHOWN - 1] + "…"
