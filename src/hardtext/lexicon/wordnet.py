"""Synonyms and antonyms of single English words, from WordNet 3.0 (Miller 1995; licence in data/WORDNET_LICENCE.txt).

The table comes with the package (scripts/wordnet_table.py makes it), so that nothing is downloaded. Words go in and come
out in lower case. A word is letters, perhaps with hyphens or apostrophes inside: abbreviations with stops ("U.S."),
figures and phrases are unknown here. Only ``lemma_names`` answers as WordNet's usual readers do.

>>> synonyms("senator"), synonyms("purchased")
([], ['bought'])
>>> "bad" in antonyms("good"), same_form("lied", "walked"), known("don't")
(True, True, False)
"""

from __future__ import annotations

import gzip
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Optional

from hardtext.lexicon.inflection import FORMS, POS, Inflection, Reading

TABLE = Path(__file__).parent / "data" / "wordnet.txt.gz"

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_MORPHY = {  # the endings that WordNet's own lemmatizer takes off, morphy(7WN), in its order
    "n": (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
          ("men", "man"), ("ies", "y")),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}


class Sense(NamedTuple):
    """One meaning of a lemma."""

    names: list[str]  # its single words as WordNet spells them, in WordNet's order
    antonyms: list[str]  # of the lemma in this meaning; an adjective satellite has those of its head
    count: int  # how often it was tagged in WordNet's corpus


class Table:
    """The packaged table. Lines are taken apart only when a word is asked for."""

    def __init__(self, path: Path = TABLE) -> None:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            synsets, lemmas, irregular = file.read().split("\n\n")
        self._synsets = synsets.split("\n")
        self._lemmas = dict(line.split("\t", 1) for line in lemmas.split("\n"))
        table: dict[str, dict[str, list[str]]] = {pos: {} for pos in POS}
        for line in irregular.splitlines():
            pos, written, lemma = line.split(" ")
            table[pos].setdefault(written, []).append(lemma)
        self.inflection = Inflection(self, table)

    def __contains__(self, lemma_and_pos: tuple[str, str]) -> bool:
        lemma, pos = lemma_and_pos
        return any(part.startswith(pos) for part in self._lemmas.get(lemma, "").split("\t"))

    def lemmas(self) -> list[str]:
        """Every lemma, sorted."""
        return list(self._lemmas)

    def senses(self, lemma: str, pos: str) -> list[Sense]:
        """The meanings of a lemma, the most frequent first; none for an unknown one."""
        for part in self._lemmas.get(lemma, "").split("\t"):
            if part.startswith(pos):
                return [self._sense(lemma, number) for number in part.split(" ")[1:]]
        return []

    def _sense(self, lemma: str, number: str) -> Sense:
        line, _, count = number.partition(":")
        names, *opposites = self._synsets[int(line)].split("\t")
        antonyms: list[str] = []
        for owner, *words in (part.split(" ") for part in opposites):
            if owner in ("*", lemma):
                antonyms += words
        return Sense(names.split(" "), antonyms, int(count or 0))


@lru_cache(maxsize=1)
def table() -> Table:
    """The table, read at the first call (a tenth of a second)."""
    return Table()


def synonyms(word: str, pos: Optional[str] = None) -> list[str]:
    """Words that share a meaning with ``word``, inflected like it, the most frequent meaning first.

    ``pos`` (n, v, a or r) keeps to one part of speech. Equally frequent meanings, and the words of one meaning, keep
    WordNet's order. The word and its own lemma are not in the list.

    >>> synonyms("lies", "n"), synonyms("bigger")[:2], synonyms("U.S.")
    (['prevarications'], ['larger', 'worse'], [])
    """
    return list(_synonyms(word.lower(), pos))


def antonyms(word: str) -> frozenset[str]:
    """Opposites of ``word`` in any of its meanings, in every written form (rose: fall, falls, fell, …)."""
    return _antonyms(word.lower())


def readings(word: str) -> list[Reading]:
    """What a written word can be: ("lie", "v", "past") for ``lied``; empty for a word that WordNet does not know."""
    return list(_readings(word.lower()))


def known(word: str) -> bool:
    """Whether the word, or a word it is a form of, is in WordNet."""
    return bool(_readings(word.lower()))


def same_form(a: str, b: str) -> bool:
    """Whether two words can be the same part of speech in the same form (lied and walked); False for unknown words."""
    forms = {(r.pos, r.form) for r in _readings(a.lower())}
    return any((r.pos, r.form) in forms for r in _readings(b.lower()))


def inflect(lemma: str, pos: str, form: str) -> list[str]:
    """Written forms of a lemma, such as ("take", "v", "past"). WordNet does not tell past from participle where both are
    irregular, so that both come. Long adjectives and participles have no comparative, unless WordNet lists one.

    >>> inflect("deny", "v", "past"), inflect("take", "v", "past"), inflect("credible", "a", "comparative")
    (['denied'], ['taken', 'took'], [])
    """
    if pos == "r" and (lemma, "a") in table():
        pos = "a"  # the adjective's irregular forms are listed: good, better
    written = table().inflection.inflect(lemma, pos, form)
    if form in FORMS["a"]:
        long = len(re.findall(r"[aeiouy]+", lemma.removesuffix("e"))) > 1  # more than one syllable
        if long or any(r.pos == "v" and r.form != "base" for r in _readings(lemma)):
            listed = table().inflection.irregular[pos]  # happier, and no incredibler or knowner
            return [w for w in written if w in listed]
    return written


@lru_cache(maxsize=100_000)
def lemma_names(word: str) -> tuple[str, ...]:
    """The single words of every synset of ``word`` (nouns, verbs, adjectives, adverbs), repeated and spelled as WordNet's
    usual readers list them: bare lemmas, the word itself among them. What the published attacks take their synonyms from.

    >>> lemma_names("senators"), lemma_names("FILMED")[:4]
    (('senator',), ('film', 'shoot', 'take', 'film'))
    """
    word = word.lower()
    return tuple(name for pos in POS for lemma in _morphy(word, pos)
                 for sense in table().senses(lemma, pos) for name in sense.names)


def _morphy(word: str, pos: str) -> list[str]:
    """The lemmas of a word as WordNet's readers find them: exceptions if listed, else every ending, taken off once."""
    found = table().inflection.irregular[pos].get(word)
    if found is None:
        found = [word[: -len(old)] + new for old, new in _MORPHY[pos] if word.endswith(old)]
    return [lemma for lemma in dict.fromkeys([word, *found]) if (lemma, pos) in table()]


@lru_cache(maxsize=100_000)
def _readings(word: str) -> tuple[Reading, ...]:
    return tuple(table().inflection.readings(word)) if _WORD.fullmatch(word) else ()


@lru_cache(maxsize=100_000)
def _synonyms(word: str, pos: Optional[str]) -> tuple[str, ...]:
    found = [(reading, sense) for reading in _readings(word) if pos in (None, reading.pos)
             for sense in table().senses(reading.lemma, reading.pos)]
    found.sort(key=lambda f: -f[1].count)
    own = {reading.lemma for reading in _readings(word)} | {word}
    return tuple(dict.fromkeys(
        written for reading, sense in found for name in sense.names if name.lower() not in own
        for written in inflect(name.lower(), reading.pos, reading.form)
        if written not in own and _WORD.fullmatch(written)))


@lru_cache(maxsize=100_000)
def _antonyms(word: str) -> frozenset[str]:
    return frozenset(written for reading in _readings(word) for sense in table().senses(reading.lemma, reading.pos)
                     for antonym in sense.antonyms for form in ("base", *FORMS[reading.pos])
                     for written in inflect(antonym, reading.pos, form))
