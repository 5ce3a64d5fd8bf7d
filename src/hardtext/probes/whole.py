"""Denying a sentence as a whole: "It is not true that …", where "not" has no sure place in it."""

from __future__ import annotations

import re

from hardtext.probes.clauses import FINITE, Clause
from hardtext.probes.sentences import Denial, Edit, Sentence

ADDED = "it is not true that added"
_OPENER = re.compile(r"it is not true (?:that\s+|(?=that,))", re.I)


def denied_whole(sentence: Sentence) -> bool:
    return _OPENER.match(sentence.text, sentence.start(sentence.opening)) is not None


def affirm_whole(s: Sentence) -> Denial | None:
    """The sentence without its "It is not true that"; None where nothing follows that."""
    opening = s.start(s.opening)
    match = _OPENER.match(s.text, opening)
    if match is None or match.end() >= len(s.text):
        return None
    first = s.text[match.end()]
    new = first.upper() if s.text[opening].isupper() else first
    return Denial([Edit(opening, match.end() + 1, new)], "it is not true that removed")


def deny_whole(s: Sentence, found: Clause | None) -> Denial | None:
    """ "It is not true that" before the sentence, where it makes an assertion that can follow that.

    ``found``: its clause; None where there is none but the caller knows that the sentence asserts something.
    """
    first, place = s.opening, s.start(s.opening)
    if s.asks or s.in_quotation(place) or (s.quoted and first.text == "On") or not (found is None or _asserts(s, found)):
        return None  # 'On taxes, "I …"': a fact-checker's heading
    if first.lower_ == "that" and s.follows(first, 1) == ",":  # "Says that, unlike …"
        return Denial([Edit(place, place, "it is not true ")], ADDED)
    opener = "It is not true that " if s.opens_with_capital else "it is not true that "
    if place and s.text[place - 1] == "[" and first.text[1:2] == "]":  # "[O]ver 200 people"
        return Denial([Edit(place - 1, place, opener + "["), Edit(place, place + 1, first.text[0].lower())], ADDED)
    if any(start == place - 1 for start, _ in s.quoted):
        return Denial([Edit(place - 1, place - 1, opener)], ADDED)
    if place and s.text[place - 1] in "([" and not s.text[: place - 1].strip():
        return Denial([Edit(place - 1, place - 1, opener)], ADDED)  # "(Barack Obama) says …"
    glued = " " if place and s.text[place - 1].isalnum() else ""  # "Says76 percent"
    return Denial([Edit(place, s.end(first), glued + opener + s.lowered(first))], ADDED)


def _asserts(s: Sentence, found: Clause) -> bool:
    """Whether the clause has a subject, or one whose verb a quotation holds: 'Obama "supported it"'."""
    quoted = any(s.start(s.opening) < start <= s.start(found.finite) < end for start, end in s.quoted)
    return not found.inverted and (found.subject is not None or (quoted and found.tag in FINITE))


def name_and_quotation(s: Sentence) -> Denial | None:
    """ 'Barack Obama "extended health care"': a name, and a quotation that begins with its verb."""
    first = s.start(s.opening)
    opened = next((a for a, _ in s.quoted if a > first), None)
    if opened is None:
        return None
    name = [t for t in s.tokens if first <= s.start(t) < opened]
    verb = next((t for t in s.tokens if s.start(t) > opened), None)
    if verb is None or verb.tag_ not in ("VBD", "VBN", "VBZ") or not all(t.text[:1].isupper() for t in name):
        return None
    return Denial([Edit(first, first, "it is not true that " if s.continues else "It is not true that ")], ADDED)


def lost_verb(s: Sentence) -> Denial | None:
    """A sentence whose verb the parser took for part of a noun phrase, though it found a subject ("legislators in 2011
    increased state spending"), or that stands in brackets ("Roosevelt (was) the last president")."""
    if s.opening.tag_ in ("IN", "WP", "WRB", "WDT", "VBG", "TO") and s.opening.lower_ != "in":
        return None  # "On deporting immigrants", "How Obama …"
    if any(t.tag_ in FINITE and s.follows(t, 1) == ")" and t.nbor(-1).text == "(" for t in s.tokens[1:]):
        return deny_whole(s, None)
    subjects = [t for t in s.tokens if t.dep_ in ("nsubj", "nsubjpass") and not t.tag_.startswith("W")]
    for subject in subjects:
        after = s.tokens[subject.i - s.tokens[0].i + 1:]
        verb = subject.head
        top = verb.dep_ == "ROOT" or (verb.dep_ == "ccomp" and verb.head.dep_ == "ROOT") or verb.head.lower_ == "time"
        if top and any(t.tag_ in FINITE and t.i <= verb.i for t in after):
            return deny_whole(s, None)
    return None
