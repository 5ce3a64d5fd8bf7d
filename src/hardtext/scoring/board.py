"""The leaderboard: claims to cells (domain × victim × system), averages, ranks and paired tests. Pure.

A published scenario is one of the shared task's 5 domains × 3 victims. Averages are over scenarios, each counting the
same. Two cells share an average only where their marks are equal, so that a stand-in is never averaged with the real
thing; a rank among the published rows takes all scenarios and no mark.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy

from hardtext.scoring import bodega, capped, paired
from hardtext.scoring.claims import Claim
from hardtext.scoring.published import DOMAINS, METHODS, VICTIMS, published_rows
from hardtext.seeding import derive

Scenario = tuple[str, str]
"""(domain, victim) as the shared task calls them: ("PR", "BiLSTM")."""

PUBLISHED_VICTIMS = tuple(dict.fromkeys(VICTIMS.values()))
SCENARIOS: tuple[Scenario, ...] = tuple((domain, victim) for victim in PUBLISHED_VICTIMS for domain in DOMAINS.values())


@dataclass(frozen=True, eq=False)
class Cell:
    """One system in one scenario, over all its seeds.

    ``values`` is the BODEGA score of each text, its mean over the seeds that attacked it: float, (texts,), in the order
    of ``texts``. ``bodega`` is their mean and ``bounds`` its 95 % interval; ``confusion`` and the queries are over all
    attempts, ``semantic`` and ``character`` over successes (None where there is none). ``within`` holds, for each cap,
    the BODEGA score of what succeeded in so many queries.
    """

    domain: str
    victim: str
    system: str
    attack: str
    marks: tuple[str, ...]
    seeds: tuple[int, ...]
    sources: tuple[str, ...]
    instances: int
    successes: int
    errors: int
    broken_pairs: int
    bodega: float
    bounds: tuple[float, float] | None
    confusion: float
    semantic: float | None
    character: float | None
    queries: float
    queries_median: float
    queries_p95: float
    within: dict[int, float]
    texts: tuple[str, ...]
    values: numpy.ndarray
    means: numpy.ndarray  # of ``values``, resampled: (resamples,)

    @property
    def scenario(self) -> Scenario | None:
        """The published scenario this is; None for any other domain or victim."""
        domain, victim = DOMAINS.get(self.domain.lower()), VICTIMS.get(self.victim.lower())
        return (domain, victim) if domain and victim else None


@dataclass(frozen=True)
class Average:
    """A row of a table: one method or system over scenarios.

    ``cells`` maps each scenario it has to its BODEGA score. ``complete``: all scenarios asked for and no mark, so that
    ``rank`` is among the published rows; otherwise it is among our rows with the same scenarios.
    ``follows``: the published method that a system of ours follows, and ``published`` that method's mean over the same
    scenarios.
    """

    method: str
    ours: bool
    marks: tuple[str, ...]
    cells: dict[Scenario, float]
    bodega: float
    bounds: tuple[float, float] | None
    complete: bool
    rank: int = 0
    follows: str = ""
    published: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Two systems in one scenario on the texts both attacked: mean BODEGA of ``first`` less that of ``second``.

    ``p_holm`` is ``p`` corrected for all comparisons of the scenario.
    """

    domain: str
    victim: str
    first: str
    first_marks: tuple[str, ...]
    second: str
    second_marks: tuple[str, ...]
    texts: int
    difference: float
    bounds: tuple[float, float]
    p: float
    p_holm: float


@dataclass(frozen=True)
class Board:
    """``tables`` holds the averages over the domains for each published victim, ``overall`` those over everything."""

    cells: tuple[Cell, ...]
    tables: dict[str, tuple[Average, ...]]
    overall: tuple[Average, ...]
    comparisons: tuple[Comparison, ...]


def build(claims: Iterable[Claim], *, seed: int = 0, resamples: int = paired.RESAMPLES) -> Board:
    """The leaderboard of these claims; the published rows are always on it. Deterministic."""
    groups: dict[tuple, list[Claim]] = defaultdict(list)
    for claim in claims:
        groups[claim.domain, claim.victim, claim.system, claim.marks].append(claim)
    cells = [_cell(sorted(group, key=lambda claim: (claim.seed, claim.source)), seed, resamples)
             for group in groups.values()]
    cells.sort(key=lambda cell: (cell.domain, cell.victim, -cell.bodega, cell.system, cell.marks))
    tables = {victim: averages(cells, [s for s in SCENARIOS if s[1] == victim]) for victim in PUBLISHED_VICTIMS}
    return Board(tuple(cells), tables, averages(cells, SCENARIOS), compare(cells, seed=seed, resamples=resamples))


def _cell(claims: Sequence[Claim], seed: int, resamples: int) -> Cell:
    first = claims[0]
    by_text: dict[str, list[float]] = defaultdict(list)
    for claim in claims:
        for text, value in zip(claim.texts, claim.bodega.tolist(), strict=True):
            by_text[text].append(value)
    texts = tuple(sorted(by_text))
    values = numpy.array([sum(by_text[text]) / len(by_text[text]) for text in texts])
    means = paired.resampled_means(values[:, None], seed=_seed(seed, first.domain), resamples=resamples)[:, 0]
    success, semantic, character, queries, scores = (
        numpy.concatenate([getattr(claim, name) for claim in claims])
        for name in ("success", "semantic", "character", "queries", "bodega"))
    median, p95 = numpy.percentile(queries, [50, 95])
    return Cell(
        domain=first.domain, victim=first.victim, system=first.system, attack=first.attack, marks=first.marks,
        seeds=tuple(claim.seed for claim in claims), sources=tuple(claim.source for claim in claims),
        instances=len(success), successes=int(success.sum()), errors=sum(claim.errors for claim in claims),
        broken_pairs=sum(claim.broken_pairs for claim in claims), bodega=float(values.mean()),
        bounds=paired.bounds(means) if len(values) > 1 else None, confusion=float(success.mean()),
        semantic=bodega.mean(semantic), character=bodega.mean(character), queries=float(queries.mean()),
        queries_median=float(median), queries_p95=float(p95),
        within={cap: float(value) for cap, value in zip(capped.CAPS, capped.within(scores, queries), strict=True)},
        texts=texts, values=values, means=means)


def _seed(seed: int, domain: str) -> int:
    return derive(seed, "leaderboard", domain)  # by domain: its victims are attacked with the same texts


def averages(cells: Sequence[Cell], scenarios: Sequence[Scenario]) -> tuple[Average, ...]:
    """Published methods and our systems over these scenarios: those ranked together, then ours that lack something,
    by the scenarios they have. The best mean first in each."""
    published = _published(scenarios)
    rows = [Average(method, False, (), values, _mean(values.values()), None, complete=True)
            for method, values in published.items()]
    systems: dict[tuple, list[Cell]] = defaultdict(list)
    times: Counter[tuple] = Counter()
    for cell in cells:
        if cell.scenario in scenarios:
            # of two victims that answer to one published name ("bert", "BERT") each gets a row of its own
            copy = times[cell.system, cell.marks, cell.scenario]
            times[cell.system, cell.marks, cell.scenario] += 1
            systems[cell.system, cell.marks, copy].append(cell)
    for (system, marks, _), group in systems.items():
        group.sort(key=lambda cell: scenarios.index(cell.scenario))
        values = {cell.scenario: cell.bodega for cell in group}
        follows = METHODS.get(group[0].attack, "")
        beside = published.get(follows, {})
        rows.append(Average(
            system, True, marks, values, _mean(values.values()),
            paired.bounds(sum(cell.means for cell in group) / len(group)) if all(c.bounds for c in group) else None,
            complete=len(values) == len(scenarios) and not marks, follows=follows,
            published=_mean(beside[s] for s in values) if all(s in beside for s in values) else None))
    return _ranked(rows, scenarios)


def _published(scenarios: Sequence[Scenario]) -> dict[str, dict[Scenario, float]]:
    result: dict[str, dict[Scenario, float]] = defaultdict(dict)
    cells = {(row.domain, row.victim, row.method): row.bodega for name in DOMAINS for row in published_rows(name)}
    for method in dict.fromkeys(method for _, _, method in cells):
        result[method] = {scenario: cells[*scenario, method] for scenario in scenarios}
    return result


def _ranked(rows: Iterable[Average], scenarios: Sequence[Scenario]) -> tuple[Average, ...]:
    groups: dict[tuple, list[Average]] = defaultdict(list)
    for row in rows:
        groups[() if row.complete else tuple(scenarios.index(s) for s in row.cells)].append(row)
    result = []
    for key in sorted(groups, key=lambda key: (key != (), -len(key), key)):
        group = sorted(groups[key], key=lambda row: (-row.bodega, row.method, row.marks))
        result += [replace(row, rank=rank) for rank, row in enumerate(group, 1)]
    return tuple(result)


def _mean(values: Iterable[float]) -> float:
    return float(numpy.mean(list(values)))


def compare(cells: Sequence[Cell], *, seed: int, resamples: int) -> tuple[Comparison, ...]:
    """Every two systems of each scenario, the better one of the ordered cells first; by scenario, then in that order.

    Two systems are compared on the texts both attacked; none are with fewer than two such texts.
    """
    scenarios: Mapping[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        scenarios[cell.domain, cell.victim].append(cell)
    result = []
    for (domain, victim), group in scenarios.items():
        tests = []
        for first, second in combinations(group, 2):
            difference, means, texts = _difference(first, second, _seed(seed, domain), resamples)
            if texts > 1:
                tests.append((first, second, texts, difference, paired.bounds(means),
                              paired.p_value(difference, means)))
        for (first, second, texts, difference, bounds, p), corrected in zip(
                tests, paired.holm([test[-1] for test in tests]), strict=True):
            result.append(Comparison(domain, victim, first.system, first.marks, second.system, second.marks, texts,
                                     difference, bounds, p, corrected))
    return tuple(result)


def _difference(first: Cell, second: Cell, seed: int, resamples: int) -> tuple[float, numpy.ndarray, int]:
    """The mean difference over the texts of both cells, the same resampled, and the number of those texts."""
    if first.texts == second.texts:
        return float((first.values - second.values).mean()), first.means - second.means, len(first.texts)
    ours, theirs = (dict(zip(cell.texts, cell.values.tolist())) for cell in (first, second))
    common = sorted(ours.keys() & theirs.keys())
    if len(common) < 2:
        return 0.0, numpy.zeros(1), len(common)
    gaps = numpy.array([ours[text] - theirs[text] for text in common])
    return float(gaps.mean()), paired.resampled_means(gaps[:, None], seed=seed, resamples=resamples)[:, 0], len(common)
