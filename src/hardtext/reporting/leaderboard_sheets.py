"""The leaderboard as sheets of words, whatever they are shown with (terminal, Markdown, LaTeX)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hardtext.scoring.board import SCENARIOS, Average, Board, Cell, Comparison, Scenario
from hardtext.scoring.capped import CAPS
from hardtext.scoring.paired import RESAMPLES
from hardtext.scoring.published import DOMAINS, SOURCE

MISSING = "–"
_FIRST_CAP = 4  # its column


@dataclass(frozen=True)
class Line:
    """A row; with ``heading`` it is a heading over the rows that follow. ``best``: the columns to emphasise."""

    cells: tuple[str, ...] = ()
    best: frozenset[int] = frozenset()
    heading: str = ""


@dataclass(frozen=True)
class Sheet:
    """A table: the first ``words`` columns hold words, the others numbers."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    words: int = 1


@dataclass
class Marks:
    """A letter for each thing that stands in for another, in the order in which they are met."""

    letters: dict[str, str] = field(default_factory=dict)

    def of(self, marks: Sequence[str]) -> str:
        """What follows a number or a name with these marks: '' or ' (a, b)'."""
        return f" ({', '.join(self._letter(words) for words in marks)})" if marks else ""

    def _letter(self, words: str) -> str:
        count = len(self.letters)
        return self.letters.setdefault(words, (chr(ord("a") + count % 26)) * (1 + count // 26))

def sheets(board: Board, left_out: Sequence[str] = ()) -> list[Sheet]:
    """Tables 4–7 with ours beside the published rows, every cell of ours, and the paired tests."""
    marks = Marks()
    tables = [_victim_sheet(number, victim, rows, marks) for number, (victim, rows) in enumerate(board.tables.items(), 4)]
    tables.append(_overall_sheet(board.overall, marks))
    if board.cells:
        tables += [_scores_sheet(board.cells, marks, left_out), _queries_sheet(board.cells, marks)]
    if board.comparisons:
        tables.append(_comparisons_sheet(board, marks))
    return tables


def _victim_sheet(number: int, victim: str, rows: Sequence[Average], marks: Marks) -> Sheet:
    scenarios = [scenario for scenario in SCENARIOS if scenario[1] == victim]
    lines = []
    for previous, row in zip([None, *rows], rows):
        lines += _heading(previous, row, len(scenarios), " ".join(domain for domain, _ in row.cells))
        digits = 3 if row.ours else 2
        values = (_number(row.cells.get(scenario), digits) for scenario in scenarios)
        lines.append(Line((str(row.rank), _name(row, marks), *values, _number(row.bodega), _interval(row.bounds),
                           _number(row.published) if row.ours else "")))
    return Sheet(f"Table {number}. BODEGA against {victim}",
                 ("#", "method", *DOMAINS.values(), "mean", "95 %", "publ."), tuple(lines),
                 _average_notes(rows, marks), words=2)


def _overall_sheet(rows: Sequence[Average], marks: Marks) -> Sheet:
    lines = []
    for previous, row in zip([None, *rows], rows):
        lines += _heading(previous, row, len(SCENARIOS), _scenarios(row.cells))
        lines.append(Line((str(row.rank), _name(row, marks), _number(row.bodega, 4), _interval(row.bounds),
                           f"{len(row.cells)} of {len(SCENARIOS)}", _number(row.published, 4) if row.ours else "")))
    notes = ["published means are computed from the published cells, which are rounded to two decimals"]
    return Sheet(f"Table 7. BODEGA averaged over all {len(SCENARIOS)} scenarios",
                 ("#", "method", "mean", "95 %", "mean of", "publ."), tuple(lines),
                 (*notes, *_average_notes(rows, marks)), words=2)


def _heading(previous: Average | None, row: Average, total: int, scenarios: str) -> list[Line]:
    """A heading where another group of rows begins: what the means that follow are of."""
    if row.complete or (previous and not previous.complete and previous.cells.keys() == row.cells.keys()):
        return []
    return [Line(heading=f"ours, mean of {len(row.cells)} of {total}: {scenarios}")]


def _scenarios(scenarios: Iterable[Scenario]) -> str:
    domains: dict[str, list[str]] = {}
    for domain, victim in scenarios:
        domains.setdefault(victim, []).append(domain)
    return "; ".join(f"{victim} on {' '.join(names)}" for victim, names in domains.items())


def _average_notes(rows: Sequence[Average], marks: Marks) -> tuple[str, ...]:
    notes = ["published rows: the organisers' own victims and attack sets, BLEURT-20", f"source: {SOURCE}"]
    if any(row.ours for row in rows):
        notes.append("publ.: the published method that ours follows, mean over the same scenarios")
    if follows := {row.method.partition(" [")[0]: row.follows for row in rows if row.follows}:
        notes.append("; ".join(f"{attack} follows {method}" for attack, method in sorted(follows.items())))
    if any(not row.complete for row in rows):
        notes.append("what lacks a scenario or has a mark is ranked among the rows under its heading only")
    return (*notes, *_mark_notes((row.marks for row in rows), marks))


def _mark_notes(used: Iterable[Sequence[str]], marks: Marks) -> list[str]:
    """The notes of those marks that a sheet uses."""
    words = {word for group in used for word in group}
    return [f"({letter}) {word}" for word, letter in marks.letters.items() if word in words]


def _name(row: Average, marks: Marks) -> str:
    return row.method + (" (ours)" if row.ours and row.complete else "") + marks.of(row.marks)


def _scores_sheet(cells: Sequence[Cell], marks: Marks, left_out: Sequence[str]) -> Sheet:
    lines = []
    for domain, victim, group in _by_scenario(cells):
        lines.append(Line(heading=f"{victim} on {domain}"))
        lines += [Line((cell.system + marks.of(cell.marks), str(cell.instances), _number(cell.bodega),
                        _interval(cell.bounds), _number(cell.confusion), _number(cell.semantic),
                        _number(cell.character))) for cell in group]
    notes = [f"95 %: bootstrap over texts, {RESAMPLES:,} resamples that the systems of a domain share; task=score draws its "
             f"own, so that its bounds differ in the last digit"]
    for cell in cells:
        which = f"{cell.victim} on {cell.domain}, {cell.system}"
        if cell.errors:
            notes.append(f"{which}: {cell.errors} attempts ended in an error and are left out")
        if cell.broken_pairs:
            notes.append(f"{which}: {cell.broken_pairs} successes changed the separator of the pair: no fair successes")
        if len(cell.seeds) > 1:
            notes.append(f"{which}: seeds {', '.join(map(str, cell.seeds))}")
    notes += [f"left out: {words}" for words in left_out]
    return Sheet("Our runs", ("system", "n", "BODEGA", "95 %", "conf.", "sem.", "char."), tuple(lines),
                 (*notes, *_mark_notes((cell.marks for cell in cells), marks)))


def _queries_sheet(cells: Sequence[Cell], marks: Marks) -> Sheet:
    lines = []
    for domain, victim, group in _by_scenario(cells):
        lines.append(Line(heading=f"{victim} on {domain}"))
        most = [max(cell.within[cap] for cell in group) for cap in CAPS]
        for cell in group:
            within = [cell.within[cap] for cap in CAPS]
            best = frozenset(_FIRST_CAP + i for i in range(len(CAPS)) if within[i] == most[i] > 0)
            lines.append(Line((cell.system + marks.of(cell.marks), f"{cell.queries:.1f}", _count(cell.queries_median),
                               _count(cell.queries_p95), *map(_number, within)), best))
    return Sheet("Queries a text, and BODEGA within a number of them",
                 ("system", "mean", "median", "95th pct.", *(f"≤ {cap}" for cap in CAPS)), tuple(lines),
                 ("≤ N: only successes that took at most N queries count, the best of its scenario in bold; an attack "
                  "told of the cap beforehand could do better", *_mark_notes((cell.marks for cell in cells), marks)))


def _comparisons_sheet(board: Board, marks: Marks) -> Sheet:
    """Of each scenario the best system against every other; the files hold all pairs."""
    lines = []
    for domain, victim, group in _by_scenario(board.cells):
        leader = group[0]
        against = [c for c in board.comparisons if (c.domain, c.victim, c.first, c.first_marks)
                   == (domain, victim, leader.system, leader.marks)]
        if against:
            lines.append(Line(heading=f"{victim} on {domain}: {leader.system}{marks.of(leader.marks)} against"))
        lines += [Line((c.second + marks.of(c.second_marks), str(c.texts), f"{c.difference:+.3f}",
                        f"{c.bounds[0]:+.2f} to {c.bounds[1]:+.2f}", _p(c.p), _p(c.p_holm))) for c in against]
    return Sheet("The best of each scenario against the others, on the same texts",
                 ("system", "n", "difference", "95 %", "p", "p (Holm)"), tuple(lines),
                 ("difference in mean BODEGA; paired bootstrap over the texts that both attacked, two-sided; Holm's "
                  "correction over all pairs of a scenario; all pairs stand in comparisons.csv",
                  "95 % is each difference by itself, p (Holm) all pairs of the scenario together: so an interval may "
                  "leave out 0 where p (Holm) is above 0.05",
                  *_mark_notes((c.first_marks + c.second_marks for c in board.comparisons), marks)))


def _by_scenario(cells: Sequence[Cell]) -> list[tuple[str, str, list[Cell]]]:
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.domain, cell.victim), []).append(cell)
    return [(domain, victim, group) for (domain, victim), group in groups.items()]


def _number(value: float | None, digits: int = 3) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"


def _count(value: float) -> str:
    """A percentile of counts, which may lie between two of them: 12, 12.5."""
    return f"{value:.0f}" if value == round(value) else f"{value:.1f}"


def _interval(bounds: Sequence[float] | None) -> str:
    return "" if bounds is None else f"{bounds[0]:.2f}–{bounds[1]:.2f}"


def _p(value: float) -> str:
    return f"{value:.4f}" if value >= 0.001 else "< 0.001"


def rows_of(comparisons: Sequence[Comparison]) -> list[dict[str, object]]:
    """Comparisons as flat rows, for CSV and JSON."""
    return [{"domain": c.domain, "victim": c.victim, "first": c.first, "first_marks": "; ".join(c.first_marks),
             "second": c.second, "second_marks": "; ".join(c.second_marks), "texts": c.texts,
             "difference": c.difference, "low": c.bounds[0], "high": c.bounds[1], "p": c.p, "p_holm": c.p_holm}
            for c in comparisons]
