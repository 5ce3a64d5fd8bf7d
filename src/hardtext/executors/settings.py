"""``executor=``: who attacks the examples. None is this process alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional

from hardtext.attacks import Attack
from hardtext.core import Attempt, Example, InputError, Victim

if TYPE_CHECKING:
    from hardtext.executors.handing import Pool
    from hardtext.executors.worker import Job

Run = Callable[..., Generator[Attempt, None, None]]
"""Called like ``engine.run``: attack, victim, examples, and options by name; gives attempts as they are decided."""


@dataclass
class ExecutorSettings(ABC):
    """``workers``: how many; null: as many as there are devices for (each subclass says which).
    ``chunk``: the most examples given to a worker at once. Many keep its batches full; near the end fewer are given."""

    name: str = ""
    workers: Optional[int] = None
    chunk: int = 256

    def __post_init__(self) -> None:
        for key in ("workers", "chunk"):
            value = getattr(self, key)
            if value is not None and value < 1:
                raise InputError(f"executor.{key}={value}: expected 1 or more")

    @abstractmethod
    def pool(self, job: Job, device: str, most: int) -> Pool:
        """Workers that are not started yet, at most ``most``. ``device``: where each is to compute, ``auto`` for its own."""


@dataclass
class ProcessSettings(ExecutorSettings):
    """Processes of this machine.

    ``devices``: the torch devices that take turns among the workers; empty: every CUDA device (where ``device=auto``), else
    ``device``. ``workers``: null: one a device, or one a core where they compute on the CPU.
    """

    name: str = "process"
    devices: list[str] = field(default_factory=list)

    def pool(self, job: Job, device: str, most: int) -> Pool:
        from hardtext.executors.process import ProcessPool, places

        return ProcessPool(job, places(self, device)[:most])


@dataclass
class RaySettings(ExecutorSettings):
    """Actors of a Ray cluster.

    ``address``: ``auto`` (the cluster that this machine is part of, or ``RAY_ADDRESS``), ``local`` (one started here for this
    run), or ``<host>:<port>``. ``cpus``, ``gpus``, ``resources`` (name → amount): what an actor takes; ``gpus`` null: 1 where
    the cluster has any, else 0. ``workers``: null: as many as the cluster has room for.
    """

    name: str = "ray"
    address: str = "auto"
    cpus: float = 1.0
    gpus: Optional[float] = None
    resources: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.cpus > 0 or (self.gpus is not None and not self.gpus >= 0):
            raise InputError(f"executor.cpus={self.cpus}, executor.gpus={self.gpus}: expected cpus above 0, gpus 0 or more")
        if not self.address:
            raise InputError("executor.address is empty: expected auto, local or <host>:<port>")

    def pool(self, job: Job, device: str, most: int) -> Pool:
        from hardtext.executors.ray import connect

        return connect(self, job, device, most)


EXECUTORS: dict[str, type[ExecutorSettings]] = {"process": ProcessSettings, "ray": RaySettings}


def runner(executor: ExecutorSettings | None, load: Callable[..., Victim], device: str = "auto") -> Run:
    """What ``attack_to_file`` takes as ``run``.

    ``load``: called in each worker with ``device=``, gives the victim that the driver has too; it travels to the workers,
    so it is a function of a module, or a ``functools.partial`` of one with plain values. A ``masked_lm`` given to the run
    stays in the driver: workers load the one that the attack's settings name.
    """
    from hardtext.attacks import engine

    if executor is None:
        return engine.run

    def run(attack: Attack, victim: Victim, examples: Sequence[Example], *, domain: str, seed: int, masked_lm: Any = None,
            stats: Any = None, **options: Any) -> Generator[Attempt, None, None]:
        from hardtext.executors.handing import hand_out
        from hardtext.executors.worker import Job

        engine.check_options(max_seconds=options.get("max_seconds"),
                             **{key: options.get(key) for key in ("max_queries", "repeats", "in_flight", "speculate")})
        if not examples:
            return
        job = Job(load=load, attack=attack, victim=victim.name, classes=tuple(victim.classes),
                  fingerprint=getattr(victim, "fingerprint", ""), domain=domain, seed=seed, options=options)
        pool = executor.pool(job, device, len(examples))
        for attempt in hand_out(pool, job, examples, executor.chunk):
            if stats is not None:
                stats.sent += attempt.forwards
            yield attempt

    return run
