"""The rows of ``task=probes``: what a probe asked about an example, and what the victim answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from hardtext.core import InputError, Segments


@dataclass(frozen=True, slots=True)
class Answer:
    """A probe's question about one example and the victim's answer: a line of ``probes.jsonl``.

    ``changed`` is None where the probe does not ask, and ``why`` says why; then ``changed_probs`` and ``flipped`` are
    None too. ``what``: what was changed. ``rules``: by which rules, of probes that have several.
    """

    id: str
    domain: str
    victim: str
    probe: str
    rules: str | None
    label: int
    original: Segments
    changed: Segments | None
    what: str | None
    why: str | None
    expects: str
    original_probs: list[float]
    changed_probs: list[float] | None
    flipped: bool | None
    seed: int

    def to_row(self) -> dict[str, Any]:
        """A JSON-ready dict, keys in the order of the file."""
        return asdict(self) | {"original": list(self.original), "changed": self.changed and list(self.changed)}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Answer:
        """The inverse of ``to_row``; another file's row is refused."""
        if names := row.keys() ^ {f.name for f in fields(cls)}:
            raise InputError(f"not a probe's answer: missing or unknown {', '.join(sorted(names))}")
        return cls(**{**row, "original": tuple(row["original"]), "changed": row["changed"] and tuple(row["changed"])})
