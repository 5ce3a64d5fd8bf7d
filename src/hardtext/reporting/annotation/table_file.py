"""A plain CSV to fill in, with the columns of the published file of human judgements (and an id); read back the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hardtext import spreadsheet
from hardtext.core import InputError
from hardtext.reporting.annotation.answers import choice, identifier, shown
from hardtext.reporting.annotation.draw import Task
from hardtext.reporting.annotation.marked import readable
from hardtext.scoring.agreement import CONFIDENCES, LABELS, Judged, Judgement

TEXTS = ("adversarial_samples", "original_samples")
_ANNOTATORS = (1, 2, 3)
_STANCE, _CONFIDENCE, _AGREED = "stance", "confidence", "agreed_labels"
_COLUMN = re.compile(rf"annotator(?P<number>[1-9][0-9]*)_(?P<what>{_STANCE}|{_CONFIDENCE})")


def columns() -> list[str]:
    return ["id", *TEXTS, *(f"annotator{n}_{what}" for n in _ANNOTATORS for what in (_STANCE, _CONFIDENCE))]


def sheet(drawn: Sequence[Task]) -> str:
    """The pairs with empty columns for three annotators; which system made them is not in it."""
    rows = [{"id": task.id, TEXTS[0]: readable(task.adversarial), TEXTS[1]: readable(task.original)} for task in drawn]
    return spreadsheet.table(rows, columns())


def is_table(names: Sequence[str]) -> bool:
    return any(_is_annotators(name) for name in names)


def _is_annotators(name: str) -> bool:
    return name.strip().casefold().startswith("annotator")


def judged(rows: Sequence[Mapping[str, str]], where: str) -> list[Judged]:
    """The judgements in columns ``annotatorN_stance`` and ``annotatorN_confidence``; an empty stance is none, an empty
    confidence one that was not asked.

    ``agreed_labels``, ``system`` and ``id`` are read where they are there; in a file without ids the row's number is one.
    Raises InputError for columns that are missing or misnamed, and for a cell that is none of the answers.
    """
    numbers = _annotators(list(rows[0]), where)
    pairs = []
    for number, row in enumerate(rows, 1):
        place = f"{where}, row {number}"
        given = []
        for n in numbers:
            stance = _answer(row, f"annotator{n}_{_STANCE}", range(len(LABELS)), place)
            confidence = _answer(row, f"annotator{n}_{_CONFIDENCE}", CONFIDENCES, place)
            if stance is not None:
                given.append(Judgement(f"annotator{n}", stance, confidence))
            elif confidence is not None:
                raise InputError(f"{place}: annotator{n} says how sure ({confidence}) but not of what; "
                                 f"annotator{n}_{_STANCE} is empty")
        key = identifier(row["id"], "id", place) if "id" in row else str(number)
        pairs.append(Judged(key, tuple(given), row.get("system") or "",
                            _answer(row, _AGREED, range(len(LABELS)), place), row.get("stand_in") or ""))
    return pairs


def _annotators(names: Sequence[str], where: str) -> list[int]:
    """The numbers of the annotators, whose columns are all there, or none of whose confidences are."""
    found: dict[str, set[int]] = {_STANCE: set(), _CONFIDENCE: set()}
    for name in filter(_is_annotators, names):
        match = _COLUMN.fullmatch(name)
        if match is None:
            raise InputError(f"{where}: there is a column {shown(name)}; expected annotatorN_{_STANCE} or "
                             f"annotatorN_{_CONFIDENCE}, N being 1, 2, …")
        found[match["what"]].add(int(match["number"]))
    for what, other in ((_STANCE, _CONFIDENCE), (_CONFIDENCE, _STANCE)):
        if found[what] and (lost := sorted(found[other] - found[what])):
            raise InputError(f"{where}: there is a column annotator{lost[0]}_{other} but none annotator{lost[0]}_{what}")
    if not found[_STANCE]:
        raise InputError(f"{where}: there is no column annotator1_{_STANCE}")
    return sorted(found[_STANCE])


def _answer(row: Mapping[str, str], name: str, allowed: Sequence[int], place: str) -> int | None:
    """One of ``allowed``, also written 2.0 as by a spreadsheet; None where the cell is empty or there is no such column."""
    cell = (row.get(name) or "").strip()
    return choice(re.sub(r"\.0+$", "", cell), allowed, name, place) if cell else None
