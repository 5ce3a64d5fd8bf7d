"""What must hold for any text: distance, alignment, clipping and averages, over whole documents.

The distance and the alignment are compared with plain reference loops in test_bodega.py, sentence cutting in
test_segment.py; here is what those leave out.
"""

from __future__ import annotations

import numpy
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hardtext.scoring import bodega, bootstrap, documents, segment
from hardtext.scoring.normalise import for_characters

EMOJI = "🔥👩‍👩‍👧🇺🇸❤️"
TEXT = st.text(alphabet=st.sampled_from("ab Aé.~\n'!e\u0301\u0323\u200d" + EMOJI), max_size=40) | st.text(max_size=40)
SIDES = st.tuples(TEXT) | st.tuples(TEXT, TEXT)
SEGMENTERS = st.sampled_from(["whole", "pair", "rules"])


# Distance


@given(TEXT, TEXT)
@example("", "")
@example("e\u0301", "é")
@example("👩‍👩‍👧", "👩")
def test_the_character_score_is_a_symmetric_share(a, b):
    score = bodega.character_score(a, b)
    assert 0 <= score <= 1 and score == bodega.character_score(b, a)
    assert (score == 1) == (for_characters(a) == for_characters(b))


@given(TEXT, TEXT)
def test_the_character_score_of_a_kept_beginning_is_the_share_that_is_kept(a, b):
    longer = for_characters(a + " " + b)
    if longer.startswith(for_characters(a)) and longer:
        assert bodega.character_score(a, a + " " + b) == pytest.approx(len(for_characters(a)) / len(longer), abs=1e-15)


@given(SIDES)
@example(("", ""))
def test_a_document_against_itself(segments):
    assert documents.character_scores([(segments, segments)]).tolist() == [1.0]


# Alignment


@given(st.lists(TEXT, max_size=5), st.lists(TEXT, max_size=5), st.lists(TEXT, max_size=3))
def test_appended_sentences_never_take_one_further_away(originals, adversarials, appended):
    before, after = (bodega.align(originals, new) for new in (adversarials, adversarials + appended))
    for sentence, near, nearer in zip(originals, before, after):
        if near is not None:
            candidates = adversarials + appended
            assert (bodega.character_score(sentence, candidates[nearer])
                    >= bodega.character_score(sentence, candidates[near]))


@given(st.lists(TEXT, max_size=6))
def test_kept_sentences_find_themselves_in_any_order(sentences):
    for sentence, index in zip(sentences, bodega.align(sentences, sentences[::-1])):
        assert for_characters(sentences[::-1][index]) == for_characters(sentence)


@settings(max_examples=5)
@given(st.lists(TEXT.filter(str.strip), min_size=1, max_size=5), st.integers(0, 4))
def test_50000_characters_of_sentences_align(some, place):
    sentences = (some * 50_000)[: max(1, 50_000 // (sum(map(len, some)) + 1)) * len(some)][:2_000]
    changed = [s + " ж" if i == place else s for i, s in enumerate(sentences)]
    pairs = bodega.sentence_pairs(sentences, changed)
    assert len(pairs) == len(sentences)
    assert all(old == new for i, (old, new) in enumerate(pairs) if sentences[i] in changed)


# Clipping


@settings(max_examples=50)
@given(st.lists(st.tuples(SIDES, SIDES), min_size=1, max_size=4), SEGMENTERS,
       st.lists(st.floats(allow_nan=False, allow_infinity=True), min_size=1, max_size=5))
@example([(("",), ("",)), (("\n",), ("🔥",))], "rules", [-5.0])
def test_a_document_score_is_within_0_and_1_whatever_the_scorer_answers(changes, segmenter, answers):
    cut = segment.segmenter(segmenter)
    asked = [bodega.sentence_pairs(cut(old) or [" ~ ".join(old)], cut(new)) for old, new in changes]
    scores = bodega.semantic_scores(asked, lambda pairs: numpy.resize(answers, len(pairs)))
    assert scores.shape == (len(changes),) and ((0 <= scores) & (scores <= 1 + 1e-12)).all()


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=8))
def test_a_better_answer_never_lowers_a_document(answers):
    document = [[("a", str(i)) for i in range(len(answers))]]
    low, high = (bodega.semantic_scores(document, lambda pairs, add=add: numpy.array(answers) + add)[0] for add in (0, 0.5))
    assert low <= high


# Averages


ROWS = st.lists(st.tuples(st.booleans(), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30)


def means(rows):
    return {name: bodega.mean(column) for name, column in bodega.columns(*map(numpy.array, zip(*rows))).items()}


@given(ROWS)
def test_bodega_is_at_most_each_of_its_parts_over_all_instances(rows):
    found = means(rows)
    wins = sum(won for won, _, _ in rows)
    assert 0 <= found["bodega"] <= found["confusion"] + 1e-12 == wins / len(rows) + 1e-12
    for name in ("semantic", "character"):
        assert (found[name] is None) == (wins == 0)
        if wins:
            assert found["bodega"] <= found["confusion"] * found[name] + 1e-12


@given(ROWS, st.randoms(use_true_random=False))
def test_averages_do_not_depend_on_the_order(rows, random):
    shuffled = random.sample(rows, len(rows))
    assert means(shuffled) == pytest.approx(means(rows), abs=1e-12)


@given(ROWS)
def test_a_failure_more_lowers_what_is_over_all_instances_and_nothing_else(rows):
    before, after = means(rows), means([*rows, (False, 0.7, 0.7)])
    assert (after["semantic"], after["character"]) == (before["semantic"], before["character"])
    for name in ("confusion", "bodega"):
        assert after[name] == pytest.approx(before[name] * len(rows) / (len(rows) + 1), abs=1e-12)


@settings(max_examples=30)
@given(ROWS)
def test_bounds_hold_the_extremes_of_each_column(rows):
    columns = bodega.columns(*map(numpy.array, zip(*rows)))
    for name, found in bootstrap.bounds(columns, seed=0, resamples=50).items():
        known = columns[name][~numpy.isnan(columns[name])]
        if found is None:
            assert len(known) < 2
        else:
            assert known.min() - 1e-12 <= found[0] <= found[1] <= known.max() + 1e-12
