"""Two texts with their differences marked: nothing lost, nothing run."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.reporting.annotation.marked import differences, marked, readable

HOSTILE = (
    "<script>alert(1)</script>", "</div></p><img src=x onerror=alert(1)>", "a \"b\" 'c' & d &amp; &lt; &#0;",
    "]]><!--", "{{html}} {{{html}}} $html", "שלום עולם \u202eabc\u202c", "👨‍👩‍👧 cafe\u0301 ~ café",
    "one\ntwo\r\nthree\u2028four\tfive", "\x00\x07\ud800", "", "=HYPERLINK(1)", "word " * 50)


class Reader(HTMLParser):
    """Tags, attributes and text of a piece of HTML; complains about tags that are not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.open, self.text = set(), set(), [], ""
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_words_and_their_characters_are_marked():
    before, after = differences("The dancer sat here.", "The dencer lay down here.")
    assert before == [("The ", 0), ("d", 1), ("a", 2), ("ncer", 1), (" ", 0), ("sat", 2), (" here.", 0)]
    assert after == [("The ", 0), ("d", 1), ("e", 2), ("ncer", 1), (" ", 0), ("lay down", 2), (" here.", 0)]


def test_a_look_alike_and_a_combining_mark_are_one_marked_character():
    assert differences("long", "lоng")[1] == [("l", 1), ("о", 2), ("ng", 1)]
    assert differences("coffee", "coffe\u0301e")[1] == [("coff", 1), ("e\u0301", 2), ("e", 1)]


def test_what_cannot_be_seen_is_named():
    html = marked("a word here", "a wo\u200brd\u00a0here\nnow")
    for shown in ("[U+200B]", "[U+00A0]", "[↵]"):
        assert shown in html


@pytest.mark.parametrize("old", HOSTILE)
@pytest.mark.parametrize("new", HOSTILE)
def test_hostile_text_is_shown_and_not_run(old, new):
    html = marked(old, new)
    found = Reader(html)
    assert found.tags <= {"p", "b", "div", "span", "small"} and found.attributes <= {"style", "dir"}
    html.encode("utf-8")
    assert "\x00" not in html


@given(st.text(), st.text())
def test_the_pieces_joined_are_the_texts(old, new):
    before, after = differences(old, new)
    assert "".join(piece for piece, _ in before) == old
    assert "".join(piece for piece, _ in after) == new
    Reader(marked(old, new))


@given(st.text())
def test_equal_texts_have_no_marks_and_stay_as_they_are(value):
    assert all(level == 0 for spans in differences(value, value) for _, level in spans)
    html = marked(value, value)
    assert "<span" not in html
    assert Reader(html).text == f"Original text{readable(value)}Changed text{readable(value)}"


def test_a_long_text_takes_seconds_at_most():
    old = "some words that differ here and there " * 1400
    assert "<span" in marked(old, old.replace("differ", "diffеr"))
