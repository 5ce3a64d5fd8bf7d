"""The driver's side: examples given out as workers get free, those of a lost worker given out again."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Generator, Sequence
from typing import Protocol

from hardtext.core import Attempt, Example, InputError
from hardtext.executors.worker import Job, Said

log = logging.getLogger(__name__)

LOSSES = 2
"""So many lost workers make an example an error."""
BARREN = 3
"""So many losses for each worker, with no attempt finished in between, end the run."""


class WorkerError(RuntimeError):
    """An exception in a worker (in the victim, or the masked LM), which ends the run as it would in a single process."""


class Pool(Protocol):
    """Workers, numbered from 0."""

    size: int

    def start(self, number: int) -> None:
        """Start worker ``number``, or a new one in its place. It says ``idle`` once its models are loaded."""

    def give(self, number: int, examples: Sequence[Example]) -> None:
        """Give an idle worker examples. It says ``idle`` again after the last one."""

    def listen(self) -> list[tuple[int, Said]]:
        """Wait until a worker says something, or is lost; which, and what."""

    def close(self) -> None:
        """End all workers, whatever they are at."""


def hand_out(pool: Pool, job: Job, examples: Sequence[Example], chunk: int) -> Generator[Attempt, None, None]:
    """Attack ``examples`` on the workers of ``pool``; yields attempts as they finish, one for each example.

    Costs are heavy-tailed and unknown beforehand, so the examples are dealt by guided self-scheduling (Polychronopoulos &
    Kuck 1987): long texts first, each free worker gets half of its even share of what is left, at most ``chunk``.

    The examples that a lost worker had not finished are given out again, each alone, so that a second loss has one cause:
    an example whose worker is lost ``LOSSES`` times ends with status ``error``. A new worker takes the lost one's place.

    Raises InputError for a worker's, and where workers are lost one after the other with nothing finished; WorkerError for
    a worker's other exceptions.
    """
    dealer = _Dealer(examples, chunk, pool.size)
    held: list[dict[str, Example]] = [{} for _ in range(pool.size)]
    idle: set[int] = set()
    left, barren = len(examples), 0
    try:
        for number in range(pool.size):
            pool.start(number)
        while left:
            for number, said in pool.listen():
                if said.place:
                    log.info("worker %d: %s", number, said.place)
                finished = [a for a in said.attempts if held[number].pop(a.id, None) is not None]
                if said.lost:
                    barren = 0 if finished else barren + 1
                    log.warning("worker %d is lost (%s): %d examples are handed out again", number, said.lost,
                                len(held[number]))
                    finished += dealer.take_back(held[number].values(), job, said.lost)
                    held[number] = {}
                    idle.discard(number)
                for attempt in finished:
                    left -= 1
                    barren = 0
                    if attempt.status == "error":
                        log.warning("example %s: the attack stopped with an error (%s)", attempt.id, attempt.error)
                    yield attempt
                if said.error:
                    raise InputError(said.error) if said.bad_input else WorkerError(
                        f"worker {number}: {said.error}\n{said.trace}")
                if said.lost and left:
                    if barren >= BARREN * pool.size:
                        raise InputError(f"{barren} workers in a row were lost before they had finished a text (the last "
                                         f"one: {said.lost}): is there memory for {pool.size} victims? Try fewer with "
                                         f"executor.workers; rows that are done are kept")
                    pool.start(number)
                elif said.idle:
                    idle.add(number)
            for number in sorted(idle):
                if share := dealer.deal():
                    held[number] = {example.id: example for example in share}
                    idle.remove(number)
                    pool.give(number, share)
    finally:
        pool.close()


class _Dealer:
    """The examples that no worker has."""

    def __init__(self, examples: Sequence[Example], chunk: int, workers: int) -> None:
        self._waiting = deque(sorted(examples, key=lambda e: sum(map(len, e.segments)), reverse=True))
        self._alone: deque[Example] = deque()
        self._losses: Counter[str] = Counter()
        self._chunk, self._workers = chunk, workers

    def deal(self) -> list[Example]:
        if self._alone:
            return [self._alone.popleft()]
        size = min(self._chunk, -(-len(self._waiting) // (2 * self._workers)))
        return [self._waiting.popleft() for _ in range(size)]

    def take_back(self, examples: Sequence[Example], job: Job, reason: str) -> list[Attempt]:
        """Queue a lost worker's examples again; those that have lost enough workers end here, as errors."""
        ended = []
        for example in examples:
            self._losses[example.id] += 1
            if self._losses[example.id] < LOSSES:
                self._alone.append(example)
            else:
                ended.append(Attempt(
                    id=example.id, domain=job.domain, victim=job.victim, attack=job.attack.name, label=example.label,
                    original=example.segments, adversarial=None, status="error", original_probs=None,
                    adversarial_probs=None, queries=0, forwards=0, seconds=0.0, seed=job.seed,
                    error=f"its worker was lost {LOSSES} times while attacking it ({reason})"))
        return ended
