"""LIAR: is a political statement true? (Wang 2017.) In two classes and in six, after Flores and Hao.

Its own splits are kept, in their order: ``train`` to train on, ``valid`` as the development split, ``test`` as the
attack split. The text is the statement alone; its speaker is the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hardtext.core import Domain, InputError
from hardtext.domains.base import choice
from hardtext.domains.download import Remote
from hardtext.domains.published import Converted, PublishedDomain, RawFiles, Source
from hardtext.domains.published_sizes import SIZES
from hardtext.domains.rows import Row, Splits
from hardtext.domains.text_files import label, records

LABEL, STATEMENT, SPEAKER, COLUMNS = 1, 2, 4, 14

SIX = ("pants-fire", "false", "barely-true", "half-true", "mostly-true", "true")
SIX_INDEX = {name: index for index, name in enumerate(SIX)}

PAPER_FAKE = ("pants-fire", "false", "barely-true")
NOTEBOOK_FAKE = ("false", "barely-true", "half-true")

SOURCE = Source(
    title="LIAR (liar_dataset.zip, unpacked)",
    page="https://www.cs.ucsb.edu/~william/data/liar_dataset.zip",
    licence="for research only",
    files={name: name for name in ("train.tsv", "valid.tsv", "test.tsv")},
    sizes=SIZES["liar"],
    addresses=(Remote("https://www.cs.ucsb.edu/~william/data/liar_dataset.zip", "liar_dataset.zip"),))


@dataclass
class Liar2Domain(PublishedDomain):
    """``quoting``: ``none`` takes double quotes as ordinary characters; ``default`` reads as a CSV reader does unless
    told otherwise, which runs some statements together (10,240 / 1,284 / 1,267 rows), as the benchmark's notebooks did.

    ``labels``: ``paper`` maps pants-fire, false and barely-true to fake everywhere; ``notebook`` does as the
    benchmark's notebooks, which in the training and validation files map false, barely-true and half-true to fake and
    pants-fire to real.
    """

    name: str = "liar2"
    quoting: str = "none"
    labels: str = "paper"

    meaning: ClassVar[Domain] = Domain("liar2", ("real", "fake"))
    source: ClassVar[Source] = SOURCE

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("quoting", self.quoting, ("none", "default"))
        choice("labels", self.labels, ("paper", "notebook"))

    def convert(self, raw: RawFiles) -> Converted:
        paper = {name: int(name in PAPER_FAKE) for name in SIX}
        notebook = {name: int(name in NOTEBOOK_FAKE) for name in SIX}
        return _converted(raw, self.quoting, seen=notebook if self.labels == "notebook" else paper, test=paper)


@dataclass
class Liar6Domain(PublishedDomain):
    """``quoting`` as in ``liar2``."""

    name: str = "liar6"
    quoting: str = "none"

    meaning: ClassVar[Domain] = Domain("liar6", SIX, positive=tuple(SIX_INDEX[name] for name in PAPER_FAKE))
    source: ClassVar[Source] = SOURCE

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("quoting", self.quoting, ("none", "default"))

    def convert(self, raw: RawFiles) -> Converted:
        return _converted(raw, self.quoting, seen=SIX_INDEX, test=SIX_INDEX)


def _converted(raw: RawFiles, quoting: str, seen: Mapping[str, int], test: Mapping[str, int]) -> Converted:
    """``seen`` maps the labels of the training and validation files, ``test`` those of the test file."""
    return Converted(Splits(train=_rows(raw["train.tsv"][0], quoting, seen), dev=_rows(raw["valid.tsv"][0], quoting, seen),
                            attack=_rows(raw["test.tsv"][0], quoting, test)))


def _rows(path: Path, quoting: str, names: Mapping[str, int]) -> list[Row]:
    rows = []
    for number, record in records(path, delimiter="\t", quoted=quoting == "default"):
        if len(record) <= STATEMENT:
            raise InputError(f"{path}, line {number}: expected {COLUMNS} tab-separated columns (number, label, "
                             f"statement, …), found {len(record)}")
        speaker = record[SPEAKER] if len(record) > SPEAKER else ""  # a stray quote can swallow the end of the file
        rows.append(Row(label(record[LABEL], names, path, number), speaker, (record[STATEMENT],)))
    return rows
