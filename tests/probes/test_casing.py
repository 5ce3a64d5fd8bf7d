from __future__ import annotations

from hardtext.probes import Changed, ProbeSettings, Unchanged
from hardtext.probes.casing import probe

PROBE = probe(ProbeSettings())


def test_lower_case():
    assert PROBE.change("BREAKING: Obama’s É", 0) == Changed("breaking: obama’s é", "lower case")
    assert PROBE.change("already lower, 5 %", 0) == Unchanged("already lower case")
    assert PROBE.change("", 0) == Unchanged("already lower case")
