"""The sampling rule against the published sizes and a second way to draw."""

from __future__ import annotations

import random

import pytest

from hardtext.domains.rows import Row
from hardtext.domains.sampling import sample


def rows(count: int, source: str = "") -> list[Row]:
    return [Row(0, source, (str(place),)) for place in range(count)]


@pytest.mark.parametrize(("test", "attack", "dev"), [
    (0, 0, 0), (1, 1, 0), (399, 399, 0), (400, 400, 0), (595, 595, 0), (799, 799, 0), (800, 400, 400),
    (3736, 416, 3320), (4000, 400, 3600), (19415, 405, 19010), (2485, 415, 2070),  # PR, HN, FC, RD as published
])
def test_sizes(test, attack, dev):
    splits = sample([], rows(test))
    assert (len(splits.attack), len(splits.dev)) == (attack, dev)


def test_every_nth_row_is_attacked_and_each_row_is_used_once():
    splits = sample([], rows(1200))
    assert sorted(int(row.segments[0]) for row in splits.attack) == list(range(0, 1200, 3))
    assert sorted(splits.attack + splits.dev) == sorted(rows(1200))


def test_the_three_splits_are_shuffled_by_one_generator_in_order():
    random.seed(1)
    expected = []
    for numbers in (list(range(10)), list(range(0, 800, 2)), list(range(1, 800, 2))):
        random.shuffle(numbers)
        expected.append(numbers)
    splits = sample(rows(10), rows(800))
    assert [[int(row.segments[0]) for row in part] for part in (splits.train, splits.attack, splits.dev)] == expected


def test_the_callers_generator_and_lists_are_left_alone():
    random.seed(5)
    expected = random.random()
    random.seed(5)
    train = rows(50)
    sample(train, rows(50))
    assert random.random() == expected
    assert train == rows(50)
