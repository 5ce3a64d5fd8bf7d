"""Workers as actors of Ray: on this machine or a cluster of machines that see the same folders."""

from __future__ import annotations

import logging
import math
import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hardtext.core import Attempt, Example, InputError
from hardtext.executors.settings import RaySettings
from hardtext.executors.worker import Job, Said, Worker, failed

log = logging.getLogger(__name__)

GATHER_SECONDS = 0.25  # attempts that finish so soon after each other travel together
STORE_BYTES = 100 * 2**20  # the object store of a cluster of this run alone: texts and attempts are small
KNOCK_SECONDS = 5.0
QUIET_SECONDS = 120.0
PASSED_ON = ("HARDTEXT_RUNS", "HARDTEXT_DATA", "HF_HOME", "HF_HUB_OFFLINE")  # folders and no secrets


def connect(settings: RaySettings, job: Job, device: str, most: int) -> RayPool:
    """The pool of actors of the cluster at ``settings.address``."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would report its use over the network
    try:
        import ray
    except ImportError as error:
        raise InputError("executor=ray needs Ray: python -m pip install -r requirements-ray.txt "
                         "(executor=process needs nothing)") from error
    ours = not ray.is_initialized()
    if ours:
        local = _local(settings) if settings.address == "local" else {}
        try:
            _knock(settings.address)
            ray.init(address=settings.address, log_to_driver=False, logging_level=logging.ERROR, **local)
        except (OSError, ValueError, RuntimeError, AssertionError, ray.exceptions.RayError) as error:
            reason = " ".join(str(error).split())[:200]
            raise InputError(f"executor.address={settings.address}: no Ray cluster there ({reason}); start one with "
                             f"scripts/ray_cluster.sh, or use executor.address=local") from error
    try:
        takes, workers = room(settings, ray.cluster_resources())
    except InputError:
        if ours:
            ray.shutdown()
        raise
    return RayPool(ray, job, device, takes, min(workers, most), ours)


def _local(settings: RaySettings) -> dict[str, Any]:
    """A cluster of this machine, as large as the actors asked for need it."""
    from hardtext.executors.process import cores

    workers = settings.workers or 1
    return {"num_cpus": max(cores(), math.ceil(settings.cpus * workers)), "include_dashboard": False,
            "resources": {name: amount * workers for name, amount in settings.resources.items()},
            "object_store_memory": STORE_BYTES}


def _knock(address: str) -> None:
    """OSError where nobody listens at ``<host>:<port>``: Ray itself would go on trying for minutes."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS", address)
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), KNOCK_SECONDS).close()


def room(settings: RaySettings, has: Mapping[str, float]) -> tuple[dict[str, Any], int]:
    """What each actor takes, and how many there will be: those asked for, or as many as fit into ``has``."""
    gpus = float(has.get("GPU", 0) > 0) if settings.gpus is None else settings.gpus
    takes = {"CPU": settings.cpus, "GPU": gpus, **settings.resources}
    fit = int(min((has.get(name, 0) + 1e-9) // amount for name, amount in takes.items() if amount > 0))
    workers = settings.workers or fit
    if fit < max(workers, 1):
        taken = ", ".join(f"{name} {amount:g}" for name, amount in takes.items() if amount)
        there = ", ".join(f"{name} {has.get(name, 0):g}" for name in takes)
        raise InputError(f"executor.workers={settings.workers}: the cluster at {settings.address} has room for {fit} (an "
                         f"actor takes {taken}; there is {there}); see executor.cpus and executor.gpus")
    return {"num_cpus": settings.cpus, "num_gpus": gpus, "resources": settings.resources}, workers


class RayPool:
    """``ray``: the module, connected. ``ours``: whether this run connected it and has to close it."""

    def __init__(self, ray: Any, job: Job, device: str, takes: Mapping[str, Any], workers: int, ours: bool) -> None:
        self.size, self._ray, self._ours = workers, ray, ours
        # Ray's own retries are off: the driver decides who gets a lost actor's examples
        self._class = ray.remote(max_restarts=0, max_task_retries=0, **takes)(Actor)
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        self._arguments = (job, device, max(1, int(takes["num_cpus"])), environment, str(Path.cwd()))
        self._actors: dict[int, Any] = {}
        self._asked: dict[Any, int] = {}  # what is awaited → the actor's number

    def start(self, number: int) -> None:
        self._actors[number] = self._class.remote(*self._arguments)
        self._ask(number, [])

    def give(self, number: int, examples: Sequence[Example]) -> None:
        self._ask(number, list(examples))

    def listen(self) -> list[tuple[int, Said]]:
        ready, _ = self._ray.wait(list(self._asked), num_returns=1, timeout=QUIET_SECONDS)
        if not ready:
            log.warning("no actor has finished a text for %.0f s; \"ray status\" tells whether the cluster has room for them",
                        QUIET_SECONDS)
        heard = []
        for answer in ready:
            number = self._asked.pop(answer)
            try:
                said = self._ray.get(answer)
            except self._ray.exceptions.RayActorError as error:
                said = Said(lost=" ".join(str(error).split())[:300])
            if not (said.idle or said.lost or said.error):
                self._ask(number, [])
            heard.append((number, said))
        return heard

    def close(self) -> None:
        for actor in self._actors.values():
            self._ray.kill(actor)
        if self._ours:
            self._ray.shutdown()

    def _ask(self, number: int, examples: list[Example]) -> None:
        self._asked[self._actors[number].take.remote(examples)] = number


class Actor:
    """A worker in Ray's hands. Ray shows it the GPUs it has been given and no others, so that ``auto`` finds its own."""

    def __init__(self, job: Job, device: str, threads: int, environment: Mapping[str, str], folder: str) -> None:
        os.environ.update(environment)
        if Path(folder).is_dir():
            os.chdir(folder)  # relative paths in settings mean the driver's
        self._job, self._device, self._threads = job, device, threads
        self._worker: Worker | None = None
        self._running: Iterator[Attempt] = iter(())

    def take(self, examples: list[Example]) -> Said:
        """Begin with ``examples``, or go on where there are none; what has finished after a moment."""
        found: list[Attempt] = []
        try:
            if self._worker is None:
                self._worker = Worker(self._job, self._device, self._threads)
                return Said(idle=True, place=self._worker.place)
            if examples:
                self._running = self._worker.attack(examples)
            until = time.monotonic() + GATHER_SECONDS
            for attempt in self._running:
                found.append(attempt)
                if time.monotonic() > until:
                    return Said(tuple(found))
            return Said(tuple(found), idle=True)
        except Exception as error:
            return failed(error, found)
