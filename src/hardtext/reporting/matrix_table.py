"""The robustness matrix as tables and files: ``matrix.json``, ``matrix.md``, ``matrix.csv``, ``matrix.tex``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from hardtext import records, spreadsheet
from hardtext.reporting import leaderboard_formats as formats
from hardtext.reporting.leaderboard_sheets import MISSING, Line, Sheet
from hardtext.scoring.robustness import Cell, Row

_FIGURES = ("mean", "ratio", "robust_accuracy", "queries", "transfer", "single_query", "success", "cost")


@dataclass(frozen=True)
class About:
    """What the matrix is of. ``asked``: texts attacked, of ``whole`` in the split. ``marks``: what stands in for something
    else, in words. ``chosen``: the matrix on dev, which the hardened preset is to be chosen by; None where there is none."""

    domain: str
    stand_in: str
    model: str
    split: str
    asked: int
    whole: int
    attacks: tuple[str, ...]
    seeds: tuple[int, ...]
    caps: tuple[int, ...]
    semantic: str
    marks: tuple[str, ...]
    chosen: Mapping[str, Any] | None = None

    @property
    def title(self) -> str:
        stand_in = f" ({self.stand_in})" if self.stand_in else ""
        return f"{self.model} on {self.domain}{stand_in}, {self.split} split, {self.asked} texts"

    @property
    def cap(self) -> int:
        return max(self.caps)


def sheets(about: About, rows: Sequence[Row], cells: Sequence[Cell] = ()) -> list[Sheet]:
    """What attacks achieve, with how much work, what the defences cost on clean text, and each attack by itself."""
    return [_attacked(about, rows, cells), _success(about, rows), _clean(about, rows), _by_attack(about, rows)]


def _attacked(about: About, rows: Sequence[Row], cells: Sequence[Cell]) -> Sheet:
    lower = [cap for cap in sorted(about.caps) if cap != about.cap]
    lines = [Line((row.victim, _number(row.mean), _interval(row.interval), _number(row.ratio, 2),
                   _interval(row.ratio_interval), *(_number(row.capped[cap]) for cap in lower), _number(row.transfer)))
             for row in rows]
    seeds = f"{len(about.seeds)} seed{'s' * (len(about.seeds) > 1)} ({', '.join(map(str, about.seeds))})"
    notes = [f"mean BODEGA over {', '.join(about.attacks)}, {seeds}, at most {about.cap} queries a text; lower is better for "
             f"the defender, as is × plain; 95 %: bootstrap over texts",
             "adaptive: every attack sees the defended victim, its clean-up and its coarse answers included; transfer: "
             "BODEGA here of the texts made for the plain victim"]
    if lower:
        notes.append("≤ N: only successes that took at most N queries count; an attack told of N could do better")
    if about.asked < about.whole:
        notes.append(f"the first {about.asked} of {about.whole} texts of the split only")
    if about.split != "attack":
        notes.append(f"{about.split} split: to choose by, not to report")
    compared = min((len(cell.texts) for cell in cells), default=0)
    if errors := sum(cell.errors for cell in cells):
        notes.append(f"{errors} attempts ended in an error; their texts are left out of every victim's figures "
                     f"(the smallest cell holds {compared})")
    if about.chosen is not None:
        notes.append(f"the matrix on dev, to choose by: {about.chosen['file']} (repeated in matrix.json)")
    notes += [f"{row.victim}: {words}" for row in rows for words in row.warnings]
    return Sheet(f"Robustness of {about.title}",
                 ("victim", f"≤ {about.cap}", "95 %", "× plain", "95 %", *(f"≤ {cap}" for cap in lower), "transfer"),
                 tuple(lines), (*notes, *_marked(about)))


def _success(about: About, rows: Sequence[Row]) -> Sheet:
    lines = [Line((row.victim, _number(row.success), _number(row.single_query) if row.random else "",
                   _number(row.robust_accuracy), _number(row.queries, 1))) for row in rows]
    return Sheet(f"Success and queries: {about.title}", ("victim", "success", "one query", "robust acc.", "queries"),
                 tuple(lines),
                 ("means over attacks and seeds; one query: of a victim that answers by chance, what a single query would "
                  "have called a success, where success needs a majority of repeats",
                  "robust acc.: right before the attack and not moved by it; queries: a text", *_marked(about)))


def _clean(about: About, rows: Sequence[Row]) -> Sheet:
    lines = [Line((row.victim, _number(row.clean["accuracy"]), _interval(row.clean_interval["accuracy"]),
                   _number(row.clean["f1"]), _interval(row.clean_interval["f1"]), _number(row.dev["accuracy"]),
                   _number(row.dev["f1"]), _number(row.cost, 1))) for row in rows]
    notes = (f"accuracy and F1: all {about.whole} texts of the {about.split} split, unattacked; 95 %: Wilson for accuracy, "
             f"bootstrap over texts for F1, the mean of the seeds' bounds",
             "cost: wall time of the training (of an idle machine, or it says little), the attacks on the training set "
             "included, × that of the plain victim; a phase that was killed and resumed counts from its resumption")
    return Sheet(f"Clean text and cost: {about.title}",
                 ("victim", "accuracy", "95 %", "F1", "95 %", "dev acc.", "dev F1", "cost"), tuple(lines),
                 (*notes, *_marked(about)))


def _by_attack(about: About, rows: Sequence[Row]) -> Sheet:
    lines = [Line((row.victim, *(_number(row.by_attack.get(name)) for name in about.attacks))) for row in rows]
    return Sheet(f"BODEGA of each attack: {about.title}", ("victim", *about.attacks), tuple(lines),
                 (f"mean over seeds, at most {about.cap} queries a text", *_marked(about)))


def _marked(about: About) -> list[str]:
    return [f"stand-in: {words}" for words in about.marks]


def write(folder: Path, about: About, rows: Sequence[Row], cells: Sequence[Cell], settings: Mapping[str, Any]) -> None:
    """The four files. ``settings``: those of the run; ``settings["victims"]`` those each victim was made with, by row."""
    tables = sheets(about, rows, cells)
    made_with = settings.get("victims", {})
    records.write_json(folder / "matrix.json", {
        "about": {key: value for key, value in asdict(about).items() if key != "chosen"},
        "rows": [_row_json(row) | {"made_with": made_with.get(row.victim)} for row in rows],
        "cells": [cell_row(cell, about.caps) for cell in cells], "chosen_by": about.chosen, "settings": dict(settings)})
    records.write_text(folder / "matrix.md", formats.markdown(tables))
    records.write_text(folder / "matrix.tex", formats.latex(tables))
    records.write_text(folder / "matrix.csv", to_csv(about, rows, cells))


def show(about: About, rows: Sequence[Row], cells: Sequence[Cell] = ()) -> None:
    console = Console()
    for sheet in sheets(about, rows, cells):
        console.print(formats.rich_table(sheet), "")


def _row_json(row: Row) -> dict[str, Any]:
    return asdict(row) | {"capped": {str(cap): value for cap, value in row.capped.items()}}


def cell_row(cell: Cell, caps: Sequence[int]) -> dict[str, Any]:
    """A cell without its arrays: JSON-ready."""
    return {"victim": cell.victim, "attack": cell.attack, "seed": cell.seed, "texts": len(cell.texts), "errors": cell.errors,
            "success": float(cell.fooled.mean()), "robust_accuracy": cell.robust_accuracy,
            "queries": float(cell.queries.mean()), "single_query": cell.single_query, "random": cell.random,
            "transfer": None if cell.transfer is None else float(cell.transfer.mean()),
            **{f"bodega_{cap}": cell.within(cap) for cap in caps}}


def to_csv(about: About, rows: Sequence[Row], cells: Sequence[Cell]) -> str:
    """One line a victim over all attacks (``attack`` is empty there), then one a cell; empty where there is no number."""
    of = {"domain": about.domain, "stand_ins": "; ".join(about.marks), "model": about.model, "split": about.split}
    lines = [of | {"victim": row.victim, "attack": "", "seed": " ".join(map(str, about.seeds)), "texts": about.asked,
                   **{f"bodega_{cap}": value for cap, value in row.capped.items()},
                   **{key: getattr(row, key) for key in _FIGURES},
                   **_bounds("mean", row.interval), **_bounds("ratio", row.ratio_interval),
                   **{f"clean_{key}": value for key, value in row.clean.items()},
                   **_bounds("clean_accuracy", row.clean_interval["accuracy"]),
                   **_bounds("clean_f1", row.clean_interval["f1"]),
                   **{f"dev_{key}": value for key, value in row.dev.items()}, "random": row.random,
                   "warnings": "; ".join(row.warnings)} for row in rows]
    lines += [of | cell_row(cell, about.caps) for cell in cells]
    return spreadsheet.table(lines)


def _bounds(name: str, bounds: tuple[float, float] | None) -> dict[str, float]:
    return {} if bounds is None else {f"{name}_low": bounds[0], f"{name}_high": bounds[1]}


def _number(value: float | None, digits: int = 3) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"


def _interval(bounds: Sequence[float] | None) -> str:
    return "" if bounds is None else f"{bounds[0]:.2f}–{bounds[1]:.2f}"
