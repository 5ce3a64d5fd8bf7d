from __future__ import annotations

import numpy
import pytest

from hardtext.scoring import board
from hardtext.scoring.claims import Claim
from hardtext.scoring.published import DOMAINS, VICTIMS

PUBLISHED = {"OpenFact": 0.7458, "TextTrojaners": 0.7074, "BERT-ATTACK": 0.4261, "DeepWordBug": 0.2682}
"""Averages that the paper prints; its cells are rounded to two decimals."""


def claim(scores, *, domain="pr", victim="bilstm", system="bert_attack", marks=(), seed=0, queries=None, texts=None,
          attack=None, **values) -> Claim:
    """A claim whose BODEGA scores are these (0 for a failure)."""
    scores = numpy.array(scores, dtype=float)
    success = scores > 0
    return Claim(**{
        "domain": domain, "victim": victim, "system": system, "attack": attack or system.partition(" [")[0],
        "seed": seed, "source": f"{domain}/{victim}/{system}/{seed}", "sha256": "", "scorer": {"name": "bleurt"},
        "segmenter": "whole", "marks": tuple(marks), "errors": 0, "broken_pairs": 0,
        "texts": tuple(texts or map(str, range(len(scores)))), "success": success,
        "semantic": numpy.where(success, scores, numpy.nan), "character": numpy.where(success, 1.0, numpy.nan),
        "queries": numpy.array(queries if queries is not None else [10] * len(scores), dtype=float)} | values)


def build(*claims):
    return board.build(claims, resamples=500)


def ours(rows):
    return [row for row in rows if row.ours]


def test_table_7_from_the_published_cells():
    rows = build().overall
    means = {row.method: row.bodega for row in rows}
    assert len(means) == 8 and all(len(row.cells) == 15 and row.complete for row in rows)
    for method, mean in PUBLISHED.items():
        assert means[method] == pytest.approx(mean, abs=0.005)
    assert [row.rank for row in rows] == list(range(1, 9))
    assert (rows[0].method, rows[1].method, rows[-1].method) == ("OpenFact", "TextTrojaners", "DeepWordBug")


def test_tables_4_to_6_hold_the_published_rows_of_their_victim():
    tables = build().tables
    assert list(tables) == ["BiLSTM", "BERT", "RoBERTa-adv"]
    openfact = next(row for row in tables["BiLSTM"] if row.method == "OpenFact")
    assert list(openfact.cells.values()) == [0.65, 0.80, 0.84, 0.89, 0.72]
    assert openfact.bodega == pytest.approx(0.78)


def test_a_mean_over_a_part_of_the_scenarios_says_so_and_is_not_ranked_among_the_published():
    made = build(claim([0.5, 0.0]), claim([0.9, 0.9], victim="bert"), claim([0.1, 0.3], system="deepwordbug"))
    (both, one) = ours(made.overall)
    assert (both.method, list(both.cells), both.complete, both.rank) == (
        "bert_attack", [("PR", "BiLSTM"), ("PR", "BERT")], False, 1)
    assert both.bodega == pytest.approx((0.25 + 0.9) / 2)
    assert both.published == pytest.approx((0.53 + 0.43) / 2)  # BERT-ATTACK on the same two
    assert (one.method, one.bodega, one.rank, one.published) == ("deepwordbug", pytest.approx(0.2), 1, 0.29)
    assert [row.rank for row in made.overall if not row.ours] == list(range(1, 9))


def test_stand_ins_are_never_averaged_with_the_real_thing():
    made = build(claim([0.4, 0.4]), claim([0.8, 0.8], victim="bert", marks=["masked LM: small"]))
    rows = ours(made.overall)
    assert {(round(row.bodega, 9), row.marks, len(row.cells)) for row in rows} == {
        (0.4, (), 1), (0.8, ("masked LM: small",), 1)}


def test_all_scenarios_without_a_mark_are_ranked_among_the_published():
    names = [name for name in VICTIMS if name != "surprise"]
    claims = [claim([0.72, 0.72], domain=domain, victim=victim, system="mine") for domain in DOMAINS for victim in names]
    (row,) = ours(build(*claims).overall)
    assert row.complete and row.rank == 2 and row.bodega == pytest.approx(0.72) and row.published is None
    marked = [claim([0.72, 0.72], domain=domain, victim=victim, system="mine", marks=["m"])
              for domain in DOMAINS for victim in names]
    (row,) = ours(build(*marked).overall)
    assert not row.complete and len(row.cells) == 15


def test_samples_and_other_victims_stay_out_of_the_averages():
    made = build(claim([0.9, 0.9], domain="sample"), claim([0.9, 0.9], victim="minilm"))
    assert not ours(made.overall) and len(made.cells) == 2
    assert all(cell.scenario is None for cell in made.cells)


def test_two_victims_of_one_published_name_are_not_mixed():
    rows = ours(build(claim([0.4, 0.4], victim="BERT"), claim([0.8, 0.8], victim="bert")).overall)
    assert [(row.bodega, len(row.cells)) for row in rows] == [(0.8, 1), (0.4, 1)]


def test_a_cell_by_hand():
    (cell,) = build(claim([0.8, 0.0, 0.6, 0.2], queries=[10, 400, 60, 200], errors=2)).cells
    assert cell.bodega == pytest.approx(0.4) and cell.confusion == 0.75
    assert cell.semantic == pytest.approx(1.6 / 3) and cell.character == 1.0
    assert (cell.queries, cell.queries_median) == (167.5, 130) and cell.queries_p95 == pytest.approx(370)
    assert cell.within == {50: pytest.approx(0.2), 100: pytest.approx(0.35), 500: pytest.approx(0.4)}
    assert (cell.instances, cell.successes, cell.errors) == (4, 3, 2)
    assert cell.bounds[0] < 0.4 < cell.bounds[1]


def test_nothing_succeeded_and_one_text():
    (cell,) = build(claim([0.0])).cells
    assert (cell.bodega, cell.semantic, cell.character, cell.bounds) == (0.0, None, None, None)
    assert ours(build(claim([0.0])).overall)[0].bounds is None


def test_seeds_share_a_cell_in_which_each_text_counts_once():
    (cell,) = build(claim([0.8, 0.4]), claim([0.0, 0.6], seed=1)).cells
    assert cell.seeds == (0, 1) and cell.values == pytest.approx([0.4, 0.5]) and cell.instances == 4
    assert cell.bodega == pytest.approx(0.45) and cell.confusion == 0.75


def test_systems_are_compared_on_the_texts_both_attacked():
    first = claim([0.9] * 30 + [0.8], texts=[f"t{i}" for i in range(30)] + ["only here"])
    second = claim([0.5] * 30, system="deepwordbug", texts=[f"t{i}" for i in reversed(range(30))])
    (test,) = build(first, second).comparisons
    assert (test.first, test.second, test.texts) == ("bert_attack", "deepwordbug", 30)
    assert test.difference == pytest.approx(0.4) and test.bounds == pytest.approx((0.4, 0.4))
    assert test.p == test.p_holm == pytest.approx(1 / 501)


def test_the_pairs_of_a_scenario_are_one_family():
    generator = numpy.random.default_rng(0)
    runs = [claim(generator.uniform(0.3, 0.9, 40), system=name) for name in ("a", "b", "c")]
    tests = build(*runs, claim(generator.uniform(0.3, 0.9, 40), system="d", victim="bert")).comparisons
    assert len(tests) == 3  # d has no rival
    smallest = min(tests, key=lambda test: test.p)
    assert smallest.p_holm == pytest.approx(min(1, 3 * smallest.p))


def test_texts_that_differ_are_not_compared():
    assert build(claim([0.5] * 5), claim([0.6] * 5, system="b", texts="vwxyz")).comparisons == ()


def test_deterministic_and_independent_of_the_order():
    claims = [claim([0.2, 0.9, 0.4]), claim([0.3, 0.1, 0.0], system="b"), claim([0.7, 0.1, 0.0], seed=1)]
    first, second = build(*claims), build(*reversed(claims))
    assert first.comparisons == second.comparisons and first.overall == second.overall
    assert [cell.bounds for cell in first.cells] == [cell.bounds for cell in second.cells]
