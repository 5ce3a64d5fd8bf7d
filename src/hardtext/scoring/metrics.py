"""The BODEGA score as torchmetrics: collected batch by batch, reduced over processes. Heavy: imports torch.

Each class accumulates what the pure functions of ``bodega`` compute; a value is nan where nothing stands behind it
(``Scores`` says None there, since nan is no JSON).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import torch
from torch import Tensor
from torchmetrics import Metric

from hardtext.core import Segments
from hardtext.scoring import bodega, documents
from hardtext.scoring.semantic import SemanticSettings

_NAMES = ("confusion", "semantic", "character", "bodega")


class BodegaScore(Metric):
    """The four averages over attacked instances (Przybyła et al. 2023)."""

    full_state_update = False
    is_differentiable = False

    sums: Tensor
    counts: Tensor

    def __init__(self) -> None:
        super().__init__()
        for state in ("sums", "counts"):
            self.add_state(state, torch.zeros(len(_NAMES), dtype=torch.float64), dist_reduce_fx="sum")

    def update(self, success: Tensor, semantic: Tensor, character: Tensor) -> None:
        """One batch of instances. success: bool, (batch,); semantic, character: float, (batch,), read only where
        ``success`` is true."""
        arrays = [torch.as_tensor(value).detach().cpu().numpy() for value in (success, semantic, character)]
        table = numpy.stack([bodega.columns(*arrays)[name] for name in _NAMES])
        known = ~numpy.isnan(table)
        self.sums += torch.from_numpy(numpy.where(known, table, 0.0).sum(axis=1)).to(self.sums)
        self.counts += torch.from_numpy(known.sum(axis=1)).to(self.counts)

    def compute(self) -> dict[str, Tensor]:
        """confusion, semantic, character and bodega: float64 scalars."""
        return dict(zip(_NAMES, self.sums / self.counts))


class _MeanOverChanges(Metric):
    """The mean of a score over (original, adversarial) texts."""

    full_state_update = False
    is_differentiable = False
    higher_is_better = True

    total: Tensor
    count: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.add_state("total", torch.zeros((), dtype=torch.float64), dist_reduce_fx="sum")
        self.add_state("count", torch.zeros((), dtype=torch.float64), dist_reduce_fx="sum")

    def _add(self, values: numpy.ndarray) -> None:
        self.total += float(values.sum())
        self.count += len(values)

    def compute(self) -> Tensor:
        return self.total / self.count


class CharacterScore(_MeanOverChanges):
    """Mean character score of successful attacks."""

    def update(self, originals: Sequence[Segments], adversarials: Sequence[Segments]) -> None:
        self._add(documents.character_scores(list(zip(originals, adversarials, strict=True))))


class SemanticScore(_MeanOverChanges):
    """Mean semantic score of successful attacks; ``segmenter`` as ``segment.resolve`` gives it."""

    def __init__(self, semantic: SemanticSettings, segmenter: str) -> None:
        super().__init__()
        self.semantic, self.segmenter = semantic, segmenter

    def update(self, originals: Sequence[Segments], adversarials: Sequence[Segments]) -> None:
        changes = list(zip(originals, adversarials, strict=True))
        self._add(documents.semantic_scores(changes, self.semantic, self.segmenter))
