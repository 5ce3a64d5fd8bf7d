"""Attempts on disk: appended as examples finish, in input order once the run is done, and counted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from hardtext import records
from hardtext.attacks import engine
from hardtext.attacks.base import Attack
from hardtext.attacks.engine import NOT_REPRODUCED, SEPARATOR_BROKEN
from hardtext.attacks.services import Stats
from hardtext.core import STATUSES, Attempt, Example, InputError, Victim
from hardtext.progress import progress
from hardtext.scoring.changes import changed_share

BEST = "best.jsonl"
"""Beside the attempts: for each that ended with status ``budget`` after a candidate was asked, the closest text."""
MEMBERS = "members.jsonl"
"""Beside the attempts of an ensemble: for each success, the member attack that found it."""


def attack_to_file(path: Path, attack: Attack, victim: Victim, examples: Sequence[Example], *, domain: str, seed: int,
                   title: str = "attack", stats: Stats | None = None,
                   run: Callable[..., Generator[Attempt, None, None]] = engine.run, **options: Any) -> list[Attempt]:
    """Attack ``examples`` and leave one row each in ``path``; returns the attempts in input order.

    Rows already there are kept and their examples not attacked again, so that a killed run goes on where it stopped
    (only those that ended in an error are, as an endpoint may answer by now); half-written and damaged lines are taken out
    and made again (``records.mend``). Rows of another run are refused. ``options`` are those of ``engine.run``.
    ``run``: who attacks, called like ``engine.run`` (``executors.runner`` gives one with several workers).
    What has no place in a row goes to ``BEST`` and ``MEMBERS`` in the same folder.
    """
    path = Path(path)
    order = [e.id for e in examples]
    if repeated := [i for i, n in Counter(order).items() if n > 1]:
        raise InputError(f"examples: ids must be unique, repeated: {', '.join(repeated[:5])}")
    found = _finished(path, attack, victim, examples, domain=domain, seed=seed)
    best, members = _Aside(path.with_name(BEST), "best"), _Aside(path.with_name(MEMBERS), "member")
    left = [e for e in examples if e.id not in found]
    if left:
        stats = Stats() if stats is None else stats
        started, successes, queries = time.perf_counter(), 0, 0
        attacked = run(attack, victim, left, domain=domain, seed=seed, stats=stats, **options)
        with (closing(attacked), records.RowWriter(path) as writer,
              progress(title, total=len(examples), done=len(found)) as bar):
            for attempt in attacked:
                if attempt.best is not None:  # before its attempt, after which nobody would ask for it again
                    best.append(attempt.id, list(attempt.best))
                if attempt.member:
                    members.append(attempt.id, attempt.member)
                writer.append(attempt.to_row())
                found[attempt.id] = attempt
                successes += attempt.status == "success"
                queries += attempt.queries
                rate = stats.sent / (time.perf_counter() - started)
                bar.advance(1, show=f"{successes} successes · {queries} queries · {rate:.0f} forwards/s")
    attempts = [found[i] for i in order]
    records.write_rows(path, (a.to_row() for a in attempts))
    best.close(order)
    members.close(order)
    return [replace(a, best=tuple(best.values[a.id]) if a.id in best.values else None, member=members.values.get(a.id, ""))
            for a in attempts]


class _Aside:
    """A JSON-lines file with one value for some of the examples; it exists once there is one."""

    def __init__(self, path: Path, key: str) -> None:
        self._path, self._key = path, key
        self.values: dict[str, Any] = {row["id"]: row[key] for row in records.mend(path)}

    def append(self, id: str, value: Any) -> None:
        self.values[id] = value
        with records.RowWriter(self._path) as writer:
            writer.append({"id": id, self._key: value})

    def close(self, order: Sequence[str]) -> None:
        """Leave the values in input order."""
        if self.values:
            records.write_rows(self._path, ({"id": i, self._key: self.values[i]} for i in order if i in self.values))


def _finished(path: Path, attack: Attack, victim: Victim, examples: Sequence[Example], *, domain: str,
              seed: int) -> dict[str, Attempt]:
    """The attempts a former run left in ``path``, by id, errors left out: they are tried again. Refuses those of a
    different run."""
    originals = {e.id: e.segments for e in examples}
    ours = {"domain": domain, "victim": victim.name, "attack": attack.name, "seed": seed}
    found = {}
    for row in records.mend(path):
        try:
            attempt = Attempt.from_row(row)
        except InputError as error:
            raise InputError(f"{path}: {error}; remove the file or choose another folder") from error
        for key, value in ours.items():
            if getattr(attempt, key) != value:
                raise InputError(f"{path} holds attempts with {key}={getattr(attempt, key)}, "
                                 f"this run has {key}={value}: remove the file or choose another folder")
        if originals.get(attempt.id) != attempt.original:
            raise InputError(f"{path} holds an attempt on example {attempt.id!r} that is not among this run's "
                             f"examples: remove the file or choose another folder")
        if attempt.status == "error":
            found.pop(attempt.id, None)
        else:
            found[attempt.id] = attempt
    return found


def summarise(attempts: Sequence[Attempt]) -> dict[str, Any]:
    """Counts by status and what the run cost, for ``summary.json``.

    ``queries`` and ``forwards`` are totals over all attempts; ``queries_per_example`` is the published figure (failures
    included). ``errors`` counts the messages of attempts that ended in an exception. ``single_query_successes`` counts
    those too that most repeats did not confirm: what one query would have called a success. ``changed_share``: of the
    words of a text, mean over successes. ``members``: of an ensemble, how many texts each of its attacks won.
    """
    status = Counter(a.status for a in attempts)
    queries = sum(a.queries for a in attempts)
    members = Counter(a.member for a in attempts if a.member)
    shares = [changed_share(a.original, a.adversarial) for a in attempts if a.status == "success"]
    return {
        "attempts": len(attempts),
        **{name: status[name] for name in STATUSES},
        "single_query_successes": status["success"] + sum((a.error or "").startswith(NOT_REPRODUCED) for a in attempts),
        "separator_broken": sum(a.error == SEPARATOR_BROKEN for a in attempts),
        "changed_share": round(sum(shares) / len(shares), 4) if shares else None,
        "queries": queries,
        "queries_per_example": queries / len(attempts) if attempts else None,
        "forwards": sum(a.forwards for a in attempts),
        "seconds": round(sum(a.seconds for a in attempts), 3),
        **({"members": dict(members.most_common())} if members else {}),
        "errors": dict(Counter(a.error for a in attempts if a.status == "error").most_common()),
    }
