from __future__ import annotations

from collections import Counter

import pytest

from hardtext.scoring.published import DOMAINS, SOURCE, published_rows, rows_beside


def test_every_cell_of_the_published_tables_is_there():
    rows = [row for domain in DOMAINS for row in published_rows(domain)]
    assert len(rows) == 5 * 3 * 8
    assert Counter(row.victim for row in rows) == {"BiLSTM": 40, "BERT": 40, "RoBERTa-adv": 40}
    assert all(0 <= value <= 1 for row in rows for value in (row.bodega, row.confusion, row.semantic, row.character))
    assert {row.method for row in rows if row.queries is None} == {"OpenFact"}


@pytest.mark.parametrize(("method", "average"), [("OpenFact", 0.7458), ("TextTrojaners", 0.7074),
                                                 ("BERT-ATTACK", 0.4261), ("DeepWordBug", 0.2682)])
def test_cells_average_to_the_published_ranking(method, average):
    cells = [row.bodega for domain in DOMAINS for row in published_rows(domain) if row.method == method]
    assert len(cells) == 15
    assert sum(cells) / 15 == pytest.approx(average, abs=0.005)


@pytest.mark.parametrize("domain", list(DOMAINS))
def test_each_cell_is_near_the_product_of_its_parts(domain):
    # BODEGA is a mean of products, not a product of means, but a slip in one digit would stand out
    for row in published_rows(domain):
        assert row.bodega == pytest.approx(row.confusion * row.semantic * row.character, abs=0.04), row


def test_our_names_find_their_rows():
    (row,) = published_rows("pr", "roberta_adv", "bert_attack")
    assert (row.domain, row.victim, row.method, row.bodega, row.queries) == (
        "PR", "RoBERTa-adv", "BERT-ATTACK", 0.20, 117.64)
    assert published_rows("fc", "BERT", "turquaz")[0].confusion == 1.0
    assert published_rows("pr", "minilm") == published_rows("sample") == published_rows("pr", method="pwws") == []


def test_best_first():
    scores = [row.bodega for row in published_rows("hn", "bilstm")]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(("victim", "shown"), [("bilstm", "BiLSTM"), ("minilm", "BERT"), ("tiny_adv", "RoBERTa-adv"),
                                               ("minilm_hard", "RoBERTa-adv")])
def test_rows_beside_a_victim_of_ours(victim, shown):
    assert {row.victim for row in rows_beside("pr", victim)} == {shown}


def test_nothing_beside_an_unpublished_domain():
    assert rows_beside("sample", "bert") == []


def test_the_source_is_named():
    assert "InCrediblAE" in SOURCE and "Przybyła" in SOURCE
