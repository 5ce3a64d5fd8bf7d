"""Which successes people are asked about: a seeded draw from each system, blind to the system."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hardtext import seeding
from hardtext.core import Attempt, InputError
from hardtext.scoring.summary import NO_SUMMARY
from hardtext.text import join


@dataclass(frozen=True, slots=True)
class Task:
    """One pair of texts to judge. ``id`` says nothing of the system; pairs of segments are joined by ' ~ '.

    ``stand_in``: what stands in for what in the system's runs, in words; empty where nothing does.
    """

    id: str
    original: str
    adversarial: str
    system: str
    domain: str
    victim: str
    attempt: str
    stand_in: str = ""


def system_names(runs: Mapping[Path, Sequence[Attempt]], stand_ins: Mapping[Path, str] | None = None) -> dict[Path, str]:
    """The name of the system whose attempts each run holds: the attack's.

    Runs of one attack against the same victim on the same domain are other systems (another variant or seed), so the
    name of the run's folder is added: ``bert_attack (seed=1)``. So is a run in which something stands in for something
    else, so that it is never averaged with real ones: ``bert_attack (stand-in)``; and one that left no word on that:
    ``bert_attack (no summary)``. Raises InputError where that does not tell them apart, and for a file with the attempts
    of several attacks.
    """
    by_attack = defaultdict(list)
    for path, attempts in runs.items():
        if other := next((row.attack for row in attempts if row.attack != attempts[0].attack), None):
            raise InputError(f"{path}: holds attempts of {attempts[0].attack} and {other}; give each attack its own file")
        by_attack[attempts[0].attack].append((path, attempts[0].domain, attempts[0].victim))
    names = {}
    for attack, members in by_attack.items():
        several = len({(domain, victim) for _, domain, victim in members}) < len(members)
        taken: dict[tuple[str, str, str], Path] = {}
        for path, domain, victim in members:
            added = ([_folder(path)] if several else []) + _kind((stand_ins or {}).get(path, ""))
            name = f"{attack} ({', '.join(added)})" if added else attack
            if other := taken.get((name, domain, victim)):
                raise InputError(f"attempts: {other} and {path} both hold {attack} against {victim} on {domain}, and "
                                 f"their folders have the same name; name only one of them")
            taken[name, domain, victim] = path
            names[path] = name
    return names


def _kind(stand_in: str) -> list[str]:
    return ["no summary" if stand_in == NO_SUMMARY else "stand-in"] if stand_in else []


def _folder(path: Path) -> str:
    return path.parent.name if path.name == "attempts.jsonl" else path.stem


def draw(systems: Mapping[str, Sequence[Attempt]], per_system: int, seed: int,
         stand_ins: Mapping[str, str] | None = None) -> list[Task]:
    """At most ``per_system`` successes of each system, all systems' tasks shuffled together.

    Stratified: each (domain, victim) gives its share of the system's successes, so that a plain mean over a system's
    tasks estimates the mean over all its successes. The draw depends on the seed and on what was attacked, not on the
    order of rows or files. ``stand_ins``: what stands in for what, by system.
    """
    if per_system < 1:
        raise InputError(f"per_system={per_system}: expected at least 1")
    tasks = [_task(system, attempt, seed, (stand_ins or {}).get(system, "")) for system, attempts in systems.items()
             for attempt in _sample(system, attempts, per_system, seed)]
    if not tasks:
        raise InputError(f"attempts: no success in {len(systems)} system(s), so there is nothing to ask people about")
    tasks.sort(key=lambda task: task.id)
    seeding.generator(seed, "annotate", "order").shuffle(tasks)
    return tasks


def _task(system: str, attempt: Attempt, seed: int, stand_in: str) -> Task:
    key = seeding.derive(seed, "annotate", system, attempt.domain, attempt.victim, attempt.id)
    return Task(id=f"{key:016x}", original=join(attempt.original), adversarial=join(attempt.adversarial),
                system=system, domain=attempt.domain, victim=attempt.victim, attempt=attempt.id,
                stand_in=stand_in)


def _sample(system: str, attempts: Sequence[Attempt], per_system: int, seed: int) -> list[Attempt]:
    strata = defaultdict(list)
    for attempt in attempts:
        if attempt.status == "success":
            strata[attempt.domain, attempt.victim].append(attempt)
    order = sorted(strata)
    shares = allocate([len(strata[name]) for name in order], per_system)
    drawn = []
    for name, share in zip(order, shares, strict=True):
        candidates = sorted(strata[name], key=lambda attempt: attempt.id)
        drawn += seeding.generator(seed, "annotate", system, *name).sample(candidates, share)
    return drawn


def allocate(sizes: Sequence[int], total: int) -> list[int]:
    """``total`` places over strata in proportion to their sizes, by largest remainder (earlier ones win ties).

    No stratum gets more places than it has members.

    >>> allocate([300, 100], 10), allocate([3, 2], 10), allocate([1, 1, 1], 2)
    ([8, 2], [3, 2], [1, 1, 0])
    """
    members = sum(sizes)
    if members <= total:
        return list(sizes)
    shares = [size * total // members for size in sizes]
    by_remainder = sorted(range(len(sizes)), key=lambda i: -(sizes[i] * total % members))
    for index in by_remainder[: total - sum(shares)]:
        shares[index] += 1
    return shares
