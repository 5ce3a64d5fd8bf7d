"""PR: is a sentence of a news article propaganda? SemEval-2020 Task 11 (Da San Martino et al. 2020), as BODEGA cuts it.

A sentence (a non-empty line of an article) is positive where it shares a character with an annotated span. Articles
whose number ends in 4 or 9 are the test part; articles without any span are left out, as the public converter does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hardtext.core import Domain, InputError
from hardtext.domains import bodega_tsv
from hardtext.domains.base import choice
from hardtext.domains.download import Remote
from hardtext.domains.published import Converted, PublishedDomain, RawFiles, Source
from hardtext.domains.published_sizes import SIZES
from hardtext.domains.rows import Row
from hardtext.domains.sampling import sample
from hardtext.domains.text_files import lines

LABELS = "train-task1-SI.labels"
ARTICLES = "train-articles/article*.txt"

Span = tuple[int, int]


@dataclass
class PRDomain(PublishedDomain):
    """``order`` is that of the sentences before sampling, and so decides which of them are attacked:
    ``positives_first`` (the public converter of today: positive sentences, then negative ones, each by article number
    and place) or ``document`` (by article number and place alone). The published attack file came from an older,
    unrepeatable order; to attack exactly its texts, put that file into a converted set.
    """

    name: str = "pr"
    adversarial_batch_size: int = 64
    order: str = "positives_first"

    meaning: ClassVar[Domain] = Domain("pr", ("none", "propaganda"))
    source: ClassVar[Source] = Source(
        title="SemEval-2020 Task 11, propaganda techniques in news articles (datasets-v2.tgz)",
        page="https://zenodo.org/records/3952415",
        licence="for research; see the page",
        files={LABELS: LABELS, ARTICLES: "train-articles/article<number>.txt"},
        sizes=SIZES["pr"],
        addresses=(Remote("https://zenodo.org/records/3952415/files/datasets-v2.tgz?download=1", "datasets-v2.tgz"),))

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("order", self.order, ("positives_first", "document"))

    def convert(self, raw: RawFiles) -> Converted:
        spans = _spans(raw[LABELS][0])
        articles = {path.stem.removeprefix("article"): path for path in raw[ARTICLES]}
        if lost := sorted(spans.keys() - articles.keys()):
            raise InputError(f"{raw[LABELS][0]}: annotates {len(lost)} articles that train-articles lacks, "
                             f"article{lost[0]}.txt among them; unpack the corpus again")
        rows = [(article, row) for article in sorted(spans) for row in _sentences(articles[article], article, spans)]
        if self.order == "positives_first":
            rows.sort(key=lambda item: -item[1].label)
        test = [row for article, row in rows if article[-1] in "49"]
        train = [row for article, row in rows if article[-1] not in "49"]
        note = f"sampled with order={self.order}; the published attack file came from an older order, so it holds others"
        return Converted(sample(train, test), (note,))


def _spans(path: Path) -> dict[str, list[Span]]:
    """The annotated spans of each article: character offsets, the end not included."""
    spans: dict[str, list[Span]] = {}
    for number, line in lines(path):
        if not line.strip():
            continue
        try:
            article, *_, start, end = line.split("\t")
            spans.setdefault(article, []).append((int(start), int(end)))
        except ValueError as error:
            raise InputError(f"{path}, line {number}: expected article number, start and end separated by tabs, "
                             f"got {line.strip()[:60]!r}") from error
    return spans


def _sentences(path: Path, article: str, spans: dict[str, list[Span]]) -> Iterator[Row]:
    try:
        text = path.read_text(encoding="utf-8")  # line ends become one character, which the offsets count on
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start + 1})") from error
    start = 0
    for sentence in text.split("\n"):
        end = start + len(sentence)
        if sentence:
            positive = any(first < end and start < last for first, last in spans[article])
            yield bodega_tsv.row(int(positive), f"SemEval2020T11-{article}", sentence)
        start = end + 1
