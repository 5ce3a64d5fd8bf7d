"""The stratified draw of splits."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from hardtext.domains.splitting import stratified


def test_shares_by_class():
    labels = [0] * 60 + [1] * 40
    splits = stratified(labels, range(100), {"attack": 20, "dev": 10}, "train", seed=0)
    assert Counter(zip(splits, labels, strict=True)) == {
        ("attack", 0): 12, ("attack", 1): 8, ("dev", 0): 6, ("dev", 1): 4, ("train", 0): 42, ("train", 1): 28}


def test_shares_add_up_where_no_class_divides_evenly():
    labels = [row % 3 for row in range(31)]
    counts = Counter(stratified(labels, range(31), {"attack": 7, "dev": 4}, "train", seed=3))
    assert counts == {"train": 20, "attack": 7, "dev": 4}


def test_a_rare_class_is_in_every_split():
    labels = [0] * 997 + [1] * 3
    splits = stratified(labels, range(1000), {"attack": 10, "dev": 10}, "train", seed=0)
    assert sorted(split for split, label in zip(splits, labels, strict=True) if label) == ["attack", "dev", "train"]


def test_a_group_that_does_not_fit_stays_in_the_rest():
    groups = ["big"] * 50 + list(range(50))
    for seed in range(20):
        splits = stratified([0] * 100, groups, {"attack": 20}, "train", seed=seed)
        assert set(splits[:50]) == {"train"} and splits.count("attack") == 20


def test_the_seed_decides_and_nothing_else():
    labels, groups = [row % 2 for row in range(50)], [str(row) for row in range(50)]
    first, again, other = (stratified(labels, groups, {"attack": 10}, "train", seed) for seed in (0, 0, 1))
    assert first == again != other


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 15)), max_size=80), st.integers(0, 30), st.integers(0, 9))
def test_groups_are_never_divided_and_each_keeps_a_class_in_the_rest(rows, size, seed):
    labels, groups = [label for label, _ in rows], [group for _, group in rows]
    splits = stratified(labels, groups, {"attack": size, "dev": size // 2}, "train", seed)
    assert len(splits) == len(rows)
    assert all(len({s for s, g in zip(splits, groups, strict=True) if g == group}) == 1 for group in groups)
    first = {}
    for label, group in rows:
        first.setdefault(group, label)
    for label in set(first.values()):
        assert any(split == "train" and first[group] == label for split, group in zip(splits, groups, strict=True))
