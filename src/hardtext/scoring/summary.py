"""What a run says of itself: the ``summary.json`` beside its attempts, read in one place for every table."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hardtext.core import InputError
from hardtext.records import read_json

NO_SUMMARY = "no summary.json beside the attempts, so what stood in for something else is unknown"


@dataclass(frozen=True)
class Summary:
    """``domain_stand_in``: what stands in for the corpus, '' for the real one. ``stand_ins``: what else stood in for
    something, with ``NO_SUMMARY`` where a run left no summary. ``row``: the whole file, empty where there is none."""

    domain_stand_in: str = ""
    stand_ins: tuple[str, ...] = ()
    row: dict[str, Any] = field(default_factory=dict)

    @property
    def missing(self) -> bool:
        return NO_SUMMARY in self.stand_ins

    @property
    def marks(self) -> tuple[str, ...]:
        """All of it in words: every table and file repeats them beside the run's numbers."""
        return (*([f"domain: {self.domain_stand_in}"] if self.domain_stand_in else []), *self.stand_ins)


def read_summary(source: Path) -> Summary:
    """The summary of the run that ``source`` belongs to: an attack folder, or the attempts in it. A submission has none.

    Raises InputError where the file is no summary of an attack run.
    """
    source = Path(source)
    if source.suffix == ".tsv":
        return Summary()
    file = (source if source.is_dir() else source.parent) / "summary.json"
    if not file.is_file():
        return Summary(stand_ins=(NO_SUMMARY,))
    row = read_json(file)
    if not isinstance(row, dict):
        raise InputError(f"{file}: expected the summary of an attack run, got a {type(row).__name__}")
    domain, stand_ins = row.get("domain_stand_in", ""), row.get("stand_ins", [])
    if not isinstance(domain, str):
        raise InputError(f"{file}: domain_stand_in holds {domain!r:.60}, expected a text; attack again, or mend the file")
    if not (isinstance(stand_ins, list) and all(isinstance(words, str) for words in stand_ins)):
        raise InputError(f"{file}: stand_ins holds {stand_ins!r:.60}, expected a list of texts; attack again, or mend the "
                         f"file")
    return Summary(domain, tuple(stand_ins), row)
