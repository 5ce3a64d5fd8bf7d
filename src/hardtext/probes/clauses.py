"""The clause that a sentence asserts: its finite verb, its subject, and the verbs that share both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hardtext.probes.contractions import contracted
from hardtext.probes.verbs import inflected, known_verb

Token = Any
"""spaCy's Token; only lexicon/syntax.py may import spaCy."""

FINITE = frozenset(("MD", "VBZ", "VBP", "VBD"))
SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj", "csubjpass", "expl"))
REPORTING = frozenset(("say", "claim", "suggest", "argue", "state", "assert", "tell"))
BARE_COMPLEMENT = REPORTING | frozenset((
    "say", "believe", "think", "know", "admit", "promise", "show", "find", "mean", "agree", "hope", "wish", "report",
    "confirm", "acknowledge", "predict", "announce", "conclude", "warn", "insist", "let", "make", "help", "see", "hear",
    "have", "ensure", "declare", "estimate", "feel", "learn", "note", "prove", "reveal", "vow", "want", "would"))
"""Verbs after which a clause without "that" is no surprise."""
KNOWING = frozenset(("know", "realize", "remember", "understand", "learn", "recognize", "notice"))
PROUD = frozenset(("proud", "glad", "happy", "aware", "sorry", "sure"))
THIRD_SINGULAR = frozenset(("he", "she", "it", "this", "that", "who"))


@dataclass(frozen=True, slots=True)
class Clause:
    """``head`` is the lexical verb (or a copula), ``finite`` the auxiliary, copula or verb that carries tense, ``tag``
    the finite verb's Penn Treebank tag, corrected where the parser's cannot be. ``subject`` is the head of the subject,
    None in an imperative or where a headline leaves it out."""

    head: Token
    finite: Token
    tag: str
    subject: Token | None

    @property
    def lexical(self) -> bool:
        """Whether the finite verb needs "do" to be negated."""
        return self.finite.i == self.head.i and self.tag != "MD" and not _is_be(self.finite)

    @property
    def imperative(self) -> bool:
        return self.tag == "VB"

    @property
    def inverted(self) -> bool:
        """Whether the subject follows the finite verb, as in a question."""
        return self.subject is not None and self.subject.i > self.finite.i

    def coordinated(self) -> Iterator[Token]:
        """Lexical verbs joined to the head by "and" or "or" that share its subject and stand without an auxiliary."""
        verb = self.head
        while True:
            nexts = [t for t in verb.children if t.dep_ == "conj" and t.i > verb.i and t.tag_.startswith("VB")]
            joined = {t.lower_ for t in verb.children if t.dep_ == "cc"}
            if not nexts or not joined <= {"and", "or"}:
                return
            verb = nexts[0]
            if any(t.dep_ in SUBJECTS or t.dep_ in ("aux", "auxpass", "neg") for t in verb.children) \
                    or verb.lemma_ == "be" or infinitive_between(self.head, verb):
                return  # after "tried to repeal … and defund" the second verb may belong to either
            yield verb


def infinitive_between(first: Token, second: Token) -> bool:
    return any(t.tag_ == "TO" for t in first.doc[first.i: second.i])


def clause(sentence: list[Token]) -> Clause | None:
    """The clause that a sentence (or several that the parser cut one into) asserts; None where it has no finite verb."""
    for root in (token for token in sentence if token.head.i == token.i):
        if found := _of(root) or next(filter(None, map(_of, _clauses_below(root))), None):
            return found
    return None


def _clauses_below(root: Token) -> Iterator[Token]:
    """Clauses that a root without a finite verb of its own holds, where the parser took a noun for the root."""
    for token in root.children:
        subject = subject_of(token)
        if subject is not None and token.dep_ in ("ccomp", "parataxis", "conj"):
            yield token
        elif subject is not None and token.dep_ == "relcl" and token.lemma_ == "be" and subject.tag_ not in ("WDT", "WP"):
            yield token  # "the word X is on page 107", where the parser took a name for the clause's subject
        elif token.dep_ == "conj" and any(t.dep_ in ("aux", "auxpass") and t.tag_ in FINITE for t in token.children):
            yield token  # "states not involved … are not bound"


def _of(head: Token) -> Clause | None:
    subject = subject_of(head)
    complement = next((t for t in head.children if t.dep_ == "ccomp" and t.i > head.i), None)
    auxiliaries = [t for t in head.children if t.dep_ in ("aux", "auxpass") and t.tag_ in FINITE | {"VB"}]
    if head.pos_ not in ("VERB", "AUX") and (subject is None or not auxiliaries):
        return None
    if complement is not None and not auxiliaries and _passes_on(head, subject, complement):
        return _of(complement)
    finite = next((t for t in auxiliaries if t.tag_ in FINITE), None)
    if finite is not None:
        return Clause(head, finite, finite.tag_, subject)
    if subject is None and head.tag_ in ("VB", "VBP") and not _infinitive(head):
        return Clause(head, auxiliaries[0] if auxiliaries else head, "VB", None)
    tag = _tag(head, subject)
    return Clause(head, head, tag, subject) if tag else None


def _passes_on(head: Token, subject: Token | None, complement: Token) -> bool:
    """Whether the claim is a verb's complement rather than the verb."""
    if subject is None:  # "Says the economy is growing": who says it was left out
        return head.lemma_.lower() in REPORTING and head.tag_ in FINITE
    return head.tag_ == "VB" and any(t.dep_ == "advcl" and _infinitive(t) and t.i < subject.i for t in head.children)
    # "To hear the governor tell it, everything is fine"


def known(found: Clause) -> Clause | None:
    """What "we know that …" and "I am proud of the fact that …" take for granted, which denying them would leave
    standing; None for any other clause, and for a denied one."""
    head, subject = found.head, found.subject
    if subject is None or subject.lower_ not in ("i", "we", "you") or any(t.dep_ == "neg" for t in head.children):
        return None
    feeling = [t for t in head.children if t.dep_ == "acomp" and t.lemma_ in PROUD]
    fact = [f for a in feeling for p in a.children if p.dep_ == "prep" for f in p.children if f.lower_ == "fact"]
    holders = [head] if head.lemma_ in KNOWING else [*feeling, *fact]
    inside = (t for h in holders for t in h.children if t.dep_ in ("ccomp", "acl") and t.i > h.i)
    claim = next((t for t in inside if not t.left_edge.tag_.startswith("W")), None)
    return _of(claim) if claim is not None and subject_of(claim) is not None else None


def _is_be(token: Token) -> bool:
    """Whether a finite verb is a form of "be", or one of the short ones that the parser takes for verbs of their own."""
    return token.lemma_ == "be" or (contracted(token.text) and token.i > 0 and not token.nbor(-1).whitespace_)


def subject_of(verb: Token) -> Token | None:
    """The first subject of a verb ("there" where there is one)."""
    return next((t for t in verb.children if t.dep_ in SUBJECTS), None) or \
        next((t for t in verb.children if t.dep_ == "dep" and t.pos_ in ("NOUN", "PROPN") and t.i < verb.i), None)


def _tag(verb: Token, subject: Token | None) -> str | None:
    """A lexical verb's tag. Past forms that are also base forms or participles are told apart by the subject."""
    word, tag = verb.lower_, verb.tag_
    if _is_be(verb):
        lost = tag == "VBN" and subject is not None and subject.i + 1 == verb.i and subject.lower_.endswith("s")
        return tag if tag in FINITE or lost else None  # "Trumps been consistent": "Trump's", an apostrophe lost
    if subject is None:
        if tag == "VBN" and verb.i == verb.sent.start and not any(t.dep_ == "agent" for t in verb.children) \
                and inflected(verb.lemma_, "VBD") == word:
            tag = "VBD"  # "Offered sanctuary to immigrants": a headline without its subject
        return tag if tag in ("VBZ", "VBD") and known_verb(word) else None
    if _infinitive(verb) or any(t.dep_ == "neg" and t.lower_ != "never" for t in verb.children):
        return None  # a finite verb without an auxiliary has no "not": "states not involved in it"
    if tag == "VBN":
        return "VBD"  # a participle with a subject and no auxiliary is a past that the parser misread
    if tag in ("VB", "VBP") or (tag == "VBD" and word == verb.lemma_):
        singular = subject.tag_ in ("NN", "NNP") or subject.lower_ in THIRD_SINGULAR
        several = any(t.dep_ == "conj" for t in subject.children)
        if inflected(word, "VBD") == word and (tag == "VBD" or (singular and not several)):
            return "VBD"  # "Walker cut taxes"
        return "VBP"
    return tag if tag in FINITE else None


def _infinitive(verb: Token) -> bool:
    return any(t.dep_ == "aux" and t.tag_ == "TO" for t in verb.children)
