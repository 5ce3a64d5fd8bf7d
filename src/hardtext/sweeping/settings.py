"""What ``sweep=`` takes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Optional

from hardtext.core import InputError


@dataclass
class SweepSettings:
    """``name``: the folder under ``runs/sweeps/``; null: made from the command, so that the same command finds it again.

    ``params``: a search space in Hydra's syntax (setting → ``choice(…)``, ``interval(…)``, …); what the command line
    says about the same setting takes its place.
    ``objective``: figure → weight; their weighted sum is made small. Empty: {dev/error: 1, robust/error: 1}.
    """

    name: Optional[str] = None
    params: dict[str, str] = field(default_factory=dict)
    objective: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for figure, weight in self.objective.items():
            if not math.isfinite(weight) or weight == 0:
                raise InputError(f"sweep.objective: {figure}: {weight}: expected a weight that is a number other than 0 "
                                 f"(negative where more is better)")


@dataclass
class GridSettings(SweepSettings):
    """Every combination of the values."""


@dataclass
class OptunaSettings(SweepSettings):
    """Optuna's tree-structured Parzen estimator (Bergstra et al., 2011), pruned by the median rule.

    ``n_trials``: different points in all, those of earlier runs of the same sweep included.
    ``at_once``: points proposed before their results are known (the workers of ``hydra/launcher=joblib`` or a cluster).
    ``prune``: stop a training whose dev score after an epoch of its clean phase is below the median of the others'.
    ``seed``: of the sampler.
    """

    n_trials: int = 20
    at_once: int = 1
    prune: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("n_trials", self.n_trials), ("at_once", self.at_once)):
            if value < 1:
                raise InputError(f"sweep.{name}={value}: expected 1 or more")


SWEEPS: dict[str, type[SweepSettings]] = {"grid": GridSettings, "optuna": OptunaSettings}
