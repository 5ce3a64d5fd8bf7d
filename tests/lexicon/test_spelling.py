"""The dictionary: what is a word, what was meant, what are halves of one."""

from __future__ import annotations

import pytest

from hardtext.lexicon.spelling import OWN_COUNT, Spelling


@pytest.fixture(scope="module")
def spelling() -> Spelling:
    return Spelling(["Brexit", "x"])


def test_known_words_and_their_counts(spelling):
    assert spelling.known("Brexit") and spelling.known("the") and not spelling.known("goverment")
    assert spelling.count("THE") == 23135851162 and spelling.count("brexit") == OWN_COUNT and spelling.count("goverment") == 0
    assert not spelling.known("x")  # a letter is no word of one's own


@pytest.mark.parametrize(("word", "meant"), [
    ("goverment", "government"), ("Wonderfull", "wonderful"), ("pepole", "people"), ("wodnerflu", "wonderful"),
    ("brxit", "brexit"),
    ("government", None), ("gov", None), ("xqzjkw", None), ("it's", None), ("", None), ("naïvee", "naive"),
])
def test_what_was_meant(spelling, word, meant):
    assert spelling.repaired(word) == meant


def test_short_and_capitalised_words_are_repaired_with_caution(spelling):
    assert spelling.repaired("hosue") == "house" and spelling.repaired("hxxse") is None  # two edits in five letters
    assert spelling.repaired("wodnerflu", True) is None
    assert spelling.repaired("farage") == "garage" and spelling.repaired("farage", True) is None
    assert spelling.repaired("goverment", True) == "government"


@pytest.mark.parametrize(("halves", "torn"), [
    ("bes t", True), ("Pro found", True), ("go vernment", True), ("bre xit", True),
    ("a part", False), ("can not", False), ("the government", False), ("in to", False), ("xq zj", False)])
def test_halves(spelling, halves, torn):
    assert spelling.halves(*halves.split()) is torn


def test_the_index_is_built_for_misspellings_only():
    spelling = Spelling()
    assert spelling.repaired("government") is None and "_speller" not in vars(spelling)
    assert spelling.repaired("goverment") == "government" and "_speller" in vars(spelling)
