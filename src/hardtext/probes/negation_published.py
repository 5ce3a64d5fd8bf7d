"""Negation as the benchmark's notebooks did it: an ordered list of substring rules, artefacts included.

Flores and Hao, "An Adversarial Benchmark for Fake News Detection Models". There are no word boundaries, so that
"this is a test" becomes "this not is not a test" and "did not go" becomes "didgo"; such texts are part of the published
numbers. The rules' spellings are those that give the notebooks' counts on LIAR read with a CSV reader's default quoting:
4190, 496 and 521 statements of the training, validation and test files.
"""

from __future__ import annotations

import re

from hardtext.probes.base import Changed, Unchanged

RULES = (
    ("isn't", "is"), ("is not ", "is "), ("is ", "is not "),
    ("didn't", "did"), ("did not ", "did"),
    ("does not have", "has"), ("doesn't have", "has"), ("has ", "does not have "),
    ("shouldn't", "should"), ("shouldn\\'t", "should"), ("should not", "should"), ("should", "should not"),
    ("wouldn't", "would"), ("wouldn\\'t", "would"), ("would not", "would"), ("would", "would not"),
    ("mustn't", "must"), ("mustn\\'t", "must"), ("must not", "must"), ("must", "must not"),
    ("can't", "can"), ("can\\'t", "can"), ("cannot", "can"), (" can ", " cannot "),
)
"""What is looked for, and what replaces every occurrence of it. The first that occurs is the only one used."""

_DOES_NOT = re.compile(r"(?:doesn't|does not) (\w+)")
_STRAIGHT = str.maketrans("‘’", "''")


def negate(text: str) -> Changed | Unchanged:
    """The text after the first rule that applies, in lower case and with straight apostrophes.

    >>> negate("This is a test").text
    'this not is not a test'
    >>> negate("They know the answer")
    Unchanged(why='no published rule applies')
    """
    text = text.lower().translate(_STRAIGHT)
    for found, put in RULES:
        if found in text:
            return Changed(text.replace(found, put), f"{found.strip()} -> {put.strip()}")
    if match := _DOES_NOT.search(text):
        verb = _third_person(match.group(1))
        return Changed(text[: match.start()] + verb + text[match.end():], "does not VERB -> VERBs")
    return Unchanged("no published rule applies")


def _third_person(verb: str) -> str:
    """The notebooks' ending, which knows no irregular verbs."""
    if re.search("[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("ss", "x", "ch", "sh", "o")) else "s")
