"""Semantic scorers by name: settings only, so that reading the registry loads no model."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from hardtext.core import InputError
from hardtext.scoring.bodega import Pair
from hardtext.text import readable
from hardtext.weights import resolve

if TYPE_CHECKING:
    import numpy


@dataclass
class SemanticSettings(ABC):
    """How alike two sentences are in meaning."""

    name: str

    @property
    @abstractmethod
    def stand_in(self) -> str:
        """'' for the scorer that the published BODEGA scores were made with, else what this one is instead."""

    def weights(self) -> dict[str, str]:
        """The pretrained weights it needs, by the setting that names them (for ``hardtext.weights.resolve``)."""
        return {}

    def check_weights(self) -> None:
        """Raise InputError where its weights cannot be had. Loads no model; the hub's are fetched where they are not yet."""
        for option, source in self.weights().items():
            resolve(source, option=option)

    def score_pairs(self, pairs: Sequence[Pair]) -> numpy.ndarray:
        """The score of each (reference, candidate): float64, (len(pairs),); every distinct pair is scored once.

        1 means the same; nothing is clipped here, and identical sentences need not score 1.
        """
        pairs = [(readable(reference), readable(candidate)) for reference, candidate in pairs]
        distinct = {pair: index for index, pair in enumerate(dict.fromkeys(pairs))}
        scores = self._score_distinct(list(distinct))
        return scores[[distinct[pair] for pair in pairs]]

    @abstractmethod
    def _score_distinct(self, pairs: list[Pair]) -> numpy.ndarray:
        """``score_pairs`` for pairs without repeats."""


@dataclass
class Bleurt(SemanticSettings):
    """BLEURT-20 (Sellam et al. 2020) as the shared task used it: 512 tokens, longer pairs truncated, fp32."""

    name: str = "bleurt"
    path: str = "lucadiliello/BLEURT-20"  # a hub id or a folder
    batch_size: int = 16
    max_length: int = 512
    device: str = "auto"

    def __post_init__(self) -> None:
        _check_positive("semantic.batch_size", self.batch_size)
        _check_positive("semantic.max_length", self.max_length)

    @property
    def stand_in(self) -> str:
        if re.search(r"BLEURT-20(?!-D)", self.path, re.IGNORECASE):
            return ""
        return f"BLEURT weights from {self.path} in place of BLEURT-20"

    def weights(self) -> dict[str, str]:
        return {"semantic.path": self.path}

    def _score_distinct(self, pairs: list[Pair]) -> numpy.ndarray:
        from hardtext.scoring import bleurt

        return bleurt.score(pairs, path=self.path, batch_size=self.batch_size, max_length=self.max_length,
                            device=self.device)


@dataclass
class MiniLM(SemanticSettings):
    """Cosine of all-MiniLM-L6-v2 sentence embeddings, which come with the requirements.

    It sees topic more than truth: "lied" against "told the truth" scores 0.91. Sentences are truncated at 256 tokens.
    """

    name: str = "minilm"
    batch_size: int = 64
    device: str = "auto"

    def __post_init__(self) -> None:
        _check_positive("semantic.batch_size", self.batch_size)

    @property
    def stand_in(self) -> str:
        return "cosine of MiniLM sentence embeddings in place of BLEURT-20"

    def weights(self) -> dict[str, str]:
        return {"semantic": "bundled:minilm"}

    def _score_distinct(self, pairs: list[Pair]) -> numpy.ndarray:
        from hardtext.scoring import minilm

        return minilm.score(pairs, batch_size=self.batch_size, device=self.device)


class RememberingMiniLM(MiniLM):
    """One that encodes no sentence twice, however often it is asked: for the length of one measurement."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._known: dict[str, numpy.ndarray] = {}

    def _score_distinct(self, pairs: list[Pair]) -> numpy.ndarray:
        from hardtext.scoring import minilm

        return minilm.score(pairs, batch_size=self.batch_size, device=self.device, known=self._known)


@dataclass
class BertScore(SemanticSettings):
    """BERTScore (Zhang et al. 2020) as BODEGA's scoring class has it by default: deberta-large-mnli, F1, rescaled with
    the baseline that comes with the bert-score package. The published scores are BLEURT-20's.

    ``layer``: whose embeddings are compared; ``baseline``: the model whose baseline rescales the scores, None for none.
    """

    name: str = "bertscore"
    path: str = "microsoft/deberta-large-mnli"  # a hub id or a folder
    layer: int = 18
    baseline: Optional[str] = "microsoft/deberta-large-mnli"
    batch_size: int = 64
    max_length: int = 512
    device: str = "auto"

    def __post_init__(self) -> None:
        for key in ("layer", "batch_size", "max_length"):
            _check_positive(f"semantic.{key}", getattr(self, key))

    @property
    def stand_in(self) -> str:
        return f"BERTScore ({self.path}) in place of BLEURT-20"

    def weights(self) -> dict[str, str]:
        return {"semantic.path": self.path}

    def _score_distinct(self, pairs: list[Pair]) -> numpy.ndarray:
        from hardtext.scoring import bertscore

        return bertscore.score(pairs, path=self.path, layer=self.layer, baseline=self.baseline,
                               batch_size=self.batch_size, max_length=self.max_length, device=self.device)


@dataclass
class NoSemantic(SemanticSettings):
    """No semantic score: semantic and bodega are unknown."""

    name: str = "none"

    @property
    def stand_in(self) -> str:
        return ""

    def _score_distinct(self, pairs: list[Pair]) -> numpy.ndarray:
        import numpy

        return numpy.full(len(pairs), numpy.nan)


SEMANTIC: dict[str, type[SemanticSettings]] = {"bleurt": Bleurt, "minilm": MiniLM, "bertscore": BertScore,
                                             "none": NoSemantic}


def semantic_from_name(name: str, **options: Any) -> SemanticSettings:
    """The settings of a scorer by its name; ``options`` are fields of those settings."""
    if name not in SEMANTIC:
        raise InputError(f"semantic={name}: expected one of {', '.join(SEMANTIC)}")
    return SEMANTIC[name](**options)


def _check_positive(key: str, value: int) -> None:
    if value < 1:
        raise InputError(f"{key}={value}: expected at least 1")
