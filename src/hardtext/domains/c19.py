"""C19: does a tweet spread a known false claim about COVID-19? (Jiang et al. 2021, as CheckThat! 2024 Task 6 used it.)

The corpus is not openly published and its raw layout is not documented, so this one is ours: ``train`` and ``test``,
each a CSV (or TSV) file with a header and the columns claim, tweet, label. The claim takes the place of the evidence.
All of the published 595 test pairs are attacked; none are left to develop on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hardtext.core import Domain, InputError
from hardtext.domains import bodega_tsv
from hardtext.domains.published import Converted, PublishedDomain, RawFiles, Source
from hardtext.domains.published_sizes import SIZES
from hardtext.domains.rows import Row
from hardtext.domains.sampling import sample
from hardtext.domains.text_files import label, table

TRAIN, TEST = "train.[ct]sv", "test.[ct]sv"
LABELS = {"0": 0, "other": 0, "1": 1, "misinformation": 1}


@dataclass
class C19Domain(PublishedDomain):
    name: str = "c19"

    meaning: ClassVar[Domain] = Domain("c19", ("other", "misinformation"), pair=True)
    source: ClassVar[Source] = Source(
        title="the COVID-19 misinformation tweets of Jiang et al. 2021 (not openly published: ask the authors)",
        page="https://arxiv.org/abs/2106.11702",
        licence="for research; the authors set the terms",
        files={TRAIN: "train.csv", TEST: "test.csv (columns claim, tweet, label; or .tsv)"},
        sizes=SIZES["c19"])

    def convert(self, raw: RawFiles) -> Converted:
        train, test = (_rows(_only(raw[pattern])) for pattern in (TRAIN, TEST))
        return Converted(sample(train, test))


def _only(paths: list[Path]) -> Path:
    if len(paths) > 1:
        raise InputError(f"{paths[0]} and {paths[1].name} are both there; keep one")
    return paths[0]


def _rows(path: Path) -> Iterator[Row]:
    for number, record in table(path, ("claim", "tweet", "label")):
        yield bodega_tsv.row(label(record["label"], LABELS, path, number), "", record["claim"], record["tweet"])
