"""Optuna at the helm: the study of a sweep, in ``sweep.db``. The only place, with pruning.py, that knows Optuna."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from hardtext.core import InputError
from hardtext.seeding import derive
from hardtext.sweeping.jobs import Job
from hardtext.sweeping.settings import OptunaSettings
from hardtext.sweeping.space import Choice, Interval, Space, Values, point_of, shown

log = logging.getLogger(__name__)

FIRST = 4  # jobs that run to their end before any is pruned
WARM_UP = 1  # epochs that no job is pruned in


class Study:
    """Proposes points, and learns what came of them. ``base``: the key of what the sweep does not vary.

    Another space or objective in the same folder is a study of its own in the same file, which starts from the
    finished jobs that it can use.
    """

    def __init__(self, folder: Path, space: Space, objective: str, base: str, settings: OptunaSettings) -> None:
        optuna = load_optuna()
        self._space, self._seed, self._path = space, settings.seed, folder / "sweep.db"
        self._distributions = distributions(space)
        described = json.dumps([objective, base, {name: repr(part) for name, part in space.items()}])
        self.name = sha256(described.encode()).hexdigest()[:12]
        self._study = optuna.create_study(study_name=self.name, storage=storage(self._path), load_if_exists=True,
                                          direction="minimize", pruner=pruner())
        self._study.set_user_attr("objective", objective)
        self._study.set_user_attr("space", {name: repr(part) for name, part in space.items()})

    def take_up(self, jobs: Iterable[tuple[Job, float | None]]) -> None:
        """Go on after a stop: learn from the finished ``jobs`` (with their objective) and propose the others first again.

        Trials that nobody finished (a kill) are failed; their points come again as new trials.
        """
        from optuna.trial import TrialState, create_trial

        known = {trial.number: trial for trial in self._study.trials}
        again, told = [], set()
        for job, value in jobs:
            trial = known.get(job.trial) if job.study == self.name else None
            point = point_of(self._space, job.values)
            if job.state not in ("done", "pruned"):
                again.append(point)
            elif trial is not None:
                if not trial.state.is_finished():
                    self.tell(trial.number, job.state, value)
                told.add(trial.number)
            elif job.state == "done" and value is not None:
                self._study.add_trial(create_trial(params=point, distributions=self._distributions, value=value))
        waiting = [trial.user_attrs["point"] for trial in known.values() if trial.state == TrialState.WAITING]
        for number, trial in known.items():
            if trial.state == TrialState.RUNNING and number not in told:
                self._study.tell(number, state=TrialState.FAIL)
                again.append(trial.params)  # also where the kill came before the job was written down
        for point in again:
            if point not in waiting and point_of(self._space, self._texts(point)) is not None:
                self._study.enqueue_trial(point, user_attrs={"point": point})
                waiting.append(point)

    def ask(self, at_random: bool = False) -> tuple[int, Values]:
        """A trial's number and its point, as texts of values."""
        import optuna

        sampler = optuna.samplers.RandomSampler if at_random else optuna.samplers.TPESampler
        # seeded by how many there were, since a sampler that is made anew would propose its first points again
        self._study.sampler = sampler(seed=derive(self._seed, "trial", len(self._study.trials)) % 2 ** 32)
        trial = self._study.ask(self._distributions)
        return trial.number, self._texts(trial.params)

    def tell(self, number: int, state: str, value: float | None) -> None:
        from optuna.trial import TrialState

        if state == "done":
            self._study.tell(number, value)
        else:
            self._study.tell(number, state=TrialState.PRUNED if state == "pruned" else TrialState.FAIL)

    def address(self, number: int) -> str:
        """What a job is told, so that it can report to its trial (``pruning.Pruning``)."""
        return f"{self._path}#{self.name}#{number}"

    def drop(self, number: int) -> None:
        """Forget a proposal whose point has been tried before: samplers leave failed trials out."""
        self.tell(number, "failed", None)

    def _texts(self, point: dict[str, Any]) -> Values:
        return {name: self._space[name].text(value) for name, value in point.items() if name in self._space}


def load_optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise InputError("sweep=optuna needs Optuna: python -m pip install -r requirements-sweep.txt") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def storage(path: Path) -> Any:
    """Jobs in other processes write here too, so a writer waits for its turn (seconds)."""
    from optuna.storages import RDBStorage

    return RDBStorage(f"sqlite:///{path}", engine_kwargs={"connect_args": {"timeout": 60}})


def pruner() -> Any:
    from optuna.pruners import MedianPruner

    return MedianPruner(n_startup_trials=FIRST, n_warmup_steps=WARM_UP)


def distributions(space: Space) -> dict[str, Any]:
    """What Optuna calls the parts of a space. InputError where there are none, or one it does not take."""
    load_optuna()
    if not space:
        raise InputError("sweep=optuna: nothing is varied; give a setting a range, for instance "
                         "'model.lr=tag(log,interval(1e-5,1e-3))' or model.epochs=1,2,3")
    return {name: _distribution(shown(name), part) for name, part in space.items()}


def _distribution(name: str, part: Choice | Interval) -> Any:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    try:
        if isinstance(part, Choice):
            return CategoricalDistribution(part.values)
        if part.integer:
            return IntDistribution(int(part.low), int(part.high), log=part.log)
        return FloatDistribution(part.low, part.high, log=part.log)
    except ValueError as error:
        raise InputError(f"{name}: Optuna does not take that range ({' '.join(str(error).split())})") from error
