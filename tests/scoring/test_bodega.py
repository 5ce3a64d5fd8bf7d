"""The BODEGA score against hand-worked numbers and against the published double loop written out plainly."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hardtext.scoring import bodega
from hardtext.scoring.normalise import for_characters, for_meaning

TRICKY = st.text(alphabet=st.sampled_from("ab A.~\n'!é\u0301\u200d🔥😀аеﬁİ"), max_size=30) | st.text(max_size=30)


def levenshtein(a: str, b: str) -> int:
    """The textbook dynamic programme, over code points."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def normalised(a: str, b: str) -> float:
    a, b = for_characters(a), for_characters(b)
    return levenshtein(a, b) / max(len(a), len(b)) if a or b else 0.0


# Characters


def test_a_homoglyph_is_one_edit_and_so_is_an_astral_character():
    assert bodega.character_score("Fake news", "Fаke news") == 1 - 1 / 9
    assert bodega.character_score("bad", "b𝐚d") == 1 - 1 / 3
    assert bodega.character_score("bad", "b🔥d") == 1 - 3 / 5  # a mark inside a word also brings two spaces


def test_spacing_case_and_line_ends_cost_nothing():
    assert bodega.character_score("Don't  stop!\n", "don ' t stop !") == 1.0


def test_a_combining_accent_is_not_its_composed_letter():
    # "café" and "cafe" + U+0301: the accent is no word character, so it stands apart after a space
    assert for_characters("cafe\u0301") == "cafe \u0301"
    assert bodega.character_score("café", "cafe\u0301") == 1 - 3 / 6


@pytest.mark.parametrize(("original", "adversarial", "expected"),
                         [("", "", 1.0), ("  ", "\n", 1.0), ("", "abc", 0.0), ("abc", "", 0.0)])
def test_empty_sides_are_defined(original, adversarial, expected):
    assert bodega.character_score(original, adversarial) == expected


@given(TRICKY, TRICKY)
def test_character_score_equals_the_textbook_distance(a, b):
    assert bodega.character_score(a, b) == pytest.approx(1 - normalised(a, b), abs=1e-15)


@settings(max_examples=10)
@given(st.text(min_size=1, max_size=40), st.integers(0, 49_999))
def test_50000_characters(seed_text, position):
    text = ("a" + seed_text) * 50_000
    text = text[:50_000]  # never white space alone, of which normalising leaves nothing
    assert bodega.character_score(text, text) == 1.0
    edited = text[:position] + "ж" + text[position + 1 :]
    assert 0.9 < bodega.character_score(text, edited) <= 1.0


# Alignment


def test_an_unchanged_document_aligns_one_to_one():
    assert bodega.align(["One.", "Two.", "Three."], ["One.", "Two.", "Three."]) == [0, 1, 2]


def test_an_appended_sentence_costs_nothing():
    original = ["The vote was fair.", "Nobody complained."]
    assert bodega.sentence_pairs(original, [*original, "Buy now!"]) == bodega.sentence_pairs(original, original)


def test_a_deleted_sentence_falls_to_a_reused_neighbour():
    original = ["The vote was fair.", "The vote was fast.", "It rained."]
    assert bodega.align(original, [original[0], original[2]]) == [0, 0, 1]


def test_the_first_wins_ties():
    assert bodega.align(["aaaa"], ["aaab", "aaac", "baaa"]) == [0]
    assert bodega.align(["aaaa"], ["zz", "aaaa", "AAAA"]) == [1]


def test_without_any_counterpart_the_literal_stands_in():
    assert bodega.sentence_pairs(["One.", "Two."], []) == [("One .", "NOT_GENERATED"), ("Two .", "NOT_GENERATED")]


def test_pairs_keep_their_case():
    assert bodega.sentence_pairs(["He's HERE."], ["he's here."]) == [("He ' s HERE .", "he ' s here .")]


@given(st.lists(TRICKY, max_size=6), st.lists(TRICKY, max_size=6))
@example(["", "a"], ["b", ""])
@example(["ab"], ["xy", "zw"])
def test_alignment_equals_the_published_double_loop(originals, adversarials):
    expected = []
    for sentence in originals:
        best, best_distance = None, float("inf")
        for index, candidate in enumerate(adversarials):
            if (distance := normalised(sentence, candidate)) < best_distance:
                best, best_distance = index, distance
        expected.append(best)
    assert bodega.align(originals, adversarials) == expected


# Semantic score of documents


def test_each_sentence_is_clipped_before_the_mean_over_original_sentences():
    answers = {("a", "a"): 1.3, ("b", "b"): -0.2, ("c", "c"): 0.5}
    result = bodega.semantic_scores([[("a", "a"), ("b", "b"), ("c", "c")], [("c", "c")], [("a", "a"), ("c", "c")]],
                                    lambda pairs: numpy.array([answers[pair] for pair in pairs]))
    assert result == pytest.approx([(1 + 0 + 0.5) / 3, 0.5, 0.75], abs=1e-15)


def test_no_document_asks_nothing():
    assert bodega.semantic_scores([], lambda pairs: pytest.fail("asked")).shape == (0,)


@given(st.lists(st.lists(st.floats(-2, 2), min_size=1, max_size=4), max_size=6))
def test_document_scores_equal_a_plain_loop(values):
    documents = [[(str(value), "x") for value in document] for document in values]
    result = bodega.semantic_scores(documents, lambda pairs: numpy.array([float(a) for a, _ in pairs]))
    expected = [sum(min(max(value, 0.0), 1.0) for value in document) / len(document) for document in values]
    assert result == pytest.approx(expected, abs=1e-12)


# Averages


def test_the_four_averages_of_three_successes_and_a_failure():
    # semantic answers 1.3, -0.2 and 0.5 clip to 1, 0 and 0.5; the fourth instance failed
    table = bodega.columns(numpy.array([True, True, True, False]), numpy.array([1.0, 0.0, 0.5, 0.9]),
                           numpy.array([0.9, 0.8, 0.6, 0.1]))
    means = {name: bodega.mean(column) for name, column in table.items()}
    assert means == pytest.approx({"confusion": 0.75, "semantic": 0.5, "character": 2.3 / 3, "bodega": 1.2 / 4})


def test_bodega_is_not_the_product_of_the_other_averages():
    table = bodega.columns(numpy.array([True, True]), numpy.array([1.0, 0.0]), numpy.array([1.0, 0.0]))
    means = {name: bodega.mean(column) for name, column in table.items()}
    assert means["bodega"] == 0.5
    assert means["confusion"] * means["semantic"] * means["character"] == 0.25


def test_nothing_succeeded_leaves_none_not_nan():
    table = bodega.columns(numpy.array([False, False]), numpy.full(2, numpy.nan), numpy.full(2, numpy.nan))
    assert {name: bodega.mean(column) for name, column in table.items()} == {
        "confusion": 0.0, "semantic": None, "character": None, "bodega": 0.0}


@given(TRICKY)
def test_meaning_form_of_an_original_is_its_reference(text):
    assert bodega.sentence_pairs([text], [text]) == [(for_meaning(text), for_meaning(text))]
