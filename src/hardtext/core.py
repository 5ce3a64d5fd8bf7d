"""The words of the field as types: example, domain, victim, attempt. Standard library only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy
    import torch

Segments = tuple[str, ...]
"""The text a victim reads: one segment, or two for a pair (evidence, claim). Never joined."""

SPLITS = ("train", "dev", "attack")
STATUSES = ("success", "failed", "skipped", "budget", "error")


class InputError(Exception):
    """Bad input. The message is one line: what, where, what was expected, what to do.

    The commands print it without a traceback and exit with code 2.
    """


@dataclass(frozen=True, slots=True)
class Example:
    """One labelled text.

    ``segments`` holds one string, or two for a pair; a plain string is taken as one segment.
    ``label`` is an index into the domain's classes.
    """

    id: str
    segments: Segments
    label: int
    source: str = ""
    split: str = ""

    def __post_init__(self) -> None:
        segments = tuple(self.segments) if isinstance(self.segments, (tuple, list)) else (self.segments,)
        if len(segments) not in (1, 2) or not all(isinstance(s, str) for s in segments):
            raise InputError(f"example {self.id!r}: segments must be one or two strings, got {self.segments!r}")
        object.__setattr__(self, "segments", segments)


@dataclass(frozen=True, slots=True)
class Domain:
    """What the labels of a corpus mean.

    ``positive`` are the indices of the classes that count as non-credible (fake, refuted, propaganda).
    ``stand_in`` is empty for the real corpus; otherwise it says in a few words what this one is
    ("generated sample"), and every table and file that holds its numbers repeats it.
    """

    name: str
    classes: tuple[str, ...]
    positive: tuple[int, ...] = (1,)
    pair: bool = False
    stand_in: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A domain with its examples. ``notes`` are said to the user (a count that differs from the published one)."""

    domain: Domain
    train: tuple[Example, ...] = ()
    dev: tuple[Example, ...] = ()
    attack: tuple[Example, ...] = ()
    notes: tuple[str, ...] = ()

    def split(self, name: str) -> tuple[Example, ...]:
        if name not in SPLITS:
            raise InputError(f"split={name}: expected one of {', '.join(SPLITS)}")
        return getattr(self, name)


def listed(texts: Sequence[Segments | str]) -> Sequence[Segments | str]:
    """Texts to be asked about, as they are; a single string, which is a sequence of its characters too, is refused.

    >>> listed("one text")
    Traceback (most recent call last):
    hardtext.core.InputError: expected a list of texts, got one string: ['one text']
    """
    if isinstance(texts, str):
        raise InputError(f"expected a list of texts, got one string: [{texts[:40]!r}]")
    return texts


@runtime_checkable
class Victim(Protocol):
    """A text classifier under attack."""

    name: str
    classes: tuple[str, ...]

    def probabilities(self, texts: Sequence[Segments]) -> numpy.ndarray:
        """Class probabilities of ``texts``: float array, (len(texts), classes); rows sum to 1."""
        ...


@runtime_checkable
class Windowed(Protocol):
    """A victim that knows how much of a text it reads."""

    def window(self, segments: Segments) -> tuple[int, ...]:
        """How many characters of each segment it reads."""
        ...


Piece = tuple[int, int, int, float]
"""(segment, start, end, value): what is said of a piece of a text."""


@runtime_checkable
class Differentiable(Protocol):
    """A victim whose weights are in this process."""

    def gradients(self, texts: Sequence[tuple[Segments, int]]) -> list[list[Piece]]:
        """For each (text, class): the L2 norm of the gradient of the class's log-probability with respect to the
        embedding of each piece; special pieces left out."""
        ...


Span = tuple[int, int, int]
"""(segment, start, end) in characters."""


class Inside(Protocol):
    """What saliency asks of a victim that it can look into: its pieces, their vectors, and its class logits as a function
    of the vectors."""

    blank: str
    """The piece that stands in for a word taken away, as a reader knows it ("[MASK]")."""
    gradient_tokens: int
    """How many pieces a batch with gradients may hold."""

    def table(self, texts: Sequence[Segments]) -> Any:
        """The texts in pieces; ``table.lengths``: (texts,), how many each has."""
        ...

    def spans(self, segments: Segments) -> list[Span | None]:
        """Where each piece of a text stands; None for a piece that stands for no characters ([CLS], [SEP])."""
        ...

    def in_batches(self, table: Any, rows: numpy.ndarray, work: Callable[[Any, numpy.ndarray], list], *,
                   gradients: bool = False, times: int = 1, batch_tokens: int | None = None) -> list:
        """``work(batch, places)`` over batches of texts of similar length, its results put back in the order of ``rows``.

        ``rows``: texts of ``table``, repeats allowed; ``places``: where in ``rows`` those of the batch stand; ``work``
        gives a list with one result for each. ``times``: how many copies of a text ``work`` computes at once.
        """
        ...

    def vectors(self, batch: Any) -> torch.Tensor:
        """The embeddings of a batch's pieces: (texts, width, size)."""
        ...

    def blank_vector(self) -> torch.Tensor:
        """The embedding of ``blank``: (size,)."""
        ...

    def logits(self, batch: Any, vectors: torch.Tensor | None = None) -> torch.Tensor:
        """Class logits, (texts, classes), with ``vectors`` in place of the pieces' embeddings where given."""
        ...


@runtime_checkable
class Transparent(Protocol):
    """A victim that can be looked into: its weights are in this process."""

    def inside(self) -> Inside:
        ...


_ROW_KINDS = {"id": str, "domain": str, "victim": str, "attack": str, "label": int, "queries": int, "forwards": int,
              "seconds": (int, float), "seed": int}


@dataclass(slots=True)
class Attempt:
    """One attacked example: a line of ``attempts.jsonl``.

    ``adversarial`` is None unless ``status`` is ``success``. ``queries`` counts what the sequential
    algorithm asks, repeats included: the first prediction, everything asked, the final re-check.
    ``forwards`` counts the texts really sent through the victim on behalf of this example.
    No part of the line: ``best``, where ``status`` is ``budget`` the text that came closest (None where no candidate was
    asked); ``member``, of an ensemble the attack that found the text.
    """

    id: str
    domain: str
    victim: str
    attack: str
    label: int
    original: Segments
    adversarial: Segments | None
    status: str
    original_probs: list[float] | None
    adversarial_probs: list[float] | None
    queries: int
    forwards: int
    seconds: float
    seed: int
    error: str | None = None
    best: Segments | None = None
    member: str = ""

    def to_row(self) -> dict[str, Any]:
        """A JSON-ready dict, keys in the order of the file."""
        row = asdict(self)
        del row["best"], row["member"]
        row["original"] = list(self.original)
        row["adversarial"] = None if self.adversarial is None else list(self.adversarial)
        return row

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Attempt:
        """The inverse of ``to_row``. Raises InputError for unknown keys, so that a foreign file is noticed, and for what
        no attack can have left: texts of another number of segments, a success without a change, no probabilities."""
        known = {f.name for f in fields(cls)} - {"best", "member"}
        if missing := known - {"error"} - row.keys():
            raise InputError(f"not an attempt: missing {', '.join(sorted(missing))}")
        if unknown := row.keys() - known:
            raise InputError(f"not an attempt: unknown {', '.join(sorted(unknown))}")
        _check_kinds(row)
        _check_texts(row)
        _check_probabilities(row)
        adversarial = row["adversarial"]
        return cls(**{**row, "original": tuple(row["original"]),
                      "adversarial": None if adversarial is None else tuple(adversarial)})


_SUM_TOLERANCE = 0.01
"""How far from 1 probabilities may sum: a victim that is a function may be off by a thousandth, and rows are rounded."""


def _check_kinds(row: dict[str, Any]) -> None:
    for key in ("queries", "forwards"):
        if isinstance(row[key], bool) or (isinstance(row[key], int) and not 0 <= row[key] < 10**15):
            raise InputError(f"not an attempt: {key} holds {str(row[key])[:60]}, expected a count")
    if row["status"] not in STATUSES:
        raise InputError(f"not an attempt: status {row['status']!r:.80}, expected one of {', '.join(STATUSES)}")
    for key, kind in _ROW_KINDS.items():
        if not isinstance(row[key], kind) or isinstance(row[key], bool):
            raise InputError(f"not an attempt: {key} holds {row[key]!r:.80}, a {type(row[key]).__name__}")
    if not 0 <= row["seconds"] < 10**15:
        raise InputError(f"not an attempt: seconds holds {row['seconds']!r:.80}, expected a duration")
    if not isinstance(row.get("error"), str | None):
        raise InputError(f"not an attempt: error holds {row['error']!r:.80}, expected a text or null")


def _check_texts(row: dict[str, Any]) -> None:
    original, adversarial = row["original"], row["adversarial"]
    for key, segments in (("original", original), ("adversarial", adversarial)):
        if segments is None and key == "adversarial" and row["status"] != "success":
            continue
        if not (isinstance(segments, list) and len(segments) in (1, 2) and all(isinstance(s, str) for s in segments)):
            raise InputError(f"not an attempt: {key} must be a list of one or two strings, got {segments!r:.80}")
    if adversarial is not None and len(adversarial) != len(original):
        raise InputError(f"not an attempt: adversarial has {len(adversarial)} segments, original {len(original)}")
    if row["status"] == "success" and adversarial == original:
        raise InputError("not an attempt: a success whose adversarial text is the original")


def _check_probabilities(row: dict[str, Any]) -> None:
    before, after = row["original_probs"], row["adversarial_probs"]
    if row["label"] < -1:
        raise InputError(f"not an attempt: label holds {row['label']}, expected the index of a class, or -1 for unknown")
    for key, found in (("original_probs", before), ("adversarial_probs", after)):
        if found is None:
            continue
        if not (isinstance(found, list) and all(isinstance(p, int | float) and not isinstance(p, bool) for p in found)):
            raise InputError(f"not an attempt: {key} must be a list of numbers or null, got {found!r:.80}")
        if not (all(0 <= p <= 1 + _SUM_TOLERANCE for p in found) and abs(sum(found) - 1) <= _SUM_TOLERANCE):
            raise InputError(f"not an attempt: {key} holds {found!r:.80}, expected probabilities (0 or more, sum 1)")
    if after is not None and row["adversarial"] is None:
        raise InputError("not an attempt: adversarial_probs without an adversarial text")
    if row["status"] == "success" and (before is None) != (after is None):
        raise InputError("not an attempt: a success with the probabilities of only one of its two texts")
    if before is not None and after is not None and len(before) != len(after):
        raise InputError(f"not an attempt: original_probs has {len(before)} classes, adversarial_probs {len(after)}")
    if before is not None and row["label"] >= len(before):
        raise InputError(f"not an attempt: label holds {row['label']}, but original_probs has {len(before)} classes")
