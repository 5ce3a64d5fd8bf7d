"""Rows before they have an id, and the one rule that gives them one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from hardtext.core import Example, Segments


class Row(NamedTuple):
    """A labelled text as a converter finds it."""

    label: int
    source: str
    segments: Segments


@dataclass(frozen=True, slots=True)
class Splits:
    """The rows of a corpus, each split in its final order."""

    train: list[Row]
    attack: list[Row]
    dev: list[Row]


def examples(rows: Iterable[Row], name: str, split: str) -> tuple[Example, ...]:
    """The rows as examples. An id is the corpus, the split and the place in it, from 1: ``pr-attack-17`` is the
    17th text of that split, and line 17 of ``attack.tsv`` where the split is written to a file.

    >>> [e.id for e in examples([Row(0, "", ("a",)), Row(1, "", ("b",))], "pr", "attack")]
    ['pr-attack-1', 'pr-attack-2']
    """
    return tuple(Example(f"{name}-{split}-{place}", row.segments, row.label, row.source, split)
                 for place, row in enumerate(rows, 1))
