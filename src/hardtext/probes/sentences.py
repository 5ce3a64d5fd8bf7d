"""Sentences of a parsed text, the places of their words in it, and edits of those places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hardtext.probes.clauses import Token


@dataclass(frozen=True, slots=True)
class Edit:
    """``new`` in place of the characters ``start:end`` of the text."""

    start: int
    end: int
    new: str


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


class Sentence:
    """One sentence, and where its words stand.

    ``shift``: where the parsed part begins in the text. ``quoted``: the places that stay as they are. ``continues``:
    whether it follows a "Says" and so begins no sentence. ``opening``: its first word that is no "But" or bracket.
    """

    def __init__(self, text: str, shift: int, tokens: list[Token], quoted: list[tuple[int, int]], continues: bool) -> None:
        self.text, self.shift, self.tokens, self.quoted, self.continues = text, shift, tokens, quoted, continues
        self.opening = next((t for t in tokens if (t.text[0].isalnum() or t.text in "$€£#") and t.tag_ != "CC"), tokens[0])

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
        if token.tag_ in ("NNP", "NNPS") or token.ent_type_ in ("PERSON", "ORG", "GPE", "NORP", "LOC", "FAC", "EVENT") \
                or token.lower_ == "i" or word[1:] != word[1:].lower():
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
