"""HN: is a news article hyperpartisan? SemEval-2019 Task 4 (Kiesel et al. 2019), as BODEGA cuts it.

The by-publisher articles: of the training file those whose number divides by ten, and the whole test file. A text is
the title, a line end, and the body without its markup. The by-article files, put under the by-publisher names, are
read as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple, Optional
from xml.etree import ElementTree

from hardtext.core import Domain, InputError
from hardtext.domains import bodega_tsv
from hardtext.domains.download import Remote
from hardtext.domains.published import Converted, PublishedDomain, RawFiles, Source
from hardtext.domains.published_sizes import SIZES
from hardtext.domains.rows import Row
from hardtext.domains.sampling import sample
from hardtext.progress import progress

TRAIN, TEST = "training-bypublisher-20181122", "test-bypublisher-20181212"
KEPT = {TRAIN: 10, TEST: 1}
"""Of each file the articles whose number divides by this."""
NAMES = tuple(f"{kind}-{part}" for part in KEPT for kind in ("ground-truth", "articles"))
MEGABYTE = 1 << 20


class Truth(NamedTuple):
    label: int
    url: str
    by_article: bool
    """Labelled by its readers, not by its publisher."""


@dataclass
class HNDomain(PublishedDomain):
    name: str = "hn"
    adversarial_subset: Optional[int] = 6000

    meaning: ClassVar[Domain] = Domain("hn", ("mainstream", "hyperpartisan"))
    source: ClassVar[Source] = Source(
        title="SemEval-2019 Task 4, hyperpartisan news detection (the by-publisher archives, unpacked)",
        page="https://zenodo.org/records/5776081",
        licence="CC BY 4.0",
        files={f"{name}.xml": f"{name}.xml" for name in NAMES},
        sizes=SIZES["hn"],
        addresses=tuple(Remote(f"https://zenodo.org/records/5776081/files/{name}.zip?download=1", f"{name}.zip")
                        for name in NAMES))
    keeps_conversion: ClassVar[bool] = True

    def convert(self, raw: RawFiles) -> Converted:
        truths = {part: _truths(raw[f"ground-truth-{part}.xml"][0], every) for part, every in KEPT.items()}
        train, test = (_rows(raw[f"articles-{part}.xml"][0], every, truths[part]) for part, every in KEPT.items())
        by_article = any(truth.by_article for part in KEPT for truth in truths[part].values())
        return Converted(sample(train, test),
                         stand_in="by-article files in place of the by-publisher ones" if by_article else "")


def _truths(path: Path, every: int) -> dict[str, Truth]:
    truths = {}
    for number, element in _articles(path, every):
        if (label := element.get("hyperpartisan", "").lower()) not in ("true", "false"):
            raise InputError(f"{path}: article {number} has hyperpartisan={label!r}, expected true or false")
        truths[number] = Truth(int(label == "true"), element.get("url", ""), element.get("labeled-by") == "article")
    return truths


def _rows(path: Path, every: int, truths: dict[str, Truth]) -> list[Row]:
    """The labelled articles in the order of their labels."""
    texts = {number: element.get("title", "") + "\n" + "".join(element.itertext())
             for number, element in _articles(path, every) if number in truths}
    if lost := truths.keys() - texts.keys():
        raise InputError(f"{path}: lacks {len(lost)} articles that the ground-truth file labels, {min(lost)} among them")
    return [bodega_tsv.row(truth.label, truth.url, texts[number]) for number, truth in truths.items()]


def _articles(path: Path, every: int) -> Iterator[tuple[str, ElementTree.Element]]:
    """Article numbers and elements, one at a time: each is forgotten before the next is read."""
    root = None
    with open(path, "rb") as file, progress(f"{path.name}, MB", path.stat().st_size // MEGABYTE) as bar:
        shown = 0
        try:
            for event, element in ElementTree.iterparse(file, events=("start", "end")):
                if root is None:
                    root = element
                if event == "start" or element.tag != "article":
                    continue
                number = element.get("id", "")
                if not number.isdecimal():
                    raise InputError(f"{path}: an article has id={number!r}, expected a number")
                if int(number) % every == 0:
                    yield number, element
                root.clear()
                if (read := file.tell() // MEGABYTE) > shown:
                    bar.advance(read - shown)
                    shown = read
        except ElementTree.ParseError as error:
            raise InputError(f"{path}, line {error.position[0]}: not well-formed XML ({error})") from error
