"""The defences that act when a victim is asked: their settings, and how a victim is put behind them.

``LEARNT``: the file of the victim's folder that holds what a defence took from the training texts, one piece a line;
``LINE``: what such a line looks like, its first group said once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from random import Random
from typing import Any, ClassVar, Optional, get_args, get_type_hints

from hardtext.core import InputError, Segments, Victim
from hardtext.lexicon.canonical import STEPS

KINDS = ("mask", "synonyms")
MOST_NEIGHBOURS = 100  # of each of 26,000 words and more, all in memory at once


@dataclass
class Canonicalise:
    """``steps``: which of ``hardtext.lexicon.canonical.STEPS``. A victim is to be trained on canonicalised texts too.
    Learnt: the words of the training texts, which count as known.
    """

    LEARNT: ClassVar[str] = "words.txt"
    LINE: ClassVar[str] = r"(\S+)"

    steps: list[str] = field(default_factory=lambda: list(STEPS))

    def __post_init__(self) -> None:
        if not self.steps or not set(self.steps) <= set(STEPS):
            raise InputError(f"hardening.canonicalise.steps={self.steps}: expected one or more of {', '.join(STEPS)}")

    def rewriter(self, learnt: Iterable[str] = ()) -> Callable[[str], str]:
        from hardtext.lexicon.canonical import Canonicaliser

        return Canonicaliser(learnt, self.steps)

    def around(self, victim: Victim, learnt: Iterable[str] = ()) -> Victim:
        from hardtext.victims.defended.rewriting import Rewriting

        return Rewriting(victim, "canonicalise", self, learnt)


@dataclass
class Encode:
    """Words of one meaning are read as one word, so that swapping them changes nothing (``lexicon.encoding``). A victim is
    to be trained on encoded texts. Learnt: which word is read as which.

    ``vectors``: null: WordNet says what synonyms are; otherwise counter-fitted word vectors (``bundled``, a stand-in, or a
    file), whose ``neighbours`` nearest words at ``cosine`` or more (null: the vectors' own threshold) count as such.
    ``chains``: a synonym of a synonym may be read as the same word too, as published.
    """

    LEARNT: ClassVar[str] = "synonyms.txt"
    LINE: ClassVar[str] = r"(\S+) \S+"

    vectors: Optional[str] = None
    neighbours: int = 10
    cosine: Optional[float] = None
    chains: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.neighbours <= MOST_NEIGHBOURS:
            raise InputError(f"hardening.encode.neighbours={self.neighbours}: expected 1 to {MOST_NEIGHBOURS}")
        if self.cosine is not None and not 0 < self.cosine <= 1:
            raise InputError(f"hardening.encode.cosine={self.cosine}: expected a cosine above 0 up to 1, or null")

    def rewriter(self, learnt: Iterable[str] = ()) -> Callable[[str], str]:
        from hardtext.lexicon.encoding import Encoder

        return Encoder(dict(line.split(" ") for line in learnt))

    def around(self, victim: Victim, learnt: Iterable[str] = ()) -> Victim:
        from hardtext.victims.defended.rewriting import Rewriting

        return Rewriting(victim, "encode", self, learnt)


@dataclass
class Output:
    """``digits``: scores are rounded to so many digits; 0: the label alone (1 for it, 0 for the others).
    ``per_minute``: answers a client gets in a minute (null: any number). Attacks here are one client; they are not slowed
    down, but what the rate would have cost them is written into their ``summary.json`` (``minutes_at_rate``).
    """

    LEARNT: ClassVar[None] = None

    digits: int = 0
    per_minute: Optional[int] = None

    def __post_init__(self) -> None:
        if not 0 <= self.digits <= 6:
            raise InputError(f"hardening.output.digits={self.digits}: expected 0 (the label alone) to 6")
        if self.per_minute is not None and self.per_minute < 1:
            raise InputError(f"hardening.output.per_minute={self.per_minute}: expected 1 or more, or null")

    def around(self, victim: Victim, learnt: Iterable[str] = ()) -> Victim:
        from hardtext.victims.defended.coarse import Coarse

        return Coarse(victim, self)


@dataclass
class Smooth:
    """``kind``: ``mask`` (RanMASK) or ``synonyms`` (SAFER). ``rate``: share of the words masked (RanMASK's default is 0.7).
    ``copies``: how many are voted over. ``mask``: what a masked word is written as, the mask piece of the model's tokenizer
    ("<mask>" for RoBERTa). ``fixed``: the copies of a text are always the same ones, so that it always gets the same answer;
    otherwise every question draws new ones.
    """

    LEARNT: ClassVar[None] = None

    kind: str = "mask"
    rate: float = 0.3
    copies: int = 11
    mask: str = "[MASK]"
    fixed: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"hardening.smooth.kind={self.kind}: expected one of {', '.join(KINDS)}")
        if not 0 < self.rate < 1:
            raise InputError(f"hardening.smooth.rate={self.rate}: expected a share of the words above 0 and below 1")
        if not self.mask.strip():
            raise InputError("hardening.smooth.mask is empty: expected what a masked word is written as, such as [MASK]")
        if self.copies < 1:
            raise InputError(f"hardening.smooth.copies={self.copies}: expected 1 or more")

    def around(self, victim: Victim, learnt: Iterable[str] = ()) -> Victim:
        from hardtext.victims.defended.smoothed import Smoothed

        return Smoothed(victim, self)

    def copy(self, segments: Segments, random: Random) -> Segments:
        """One randomised copy of a text."""
        from hardtext.victims.defended.smoothed import masked, substituted

        return masked(segments, self.rate, self.mask, random) if self.kind == "mask" else substituted(segments, random)

    def untouched(self, segments: Segments) -> Iterable[float]:
        """What share of the copies a change of 0, 1, 2, ... words leaves as they were (``certificates``)."""
        from hardtext.victims.defended import certificates, smoothed

        if self.kind == "mask":
            return certificates.untouched_by_masks(len(smoothed.maskable(segments)), self.rate)
        return certificates.untouched_by_synonyms(segments)


Defence = Canonicalise | Encode | Smooth | Output

DEFENCES: dict[str, type[Defence]] = {"canonicalise": Canonicalise, "encode": Encode, "smooth": Smooth, "output": Output}
"""In the order in which a text passes them: rewritten first, then smoothed; the answer is made coarse last."""


def apply(victim: Victim, defences: Mapping[str, Defence], learnt: Mapping[str, Iterable[str]] | None = None) -> Victim:
    """``victim`` behind ``defences`` (by name, any order). ``learnt``: name of a defence → what it took from the training
    texts (``hardening.learning``)."""
    for name in ("smooth", "encode", "canonicalise", "output"):  # from the inside out
        if name in defences:
            victim = defences[name].around(victim, (learnt or {}).get(name, ()))
    return victim


def to_record(defences: Mapping[str, Defence]) -> dict[str, dict[str, Any]]:
    return {name: asdict(defence) for name, defence in defences.items()}


def from_record(record: Any, where: str) -> dict[str, Defence]:
    """The inverse of ``to_record``. Raises InputError where the record is damaged; ``where`` names the file."""
    if not isinstance(record, dict) or not all(isinstance(values, dict) for values in record.values()):
        raise InputError(f"{where}: defences: expected settings by name of defence; train the victim again")
    found: dict[str, Defence] = {}
    for name, values in record.items():
        kind = DEFENCES.get(name)
        if kind is None or set(values) - {f.name for f in fields(kind)}:
            raise InputError(f"{where}: the defence {name!r} is not known to this version of hardtext; update it")
        hints = get_type_hints(kind)
        wrong = [f"{key}={value!r:.60}" for key, value in values.items() if not _fits(value, hints[key])]
        try:
            if wrong:
                raise InputError(f"{wrong[0]} is of another kind")
            found[name] = kind(**values)
        except InputError as error:
            raise InputError(f"{where}: damaged settings of the defence {name!r} ({error}); "
                             f"train the victim again") from error
    return found


def _fits(value: Any, hint: Any) -> bool:
    """Whether JSON gave a value of the type that a setting has.

    >>> [_fits(2.5, int), _fits(True, int), _fits(1, Optional[float]), _fits(None, Optional[int]), _fits(["a", 1], list[str])]
    [False, False, True, True, False]
    """
    if hint == list[str]:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    kinds = get_args(hint) or (hint,)
    return type(value) in kinds or (type(value) is int and float in kinds)
