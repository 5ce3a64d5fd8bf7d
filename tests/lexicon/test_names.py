from __future__ import annotations

import pytest

from hardtext.lexicon.names import names


@pytest.mark.parametrize(("text", "expected"), [
    ("Trump told Bush that Obama lied.", ["Trump", "Bush", "Obama"]),
    ("Obama lied. Bush lied.\nWater is wet", ["Obama", "Bush", "Water"]),  # a noun that opens a sentence may be a name
    ("Older men lied. Suddenly Bush left.", ["Bush"]),
    ("Trump lied.", ["Trump"]),
    ("TRUMP TELLS BREITBART A LIE", ["BREITBART"]),  # a headline: capitals say nothing
    ("Trump Tells Obama: Taxes Fall", ["Obama"]),
    ("he said The Lie", ["Lie"]),  # no function word is a name
    ("ask @realTrump or a@b.org", ["@realTrump"]),
    ("", []), ("!!! 🔥 3.5", []), ("قال الرئيس", []),
])
def test_cautiously(text, expected):
    assert [text[a:b] for a, b in names(text, cautious=True)] == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("Trump told Bush that Obama lied.", ["Bush", "Obama"]),  # a known word that opens a sentence is no name
    ("Obama lied. Bush lied.\nWater is wet", ["Obama"]),
    ("TRUMP TELLS BREITBART A LIE", ["BREITBART"]),
])
def test_plainly(text, expected):
    assert [text[a:b] for a, b in names(text)] == expected
