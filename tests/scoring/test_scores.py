from __future__ import annotations

import json
import logging
from dataclasses import dataclass

import numpy
import pytest

from hardtext.core import InputError
from hardtext.scoring import SemanticSettings, measure, preserved, score, semantic_from_name
from hardtext.scoring.scores import averages, check
from hardtext.scoring.semantic import NoSemantic

CONTRACT = ["instances", "successes", "confusion", "semantic", "character", "bodega", "queries", "forwards",
            "semantic_scorer", "segmenter", "interval"]


@dataclass
class Answers(SemanticSettings):
    """Answers by candidate; anything else is the same sentence or an error of the test."""

    name: str = "answers"
    stand_in = "answers by hand"

    def __post_init__(self) -> None:
        self.answers: dict[str, float] = {}
        self.asked: list[tuple[str, str]] = []

    def _score_distinct(self, pairs):
        self.asked += pairs
        return numpy.array([1.0 if a == b else self.answers[b] for a, b in pairs])


def answers(**values: float) -> Answers:
    semantic = Answers()
    semantic.answers = values
    return semantic


def test_hand_worked_run(attempt):
    attempts = [attempt("aaaa", "aaab", id="1", queries=3, forwards=2), attempt("cccc", "cccd", id="2", queries=5),
                attempt("eeee", "ffff", id="3", queries=7), attempt("gggg", id="4", queries=45)]
    scores = score(attempts, semantic=answers(aaab=1.3, cccd=-0.2, ffff=0.5))
    assert (scores.instances, scores.successes) == (4, 3)
    assert scores.confusion == 0.75
    assert scores.semantic == pytest.approx((1 + 0 + 0.5) / 3, abs=1e-15)
    assert scores.character == pytest.approx((0.75 + 0.75 + 0) / 3, abs=1e-15)
    assert scores.bodega == pytest.approx((0.75 + 0 + 0 + 0) / 4, abs=1e-15)
    assert scores.queries == 15 and scores.forwards == (2 + 5 + 5 + 5) / 4
    assert (scores.queries_success, scores.queries_failure) == (5, 45)
    assert scores.segmenter == "whole" and scores.semantic_scorer == "answers"
    assert scores.stand_ins == ("answers by hand",)


def test_row_starts_with_the_fields_of_the_contract_and_is_json(attempt):
    row = score([attempt("a", "b", id="1"), attempt("a", id="2")], semantic="none").to_row()
    assert list(row)[: len(CONTRACT)] == CONTRACT
    assert json.loads(json.dumps(row, allow_nan=False)) == row
    assert set(row["interval"]) == {"confusion", "semantic", "character", "bodega", "queries", "preserved", "bodega_gated"}


def test_nothing_succeeded_is_null_not_nan(attempt):
    scores = score([attempt(id=str(i)) for i in range(3)], semantic=Answers())
    assert (scores.confusion, scores.semantic, scores.character, scores.bodega) == (0.0, None, None, 0.0)
    assert scores.interval["semantic"] is None and scores.interval["character"] is None
    assert scores.interval["bodega"] == [0.0, 0.0]
    assert scores.queries_success is None and scores.queries_failure == 10


def test_without_a_semantic_scorer_semantic_and_bodega_are_null(attempt):
    scores = score([attempt("abcd", "abce", id=str(i)) for i in range(3)], semantic=NoSemantic())
    assert (scores.semantic, scores.bodega, scores.preserved, scores.bodega_gated) == (None,) * 4
    assert scores.preserved_limits == ""
    assert scores.interval["semantic"] is None and scores.interval["bodega"] is None
    assert scores.character == 0.75 and scores.confusion == 1.0


def test_gated_is_what_to_expect_where_a_lost_meaning_counts_zero(attempt, monkeypatch):
    asked = []

    def probabilities(changes, encoder):
        asked.extend(changes)
        return numpy.array([1.0, 0.5, 0.0])

    monkeypatch.setattr("hardtext.scoring.preserved.probabilities", probabilities)
    attempts = [attempt("aaaa", "aaab", id="1"), attempt(id="2"), attempt("cccc", "cccd", id="3"),
                attempt("eeee", "eeef", id="4")]
    scores = score(attempts, semantic=answers(aaab=0.8, cccd=0.4, eeef=1.0))
    assert asked == [(("aaaa",), ("aaab",)), (("cccc",), ("cccd",)), (("eeee",), ("eeef",))]
    assert scores.preserved == 0.5
    assert scores.bodega_gated == pytest.approx((0.75 * 0.8 * 1 + 0 + 0.75 * 0.4 * 0.5 + 0) / 4, abs=1e-15)
    assert scores.bodega == pytest.approx(0.75 * (0.8 + 0.4 + 1) / 4, abs=1e-15)
    low, high = scores.interval["bodega_gated"]
    assert low <= scores.bodega_gated <= high and scores.interval["preserved"] == [0.0, 1.0]


def test_the_gate_says_where_it_was_never_checked(attempt):
    pr, fc = (score([attempt("He won 2 cups.", "He won 2 cuрs.", domain=domain)], semantic="minilm")
              for domain in ("pr", "fc"))
    assert pr.preserved_limits.startswith("never checked on domain pr: a model of 680 judged pairs")
    assert fc.preserved_limits.startswith("a model of 680 judged pairs")
    assert pr.preserved > 0.8 and 0 < pr.bodega_gated < pr.bodega


def test_nothing_succeeded_has_no_preserved_and_gates_nothing(attempt):
    scores = score([attempt(id=str(i)) for i in range(3)], semantic=Answers())
    assert (scores.preserved, scores.bodega_gated) == (None, 0.0)


def test_failed_skipped_and_budget_count_zero(attempt):
    attempts = [attempt("abcd", "abce", id="1"), attempt(id="2"), attempt("", id="3", status="skipped", queries=0),
                attempt(id="4", status="budget", queries=30)]
    scores = score(attempts, semantic=answers(abce=1.0))
    assert (scores.instances, scores.successes, scores.skipped, scores.budget, scores.errors) == (4, 1, 1, 1, 0)
    assert (scores.confusion, scores.bodega, scores.queries) == (0.25, 0.75 / 4, 12.5)


def test_an_error_is_never_a_failed_attack(attempt, caplog):
    attempts = [attempt("abcd", "abce", id="1"), attempt(id="2", status="error", error="OSError: gone", queries=999)]
    with caplog.at_level(logging.WARNING):
        scores = score(attempts, semantic="none")
    assert (scores.instances, scores.errors, scores.confusion, scores.queries) == (1, 1, 1.0, 10)
    assert "1 of 2 attempts are errors" in caplog.text and "OSError: gone" in caplog.text


def test_only_errors_are_refused(attempt):
    with pytest.raises(InputError, match="all 1 attempts are errors, the first one: OSError: gone"):
        score([attempt(status="error", error="OSError: gone")], semantic="none")


def test_originals_that_the_victim_got_wrong_are_instances_too(attempt):
    wrong = attempt("abcd", "abce", label=1, original_probs=[0.9, 0.1], adversarial_probs=[0.2, 0.8])
    assert score([wrong], semantic="none").confusion == 1.0


def test_every_distinct_sentence_pair_is_asked_once(attempt):
    semantic = answers(y=0.5)
    score([attempt("x", "y", id=str(i)) for i in range(5)], semantic=semantic)
    assert semantic.asked == [("x", "y")]


def test_pair_with_a_stray_tilde_and_an_appended_sentence(attempt):
    original = ("about ~5 km .", "it is far .")
    semantic = Answers()
    semantic.answers = {"it is far !": 0.4}
    scores = score([attempt(original, ("about ~5 km .", "it is far ! ~ buy now"), domain="fc")], semantic=semantic)
    assert semantic.asked == [("about", "about"), ("5 km .", "5 km ."), ("it is far .", "it is far !")]
    assert scores.segmenter == "pair" and scores.semantic == pytest.approx((1 + 1 + 0.4) / 3)


def test_a_text_without_sentences_is_compared_as_it_is(attempt):
    attempts = [attempt("It was so.", "  ", id="1", domain="kaggle"), attempt(" ", "Now.", id="2", domain="kaggle")]
    semantic = Answers()
    semantic.answers = {"NOT_GENERATED": 0.25, "Now .": 0.5}
    assert score(attempts, semantic=semantic).semantic == pytest.approx((0.25 + 0.5) / 2)
    assert semantic.asked == [("It was so .", "NOT_GENERATED"), ("", "Now .")]


def test_success_that_breaks_the_pair_is_counted_and_said(attempt, caplog):
    attempts = [attempt(("a", "b"), ("a b",), id="1", domain="fc"),
                attempt(("a", "b"), ("a ~ c", "b"), id="2", domain="fc"),
                attempt(("a", "b"), ("c", "b"), id="3", domain="fc")]
    assert score(attempts, semantic="none").broken_pairs == 2
    assert "2 successes changed how often the pair holds ' ~ '" in caplog.text


def test_a_submission_without_forwards_has_none(attempt):
    assert score([attempt(forwards=0)], semantic="none").forwards is None


def test_intervals_are_seeded(attempt):
    attempts = [attempt("abcdefgh", "abcdefgx" if i % 3 else None, id=str(i), queries=i) for i in range(40)]
    first = score(attempts, semantic="none", seed=1)
    assert score(attempts, semantic="none", seed=1) == first
    assert score(attempts, semantic="none", seed=2).interval != first.interval
    for name in ("confusion", "queries"):
        low, high = first.interval[name]
        assert low < getattr(first, name) < high


@pytest.mark.parametrize("field", ["domain", "victim", "attack"])
def test_several_runs_are_refused(attempt, field):
    with pytest.raises(InputError, match=rf"several runs \({field}: one, two\)"):
        score([attempt(**{field: "one"}), attempt(**{field: "two"})], semantic="none")


def test_no_attempts_are_refused():
    with pytest.raises(InputError, match="there are no attempts"):
        score([], semantic="none")


def test_a_success_without_text_is_refused(attempt):
    with pytest.raises(InputError, match="attempt 1: its status is success but it has no adversarial text"):
        score([attempt(status="success")], semantic="none")


def test_a_scorer_that_gives_no_number_is_refused(attempt):
    with pytest.raises(InputError, match="semantic=answers: the scorer gave no number for 'x'"):
        score([attempt("x", "y")], semantic=answers(y=float("nan")))


def test_unknown_names_are_refused_with_the_choices(attempt):
    with pytest.raises(InputError, match="semantic=blert: expected one of bleurt, minilm, bertscore, none"):
        score([attempt()], semantic="blert")


@pytest.mark.parametrize("segmenter", ["whole", "pair", "rules"])
@pytest.mark.parametrize("change", [("", "x"), ("x", ""), (" ", ""), ("\n", "\u200b"), (("", ""), ("x", "")),
                                    (("a", "b"), ("", ""))])
def test_empty_texts_are_scored(attempt, change, segmenter):
    scores = score([attempt(*change)], semantic="minilm", segmenter=segmenter)
    assert scores.confusion == 1.0 and 0 <= scores.bodega_gated <= scores.bodega <= 1


def test_what_cannot_be_scored_is_said_before_a_model_is_loaded(attempt):
    with pytest.raises(InputError, match="segmenter=lamdo: expected one of auto"):
        check([attempt()], segmenter="lamdo")
    with pytest.raises(InputError, match="all 1 attempts are errors"):
        check([attempt(status="error", error="boom")])
    with pytest.raises(InputError, match="several runs"):
        check([attempt(victim="a"), attempt(victim="b")])
    assert check([attempt(("a", "b"), domain="mine")]) == "pair"


def test_the_parts_of_a_score_are_the_score(attempt):
    """One measurement for two runs, cut in two: what a report does."""
    first = [attempt("He won 2 cups.", "He won 2 cuрs.", id="1"), attempt(id="2", status="error", error="boom")]
    second = [attempt(id="3", victim="x"), attempt("It was bad.", "It was bаd.", id="4", victim="x")]
    semantic = semantic_from_name("minilm")
    columns = measure.columns([*first, *second], semantic, "whole")
    assert columns.success.tolist() == [True, False, False, True]
    for run, part in ((first, columns[:2]), (second, columns[2:])):
        made = averages(run, part, semantic=semantic, segmenter="whole", seed=3).to_row()
        whole = score(run, semantic=semantic, seed=3).to_row()
        assert made.keys() == whole.keys()
        for name in ("confusion", "semantic", "character", "bodega", "preserved", "bodega_gated"):
            assert made[name] == pytest.approx(whole[name], abs=1e-6)
        assert (made["instances"], made["errors"], made["victim"]) == (whole["instances"], whole["errors"], whole["victim"])


def test_minilm_encodes_no_sentence_twice(attempt, monkeypatch):
    from hardtext.scoring import minilm

    encoded = []
    vectors = minilm.Encoder.vectors

    def watched(self, sentences):
        encoded.extend(sentences)
        return vectors(self, sentences)

    attempts = [attempt("He won 2 cups. It rained.", "He lost 2 cups. It rained.", id=i, domain="mine") for i in "123"]
    semantic = semantic_from_name("minilm")
    alone = measure.columns(attempts, semantic, "rules", with_preserved=False)
    apart = preserved.probabilities(measure.successes(attempts))
    monkeypatch.setattr(minilm.Encoder, "vectors", watched)
    columns = measure.columns(attempts, semantic, "rules")
    assert sorted(encoded) == ["He lost 2 cups .", "He won 2 cups .", "It rained ."]
    assert columns.semantic.tolist() == alone.semantic.tolist()
    assert columns.preserved == pytest.approx(apart, abs=1e-6)
