"""``hardening=[canonicalise,augment]``: which defences a victim is trained with, and their settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

from hardtext.core import InputError
from hardtext.victims.defended.settings import DEFENCES, Canonicalise, Defence, Encode, Output, Smooth
from hardtext.victims.settings import KEEP, SCHEDULES, one_of

ATTACKS = {"bert_attack": 1.0, "deepwordbug": 0.5, "pwws": 1.0}
"""What augmentation attacks with, unless told otherwise."""

EMBEDDING = ("freelb", "freelb++", "vat")


@dataclass
class Augment:
    """The published recipe (``hardening.adversarial``) generalised.

    ``attacks``: name → weight; each chosen training text is attacked by one of them, drawn in proportion. ``share`` of the
    training texts are attacked in every round, each at most with ``max_queries``. A round attacks the victim as it is by
    then, and trains on for ``epochs`` with what fooled it in this and (``keep_earlier``) the earlier rounds; there are
    ``rounds`` of them. ``curriculum``: the first round trains on the texts that were easiest to find (fewest queries), the
    last one on all. ``weight``, ``consistency`` and ``label_smoothing``: see ``victims.losses``. ``lr`` (null: the model's
    own), ``schedule``, ``keep``: see ``victims.settings.TrainingPlan``; each round is a schedule of its own.
    """

    attacks: dict[str, float] = field(default_factory=dict)  # empty: ATTACKS (to a full default one could only add)
    share: float = 0.25
    max_queries: Optional[int] = 200
    rounds: int = 2
    epochs: int = 2
    keep_earlier: bool = True
    curriculum: bool = False
    weight: float = 1.0
    consistency: float = 0.0
    label_smoothing: float = 0.0
    lr: Optional[float] = None
    schedule: str = "linear"
    keep: str = "last"

    def __post_init__(self) -> None:
        self.attacks = self.attacks or dict(ATTACKS)
        if any(not weight >= 0 for weight in self.attacks.values()) or not sum(self.attacks.values()) > 0:
            raise InputError(f"hardening.augment.attacks={self.attacks}: expected attacks with weights of 0 or more, "
                             f"such as {{bert_attack: 1, deepwordbug: 0.5}}")
        if not 0 < self.share <= 1:
            raise InputError(f"hardening.augment.share={self.share}: expected a share of the training texts, above 0 up to 1")
        for key in ("rounds", "epochs", "max_queries"):
            if (value := getattr(self, key)) is not None and value < 1:
                raise InputError(f"hardening.augment.{key}={value}: expected 1 or more")
        for key, fits, expected in (("weight", self.weight > 0, "a number above 0"),
                                    ("consistency", self.consistency >= 0, "0 or more"),
                                    ("label_smoothing", 0 <= self.label_smoothing < 1, "a share from 0 up to but not 1"),
                                    ("lr", self.lr is None or self.lr > 0, "a number above 0, or null")):
            if not fits:
                raise InputError(f"hardening.augment.{key}={getattr(self, key)}: expected {expected}")
        one_of("hardening.augment.schedule", self.schedule, SCHEDULES)
        one_of("hardening.augment.keep", self.keep, KEEP)


@dataclass
class EmbeddingSettings:
    """Training against disturbed embeddings (``hardening.embedding``).

    ``steps``: gradient steps on the disturbance; ``step_size``: their length; ``start``: norm of the first disturbance;
    ``bound``: the largest norm (0: none). All are L2 norms over a whole text. ``weight``: of the term of ``vat`` beside the
    plain loss. An epoch that learns nothing is followed by one without disturbance (``VictimModule.stalled``).
    """

    kind: str = "freelb++"
    steps: int = 3
    step_size: float = 0.03
    start: float = 0.05
    bound: float = 0.0
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in EMBEDDING:
            raise InputError(f"hardening.embedding.kind={self.kind}: expected one of {', '.join(EMBEDDING)}")
        if self.steps < 1 or not self.step_size > 0 or not self.start >= 0 or not self.bound >= 0 or not self.weight > 0:
            raise InputError(f"hardening.embedding: expected steps >= 1, step_size > 0, start >= 0, bound >= 0 and "
                             f"weight > 0, got {self.steps}, {self.step_size}, {self.start}, {self.bound}, {self.weight}")
        if self.kind == "freelb" and not self.bound:
            raise InputError("hardening.embedding.kind=freelb needs hardening.embedding.bound above 0 (the radius of its "
                             "ball); without a bound it is freelb++")


@dataclass
class HardeningSettings:
    """The defences of one victim; null where one is not used."""

    augment: Optional[Augment] = None
    embedding: Optional[EmbeddingSettings] = None
    canonicalise: Optional[Canonicalise] = None
    encode: Optional[Encode] = None
    smooth: Optional[Smooth] = None
    output: Optional[Output] = None

    def names(self) -> tuple[str, ...]:
        """The defences in use, sorted by name."""
        return tuple(name for name in HARDENING if getattr(self, name))

    def at_inference(self) -> dict[str, Defence]:
        """The defences that act when the victim is asked."""
        return {name: getattr(self, name) for name in DEFENCES if getattr(self, name)}


HARDENING = {"augment": Augment, "canonicalise": Canonicalise, "embedding": EmbeddingSettings, "encode": Encode,
             "output": Output, "smooth": Smooth}
"""The schema of each defence, by its name in ``conf/hardening/``."""
