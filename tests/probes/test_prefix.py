from __future__ import annotations

from hardtext.probes import Changed, ProbeSettings, Unchanged
from hardtext.probes.prefix import SENTENCES, probe

PROBE = probe(ProbeSettings())


def test_one_of_the_sentences_by_the_seed():
    found = {PROBE.change("It rained.", seed) for seed in range(60)}
    assert found == {Changed(f"{s} It rained.", f"added {s}") for s in SENTENCES}


def test_no_text():
    assert PROBE.change(" \n", 0) == Unchanged("no text")
