"""Role swap: subject and object of the main clause change places, so that who did it and to whom is reversed."""

from __future__ import annotations

from typing import Any, Optional

from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged
from hardtext.probes.clauses import REPORTING
from hardtext.probes.editing import Edit, apply, headline, lower_first, opening, upper_first
from hardtext.probes.verbs import base_form, inflected
from hardtext.text import match_case

Token = Any
"""spaCy's Token; only lexicon/syntax.py may import spaCy."""

OBJECT_FORMS = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
SUBJECT_FORMS = {form: pronoun for pronoun, form in OBJECT_FORMS.items()}
SYMMETRIC = frozenset("""accompany battle befriend confront contact contradict date debate divorce embrace encounter equal
    face fight follow hug join kiss marry match meet oppose precede replace resemble rival succeed""".split())
NO_DEED = frozenset("""be become believe comprise contain cost cut feel find get give have hear hold include involve know lack
    leave lose make mean need own pay put reach receive remain represent run see show spend take use visit want""".split())
_AGENTS = ("PERSON", "ORG", "NORP", "GPE")
_PEOPLE = frozenset("""activist administration agent army attorney banker business candidate child citizen company
    conservative contractor cop corporation council court criminal critic delegate democrat developer doctor driver employee
    employer expert family farmer father firefighter gang girl government governor group immigrant insurer investigator
    investor journalist judge justice kid lawmaker lawyer leader legislator legislature liberal lobbyist man mayor media
    member minister moderator mother nurse officer official opponent parent patient people police politician
    president prosecutor
    protester reporter republican rioter scientist senator sheriff soldier student supporter teacher terrorist trooper union
    veteran victim voter witness woman worker""".split())
_FINITE = {("be", "VBZ"): "is", ("be", "VBP"): "are", ("have", "VBZ"): "has", ("have", "VBP"): "have"}
_LONGEST = 10  # words of a noun phrase that moves
_IN_THE_WAY = frozenset("acl advcl appos conj neg prep punct relcl".split())
_WITHIN = frozenset("CC CD JJR PRP$ WDT WP WP$".split())
_NO_AGENTS = frozenset("Accord Act Agreement Amendment Bill Medicaid Medicare NAFTA Obamacare Security TPP Treaty".split())
_NOT_TURNED = frozenset("dative expl oprd prt xcomp".split())
_AFTER = frozenset("ADP ADV CCONJ PART PUNCT SCONJ SPACE".split())


class Roles(Probe):
    """Swaps subject and object where both are people, organisations, states or personal pronouns.

    The main clause of the first sentence where it can be done, active or passive, or the clause that it reports ("Says …").
    Pronouns change case, the verb agrees with its new subject, capitals move with the sentence's beginning. Verbs that
    say the same both ways (meet, marry, debate), possession and deeds that can hardly be turned round stay out, and so do
    phrases with clauses or prepositions in them ("the man who …") or an object that speaks of the subject ("his opponent").
    """

    name = "roles"
    expects = "fake"
    of = "real"
    asks = "Does it notice that who did it and to whom it was done were swapped?"
    few_flips = ("A low rate says that the classifier reads a bag of words: both texts hold the same ones. It cannot know "
                 "every deed, but turning a deed round seldom leaves it true.")

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        for sentence in opening(text):
            for verb in _main_verbs(sentence.root):
                if found := _deed(verb, text):
                    subject, sufferer, finite = found
                    edits = _swap(subject, sufferer, finite, text)
                    return Changed(apply(text, edits), f"{_words(subject)} <-> {_words(sufferer)}")
        return Unchanged("no subject and object that could change places")


def probe(settings: ProbeSettings) -> Roles:
    return Roles()


def _main_verbs(root: Token) -> list[Token]:
    """The verb of the main clause, and that of the clause it reports ("Says that X …", "She said X …")."""
    reported = [child for child in root.children if child.dep_ == "ccomp" and root.lemma_ in REPORTING]
    return [root, *reported]


def _deed(verb: Token, text: str) -> Optional[tuple[Token, Token, Token]]:
    """The heads of subject and object and the finite verb, if both can do and suffer the deed and it can be turned round."""
    children = list(verb.children)
    if verb.pos_ != "VERB" or verb.lemma_.lower() in SYMMETRIC | NO_DEED or any(c.dep_ in _NOT_TURNED for c in children):
        return None
    subjects = [c for c in children if c.dep_ in ("nsubj", "nsubjpass") and c.i < verb.i]
    objects = [c for c in children if c.dep_ == "dobj"] + [c for by in children if by.dep_ == "agent" for c in by.children]
    if len(subjects) != 1 or len(objects) != 1 or objects[0].i < verb.i or verb.sent.text.rstrip().endswith("?"):
        return None
    subject, sufferer, finite = subjects[0], objects[0], _finite(verb)
    same = _form(sufferer, SUBJECT_FORMS).lower() == _words(subject).lower()
    if finite is None or same or not (_can_act(subject) and _can_act(sufferer) and _ends_here(sufferer)):
        return None
    return subject, sufferer, finite


def _can_act(head: Token) -> bool:
    """Whether a noun phrase is a short one that stands for people or an organisation."""
    phrase = list(head.subtree)
    if len(phrase) > _LONGEST or phrase[-1].i - phrase[0].i + 1 != len(phrase):
        return False
    if any(t.dep_ in _IN_THE_WAY or t.tag_ in _WITHIN or t.tag_.startswith("VB") for t in phrase):
        return False
    if head.tag_ == "PRP":
        return head.lower_ in OBJECT_FORMS | SUBJECT_FORMS and len(phrase) == 1
    named = head.ent_type_ in _AGENTS and head.tag_ in ("NNP", "NNPS") and head.text not in _NO_AGENTS
    return named or head.lemma_.lower() in _PEOPLE


def _ends_here(head: Token) -> bool:
    """Whether the phrase is complete: what follows begins something else, after a space or a mark."""
    last = head.right_edge
    if last.i + 1 == len(last.doc):
        return True
    following = last.nbor()
    goes_on = following.pos_ not in _AFTER and following.dep_ != "npadvmod"
    return not goes_on and bool(last.whitespace_ or following.pos_ in ("PUNCT", "SPACE"))


def _finite(verb: Token) -> Optional[Token]:
    """The word that agrees with the subject; None where it is written together with another one ("he's")."""
    for token in [*(child for child in verb.children if child.dep_ in ("aux", "auxpass")), verb]:
        if token.tag_ in ("VBZ", "VBP", "VBD", "MD"):
            alone = token.text.isalpha() and (token.i == 0 or token.nbor(-1).whitespace_ or not token.nbor(-1).text.isalpha())
            return token if alone else None
    return None


def _agreed(finite: Token, plural: bool) -> str:
    """The finite verb for a new subject."""
    if finite.tag_ == "MD" or finite.tag_ == "VBD" and finite.lower_ not in ("was", "were"):
        return finite.text
    if finite.tag_ == "VBD":
        new = "were" if plural else "was"
    else:
        lemma = base_form(finite.lower_, finite.tag_, finite.lemma_)
        tag = "VBP" if plural else "VBZ"
        new = _FINITE.get((lemma, tag)) or inflected(lemma, tag)
    return match_case(new, finite.text)


def _plural(head: Token) -> bool:
    return head.tag_ in ("NNS", "NNPS") or head.lower_ in ("i", "we", "they", "me", "us", "them", "police", "people")


def _swap(subject: Token, sufferer: Token, finite: Token, text: str) -> list[Edit]:
    """The edits that put each phrase into the other's place."""
    first, last = _place(subject), _place(sufferer)
    opens = subject.left_edge.i == subject.sent.start or not any(c.isalnum() for c in text[subject.sent.start_char:first[0]])
    title = headline(text) and subject.head.text[:1].isupper()
    doer, acted_on = _form(sufferer, SUBJECT_FORMS), _form(subject, OBJECT_FORMS)
    if title:
        doer, acted_on = upper_first(doer), upper_first(acted_on)
    elif opens:
        doer, acted_on = upper_first(doer), lower_first(acted_on, subject.left_edge)
    verb = Edit(finite.idx, finite.idx + len(finite), _agreed(finite, _plural(sufferer)))
    return [Edit(*first, doer), verb, Edit(*last, acted_on)]


def _form(head: Token, forms: dict[str, str]) -> str:
    """The phrase in its new place: a pronoun in its other case."""
    if head.tag_ == "PRP" and (new := forms.get(head.lower_)):
        return "I" if new == "i" else match_case(new, "" if head.lower_ == "i" else head.text)
    return _words(head)


def _place(head: Token) -> tuple[int, int]:
    return head.left_edge.idx, head.right_edge.idx + len(head.right_edge)


def _words(head: Token) -> str:
    """The phrase as the text has it."""
    return head.doc.text[slice(*_place(head))]
