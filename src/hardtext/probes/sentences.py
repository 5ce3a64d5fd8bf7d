"""Sentences of a parsed text, the places of their words in it, and edits of those places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hardtext.lexicon.function_words import FUNCTION_WORDS
from hardtext.probes.clauses import FINITE, Token
from hardtext.probes.editing import common_plural

_INTERJECTIONS = frozenset(("so", "well", "yes", "no", "look", "now", "oh", "actually", "again", "folks", "today"))
_NEVER_NAMES = (FUNCTION_WORDS - {"i", "may", "will"}) | {
    "about", "barely", "nearly", "roughly", "approximately", "today", "currently", "yesterday", "twice", "thanks"}


@dataclass(frozen=True, slots=True)
class Edit:
    """``new`` in place of the characters ``start:end`` of the text."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Denial:
    """What changes in one sentence, and what to call it."""

    edits: list[Edit]
    what: str


def applied(text: str, edits: list[Edit]) -> str:
    """The text after edits in any order; one that overlaps an earlier one is left out."""
    parts, done = [], 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start >= done:  # two readings of one word ("not" and "at all") make one change
            parts += text[done: edit.start], edit.new
            done = edit.end
    return "".join((*parts, text[done:]))


def sentences(doc: Any) -> Iterator[list[Token]]:
    """The parser's sentences; one that goes on in lower case belongs to the one before it."""
    current: list[Token] = []
    for sentence in doc.sents:
        tokens = [t for t in sentence if not t.is_space]
        if current and tokens and not tokens[0].text[:1].islower():
            yield current
            current = []
        current += tokens
    if current:
        yield current


def _begins_name(token: Token) -> bool:
    """Whether it is the first word of a name such as "All Aboard Florida"."""
    return token.lower_ == "all" and token.i + 1 < len(token.doc) and token.nbor().tag_ == "NNP"


def _opens(token: Token) -> bool:
    """Whether a sentence's first claim can begin with the word."""
    interjection = token.lower_ in _INTERJECTIONS and token.i + 1 < len(token.doc) and token.nbor().text == ","
    return (token.text[0].isalnum() or token.text in "$€£#") and token.tag_ != "CC" and not interjection


class Sentence:
    """One sentence, and where its words stand.

    ``shift``: where the parsed part begins in the text. ``quoted``: the places that stay as they are. ``continues``:
    whether it follows a "Says" and so begins no sentence. ``opening``: its first word that is no "But", bracket,
    interjection ("Look, …") or heading ("On taxes: …").
    """

    def __init__(self, text: str, shift: int, tokens: list[Token], quoted: list[tuple[int, int]], continues: bool) -> None:
        self.text, self.shift, self.tokens, self.quoted, self.continues = text, shift, tokens, quoted, continues
        self.opening = next((t for t in self._after_heading() if _opens(t)), None) or \
            next((t for t in tokens if _opens(t)), tokens[0])

    def _after_heading(self) -> list[Token]:
        tokens = self.tokens
        colon = next((n for n, t in enumerate(tokens[:-2]) if t.text == ":" and t.whitespace_), None)
        if colon is None or any(t.tag_ in FINITE for t in tokens[:colon]) or self.in_quotation(self.end(tokens[colon])):
            return tokens
        return tokens[colon + 1:]

    def in_quotation(self, place: int) -> bool:
        return any(start < place < end for start, end in self.quoted)

    @property
    def asks(self) -> bool:
        return self.tokens[-1].text == "?"

    @property
    def asks_openly(self) -> bool:
        """Whether it asks who, what, how much …, also behind a preposition ("In which year …")."""
        before = (t for t in self.tokens if t.i >= self.opening.i)
        first = next((t for t in before if t.tag_ not in ("IN", "TO", "RB", "UH") and not t.is_punct), self.opening)
        return self.asks and first.tag_ in ("WP", "WP$", "WRB", "WDT")

    @property
    def opens_with_capital(self) -> bool:
        """Whether it begins as a sentence does (a digit begins one too)."""
        return not self.opening.text[:1].islower() and not self.continues

    def start(self, token: Token) -> int:
        return self.shift + token.idx

    def end(self, token: Token) -> int:
        return self.start(token) + len(token.text)

    def words(self, count: int) -> list[str]:
        """The sentence's first words, in lower case."""
        return [t.lower_ for t in self.tokens if t.i >= self.opening.i][:count]

    def follows(self, token: Token, distance: int) -> str:
        """The word so many places further on, in lower case; "" past the sentence."""
        place = token.i + distance
        return token.doc[place].lower_ if place <= self.tokens[-1].i else ""

    def joined(self, first: Token, last: Token) -> str:
        return self.text[self.start(first): self.end(last)].lower()

    def before(self, token: Token) -> Token | None:
        """The token before, within the sentence."""
        return token.nbor(-1) if token.i > self.tokens[0].i else None

    def space_before(self, token: Token) -> str:
        return " " if self.text[self.start(token) - 1: self.start(token)] == " " else ""

    def removal(self, token: Token) -> Edit:
        """The word goes with the space before it."""
        return Edit(self.start(token) - len(self.space_before(token)), self.end(token), "")

    def drop(self, first: Token, last: Token) -> Edit:
        """``first`` to ``last`` go, with the space after them."""
        end = self.end(last)
        return Edit(self.start(first), end + (self.text[end: end + 1] == " "), "")

    def drop_capitalised(self, token: Token) -> Edit:
        """The word goes with the space after it; its capital passes to the next."""
        cut = self.drop(token, token)
        following = self.text[cut.end: cut.end + 1]
        return Edit(cut.start, cut.end + len(following), following.upper() if token.text[:1].isupper() else following)

    def lowered(self, token: Token) -> str:
        """A sentence's first word as it is written further on: names, "I" and acronyms keep their capital."""
        word = token.text
        if word[1:] == word[1:].lower() and token.lower_ in _NEVER_NAMES and not _begins_name(token):
            return word[:1].lower() + word[1:]
        named = token.ent_type_ in ("PERSON", "ORG", "GPE", "NORP", "LOC", "FAC", "EVENT") and not common_plural(token)
        if token.tag_ in ("NNP", "NNPS") or named or token.lower_ == "i" or word[1:] != word[1:].lower():
            return word
        return word[:1].lower() + word[1:]

    @staticmethod
    def merged(edits: list[Edit]) -> list[Edit]:
        """Edits that touch, as one: an insertion and the change of the word it precedes."""
        done: list[Edit] = []
        for edit in sorted(edits, key=lambda e: (e.start, e.end)):
            if done and done[-1].end == edit.start and done[-1].start == done[-1].end:
                done[-1] = Edit(done[-1].start, edit.end, done[-1].new + edit.new)
            else:
                done.append(edit)
        return done

    def noun_phrase(self, head: Token | None) -> list[Token]:
        """The words of a phrase that stand in the sentence, punctuation left out."""
        if head is None:
            return []
        inside = set(self.tokens)
        return [t for t in head.doc[head.left_edge.i: head.right_edge.i + 1] if t in inside and not t.is_punct] or [head]
