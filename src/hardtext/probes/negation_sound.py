"""Negation that reads the sentence: its clause, its finite verb, its subject.

Each sentence that can be negated has one clause changed. The order of the questions asked about it:

1. Does it open with "It is not true that"? Then that is removed.
2. Is its clause negative ("not", "n't", "never", "no longer", a negative subject or object)? Then it becomes positive.
3. Does its subject say how many? "All voted" becomes "Not all voted", "Some voted" "No … voted"; any other quantity
   ("Most", "Only 12 percent") is denied as a whole, "It is not true that most …", since "not" after the verb would
   deny something else.
4. Else "not" follows the auxiliary or copula, or "do" and "not" come before a lexical verb.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hardtext.lexicon.syntax import parse
from hardtext.probes.base import Changed, Unchanged
from hardtext.probes.clauses import FINITE, SUBJECTS, Clause, Token, clause
from hardtext.probes.contractions import NOT, with_not, without_not
from hardtext.probes.quantifiers import SOME, UNIVERSAL, quantity
from hardtext.probes.quotations import quotations, unwrapped
from hardtext.probes.sentences import Edit, Sentence, applied, sentences
from hardtext.probes.verbs import base_form, inflected
from hardtext.text import match_case, readable

NOTHING = "no clause whose verb can be negated"
_SAYS = re.compile(r"\s*(?:Says?|Said|Claims|Claimed|Suggests|Suggested)(?:\s+that\b)?(?:\s+|(?=[A-Z0-9$\"“]))")
_EXTERNAL = re.compile(r"it is not true that\s+", re.I)
_POSITIVE = {"no": "some", "none": "some", "nobody": "somebody", "nothing": "something", "noone": "someone",
             "neither": "either", "nowhere": "somewhere"}
_ANY = {"any": "some", "anyone": "someone", "anybody": "somebody", "anything": "something", "anywhere": "somewhere"}
_RAISING = frozenset(("think", "believe", "expect", "know", "suppose", "imagine", "see"))  # "I do not think he ever …"
_NEGATED_SUBJECTS = UNIVERSAL | {"one", "a", "any", "both", "many", "even", "enough", "much"}  # "Not all senators"
_GLUED = re.compile("(?:would|could|should|did|does|do|is|are|was|were|has|have|had|ca|wo)n['’]?t", re.I)
_OUTSIDE = frozenset((
    "also", "now", "then", "actually", "certainly", "definitely", "probably", "possibly", "perhaps", "maybe",
    "reportedly", "allegedly", "apparently", "obviously", "today", "so", "thus", "therefore", "however", "later", "soon",
    "finally", "eventually", "once", "ultimately", "basically", "essentially", "indeed", "thereby",
    "subsequently", "and", "not",
))
"""Adverbs before a verb that "not" does not deny: "He also did not vote", but "He did not just vote"."""
_BEFORE_QUANTITY = frozenset(("only", "nearly", "almost", "virtually", "over", "more", "fewer", "less", "least", "at",
                              "about", "roughly", "than", "up", "to", "not", "just", "even"))


@dataclass(frozen=True, slots=True)
class Denial:
    """What changes in one sentence, and what to call it."""

    edits: list[Edit]
    what: str


def negate(text: str) -> Changed | Unchanged:
    """The text with one clause negated in each sentence that allows it, everything else byte for byte."""
    whole = readable(text)
    start, end = unwrapped(whole)
    denials = list(_denials(whole, start, end))
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
    for number, sentence in enumerate(sentences(parse(text[start:end]))):
        if found := _Sentence(text, start, sentence, quoted, continues=says and not number).denied():
            yield found


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


class _Sentence(Sentence):
    """The edits that negate one sentence."""

    def denied(self) -> Denial | None:
        """What negates it; None where nothing does without touching a quotation."""
        denial = self.proposed()
        if denial is None or any(a < e.end and e.start < b for e in denial.edits for a, b in self.quoted):
            return None
        return denial

    def proposed(self) -> Denial | None:
        opening = self.start(self.opening)
        if match := _EXTERNAL.match(self.text, opening):
            if match.end() >= len(self.text):
                return None
            first = self.text[match.end()]
            new = first.upper() if self.text[opening].isupper() else first
            return Denial([Edit(opening, match.end() + 1, new)], "it is not true that removed")
        if self.words(2)[-1:] == ["whether"] or self.words(2) == ["not", "only"]:
            return None  # "On whether …" claims nothing; "Not only is there …, there is …" claims two things
        if self.opening.lower_ == "let" and (us := self.words(2)[-1:]) and us[0] in ("'s", "’s", "us"):
            return self.let_us()
        found = clause(self.tokens)
        if found is None:
            return self.its() or self.name_and_quotation()
        if self.has_aint(found):
            return None
        if self.follows(found.finite, 1) in NOT and self.follows(found.finite, 2) in ("only", "just", "merely") \
                and any(t.lower_ == "but" and t.i > found.finite.i for t in self.tokens):
            return self.external(found)
        denial = self.positive(found) or self.quantified(found) or self.negative(found)
        if denial is None or any(a < e.end and e.start < b for e in denial.edits for a, b in self.quoted):
            return self.external(found)
        return denial

    # -- negative to positive

    def positive(self, found: Clause) -> Denial | None:
        return self.without_not(found) or self.without_adverb(found) or self.not_all(found) or self.negative_word(found)

    def without_not(self, found: Clause) -> Denial | None:
        verbs = (found.head, found.finite)
        token = next((t for t in self.tokens if t.lower_ in NOT and t.i > found.finite.i
                      and (t.head in verbs or t.i == found.finite.i + 1
                           or (t.i == found.finite.i + 2 and t.nbor(-1).tag_ == "RB"))), None)
        if token is None:
            return self.not_one(found)
        finite, polarity = found.finite, self.positive_polarity(found, token)
        if finite.lemma_ == "do" and finite.i != found.head.i and not found.inverted:
            return self.without_do(found, token, polarity)
        if finite.lower_ == "need":
            return Denial([Edit(self.start(finite), self.end(token), match_case("must", finite.text)), *polarity],
                          f"{finite.lower_} not -> must")
        auxiliary = without_not(finite.text) if token.i == finite.i + 1 and token.lower_ != "not" else finite.text
        edits = [Edit(self.start(finite), self.end(finite), auxiliary)] if auxiliary != finite.text else []
        edits.append(self.removal(token))
        return Denial(edits + polarity, f"{self.joined(finite, token)} -> {auxiliary.lower()}")

    def without_do(self, found: Clause, token: Token, polarity: list[Edit]) -> Denial:
        """ "did not go" → "went", "Don't go" → "Go"."""
        finite, head = found.finite, found.head
        tag = "VB" if found.imperative else finite.tag_
        edits = [self.drop(finite, token)] if token.i == finite.i + 1 else [self.drop(finite, finite), self.removal(token)]
        opens = finite.i == self.opening.i
        verb = inflected(head.lower_, tag)
        follows = head.i == token.i + 1
        for shared in (head, *(t for t in found.coordinated() if t.tag_ in ("VB", "VBP"))):
            new = match_case(inflected(shared.lower_, tag), shared.text) if not shared.text.isupper() else \
                inflected(shared.lower_, tag).upper()
            if opens and follows and shared.i == head.i and finite.text[:1].isupper():
                new = new[:1].upper() + new[1:]
            if new != shared.text:
                edits.append(Edit(self.start(shared), self.end(shared), new))
        return Denial(edits + polarity, f"{self.joined(finite, token)} {head.lower_} -> {verb}")

    def not_one(self, found: Clause) -> Denial | None:
        """ "not one hearing" → "one hearing"."""
        for argument in (t for t in found.head.children if t.dep_ in ("dobj", "attr") and t.i > found.head.i):
            first = argument.left_edge
            if first.lower_ == "not" and self.follows(first, 1) in ("one", "a"):
                return Denial([self.removal(first)], f"not {self.follows(first, 1)} -> {self.follows(first, 1)}")
        return None

    def without_adverb(self, found: Clause) -> Denial | None:
        """ "never" goes; "no longer" becomes "still"."""
        for token in self.tokens:
            if token.lower_ == "never" and token.head in (found.head, found.finite) and not found.inverted:
                edits = [self.removal(token)]
                if token.i == self.opening.i:
                    edits = [self.drop_capitalised(token)]
                return Denial(edits + self.positive_polarity(found, token), "never removed")
            if token.lower_ == "longer" and token.head in (found.head, found.finite) and token.i \
                    and token.nbor(-1).lower_ == "no":
                before = token.nbor(-1)
                return Denial([Edit(self.start(before), self.end(token), match_case("still", before.text))],
                              "no longer -> still")
        return None

    def not_all(self, found: Clause) -> Denial | None:
        """ "Not all senators voted" → "All senators voted"."""
        subject = self.subject(found)
        if not subject:
            return None
        first = subject[0]
        token = first if first.lower_ == "not" else self.before(first)
        if token is None or token.lower_ != "not" or self.follows(token, 1) not in _NEGATED_SUBJECTS:
            return None
        return Denial([self.drop_capitalised(token)], f"not {token.nbor().lower_} -> {token.nbor().lower_}")

    def negative_word(self, found: Clause) -> Denial | None:
        """A negative subject or object becomes positive: "no plan" → "some plan", "nobody" → "somebody"."""
        heads = [found.head, *(t for t in found.head.children if t.dep_ == "xcomp")]
        arguments = [t for h in heads for t in h.children
                     if t.dep_ in ("nsubj", "nsubjpass", "dobj", "attr", "dative", "acomp", "oprd", "pobj")]
        for argument in arguments:
            before = (t for t in argument.children if t.dep_ in ("det", "advmod", "neg") and t.i < argument.i)
            for token in (argument, *before):
                if (new := _POSITIVE.get(token.lower_)) and (
                        token.i == argument.i or (token.lower_ in ("no", "neither") and token.i == argument.left_edge.i)):
                    return self.positive_word(found, argument, token, new)
        return None

    def positive_word(self, found: Clause, argument: Token, token: Token, new: str) -> Denial | None:
        following = token.nbor() if token.i + 1 < len(token.doc) else None
        if token.lower_ == "no" and following is not None:
            if following.lower_ == "one":
                someone = Edit(self.start(token), self.end(following), match_case("someone", token.text))
                return Denial([someone, *self.positive_polarity(found, following)], "no one -> someone")
            if following.tag_ in ("RBR", "JJR", "JJ") and argument.dep_ == "acomp":
                return Denial([self.removal(token)], "no removed")
            predicate = argument.dep_ == "attr" and found.subject is not None and found.subject.dep_ != "expl"
            if predicate and argument.tag_ in ("NN", "JJ"):
                new = "an" if following.lower_[:1] in "aeiou" else "a"
        edits = [Edit(self.start(token), self.end(token), match_case(new, token.text))]
        if token.lower_ == "neither":
            edits += [Edit(self.start(t), self.end(t), match_case("or", t.text))
                      for t in argument.subtree if t.lower_ == "nor"][:1]
        edits += self.positive_polarity(found, token)
        return Denial(edits, f"{token.lower_} -> {new}")

    def positive_polarity(self, found: Clause, token: Token) -> list[Edit]:
        """ "any", "ever" and "at all" live under a negation; without it they become "some" or go."""
        edits = [Edit(self.start(t), self.end(t), "or") for t in found.head.children if t.lower_ == "nor" and t.i > token.i]
        for t in found.head.subtree:
            if t.i < token.i or t not in self.tokens or not _licensed(t, found.head):
                continue
            if t.lower_ in _ANY and (t.dep_ != "det" or t.head.dep_ in ("dobj", "pobj", "attr", "nsubj", "nsubjpass")) \
                    and not (t.i + 1 < len(t.doc) and t.nbor().lower_ in ("other", "more", "longer")):
                edits.append(Edit(self.start(t), self.end(t), _ANY[t.lower_]))
            elif t.lower_ == "ever" and t.head.pos_ in ("VERB", "AUX") and t.i < t.head.i \
                    and not any(c.tag_ == "TO" for c in t.head.children):
                edits.append(self.removal(t))
            elif t.lower_ == "anymore":
                edits.append(self.removal(t))
            elif t.lower_ == "at" and t.i + 1 < len(t.doc) and t.nbor().lower_ == "all" and \
                    not (t.i + 2 < len(t.doc) and t.nbor(2).text[0].isalnum()):
                edits.append(Edit(self.start(t) - len(self.space_before(t)), self.end(t.nbor()), ""))
        return edits

    # -- quantities

    def quantified(self, found: Clause) -> Denial | None:
        subject = self.subject(found)
        if not subject or found.inverted or (found.subject is not None and found.subject.dep_ == "expl"):
            return None
        while (before := self.before(subject[0])) is not None and before.lower_ in _BEFORE_QUANTITY \
                and before.i not in (found.finite.i, found.head.i):
            subject = [before, *subject]
        kind = quantity(subject)
        first = subject[0]
        if kind == "universal":
            not_, rest = ("Not ", self.lowered(first)) if first.text[:1].isupper() else ("not ", first.text)
            return Denial([Edit(self.start(first), self.end(first), not_ + rest)],
                          f"{first.lower_} -> not {first.lower_}")
        if kind == "some":
            new = SOME[first.lower_]
            if new == "no" and not (len(subject) > 1 and first.dep_ == "det"):
                new = "none"
            return Denial([Edit(self.start(first), self.end(first), match_case(new, first.text))],
                          f"{first.lower_} -> {new}")
        return self.external(found) if kind == "other" else None

    def external(self, found: Clause) -> Denial | None:
        """ "It is not true that" before the whole sentence, where it makes an assertion that can follow it."""
        first = self.opening
        place = self.start(first)
        word = self.text[place: self.end(first)]
        if place and self.text[place - 1] == "[" and word[1:2] == "]":  # "[O]ver 200 people"
            return Denial([Edit(place - 1, place, "It is not true that ["), Edit(place, place + 1, word[0].lower())],
                          "it is not true that added")
        inside = any(a < place < b for a, b in self.quoted)
        topic = self.quoted and first.text == "On"  # "On taxes, "I …"": a fact-checker's heading
        verb_quoted = any(place < a <= self.start(found.finite) < b for a, b in self.quoted)  # 'Obama "supported it"'
        subject = found.subject is not None or (verb_quoted and found.tag in FINITE)
        if not subject or found.inverted or inside or topic or self.tokens[-1].text == "?":
            return None
        if any(a == place - 1 for a, _ in self.quoted):
            place -= 1
            opener = "it is not true that " if self.continues else "It is not true that "
            return Denial([Edit(place, place, opener)], "it is not true that added")
        capital = not first.text[:1].islower() and not self.continues
        glued = " " if place and self.text[place - 1].isalnum() else ""  # "Says76 percent"
        opener = glued + ("It is not true that " if capital else "it is not true that ")
        return Denial([Edit(place, self.end(first), opener + self.lowered(first))], "it is not true that added")

    # -- positive to negative

    def negative(self, found: Clause) -> Denial | None:
        finite = found.finite
        if still := next((t for t in found.head.children if t.lower_ == "still" and t.dep_ == "advmod"
                          and t.i != self.opening.i and abs(t.i - finite.i) == 1), None):
            return Denial([Edit(self.start(still), self.end(still), "no longer")], "still -> no longer")
        clauses = [t for t in found.head.children if t.dep_ == "conj" and any(s.dep_ in SUBJECTS for s in t.children)]
        if clauses and any(t.dep_ == "cc" and t.lower_ == "or" for t in found.head.children):
            return self.external(found)  # "You sign it or you do not": denying the one half would not deny the whole
        if found.imperative:
            return self.imperative(found)
        polarity = self.negative_polarity(found)
        be, asks = finite.i == found.head.i, self.tokens[-1].text == "?"
        if self.had_better(finite):
            better = finite.nbor()
            return Denial([Edit(self.end(better), self.end(better), " not")], "had better -> had better not")
        if found.lexical:
            if self.follows(finite, 1) == "-" and not finite.whitespace_:
                return self.external(found)  # "co-sponsored", of which the parser read half
            before = self.before(finite)
            glued = before is not None and (before.lower_ in NOT or before.dep_ in ("aux", "auxpass")
                                            or _GLUED.fullmatch(before.text))  # an auxiliary that the parser lost
            return None if found.inverted or glued else self.with_do(found, polarity)
        if found.inverted and (not be or finite.i == self.opening.i or asks and self.opening.tag_ not in ("WP", "WDT")):
            place = self.end(found.subject.right_edge)
            return Denial([Edit(place, place, " not"), *polarity], f"{finite.lower_} -> {finite.lower_} not")
        had = found.head.tag_ == "VBN" and not any(t.tag_ == "VB" for t in found.head.children)  # not "he'd have won"
        new = f"not {finite.text}" if finite.tag_ == "VBN" else with_not(finite.text, had)  # "Trumps not been"
        return Denial([Edit(self.start(finite), self.end(finite), new), *polarity],
                      f"{finite.lower_} -> {new.strip().lower()}")

    def with_do(self, found: Clause, polarity: list[Edit]) -> Denial:
        verb = found.finite
        do = {"VBZ": "does not", "VBD": "did not"}.get(found.tag, "do not")
        base = base_form(verb.lower_, found.tag, verb.lemma_.lower())
        edits = list(polarity)
        upper = len(verb.text) > 1 and verb.text.isupper()
        place = verb
        while (before := self.before(place)) is not None and before.tag_ == "RB" and before.head.i == verb.i \
                and before.lower_ not in _OUTSIDE and before.i != self.opening.i:
            place = before
        while (dash := self.before(place)) is not None and dash.text == "-" and not dash.whitespace_ \
                and (first := self.before(dash)) is not None and not first.whitespace_:
            place = first  # "flip-flopped"
        if (before := self.before(place)) is not None and before.text == "(" and before.i > self.tokens[0].i:
            place = before
        opens = place.i == self.opening.i
        for shared in (verb, *(t for t in found.coordinated() if t.tag_ == found.tag)):
            new = base if shared.i == verb.i else base_form(shared.lower_, found.tag, shared.lemma_.lower())
            new = new.upper() if upper else new if opens and shared.i == verb.i else match_case(new, shared.text)
            if new != shared.text:
                edits.append(Edit(self.start(shared), self.end(shared), new))
        auxiliary = do.upper() if upper else match_case(do, place.text) if opens else do
        edits.insert(0, Edit(self.start(place), self.start(place), auxiliary + " "))
        return Denial(self.merged(edits), f"{verb.lower_} -> {do} {base}")

    def name_and_quotation(self) -> Denial | None:
        """ 'Barack Obama "extended health care"': a name, and a quotation that begins with its verb."""
        first = self.start(self.opening)
        opened = next((a for a, _ in self.quoted if a > first), None)
        if opened is None:
            return None
        name = [t for t in self.tokens if first <= self.start(t) < opened]
        verb = next((t for t in self.tokens if self.start(t) > opened), None)
        if verb is None or verb.tag_ not in ("VBD", "VBN", "VBZ") or not all(t.text[:1].isupper() for t in name):
            return None
        return Denial([Edit(first, first, "it is not true that " if self.continues else "It is not true that ")],
                      "it is not true that added")

    def let_us(self) -> Denial:
        us = self.opening.nbor()
        if self.follows(us, 1) == "not":
            return Denial([self.removal(us.nbor())], "let's not -> let's")
        return Denial([Edit(self.end(us), self.end(us), " not")], "let's -> let's not")

    def its(self) -> Denial | None:
        """ "Its always Trump", where an apostrophe was lost, reads as a fragment; "not" follows "Its"."""
        first = self.opening
        if first.lower_ != "its" or first.head.i != first.head.head.i:
            return None
        if self.follows(first, 1) == "not":
            return Denial([self.removal(first.nbor())], "its not -> its")
        return Denial([Edit(self.end(first), self.end(first), " not")], "its -> its not")

    def imperative(self, found: Clause) -> Denial | None:
        verb = found.finite
        if verb.tag_ != "VB":
            return None
        first = verb.i == self.opening.i
        new = "Do not " + self.lowered(verb) if first and verb.text[:1].isupper() else "do not " + verb.text
        return Denial([Edit(self.start(verb), self.end(verb), new)], f"{verb.lower_} -> do not {verb.lower_}")

    def negative_polarity(self, found: Clause) -> list[Edit]:
        """ "some" in the object of a negated verb reads "any"."""
        back = {some: any_ for any_, some in _ANY.items()}
        objects = [t for t in found.head.children if t.dep_ in ("dobj", "attr") and t.i > found.head.i]
        words = [d for o in objects for d in (o, *o.children)
                 if d.lower_ in back and (d is o or (d.dep_ == "det" and d.nbor().tag_ != "CD"))]
        return [Edit(self.start(d), self.end(d), match_case(back[d.lower_], d.text)) for d in words]

    # -- what a clause holds

    def subject(self, found: Clause) -> list[Token]:
        if found.subject is None:
            return []
        inside = set(self.tokens)
        return [t for t in found.subject.doc[found.subject.left_edge.i: found.subject.right_edge.i + 1] if t in inside
                and not t.is_punct] or [found.subject]

    def has_aint(self, found: Clause) -> bool:
        return found.finite.lower_ == "ai" or any(t.lower_ in ("ai", "ain't", "aint") for t in found.head.children)

    def had_better(self, finite: Token) -> bool:
        return finite.lower_ in ("had", "'d", "’d") and finite.i + 1 < len(finite.doc) and finite.nbor().lower_ == "better"
