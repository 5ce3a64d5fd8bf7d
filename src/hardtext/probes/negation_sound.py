"""Negation that reads the sentence: its clause, its finite verb, its subject.

Each sentence that can be negated has one clause changed. The order of the questions asked about it:

1. Does it open with "It is not true that"? Then that is removed.
2. Is its structure in doubt (uncertain.py): verbs joined by "but" or with subjects of their own, a subordinate clause on
   top of the parse, a verb before the one found? Then it is denied as a whole, "It is not true that …".
3. Is its clause negative ("not", "n't", "never", "no longer", a negative subject or object)? Then it becomes positive
   (affirm.py), unless its subject says how many ("Most … do not") or a word would hang in the air ("not … until").
4. Does its subject say how many? "All voted" becomes "Not all voted", "Some voted" "No … voted"; any other quantity
   ("Most", "Only 12 percent") is denied as a whole, since "not" after the verb would deny something else.
5. Else "not" follows the auxiliary or copula, or "do" and "not" come before a lexical verb (deny.py).

"It is not true that X" and X are each other's negation, so that what is denied as a whole always comes back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hardtext.lexicon.syntax import parse
from hardtext.probes.affirm import affirm
from hardtext.probes.base import Changed, Unchanged
from hardtext.probes.clauses import Clause, clause, known
from hardtext.probes.contractions import NOT
from hardtext.probes.deny import amount, deny, deny_quantity, its, let_us
from hardtext.probes.quantifiers import quantity
from hardtext.probes.quotations import quotations, unwrapped
from hardtext.probes.sentences import Denial, Sentence, applied, sentences
from hardtext.probes.uncertain import already_negative, depends_on_not, uncertain
from hardtext.probes.whole import affirm_whole, denied_whole, deny_whole, lost_verb, name_and_quotation
from hardtext.text import readable

NOTHING = "no clause whose verb can be negated"
_SAYS = re.compile(r"\s*(?:Says?|Said|Claims|Claimed|Suggests|Suggested)(?:\s+that\b)?(?:\s+|(?=[A-Z0-9$\"“]))")
_AVOWAL = re.compile(
    r"(?:That|This|It)(?:['’]?s| is) (?:a fact|true|the truth|(?:been )?proven)\b|I['’]?m not (?:joking|kidding)", re.I)
"""A later sentence that vouches for the one before, and would vouch for its denial."""


def negate(text: str) -> Changed | Unchanged:
    """The text with one clause negated in each sentence that allows it, everything else byte for byte."""
    whole = readable(text)
    denials = list(_denials(whole, *unwrapped(whole)))
    if not denials:
        return Unchanged(NOTHING)
    edits = [edit for denial in denials for edit in denial.edits]
    return Changed(applied(text, edits), "; ".join(dict.fromkeys(denial.what for denial in denials)))


def _denials(text: str, start: int, end: int) -> Iterator[Denial]:
    if (says := _SAYS.match(text, start, end)) and (found := list(_in_part(text, says.end(), end, says=True))):
        yield from found  # a fact-checker's "Says …": the claim is what follows
    else:
        yield from _in_part(text, start, end)


def _in_part(text: str, start: int, end: int, says: bool = False) -> Iterator[Denial]:
    quoted = [(a + start, b + start) for a, b in quotations(text[start:end])]
    parts = list(sentences(parse(text[start:end])))
    for number, tokens in enumerate(parts):
        sentence = Sentence(text, start, tokens, quoted, continues=says and not number)
        denial = None if number and _AVOWAL.match(text, sentence.start(sentence.opening)) \
            else _denied(sentence, alone=len(parts) == 1)
        if denial is not None and not _touches_quotation(sentence, denial):
            yield denial


def _touches_quotation(s: Sentence, denial: Denial) -> bool:
    return any(a < edit.end and edit.start < b for edit in denial.edits for a, b in s.quoted)


def _denied(s: Sentence, alone: bool) -> Denial | None:
    """What negates a sentence; ``alone``: whether the text has no other, which might speak of what it asks for."""
    if denied_whole(s):
        return affirm_whole(s)
    if s.asks_openly:
        return None  # "How much is it?" claims nothing; "Is it much?" asks about a claim
    if s.words(2)[-1:] == ["whether"] or s.words(2) == ["not", "only"]:
        return None  # "On whether …" claims nothing; "Not only is there …, there is …" claims two things
    if (us := let_us(s)) is not None:
        return us
    if (lost_apostrophe := its(s)) is not None:
        return lost_apostrophe
    found = clause(s.tokens)
    if found is None:
        return name_and_quotation(s) or lost_verb(s)
    if _is_aint(found) or (s.asks and not found.inverted):
        return None
    if found.inverted and not s.asks and s.opening.tag_ in ("WRB", "WP"):
        return None  # "How dishonest are they."
    if found.imperative and found.finite.tag_ != "VB" and (whole := lost_verb(s)) is not None:
        return whole
    if found.subject is None and not alone and (found.imperative or found.lexical):
        return None  # "Break up the banks. … He supports none of these ideas."
    if uncertain(s, found) and (whole := deny_whole(s, found)) is not None:
        return whole
    claim = known(found) or found
    denial = _plain(s, claim)
    if denial is None or _touches_quotation(s, denial):
        return deny_whole(s, claim)
    return denial


def _plain(s: Sentence, found: Clause) -> Denial | None:
    """The denial of a clause that is read with confidence."""
    subject = amount(s, found)
    counted = subject and subject[0].lower_ not in (*NOT, "no", "none", "neither") and quantity(subject)
    positive = affirm(s, found)
    if positive is not None:
        return deny_whole(s, found) or positive if counted or depends_on_not(s, found) else positive
    if already_negative(s, found):
        return deny_whole(s, found)
    return deny_quantity(s, found) or deny(s, found)


def _is_aint(found: Clause) -> bool:
    return found.finite.lower_ == "ai" or any(t.lower_ in ("ai", "ain't", "aint") for t in found.head.children)
