"""What the published corpora share: finding the raw files, converting them, saying what differs from the paper."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import ClassVar, Optional, final

from hardtext import records
from hardtext.core import SPLITS, Corpus, Domain, InputError
from hardtext.domains import archives, bodega_tsv
from hardtext.domains.base import DomainSettings
from hardtext.domains.download import Remote, fetch
from hardtext.domains.published_sizes import Sizes, differences
from hardtext.domains.rows import Splits, examples

log = logging.getLogger(__name__)

CONVERTERS = 1  # raised when a converter's output changes, so that kept conversions are made again

RawFiles = Mapping[str, Sequence[Path]]
"""The files found for each pattern of ``Source.files``, in the order of their names."""


@dataclass(frozen=True)
class Source:
    """Where a corpus is to be had, in the words of the message about missing files.

    ``files`` maps a glob pattern to how the message names what it finds; a pattern may match in the corpus's folder or
    one or two folders deeper (archives often bring a folder of their own). ``addresses`` are the files and archives to
    download; empty where no stable open address is known.
    """

    title: str
    page: str
    licence: str
    files: Mapping[str, str]
    sizes: Sizes
    addresses: tuple[Remote, ...] = ()


@dataclass(frozen=True)
class Converted:
    """What a converter found. ``stand_in`` as in ``Domain``."""

    splits: Splits
    notes: tuple[str, ...] = ()
    stand_in: str = ""


@dataclass
class PublishedDomain(DomainSettings):
    """A published corpus, read from its raw files or from a set already converted to the BODEGA layout.

    ``path`` is the folder of either (default: the domain's name in the data root); where it holds ``train.tsv`` and
    ``attack.tsv`` they are read and the raw files are not. ``download`` fetches raw files that are not there.
    """

    path: Optional[str] = None
    download: bool = False

    meaning: ClassVar[Domain]
    source: ClassVar[Source]
    keeps_conversion: ClassVar[bool] = False
    """Whether converting the full corpus takes so long (over 30 s) that the result is kept in the data root."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.download and not self.source.addresses:
            raise InputError(f"domain.download=true: no stable open address of {self.name} is known; "
                             f"get {self.source.title} from {self.source.page}")

    @abstractmethod
    def convert(self, raw: RawFiles) -> Converted:
        """The corpus from its raw files. Raises InputError naming file and line where they are damaged."""

    @final
    def load(self, root: Path, seed: int) -> Corpus:
        """The corpus. Its splits never depend on the run's seed."""
        folder = Path(self.path) if self.path else Path(root) / self.name
        if bodega_tsv.is_set(folder):
            found = Converted(bodega_tsv.read_set(folder, self.meaning),
                              (f"{folder} holds a converted set (train.tsv, attack.tsv); raw files are not looked at",))
        else:
            raw = self._raw_files(folder)
            found = self._kept(Path(root) / self.name, raw) if self.keeps_conversion else self.convert(raw)
        notes = found.notes
        if difference := differences(found.splits, self.source.sizes):
            notes += (f"not the published sizes: {difference}",)
        return Corpus(replace(self.meaning, name=self.name, stand_in=found.stand_in),
                      notes=tuple(f"{self.name}: {note}" for note in notes),
                      **{split: examples(getattr(found.splits, split), self.name, split) for split in SPLITS})

    def _raw_files(self, folder: Path) -> RawFiles:
        patterns = self.source.files
        if folder.is_file() and len(patterns) == 1:
            return {pattern: [folder] for pattern in patterns}
        raw = _found(folder, patterns)
        if self.download and not all(raw.values()):
            for path in fetch(self.source.addresses, folder):
                if path.suffix in archives.SUFFIXES:
                    archives.unpack(path)
            raw = _found(folder, patterns)
        if missing := [patterns[pattern] for pattern, paths in raw.items() if not paths]:
            what = f"lacks {', '.join(missing)}" if len(missing) < len(patterns) else "holds no corpus"
            fetching = "" if self.download or not self.source.addresses else "; or let domain.download=true fetch them"
            raise InputError(
                f"domain={self.name}: {folder} {what}. Get {self.source.title} from {self.source.page} "
                f"({self.source.licence}) and put {', '.join(patterns.values())} there{fetching}; or put a set converted "
                "to the BODEGA layout there (train.tsv, attack.tsv, dev.tsv); or name another folder with "
                "domain.path=<folder>")
        return raw

    def _kept(self, folder: Path, raw: RawFiles) -> Converted:
        """The conversion, made once for the same settings and raw files and read from then on."""
        kept = folder / f"converted-{self._fingerprint(raw)}"
        about = kept / "about.json"
        if about.is_file():
            log.info("%s: reading the set converted earlier, %s", self.name, kept)
            said = records.read_json(about)
            return Converted(bodega_tsv.read_set(kept, self.meaning), tuple(said["notes"]), said["stand_in"])
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write the converted set to {folder}: {error.strerror or error}; "
                             "set HARDTEXT_DATA=<folder> to one that can be written") from error
        found = self.convert(raw)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".converting-") as temporary:
            unfinished = Path(temporary) / "set"
            bodega_tsv.write_set(unfinished, found.splits)
            records.write_json(unfinished / about.name, {"notes": list(found.notes), "stand_in": found.stand_in})
            try:
                os.rename(unfinished, kept)
            except OSError:
                if not about.is_file():  # else another process was faster, with the same set
                    raise
        log.info("%s: the converted set is kept in %s", self.name, kept)
        return found

    def _fingerprint(self, raw: RawFiles) -> str:
        shared = {field.name for field in fields(PublishedDomain)}
        options = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in shared}
        files = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for paths in raw.values() for path in paths]
        text = json.dumps([CONVERTERS, type(self).__name__, options, files], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def _found(folder: Path, patterns: Iterable[str]) -> RawFiles:
    """The files of each pattern at the least depth that has any."""
    return {pattern: next((paths for depth in ("", "*/", "*/*/") if (paths := sorted(folder.glob(depth + pattern)))), [])
            for pattern in patterns}
