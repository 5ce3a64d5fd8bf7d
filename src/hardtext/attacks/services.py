"""What a service is: it answers one kind of request, of many examples at once.

A round of the engine hands every service the tasks that wait for it; the service does one batch of work and sets the
answer (or ``failure``, or ``spent``) of each task whose request is complete. A new kind of request needs a dataclass in
``requests.py``, a service in a file beside this one, and a line in ``toolbox.py``, which makes services when they are
first asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from hardtext.core import Segments


@dataclass(slots=True)
class Stats:
    """What a run really did. ``sent``: texts that went through the victim, each counted once whoever shares it."""

    sent: int = 0
    calls: int = 0
    rounds: int = 0
    victim_seconds: float = 0.0
    masked_lm_seconds: float = 0.0
    encoder_seconds: float = 0.0
    gradients: int = 0


@dataclass(slots=True)
class Task:
    """What the services know of an example in work.

    ``queries``: what asking one by one would have asked so far. ``forwards``: the distinct texts put before the victim
    for this example, those sent ahead of a flip included; a text that another example shares, or that a shared cache
    knows already, counts for each, so that the figure does not depend on what runs beside it. (Without a cache a text
    is sent, and counted, each time it is asked.)
    """

    request: Any = None
    answer: Any = None  # not None: the request is complete
    failure: Exception | None = None  # this request alone could not be answered: an error of this example
    progress: Any = None  # a service's own notes while a request takes several rounds
    spent: bool = False  # the request does not fit into what is left of max_queries
    queries: int = 0
    forwards: int = 0
    seconds: float = 0.0
    seen: set[bytes] = field(default_factory=set)
    label: int | None = None  # the prediction to move, once it is known
    best: Segments | None = None  # of the texts asked as candidates, the one that lowers the label's probability most
    lowest: float = 1.0  # that probability
    tried: bool = False  # whether any candidate was asked
    member: str = ""  # of an ensemble: whose text is the result


class Service(Protocol):
    def serve(self, tasks: Sequence[Task]) -> None:
        """One round of work: set ``answer`` (or ``failure`` or ``spent``) of every task that is done."""


class Crediting:
    """Takes down ``Credit``."""

    def serve(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            task.member, task.answer = task.request.member, True


def share(seconds: float, tasks: Sequence[Task], sizes: Sequence[int]) -> None:
    """Charge a round's time to its tasks in proportion to the work they brought."""
    total = sum(sizes) or 1
    for task, size in zip(tasks, sizes, strict=True):
        task.seconds += seconds * size / total
