"""Which rows train, which develop, which are attacked: stratified by class, and never the same text in two splits."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from hardtext import seeding


def stratified(labels: Sequence[int], groups: Sequence[Hashable], sizes: Mapping[str, int], rest: str,
               seed: int) -> list[str]:
    """A split's name for each row.

    ``sizes`` says how many rows each split should get, ``rest`` which one gets the others. Rows of one group (the same
    text) stay together, under the class of the first. Each class gives every split its share, at least one row where it
    can, and keeps at least one group in ``rest``. A group larger than what a split still lacks goes elsewhere, so a
    split may end below its size.
    """
    members: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    by_class: dict[int, list[list[int]]] = {}
    for rows in members.values():
        by_class.setdefault(labels[rows[0]], []).append(rows)

    result = [rest] * len(labels)
    counted = 0
    for label in sorted(by_class):
        stock = by_class[label]
        seeding.generator(seed, "split", label).shuffle(stock)
        before, counted = counted, counted + sum(map(len, stock))
        stock = stock[1:]  # the first stays in ``rest``
        for split, size in sizes.items():
            share = size * counted // len(labels) - size * before // len(labels)  # shares add up to size
            lacking = max(share, min(1, size))
            left = []
            for rows in stock:
                if len(rows) <= lacking:
                    lacking -= len(rows)
                    for row in rows:
                        result[row] = split
                else:
                    left.append(rows)
            stock = left
    return result
