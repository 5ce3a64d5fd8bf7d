"""From positive to negative: "not" after the auxiliary or copula, "do" and "not" before a lexical verb."""

from __future__ import annotations

import re

from hardtext.probes.affirm import ANY
from hardtext.probes.clauses import Clause, Token
from hardtext.probes.contractions import NOT, with_not
from hardtext.probes.quantifiers import SOME, quantity
from hardtext.probes.sentences import Denial, Edit, Sentence
from hardtext.probes.uncertain import focused
from hardtext.probes.verbs import base_form
from hardtext.probes.whole import deny_whole
from hardtext.text import match_case

_AUXILIARY = re.compile(
    r"(?:would|could|should|did|does|do|is|are|was|were|has|have|had|ca|wo)n['’]?t|(?:.*\W)?(?:i|we|you|they)['’]?(?:ve|re|ll)",
    re.I)  # "dont", "youve"
_EPISTEMIC = frozenset(("probably", "possibly", "perhaps", "maybe", "certainly", "definitely", "allegedly", "reportedly",
                        "apparently", "supposedly", "obviously", "clearly", "likely", "arguably", "actually", "also",
                        "currently", "presently", "basically", "essentially", "ultimately", "literally", "undoubtedly"))
"""Adverbs that "not" does not deny, so that it follows them: "is probably not", "also did not vote"."""
_OUTSIDE = _EPISTEMIC | frozenset(("now", "then", "today", "so", "thus", "therefore", "however", "later", "soon", "finally",
                                   "eventually", "once", "indeed", "thereby", "subsequently", "and", "not"))
_BEFORE_QUANTITY = frozenset(("only", "nearly", "almost", "virtually", "over", "more", "fewer", "less", "least", "at",
                              "about", "roughly", "than", "up", "to", "not", "just", "even"))


def amount(s: Sentence, found: Clause) -> list[Token]:
    """The subject with the words before it that belong to its amount ("only", "more than"); empty without a subject."""
    subject = s.noun_phrase(found.subject)
    if not subject or found.inverted or found.subject.dep_ == "expl":
        return []
    while (before := s.before(subject[0])) is not None and before.lower_ in _BEFORE_QUANTITY \
            and before.i not in (found.finite.i, found.head.i):
        subject = [before, *subject]
    return subject


def deny_quantity(s: Sentence, found: Clause) -> Denial | None:
    """ "All voted" → "Not all voted", "Some voted" → "No … voted"; any other quantity is denied with the sentence."""
    subject = amount(s, found)
    kind = quantity(subject) if subject else ""
    if not kind:
        return None
    first = subject[0]
    if kind == "universal":
        not_ = "Not " + s.lowered(first) if first.text[:1].isupper() else "not " + first.text
        return Denial([Edit(s.start(first), s.end(first), not_)], f"{first.lower_} -> not {first.lower_}")
    if kind == "some":
        new = SOME[first.lower_]
        if new == "no" and not (len(subject) > 1 and first.dep_ == "det"):
            new = "none"
        return Denial([Edit(s.start(first), s.end(first), match_case(new, first.text))], f"{first.lower_} -> {new}")
    return deny_whole(s, found)


def deny(s: Sentence, found: Clause) -> Denial | None:
    """What makes a positive clause negative."""
    finite = found.finite
    still = next((t for t in found.head.children if t.lower_ == "still" and t.dep_ == "advmod"
                  and t.i != s.opening.i and abs(t.i - finite.i) == 1), None)
    if still is not None and finite.tag_ == "MD" and (whole := deny_whole(s, found)) is not None:
        return whole  # "it would still leave workers better off"
    if still is not None:
        return Denial([Edit(s.start(still), s.end(still), "no longer")], "still -> no longer")
    if found.imperative:
        return _imperative(s, found)
    if s.follows(finite, 1) == "better" and finite.lower_ in ("had", "'d", "’d"):
        better = finite.nbor()
        return Denial([Edit(s.end(better), s.end(better), " not")], "had better -> had better not")
    if focused(s, found) and (whole := deny_whole(s, found)) is not None:
        return whole
    return _lexical(s, found) if found.lexical else _auxiliary(s, found)


def _auxiliary(s: Sentence, found: Clause) -> Denial:
    """ "is" → "is not", "can" → "cannot", "Did he win?" → "Did he not win?"."""
    finite, polarity = found.finite, _negative_polarity(s, found)
    is_copula = finite.i == found.head.i
    if found.inverted and (not is_copula or finite.i == s.opening.i
                           or (s.asks and s.opening.tag_ not in ("WP", "WDT"))):
        place = s.end(found.subject.right_edge)
        return Denial([Edit(place, place, " not"), *polarity], f"{finite.lower_} -> {finite.lower_} not")
    if s.follows(finite, 1) in _EPISTEMIC - {"actually"} and s.follows(finite, 2) != "to":  # "is probably not"
        place = s.end(finite.nbor())
        return Denial([Edit(place, place, " not"), *polarity], f"{finite.lower_} -> {finite.lower_} not")
    had = found.head.tag_ == "VBN" and not any(t.tag_ == "VB" for t in found.head.children)  # not "he'd have won"
    new = f"not {finite.text}" if finite.tag_ == "VBN" else with_not(finite.text, had)  # "Trumps not been"
    return Denial([Edit(s.start(finite), s.end(finite), new), *polarity], f"{finite.lower_} -> {new.strip().lower()}")


def _lexical(s: Sentence, found: Clause) -> Denial | None:
    """ "won" → "did not win", where nothing says that the parser lost an auxiliary or half of a word."""
    finite = found.finite
    before = s.before(finite)
    if found.inverted:
        return None
    if (s.follows(finite, 1) == "-" and not finite.whitespace_) or (before is not None and (
            before.lower_ in NOT or before.dep_ in ("aux", "auxpass") or _AUXILIARY.fullmatch(before.text))):
        return deny_whole(s, found)
    return _with_do(s, found)


def _with_do(s: Sentence, found: Clause) -> Denial:
    verb = found.finite
    do = {"VBZ": "does not", "VBD": "did not"}.get(found.tag, "do not")
    base = base_form(verb.lower_, found.tag, verb.lemma_.lower())
    upper = len(verb.text) > 1 and verb.text.isupper()
    place = _before_adverbs(s, verb)
    opens = place.i == s.opening.i
    edits = _negative_polarity(s, found)
    for shared in (verb, *(t for t in found.coordinated() if t.tag_ == found.tag)):
        new = base if shared.i == verb.i else base_form(shared.lower_, found.tag, shared.lemma_.lower())
        new = new.upper() if upper else new if opens and shared.i == verb.i else match_case(new, shared.text)
        if new != shared.text:
            edits.append(Edit(s.start(shared), s.end(shared), new))
    auxiliary = do.upper() if upper else match_case(do, place.text) if opens else do
    edits.insert(0, Edit(s.start(place), s.start(place), auxiliary + " "))
    return Denial(s.merged(edits), f"{verb.lower_} -> {do} {base}")


def _before_adverbs(s: Sentence, verb: Token) -> Token:
    """Where "do not" goes: before the adverbs that it denies with the verb, the first half of "flip-flopped", "("."""
    place = verb
    while (before := s.before(place)) is not None and before.tag_ == "RB" and before.head.i == verb.i \
            and before.lower_ not in _OUTSIDE and before.i != s.opening.i:
        place = before
    while (dash := s.before(place)) is not None and dash.text == "-" and not dash.whitespace_ \
            and (first := s.before(dash)) is not None and not first.whitespace_:
        place = first
    if (before := s.before(place)) is not None and before.text == "(" and before.i > s.tokens[0].i:
        place = before
    return place


def _imperative(s: Sentence, found: Clause) -> Denial | None:
    verb = found.finite
    if verb.tag_ != "VB":
        return None
    first = verb.i == s.opening.i
    new = "Do not " + s.lowered(verb) if first and verb.text[:1].isupper() else "do not " + verb.text
    return Denial([Edit(s.start(verb), s.end(verb), new)], f"{verb.lower_} -> do not {verb.lower_}")


def let_us(s: Sentence) -> Denial | None:
    """ "Let's" and "Let's not", each for the other; None where the sentence does not open with either."""
    words = s.words(2)
    if words[:1] != ["let"] or words[1:] not in (["'s"], ["’s"], ["us"]):
        return None
    us = s.opening.nbor()
    if s.follows(us, 1) == "not":
        return Denial([s.removal(us.nbor())], "let's not -> let's")
    return Denial([Edit(s.end(us), s.end(us), " not")], "let's -> let's not")


def its(s: Sentence) -> Denial | None:
    """ "Its always Trump", "Its prohibited that …": "It's", an apostrophe lost; "not" follows it."""
    first = s.opening
    following = first.nbor() if first.i < s.tokens[-1].i else first
    ours = first.dep_ == "poss" and following.i == first.head.i and following.tag_ not in ("NNP", "NNPS", "VBN", "JJ")
    predicate = first.head.i == first.head.head.i or first.dep_ in ("nsubj", "nsubjpass") or following.tag_ == "CD"
    if first.lower_ != "its" or ours or not predicate:
        return None  # "Its budget grew"
    if s.follows(first, 1) == "not":
        return Denial([s.removal(first.nbor())], "its not -> its")
    return Denial([Edit(s.end(first), s.end(first), " not")], "its -> its not")


def _negative_polarity(s: Sentence, found: Clause) -> list[Edit]:
    """ "some" in the object of a negated verb reads "any"."""
    back = {some: any_ for any_, some in ANY.items()}
    objects = [t for t in found.head.children if t.dep_ in ("dobj", "attr") and t.i > found.head.i]
    words = [d for o in objects for d in (o, *o.children)
             if d.lower_ in back and (d is o or (d.dep_ == "det" and d.nbor().tag_ != "CD"))]
    return [Edit(s.start(d), s.end(d), match_case(back[d.lower_], d.text)) for d in words]
