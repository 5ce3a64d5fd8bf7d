"""Cutting a text into the sentences that the semantic score compares: one door, the way named in the result.

The published way (Przybyła et al. 2023): PR whole, FC cut at every '~', RD, HN and C19 by the LAMBO segmenter.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from hardtext.core import InputError, Segments
from hardtext.text import join

SEGMENTERS = ("auto", "whole", "pair", "rules", "lambo")
_LAMBO_DOMAINS = ("rd", "hn", "c19")


def resolve(name: str, domain: str, pair: bool) -> str:
    """The segmenter that ``name`` means for a domain; ``pair``: whether its texts have two segments.

    ``auto`` is the published way for the shared task's domains, with ``rules`` where LAMBO is not installed; of any
    other domain, pairs are cut into their segments and single texts into sentences by ``rules``.
    """
    check(name)
    if name != "auto":
        return name
    if domain == "pr":
        return "whole"
    if domain == "fc":
        return "pair"
    if domain in _LAMBO_DOMAINS:
        return "lambo" if lambo_installed() else "rules"
    return "pair" if pair else "rules"


def check(name: str) -> None:
    """Raise InputError for a segmenter that is unknown or not installed: before any work."""
    if name not in SEGMENTERS:
        raise InputError(f"segmenter={name}: expected one of {', '.join(SEGMENTERS)}")
    if name == "lambo" and not lambo_installed():
        raise InputError("segmenter=lambo: the LAMBO segmenter is not installed (the package index's 'lambo' is another "
                         "program; take LAMBO from its authors), or use segmenter=rules")


def stand_in(segmenter: str, domain: str) -> str:
    """What ``segmenter`` stands for where the published scores of the domain used another one; else ''."""
    published = {"pr": "whole", "fc": "pair"} | dict.fromkeys(_LAMBO_DOMAINS, "lambo")
    if published.get(domain, segmenter) == segmenter:
        return ""
    return f"sentences by '{segmenter}' in place of '{published[domain]}'"


def segmenter(name: str) -> Callable[[Segments], list[str]]:
    """The function from a text to its sentences, in order, for a name that ``resolve`` gave.

    A blank text has no sentences under ``rules`` and ``lambo``. A pair is joined by ' ~ ' first, so ``pair`` cuts at
    a stray '~' inside a segment too, and ``rules`` and ``lambo`` may leave the '~' inside a sentence: as published.
    """
    cut = {"whole": lambda text: [text], "pair": lambda text: text.split("~"), "rules": sentences,
           "lambo": _lambo_sentences}[name]
    return lambda segments: cut(join(segments))


def lambo_installed() -> bool:
    """Whether the segmenter is here; an unrelated package of the same name on the package index does not count."""
    spec = importlib.util.find_spec("lambo")
    folders = (spec.submodule_search_locations or []) if spec else []
    return any((Path(folder) / "segmenter" / "lambo.py").is_file() for folder in folders)


def _lambo_sentences(text: str) -> list[str]:
    document = _lambo().segment(text)
    return [sentence.text for turn in document.turns for sentence in turn.sentences]


@lru_cache(maxsize=1)
def _lambo():
    from lambo.segmenter.lambo import Lambo

    try:
        return Lambo.get("English")
    except OSError as error:
        raise InputError(f"segmenter=lambo: its English model cannot be had ({error}); use segmenter=rules") from error


# The rules. A sentence ends at a line end, or at . ! ? … with any closing marks, white space, and no lower-case letter
# or joining mark after it. A full stop after an abbreviation ends one only before a word that usually opens a sentence.

_END = re.compile(
    r"(?<![.!?…])(?<![.!?…]\s)"  # a run of marks is looked at once, whatever its length
    r"(?P<marks>[.!?…](?:\s?[.!?…])*+)(?P<closers>[)\]}\"'”’»]*+)\s++(?=(?P<next>[^\s\w]*+(?P<word>\w*+)))")
_LAST_WORD = re.compile(r"(?:\w+\.)*[\w'’-]*$")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")
_LONGEST = 40  # code points: no abbreviation is longer
_JOINING = frozenset(",;:.!?)]}%”»~&/=+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEVER_LAST = _words("""
    mr mrs ms messrs dr prof gen maj lt col sgt capt cmdr adm cpl pvt sen reps rep gov pres supt rev hon
    vs cf e.g i.e eg ie viz approx fig figs vol pp eds""")
_SELDOM_LAST = _words("""
    inc corp co ltd llc bros dept assn univ jr sr esq etc al st mt ft a.m p.m a.d b.c ph.d m.d d.c u.s u.k u.n e.u
    jan feb mar apr jun jul aug sep sept oct nov dec tue thu fri
    ariz calif colo conn fla ga kan ky md mich minn neb nev okla tenn tex va wis""")  # not "ill", "sun": words as well
_BEFORE_NUMBER = _words("no nos p para sec")
_OPENERS = _words("""
    a an the this that these those there here he she it they we i you his her its their our my your who what when where
    why how which if as at by for from in into on of to with without after before since during while although though
    because but and or nor so yet however meanwhile moreover then now also one some many most several all no not
    according among despite instead still even once until unless both each another such
    nobody everybody someone everyone nothing everything something either neither""")


def sentences(text: str) -> list[str]:
    """The sentences of an English text, by rules; blank ones are left out, nothing else is lost.

    >>> sentences('Mr. Smith left the U.S. Senate at 5 p.m. He said: "Why not?" and smiled. Nobody (e.g. I) did.')
    ['Mr. Smith left the U.S. Senate at 5 p.m.', 'He said: "Why not?" and smiled.', 'Nobody (e.g. I) did.']
    """
    result = []
    for line in text.splitlines():
        start = 0
        for match in _END.finditer(line):
            if _ends_sentence(line[start : match.start()], match):
                result.append(line[start : match.end("closers")])
                start = match.end()
        result.append(line[start:])
    return [sentence for part in result if (sentence := part.strip())]


def _ends_sentence(before: str, match: re.Match[str]) -> bool:
    """Whether the sentence that reads ``before`` ends at the marks found."""
    following = match["next"]
    if not following or following[0] in _JOINING or match["word"][:1].islower():
        return False
    if match["marks"] != "." or match["closers"]:
        return True
    last = _LAST_WORD.search(before[-_LONGEST:].rstrip())[0].lower()
    if before.strip().isdigit() or last in _NEVER_LAST:  # "1. First", "Mr. Smith"
        return False
    if last in _BEFORE_NUMBER and following[0].isdigit():
        return False
    if last in _SELDOM_LAST or _INITIALS.fullmatch(last):
        return match["word"].lower() in _OPENERS
    return True
