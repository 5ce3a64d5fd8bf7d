from __future__ import annotations

import re

import pytest

from hardtext.probes import Changed, ProbeSettings, Unchanged
from hardtext.probes.date import MONTHS, WEEKDAYS, probe

PROBE = probe(ProbeSettings())
SEEDS = range(40)


def dates(text):
    found = [PROBE.change(text, seed) for seed in SEEDS]
    assert all(isinstance(f, Changed) for f in found), text
    return {f.what.split(" -> ")[1] for f in found}


@pytest.mark.parametrize("text", [
    "", "no date", "2000 people came", "It cost $2009.", "They won by 2010 votes.", "in 2000 jobs", "www.site.com/2009/05",
    "on September 11 and 9/11", "the Fourth of July", "Black Friday", "Windows 2000",
    "He may win and march on.", "May he live.",
    "They march in line.", "#2016", "2009-2010", "between 2,009 and 2,010", "Room 1984", "Saturday Night Live",
])
def test_what_is_no_date_stays(text):
    assert isinstance(PROBE.change(text, 0), Unchanged), PROBE.change(text, 0)


def test_past_years_go_back_and_future_ones_forward():
    assert {int(y) for y in dates("It was so in 2009.")} <= set(range(2000, 2007))
    assert {int(y) for y in dates("It will be so by 2030.")} <= set(range(2033, 2040))
    assert {int(y) for y in dates("the 2008 election was close")} == {2004, 2000}  # elections are every four years


def test_hand_worked():
    assert dates("In the 1990s it was so.") == {"1970s", "1960s", "1950s"}
    assert dates("In the early 90s it was so.") == {"70s", "60s", "50s"}
    assert dates("In the eighties it was so.") == {"sixties", "fifties", "forties"}
    assert dates("He left on Tuesday.") == set(WEEKDAYS) - {"Tuesday"}
    assert dates("He left on Jan. 31.") <= {"March", "May", "Mar.", "July", "Aug.", "Oct.", "Dec."}
    assert dates("He left in May.") <= set(MONTHS) - {"May", "April", "June"}
    assert dates("on 5/12/2016 it") <= {str(y) for y in range(2007, 2014)}
    assert dates("on 2016-05-12 it") <= {str(y) for y in range(2007, 2014)}


def test_the_day_exists_in_the_new_month():
    for day, months in (("31", 31), ("30", 30)):
        for new in dates(f"On January {day} it rained."):
            assert new not in ("February", *(["April", "June", "September", "November"] if months == 31 else []))


def test_one_date_changes_and_nothing_else():
    text = "On Monday, March 5, 2010, and in 2011, he left."
    for seed in SEEDS:
        assert re.fullmatch(r"On \w+day, March 5, 2010, and in 2011, he left\.", PROBE.change(text, seed).text)
        assert PROBE.change(text, seed) == PROBE.change(text, seed)
