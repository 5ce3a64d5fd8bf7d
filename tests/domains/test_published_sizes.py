"""The published sizes, against the list they come from, and what is said when a copy differs."""

from __future__ import annotations

import csv

from hardtext.domains.published_sizes import SIZES, Sizes, differences
from hardtext.domains.rows import Row, Splits

ROW = Row(0, "", ("a",))


def test_equal_sizes_need_no_words():
    assert differences(Splits([ROW] * 3, [ROW], []), Sizes(3, 1, 0, "a paper")) == ""


def test_both_numbers_are_named_where_they_differ():
    said = differences(Splits([ROW] * 1200, [ROW], []), Sizes(3, 1, 2, "a paper"))
    assert said == "1,200 train texts (published: 3), 0 dev texts (published: 2); a paper"


def test_the_facts_are_those_of_the_overview(shared_data):
    with open(shared_data.parent / "reference" / "dataset_sizes_published.csv", encoding="utf-8") as file:
        table = {row["domain"].lower(): row for row in csv.DictReader(file)}
    assert table
    for name, row in table.items():
        assert (SIZES[name].train, SIZES[name].attack, SIZES[name].dev) == (
            int(row["train"]), int(row["attack"]), int(row["development"]))
