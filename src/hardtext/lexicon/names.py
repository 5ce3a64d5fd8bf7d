"""Names in English text, without a tagger."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hardtext import text
from hardtext.lexicon import wordnet
from hardtext.lexicon.function_words import is_content

_HANDLE = re.compile(r"(?<!\w)@\w+")


def names(segment: str, cautious: bool = False) -> Iterator[tuple[int, int]]:
    """Where names seem to stand, found without a tagger: capitalised words inside a sentence, capitalised words that
    WordNet does not know, and handles (@someone).

    A known word that opens a sentence is no name; for the ``cautious`` it is one where it can be a noun ("Bush lied", but
    also "Voters lied"). Where every content word of a sentence is capitalised, as in a headline, capitals say nothing
    and only unknown words count.

    >>> [segment[a:b] for segment in ["The senator met Angela Merkel."] for a, b in names(segment)]
    ['Angela', 'Merkel']
    """
    for sentence in _sentences(segment):
        content = [w for w in sentence if w.text[0].isalpha() and is_content(w.text)]
        headline = all(w.text[0].isupper() for w in content)
        for word in content:
            opener = word is sentence[0] and not (cautious and _noun(word.text))
            plain = (headline and not (cautious and len(content) == 1)) or opener
            if word.text[0].isupper() and not (plain and wordnet.known(word.text)):
                yield word.start, word.end
    yield from (match.span() for match in _HANDLE.finditer(segment))


def _noun(word: str) -> bool:
    return any(reading.pos == "n" for reading in wordnet.readings(word.lower()))


def _sentences(segment: str) -> Iterator[list[text.Word]]:
    """The words between stops and line ends."""
    sentence: list[text.Word] = []
    end = 0
    for word in text.words(segment):
        if word.text in ".!?…" or "\n" in segment[end:word.start]:
            yield sentence
            sentence = []
        if word.is_word:
            sentence.append(word)
        end = word.end
    yield sentence
