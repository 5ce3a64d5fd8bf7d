"""A plain CSV to fill in, with the columns of the published file of human judgements (and an id); read back the same."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence

from hardtext.core import InputError
from hardtext.reporting.annotation.draw import Task
from hardtext.reporting.annotation.marked import readable
from hardtext.scoring.agreement import Judged, Judgement

TEXTS = ("adversarial_samples", "original_samples")
_ANNOTATORS = (1, 2, 3)
_STANCE = re.compile(r"annotator(\d+)_stance")


def columns() -> list[str]:
    return ["id", *TEXTS, *(f"annotator{n}_{what}" for n in _ANNOTATORS for what in ("stance", "confidence"))]


def sheet(drawn: Sequence[Task]) -> str:
    """The pairs with empty columns for three annotators; which system made them is not in it."""
    return to_csv([{"id": task.id, TEXTS[0]: _cell(task.adversarial), TEXTS[1]: _cell(task.original)} for task in drawn],
                  columns())


def to_csv(rows: Sequence[Mapping[str, object]], fields: Sequence[str]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def _cell(text: str) -> str:
    """A text that a spreadsheet would run as a formula, with an apostrophe before it."""
    text = readable(text)
    return "'" + text if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def is_table(names: Sequence[str]) -> bool:
    return any(_STANCE.fullmatch(name) for name in names)


def judged(rows: Sequence[Mapping[str, str]], where: str) -> list[Judged]:
    """The judgements in columns ``annotatorN_stance`` and ``annotatorN_confidence``; an empty stance is none.

    ``agreed_labels``, ``system`` and ``id`` are read where they are there; a row without an id has its number.
    """
    numbers = sorted(int(found[1]) for name in rows[0] if (found := _STANCE.fullmatch(name)))
    pairs = []
    for number, row in enumerate(rows, 1):
        place = f"{where}, row {number}"
        given = []
        for n in numbers:
            if (stance := _number(row, f"annotator{n}_stance", place)) is None:
                continue
            try:
                given.append(Judgement(f"annotator{n}", stance, _number(row, f"annotator{n}_confidence", place)))
            except InputError as error:
                raise InputError(f"{place}, annotator{n}: {error}") from error
        agreed = _number(row, "agreed_labels", place)
        pairs.append(Judged(row.get("id") or str(number), tuple(given), row.get("system") or "", agreed,
                            row.get("stand_in") or ""))
    return pairs


def _number(row: Mapping[str, str], name: str, place: str) -> int | None:
    """A whole number, also written 2.0; None where the cell is empty or there is no such column."""
    cell = (row.get(name) or "").strip()
    if not cell:
        return None
    if not re.fullmatch(r"[0-9](\.0+)?", cell):
        raise InputError(f"{place}: {name} is {cell[:40]!r}, expected a whole number")
    return int(cell[0])
