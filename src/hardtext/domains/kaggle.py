"""Kaggle Fake News: is an article unreliable? In the reading of Flores and Hao: titles, 70 % to train on.

``train.csv`` is the labelled part (columns id, title, author, text, label). It is shuffled and cut once, with the seed
of sampling.py; the 30 % test part becomes the attack and development splits by BODEGA's rule. The benchmark's own cut
was not seeded.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import ClassVar

from hardtext.core import Domain
from hardtext.domains.base import choice
from hardtext.domains.published import Converted, PublishedDomain, RawFiles, Source
from hardtext.domains.published_sizes import SIZES
from hardtext.domains.rows import Row
from hardtext.domains.sampling import SEED, sample
from hardtext.domains.text_files import label, table

FILE = "train.csv"
COLUMNS = {"title": ("title",), "body": ("text",), "both": ("title", "text")}
LABELS = {"0": 0, "real": 0, "reliable": 0, "1": 1, "fake": 1, "unreliable": 1}
TEST_SHARE = 0.3


@dataclass
class KaggleDomain(PublishedDomain):
    """``content``: the title (as the benchmark), the body, or both with a line end between them. Rows without any of
    it are dropped and counted. ``path`` may also name the CSV file itself.
    """

    name: str = "kaggle"
    content: str = "title"

    meaning: ClassVar[Domain] = Domain("kaggle", ("real", "fake"))
    source: ClassVar[Source] = Source(
        title="the Kaggle competition Fake News (an account is needed)",
        page="https://www.kaggle.com/c/fake-news/data",
        licence="the competition's rules",
        files={FILE: FILE},
        sizes=SIZES["kaggle"])

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("content", self.content, tuple(COLUMNS))

    def convert(self, raw: RawFiles) -> Converted:
        [path] = raw[FILE]
        columns = COLUMNS[self.content]
        rows, empty = [], 0
        for number, record in table(path, (*columns, "label")):
            parts = [record[column] for column in columns if record[column].strip()]
            if parts:
                rows.append(Row(label(record["label"], LABELS, path, number), record.get("author", ""),
                                ("\n".join(parts),)))
            else:
                empty += 1
        random.Random(SEED).shuffle(rows)
        held_out = math.ceil(TEST_SHARE * len(rows))
        notes = (f"dropped {empty:,} rows without any {' or '.join(columns)}",) if empty else ()
        return Converted(sample(rows[held_out:], rows[:held_out]), notes,
                         stand_in="" if path.name == FILE else f"{path.name} in place of Kaggle's {FILE}")
