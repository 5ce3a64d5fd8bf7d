"""One section of the page: a run with its numbers, the flags of its successes and a name of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hardtext import text
from hardtext.core import Attempt, Segments
from hardtext.reporting.report.measuring import Measured
from hardtext.reporting.report.reading import AttackRun
from hardtext.reporting.report.score_files import FIGURES
from hardtext.scoring.flags import CHANGED, flags


@dataclass(frozen=True)
class Scenario:
    name: str  # the attack, with what tells it from its siblings
    run: AttackRun
    measured: Measured
    flags: list[list[tuple[str, str]]]  # of each attempt: (kind, line); empty where it is no success
    folder: str

    @property
    def stand_ins(self) -> list[str]:
        """What was not the real thing: domain, attack and scorer."""
        return self._marks(self.measured.scores or {})

    def _marks(self, scores: Mapping[str, Any]) -> list[str]:
        return list(dict.fromkeys([*self.run.marks, *scores.get("stand_ins", ())]))

    @property
    def limits(self) -> str:
        """What the probability that the meaning is kept is worth here."""
        return (self.measured.scores or {}).get("preserved_limits") or ""

    @property
    def meaning_changed(self) -> float | None:
        """Share of successes after which a reader reads other words than before (``flags.CHANGED``)."""
        found = [any(kind in CHANGED for kind, _ in own) for own, attempt in zip(self.flags, self.run.attempts)
                 if attempt.status == "success"]
        return sum(found) / len(found) if found else None

    def row(self) -> dict[str, Any]:
        """Its line of the leaderboard, as report.json keeps it."""
        domain, victim, attack = self.run.scenario
        scores = self.measured.scores or {}
        return {"name": self.name, "domain": domain, "victim": victim, "attack": attack, "folder": self.folder,
                "state": self.run.state, "attempts": len(self.run.attempts),
                **_numbers(scores), "scored_here": self.measured.scored_here, "meaning_changed": self.meaning_changed,
                "stand_ins": self.stand_ins, "preserved_limits": self.limits,
                "asked_again": [_numbers(row) | _answers(row["strict"]) | {"stand_ins": self._marks(row)}
                                for row in self.measured.asked_again]}


def _numbers(scores: Mapping[str, Any]) -> dict[str, Any]:
    return {**{key: scores.get(key) for key in ("instances", "successes", *FIGURES, "semantic_scorer", "segmenter")},
            "interval": scores.get("interval") or {}}


def _answers(strict: Mapping[str, Any]) -> dict[str, Any]:
    """What the victim that was asked again said: a name for the line, and how many attempts went another way."""
    return {"name": f"asked again: {strict['victim']}", "confirmed": strict["confirmed"],
            "unconfirmed": len(strict["unconfirmed"]), "flipped": len(strict["flipped"])}


def scenarios(runs_read: Sequence[AttackRun], measured: Sequence[Measured], root: Path) -> list[Scenario]:
    """Runs by domain, victim and BODEGA score, each under a name that no sibling has."""
    siblings = defaultdict(list)
    for run in runs_read:
        siblings[run.scenario].append(run)
    found = []
    for run, numbers in zip(runs_read, measured):
        own = _difference(run, siblings[run.scenario])
        found.append(Scenario(f"{run.scenario[2]} ({own})" if own else run.scenario[2], run, numbers,
                              [_flags(attempt) for attempt in run.attempts], run.folder.relative_to(root).as_posix()))
    return sorted(found, key=lambda s: (*s.run.scenario[:2], -((s.measured.scores or {}).get("bodega") or 0), s.name))


def aligned(original: Segments, adversarial: Segments) -> tuple[Segments, Segments]:
    """Both texts in as many segments as the other: joined where a pair came back in one piece."""
    if len(original) == len(adversarial):
        return original, adversarial
    return (text.join(original),), (text.join(adversarial),)


def _flags(attempt: Attempt) -> list[tuple[str, str]]:
    if attempt.status != "success":
        return []
    return [(flag.kind, text.readable(flag.line)) for flag in flags(*aligned(attempt.original, attempt.adversarial))]


def _difference(run: AttackRun, siblings: Sequence[AttackRun]) -> str:
    """What tells a run from others of its scenario: the variant where that is enough, else its part of the path."""
    if len(siblings) == 1:
        return ""
    variants = [other.variant for other in siblings]
    if run.variant and variants.count(run.variant) == 1:
        return run.variant
    paths = [other.folder.parts for other in siblings]
    return "/".join(part for place, part in enumerate(run.folder.parts)
                    if any(path[place : place + 1] != (part,) for path in paths)) or run.folder.name
