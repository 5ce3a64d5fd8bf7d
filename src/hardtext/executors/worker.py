"""What a worker does: it loads the models its job names, attacks the examples it is given, and answers in plain values."""

from __future__ import annotations

import logging
import os
import socket
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hardtext.attacks import Attack
from hardtext.core import Attempt, Example, InputError, Victim


@dataclass(frozen=True)
class Job:
    """What every worker is told. ``load`` gives the victim, called with ``device=``; ``victim``, ``classes`` and
    ``fingerprint`` are those of the driver's, so that a machine that holds another one is noticed. ``options``: of
    ``engine.run``."""

    load: Callable[..., Victim]
    attack: Attack
    victim: str
    classes: tuple[str, ...]
    fingerprint: str
    domain: str
    seed: int
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """What the driver hears of a worker.

    ``attempts``: those finished since it last spoke. ``idle``: it wants examples. ``error``: why it cannot go on, one line,
    with ``bad_input`` (an InputError) or the ``trace``. ``lost``: it is gone (said by the pool on its behalf). ``place``:
    where it runs, said once.
    """

    attempts: tuple[Attempt, ...] = ()
    idle: bool = False
    error: str = ""
    bad_input: bool = False
    trace: str = ""
    lost: str = ""
    place: str = ""


def failed(error: Exception, attempts: Sequence[Attempt] = ()) -> Said:
    """An exception as text: its own class need not exist where it is read."""
    bad = isinstance(error, InputError)
    return Said(tuple(attempts), error=str(error) if bad else f"{type(error).__name__}: {error}", bad_input=bad,
                trace="" if bad else "".join(traceback.format_exception(error)))


class Worker:
    """``device``: a torch device or ``auto``; ``threads``: of torch on the CPU."""

    def __init__(self, job: Job, device: str, threads: int) -> None:
        import torch

        from hardtext.attacks.base import MaskedLMAttack, SemanticAttack
        from hardtext.attacks.masked_lm import load_masked_lm
        from hardtext.attacks.victim_service import Cache
        from hardtext.scoring.semantic import semantic_from_name

        # The engine warns of an attack that changes nothing in all of its examples; a worker sees only some of them.
        logging.getLogger("hardtext.attacks.engine").setLevel(logging.ERROR)
        torch.set_num_threads(threads)
        if device.startswith("cuda"):
            torch.cuda.set_device(device)  # where the masked LM and the sentence encoder go, whose device is "cuda"
        self._job, attack = job, job.attack
        self._victim = job.load(device=device)
        self.place = f"process {os.getpid()} on {socket.gethostname()}, device {device}"
        if getattr(self._victim, "fingerprint", "") != job.fingerprint or tuple(self._victim.classes) != job.classes:
            raise InputError(f"{self.place}: its victim is not the driver's (same name, other weights or classes): all "
                             f"machines must see the same folders")
        self._kept: dict[str, Any] = {"cache": Cache(), "encoder": _Later()}
        if isinstance(attack, MaskedLMAttack):
            self._kept["masked_lm"] = load_masked_lm(attack.masked_lm)
        if isinstance(attack, SemanticAttack):
            self._kept["semantic"] = semantic_from_name(attack.semantic)

    def attack(self, examples: Sequence[Example]) -> Iterator[Attempt]:
        from hardtext.attacks import engine

        job = self._job
        return engine.run(job.attack, self._victim, examples, domain=job.domain, seed=job.seed,
                          **{**self._kept, **job.options})


class _Later:
    """The bundled sentence encoder, loaded when the first chunk asks for it and kept for the others."""

    def __init__(self) -> None:
        self._encoder = None

    def vectors(self, sentences: Sequence[str]) -> Any:
        if self._encoder is None:
            from hardtext.scoring.minilm import Encoder

            self._encoder = Encoder()
        return self._encoder.vectors(sentences)
