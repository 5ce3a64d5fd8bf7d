from __future__ import annotations

import pytest

from hardtext.probes import Changed, ProbeSettings, Unchanged
from hardtext.probes.hedging import HEDGES, REPORTEDLY, probe

PROBE = probe(ProbeSettings())


def texts(text):
    found = [PROBE.change(text, seed) for seed in range(30)]
    assert all(isinstance(f, Changed) for f in found), found[0]
    return {f.text for f in found}


def lower(hedge):
    return hedge[0].lower() + hedge[1:]


def test_a_hedge_stands_in_front_and_the_case_is_mended():
    assert texts("The tax was raised.") == {f"{hedge} the tax was raised." for hedge in HEDGES}
    assert texts("Texas was first.") == {f"{hedge} Texas was first." for hedge in HEDGES}
    assert texts("I was there.") == {f"{hedge} I was there." for hedge in HEDGES}


def test_behind_says_a_topic_and_a_coordinator():
    clauses = {f"Says {lower(hedge)} Obama raised the tax." for hedge in HEDGES if hedge != REPORTEDLY}
    assert texts("Says Obama raised the tax.") == texts("Says that Obama raised the tax.") == clauses
    assert texts("But the tax was raised.") == {f"But {lower(hedge)} the tax was raised." for hedge in HEDGES}
    assert texts("Poll: Obama leads in most of it.") == {f"Poll: {hedge} Obama leads in most of it." for hedge in HEDGES}


def test_headlines_keep_their_capitals():
    assert texts("Police Find Bodies In Old House") == {"Reportedly, Police Find Bodies In Old House"}


@pytest.mark.parametrize("text", [
    "", "Perhaps it is so.", "It may rain.", "Is it so?", "Did Obama win?", "Vote for him now!", "On raising taxes", "🔥",
    "How They Won",
])
def test_what_stays(text):
    assert isinstance(PROBE.change(text, 0), Unchanged), PROBE.change(text, 0)


def test_twice_is_refused():
    assert PROBE.change(PROBE.change("The tax was raised.", 2).text, 0) == Unchanged("hedged already")


def test_a_common_plural_is_no_name_and_repeated_sentences_are_no_headline():
    assert texts("Taxes rose.") == {f"{hedge} taxes rose." for hedge in HEDGES}
    assert texts("Republicans won.") == {f"{hedge} Republicans won." for hedge in HEDGES}
    assert texts("He won. " * 9) == {f"{hedge} he won. " + "He won. " * 8 for hedge in HEDGES}


@pytest.mark.parametrize("mark", ["- ", "-2 ", "1. ", "* ", "— "])
def test_a_bullet_stays_in_front(mark):
    assert texts(f"{mark}He was there.") == {f"{mark}{hedge} he was there." for hedge in HEDGES}


def test_what_was_added_is_no_formula():
    assert PROBE.change("He won.", 0).what.startswith("added ")
