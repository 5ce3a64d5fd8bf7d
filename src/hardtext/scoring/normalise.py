"""The text forms BODEGA compares. Pure functions.

BODEGA (Przybyła et al. 2023) splits a text into sentences with NLTK's Punkt, each sentence into words and runs of
marks with NLTK's WordPunct, and joins all of them with single spaces. Punkt almost always splits at white space,
which WordPunct splits at anyway, so WordPunct over the whole text gives the same form without Punkt's downloaded
model. The exceptions are runs of marks such as a closing "!!!" or "?),", into which Punkt may put spaces; which ones
depends on the NLTK release. With NLTK 3.7 and 3.8.1 and its English model, 15 of 12,675 propaganda sentences and 1 of
65 news articles came out different, by a space or two; of 6,420 tweets, with their "???", 3.5 %.
(NLTK 3.8 runs WordPunct on Python's ``re``, as here; NLTK 3.10 takes combining marks for letters, which changes more.)
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\w+|[^\w\s]+")  # NLTK's WordPunct


def for_meaning(text: str) -> str:
    """The form whose meaning is compared: words and runs of marks joined by single spaces, case kept.

    >>> for_meaning("He didn't\\nstop:  U.S.")
    "He didn ' t stop : U . S ."
    """
    return " ".join(_TOKEN.findall(text))


def for_characters(text: str) -> str:
    """The form whose characters are compared: ``for_meaning`` in lower case.

    >>> for_characters("Don't  STOP!\\n") == for_characters("don ' t stop !")
    True
    """
    return " ".join(_TOKEN.findall(text.lower()))
