"""Runs an attack on many examples at once, so that the victim always sees full batches.

Every example's attack is a generator that stops at each request. A round gathers the requests of all examples in
flight, removes duplicates, lets each service answer its kind in one go and feeds the answers back. What an attempt
holds never depends on the examples beside it, their order or how many are in flight; only ``seconds`` (an example's
share of the time spent) does, and ``forwards`` depends on whether there is a cache (see ``services.Task``).

Of equal probabilities the lower class, the earlier word and the earlier candidate win. Two batches of different
make-up may differ in a probability's last bits, so on real victims texts less than about 1e-6 apart can change places.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence

import numpy

from hardtext import seeding, text
from hardtext.attacks.base import Attack, MaskedLMAttack, Target
from hardtext.attacks.masked_lm_service import MaskedLM, Proposing, Rating
from hardtext.attacks.requests import Perplexity, Propose, Score, Steps
from hardtext.attacks.services import Service, Stats, Task
from hardtext.attacks.settling import Ask, settle
from hardtext.attacks.victim_service import Cache, Scoring
from hardtext.core import Attempt, Example, InputError, Segments, Victim

log = logging.getLogger(__name__)

IN_FLIGHT = 64
SPECULATE = 2
SEPARATOR_BROKEN = "separator broken"
"""The ``error`` of an attempt that failed because its text, joined, could not be split back into its pair."""


def run(attack: Attack, victim: Victim, examples: Sequence[Example], *, domain: str, seed: int,
        max_queries: int | None = None, max_seconds: float | None = None, in_flight: int = IN_FLIGHT,
        speculate: int = SPECULATE, cache: Cache | bool = True, masked_lm: MaskedLM | None = None,
        stats: Stats | None = None) -> Iterator[Attempt]:
    """Attack ``examples``; yields an Attempt for each as it is decided (long texts start first).

    ``max_queries``: an example ends with status ``budget`` rather than ask more. ``max_seconds``: likewise, on its
    share of the time. ``speculate``: how many texts are sent together at least while a flip is waited for (a
    small number wastes less, a large one takes fewer rounds). ``cache``: a Cache to share between runs on the same
    victim, or False for none. ``masked_lm``: one already loaded; otherwise the attack's own is. ``stats`` is added to.

    An exception in the attack's own code gives that example the status ``error``; one in the victim or the masked LM
    ends the run.
    """
    for key, value in (("max_queries", max_queries), ("in_flight", in_flight), ("speculate", speculate)):
        if value is not None and value < 1:
            raise InputError(f"{key}={value}: expected at least 1")
    if max_seconds is not None and not max_seconds > 0:
        raise InputError(f"max_seconds={max_seconds}: expected a positive number of seconds")
    stats = Stats() if stats is None else stats
    if isinstance(cache, bool):
        cache = Cache() if cache else None
    services: dict[type, Service] = {
        Score: Scoring(victim, cache=cache, max_queries=max_queries, speculate=speculate, stats=stats)}
    if isinstance(attack, MaskedLMAttack):
        if masked_lm is None:
            from hardtext.attacks.masked_lm import load_masked_lm

            masked_lm = load_masked_lm(attack.masked_lm)
        services[Propose] = Proposing(masked_lm, stats)
        services[Perplexity] = Rating(masked_lm, stats)
    return _rounds(attack, victim, examples, services, domain, seed, max_seconds, in_flight, stats)


def _rounds(attack: Attack, victim: Victim, examples: Sequence[Example], services: dict[type, Service], domain: str,
            seed: int, max_seconds: float | None, in_flight: int, stats: Stats) -> Iterator[Attempt]:
    # Long texts take the most rounds: started last they would run alone in nearly empty batches.
    waiting = iter(sorted(examples, key=lambda e: sum(map(len, e.segments)), reverse=True))
    active: list[_Run] = []
    tried = idle = 0  # idle: nothing was asked beyond the first prediction
    try:
        while True:
            while len(active) < in_flight and (example := next(waiting, None)) is not None:
                job = _Run(attack, example, seed)
                if not job.status:
                    job.advance()
                active.append(job)
            decided = [job for job in active if job.status]
            active = [job for job in active if not job.status]
            for job in decided:
                tried += job.status != "skipped"
                idle += job.status == "failed" and job.queries == 1
                yield job.attempt(domain, victim.name, attack.name, seed, services[Score].ask)
            if decided:
                continue  # fill the places that have become free
            if not active:
                break
            stats.rounds += 1
            groups: dict[type, list[_Run]] = {}
            for job in active:
                groups.setdefault(type(job.request), []).append(job)
            for kind, tasks in groups.items():
                if kind not in services:
                    raise TypeError(f"attack {attack.name} yielded {kind.__name__}, which nobody answers here")
                services[kind].serve(tasks)
            for job in active:
                if job.spent or (max_seconds is not None and job.seconds > max_seconds):
                    job.stop("budget")
                elif job.answer is not None:
                    job.advance()
    finally:
        for job in active:
            job.stop("")
    if tried and idle == tried:
        log.warning("%s found nothing to change in any of %d texts: is it meant for their language and length?",
                    attack.name, tried)


class _Run(Task):
    """One example under attack."""

    def __init__(self, attack: Attack, example: Example, seed: int) -> None:
        super().__init__()
        self.example = example
        attackable = any(c.isalnum() for s in example.segments for c in s)
        self.status = "" if attackable else "skipped"  # one of core.STATUSES once decided
        self.error: str | None = None
        self.original: numpy.ndarray | None = None
        self.adversarial: Segments | None = None
        self.final: numpy.ndarray | None = None
        self._rng = seeding.generator(seed, attack.name, example.id)
        self._steps = self._solve(attack)

    def _solve(self, attack: Attack) -> Steps:
        """The attack between the two queries that frame it; returns what it found, checked."""
        segments = self.example.segments
        self.original = (yield Score([segments]))[0]
        target = Target(segments, self.original, self._rng)
        found = yield from attack.steps(target)
        if found is None:
            self.status = "failed"
            return None
        if len(found) != len(segments):
            raise ValueError(f"the attack returned {len(found)} segments for a text of {len(segments)}")
        final = (yield Score([found]))[0]
        self.status = "failed"
        if len(segments) == 2 and text.separator_count(found) != text.separator_count(segments):
            self.error = SEPARATOR_BROKEN
        elif final.argmax() != target.label:
            self.status, self.adversarial, self.final = "success", found, final
        return None

    def advance(self) -> None:
        """Feed the answer to the attack and take its next request, or its end."""
        started = time.perf_counter()
        answer, self.answer, self.progress = self.answer, None, None
        try:
            self.request = self._steps.send(answer)
        except StopIteration:
            pass
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
        return Attempt(
            id=self.example.id, domain=domain, victim=victim, attack=attack, label=self.example.label,
            original=self.example.segments, adversarial=self.adversarial, status=self.status,
            original_probs=None if self.original is None else settle(ask, self.example.segments, self.original),
            adversarial_probs=None if self.final is None else settle(ask, self.adversarial, self.final),
            queries=self.queries, forwards=self.forwards, seconds=round(self.seconds, 6), seed=seed, error=self.error)
