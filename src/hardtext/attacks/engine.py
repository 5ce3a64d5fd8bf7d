"""Runs an attack on many examples at once, so that the victim always sees full batches.

Every example's attack is a generator that stops at each request. A round gathers the requests of all examples in
flight, removes duplicates, lets each service answer its kind in one go and feeds the answers back. What an attempt
holds never depends on the examples beside it, their order or how many are in flight; only ``seconds`` (an example's
share of the time spent) does, and ``forwards`` depends on whether there is a cache (see ``services.Task``).

Two batches of different make-up differ in a probability's last bits. So values within 1e-6 are ties everywhere, and
of ties the lower class, the earlier word and the earlier candidate win (``ties.py``).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence

import numpy

from hardtext import seeding, text
from hardtext.attacks import ties
from hardtext.attacks.base import Attack, Target
from hardtext.attacks.masked_lm_service import MaskedLM
from hardtext.attacks.requests import OutOfBudget, Repeat, Score, Steps
from hardtext.attacks.services import Stats, Task
from hardtext.attacks.settling import DIGITS, Ask, settle
from hardtext.attacks.similarity_service import Encoder
from hardtext.attacks.toolbox import Toolbox
from hardtext.attacks.victim_service import Cache
from hardtext.core import Attempt, Example, InputError, Segments, Victim, Windowed
from hardtext.scoring.semantic import SemanticSettings

log = logging.getLogger(__name__)

IN_FLIGHT = 64
SPECULATE = 2
SEPARATOR_BROKEN = "separator broken"
"""The ``error`` of an attempt that failed because its text, joined, could not be split back into its pair."""
NOT_REPRODUCED = "flipped once but not in most repeats"
"""How the ``error`` of an attempt begins that failed because a victim that answers by chance mostly kept its mind."""


def run(attack: Attack, victim: Victim, examples: Sequence[Example], *, domain: str, seed: int,
        max_queries: int | None = None, max_seconds: float | None = None, in_flight: int = IN_FLIGHT,
        speculate: int = SPECULATE, cache: Cache | bool = True, repeats: int = 1, masked_lm: MaskedLM | None = None,
        encoder: Encoder | None = None, semantic: SemanticSettings | None = None,
        stats: Stats | None = None) -> Iterator[Attempt]:
    """Attack ``examples``; yields an Attempt for each as it is decided (long texts start first).

    ``max_queries``: an example ends with status ``budget`` rather than ask more. ``max_seconds``: likewise, on its
    share of the time. ``speculate``: how many texts are sent together at least while a flip is waited for (a
    small number wastes less, a large one takes fewer rounds). ``cache``: a Cache to share between runs on the same
    victim, or False for none. ``masked_lm``, ``encoder``, ``semantic``: models already loaded; otherwise the masked LM
    and the semantic scorer of the attack's settings and the bundled sentence encoder are, once they are asked for.
    ``stats`` is added to.

    ``repeats``: for a victim that answers by chance. The text before and the text found are each asked so often, and
    an attempt is a success only where most repeats flip; nothing is remembered between queries. Recorded probabilities
    are then means. Each set of repeats counts as one query.

    An exception in the attack's own code gives that example the status ``error``; one in the victim or the masked LM
    ends the run.
    """
    check_options(max_queries=max_queries, in_flight=in_flight, speculate=speculate, repeats=repeats,
                  max_seconds=max_seconds)
    stats = Stats() if stats is None else stats
    if isinstance(cache, bool):
        cache = Cache() if cache else None
    if repeats > 1:
        cache = None
    tools = Toolbox(attack, victim, domain=domain, cache=cache, max_queries=max_queries, speculate=speculate, stats=stats,
                    masked_lm=masked_lm, encoder=encoder, semantic=semantic)
    return _rounds(attack, victim, examples, tools, domain, seed, max_queries, max_seconds, in_flight, repeats, stats)


def check_options(max_seconds: float | None = None, **counts: int | None) -> None:
    """Refuse what no run can take, before there is a run. ``counts``: the options of ``run`` that are at least 1."""
    for key, value in counts.items():
        if value is not None and value < 1:
            raise InputError(f"{key}={value}: expected at least 1")
    if max_seconds is not None and not max_seconds > 0:
        raise InputError(f"max_seconds={max_seconds}: expected a positive number of seconds")


def _rounds(attack: Attack, victim: Victim, examples: Sequence[Example], tools: Toolbox, domain: str, seed: int,
            max_queries: int | None, max_seconds: float | None, in_flight: int, repeats: int,
            stats: Stats) -> Iterator[Attempt]:
    # Long texts take the most rounds: started last they would run alone in nearly empty batches.
    waiting = iter(sorted(examples, key=lambda e: sum(map(len, e.segments)), reverse=True))
    active: list[_Run] = []
    tried = idle = 0  # idle: no candidate was ever asked
    try:
        while True:
            while len(active) < in_flight and (example := next(waiting, None)) is not None:
                job = _Run(attack, victim, example, seed, max_queries, repeats)
                if not job.status:
                    job.advance()
                active.append(job)
            decided = [job for job in active if job.status]
            active = [job for job in active if not job.status]
            for job in decided:
                tried += job.status != "skipped"
                idle += job.status == "failed" and not job.tried
                yield job.attempt(domain, victim.name, attack.name, seed, tools.scoring.ask)
            if decided:
                continue  # fill the places that have become free
            if not active:
                break
            stats.rounds += 1
            groups: dict[type, list[_Run]] = {}
            for job in active:
                groups.setdefault(type(job.request), []).append(job)
            for kind, tasks in groups.items():
                tools.service(kind).serve(tasks)
            for job in active:
                if job.spent or (max_seconds is not None and job.seconds > max_seconds):
                    job.stop("budget")
                elif job.answer is not None or job.failure is not None:
                    job.advance()
    finally:
        for job in active:
            job.stop("")
    if tried and idle == tried:
        log.warning("%s found nothing to change in any of %d texts: is it meant for their language and length?",
                    attack.name, tried)


class _Run(Task):
    """One example under attack."""

    def __init__(self, attack: Attack, victim: Victim, example: Example, seed: int, max_queries: int | None,
                 repeats: int) -> None:
        super().__init__()
        self.example = example
        attackable = any(c.isalnum() for s in example.segments for c in s)
        self.status = "" if attackable else "skipped"  # one of core.STATUSES once decided
        self.error: str | None = None
        self.original: numpy.ndarray | None = None
        self.adversarial: Segments | None = None
        self.final: numpy.ndarray | None = None
        self._repeats = repeats
        self._rng = seeding.generator(seed, attack.name, example.id)
        self._steps = self._solve(attack, victim, max_queries)

    def _solve(self, attack: Attack, victim: Victim, max_queries: int | None) -> Steps:
        """The attack between the two queries that frame it; returns what it found, checked."""
        segments = self.example.segments
        self.original = (yield from self._ask(segments)).mean(axis=0)
        window = victim.window(segments) if isinstance(victim, Windowed) else None
        target = Target(segments, self.original, self._rng, window, max_queries)
        self.label = target.label
        found = yield from attack.steps(target)
        if found is None:
            self.status = "failed"
            return None
        if len(found) != len(segments):
            raise ValueError(f"the attack returned {len(found)} segments for a text of {len(segments)}")
        final = yield from self._ask(found)
        flips = ties.moved(final, target.label)
        self.status = "failed"
        if len(segments) == 2 and text.separator_count(found) != text.separator_count(segments):
            self.error = SEPARATOR_BROKEN
        elif found != segments and 2 * flips.sum() > len(flips):  # a victim that answers by chance may change its mind
            self.status, self.adversarial, self.final = "success", found, final.mean(axis=0)
        elif flips[0]:
            self.error = f"{NOT_REPRODUCED}: {flips.sum()} of {len(flips)}"
        return None

    def _ask(self, segments: Segments) -> Steps:
        """The victim's answer to one text, once or as often as is asked: (repeats, classes)."""
        return (yield Score([segments], probe=True) if self._repeats == 1 else Repeat(segments, self._repeats))

    def advance(self) -> None:
        """Feed the answer to the attack and take its next request, or its end."""
        started = time.perf_counter()
        answer, failure = self.answer, self.failure
        self.answer = self.failure = self.progress = None
        try:
            self.request = self._steps.send(answer) if failure is None else self._steps.throw(failure)
        except StopIteration:
            pass
        except OutOfBudget:
            self.status = "budget"
        except InputError:
            raise
        except Exception as error:
            self.status, self.error = "error", f"{type(error).__name__}: {error}"
            log.warning("example %s: the attack stopped with an error (%s)", self.example.id, self.error,
                        exc_info=log.isEnabledFor(logging.DEBUG))
        self.seconds += time.perf_counter() - started

    def stop(self, status: str) -> None:
        self._steps.close()
        self.status = status

    def attempt(self, domain: str, victim: str, attack: str, seed: int, ask: Ask) -> Attempt:
        original, final = (self._recorded(ask, text, row) for text, row in
                           ((self.example.segments, self.original), (self.adversarial, self.final)))
        return Attempt(
            id=self.example.id, domain=domain, victim=victim, attack=attack, label=self.example.label,
            original=self.example.segments, adversarial=self.adversarial, status=self.status,
            original_probs=original, adversarial_probs=final, queries=self.queries, forwards=self.forwards,
            seconds=round(self.seconds, 6), seed=seed, error=self.error,
            best=self.best if self.status == "budget" else None,
            member=self.member if self.status == "success" else "")

    def _recorded(self, ask: Ask, segments: Segments | None, row: numpy.ndarray | None) -> list[float] | None:
        if row is None:
            return None
        if self._repeats > 1:
            return [round(float(p), DIGITS) for p in row]
        return settle(ask, segments, row)
