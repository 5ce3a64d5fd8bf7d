"""RD: does a Twitter thread spread a rumour? The augmented PHEME threads (Han, Gao, Ciravegna 2019), as BODEGA cuts it.

A text is the source tweet and its reactions, one a line. The Charlie Hebdo event is the test part. Events stand in the
order of their names (the public converter takes the file system's order, so its training set is shuffled differently).
"""

from __future__ import annotations

import json
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
from hardtext.progress import progress

HELD_OUT = "charliehebdo"
KINDS = (("rumours", 1), ("non-rumours", 0))


@dataclass
class RDDomain(PublishedDomain):
    name: str = "rd"

    meaning: ClassVar[Domain] = Domain("rd", ("non-rumour", "rumour"))
    source: ClassVar[Source] = Source(
        title="the augmented dataset of rumours and non-rumours (aug-rnr-data_filtered, all its events, unpacked)",
        page="https://zenodo.org/records/3269768",
        licence="annotations CC BY 4.0, tweets by their authors",
        files={f"{HELD_OUT}/{kind}": f"{HELD_OUT}/{kind}/<thread>/…" for kind, _ in KINDS},
        sizes=SIZES["rd"])

    def convert(self, raw: RawFiles) -> Converted:
        folder = raw[f"{HELD_OUT}/rumours"][0].parents[1]
        threads = [(event.name, label, thread) for event in _visible(folder) if event.is_dir()
                   for kind, label in KINDS if (event / kind).is_dir() for thread in _visible(event / kind)]
        train, test = [], []
        with progress("reading threads", len(threads)) as bar:
            for event, label, thread in threads:
                (test if event == HELD_OUT else train).append(_row(thread, label))
                bar.advance()
        return Converted(sample(train, test))


def _visible(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _row(thread: Path, label: int) -> Row:
    tweets = [path for part in ("source-tweets", "reactions") if (thread / part).is_dir()
              for path in _visible(thread / part)]
    if not tweets:
        raise InputError(f"{thread}: expected a thread (source-tweets/<number>.json, reactions/<number>.json), "
                         "found no tweet")
    text = "\n".join(_messages(tweets))
    return bodega_tsv.row(label, f"https://twitter.com/twitter/status/{tweets[0].name}", text)


def _messages(tweets: list[Path]) -> Iterator[str]:
    for path in tweets:
        try:
            tweet = json.loads(path.read_text(encoding="utf-8-sig"))
            message = tweet["full_text"] if "full_text" in tweet else tweet["text"]
            message = message.replace("\n", " ").replace("\r", " ")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: not a tweet in JSON with text or full_text ({error})") from error
        yield message.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
