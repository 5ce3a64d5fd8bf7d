"""What every attack is: plain settings and one generator."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Optional

import numpy

from hardtext import seeding
from hardtext.attacks import ties, typed
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.requests import Steps
from hardtext.core import Example, InputError, Segments
from hardtext.scoring.semantic import semantic_from_name


@dataclass(frozen=True, slots=True)
class Target:
    """The text to change and what the victim says of it.

    ``probabilities``: float array, (classes,). ``rng`` belongs to this example alone, seeded from the run seed,
    the attack and the example's id. ``window``: how many characters of each segment the victim reads; None where it
    reads them all, or does not say. ``max_queries``: after how many queries in all the engine stops the attack.
    """

    segments: Segments
    probabilities: numpy.ndarray
    rng: random.Random
    window: tuple[int, ...] | None = None
    max_queries: int | None = None

    @property
    def label(self) -> int:
        """The victim's prediction, which the attack tries to move. The gold label plays no part."""
        return int(ties.predicted(self.probabilities))

    @property
    def visible(self) -> tuple[int, ...]:
        """How many characters of each segment the victim reads; a change behind them cannot move it."""
        return tuple(map(len, self.segments)) if self.window is None else self.window

    def moved(self, row: numpy.ndarray) -> bool:
        """Whether a row of probabilities, (classes,), is another prediction than the original's."""
        return bool(ties.moved(row, self.label))


@dataclass
class Attack(ABC):
    """Settings of an attack; they are its config schema.

    ``variant``: which version of the algorithm; each attack's page says which it has and what they differ in.
    ``subset``: attack only this many of the examples, drawn by seed (used by adversarial training).
    """

    name: str = ""
    variant: str = ""
    subset: Optional[int] = None

    def __post_init__(self) -> None:
        typed.check(self, "attack")
        if self.subset is not None and self.subset < 1:
            raise InputError(f"attack.subset={self.subset}: expected a positive number, or null for all examples")

    @abstractmethod
    def steps(self, target: Target) -> Steps:
        """Yield requests and receive their answers; return the adversarial text, or None when none was found."""

    def stand_ins(self) -> list[str]:
        """What the attack uses in place of what its paper used, a few words each; its masked LM says so itself."""
        return []


@dataclass
class MaskedLMAttack(Attack):
    """An attack that asks a masked LM for candidates (``Propose``, ``Perplexity``).

    ``masked_lm``: ``bundled``, ``bundled:tiny``, a folder or a hub id.
    """

    masked_lm: str = "bundled"


@dataclass
class SemanticAttack(Attack):
    """An attack that chooses by meaning (``Meaning``).

    ``semantic``: the semantic scorer, ``minilm`` (stand-in) or ``bleurt``.
    """

    semantic: str = "minilm"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.semantic", self.semantic, ("minilm", "bleurt"))

    def stand_ins(self) -> list[str]:
        stand_in = semantic_from_name(self.semantic).stand_in
        return [*super().stand_ins(), *([f"choice by meaning: {stand_in}"] if stand_in else [])]


ENCODER = "similarity: cosine of MiniLM sentence embeddings in place of the Universal Sentence Encoder"


@dataclass
class WordAttack(Attack):
    """An attack that replaces words. ``constraints``: what it may change; null means the attack's own rule."""

    constraints: Constraints = field(default_factory=Constraints)

    own: ClassVar[Constraints] = Constraints()
    """The attack's own rules, where they ask for similar texts."""

    def stand_ins(self) -> list[str]:
        similarity = self.constraints.over(self.own).similarity
        return [*super().stand_ins(), *([ENCODER] if similarity is not None and similarity > -1 else [])]


def choose(examples: Sequence[Example], subset: int | None, seed: int) -> list[Example]:
    """``subset`` of the examples, drawn by seed and kept in input order; all of them for None or a larger number."""
    if subset is None or subset >= len(examples):
        return list(examples)
    chosen = seeding.generator(seed, "subset").sample(range(len(examples)), subset)
    return [examples[i] for i in sorted(chosen)]


def check_choice(key: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise InputError(f"{key}={value}: expected one of {', '.join(choices)}")


def check_unused(attack: Attack, *names: str) -> None:
    """Refuse settings that the chosen variant would ignore."""
    for name in names:
        if (value := getattr(attack, name)) is not None:
            raise InputError(f"attack.{name}={value}: attack.variant={attack.variant} does not use it; "
                             f"leave it out or choose another variant")
