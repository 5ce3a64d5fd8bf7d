"""Source removal: "According to …", "…, says the governor", "Says …" and the name of an outlet go; the claim stays."""

from __future__ import annotations

import re
from typing import Any, Optional

from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged
from hardtext.probes.clauses import FINITE, REPORTING
from hardtext.probes.editing import Edit, opening, put, upper_first

Token = Any
"""spaCy's Token; only lexicon/syntax.py may import spaCy."""

_SAYS = re.compile(r"\s*(?:Says|Claims)(?: that)?,? (?=\S)")
_NOT_A_CLAIM = re.compile(r"(?:on|of|about|to|in response to|no|yes|so|when asked)\b(?! average| course)", re.IGNORECASE)
_VERBS = (r"(?:says?|said|claims?|claimed|reports?|reported|writes|wrote|tells \w+|told \w+|argues?|argued|announces|"
          r"announced)")
_SOURCE = r"(?:[A-Z]|(?:the|an?|his|her|its|police|officials|experts|researchers|scientists|sources)\b)[^,.;:!?\"“”()]{1,60}"
_TAIL = re.compile(rf",(?P<quote>[\"”'’]?) (?:(?:as )?{_VERBS} {_SOURCE}|{_SOURCE} {_VERBS}|"
                   r"according to [^.;:!?\"“”()]{2,80})(?P<stop>[.!]?)\s?$"
                   r"| according to [^,.;:!?\"“”()]{2,80}(?P<end>[.!]?)\s?$")
_LEAD = re.compile(r"\s*according to ", re.IGNORECASE)
_TELLING = frozenset("announce declare find note report show".split())
_OUTLET = re.compile(r"\s{1,3}(?:[|⋆‹]|[–—-](?= )) ?(?P<name>[^|⋆‹–—]{2,40})$")
_OUTLET_WORD = re.compile(r"\b(?:News|Radio|Daily|Times|Post|Press|Report|Rising|Network|Media|Today|Wire|TV|Tribune|Herald|"
                          r"Journal|Gazette|POLITICO|Politico|CNN|BBC|Reuters|AP|Fox|NBC|CBS|ABC|Junkshun|Observer|Review|"
                          r"Magazine|Blog)\b|\.\w{2,4}$")
_SIGNED = re.compile(r"\s*(?:Reports?|Sources?|Officials|AP|Reuters|POLITICO|DOJ|FBI|CNN|WSJ|NYT|Study|Poll):\s(?=\S)")


class Attribution(Probe):
    """Removes the first source it finds: at the beginning, at the end, or of "Somebody says (that) …".

    Claims whose source is needed to read them ("He says he will …"), negated sources ("never said that …") and reported
    questions stay.
    """

    name = "attribution"
    expects = "stay"
    asks = "Does it keep its answer when the words that name the source are taken away?"
    few_flips = ("As it should be where the claim is what is judged. A high rate says that naming a source makes a claim "
                 "look credible (or the opposite), which any writer can exploit.")

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        edit = _said_first(text) or _said_last(text) or _outlet(text) or _speaker(text)
        if edit is None:
            return Unchanged("names no source that could go")
        left = put(text, [edit])
        left = left[:edit.start] + upper_first(left[edit.start:]) if not edit.new and edit.start < len(left) else left
        source = text[edit.start:edit.end].strip()
        return Changed(left, f"removed {source}") if left.strip() else Unchanged("nothing but a source")


def probe(settings: ProbeSettings) -> Attribution:
    return Attribution()


def _said_first(text: str) -> Optional[Edit]:
    """"Says …", "According to …, …" and "Reuters: …" at the beginning."""
    if (found := _SAYS.match(text)) and not _NOT_A_CLAIM.match(text, found.end()):
        return Edit(0, found.end(), "")
    if found := _SIGNED.match(text):
        return Edit(0, found.end(), "")
    return _according_to(text) if _LEAD.match(text) else None


def _according_to(text: str) -> Optional[Edit]:
    """The phrase as the parser delimits it, with the comma behind it: sources have commas too ("CBO, the …, ")."""
    first = next((token for sentence in opening(text)[:1] for token in sentence if not token.is_space), None)
    if first is None:
        return None
    end = first.right_edge if first.right_edge.i > first.i else first
    stop = end if end.text == "," else end.nbor() if end.i + 1 < len(end.doc) else end
    return Edit(0, stop.idx + 1 + len(stop.whitespace_), "") if stop.text == "," and stop.idx + 2 < len(text) else None


def _said_last(text: str) -> Optional[Edit]:
    """", says the governor." and the like at the end; the stop stays."""
    if found := _TAIL.search(text):
        stop, quote = found["stop"] or found["end"] or "", found["quote"] or ""
        return Edit(found.start(), found.end(), (stop or ".") + quote if quote else stop)
    return None


def _outlet(text: str) -> Optional[Edit]:
    """The outlet that a headline ends with: " – USA Radio", " | CNN"."""
    found = _OUTLET.search(text)
    if found and (_OUTLET_WORD.search(found["name"]) or text[found.start():].lstrip()[0] in "|⋆‹"):
        return Edit(found.start(), len(text), "")
    return None


def _speaker(text: str) -> Optional[Edit]:
    """"The governor says (that) …" at the beginning, where what is said can stand alone."""
    first = next(iter(opening(text)), None)
    if first is None or first.root.lemma_.lower() not in REPORTING | _TELLING:
        return None
    verb, children = first.root, list(first.root.children)
    said = [child for child in children if child.dep_ == "ccomp" and child.i > verb.i]
    away = any(child.dep_ in ("neg", "aux", "dobj", "dative", "prep", "npadvmod") for child in children)
    if len(said) != 1 or verb.tag_ not in ("VBZ", "VBD", "VBP") or away or text[:first.end_char].endswith("?"):
        return None
    words = list(said[0].subtree)
    words = words[1:] if words[0].lower_ == "that" and words[0].dep_ == "mark" else words
    who = [child for child in said[0].children if child.dep_ in ("nsubj", "nsubjpass", "expl")]
    between = [token for token in first if verb.i < token.i < words[0].i and token.lower_ not in ("that", ",")]
    rest = [token for token in first if token.i > words[-1].i and not token.is_punct and not token.is_space]
    if any(token.is_punct and token.text != "," for token in first if token.i < verb.i) or not _finite(said[0]):
        return None
    if len(who) != 1 or who[0].tag_ == "PRP" and who[0].lower_ not in ("it", "there") or between or rest:
        return None
    return Edit(first.start_char, words[0].idx, "")


def _finite(verb: Token) -> bool:
    helpers = [child for child in verb.children if child.dep_ in ("aux", "auxpass")]
    return any(token.tag_ in FINITE for token in (verb, *helpers))
