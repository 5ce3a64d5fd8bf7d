"""English words with their frequencies: is this a word, what word was meant, are these two halves of one?

The frequency tables come with symspellpy (82,765 words and 242,342 pairs of words from Google Books n-grams and the SCOWL
word list). The only door to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from importlib.resources import files

SHORTEST = 4  # letters: a shorter unknown word is close to too many others
OWN_COUNT = 5_000_000  # a word of one's own texts counts as a common one
JOIN_FACTOR = 10.0
"""How much likelier the joined word must be than the two words side by side, before two words are taken for halves."""


class Spelling:
    """Words known: the packaged dictionary and ``own`` (word → how often), the words of the texts a victim was trained on.

    Words are compared in lower case.
    """

    def __init__(self, own: Mapping[str, int] | Iterable[str] = ()) -> None:
        self.own = frozenset(word.lower() for word in own)
        self.repaired = lru_cache(maxsize=100_000)(self._repaired)

    @cached_property
    def _speller(self):
        from symspellpy import SymSpell

        speller = SymSpell(max_dictionary_edit_distance=2, prefix_length=7)
        folder = files("symspellpy")
        speller.load_dictionary(str(folder / "frequency_dictionary_en_82_765.txt"), 0, 1, encoding="utf-8")
        speller.load_bigram_dictionary(str(folder / "frequency_bigramdictionary_en_243_342.txt"), 0, 2, encoding="utf-8")
        for word in sorted(self.own):
            if word.isalpha() and word not in speller.words:
                speller.create_dictionary_entry(word, OWN_COUNT)
        return speller

    @cached_property
    def _total(self) -> int:
        return sum(self._speller.words.values())

    def known(self, word: str) -> bool:
        """Whether ``word`` is one.

        >>> s = Spelling()
        >>> s.known("Government"), s.known("goverment")
        (True, False)
        """
        lower = word.lower()
        return lower in self.own or lower in self._speller.words

    def _repaired(self, word: str, cautious: bool = False) -> str | None:
        """The known word that was meant by an unknown one, in lower case: the most frequent among the closest. One edit
        away for words of up to 5 letters and for the ``cautious``, two beyond; a swap of neighbours is one edit. None where
        there is none, where the word is known, or too short to say."""
        from symspellpy import Verbosity

        lower = word.lower()
        if len(lower) < SHORTEST or not lower.isalpha() or self.known(lower):
            return None
        found = self._speller.lookup(lower, Verbosity.TOP, max_edit_distance=1 if cautious or len(lower) <= 5 else 2)
        return found[0].term if found else None

    def halves(self, first: str, second: str) -> bool:
        """Whether two neighbouring words are one word torn apart.

        >>> s = Spelling()
        >>> [s.halves(*p.split()) for p in ("bes t", "pro found", "a part", "can not", "the government", "go vernment")]
        [True, True, False, False, False, True]
        """
        first, second = first.lower(), second.lower()
        counts = self._speller.words
        joined = counts.get(first + second, OWN_COUNT if first + second in self.own else 0)
        if not joined:
            return False
        beside = self._speller.bigrams.get(f"{first} {second}")
        if beside is None:
            beside = self._count(first) * self._count(second) / self._total
        return joined > JOIN_FACTOR * beside

    def _count(self, word: str) -> int:
        return self._speller.words.get(word, OWN_COUNT if word in self.own and len(word) > 1 else 0)
