"""English words with their frequencies: is this a word, what word was meant, are these pieces of one?

The frequency tables come with symspellpy (82,834 words and 242,342 pairs of words, from Google Books n-grams and the SCOWL
word list). The only door to it. Each table is read when it is first asked: the words at once (0.05 s), the pairs and the
index of misspellings (2 s) where a text holds something that needs them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from importlib.resources import files

SHORTEST = 4  # letters: a shorter unknown word is close to too many others
OWN_COUNT = 5_000_000  # a word of one's own texts counts as a common one
JOIN_FACTOR = 10.0
"""How much likelier the joined word must be than the two words side by side, before two words are taken for halves."""
PREFIX = 6  # letters that are indexed; 7 (symspellpy's default) loads a second longer, to save 0.2 ms a misspelling


class Spelling:
    """The words known: the packaged dictionary's and ``own``, those of one's own texts. All are compared in lower case."""

    def __init__(self, own: Iterable[str] = ()) -> None:
        self.own = frozenset(word.lower() for word in own if len(word) > 1)
        self.repaired = lru_cache(maxsize=100_000)(self._repaired)

    @cached_property
    def _words(self) -> dict[str, int]:
        """Word → how often."""
        return dict.fromkeys(self.own, OWN_COUNT) | _table("frequency_dictionary_en_82_765.txt")

    @cached_property
    def _pairs(self) -> dict[str, int]:
        """Two words and a space between them → how often."""
        return _table("frequency_bigramdictionary_en_243_342.txt")

    @cached_property
    def _total(self) -> int:
        return sum(self._words.values())

    @cached_property
    def _speller(self):
        from symspellpy import SymSpell

        speller = SymSpell(max_dictionary_edit_distance=2, prefix_length=PREFIX)
        for word, count in sorted(self._words.items(), key=lambda item: (-item[1], item[0])):
            if word.isalpha():
                speller.create_dictionary_entry(word, count)
        return speller

    def known(self, word: str) -> bool:
        """Whether ``word`` is one.

        >>> s = Spelling()
        >>> s.known("Government"), s.known("goverment")
        (True, False)
        """
        return word.lower() in self._words

    def count(self, word: str) -> int:
        """How often ``word`` stands in the texts that were counted; 0 for an unknown one."""
        return self._words.get(word.lower(), 0)

    def _repaired(self, word: str, cautious: bool = False) -> str | None:
        """The known word that was meant by an unknown one, in lower case: the most frequent among the closest. One edit
        away for words of up to 5 letters, two beyond; a swap of neighbours is one edit. ``cautious`` (it may be a name): one
        edit, and not of the first letter. None where there is none, where the word is known, or too short to say."""
        from symspellpy import Verbosity

        lower = word.lower()
        if len(lower) < SHORTEST or not lower.isalpha() or self.known(lower):
            return None
        distance = 1 if cautious or len(lower) <= 5 else 2
        found = self._speller.lookup(lower, Verbosity.TOP, max_edit_distance=distance)
        if not found or (cautious and found[0].term[0] != lower[0]):
            return None
        return found[0].term

    def halves(self, first: str, second: str) -> bool:
        """Whether two neighbouring words are one word torn apart.

        >>> s = Spelling()
        >>> [s.halves(*p.split()) for p in ("bes t", "pro found", "a part", "can not", "the government", "go vernment")]
        [True, True, False, False, False, True]
        """
        joined = self.count(first + second)
        if not joined:
            return False
        beside = self._pairs.get(f"{first.lower()} {second.lower()}")
        if beside is None:
            beside = self.count(first) * self.count(second) / self._total
        return joined > JOIN_FACTOR * beside


@lru_cache(maxsize=2)
def _table(name: str) -> dict[str, int]:
    """What a line counts → its count."""
    lines = (files("symspellpy") / name).read_text(encoding="utf-8-sig").splitlines()
    return {text: int(count) for text, _, count in (line.rpartition(" ") for line in lines)}
