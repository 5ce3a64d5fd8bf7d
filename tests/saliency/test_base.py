"""Sub-words to words by character offsets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.saliency import Attribution
from hardtext.saliency.base import owners, read_words
from hardtext.text import words


def attribution(text, pieces, read=None):
    return Attribution(text, 1, tuple(pieces), 0.5, read or tuple(map(len, text)))


def test_pieces_are_summed_to_words():
    text = ("un-real don't!", "ok")
    found = attribution(text, [(0, 0, 2, 1.0), (0, 2, 3, 2.0), (0, 3, 7, 4.0), (0, 8, 11, 8.0), (0, 11, 13, 16.0),
                               (0, 13, 14, 32.0), (1, 0, 1, 64.0), (1, 0, 2, 128.0)])
    assert found.words() == ((0, 0, 7, 7.0), (0, 8, 13, 24.0), (0, 13, 14, 32.0), (1, 0, 2, 192.0))


def test_a_piece_over_several_words_is_shared_by_characters():
    text = ("ab, cde",)  # words ab | , | cde
    assert attribution(text, [(0, 0, 7, 6.0)]).words() == ((0, 0, 2, 2.0), (0, 2, 3, 1.0), (0, 4, 7, 3.0))


def test_a_piece_of_space_belongs_to_the_next_word():
    text = ("ab cd ", "e")
    spans = [None, (0, 0, 2), (0, 2, 3), (0, 3, 3), (0, 4, 4), (0, 3, 5), (0, 5, 6), (1, 0, 1)]
    assert owners(spans, words(text)) == [[], [(0, 1.0)], [(1, 1.0)], [(1, 1.0)], [(1, 1.0)], [(1, 1.0)], [], [(2, 1.0)]]


def test_what_was_not_read_is_left_out():
    text = ("one two three", "four")
    cut = attribution(text, [(0, 0, 3, 1.0), (0, 4, 6, 2.0)], read=(6, 0))
    assert cut.words() == ((0, 0, 3, 1.0), (0, 4, 7, 2.0)) and cut.truncated
    assert [w.text for w in read_words(text, (4, 4))] == ["one", "four"]
    assert not attribution(("one  ",), [], read=(3,)).truncated and attribution(("one",), [], read=(2,)).truncated
    assert attribution(("",), []).words() == () and not attribution(("",), []).truncated


@given(st.text(max_size=40), st.data())
def test_nothing_is_lost(text, data):
    """Pieces that tile the text: their sum is that of the words, but for space behind the last word."""
    cuts = sorted({0, len(text), *data.draw(st.lists(st.integers(0, len(text)), max_size=8))})
    pieces = [(0, a, b, float(n + 1)) for n, (a, b) in enumerate(zip(cuts, cuts[1:]))]
    found = attribution((text,), pieces).words()
    end = max((word[2] for word in found), default=0)
    assert sum(word[3] for word in found) == pytest.approx(sum(p[3] for p in pieces if p[1] < end))
