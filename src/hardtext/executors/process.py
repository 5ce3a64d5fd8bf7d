"""Workers as processes of this machine, started fresh (a fork would share torch's threads and CUDA with the driver)."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from hardtext.core import Example
from hardtext.executors.settings import ProcessSettings
from hardtext.executors.worker import Job, Said, Worker, failed

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")  # torch, numpy, the tokenizers
END_SECONDS = 5.0


def places(settings: ProcessSettings, device: str) -> list[str]:
    """The device of each worker."""
    import torch

    devices = settings.devices
    if not devices and device == "auto":
        devices = [f"cuda:{n}" for n in range(torch.cuda.device_count())]
    workers = settings.workers or len(devices) or (cores() if device in ("auto", "cpu") else 1)
    devices = devices or [device]
    return [devices[n % len(devices)] for n in range(workers)]


def cores() -> int:
    """The cores this process may use (a container or a scheduler may give it fewer than the machine has)."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS has no such thing
        return os.cpu_count() or 1


class ProcessPool:
    """``devices``: one for each worker. The cores are divided among them, unless ``OMP_NUM_THREADS`` says otherwise."""

    def __init__(self, job: Job, devices: Sequence[str]) -> None:
        self.size, self._job, self._devices = len(devices), job, devices
        given = os.environ.get("OMP_NUM_THREADS", "")
        self._threads = int(given) if given.isdecimal() else max(1, cores() // self.size)
        self._context = multiprocessing.get_context("spawn")
        self._processes: dict[int, BaseProcess] = {}
        self._lines: dict[Connection, int] = {}  # this end of each worker's pipe → its number

    def start(self, number: int) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=work, args=(theirs, self._job, self._devices[number], self._threads),
                                        name=f"hardtext worker {number}", daemon=True)
        process.start()
        theirs.close()  # so that the pipe ends with the process
        self._processes[number], self._lines[ours] = process, number

    def give(self, number: int, examples: Sequence[Example]) -> None:
        line = next(line for line, owner in self._lines.items() if owner == number)
        with suppress(OSError):  # it has just died: the next listen says so
            line.send(list(examples))

    def listen(self) -> list[tuple[int, Said]]:
        heard = []
        for line in wait(list(self._lines)):
            number = self._lines[line]
            try:
                heard.append((number, line.recv()))
            except (EOFError, OSError):
                heard.append((number, Said(lost=self._ended(line))))
        return heard

    def close(self) -> None:
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            process.join(END_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()
        for line in self._lines:
            line.close()

    def _ended(self, line: Connection) -> str:
        process = self._processes[self._lines.pop(line)]
        line.close()
        process.join(END_SECONDS)
        code = process.exitcode
        if code is None:  # it closed its pipe but lives
            process.kill()
            process.join()
            return "it no longer answered"
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"it ended with exit code {code}"


def work(line: Connection, job: Job, device: str, threads: int) -> None:
    """The life of a worker process. Exceptions go to the driver as text."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the driver ends its workers
    threading.Thread(target=_end_with_driver, daemon=True).start()
    for name in THREADS:
        os.environ[name] = str(threads)
    try:
        worker = Worker(job, device, threads)
        line.send(Said(idle=True, place=worker.place))
        while True:
            for attempt in worker.attack(line.recv()):
                line.send(Said((attempt,)))
            line.send(Said(idle=True))
    except Exception as error:
        with suppress(OSError):  # the driver is gone
            line.send(failed(error))


def _end_with_driver() -> None:
    """A driver that is killed can end nobody: its workers notice, in the middle of a computation too."""
    wait([multiprocessing.parent_process().sentinel])
    os._exit(1)
