"""English inflection around a dictionary: which lemma a written word is a form of, and how a lemma is written.

Regular endings are rules; the irregular forms come with the dictionary (WordNet's ``*.exc`` files).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass

POS = ("n", "v", "a", "r")  # noun, verb, adjective, adverb, as WordNet writes and orders them
FORMS = {"n": ("plural",), "v": ("third", "past", "participle", "ing"),
         "a": ("comparative", "superlative"), "r": ("comparative", "superlative")}

_ENDINGS = {"plural": "s", "third": "s", "past": "ed", "participle": "ed", "ing": "ing", "comparative": "er",
            "superlative": "est"}
_DETACH = {
    "n": (("ies", "y"), ("es", ""), ("s", "")),
    "v": (("ies", "y"), ("es", "e"), ("es", ""), ("s", ""), ("ied", "y"), ("ed", "e"), ("ed", ""),
          ("ing", "e"), ("ing", "")),
    "a": (("ier", "y"), ("iest", "y"), ("er", "e"), ("er", ""), ("est", "e"), ("est", "")),
    "r": (("er", ""), ("est", "")),
}
_VOWELS = "aeiou"


@dataclass(frozen=True, slots=True)
class Reading:
    """A written word as a form of a lemma: ``lied`` is ("lie", "v", "past")."""

    lemma: str
    pos: str  # n, v, a, r
    form: str  # base, or one of FORMS


class Inflection:
    """The forms of the lemmas of one dictionary.

    ``lemmas`` holds (lemma, part of speech) pairs; ``irregular[pos]`` maps a written form to its lemmas.
    """

    def __init__(self, lemmas: Container[tuple[str, str]], irregular: dict[str, dict[str, list[str]]]) -> None:
        self._has, self.irregular = lemmas, irregular
        self._written: dict[tuple[str, str], list[str]] = defaultdict(list)
        for pos, table in irregular.items():
            for written, of in table.items():
                for lemma in of:
                    self._written[lemma, pos].append(written)

    def readings(self, word: str) -> list[Reading]:
        """What a lower-case written word can be; empty for a word the dictionary does not know."""
        found = []
        for pos in POS:
            if (word, pos) in self._has:
                found.append(Reading(word, pos, "base"))
            for lemma in self._lemmas(word, pos):
                if lemma != word and (lemma, pos) in self._has:
                    found += [Reading(lemma, pos, form) for form in FORMS[pos]
                              if word in self.inflect(lemma, pos, form) or word == _regular(lemma, _ENDINGS[form])]
        return list(dict.fromkeys(found))

    def inflect(self, lemma: str, pos: str, form: str) -> list[str]:
        """Written forms of a lemma (the irregular ones, where the dictionary lists any)."""
        if form == "base":
            return [lemma]
        irregular = [w for w in self._written.get((lemma, pos), ()) if _fits(w, form)]
        return irregular or [_regular(lemma, _ENDINGS[form])]

    def forms(self, lemma: str, pos: str) -> set[str]:
        """All written forms of a lemma."""
        return {lemma, *(w for form in FORMS[pos] for w in self.inflect(lemma, pos, form))}

    def _lemmas(self, word: str, pos: str) -> list[str]:
        lemmas = list(self.irregular[pos].get(word, ()))
        for suffix, ending in _DETACH[pos]:
            if word.endswith(suffix) and len(word) > len(suffix) + 1:
                stem = word[: -len(suffix)] + ending
                lemmas.append(stem)
                if suffix in ("ed", "ing", "er", "est") and not ending and len(stem) > 2 and stem[-1] == stem[-2]:
                    lemmas.append(stem[:-1])  # stopped → stop
        return lemmas


def _fits(written: str, form: str) -> bool:
    """Whether an irregular form can stand for ``form``; the files do not say which one it is."""
    if form == "ing":
        return written.endswith("ing")
    if form in ("past", "participle"):
        return not written.endswith(("ing", "s"))
    if form == "third":
        return written.endswith("s") and not written.endswith("ss")
    if form == "comparative":
        return written.endswith(("er", "re", "se", "ss"))
    if form == "superlative":
        return written.endswith("st")
    return True


def _regular(lemma: str, ending: str) -> str:
    if len(lemma) > 2 and lemma[-1] == "y" and lemma[-2] not in _VOWELS and ending != "ing":
        return lemma[:-1] + ("ies" if ending == "s" else "i" + ending)
    if ending == "s":
        return lemma + ("es" if lemma.endswith(("s", "x", "z", "ch", "sh")) else "s")
    if lemma.endswith("e"):
        return lemma + ending[1:] if ending != "ing" else (lemma if lemma.endswith("ee") else lemma[:-1]) + "ing"
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgmnprt]", lemma):
        return lemma + lemma[-1] + ending  # stop → stopped
    return lemma + ending
