"""Where the place of "not" is uncertain, so that a sentence had better be denied as a whole."""

from __future__ import annotations

import re

from hardtext.probes.clauses import BARE_COMPLEMENT, FINITE, REPORTING, Clause, Token, infinitive_between, subject_of
from hardtext.probes.contractions import NOT
from hardtext.probes.sentences import Sentence
from hardtext.probes.verbs import known_verb

_GLUED = re.compile(r"[a-z]{3}(?:We|He|She|They|It|The|This|That|You|In|But|And)\b")  # "employeesWe are": two sentences
_ALMOST_NOT = frozenset(("hardly", "barely", "scarcely", "seldom", "rarely"))
_NEGATIVE = NOT | _ALMOST_NOT | frozenset(("no", "never", "nobody", "nothing", "none", "neither", "nor", "nowhere"))
_HOW_OFTEN = frozenset(("only", "more", "often", "sometimes", "occasionally", "usually", "twice", "once", "many", "most",
                        "every", "each", "always"))
_FOCUS = frozenset(("only", "just", "merely", "simply", "now", "even", "already", "mostly", "mainly", "largely", "solely",
                    "absolutely", "totally", "completely", "fully", "entirely",
                    "both", "always", "all"))
"""Words that "not" before them denies alone: "will not only increase" still says that it will."""
_POLAR = frozenset(("even", "yet", "until", "either", "instead", "alone", "rather", "necessarily", "exactly", "but", "only",
                    "just", "merely", "solely", "simply", "all", "every", "because", "much"))
"""Words that mean something else, or nothing, once the "not" before them has gone: "has not begun yet"."""


def uncertain(s: Sentence, found: Clause) -> bool:
    """Whether the parse, or what "not" would deny, is in doubt."""
    return _several_sentences(s) or _misread(s, found) or _counted_opening(s, found) or _but(s, found) or uneven(found) \
        or _stray_verb(s, found)


def _several_sentences(s: Sentence) -> bool:
    """Whether the parser took two sentences for one."""
    ends = (t for t in s.tokens[1:-2] if t.text in (".", "!", "?", ";"))
    return any(s.end(t) < len(s.text) and t.whitespace_ and not s.in_quotation(s.start(t))
               and (t.text == ";" or t.nbor().text[:1].isupper()) for t in ends) \
        or _GLUED.search(s.text[s.start(s.tokens[0]): s.end(s.tokens[-1])]) is not None


def _misread(s: Sentence, found: Clause) -> bool:
    """Whether the clause found is none that a sentence's parse can rest on."""
    head, subject = found.head, found.subject
    root = next((t for t in (head, *head.ancestors) if t.head.i == t.i), head)
    reported = root.lemma_.lower() in REPORTING and subject_of(root) is None
    if root.i != head.i and not reported and not (root.tag_ == "VB" and subject_of(root) is not None):
        return True  # a verb deep in the sentence, the fused one above it not seen: "the proposalputs the government"
    if found.lexical and not known_verb(found.finite.lower_):
        return True  # "proposalputs"
    if any(t.tag_ in ("VBZ", "VBD") and any(c.tag_ == "TO" for c in t.children if c.dep_ == "aux") for t in s.tokens):
        return True  # "The church he belongs to only admits …" read as "to admits"
    if subject is None:
        return False
    opener = [t for t in head.children if t.i < subject.i and (t.dep_ == "mark" or t.tag_ == "WRB")]
    if opener and not s.asks and not (found.inverted or reported):
        return True  # "When he had an opportunity, he voted …", with the first verb on top
    if subject.tag_ == "NNP" and subject.lower_.endswith("s") and found.tag == "VBP" and found.lexical \
            and subject.i + 1 == found.finite.i:
        return True  # "Trumps plan to …": "Trump's", an apostrophe lost
    complement = next((t for t in head.children if t.dep_ == "ccomp" and t.i > head.i), None)
    return (complement is not None and complement.left_edge.i == head.i + 1 and complement.left_edge.dep_ != "mark"
            and not complement.left_edge.tag_.startswith("W") and subject_of(complement) is not None
            and any(t.tag_ in FINITE for t in (complement, *complement.children) if t.dep_ in ("ccomp", "aux", "auxpass"))
            and found.lexical and head.lemma_.lower() not in BARE_COMPLEMENT)  # "the governors proposed budget is"


def _counted_opening(s: Sentence, found: Clause) -> bool:
    """Whether the sentence opens with how often or how long, which "not" would not deny: "More than once, I had …"."""
    first, subject = s.opening, found.subject
    return subject is not None and first.lower_ in _HOW_OFTEN and first.i < subject.left_edge.i


def _but(s: Sentence, found: Clause) -> bool:
    return any(t.lower_ in ("but", "yet") and t.tag_ == "CC" and t.i > found.finite.i and not s.in_quotation(s.start(t))
               for t in s.tokens)


def uneven(found: Clause) -> bool:
    """Whether the verbs joined to the clause's would not all be denied by one "not"."""
    pending = [found.head]
    while pending:
        verb = pending.pop()
        for t in verb.children:
            if t.dep_ == "conj" and (t.pos_ in ("VERB", "AUX") or subject_of(t) is not None):
                if _of_its_own(found, t):
                    return True
                pending.append(t)
    return False


def _of_its_own(found: Clause, verb: Token) -> bool:
    """Whether a verb joined to the clause's has its own subject, auxiliary, negation or tense."""
    own = [t for t in verb.children if t.dep_ in ("aux", "auxpass", "neg") and t.tag_ != "TO"]
    if own or subject_of(verb) is not None:
        return True
    finite = verb.tag_ in ("VBZ", "VBD", "MD") or (found.lexical and verb.tag_ == "VBN")
    if found.lexical and found.tag != "VB":
        return finite and (verb.tag_ != found.tag or verb.lemma_ == "be" or infinitive_between(found.head, verb))
    return finite


def _stray_verb(s: Sentence, found: Clause) -> bool:
    """Whether a finite verb comes first that no subject, subordinate clause or reporting verb holds."""
    above = {t.i for t in found.head.ancestors}
    for verb in s.tokens:
        if verb.i >= found.finite.i:
            return False
        if verb.tag_ not in FINITE or verb.i in above:
            continue
        path = [verb]
        while path[-1].head.i not in (found.head.i, path[-1].i):
            path.append(path[-1].head)
        top = path[-1]
        opened = any(t.i < verb.i and (t.dep_ == "mark" or t.tag_ in ("WRB", "IN")) for t in top.children)
        if top.head.i != found.head.i or top.dep_ in ("ccomp", "conj", "dep", "parataxis") \
                or (top.dep_ == "advcl" and not opened and verb.i == top.i):
            return True
    return False


def already_negative(s: Sentence, found: Clause) -> bool:
    """Whether a negative word that no rule took away stands before the verb, in its clause, or one like "hardly" anywhere
    in it ("has hardly any money")."""
    if any(t.lower_ == "not" and t.i > found.finite.i and t.nbor(-1).text == "," for t in s.tokens):
        return True  # "It is senior citizens, not Hispanics, who …"
    return any(t.lower_ in (_NEGATIVE if t.i < found.head.i else _ALMOST_NOT) and s.opening.i <= t.i
               and _clause_of(t) == found.head.i for t in s.tokens)


def _clause_of(word: Token) -> int:
    while word.head.i != word.i and word.dep_ not in ("relcl", "acl", "advcl", "ccomp", "pcomp", "csubj"):
        word = word.head
    return word.i


def focused(s: Sentence, found: Clause) -> bool:
    """Whether the word that "not" would come before takes the denial: "will only increase", "has now repaid"."""
    after = s.follows(found.finite, 1)
    before = s.before(found.finite)
    near = [after] if not found.lexical else [before.lower_] if before is not None and before.i > s.opening.i else []
    return any(word in _FOCUS for word in near)


def depends_on_not(s: Sentence, found: Clause) -> bool:
    """Whether a word near the clause's "not" would hang in the air without it: "do not even have", "hasn't … until"."""
    negation = next((t for t in s.tokens if (t.lower_ in NOT or t.lower_ == "never") and t.i >= found.finite.i
                     and t.head.i in (found.head.i, found.finite.i)), None)
    if negation is None:
        return False
    if s.follows(negation, 1) in _POLAR:
        return True
    for t in s.tokens:
        if t.i <= negation.i:
            continue
        pair = (t.nbor(-1).lower_, t.lower_)
        if t.lower_ in ("until", "either", "yet", "anytime") or pair in (("or", "even"), ("let", "alone")):
            return True
        if t.lower_ == "in" and t.head.i == found.head.i and found.head.tag_ == "VBN" \
                and any(n.lower_ in ("years", "decades", "months", "weeks") for n in t.children):
            return True  # "hasn't warmed in years"
    return False
