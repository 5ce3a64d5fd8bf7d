"""Agreement between annotators, the published way to settle a pair, and the ranking of systems."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.core import InputError
from hardtext.scoring.agreement import (
    Judged,
    Judgement,
    annotators,
    both,
    cohen_kappa,
    krippendorff_alpha,
    published_ranking,
    published_team,
    rank,
    resolve,
    wilson,
)
from hardtext.scoring.published import SOURCE


def judged(*votes, key="1", system=""):
    """A pair judged as given: one (label, confidence) an annotator, None where one did not judge."""
    return Judged(key, tuple(Judgement(f"annotator{n}", *vote) for n, vote in enumerate(votes, 1) if vote), system)


@pytest.mark.parametrize(("votes", "label", "how"), [
    ([(0, 5), (0, 1)], 0, "unanimous"),
    ([(2, 5), (2, 1), (2, 3)], 2, "unanimous"),
    ([(1, 5), (1, 1), (2, 5)], 1, "majority"),
    ([(0, 5), (1, 1), (1, 1)], 1, "majority"),
    ([(2, 4), (0, 3), (1, 1)], 2, "confidence"),
    ([(2, 1), (0, 3), (1, 5)], 1, "confidence"),
    ([(1, 4), (0, 2), (2, 4)], 1, "confidence tie"),
    ([(0, None), (1, None), (2, 1)], 2, "confidence"),
    ([(0, 2), (0, 2), (1, 5), (1, 1)], 1, "confidence"),
    ([(0, 5), (1, 5)], None, "unresolved"),
    ([(0, 5)], None, "unresolved"),
    ([], None, "unresolved"),
])
def test_a_pair_is_settled_by_majority_then_by_confidence(votes, label, how):
    resolution = resolve(judged(*votes).judgements)
    assert (resolution.label, resolution.how) == (label, how)


def test_kappa_by_hand():
    # 10 pairs, 7 equal; 0 is said 6 and 5 times, 1 is said 4 and 5 times: chance 0.6·0.5 + 0.4·0.5 = 0.5
    labels = [(0, 0)] * 4 + [(1, 1)] * 3 + [(0, 1)] * 2 + [(1, 0)]
    assert cohen_kappa(labels) == pytest.approx((0.7 - 0.5) / 0.5)


@pytest.mark.parametrize("labels", [[], [(1, 1)], [(0, 0)] * 5])
def test_kappa_is_none_where_it_is_not_defined(labels):
    assert cohen_kappa(labels) is None


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1))
def test_kappa_is_the_textbook_formula(labels):
    n = len(labels)
    observed = sum(a == b for a, b in labels) / n
    expected = sum(sum(a == k for a, _ in labels) * sum(b == k for _, b in labels) for k in range(3)) / n**2
    if expected == 1:
        assert cohen_kappa(labels) is None
    else:
        assert cohen_kappa(labels) == pytest.approx((observed - expected) / (1 - expected))


def test_alpha_by_hand():
    # Coincidences: 00 3, 01 1, 10 1, 12 1, 21 1, 22 3; so n = 10 of 4, 2 and 4; the fifth pair, judged once, is out.
    # Disagreement: observed 4/10, expected 2·(4·2 + 4·4 + 2·4)/(10·9) = 64/90
    pairs = [judged((0,), (0,), (1,)), judged((0,), None, (0,)), judged((1,), (2,)), judged((2,), (2,), (2,)), judged((1,))]
    assert krippendorff_alpha(pairs) == pytest.approx(1 - 0.4 / (64 / 90)) == pytest.approx(0.4375)


def test_alpha_of_the_textbook_example():
    # Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, two observers and ten units: 0.095
    first, second = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha([judged((a,), (b,)) for a, b in zip(first, second)]) == pytest.approx(0.095, abs=5e-4)


@pytest.mark.parametrize("pairs", [[], [judged((0,))], [judged((0,), (0,)), judged((1,))]])
def test_alpha_is_none_where_it_is_not_defined(pairs):
    assert krippendorff_alpha(pairs) is None


def test_the_first_two_annotators_are_those_who_judged_most():
    pairs = [judged((0,), (1,), (1,)), judged((1,), None, (1,)), judged((1,), None, (0,))]
    assert annotators(pairs) == ["annotator1", "annotator3", "annotator2"]
    assert both(pairs, "annotator1", "annotator3") == [(0, 1), (1, 1), (1, 0)]


@pytest.mark.parametrize(("successes", "low", "high"), [
    (0, 0.0, 0.2775), (10, 0.7225, 1.0), (5, 0.2366, 0.7634)])  # bounds of 10 trials: z² = 3.8415, 10/(10 + z²) = 0.7225
def test_wilson_by_hand(successes, low, high):
    assert wilson(successes, 10) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_systems_are_ranked_by_the_share_of_settled_pairs():
    kept, changed, open_ = [(0, 5), (0, 5)], [(1, 5), (1, 5)], [(0, 5), (1, 5)]
    pairs = [judged(*votes, key=str(n), system=system) for n, (system, votes) in enumerate([
        ("weak", kept), ("weak", changed), ("strong", kept), ("strong", open_), ("none", open_), ("", kept)])]
    ranking = rank(pairs)
    assert [(s.system, s.preserved, s.resolved, s.unresolved, s.share) for s in ranking] == [
        ("strong", 1, 1, 1, 1.0), ("weak", 1, 2, 0, 0.5), ("none", 0, 0, 1, None)]
    assert ranking[0].interval == wilson(1, 1) and ranking[2].interval is None


def test_the_published_ranking_and_who_stands_beside_it():
    assert published_ranking() == {"SINAI": 0.99, "MMU_NLP": 0.96, "TurQUaz": 0.62, "Palöri": 0.14, "OpenFact": 0.11,
                                   "TextTrojaners": 0.07}
    assert "CheckThat" in SOURCE
    names = ("Palöri", "beam_attack", "openfact (seed=1)", "glota", "bae", "bert_attack")
    assert [published_team(name) for name in names] == ["Palöri", "TextTrojaners", "OpenFact", "Palöri", None, None]


@pytest.mark.parametrize(("label", "confidence", "words"), [
    (3, 1, "label 3"), (0, 0, "confidence 0"), (0, 6, "confidence 6")])
def test_what_no_annotator_can_have_said_is_refused(label, confidence, words):
    with pytest.raises(InputError, match=words):
        Judgement("a", label, confidence)


def test_the_published_judgements(shared_data):
    file = shared_data / "incrediblae_manual_eval" / "InCrediblAE_Manual_Evaluation_Dataset.csv"
    with open(file, encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    votes = [[(int(float(row[f"annotator{n}_stance"])), int(float(row[f"annotator{n}_confidence"])))
              for n in (1, 2, 3) if row[f"annotator{n}_stance"]] for row in rows]
    labels = [resolve(judged(*vote).judgements) for vote in votes]
    assert cohen_kappa([(vote[0][0], vote[1][0]) for vote in votes]) == pytest.approx(0.5240984623870922, abs=1e-15)
    assert [sum(found.label == label for found in labels) for label in range(3)] == [318, 246, 116]
    assert [found.label for found in labels] == [int(float(row["agreed_labels"])) for row in rows]
    assert sum(found.how in ("confidence", "confidence tie") for found in labels) == 8
    assert sum(found.how == "confidence tie" for found in labels) == 1
