from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.scoring.normalise import for_characters, for_meaning


def test_words_and_runs_of_marks_are_joined_by_single_spaces():
    assert for_meaning("He didn't\nstop:\t\"U.S.\"  (3.5%)!?") == "He didn ' t stop : \" U . S .\" ( 3 . 5 %)!?"


def test_case_line_ends_and_spacing_of_marks_never_count():
    assert for_characters("Don't  STOP!\n") == for_characters("don ' t stop !") == "don ' t stop !"


def test_composed_and_combining_letters_stay_different():
    assert for_characters("café") != for_characters("cafe\u0301")


@pytest.mark.parametrize("blank", ["", "   ", "\n\t\u00a0\u2003"])
def test_blank_texts_have_the_empty_form(blank):
    assert for_meaning(blank) == for_characters(blank) == ""


@given(st.text())
def test_only_white_space_changes_and_once_is_enough(text):
    assert "".join(for_meaning(text).split()) == "".join(text.split())
    assert for_meaning(for_meaning(text)) == for_meaning(text)
