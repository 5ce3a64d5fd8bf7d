"""What a defence buys: attacks against several victims of one domain, and what to be wary of. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy

from hardtext.core import InputError
from hardtext.scoring import paired
from hardtext.scoring.capped import within

CLEAN_LOSS = 0.01
"""A clean F1 lower than the plain victim's by more than this is named beside a gain."""
LEARNED = 0.02
"""A victim whose accuracy is not this much above that of always giving the most frequent answer has learned little."""
FLATTERY = 0.5
"""Transferred texts that score less than this share of what adaptive attacks score are named."""


@dataclass(frozen=True, eq=False)
class Cell:
    """One attack against one victim of one seed.

    ``texts``: which texts were attacked; equal strings mean the same text. Arrays over them, (texts,): ``bodega``, 0 where
    the attack failed; ``queries``; ``fooled``, whether the attack succeeded; ``right``, whether the victim was right before
    it (1 or 0; nan where it was never asked, there being nothing to attack).

    ``single_query``: the share of texts that one query would have called a success (a victim that answers by chance is
    asked several times, see ``attacks.engine``). ``transfer``: BODEGA of the plain victim's adversarial texts against this
    one, (texts,); None for the plain victim itself. ``errors``: attempts that ended in an error and are no texts here.
    """

    victim: str
    attack: str
    seed: int
    texts: tuple[str, ...]
    bodega: numpy.ndarray
    queries: numpy.ndarray
    right: numpy.ndarray
    fooled: numpy.ndarray
    single_query: float
    random: bool = False
    transfer: numpy.ndarray | None = None
    errors: int = 0

    def within(self, cap: int) -> float:
        return float(within(self.bodega, self.queries, (cap,))[0])

    @property
    def robust_accuracy(self) -> float | None:
        """The share of the texts asked about that the victim got right and the attack could not move."""
        asked = ~numpy.isnan(self.right)
        return float((self.right[asked].astype(bool) & ~self.fooled[asked]).mean()) if asked.any() else None

    def only(self, texts: set[str]) -> Cell:
        """The cell without the texts that are not among ``texts``."""
        kept = numpy.array([text in texts for text in self.texts], bool)
        if kept.all():
            return self
        return replace(self, texts=tuple(text for text in self.texts if text in texts), bodega=self.bodega[kept],
                       queries=self.queries[kept], right=self.right[kept], fooled=self.fooled[kept],
                       transfer=None if self.transfer is None else self.transfer[kept])


@dataclass(frozen=True)
class Trained:
    """One victim of one seed before any attack. ``clean`` and ``dev``: ``victims.metrics`` on the split that is attacked and
    on dev; ``positive``: the classes that F1 is about. ``seconds``: what the training took, None where unknown."""

    victim: str
    seed: int
    clean: Mapping[str, Any]
    dev: Mapping[str, Any]
    seconds: float | None
    positive: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class Row:
    """A victim over all attacks and seeds. ``mean``: mean BODEGA over attacks; ``ratio``: of the plain victim's; both with
    the larger cap, with 95 % bootstrap bounds over texts. ``by_attack``: mean over seeds. ``clean_interval``: bounds of
    accuracy (Wilson) and F1 (bootstrap), the mean of the seeds' bounds. ``cost``: training time × the plain victim's."""

    victim: str
    mean: float
    interval: tuple[float, float] | None
    ratio: float | None
    ratio_interval: tuple[float, float] | None
    capped: Mapping[int, float]
    by_attack: Mapping[str, float]
    robust_accuracy: float | None
    queries: float
    transfer: float | None
    single_query: float
    success: float
    random: bool
    clean: Mapping[str, float | None]
    clean_interval: Mapping[str, tuple[float, float] | None]
    dev: Mapping[str, float | None]
    cost: float | None
    warnings: tuple[str, ...] = ()


def rows(cells: Sequence[Cell], trained: Sequence[Trained], *, plain: str, caps: Sequence[int],
         seed: int = 0, resamples: int = 1000) -> list[Row]:
    """One row a victim, in the order in which they first stand in ``trained``; ``plain`` names the undefended one.

    All means give each attack, and within it each seed, the same weight. Every victim must have met the same attacks with
    the same seeds; texts that ended in an error anywhere are left out everywhere, so that all victims are judged on the same
    ones (``comparable``). Raises InputError where that is not so, or no text is left.
    """
    cells = comparable(cells)
    victims = list(dict.fromkeys(t.victim for t in trained))
    met = {victim: {(c.attack, c.seed) for c in cells if c.victim == victim} for victim in victims}
    if plain not in met:
        raise InputError(f"no victim {plain} to compare with: the victims are {', '.join(victims)}")
    for victim, done in met.items():
        if not done or done != met[plain]:
            raise InputError(f"{victim} and {plain} did not meet the same attacks with the same seeds: their means would not "
                             f"compare; run the matrix again with both")
    cap = max(caps)
    base = _means([c for c in cells if c.victim == plain], cap, seed, resamples)
    base_cost = mean(t.seconds for t in trained if t.victim == plain)
    base_f1 = mean(t.clean.get("f1") for t in trained if t.victim == plain)
    made = []
    for victim in victims:
        own, trainings = [c for c in cells if c.victim == victim], [t for t in trained if t.victim == victim]
        observed, resampled = _means(own, cap, seed, resamples)
        cost = mean(t.seconds for t in trainings)
        row = Row(
            victim, mean=observed, interval=_bounds(resampled),
            ratio=observed / base[0] if base[0] else None,
            ratio_interval=_bounds(_ratios(resampled, base[1])) if victim != plain else None,
            capped={each: mean(c.within(each) for c in own) for each in caps},
            by_attack={name: mean(c.within(cap) for c in own if c.attack == name)
                       for name in dict.fromkeys(c.attack for c in own)},
            robust_accuracy=mean(c.robust_accuracy for c in own), queries=mean(c.queries.mean() for c in own),
            transfer=mean(c.transfer.mean() for c in own if c.transfer is not None),
            single_query=mean(c.single_query for c in own), success=mean(c.fooled.mean() for c in own),
            random=any(c.random for c in own),
            clean={key: mean(t.clean.get(key) for t in trainings) for key in ("accuracy", "f1")},
            clean_interval=_clean_intervals(trainings, seed, resamples),
            dev={key: mean(t.dev.get(key) for t in trainings) for key in ("accuracy", "f1")},
            cost=cost / base_cost if cost is not None and base_cost else None)
        said = warnings(row, base_f1=base_f1, is_plain=victim == plain)
        made.append(replace(row, warnings=(*said, *_unlearned(trainings))))
    return made


def comparable(cells: Sequence[Cell]) -> list[Cell]:
    """The cells, each with those texts alone that all of them hold. Raises InputError where none is left."""
    shared = set.intersection(*(set(cell.texts) for cell in cells)) if cells else set()
    if not shared:
        worst = max(cells, key=lambda c: c.errors, default=None)
        where = f" ({worst.attack} against {worst.victim}: {worst.errors} errors)" if worst is not None else ""
        raise InputError(f"no text was attacked without an error in every cell{where}: nothing can be compared")
    kept = [cell.only(shared) for cell in cells]
    for cell in kept:
        if cell.texts != kept[0].texts:
            raise InputError(f"{cell.attack} against {cell.victim}, seed {cell.seed}: its texts stand in another order than "
                             f"those of {kept[0].attack} against {kept[0].victim}")
    return kept


def warnings(row: Row, *, base_f1: float | None, is_plain: bool) -> list[str]:
    """What a reader must know before believing the gain of ``row``."""
    said = []
    f1 = row.clean["f1"]
    # 1e-9: a loss of exactly a point is within it, whatever floats make of it
    if not is_plain and f1 is not None and base_f1 is not None and base_f1 - f1 > CLEAN_LOSS + 1e-9:
        said.append(f"clean F1 is {100 * (base_f1 - f1):.1f} points lower than without the defence: part of a gain may be a "
                    f"classifier that says less")
    if row.random:
        said.append(f"answers by chance: one query calls {row.single_query:.3f} of the attempts a success, the majority "
                    f"of repeats {row.success:.3f}; only the latter counts here, and an attacker who averages more "
                    f"queries may do better")
    if row.transfer is not None and row.mean and row.transfer < FLATTERY * row.mean:
        said.append(f"texts made for the plain victim score {row.transfer:.3f} here, adaptive attacks {row.mean:.3f}: "
                    f"transfer alone would flatter the defence")
    return said


def _unlearned(trainings: Sequence[Trained]) -> list[str]:
    """The seeds whose victim is hardly better than always giving one answer."""
    said = []
    for one in trainings:
        counts = [sum(row) for row in one.clean.get("confusion", ())]
        accuracy = one.clean.get("accuracy")
        if accuracy is not None and sum(counts) and accuracy <= max(counts) / sum(counts) + LEARNED:
            said.append(f"seed {one.seed} is hardly better than always giving one answer (accuracy {accuracy:.3f} against "
                        f"{max(counts) / sum(counts):.3f}): figures of attacks on it mean little")
    return said


def _means(cells: Sequence[Cell], cap: int, seed: int, resamples: int) -> tuple[float, numpy.ndarray]:
    """The mean over attacks and seeds, and what it is in resamples of the texts, (resamples,); none of a single text.

    Texts are drawn together for all cells, since they are the same in each; the draws depend on how many there are and on
    nothing else, so those of two victims are paired.
    """
    table = numpy.mean([numpy.where(cell.queries <= cap, cell.bodega, 0.0) for cell in cells], axis=0)
    if len(table) < 2:
        return float(table.mean()), numpy.zeros(0)
    return float(table.mean()), paired.resampled_means(table[:, None], seed=seed, resamples=resamples)[:, 0]


def _ratios(own: numpy.ndarray, base: numpy.ndarray) -> numpy.ndarray:
    """Without the resamples in which the plain victim was never fooled."""
    return own[base > 0] / base[base > 0]


def _bounds(resampled: numpy.ndarray) -> tuple[float, float] | None:
    return paired.bounds(resampled) if len(resampled) else None


def _clean_intervals(trainings: Sequence[Trained], seed: int, resamples: int) -> dict[str, tuple[float, float] | None]:
    """Bounds of accuracy and F1; over several seeds the means of their bounds, since they are right and wrong about the
    same texts and taking them for independent would make the bounds too narrow."""
    found = {"accuracy": [accuracy_interval(t.clean) for t in trainings],
             "f1": [f1_interval(t.clean, t.positive, seed=seed, resamples=resamples) for t in trainings]}
    return {key: tuple(map(float, numpy.mean(values, axis=0))) if all(values) else None for key, values in found.items()}


def accuracy_interval(metrics: Mapping[str, Any]) -> tuple[float, float] | None:
    """95 % Wilson bounds of the accuracy (Wilson 1927). ``metrics``: as ``victims.metrics`` gives them."""
    from scipy.stats import binomtest

    if not metrics.get("texts") or metrics.get("accuracy") is None:
        return None
    interval = binomtest(round(metrics["accuracy"] * metrics["texts"]), metrics["texts"]).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def f1_interval(metrics: Mapping[str, Any], positive: Sequence[int], *, seed: int = 0,
                resamples: int = 1000) -> tuple[float, float] | None:
    """95 % bootstrap bounds of F1 over texts; None where F1 is not defined or there is one text.

    F1 depends on how many texts are hits, false alarms, misses and neither, so resampling those four counts is resampling
    the texts. ``metrics``: as ``victims.metrics`` gives them; ``positive``: the classes F1 is about.
    """
    count, f1 = metrics.get("texts", 0), metrics.get("f1")
    if f1 is None or count < 2:
        return None
    if not f1:
        return 0.0, 0.0  # there is no hit to draw
    truth = sum(sum(metrics["confusion"][label]) for label in positive)
    hits = round(truth * metrics["recall"])
    called = round(2 * hits / f1 - truth)  # F1 = 2 hits / (called + truth)
    counts = numpy.array([hits, called - hits, truth - hits, count - called - truth + hits])
    drawn = numpy.random.default_rng(seed).multinomial(count, counts / count, size=resamples)
    whole = 2 * drawn[:, 0] + drawn[:, 1] + drawn[:, 2]
    return _bounds(2 * drawn[whole > 0, 0] / whole[whole > 0])


def mean(values: Any) -> Any:
    """The mean of the known ones; None where there is none."""
    known = [value for value in values if value is not None]
    return float(numpy.mean(known)) if known else None
