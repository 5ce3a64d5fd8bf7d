"""From negative to positive: the "not", "never" or "no" of a clause goes, and with it what only stands under one."""

from __future__ import annotations

from hardtext.probes.clauses import Clause, Token
from hardtext.probes.contractions import NOT, without_not
from hardtext.probes.quantifiers import UNIVERSAL
from hardtext.probes.sentences import Denial, Edit, Sentence
from hardtext.probes.verbs import inflected
from hardtext.text import match_case

ANY = {"any": "some", "anyone": "someone", "anybody": "somebody", "anything": "something", "anywhere": "somewhere"}
_POSITIVE = {"no": "some", "none": "some", "nobody": "somebody", "nothing": "something", "noone": "someone",
             "neither": "either", "nowhere": "somewhere", "nobodys": "somebodys", "nothings": "somethings"}
_RAISING = frozenset(("think", "believe", "expect", "know", "suppose", "imagine", "see"))  # "I do not think he ever …"
_NEGATED_SUBJECTS = UNIVERSAL | {"one", "a", "any", "both", "many", "even", "enough", "much"}  # "Not all senators"
_ARGUMENTS = frozenset(("nsubj", "nsubjpass", "dobj", "attr", "dative", "acomp", "oprd", "pobj"))


def affirm(s: Sentence, found: Clause) -> Denial | None:
    """What makes a negative clause positive; None where it is not negative."""
    return _verb(s, found) or _adverb(s, found) or _not_all(s, found) or _negative_word(s, found)


def _verb(s: Sentence, found: Clause) -> Denial | None:
    """ "is not" → "is", "can't" → "can", "did not go" → "went"."""
    finite, verbs = found.finite, (found.head, found.finite)
    token = next((t for t in s.tokens if t.lower_ in NOT and t.i > finite.i and (
        t.head in verbs or t.i == finite.i + 1 or (t.i == finite.i + 2 and t.nbor(-1).tag_ == "RB"))), None)
    if token is None:
        return _not_one(s, found)
    polarity = positive_polarity(s, found, token)
    if finite.lemma_ == "do" and finite.i != found.head.i and not found.inverted:
        return _without_do(s, found, token, polarity)
    if finite.lower_ == "need":
        must = Edit(s.start(finite), s.end(token), match_case("must", finite.text))
        return Denial([must, *polarity], f"{finite.lower_} not -> must")
    auxiliary = without_not(finite.text) if token.i == finite.i + 1 and token.lower_ != "not" else finite.text
    edits = [Edit(s.start(finite), s.end(finite), auxiliary)] if auxiliary != finite.text else []
    edits.append(s.removal(token))
    return Denial(edits + polarity, f"{s.joined(finite, token)} -> {auxiliary.lower()}")


def _without_do(s: Sentence, found: Clause, token: Token, polarity: list[Edit]) -> Denial:
    """ "did not go" → "went", "Don't go" → "Go"."""
    finite, head = found.finite, found.head
    tag = "VB" if found.imperative else finite.tag_
    edits = [s.drop(finite, token)] if token.i == finite.i + 1 else [s.drop(finite, finite), s.removal(token)]
    opens = finite.i == s.opening.i and head.i == token.i + 1 and finite.text[:1].isupper()
    for shared in (head, *(t for t in found.coordinated() if t.tag_ in ("VB", "VBP"))):
        new = inflected(shared.lower_, tag)
        new = new.upper() if shared.text.isupper() else match_case(new, shared.text)
        if opens and shared.i == head.i:
            new = new[:1].upper() + new[1:]
        if new != shared.text:
            edits.append(Edit(s.start(shared), s.end(shared), new))
    return Denial(edits + polarity, f"{s.joined(finite, token)} {head.lower_} -> {inflected(head.lower_, tag)}")


def _not_one(s: Sentence, found: Clause) -> Denial | None:
    """ "not one hearing" → "one hearing"."""
    for argument in (t for t in found.head.children if t.dep_ in ("dobj", "attr") and t.i > found.head.i):
        first = argument.left_edge
        if first.lower_ == "not" and s.follows(first, 1) in ("one", "a"):
            return Denial([s.removal(first)], f"not {s.follows(first, 1)} -> {s.follows(first, 1)}")
    return None


def _adverb(s: Sentence, found: Clause) -> Denial | None:
    """ "never" goes; "no longer" becomes "still"."""
    verbs = (found.head, found.finite)
    for token in s.tokens:
        ours = token.head in verbs or (token.head.dep_ == "advmod" and token.head.head in verbs)  # "never before tried"
        if token.lower_ == "never" and ours and not found.inverted:
            edits = [s.drop_capitalised(token) if token.i == s.opening.i else s.removal(token)]
            if token.i != s.opening.i and s.follows(token, 1) in ("before", "once"):
                edits = [Edit(edits[0].start, s.end(token.nbor()), "")]
            return Denial(edits + positive_polarity(s, found, token), "never removed")
        if token.lower_ == "longer" and ours and token.i and token.nbor(-1).lower_ == "no":
            no = token.nbor(-1)
            return Denial([Edit(s.start(no), s.end(token), match_case("still", no.text))], "no longer -> still")
    return None


def _not_all(s: Sentence, found: Clause) -> Denial | None:
    """ "Not all senators voted" → "All senators voted"."""
    subject = s.noun_phrase(found.subject)
    if not subject:
        return None
    first = subject[0]
    token = first if first.lower_ == "not" else s.before(first)
    if token is None or token.lower_ != "not" or s.follows(token, 1) not in _NEGATED_SUBJECTS:
        return None
    return Denial([s.drop_capitalised(token), *positive_polarity(s, found, token)],
                  f"not {token.nbor().lower_} -> {token.nbor().lower_}")


def _negative_word(s: Sentence, found: Clause) -> Denial | None:
    """A negative subject or object becomes positive: "no plan" → "some plan", "nobody" → "somebody"."""
    heads = [found.head, *(t for t in found.head.children if t.dep_ == "xcomp")]
    for argument in (t for h in heads for t in h.children if t.dep_ in _ARGUMENTS):
        before = (t for t in argument.children if t.dep_ in ("det", "advmod", "neg") and t.i < argument.i)
        for token in (argument, *before):
            edge = token.lower_ in ("no", "neither") and token.i == argument.left_edge.i
            if (new := _POSITIVE.get(token.lower_)) and (token.i == argument.i or edge):
                return _positive_word(s, found, argument, token, new)
    return None


def _positive_word(s: Sentence, found: Clause, argument: Token, token: Token, new: str) -> Denial | None:
    following = token.nbor() if token.i + 1 < len(token.doc) else None
    if token.lower_ == "no" and following is not None:
        if following.text == ".":
            return None  # "No. 1"
        if following.lower_ == "one":
            someone = Edit(s.start(token), s.end(following), match_case("someone", token.text))
            return Denial([someone, *positive_polarity(s, found, following)], "no one -> someone")
        if following.tag_ in ("RBR", "JJR", "JJ") and argument.dep_ == "acomp":
            return Denial([s.removal(token)], "no removed")
        predicate = argument.dep_ == "attr" and found.subject is not None and found.subject.dep_ != "expl"
        if predicate and argument.tag_ in ("NN", "JJ"):
            new = "an" if following.lower_[:1] in "aeiou" else "a"
    edits = [Edit(s.start(token), s.end(token), match_case(new, token.text))]
    if token.lower_ == "neither":
        edits += [Edit(s.start(t), s.end(t), match_case("or", t.text)) for t in argument.subtree if t.lower_ == "nor"][:1]
    return Denial(edits + positive_polarity(s, found, token), f"{token.lower_} -> {new}")


def positive_polarity(s: Sentence, found: Clause, token: Token) -> list[Edit]:
    """ "any", "ever" and "at all" live under a negation; without it they become "some" or go."""
    edits = [Edit(s.start(t), s.end(t), "or") for t in found.head.children if t.lower_ == "nor" and t.i > token.i]
    for t in found.head.subtree:
        if t.i < token.i or t not in s.tokens or not _licensed(t, found.head):
            continue
        following = t.nbor().lower_ if t.i + 1 < len(t.doc) else ""
        if t.lower_ in ANY and (t.dep_ != "det" or t.head.dep_ in ("dobj", "pobj", "attr", "nsubj", "nsubjpass")) \
                and following not in ("other", "more", "longer"):
            edits.append(Edit(s.start(t), s.end(t), ANY[t.lower_]))
        elif t.lower_ == "ever" and t.head.pos_ in ("VERB", "AUX") and t.i < t.head.i \
                and not any(c.tag_ == "TO" for c in t.head.children):
            edits.append(s.removal(t))
        elif t.lower_ == "anymore":
            edits.append(s.removal(t))
        elif t.lower_ == "at" and following == "all" and not s.follows(t, 2)[:1].isalnum():
            edits.append(Edit(s.start(t) - len(s.space_before(t)), s.end(t.nbor()), ""))
    return edits


def _licensed(word: Token, head: Token) -> bool:
    """Whether it is the negation of ``head`` that a word like "any" depends on: no other clause or negation is between."""
    if word.i and word.nbor(-1).lower_ in ("than", "if", "as", "almost", "nearly", "practically", "virtually", "just"):
        return False
    for between in word.ancestors:
        if between.i == head.i:
            return True
        if any(t.dep_ == "neg" or (t.dep_ == "mark" and t.lower_ in ("if", "unless", "whether")) for t in between.children) \
                or (between.dep_ == "ccomp" and head.lemma_ not in _RAISING):
            return False
    return word.head.i == head.i
