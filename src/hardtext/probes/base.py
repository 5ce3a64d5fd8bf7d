"""A probe asks the classifier a question: it changes a text in a way whose right answer is known, or says why it cannot.

After "An Adversarial Benchmark for Fake News Detection Models" (Flores and Hao), which asks three such questions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Optional

from hardtext.core import Domain

Expectation = Literal["flip", "fake", "stay"]
"""What a classifier that understands does with the changed text: give the other label, call it fake, keep its label."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A changed text. ``what`` says in a few words what was done ("is -> is not"); several are separated by "; ".
    ``expects`` overrules what the probe expects, for this text. ``others``: further changed texts of the same original
    (only your own pairs have them)."""

    text: str
    what: str
    expects: Optional[Expectation] = None
    others: tuple[Changed, ...] = ()


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Why a probe does not ask about a text, in a few words that many texts share ("names no politician")."""

    why: str


@dataclass
class ProbeSettings:
    """``probe=negation,party,intensity probe.rules=sound …``: which probes, and the choices they have."""

    names: list[str] = field(default_factory=lambda: ["negation", "party", "intensity"])
    rules: str = "sound"  # negation and intensity: sound, or published for what the benchmark's notebooks do
    politicians: Optional[str] = None  # party: a CSV of more politicians (the legislators file, or columns name, party)
    party_words: bool = False  # party: swap Republican/Democrat, GOP, conservative/liberal too
    both_parties: bool = False  # party: also texts that name politicians of both parties
    classes: str = "expected"  # or all: also texts of classes that a probe does not ask about (true ones for intensity)
    path: Optional[str] = None  # probe=file: your own pairs: columns original, changed, and optionally expected and what


class Probe(ABC):
    """A question. ``change`` is a pure function of the text and the seed, and is asked about the last segment of a text
    (the claim of a pair, whose evidence stays)."""

    name: ClassVar[str]
    expects: ClassVar[Expectation]
    asks: ClassVar[str]
    """The question in one line, for the table ("Does it notice that a statement was negated?")."""
    few_flips: ClassVar[str]
    """What a low flip rate means for this probe, in one or two sentences."""
    of: ClassVar[Literal["any", "real", "fake"]] = "any"
    """The classes it asks about (party reversal makes true statements untrue; removed intensifiers keep fake ones fake)."""
    source: ClassVar[str] = "hardtext"
    """The paper whose method it follows."""

    @abstractmethod
    def change(self, text: str, seed: int) -> Changed | Unchanged:
        """``text`` changed, or why not. ``seed`` is the example's own (seeding.py): same text, same seed, same change."""

    def asks_about(self, label: int, domain: Domain) -> bool:
        """Whether the question makes sense for an example of this label."""
        return self.of == "any" or (label in domain.positive) == (self.of == "fake")
