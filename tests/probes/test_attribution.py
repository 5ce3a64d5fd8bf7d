from __future__ import annotations

import pytest

from hardtext.probes import Changed, ProbeSettings, Unchanged
from hardtext.probes.attribution import probe

PROBE = probe(ProbeSettings())


@pytest.mark.parametrize(("text", "left"), [
    ("Says the tax was raised.", "The tax was raised."),
    ("Says that Obama raised the tax.", "Obama raised the tax."),
    ("Says that, in 2009, Obama raised the tax.", "In 2009, Obama raised the tax."),
    ("According to the CBO, the tax was raised.", "The tax was raised."),
    ("The tax was raised, according to the CBO.", "The tax was raised."),
    ("The tax was raised according to the CBO.", "The tax was raised."),
    ("The tax was raised, says the White House.", "The tax was raised."),
    ("The tax was raised, Obama said.", "The tax was raised."),
    ("“The tax was raised,” said Obama.", "“The tax was raised.”"),
    ("Mitt Romney says class sizes do not matter.", "Class sizes do not matter."),
    ("The report shows that the tax was raised.", "The tax was raised."),
    ("Reuters: the tax was raised", "The tax was raised"),
    ("Obama Raised The Tax – USA Radio", "Obama Raised The Tax"),
    ("Obama Raised The Tax ⋆ Freedom Daily", "Obama Raised The Tax"),
])
def test_the_source_goes(text, left):
    changed = PROBE.change(text, 0)
    assert isinstance(changed, Changed) and changed.text == left and changed.what.startswith("removed ")


@pytest.mark.parametrize("text", [
    "", "The tax was raised.", "Mitt Romney says he will raise taxes.", "He never said that the tax was raised.", "Says",
    "Says ", "According to", "According to the CBO,",
    "He would say the tax was raised.", "Obama Raised The Tax – But Not Much",
    "Did Obama say the tax was raised?", "He was wrong, said nothing and left.",
])
def test_what_stays(text):
    assert isinstance(PROBE.change(text, 0), Unchanged), PROBE.change(text, 0)
