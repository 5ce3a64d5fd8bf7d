"""The jobs of a sweep: one folder and one ``job.json`` each, which survives whatever becomes of the job."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from hardtext import records
from hardtext.core import InputError
from hardtext.secrecy import scrubbed
from hardtext.sweeping.objective import figures_of
from hardtext.sweeping.space import Values

log = logging.getLogger(__name__)

FILE, ERROR = "job.json", "error.txt"


class Pruned(Exception):
    """Raised inside a job that goes on no longer, since others did better by then."""


@dataclass(frozen=True)
class Job:
    """``key`` names the job's config; ``base`` that of the sweep before anything is varied.

    ``state``: running (killed, when nobody runs it), done, pruned or failed. ``study``, ``trial``: Optuna's names for it.
    """

    number: int
    key: str
    base: str
    overrides: list[str]
    values: Values
    study: str | None = None
    trial: int | None = None
    state: str = "running"
    seconds: float | None = None
    error: str | None = None
    figures: dict[str, float] = field(default_factory=dict)


class Jobs:
    """All jobs of a sweep's folder, by key. A job that is tried again keeps its number and folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        found = [read(path.parent) for path in folder.glob(f"jobs/*/{FILE}")]
        self._jobs = {job.key: job for job in sorted(found, key=lambda job: job.number)}

    def __iter__(self):
        return iter(sorted(self._jobs.values(), key=lambda job: job.number))

    def get(self, key: str) -> Job | None:
        return self._jobs.get(key)

    def path(self, job: Job) -> Path:
        return self.folder / "jobs" / str(job.number)

    def start(self, **values) -> Job:
        """Write down a job that is about to be launched."""
        old = self._jobs.get(values["key"])
        number = old.number if old else max((job.number for job in self._jobs.values()), default=-1) + 1
        job = Job(number=number, **values)
        (self.path(job) / ERROR).unlink(missing_ok=True)
        return self._keep(job)

    def settle(self, key: str, trouble: BaseException | None = None) -> Job:
        """What became of a launched job: what it wrote down itself, or a failure where it could not even do that."""
        job = read(self.path(self._jobs[key]))
        if job.state == "running":
            note_failure(self.path(job), trouble or RuntimeError("the job ended without a word (killed?)"))
            job = read(self.path(job))
        self._jobs[key] = job
        return job

    def fail(self, job: Job, error: InputError) -> Job:
        """Call a job failed that ran to its end but cannot be used."""
        note_failure(self.path(job), error)
        self._jobs[job.key] = failed = read(self.path(job))
        return failed

    def _keep(self, job: Job) -> Job:
        records.write_json(self.path(job) / FILE, asdict(job))
        self._jobs[job.key] = job
        return job


def read(folder: Path) -> Job:
    row = records.read_json(folder / FILE)
    try:
        return Job(**row)
    except TypeError as error:
        raise InputError(f"{folder / FILE} is damaged ({error}): remove the folder, the job runs again") from error


def is_job(folder: Path) -> bool:
    return (folder / FILE).is_file()


def run(folder: Path, work: Callable[[], object]) -> None:
    """Do a job's work in its own process and write down what came of it; only the user's interruption gets out."""
    started = time.perf_counter()
    try:
        report = work()
    except Pruned as error:
        log.info("job %s: pruned: %s", folder.name, error)
        _note(folder, state="pruned", error=str(error), seconds=round(time.perf_counter() - started, 1))
    except (Exception, SystemExit) as error:
        note_failure(folder, error, round(time.perf_counter() - started, 1))
    else:
        _note(folder, state="done", figures=figures_of(report), seconds=round(time.perf_counter() - started, 1))


def note_failure(folder: Path, error: BaseException, seconds: float | None = None) -> None:
    """``error.txt`` with all there is to know, and the first line of it in ``job.json``."""
    text = scrubbed(" ".join(str(error).split()))
    line = text if isinstance(error, InputError) else f"{type(error).__name__}: {text}"
    overrides = " ".join(read(folder).overrides)
    trace = scrubbed("".join(traceback.format_exception(error)))
    records.write_text(folder / ERROR, f"{line}\n\njob: {overrides}\n\n{trace}")
    _note(folder, state="failed", error=line, **({} if seconds is None else {"seconds": seconds}))
    log.error("job %s failed: %s", folder.name, line)


def _note(folder: Path, **changes) -> None:
    records.write_json(folder / FILE, asdict(replace(read(folder), **changes)))
