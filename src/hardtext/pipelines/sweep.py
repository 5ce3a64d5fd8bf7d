"""``-m``: many jobs of one command, those that are done left out, to a table, two figures and the best point."""

from __future__ import annotations

import logging
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import disks, records, runs
from hardtext.core import InputError
from hardtext.pipelines.common import ALIKE
from hardtext.sweeping import OptunaSettings, SweepSettings
from hardtext.sweeping import objective as objectives
from hardtext.sweeping.jobs import ERROR, Job, Jobs
from hardtext.sweeping.space import Interval, Space, Values, grid, masked, point_of, shown

if TYPE_CHECKING:
    from hardtext.sweeping.study import Study

log = logging.getLogger(__name__)

TRIES = 20  # proposals in a row that were tried before: as many again at random, then the space counts as used up
PLACE = (*(key for key in ALIKE if key != "out"), "executor", "device")  # where and how a job runs, not what it makes
FAILED_CODE = 1  # what a sweep with failed jobs exits with


class SomeFailed(Exception):
    """A sweep went to its end, but not every job did."""


@dataclass
class Plan:
    """A sweep as the command line has it.

    ``composed``: a job's overrides → its whole config; ``launch``: run jobs, each a folder (below the sweep's) and
    overrides, from the number of the first on, and return when all have ended.
    ``one_by_one``: jobs run here, one after the other; ``next_door``: on this machine.
    """

    folder: Path
    command: str
    settings: SweepSettings
    fixed: list[str]
    space: Space
    composed: Callable[[Sequence[str]], dict[str, Any]]
    launch: Callable[[Sequence[tuple[str, Sequence[str]]], int], None]
    one_by_one: bool = True
    next_door: bool = True
    overwrite: bool = False

    def overrides(self, values: Values) -> list[str]:
        """Those of the job at a point."""
        return [*self.fixed, *(f"{key}={value}" for key, value in values.items())]


def folder_of(settings: SweepSettings, command: str, fixed: Sequence[str], space: Space) -> Path:
    """``sweep.name``, or a name that the same command (whatever its ``sweep.*``) comes to again."""
    told = [override for override in fixed if not override.lstrip("+").startswith(("overwrite", "logger"))]
    name = settings.name or f"{command}-{_digest([sorted(told), sorted(map(repr, space.items()))])[:8]}"
    return runs.runs_root() / "sweeps" / runs.component(name)


def run(plan: Plan) -> list[dict[str, Any]]:
    """Run a sweep; returns the rows of its table. Ends the program with code 1 where jobs failed."""
    config = plan.composed(plan.fixed)
    base = _key(config)
    points = _points(plan)
    described = {"command": plan.command, "fixed": [masked(override) for override in plan.fixed], "config": base,
                 "settings": asdict(plan.settings), "space": {shown(key): repr(part) for key, part in plan.space.items()}}
    try:
        with runs.RunFolder.open(plan.folder, described, extend=["*"], overwrite=plan.overwrite) as folder_run:
            if plan.overwrite:
                shutil.rmtree(plan.folder / "jobs", ignore_errors=True)
                (plan.folder / "sweep.db").unlink(missing_ok=True)
            sweep = Sweep(plan, base, points)
            sweep.warn(config)
            if not folder_run.done:
                sweep.run()
            rows = sweep.report(finished=True)
            if folder_run.done:
                log.info("all %d jobs were done before; overwrite=true runs them again", len(rows))
            failed = sum(row["state"] == "failed" for row in rows)
            if failed:
                raise SomeFailed(f"{failed} of {len(rows)} jobs failed; the same command tries them again")
    except SomeFailed as error:
        log.error("%s", error)
        sys.exit(FAILED_CODE)
    return rows


def _points(plan: Plan) -> dict[str, Values]:
    """The points of a grid by key; the first that a search may come to. Composing them refuses bad input before any work."""
    if isinstance(plan.settings, OptunaSettings):
        from hardtext.sweeping.study import distributions

        distributions(plan.space)
        points = [{name: part.first() for name, part in plan.space.items()}]
    else:
        points = list(grid(plan.space))
    keyed: dict[str, Values] = {}
    for values in points:
        keyed.setdefault(_key(plan.composed(plan.overrides(values))), values)
    return keyed


class Sweep:
    """One sweep at work. ``points``: of a grid, by key. ``mine``: the jobs that have ended, by key; the folder may hold
    others."""

    def __init__(self, plan: Plan, base: str, points: dict[str, Values]) -> None:
        self.plan, self.base, self.points = plan, base, points
        self.objective = dict(plan.settings.objective) or objectives.DEFAULT
        self.stated = objectives.stated(self.objective)
        self.jobs = Jobs(plan.folder)
        self.mine: dict[str, Job] = {}
        self.launched = 0

    def run(self) -> None:
        log.info("sweep: %s", disks.shown(self.plan.folder))
        if isinstance(self.plan.settings, OptunaSettings):
            log.info("making small: %s", self.stated)
            self._run_optuna(self.plan.settings)
        else:
            self._run_grid()

    def warn(self, config: dict[str, Any]) -> None:
        """A choice is made on dev; a number of the attack split that was chosen for is no measurement any more."""
        robust_split = (config.get("robustness") or {}).get("split")
        chosen = [name for name in self.objective if name.startswith("attack/")
                  or (name.startswith(("robust/", "robustness/")) and robust_split == "attack")]
        if chosen and isinstance(self.plan.settings, OptunaSettings):
            log.warning("%s is measured on the attack split: what is chosen by it is not a fair measurement there; "
                        "choose on dev (dev/error, robustness.split=dev)", ", ".join(chosen))

    def _run_grid(self) -> None:
        points = self.points
        self.mine = {key: job for key in points if (job := self.jobs.get(key)) is not None and job.state == "done"}
        if self.mine:
            log.info("%d of %d jobs were done before", len(self.mine), len(points))
        todo = [{"key": key, "values": values} for key, values in points.items() if key not in self.mine]
        size = 1 if self.plan.one_by_one else max(1, len(todo))
        for start in range(0, len(todo), size):
            self._launch(todo[start:start + size], len(points))

    def _run_optuna(self, settings: OptunaSettings) -> None:
        from hardtext.sweeping.study import Study

        study = Study(self.plan.folder, self.plan.space, self.stated, self.base, settings)
        earlier = self._of_this_space()
        done = [job for job in earlier if job.state == "done"]
        if done and all(self._value(job) is None for job in done):
            objectives.value_of(self.objective, done[0].figures)  # refuses the objective
        study.take_up([(job, self._value(job)) for job in earlier])
        self.mine = {job.key: job for job in earlier if job.state in ("done", "pruned")}
        if self.mine:
            log.info("%d of %d points were done before", len(self.mine), settings.n_trials)
        size = 1 if self.plan.one_by_one else settings.at_once
        while (left := settings.n_trials - len(self.mine)) > 0:
            points = self._propose(study, min(left, size))
            if not points:
                log.warning("no new point in %d proposals: the space counts as used up after %d", 2 * TRIES, len(self.mine))
                break
            prune = settings.prune and self.plan.next_door
            for job in self._launch(points, settings.n_trials, study if prune else None):
                job = self._usable(job)
                study.tell(job.trial, job.state, self._value(job))

    def _propose(self, study: Study, count: int) -> list[dict[str, Any]]:
        """Up to ``count`` points that no job has tried."""
        points: dict[str, dict[str, Any]] = {}
        misses = 0
        while len(points) < count and misses < 2 * TRIES:
            trial, values = study.ask(at_random=misses >= TRIES)
            key = self._key(values)
            if key in self.mine or key in points:
                study.drop(trial)
                misses += 1
            else:
                points[key] = {"key": key, "values": values, "study": study.name, "trial": trial}
        return list(points.values())

    def _launch(self, points: Sequence[dict[str, Any]], total: int, pruned_by: Study | None = None) -> list[Job]:
        """Run the jobs of some points; what they ended in is in ``mine`` afterwards."""
        started, commands = [], []
        for point in points:
            overrides = self.plan.overrides(point["values"])
            job = self.jobs.start(base=self.base, overrides=[masked(override) for override in overrides], **point)
            log.info("job %d, %d of %d: %s", job.number, len(self.mine) + len(started) + 1, total,
                     " ".join(f"{shown(key)}={value}" for key, value in job.values.items()) or "nothing varied")
            watched = [] if pruned_by is None else [f"trial={quoted(pruned_by.address(job.trial))}"]
            started.append(job)
            commands.append((f"jobs/{job.number}", [*overrides, *watched]))
        trouble = None
        try:
            self.plan.launch(commands, self.launched)
        except Exception as error:  # a lost worker, a queue that refuses: those jobs failed, the sweep goes on
            trouble = error
        self.launched += len(commands)
        ended = [self.jobs.settle(job.key, trouble) for job in started]
        self.mine |= {job.key: job for job in ended}
        self.report(finished=False)
        return ended

    def _usable(self, job: Job) -> Job:
        """The job, failed where it is done without the figures of the objective.

        Raises InputError where no job has had them yet: then the objective is wrong, and the sweep ends here.
        """
        try:
            if job.state == "done":
                objectives.value_of(self.objective, job.figures)
        except InputError as error:
            if all(self._value(other) is None for other in self.mine.values()):
                raise
            job = self.mine[job.key] = self.jobs.fail(job, error)
        return job

    def _state_what_there_is(self, done: Sequence[Job]) -> None:
        """A grid only ranks its jobs: with no objective named, by what they all have of the usual one."""
        there = {name: weight for name, weight in objectives.DEFAULT.items() if all(name in job.figures for job in done)}
        self.objective = there or objectives.DEFAULT
        self.stated = objectives.stated(self.objective)

    def _value(self, job: Job) -> float | None:
        """The objective of a job; None where it has none."""
        if job.state != "done" or not self.objective.keys() <= job.figures.keys():
            return None
        return objectives.value_of(self.objective, job.figures)

    def _key(self, values: Values) -> str:
        return _key(self.plan.composed(self.plan.overrides(values)))

    def _of_this_space(self) -> list[Job]:
        return [job for job in self.jobs if job.base == self.base and point_of(self.plan.space, job.values) is not None]

    def report(self, finished: bool) -> list[dict[str, Any]]:
        """Write the table; at the end also show it and draw the figures."""
        from hardtext.reporting import sweep_figures, sweep_table

        jobs = self.mine.values() or self._of_this_space()  # the latter for a sweep that was done before
        if not isinstance(self.plan.settings, OptunaSettings) and not self.plan.settings.objective:
            self._state_what_there_is([job for job in jobs if job.state == "done"])
        rows = [{"number": job.number, "state": job.state, "values": {shown(k): v for k, v in job.values.items()},
                 "objective": self._value(job), "figures": job.figures, "seconds": job.seconds, "error": job.error,
                 "error_file": disks.shown(self.jobs.path(job) / ERROR) if job.state == "failed" else None}
                for job in sorted(jobs, key=lambda job: job.number)]
        axes = {shown(key): isinstance(part, Interval) and part.log for key, part in self.plan.space.items()}
        best = sweep_table.best(rows)
        folder, table = self.plan.folder, sweep_table.Sheet(rows, list(axes), list(self.objective), self.stated)
        records.write_json(folder / "sweep.json", {
            "objective": self.objective, "stated": self.stated,
            "fixed": [masked(override) for override in self.plan.fixed], "finished": finished,
            "best": None if best is None else best["number"], "jobs": rows})
        records.write_text(folder / "sweep.csv", sweep_table.to_csv(table))
        records.write_text(folder / "sweep.md", sweep_table.to_markdown(table))
        if finished:
            sweep_figures.draw(folder, rows, axes, self.stated)
            sweep_table.show(table)
            log.info("table and figures: %s", disks.shown(folder))
        return rows


def quoted(value: object) -> str:
    """A text as Hydra's grammar takes it for a string, whatever it holds."""
    return "'" + str(value).replace("'", "\\'") + "'"


def _key(config: dict[str, Any]) -> str:
    """A job's name: the same for all overrides that come to the same config, as far as it matters."""
    return _digest({key: value for key, value in config.items() if key not in PLACE})


def _digest(value: Any) -> str:
    return sha256(records.dumps(value).encode("utf-8", "surrogatepass")).hexdigest()
