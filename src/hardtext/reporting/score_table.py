"""The scores of one run as a table for the terminal and as Markdown, the published rows of its domain below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hardtext.scoring.published import METHODS, SOURCE, VICTIMS, PublishedRow
from hardtext.scoring.scores import Scores

COLUMNS = {"bodega": "BODEGA", "bodega_gated": "gated", "confusion": "confusion", "semantic": "semantic",
           "character": "character", "queries": "queries"}
OURS = ("bodega_gated",)
"""Columns that nobody has published."""
_MISSING = "–"


@dataclass(frozen=True)
class _Line:
    """A row: ``cells`` are (value, bounds or '') in the order of ``COLUMNS``; none of them under a heading."""

    system: str
    cells: tuple[tuple[str, str], ...] = ()


def score_table(scores: Scores, published: Sequence[PublishedRow] = (), domain_stand_in: str = "") -> Table:
    """The scores with their 95 % bounds, the published rows below, and what limits the comparison as caption.

    ``published``: what ``scoring.rows_beside`` gives. ``domain_stand_in``: the ``stand_in`` of the run's ``Domain``.
    """
    table = Table(title=Text(_title(scores, domain_stand_in)), title_justify="left", caption_justify="left",
                  box=box.HORIZONTALS, padding=(0, 1, 0, 0),
                  caption=Text("\n".join(_notes(scores, published, domain_stand_in))))
    table.add_column("", overflow="fold")
    for heading in COLUMNS.values():
        table.add_column(heading, justify="right")
    for line in _lines(scores, published):
        if not line.cells:
            table.add_section()
        table.add_row(Text(line.system, style="" if line.cells else "italic"),
                      *(Text(f"{value}\n{bounds}" if bounds else value) for value, bounds in line.cells))
    return table


def score_markdown(scores: Scores, published: Sequence[PublishedRow] = (), domain_stand_in: str = "") -> str:
    """``score_table`` as a Markdown table with its notes as a list."""
    lines = [f"### {_title(scores, domain_stand_in)}", "",
             "| | " + " | ".join(COLUMNS.values()) + " |",
             "|---|" + "---:|" * len(COLUMNS)]
    for line in _lines(scores, published):
        cells = [f"{value} ({bounds})" if bounds else value for value, bounds in line.cells]
        system = _escape(line.system)
        lines.append(f"| {system if cells else f'*{system}*'} | " + " | ".join(cells or [""] * len(COLUMNS)) + " |")
    lines += ["", *(f"- {_escape(note)}" for note in _notes(scores, published, domain_stand_in))]
    return "\n".join(lines) + "\n"


def print_scores(scores: Scores, published: Sequence[PublishedRow] = (), domain_stand_in: str = "") -> None:
    """Print ``score_table`` on standard output."""
    Console().print(score_table(scores, published, domain_stand_in))


def _title(scores: Scores, domain_stand_in: str) -> str:
    domain = scores.domain + (f" ({domain_stand_in})" if domain_stand_in else "")
    return f"{scores.attack} against {scores.victim} on {domain}"


def _lines(scores: Scores, published: Sequence[PublishedRow]) -> list[_Line]:
    scorer = "" if scores.semantic_scorer in ("bleurt", "none") else f"; semantic: {scores.semantic_scorer}, not BLEURT"
    lines = [_Line(f"{scores.attack} (this run{scorer})",
                   tuple((_number(getattr(scores, name), name), _range(scores.interval.get(name), name))
                         for name in COLUMNS))]
    victim, method = VICTIMS.get(scores.victim.lower()), METHODS.get(scores.attack)
    for other in dict.fromkeys(row.victim for row in published):
        lines.append(_Line(f"published, {'victim' if other == victim else 'other victim:'} {other}"))
        lines += [_Line(row.method + (" (same method)" if row.method == method else ""),
                        tuple((_MISSING if name in OURS else _number(getattr(row, name), name, digits=2), "")
                              for name in COLUMNS))
                  for row in published if row.victim == other]
    return lines


def _notes(scores: Scores, published: Sequence[PublishedRow], domain_stand_in: str) -> list[str]:
    drawn = f"95 % bootstrap over instances, {scores.resamples} resamples, seed {scores.seed}"
    notes = [f"{scores.instances} instances, {scores.successes} successes; ranges: {drawn}"]
    if scores.errors:
        notes.append(f"{scores.errors} attempts ended in an error and are left out of every figure")
    if scores.broken_pairs:
        notes.append(f"{scores.broken_pairs} successes changed the separator of the pair: no fair successes")
    if domain_stand_in:
        notes.append(f"stand-in domain: {domain_stand_in}")
    notes += [f"stand-in: {words}" for words in scores.stand_ins]
    if scores.semantic_scorer == "none":
        notes.append("no semantic scorer, so no semantic and no BODEGA score")
    else:
        notes.append(f"semantic scorer {scores.semantic_scorer}, sentences by '{scores.segmenter}'")
    if scores.bodega_gated is not None:
        notes.append(_gate_note(scores))
    if published:
        notes.append("published: the organisers' own victims and attack set, BLEURT-20, two decimals")
        notes.append(f"source: {SOURCE}")
    else:
        notes.append(f"nothing is published for domain {scores.domain}")
    return notes


def _gate_note(scores: Scores) -> str:
    kept = ""
    if scores.preserved is not None:
        bounds = _range(scores.interval.get("preserved"), "preserved")
        kept = f", {_number(scores.preserved, 'preserved')}{f' ({bounds})' if bounds else ''} on average over successes"
    return (f"gated: BODEGA × preserved, the probability that a person says the meaning is kept{kept}; "
            f"{scores.preserved_limits}")


def _number(value: float | None, name: str, digits: int = 3) -> str:
    if value is None:
        return _MISSING
    return f"{value:.1f}" if name == "queries" else f"{value:.{digits}f}"


def _range(bounds: Sequence[float] | None, name: str) -> str:
    if bounds is None:
        return ""
    return "–".join(f"{bound:.0f}" if name == "queries" else f"{bound:.2f}" for bound in bounds)


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")
