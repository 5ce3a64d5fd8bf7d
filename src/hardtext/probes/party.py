"""Party reversal: politicians of one party become politicians of the other, so that what is said of them is untrue.

After Flores and Hao, who swap the names of true statements about Republicans or Democrats for random ones of the other
party. Their notebooks find names with a named-entity tagger, match them fuzzily to a list and check the doubtful ones by
hand, and draw without a seed; none of this can be repeated, so ``rules=published`` changes nothing here. Nor does anybody
read the changed statements: that the new one is untrue is likely, not certain.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Optional

from hardtext.probes import bare_names
from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged
from hardtext.probes.editing import Edit, apply
from hardtext.probes.mentions import Mention, mentions
from hardtext.probes.party_words import PartyWord, parties, party_words
from hardtext.probes.politicians import Politician, Politicians, politicians
from hardtext.probes.replacements import replacements


class Party(Probe):
    """Swaps politicians for others of the other party, as like them as can be (replacements.py).

    ``people`` are those to look for and to draw from; ``words`` also swaps the parties' names; ``both`` also changes texts
    that name people (or, with ``words``, parties) of both sides, each for the other. A text is left alone where something
    in it that is not swapped would contradict the new name: its party, a surname by itself ("Team Trump"), "Obamacare".
    """

    name = "party"
    expects = "fake"
    of = "real"
    asks = "Does it notice that a true statement now names politicians of the other party?"
    few_flips = ("Few flips mean that the label does not depend on who is named: the classifier judges wording and topic. "
                 "That is no fault where the statement is true of both people, which nobody has checked.")
    source = "Flores and Hao (2022)"

    def __init__(self, people: Politicians, words: bool = False, both: bool = False) -> None:
        self.people, self.words, self.both = people, words, both

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        found = mentions(text, self.people)
        words = party_words(text) if self.words else []
        if not found and not words:
            return Unchanged("names no Democrat, no Republican and no party" if self.words else
                             "names no Democrat and no Republican")
        if why := self._left_alone(text, found, words):
            return Unchanged(why)
        swapped = replacements(text, found, self.people, seed)
        if swapped is None:
            return Unchanged("names more politicians than there are to swap with")
        edits = [_edit(text, mention, swapped[mention.person]) for mention in found]
        said = [f"{_label(old)} -> {_label(new)}" for old, new in swapped.items()]
        for word in _apart(words, found):
            edits.append(word.edit)
            said.append(f"{text[word.edit.start:word.edit.end]} -> {word.edit.new}")
        return Changed(apply(text, edits), "; ".join(dict.fromkeys(said)))

    def _left_alone(self, text: str, found: list[Mention], words: list[PartyWord]) -> Optional[str]:
        """Why the swapped text would contradict itself, if it would."""
        own = {mention.person.side for mention in found} | {word.side for word in words}
        camps = bare_names.camps(text, found, self.people)
        if len(own | camps) > 1 and not self.both:
            return "names both parties"
        if camps or bare_names.beside(text, found, self.people):
            return "also names somebody by one name alone"
        if bare_names.namesakes(found, text, self.people):
            return "names one person in two ways, or two people of one name"
        if bare_names.in_other_words(text, found):
            return "holds the name in another word, as Obamacare does"
        said = set() if self.words else parties(text)
        if said - own:
            return "says the other party too: probe.party_words=true probe.both_parties=true swap both"
        return "says its party too: probe.party_words=true swaps that as well" if said else None


def _edit(text: str, mention: Mention, new: Politician) -> Edit:
    """The new name in the form and case of the mention; a possessive apostrophe after an -s gets the s that it needs."""
    old, start, end = text[mention.start:mention.end], mention.start, mention.end
    name = {"full": new.name, "surname": new.surname, "first": new.first_name}[mention.form]
    if old[-1:] in "sS" and text[end:end + 1] in ("'", "’") and text[end + 1:end + 2] == " " and not _quoted(text, end):
        name += text[end] + ("" if name.endswith("s") else "s")
        end += 1
    if old.isupper() and len(old) > 1:
        name = name.upper()
    elif old.islower():
        name = name.lower()
    return Edit(start, end, name)


def _quoted(text: str, end: int) -> bool:
    """Whether a single quotation mark is open at ``end``."""
    return text[:end].count("‘") > text[:end].count("’") or f" {text[:end]}".count(" '") > 0


def _apart(words: list[PartyWord], found: list[Mention]) -> Collection[PartyWord]:
    return [word for word in words if not any(m.start < word.edit.end and word.edit.start < m.end for m in found)]


def _label(person: Politician) -> str:
    return f"{person.name} ({person.letter})"


def probe(settings: ProbeSettings) -> Probe:
    """The probe as ``settings`` ask for it. Raises InputError where the file of politicians is no good."""
    return Party(politicians(settings.politicians), settings.party_words, settings.both_parties)
