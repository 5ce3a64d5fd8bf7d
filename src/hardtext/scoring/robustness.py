"""What a defence buys: attacks against several victims of one domain, and what to be wary of. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy

from hardtext.scoring.capped import within

CLEAN_LOSS = 0.01
"""A clean F1 lower than the plain victim's by more than this is named beside a gain."""


@dataclass(frozen=True, eq=False)
class Cell:
    """One attack against one victim of one seed. Arrays over the same texts, (texts,): ``bodega``, 0 where the attack failed;
    ``queries``; ``right``, whether the victim was right before the attack; ``fooled``, whether the attack succeeded.

    ``single_query``: how many texts one query would have called a success (a victim that answers by chance is asked
    several times, see ``attacks.engine``). ``transfer``: BODEGA of the plain victim's adversarial texts against this one,
    (texts,); None for the plain victim itself.
    """

    victim: str
    attack: str
    seed: int
    bodega: numpy.ndarray
    queries: numpy.ndarray
    right: numpy.ndarray
    fooled: numpy.ndarray
    single_query: int
    random: bool
    transfer: numpy.ndarray | None = None

    def within(self, cap: int) -> float:
        return float(within(self.bodega, self.queries, (cap,))[0])

    @property
    def robust_accuracy(self) -> float:
        return float((self.right & ~self.fooled).mean())


@dataclass(frozen=True)
class Trained:
    """One victim of one seed before any attack: scores on clean text, and what its training cost."""

    victim: str
    seed: int
    clean: Mapping[str, float | None]  # accuracy, f1 on the split that is attacked
    dev: Mapping[str, float | None]
    seconds: float
    intervals: Mapping[str, list[float] | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """A victim over all attacks and seeds. ``mean``: mean BODEGA over attacks; ``ratio``: of the plain victim's; both with
    the larger cap. ``interval``: 95 % bootstrap bounds of ``mean`` over texts. ``by_attack``: mean over seeds."""

    victim: str
    mean: float
    interval: tuple[float, float] | None
    ratio: float | None
    capped: Mapping[int, float]
    by_attack: Mapping[str, float]
    robust_accuracy: float
    queries: float
    transfer: float | None
    single_query: float
    success: float
    clean: Mapping[str, float | None]
    dev: Mapping[str, float | None]
    cost: float | None
    warnings: tuple[str, ...] = ()


def rows(cells: Sequence[Cell], trained: Sequence[Trained], *, plain: str, caps: Sequence[int],
         seed: int = 0, resamples: int = 1000) -> list[Row]:
    """One row a victim, in the order in which they first stand in ``trained``; ``plain`` names the undefended one.

    All means give each attack, and within it each seed, the same weight.
    """
    victims = list(dict.fromkeys(t.victim for t in trained))
    base = [c for c in cells if c.victim == plain]
    base_mean = _mean([c.within(max(caps)) for c in base])
    base_cost = _mean([t.seconds for t in trained if t.victim == plain])
    base_f1 = _mean([t.clean.get("f1") for t in trained if t.victim == plain])
    made = []
    for victim in victims:
        own, trainings = [c for c in cells if c.victim == victim], [t for t in trained if t.victim == victim]
        attacks = list(dict.fromkeys(c.attack for c in own))
        mean = _mean([c.within(max(caps)) for c in own])
        clean = {key: _mean([t.clean.get(key) for t in trainings]) for key in ("accuracy", "f1")}
        cost = _mean([t.seconds for t in trainings])
        row = Row(
            victim, mean=mean, interval=_interval(own, max(caps), seed, resamples),
            ratio=mean / base_mean if base_mean else None,
            capped={cap: _mean([c.within(cap) for c in own]) for cap in caps},
            by_attack={a: _mean([c.within(max(caps)) for c in own if c.attack == a]) for a in attacks},
            robust_accuracy=_mean([c.robust_accuracy for c in own]), queries=_mean([c.queries.mean() for c in own]),
            transfer=_mean([c.transfer.mean() for c in own if c.transfer is not None]),
            single_query=_mean([c.single_query / len(c.bodega) for c in own]),
            success=_mean([c.fooled.mean() for c in own]), clean=clean,
            dev={key: _mean([t.dev.get(key) for t in trainings]) for key in ("accuracy", "f1")},
            cost=cost / base_cost if cost and base_cost else None)
        made.append(_warned(row, own, base_f1, victim == plain))
    return made


def _warned(row: Row, cells: Sequence[Cell], base_f1: float | None, is_plain: bool) -> Row:
    """The row with what a reader must know before believing its gain."""
    said = []
    if not is_plain:
        f1 = row.clean["f1"]
        if f1 is not None and base_f1 is not None and base_f1 - f1 > CLEAN_LOSS:
            said.append(f"clean F1 is {100 * (base_f1 - f1):.1f} points lower than without the defence: part of a gain may be a "
                        f"classifier that says less")
        if any(c.random for c in cells):
            said.append(f"answers by chance: one query calls {row.single_query:.3f} of the attempts a success, the majority "
                        f"of repeats {row.success:.3f}; only the latter counts here, and an attacker who averages more "
                        f"queries may do better")
        if row.transfer is not None and row.mean and row.transfer < 0.5 * row.mean:
            said.append(f"texts made for the plain victim score {row.transfer:.3f} here, adaptive attacks {row.mean:.3f}: "
                        f"transfer alone would flatter the defence")
    return Row(**{**row.__dict__, "warnings": tuple(said)})


def _interval(cells: Sequence[Cell], cap: int, seed: int, resamples: int) -> tuple[float, float] | None:
    """Bounds of the mean over attacks and seeds, texts resampled together (the texts are the same in every cell)."""
    if not cells or len({len(c.bodega) for c in cells}) > 1 or len(cells[0].bodega) < 2:
        return None
    table = numpy.mean([numpy.where(c.queries <= cap, c.bodega, 0.0) for c in cells], axis=0)
    draws = numpy.random.default_rng(seed).integers(len(table), size=(resamples, len(table)))
    low, high = numpy.percentile(table[draws].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def _mean(values: Sequence[float | None]) -> Any:
    known = [value for value in values if value is not None]
    return float(numpy.mean(known)) if known else None
