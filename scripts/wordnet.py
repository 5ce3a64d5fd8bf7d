"""WordNet's own database files, read by the scripts that train, judge and build from them.

The files come with the Debian package ``wordnet-base`` (in /usr/share/wordnet); any folder with ``index.*``,
``data.*``, ``*.exc`` and ``cntlist.rev`` will do. Layout: the manual pages wndb(5WN) and cntlist(5WN).
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from hardtext.core import InputError
from hardtext.lexicon.inflection import Inflection
from hardtext.seeding import derive

FOLDER = Path("/usr/share/wordnet")
POS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_SENSE_TYPE = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # ss_type of a sense key; 5 is an adjective satellite


@dataclass(slots=True)
class Synset:
    """One meaning: the words that carry it and where its pointers lead. Ids are (part of speech, offset)."""

    id: tuple[str, int]
    words: list[str]  # lower-case, joined by "_" where there are several
    names: list[str]  # the same as WordNet spells them
    definition: str
    examples: list[str]
    hypernyms: list[tuple[str, int]] = field(default_factory=list)
    similar: list[tuple[str, int]] = field(default_factory=list)
    antonyms: list[tuple[int, tuple[str, int], int]] = field(default_factory=list)
    # (own word, synset, its word); words are counted from 1, and 0 stands for all of them


class WordNet(Inflection):
    """The data base in memory (about two seconds to read)."""

    def __init__(self, folder: Path = FOLDER) -> None:
        if not (folder / "data.noun").is_file():
            raise InputError(f"no WordNet data in {folder}: apt-get install wordnet-base, or name its folder")
        self.synsets: dict[tuple[str, int], Synset] = {}
        self._senses: dict[tuple[str, str], list[tuple[str, int]]] = {}
        for pos, name in POS.items():
            for line in (folder / f"data.{name}").read_text("utf-8").splitlines():
                if not line.startswith(" "):
                    synset = _synset(line, pos)
                    self.synsets[synset.id] = synset
            for line in (folder / f"index.{name}").read_text("utf-8").splitlines():
                if not line.startswith(" "):
                    parts = line.split()
                    count = int(parts[2])
                    self._senses[parts[0], pos] = [(pos, int(offset)) for offset in parts[-count:]]
        self._counts: dict[tuple[str, str, int], int] = {}
        for line in (folder / "cntlist.rev").read_text("utf-8").splitlines():
            key, number, count = line.split()
            lemma, _, rest = key.partition("%")
            self._counts[lemma, _SENSE_TYPE[rest[0]], int(number)] = int(count)
        irregular: dict[str, dict[str, list[str]]] = {pos: {} for pos in POS}
        for pos, name in POS.items():
            for line in (folder / f"{name}.exc").read_text("utf-8").splitlines():
                form, *lemmas = line.split()
                irregular[pos][form] = lemmas
        super().__init__(self._senses, irregular)

    @cached_property
    def hyponyms(self) -> dict[tuple[str, int], list[tuple[str, int]]]:
        """The synsets directly below each; empty for one at the bottom."""
        below = defaultdict(list)
        for synset in self.synsets.values():
            for id_ in synset.hypernyms:
                below[id_].append(synset.id)
        return below

    def lemmas(self) -> list[tuple[str, str]]:
        """Every (lemma, part of speech), in the order of the files."""
        return list(self._senses)

    def senses(self, lemma: str, pos: str) -> list[tuple[Synset, int]]:
        """Meanings of a lemma, the most frequent first, each with how often it was tagged in a corpus."""
        return [(self.synsets[id_], self._counts.get((lemma, pos, i), 0))
                for i, id_ in enumerate(self._senses.get((lemma, pos), ()), start=1)]

    def antonyms(self, synset: Synset, lemma: str) -> set[str]:
        """Opposites of a lemma in one meaning; an adjective satellite takes those of its head (humid: dry, as wet)."""
        found = set()
        for own, id_, theirs in synset.antonyms:
            if own in (0, synset.words.index(lemma) + 1 if lemma in synset.words else 0):
                other = self.synsets[id_]
                found.update(other.words if theirs == 0 else [other.words[theirs - 1]])
        if not found and synset.id[0] == "a":
            for head in (self.synsets[id_] for id_ in synset.similar):
                for _, id_, theirs in head.antonyms:
                    other = self.synsets[id_]
                    found.update(other.words if theirs == 0 else [other.words[theirs - 1]])
        return found


FUNCTION_WORDS = frozenset("""
    a about above after again against all also although am among an and another any are as at be because been
    before being below between both but by can cannot could did do does doing down during each either else ever
    every few for from further had has have having he her here hers herself him himself his how however i if in
    into is it its itself just least less let like many may me might mine more most much must my myself neither
    never no nobody none nor not nothing now of off often on once one only onto or other others our ours ourselves
    out over own per rather same shall she should since so some somebody someone something such than that the
    their theirs them themselves then there these they this those though through thus to together too toward
    towards under until up upon us very via was we well were what whatever when where whether which while who
    whoever whole whom whose why will with within without would yet you your yours yourself yourselves two three
    four five six seven eight nine ten first second last don didn doesn isn wasn aren weren won ll ve re
""".split())


def held_out(word: str, wordnet: WordNet) -> bool:
    """Whether a word belongs to the tenth of WordNet whose synonyms are never a training target of it."""
    return any(derive(0, "held out", lemma) % 10 == 0 for lemma in {word, *(r.lemma for r in wordnet.readings(word))})


def _synset(line: str, pos: str) -> Synset:
    head, _, gloss = line.partition(" | ")
    parts = head.split()
    count = int(parts[3], 16)
    names = [re.sub(r"\((?:a|p|ip)\)$", "", w) for w in parts[4 : 4 + 2 * count : 2]]
    examples = [e.strip() for e in re.findall(r'"([^"]+)"', gloss)]
    definition = re.sub(r'[;:]?\s*"[^"]*"[^;"]*', "", gloss).strip(" ;")
    synset = Synset((pos, int(parts[0])), [n.lower() for n in names], names, definition, examples)
    start = 4 + 2 * count
    for i in range(int(parts[start])):
        symbol, offset, target_pos, ends = parts[start + 1 + 4 * i : start + 5 + 4 * i]
        target = ("a" if target_pos == "s" else target_pos, int(offset))
        if symbol in ("@", "@i"):
            synset.hypernyms.append(target)
        elif symbol == "&":
            synset.similar.append(target)
        elif symbol == "!":
            own, theirs = divmod(int(ends, 16), 256)
            synset.antonyms.append((own, target, theirs))
    return synset
