"""Words of one meaning read as one word, so that a substitution by synonyms changes nothing.

Wang, Jin, Yang and He 2021, "Natural Language Adversarial Defense through Synonym Encoding" (SEM, algorithm 1): the words
are taken from the most frequent one on; each stands for itself and for those of its synonyms that nothing stands for yet,
unless one of its own synonyms has been encoded before, which then decides. In the published algorithm that goes on over
chains of synonyms, until "dreadful" is read as "well"; without ``chains`` a word is only ever read as one that it is a
synonym of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hardtext import text as texts_of
from hardtext.lexicon.function_words import FUNCTION_WORDS
from hardtext.text import match_case

SHORTEST = 3  # letters of a word that others may be read as

Near = Callable[[str], Iterable[tuple[str, float]]]
"""The synonyms of a word in lower case, with how near they are (1: the same)."""


class Encoder:
    """A pure function of the text. ``table``: word in lower case → the word it is read as; the others stay.

    >>> Encoder({"savage": "brutal", "told": "said"})("Savage rulers, they told us.")
    'Brutal rulers, they said us.'
    """

    def __init__(self, table: Mapping[str, str]) -> None:
        self.table = table

    def __call__(self, text: str) -> str:
        edits = {word: match_case(code, word.text) for word in texts_of.words(text)
                 if (code := self.table.get(word.text.lower()))}
        return texts_of.replace((text,), edits)[0] if edits else text


def encoding(counts: Mapping[str, int], others: Iterable[str], near: Near, chains: bool = False) -> dict[str, str]:
    """Word → the word it is read as, of those that are read as another.

    ``counts``: how often the training texts hold each word; ``others``: further words that an attacker may use, the most
    common first. Function words are no synonyms of anything: too much depends on them.

    >>> synonyms = {"said": [("told", 0.9)], "told": [("said", 0.9), ("recounted", 0.7)], "recounted": [("told", 0.7)]}
    >>> encoding({"said": 5, "told": 2}, ["recounted"], lambda word: synonyms.get(word, []))
    {'told': 'said'}
    >>> encoding({"said": 5, "told": 2}, ["recounted"], lambda word: synonyms.get(word, []), chains=True)
    {'told': 'said', 'recounted': 'said'}
    """
    order = sorted(counts, key=lambda word: (-counts[word], word))
    order += [word for word in others if word not in counts]
    codes: dict[str, str] = {}
    for word in filter(encodable, order):
        if word in codes and not chains:
            continue
        synonyms = [(other, cosine) for other, cosine in near(word) if encodable(other)]
        if word not in codes:
            before = [(cosine, counts.get(other, 0), other) for other, cosine in synonyms
                      if other in codes and (chains or codes[other] == other)]
            codes[word] = codes[max(before)[2]] if before else word
        if chains or codes[word] == word:
            for other, _ in synonyms:
                codes.setdefault(other, codes[word])
    return {word: code for word, code in codes.items() if code != word}


def encodable(word: str) -> bool:
    """Whether a word in lower case may be read as another.

    >>> [encodable(word) for word in ("savage", "not", "m4", "it's")]
    [True, False, False, False]
    """
    return len(word) >= SHORTEST and word.isalpha() and word not in FUNCTION_WORDS
