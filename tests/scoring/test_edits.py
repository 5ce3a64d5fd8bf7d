from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hardtext import text
from hardtext.scoring.edits import is_broken, look, mended, word_edits

TRICKY = st.text(alphabet=st.sampled_from("ab A.~\n'!é\u0301\u200d\u200b🔥😀аеﬁİ1l0O"), max_size=30) | st.text(max_size=30)


def seen(original, adversarial):
    return [(e.before, e.after, e.alike) for e in word_edits(original, adversarial)]


@pytest.mark.parametrize(("old", "new", "expected"), [
    ("the best director", "the bes t dіrector", [("best", "bes t", True), ("director", "dіrector", True)]),
    ("they failed to go", "they enough go", [("failed", "", False), ("to", "enough", False)]),
    ("is 2 years old", "is caps yea rs young", [("2", "caps", False), ("years", "yea rs", True), ("old", "young", False)]),
    ("west midlands", "𝚠ｅst mid ￨ 𝕒n𝔡s", [("west", "𝚠ｅst", True), ("midlands", "mid ￨ 𝕒n𝔡s", True)]),
    ("an old film", "anold film", [("an old", "anold", True)]),
    ("a film", "a te\u200bst film", [("", "te\u200bst", False)]),
    ("hello world", "heIlo w0rld", [("hello", "heIlo", True), ("world", "w0rld", True)]),
    ("in 2010", "in 20ⅰ0", [("2010", "20ⅰ0", True)]),
    ("in 2010", "in 2011", [("2010", "2011", False)]),
    ("in 2010", "in 201𝟜", [("2010", "201𝟜", False)]),  # another figure, whatever its style
    ("words", "слово", [("words", "слово", False)]),
    ("a .", "я ؟", [("a", "я", False), (".", "؟", False)]),  # one character alone is a guess at best
    ("It  was\nso", "It was so", []),
    ("", "new", [("", "new", False)]),
    ("gone", "", [("gone", "", False)]),
    ("", "", []),
])
def test_hand_worked(old, new, expected):
    assert seen((old,), (new,)) == expected


def test_segments_are_compared_one_by_one():
    edits = word_edits(("ev one", "claim two"), ("ev one x", "claim zwei"))
    assert [(e.segment, e.before, e.after) for e in edits] == [(0, "", "x"), (1, "two", "zwei")]


def test_a_broken_pair_is_compared_joined_and_its_claim_is_found():
    edits = word_edits(("ev one", "claim two"), ("ev uno claim zwei",))
    assert [(e.segment, e.before, e.after) for e in edits] == [(0, "one", "uno"), (1, "~", ""), (1, "two", "zwei")]
    assert mended(("ev one", "claim two"), ("еv one claim zwei",)) == [("ev one ~ claim two", "ev one claim zwei")]


def test_a_separator_inside_a_segment_is_broken_only_where_its_number_changes():
    assert not is_broken(("a ~ b", "c"), ("x ~ b", "c"))
    assert is_broken(("a", "b"), ("a ~ b", "c")) and is_broken(("a", "b"), ("a",))
    assert not is_broken(("a ~ b",), ("a b",))  # a single text has no separator


def test_only_the_changed_words_of_a_rewritten_passage_stay_after_mending():
    old = "The senator won 3.5 % of the vote."
    assert mended((old,), ("Thе sen ator lost 3.5 % оf the v\u200bote.",)) == [(old, "The senator lost 3.5 % of the vote.")]


@given(TRICKY, TRICKY)
@example("the and", "th e a nd")
@example("", "\u200b")
def test_edits_are_all_that_differs(old, new):
    edits = word_edits((old,), (new,))
    # every word of either side stands in an edit or is the same letter for letter on the other side
    for side, own in ((old, [w for e in edits for w in e.old]), (new, [w for e in edits for w in e.new])):
        assert own == sorted(own, key=lambda w: w.start) and len(set(own)) == len(own)
        assert all(side[w.start : w.end] == w.text for w in own)
    rest = [[w.text for w in text.words(side) if look(w.text) and w not in own]
            for side, own in ((old, {w for e in edits for w in e.old}), (new, {w for e in edits for w in e.new}))]
    assert rest[0] == rest[1]


@given(TRICKY)
def test_a_text_has_no_edits_against_itself_and_mending_changes_nothing(own):
    assert word_edits((own,), (own,)) == [] and mended((own,), (own,)) == [(own, own)]


@settings(max_examples=5)
@given(st.lists(st.sampled_from(["vote", "the", "🔥", "fair", "e\u0301", "."]), min_size=1), st.integers(0, 9_999))
def test_50000_characters(words, place):
    old = (" ".join(words * 10_000))[:50_000]
    new = old[:place] + " z " + old[place:]
    assert 1 <= len(word_edits((old,), (new,))) <= 3
    assert len(word_edits((old,), ("x " * 10_000,))) >= 1  # nothing in common
