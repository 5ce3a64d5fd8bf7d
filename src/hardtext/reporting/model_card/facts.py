"""Everything that a model card says, as it lies in the files beside the victim and its attack runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hardtext.core import Domain
from hardtext.scoring.summary import NO_SUMMARY


@dataclass(frozen=True)
class Attacked:
    """One attack run against this very model. ``scores``: as in scores.json; ``cap``: queries a text, "none" or
    "unknown"; ``robust_accuracy``: right before and not moved by the attack; ``repeats``: queries behind each success;
    ``stand_ins``: what stands in for something else; ``marks``: what else was cut short, left out or is unknown;
    ``known_by``: how it is known that it was this model."""

    attack: str
    seed: int
    scores: Mapping[str, Any]
    cap: str
    robust_accuracy: float | None
    repeats: int
    single_query: float | None
    stand_ins: tuple[str, ...]
    marks: tuple[str, ...]
    sha256: str
    known_by: str

    def to_row(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"attack": self.attack, "seed": self.seed, "max_queries": self.cap, "repeats": self.repeats,
                "robust_accuracy": self.robust_accuracy, "single_query": self.single_query,
                "stand_ins": list(self.stand_ins), "marks": list(self.marks), "attempts_sha256": self.sha256,
                "known_by": self.known_by,
                **{key: self.scores.get(key) for key in ("instances", "errors", "successes", "confusion", "bodega", "queries",
                                                         "semantic_scorer", "segmenter", "interval")}}


@dataclass(frozen=True)
class InMatrix:
    """This model in a robustness matrix. ``about``, ``plain`` and ``own``: parts of its matrix.json; ``attacks``:
    (attack, cell of the plain victim, cell of this model), of this model's seed."""

    about: Mapping[str, Any]
    name: str
    seed: int
    plain: Mapping[str, Any]
    own: Mapping[str, Any]
    attacks: tuple[tuple[str, Mapping[str, Any], Mapping[str, Any]], ...]

    @property
    def cap(self) -> int:
        return max(self.about["caps"])

    def to_row(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"about": dict(self.about), "seed": self.seed, "plain": dict(self.plain), "own": dict(self.own),
                "attacks": [{"attack": name, "plain": dict(plain), "own": dict(own)} for name, plain, own in self.attacks]}


@dataclass(frozen=True)
class Card:
    """Everything the card says. ``record``: hardtext.json; ``metrics``: metrics.json; ``settings``: config.yaml;
    ``files``: (name, bytes, SHA-256) of the folder; ``untested``: attacks that were not run; ``repository``: the hub id,
    empty where it is not pushed; ``version``: hardtext's at the export."""

    domain: Domain
    record: Mapping[str, Any]
    metrics: Mapping[str, Any]
    settings: Mapping[str, Any]
    attacked: tuple[Attacked, ...]
    matrices: tuple[InMatrix, ...]
    files: tuple[tuple[str, int, str], ...]
    fingerprint: str
    untested: tuple[str, ...]
    language: str | None = None
    license: str | None = None
    datasets: tuple[str, ...] = ()
    repository: str = ""
    version: str = ""

    @property
    def at_inference(self) -> dict[str, Mapping[str, Any]]:
        """The defences that act when the model is asked, with their settings."""
        return dict(self.record.get("defences", {}))

    @property
    def in_training(self) -> dict[str, Mapping[str, Any]]:
        """The defences in the weights, with their settings."""
        found = {name: value for name, value in (self.settings.get("hardening") or {}).items()
                 if value is not None and name not in self.at_inference}
        adversary = (self.settings.get("model") or {}).get("adversary")
        return found | ({"adversary": adversary} if adversary else {})

    @property
    def of_transformers(self) -> bool:
        """Whether transformers alone loads the model as it was measured."""
        return self.record["family"] != "hardtext-bilstm" and not self.at_inference

    @property
    def corpus(self) -> str:
        """The domain and, where it stands in for another, what it is."""
        return self.domain.name + (f" ({self.domain.stand_in})" if self.domain.stand_in else "")

    @property
    def stand_ins(self) -> list[str]:
        """Everything that stands in for something else in any figure of the card."""
        domain = [f"domain: {self.domain.stand_in}"] * bool(self.domain.stand_in)
        robust = self.metrics.get("robustness") or {}
        said = [*domain, *(self.metrics.get("stand_ins") or ()),
                *(self.metrics.get("adversarial") or {}).get("stand_ins", ()),
                *(robust.get("after") or {}).get("stand_ins", ()),
                *(words for one in self.attacked for words in one.stand_ins),
                *(words for one in self.matrices for words in one.about.get("marks", ())),
                *(words for one in self.attacked for words in one.marks if words == NO_SUMMARY)]
        return list(dict.fromkeys(said))
