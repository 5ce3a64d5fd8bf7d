"""What several probes do to a text: put words in other places, and mend articles and capitals around them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from hardtext import text as words_of
from hardtext.lexicon import articles, syntax, wordnet
from hardtext.lexicon.function_words import is_content

Doc = Span = Token = Any
"""spaCy's; only lexicon/syntax.py may import spaCy."""

_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|[@#]\w+|[\w.+-]{1,64}@\w\S*|\b[\w-]{1,63}\.(?:com|edu|gov|net|org)\b\S*",
                      re.IGNORECASE)


OPENING = 1_999
"""Characters in which probes that change one sentence look for it; an article need not be parsed to its end."""


class Edit(NamedTuple):
    """``text[start:end]`` becomes ``new``."""

    start: int
    end: int
    new: str


def put(text: str, edits: list[Edit]) -> str:
    """The text with every edit made. Edits must not overlap."""
    parts, at = [], 0
    for edit in sorted(edits):
        parts += text[at:edit.start], edit.new
        at = edit.end
    return "".join((*parts, text[at:]))


def apply(text: str, edits: list[Edit]) -> str:
    """The same, with "a" or "an" before each edit fitted to its new word."""
    for edit in sorted(edits, reverse=True):
        text = put(text, [edit])
        text = articles.repair(text, edit.start) if edit.new else text
    return text


def parsed(text: str) -> Doc:
    """The parse, also of texts with broken characters; offsets are those of ``text``."""
    return syntax.parse(words_of.readable(text))


def opening(text: str) -> list[Span]:
    """The parsed sentences at the beginning of a text: those that end within its first ``OPENING`` characters."""
    sentences = list(parsed(text[:OPENING]).sents)
    return sentences[:-1] if len(text) > OPENING else sentences


def addresses(text: str) -> list[tuple[int, int]]:
    """Where URLs, e-mail addresses, handles and hashtags stand."""
    return [found.span() for found in _ADDRESS.finditer(text)]


def inside(place: tuple[int, int], spans: list[tuple[int, int]]) -> bool:
    """Whether a place touches one of the spans."""
    return any(start < place[1] and place[0] < end for start, end in spans)


_STARTS = re.compile(r"(?<=[.!?…])[\"”’')]*\s+[\"“‘'(]*\b")


def headline(text: str) -> bool:
    """Whether the text is written like a headline: three content words in four begin with a capital. The first words of
    second and later sentences say nothing about that.

    >>> headline("Obama Fires 40 Officials in New York"), headline("Texas cut $10 billion"), headline("")
    (True, False, False)
    >>> headline("Obama won. " * 9), headline("Yes! " * 9)
    (False, False)
    """
    starts = {found.end() for found in _STARTS.finditer(text)}
    content = [w.text for w in words_of.words(text) if w.text[0].isalpha() and is_content(w.text) and w.start not in starts]
    return len(content) > 2 and sum(word[0].isupper() for word in content) >= 0.75 * len(content)


def upper_first(text: str) -> str:
    """The text with its first letter in upper case, if only marks stand before it.

    >>> upper_first("“it rained.”"), upper_first("3 dogs")
    ('“It rained.”', '3 dogs')
    """
    found = re.match(r"[\W_]*[^\W\d_]", text)
    return text[:found.end() - 1] + text[found.end() - 1:found.end()].upper() + text[found.end():] if found else text


def lower_first(text: str, first: Token) -> str:
    """The text, which no longer opens a sentence, with its first letter in lower case; not where its first word ``first``
    is a name, "I" or in capitals."""
    name = first.tag_ in ("NNP", "NNPS") or first.ent_type_ in _NAMES and first.tag_ != "DT" and not common_plural(first)
    if name or first.text in ("I", "Im", "Ive", "Ill", "Id"):
        return text
    if len(first.text) > 1 and first.text[1:] != first.text[1:].lower():
        return text
    return text[:1].lower() + text[1:]


def common_plural(token: Token) -> bool:
    """Whether it is a common noun that the parser takes for an organisation by its capital ("Taxes rose")."""
    return (token.tag_ == "NNS" and token.ent_type_ in ("ORG", "PERSON", "PRODUCT", "WORK_OF_ART", "LAW", "EVENT")
            and token.lower_ not in ("republicans", "democrats", "dems", "tories") and wordnet.known(token.lower_))


_NAMES = ("PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE")
