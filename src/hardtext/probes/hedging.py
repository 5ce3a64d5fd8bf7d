"""Hedging: what the text states as a fact becomes possible or hearsay; its topic and its label stay.

Words before the statement are the form that is always grammatical ("It is possible that …"); a modal inside ("may have
been") would need the verb's form and stress, and gain nothing for the question.
"""

from __future__ import annotations

import re
from typing import Any, Optional

from hardtext import seeding
from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged
from hardtext.probes.clauses import clause
from hardtext.probes.editing import headline, lower_first, opening

Token = Any
"""spaCy's Token; only lexicon/syntax.py may import spaCy."""

REPORTEDLY = "Reportedly,"
HEDGES = ("It is possible that", "It may be that", "It seems that", REPORTEDLY)

_HEDGED = re.compile(r"\b(?:reportedly|allegedly|apparently|supposedly|perhaps|maybe|possibly|probably|presumably|rumou?red|"
                     r"it seems|seems? to|may|might|likely|could be|unclear)\b", re.IGNORECASE)
_TOPIC = re.compile(r"[^.!?:\"“”]{1,40}:\s+")
_SAYS = re.compile(r"(?P<says>Says|Claims)(?:,? that)?,? ")
_LINKS = ("and", "but", "so", "or", "yet")
_REPLIES = ("yes", "no", "well", "look", "oh", "okay", "because", "although", "while", "breaking", "watch", "update", "video")


class Hedging(Probe):
    """Puts a hedge before the first statement of the text: behind "Says", behind a topic with a colon ("Poll: …"), else in
    front. Questions, orders, headlines without a verb and statements that are hedged already stay."""

    name = "hedging"
    expects = "stay"
    asks = "Does it keep its answer when a claim is made as possible rather than certain?"
    few_flips = ("As it should be: a hedge makes neither a false claim true nor a true one false. A high rate says that "
                 "words of certainty, which any writer can add, decide.")

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        if _HEDGED.search(text):
            return Unchanged("hedged already")
        sentence = next((sent for sent in opening(text) if any(token.is_alpha for token in sent)), None)
        start = _start(list(sentence), text) if sentence is not None else None
        if start is None:
            return Unchanged("no statement at the beginning")
        hedge = seeding.generator(seed, self.name).choice(HEDGES)
        return _hedged(text, start, hedge)


def probe(settings: ProbeSettings) -> Hedging:
    return Hedging()


def _start(sentence: list[Token], text: str) -> Optional[Token]:
    """The token that the statement begins with; None where the sentence does not state anything."""
    at = next(token.idx for token in sentence if not token.is_space)
    while before := _SAYS.match(text, at) or _TOPIC.match(text, at):
        at = before.end()
    words = [token for token in sentence if token.idx >= at and not token.is_space]
    if words and words[0].lower_ in _LINKS:
        words = words[1:]
    letters = [token for token in words if token.is_alpha]
    asked = "?" in {token.text for token in sentence[-3:]}
    if not letters or letters[0].lower_ in _REPLIES or asked:
        return None
    found = clause(sentence)
    if found is None or found.subject is None or found.inverted or found.imperative or found.subject.i < words[0].i:
        return None
    while _bullet(words[0]) and words[0].i < found.subject.left_edge.i:
        words = words[1:]
    asks = words[0].lower_ in ("how", "why") or words[0].tag_.startswith("W") and headline(text)
    return None if asks or found.subject.tag_ in ("WP", "WDT") else words[0]


def _bullet(token: Token) -> bool:
    """Whether it is a mark or number before a statement and no part of it: "-", "-2", "1." (not a quotation mark)."""
    return not any(c.isalpha() for c in token.text) and token.text not in _OPENING_MARKS and token.dep_ in (
        "punct", "intj", "dep", "meta", "ROOT", "nummod", "appos") and not token.is_currency


_OPENING_MARKS = frozenset("\"“‘'(")


def _hedged(text: str, start: Token, hedge: str) -> Changed:
    before, after = text[:start.idx], text[start.idx:]
    says = _SAYS.search(before)
    if says:
        before = before[:says.end("says")] + " "
        hedge = HEDGES[0] if hedge == REPORTEDLY else hedge
    elif headline(text):  # whose grammar has no place for "that": "Reportedly, Star Arrested"
        hedge = REPORTEDLY
    if says or any(c.isalpha() for c in before) and not before.rstrip().endswith(":"):
        hedge = hedge[0].lower() + hedge[1:]
    if not headline(text):
        after = lower_first(after, start)
    return Changed(f"{before}{hedge} {after}", f"added {hedge}")
