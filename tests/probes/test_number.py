from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.probes import Changed, ProbeSettings, Unchanged
from hardtext.probes.amounts import WORDS, amounts, value
from hardtext.probes.number import probe

PROBE = probe(ProbeSettings())
SEEDS = range(40)


def numbers(text):
    """What the first number becomes under many seeds, as written."""
    found = [PROBE.change(text, seed) for seed in SEEDS]
    assert all(isinstance(f, Changed) for f in found), text
    return {f.what.split(" -> ")[1] for f in found}


@pytest.mark.parametrize("text", [
    "It was passed in 2009.", "On March 5 he left.", "He left at 5 p.m. on 5 March.", "Call 1-800-555-1234 or 911 now.",
    "The 9/11 attacks", "open 24/7", "along U.S. 1 and I-95 and Route 66", "It says so in John 3:16 and Psalm 23.",
    "The G20 met.", "Proposition 8 passed.", "Vote no on Amendment 2.", "the 1990s", "a 5-4 decision", "from 10 to 15 people",
    "between 10 and 15 people", "10-15 people", "1. It is so.\n2) It is not.", "Section 501(c)(3)", "version 2.0.1",
    "www.site.com/40 and #40 and @user40", "Only 1 job came.", "one man, no one, one of them", "the two of them",
    "Act 10 and Agenda 21 and Area 51", "the 14th Amendment and the 19th century", "Barack Obama 44", "a point or two",
    "300, 400, 500 percent", "No. 1", "(5)", "They are at 0.", "", "no number", "२०", "²",
])
def test_what_is_no_amount_stays(text):
    assert isinstance(PROBE.change(text, 0), Unchanged), PROBE.change(text, 0)


@pytest.mark.parametrize(("text", "expected"), [
    ("It cost $3.5 million.", r"\d+\.\d"),
    ("He got $1,200 for it.", r"[\d,]+"),
    ("It is the 4th time.", r"\d+(?:st|nd|rd|th)"),
    ("They have twelve dogs.", "(?:" + "|".join(WORDS) + ")"),
    ("TWELVE DOGS DIED TODAY", "(?:" + "|".join(WORDS).upper() + ")"),
])
def test_the_format_stays(text, expected):
    assert all(re.fullmatch(expected, new) for new in numbers(text)), numbers(text)


def test_hand_worked_values():
    assert numbers("They hired 20 people.") == {"40", "60", "80", "100", "120", "160", "10", "5", "4", "2"}
    assert numbers("It takes four men.") == {"eight", "twelve", "sixteen", "twenty", "two"}  # 24, 32 are no single words
    assert numbers("It costs $1 million.") == {"2", "3", "4", "5", "6", "8"}
    assert numbers("It holds 1,000 seats.") >= {"2,000", "100"}
    assert numbers("It holds 7000 seats.") >= {"14000", "700"}  # no comma where none was
    assert numbers("It has two-thirds of them.") == {"one-third"}


def test_percentages_and_ages_stay_at_100_or_below():
    for text in ("60 percent of them", "95% of them", "He is 70 years old.", "an 80-year-old man", "Sixty percent of them"):
        assert all(value(new) <= 100 for new in numbers(text)), text
    assert any(value(new) > 100 for new in numbers("It rose 150 percent."))


@pytest.mark.parametrize(("text", "side"), [
    ("more than 40 men", 1), ("over 40 men", 1), ("at least 40 men", 1), ("40 men or more", 1),
    ("more than one million men", 1), ("less than 40 men", -1), ("fewer than 40 men", -1), ("up to 40 men", -1),
    ("under 40 men", -1), ("40 men or fewer", -1),
])
def test_a_bound_moves_to_the_side_where_the_text_becomes_untrue(text, side):
    found = next(amounts(text))
    old = value(found["word"] or found["digits"])
    assert all((value(new) > old) == (side > 0) for new in numbers(text)), numbers(text)


def test_parts_of_a_whole():
    assert all(value(new) > 2 for new in numbers("One in five children")) and "five" not in numbers("One in five children")
    assert PROBE.change("One in five children", 0).text.startswith("One in ")
    assert numbers("We solve four out of 10 murders") <= {"seven", "eight", "nine"}  # at least 3 tenths away, at most 9
    assert all(2 <= value(new) < 10 for new in numbers("4 out of 10 murders"))


def test_the_article_is_mended():
    texts = {PROBE.change("It has an 8 million deficit.", seed).text for seed in SEEDS}
    assert "It has a 24 million deficit." in texts and not any("an 2" in t for t in texts)


def test_only_the_first_number_changes():
    changed = PROBE.change("Says 40 of 90 million left in 2009.", 3)
    assert re.fullmatch(r"Says \d+ of 90 million left in 2009\.", changed.text)


@given(st.integers(2, 9_999_999), st.integers(0, 2**32))
def test_any_figure_becomes_a_clearly_different_one(number, seed):
    changed = PROBE.change(f"They sold ${number:,} worth.", seed)
    new = int(re.search(r"\$([\d,]+)", changed.text)[1].replace(",", ""))
    assert new >= 1 and max(new / number, number / new) >= 1.3
    assert changed == PROBE.change(f"They sold ${number:,} worth.", seed)
