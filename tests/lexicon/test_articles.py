from __future__ import annotations

import doctest
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.lexicon import articles
from hardtext.lexicon.articles import article, repair

AN = """hour hourly honest honorable honour heir herb apple Obama egg Iowa unknown uninsured unidentified unimportant umbrella
urban urgent ugly usher utter utmost onerous MRI FBI NRA NBC IRS HIV LGBT NCAA NAACP X-ray F-16 M.D. S.U.V. A-list
8 80 800 8,000 8.5 11 18 11,000 18th 80-year-old 11.5 1860s AIDS OPEC ACLU unanswered Énarque underage yttrium honesty IQ
ex-president only out ounce""".split()
A = """house historic herbivore Herbert university unique union united uniform unilateral unanimous use useful usual US U.S.
UN USDA UNESCO European eulogy ewe one one-time
once Utah utility Ukrainian uranium Uruguayan NATO NASA SNAP STEM HUD GOP
1 NEW 100 110th 1,100 111,000 180 1.8 12 7 year yes URL T-shirt U-turn Ugandan unidirectional user Ouija BBC CIA
doctor""".split()


@pytest.mark.parametrize("word", AN)
def test_an_before(word):
    assert article(word) == "an"


@pytest.mark.parametrize("word", A)
def test_a_before(word):
    assert article(word) == "a"


@pytest.mark.parametrize(("text", "word", "right"), [
    ("an false claim", "false", "a false claim"),
    ("A honest man", "honest", "An honest man"),
    ("An university", "university", "A university"),
    ("A ABSOLUTE LIE", "ABSOLUTE", "AN ABSOLUTE LIE"),
    ("An FALSE CLAIM", "FALSE", "A FALSE CLAIM"),
    ("a “honest” man", "honest", "an “honest” man"),
    ("it cost a $8 million", "8", "it cost an $8 million"),
    ("an false", "false", "a false"),
    ("vitamin A is", "is", "vitamin A is"),
    ("Plan A is", "is", "Plan A is"),
    ("This Is A Outrage", "Outrage", "This Is An Outrage"),
    ("at 5 a.m. every day", "every", "at 5 a.m. every day"),
    ("a 🔥", "🔥", "a 🔥"),
    ("the apple", "apple", "the apple"),
    ("banana apple", "apple", "banana apple"),
    ("AT&A apple", "apple", "AT&A apple"),
])
def test_repair(text, word, right):
    assert repair(text, text.index(word, 1)) == right


def test_doctests():
    assert doctest.testmod(articles).failed == 0


@given(st.text(), st.integers(0, 50))
def test_any_text_changes_in_its_article_only(text, at):
    at = min(at, len(text))
    out = repair(text, at)
    assert out == text or abs(len(out) - len(text)) == 1 and out.endswith(text[at:])
    assert repair(out, at + len(out) - len(text)) == out  # once is enough


@given(st.from_regex(r"[A-Za-z0-9.$é'-]{1,12}", fullmatch=True))
def test_the_article_that_article_names_is_never_repaired(word):
    right = article(word)
    if right and not f"{right} {word}".isupper():
        assert repair(f"such {right} {word}", len(f"such {right} ")) == f"such {right} {word}"
        wrong = {"a": "an", "an": "a"}[right]
        assert repair(f"such {wrong} {word}", len(f"such {wrong} ")) == f"such {right} {word}"
    elif right is None:
        assert not re.match(r"[^\W_]", word)
