"""The rows of ``task=probes``: what a probe asked about an example, and what the victim answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from hardtext.core import InputError, Segments


@dataclass(frozen=True, slots=True)
class Answer:
    """A probe's question about one example and the victim's answer: a line of ``probes.jsonl``.

    ``changed`` is None where there is nothing to ask, and ``why`` says why; then ``changed_probs`` and ``flipped`` are
    None too. ``number`` and ``of``: the first of one, of your own pairs perhaps the second of three about an example.
    ``rules``: by which rules, of probes that have several. ``what``: what was changed. ``truncated``: whether the original
    or the changed text is longer than the victim reads; None where the victim does not tell.
    """

    id: str
    domain: str
    victim: str
    probe: str
    number: int
    of: int
    rules: str | None
    label: int
    original: Segments
    changed: Segments | None
    what: str | None
    why: str | None
    expects: str
    truncated: bool | None
    original_probs: list[float]
    changed_probs: list[float] | None
    flipped: bool | None
    seed: int

    def to_row(self) -> dict[str, Any]:
        """A JSON-ready dict, keys in the order of the file."""
        return asdict(self) | {"original": list(self.original), "changed": self.changed and list(self.changed)}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Answer:
        """The inverse of ``to_row``. Raises InputError for another file's row and for one that was damaged."""
        if names := row.keys() ^ {f.name for f in fields(cls)}:
            raise InputError(f"not a probe's answer: missing or unknown {', '.join(sorted(names))}")
        if wrong := next((name for name, fits in _KINDS.items() if not fits(row[name])), None):
            raise InputError(f"not a probe's answer: {wrong} holds {row[wrong]!r:.80}")
        if len({row[name] is None for name in ("changed", "changed_probs", "flipped")}) > 1:
            raise InputError("not a probe's answer: a changed text without its probabilities, or these without the text")
        return cls(**{**row, "original": tuple(row["original"]), "changed": row["changed"] and tuple(row["changed"])})


def _texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) in (1, 2) and all(isinstance(text, str) for text in value)


def _numbers(value: Any) -> bool:
    return (isinstance(value, list) and len(value) > 1
            and all(isinstance(p, int | float) and not isinstance(p, bool) for p in value))


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _or_none(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


_KINDS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("id", "domain", "victim", "probe", "expects"), _text),
    **dict.fromkeys(("rules", "what", "why"), _or_none(_text)),
    **dict.fromkeys(("label", "seed", "number", "of"), _count),
    **dict.fromkeys(("truncated", "flipped"), _or_none(lambda value: isinstance(value, bool))),
    "original": _texts, "changed": _or_none(_texts), "original_probs": _numbers, "changed_probs": _or_none(_numbers),
}
