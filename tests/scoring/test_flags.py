from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.scoring.flags import CHANGED, KINDS, flags

TRICKY = st.text(alphabet=st.sampled_from("ab A.~\n'!é\u0301\u200d\u200b🔥😀аеﬁİ1l0O"), max_size=30) | st.text(max_size=30)
OLD = "Mr Obama said on Monday that 3 old voters did not lose the good film in 1996 ."


def lines(original, adversarial):
    original, adversarial = ((t,) if isinstance(t, str) else t for t in (original, adversarial))
    return [flag.line for flag in flags(original, adversarial)]


CASES = [
    ("3", "caps", "changed number: 3 -> caps"),
    ("3", "30", "changed number: 3 -> 30"),
    ("3", "three", "changed number: 3 -> three"),
    ("1996", "1997", "changed date: 1996 -> 1997"),
    ("Monday", "Friday", "changed date: Monday -> Friday"),
    ("Obama", "Trump", "changed name: Obama -> Trump"),
    ("not", "always", "changed negation: not -> always"),
    ("not ", "", "changed negation: not -> (nothing)"),
    ("good", "bad", "antonym: good -> bad"),
    ("good", "", "deleted content word: good -> (nothing)"),
    ("good", "good horror", "inserted word: (nothing) -> horror"),
    ("film", "banana", "replaced word: film -> banana"),
    ("film", "picture", "WordNet synonym: film -> picture"),
    ("film", "films", "another form of the word: film -> films"),
    ("lose", "loses", "another form of the word: lose -> loses"),
    ("the", "a", "changed function word: the -> a"),
    ("said", "siad", "misspelling: said -> siad"),
    ("voters", "vomters", "misspelling: voters -> vomters"),
    ("voters", "votxers", "misspelling: voters -> votxers"),
    ("voters", "vot ers", "split word: voters -> vot ers"),
    ("good film", "goodfilm", "joined words: good film -> goodfilm"),
    ("voters", "vоtеrs", "visually identical: voters -> vоtеrs"),
    ("1996", "𝟷9𝟿𝟨", "visually identical: 1996 -> 𝟷9𝟿𝟨"),
    ("good", "göod", "accented or foreign letters: good -> göod"),
    ("good", "GOOD", "change of case: good -> GOOD"),
    (" .", " !", "changed mark: . -> !"),
    ("voters", "vo\u200bters", "invisible characters: 0 -> 1 (U+200B)"),
]


@pytest.mark.parametrize(("word", "new", "line"), CASES)
def test_each_kind_alone(word, new, line):
    assert lines(OLD, OLD.replace(word, new, 1)) == [line]


def test_every_kind_is_tried_here():
    assert {line.split(": ")[0] for _, _, line in CASES} == set(KINDS.values()) - {"broken pair separator"}


def test_white_space_between_words_and_beside_marks_is_no_flag():
    assert lines(OLD, OLD.replace(" ", "\n ").replace("film", "film ")) == []
    assert lines("marvel's film (2011)", "marvel ' s film ( 2011 )") == []


def test_lower_casing_everything_is_case_only():
    assert {flag.kind for flag in flags((OLD,), (OLD.lower(),))} == {"case"}


def test_a_split_word_of_other_letters_has_both_flags():
    assert lines("the best film", "the bеs t film") == ["split word: best -> bеs t", "visually identical: best -> bеs t"]


def test_names_in_lower_case_are_what_wordnet_does_not_know_or_writes_with_a_capital():
    assert lines("schrader lived in france .", "banana lived in cinema .") == [
        "changed name: schrader -> banana", "changed name: france -> cinema"]


def test_a_broken_pair_is_said_first_and_the_claim_keeps_its_segment():
    found = flags(("it is so .", "he won 2 cups"), ("it is so . he won caps cups",))
    assert [(f.segment, f.line) for f in found] == [
        (0, "broken pair separator: 1 -> 0"), (1, "changed mark: ~ -> (nothing)"), (1, "changed number: 2 -> caps")]


def test_long_spans_are_cut():
    line = lines("the end", f"the {'x' * 100} end")[0]
    assert line == f"inserted word: (nothing) -> {'x' * 59}…"


@given(TRICKY, TRICKY)
def test_flags_of_any_text(old, new):
    found = flags((old,), (new,))
    assert {flag.kind for flag in found} <= set(KINDS) and set(CHANGED) <= set(KINDS)
    assert all(flag.line and "\n" not in flag.line for flag in found)
    assert flags((old,), (old,)) == []


@given(TRICKY, TRICKY, TRICKY)
def test_flags_of_any_pair(first, second, third):
    assert all(flag.segment in (0, 1) for flag in flags((first, second), (third, second)))
