from __future__ import annotations

import pytest

from hardtext.probes import Changed, ProbeSettings, Unchanged
from hardtext.probes.roles import probe

PROBE = probe(ProbeSettings())


@pytest.mark.parametrize(("text", "swapped"), [
    ("Barack Obama defeated Mitt Romney in 2012.", "Mitt Romney defeated Barack Obama in 2012."),
    ("He has attacked John McCain.", "John McCain has attacked him."),
    ("The senators have attacked the president.", "The president has attacked the senators."),
    ("The police were attacked by a man.", "A man was attacked by the police."),
    ("Says Paul Ryan is endorsing Donald Trump.", "Says Donald Trump is endorsing Paul Ryan."),
    ("I beat Hillary Clinton.", "Hillary Clinton beat me."),
    ("They do not support Scott Walker.", "Scott Walker does not support them."),
    ("The governor attacked voters yesterday.", "Voters attacked the governor yesterday."),
    ("Giuliani slams Lester Holt for lying", "Lester Holt slams Giuliani for lying"),
])
def test_subject_and_object_change_places(text, swapped):
    assert PROBE.change(text, 0) == Changed(swapped, PROBE.change(text, 0).what)


@pytest.mark.parametrize("text", [
    "", "Barack Obama met Mitt Romney.", "Barack Obama married Michelle Robinson.", "Obama raised taxes.", "It rained.",
    "Barack Obama attacked his opponent.", "Did Obama attack Romney?", "The man who left attacked voters.",
    "Obama gave voters money.", "They attacked them.", "Obama.",
])
def test_what_stays(text):
    assert isinstance(PROBE.change(text, 0), Unchanged), PROBE.change(text, 0)


def test_swapping_twice_gives_the_text_back():
    for text in ("Barack Obama defeated Mitt Romney in 2012.", "The senators have attacked the president."):
        assert PROBE.change(PROBE.change(text, 0).text, 0).text == text
