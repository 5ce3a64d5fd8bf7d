"""The published figures of the fake-news benchmark."""

import itertools

from hardtext.scoring.published import probes


def test_a_row_of_each_table_in_shares():
    row = probes.published_probe("liar2", "party")
    assert (round(row.label_flip, 6), row.delta_prob) == (0.2, 0.052)
    assert probes.published_probe("kaggle", "negation").delta_prob == -0.0001
    assert probes.published_probe("liar2", "intensity").label_flip == 0.0
    asked = itertools.product(("liar2", "kaggle", "liar6"), ("negation", "party", "intensity", "number"))
    there = {(domain, probe) for domain, probe in asked if probes.published_probe(domain, probe)}
    assert there == set(itertools.product(("liar2", "kaggle"), ("negation", "party", "intensity")))


def test_the_accuracy_of_the_victims():
    assert [round(probes.published_accuracy(name), 4) for name in ("liar6", "liar2", "kaggle")] == [0.294, 0.575, 0.988]
    assert probes.published_accuracy("sample") is None
