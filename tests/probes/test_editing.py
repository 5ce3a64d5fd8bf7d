from __future__ import annotations

import doctest

from hypothesis import given
from hypothesis import strategies as st

from hardtext.probes import amounts, editing, number
from hardtext.probes.editing import Edit, apply, opening, put


def test_doctests():
    assert sum(doctest.testmod(module).failed for module in (editing, amounts, number)) == 0


def test_articles_are_mended_from_right_to_left():
    text = "a dog and an apple and a cat"
    assert apply(text, [Edit(2, 5, "ox"), Edit(13, 18, "pear"), Edit(25, 28, "owl")]) == "an ox and a pear and an owl"
    assert put(text, [Edit(25, 28, "owl"), Edit(2, 5, "ox")]) == "a ox and an apple and a owl"


@given(st.text(max_size=30), st.dictionaries(st.integers(0, 29), st.text(max_size=3), max_size=5))
def test_put_changes_what_it_should(text, places):
    edits = [Edit(at, at + 1, new) for at, new in places.items() if at < len(text)]
    assert put(text, edits) == "".join(places.get(i, c) for i, c in enumerate(text))


def test_only_the_opening_is_parsed():
    text = "He won. " * 2_000
    assert len(opening(text)) < 300 and opening(text)[-1].text.strip() == "He won."
    assert [s.text.strip() for s in opening("He won. She lost.")] == ["He won.", "She lost."]
