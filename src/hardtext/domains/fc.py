"""FC: does the evidence refute the claim? FEVER (Thorne et al. 2018), as BODEGA cuts it.

A row is one evidence set of a supported or refuted claim: the title of a page and a full stop, then the sentences
named from it, then the next page's. Claims without enough information are dropped; sets of one claim that read the same
count once. A set is cut short where a page or sentence is not in the wiki files.

The rows stand in the order of the files, claims and sets alike. The public converter's order follows Python's hash
seed, so nobody can draw the published attack texts again from the raw files.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from hardtext.core import Domain, InputError
from hardtext.domains import bodega_tsv
from hardtext.domains.download import Remote
from hardtext.domains.published import Converted, PublishedDomain, RawFiles, Source
from hardtext.domains.published_sizes import SIZES
from hardtext.domains.rows import Row
from hardtext.domains.sampling import sample
from hardtext.domains.text_files import json_lines
from hardtext.progress import progress

TRAIN, TEST = "train.jsonl", "shared_task_dev.jsonl"
WIKI = "wiki-pages/wiki-*.jsonl"
WIKI_FILES = 109
ORDER_NOTE = ("claims and evidence stand in the order of the files; the public converter's order is unrepeatable, so "
              "the attacked pairs are not the published ones")
LABELS = {"SUPPORTS": 0, "REFUTES": 1}

Pages = dict[str, dict[int, str]]
"""The sentences of each page, by title and number."""


class Claim(NamedTuple):
    label: int
    text: str
    evidence: list[list[tuple[str, int]]]
    """Sets of (page title, sentence number)."""


@dataclass
class FCDomain(PublishedDomain):
    name: str = "fc"

    meaning: ClassVar[Domain] = Domain("fc", ("supported", "refuted"), pair=True)
    source: ClassVar[Source] = Source(
        title="FEVER (training set, labelled shared-task development set, pre-processed Wikipedia pages)",
        page="https://fever.ai/dataset/fever.html",
        licence="CC BY-SA 3.0",
        files={TRAIN: TRAIN, TEST: TEST, WIKI: "wiki-pages/wiki-001.jsonl … wiki-109.jsonl"},
        sizes=SIZES["fc"],
        addresses=tuple(Remote(f"https://fever.ai/download/fever/{name}", name)
                        for name in (TRAIN, TEST, "wiki-pages.zip")))
    keeps_conversion: ClassVar[bool] = True

    def convert(self, raw: RawFiles) -> Converted:
        train, test = (list(_claims(raw[name][0])) for name in (TRAIN, TEST))
        pages = _pages(raw[WIKI], {title for claim in train + test for group in claim.evidence for title, _ in group})
        notes = [ORDER_NOTE]
        if len(raw[WIKI]) != WIKI_FILES:
            notes.append(f"found {len(raw[WIKI])} of the {WIKI_FILES} wiki-pages files")
        if lost := sum(not _holds(pages, *sentence) for claim in train + test
                       for group in claim.evidence for sentence in group):
            notes.append(f"{lost:,} evidence sentences are not in the wiki-pages files; their sets are cut short there")
        return Converted(sample(_rows(train, pages), _rows(test, pages)), tuple(notes))


def _claims(path: Path) -> Iterator[Claim]:
    for number, record in json_lines(path):
        try:
            if (label := LABELS.get(record["label"])) is not None:
                yield Claim(label, _string(record["claim"]), [[_sentence(item) for item in group]
                                                              for group in record["evidence"]])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}, line {number}: not a FEVER claim; expected label, claim and evidence "
                             "(a list of sets of [annotation, evidence, page, sentence])") from error


def _sentence(item: Sequence[Any]) -> tuple[str, int]:
    _, _, title, number = item
    return _plain(_string(title)), int(number)


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a string, got {value!r}")
    return value


def _plain(text: str) -> str:
    """FEVER's bracket tokens as brackets, in composed Unicode form: titles are compared and shown so."""
    for token, mark in (("-LRB-", "("), ("-RRB-", ")"), ("-LSB-", "["), ("-RSB-", "]")):
        text = text.replace(token, mark)
    return unicodedata.normalize("NFC", text)


def _pages(paths: Sequence[Path], titles: set[str]) -> Pages:
    """The wanted pages, from one pass over all files (5.4 million pages in the full corpus, of which about 15,000
    are wanted). Where two pages share a title the last one counts."""
    pages: Pages = {}
    with progress("reading wiki pages, files", len(paths)) as bar:
        for path in paths:
            for number, record in json_lines(path):
                try:
                    title, sentences = _plain(_string(record["id"])), _string(record["lines"])
                except (KeyError, TypeError) as error:
                    raise InputError(f"{path}, line {number}: not a FEVER wiki page; expected id and lines") from error
                if title in titles and sentences:
                    pages[title] = dict(_numbered(sentences))
            bar.advance()
    return pages


def _numbered(sentences: str) -> Iterator[tuple[int, str]]:
    """Sentence numbers and texts: a line is the number, a tab, the text, and link targets behind further tabs."""
    for line in sentences.split("\n"):
        number, *rest = line.split("\t")
        if rest and number.isascii() and number.isdigit():
            yield int(number), _plain(rest[0])


def _holds(pages: Pages, title: str, number: int) -> bool:
    return number in pages.get(title, {})


def _rows(claims: Sequence[Claim], pages: Pages) -> Iterator[Row]:
    for claim in claims:
        sources: dict[str, str] = {}  # of each distinct evidence text, in order of appearance
        for group in claim.evidence:
            titles, parts = [], []
            for title, number in group:
                if not _holds(pages, title, number):
                    break
                if not titles or titles[-1] != title:
                    titles.append(title)
                    parts.append(title.replace("_", " ") + ".")
                parts.append(pages[title][number])
            if parts:
                sources.setdefault(" ".join(parts), "Wikipedia:" + "/".join(titles))
        for evidence, source in sources.items():
            yield bodega_tsv.row(claim.label, source, evidence, claim.text)
