"""Subjects that say how many: where "not" after the verb would not deny the sentence.

"All senators did not vote" may leave some who did; what denies "All senators voted" is "Not all senators voted".
"""

from __future__ import annotations

from typing import Literal

from hardtext.probes.clauses import Token

Quantity = Literal["", "universal", "some", "other"]

UNIVERSAL = frozenset(("all", "every", "everyone", "everybody", "everything"))
SOME = {"either": "neither", "some": "no", "someone": "no one", "somebody": "nobody", "something": "nothing"}
_COUNTS = frozenset((
    "most", "many", "few", "fewer", "several", "half", "more", "less", "least", "only", "both", "each", "any", "either",
    "much", "enough", "all", "every", "some", "nearly", "almost", "virtually", "practically", "roughly", "approximately",
    "over", "dozens", "hundreds", "thousands", "millions", "billions", "trillions", "lots", "plenty", "percent", "tens",
    "scores", "another", "one", "none", "no", "countless", "numerous",
))
_MEASURES = frozenset(("majority", "third", "quarter", "fifth", "number", "lot", "total", "half", "handful", "few",
                       "couple", "dozen", "hundred", "thousand", "million", "billion", "record", "fraction", "minority",
                       "bunch"))
_MOSTLY = frozenset(("majority", "bulk", "vast"))
_DEFINITE = frozenset(("the", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our", "their"))


def quantity(subject: list[Token]) -> Quantity:
    """What kind of quantity a noun phrase names; "" for none (a name, "the two senators", "voters")."""
    first = subject[0]
    word = first.lower_
    name = len(subject) > 1 and subject[1].tag_ == "NNP"  # "All Aboard Florida"
    if word in UNIVERSAL and not name and not any(t.dep_ == "relcl" for t in first.children):
        return "universal"
    if word in SOME and not (len(subject) > 1 and _number(subject[1])) and not any(t.lower_ == "or" for t in subject):
        return "some"
    if word == "little" and (first.dep_ in SUBJECT_HEADS or len(subject) > 1 and subject[1].lower_ == "of"):
        return "other"  # "Little was done", not "Little Rock", "Little girls"
    for token in subject:
        if token.lower_ in _MOSTLY and token.tag_ not in ("NNP", "NNPS"):
            return "other"
        if token.lower_ == "the" and any(t.lower_ in _MOSTLY for t in subject[1:3]):
            continue  # "the vast majority"
        if token.lower_ in _DEFINITE or token.tag_ in ("POS", "PRP$", "NNP", "NNPS") or token.dep_ in ("relcl", "acl"):
            return ""
        if token.lower_ in _COUNTS or _number(token) or token.text == "%":
            return "other"
        if token.lower_ in _MEASURES and any(t.lower_ in ("a", "an") and t.i < token.i for t in subject):
            return "other"
        if token.dep_ in SUBJECT_HEADS and token.pos_ in ("NOUN", "PRON", "PROPN", "VERB"):
            return ""
    return ""


SUBJECT_HEADS = frozenset(("nsubj", "nsubjpass", "csubj", "csubjpass"))


def _number(token: Token) -> bool:
    """A cardinal, also where the parser takes "Eleven" for an adjective."""
    return token.tag_ == "CD" or (token.like_num and not token.lower_.endswith(("st", "nd", "rd", "th", "d", "ths")))
