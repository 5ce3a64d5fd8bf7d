"""Label Studio: a labelling config and tasks to import, and its JSON export read back.

Formats: https://labelstud.io/guide/tasks (basic Label Studio JSON) and https://labelstud.io/guide/export (JSON).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from hardtext.core import InputError
from hardtext.reporting.annotation import guidelines
from hardtext.reporting.annotation.answers import choice, identifier, shown, words
from hardtext.reporting.annotation.draw import Task
from hardtext.reporting.annotation.marked import marked, readable
from hardtext.scoring.agreement import CONFIDENCES, LABELS, Judged, Judgement

log = logging.getLogger(__name__)

PAIR, MEANING, CONFIDENCE = "pair", "meaning", "confidence"
"""Names of the controls, which stand in every annotation."""


def config() -> str:
    """The labelling config: the marked pair, one of the three answers, and one to five stars."""
    view = ElementTree.Element("View")
    ElementTree.SubElement(view, "HyperText", name=PAIR, value="$html", valueType="text")
    ElementTree.SubElement(view, "Header", value=guidelines.QUESTION)
    choices = ElementTree.SubElement(view, "Choices", name=MEANING, toName=PAIR, choice="single-radio",
                                     required="true", requiredMessage="Choose one of the three answers.")
    for index, (label, hint) in enumerate(zip(LABELS, guidelines.EXPLAINED, strict=True)):
        ElementTree.SubElement(choices, "Choice", value=label, hint=hint, hotkey="qwe"[index])
    ElementTree.SubElement(view, "Header", value=guidelines.CONFIDENCE)
    ElementTree.SubElement(view, "Rating", name=CONFIDENCE, toName=PAIR, maxRating=str(len(CONFIDENCES)),
                           required="true", requiredMessage="Say how sure you are.")
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def tasks(drawn: Sequence[Task]) -> list[dict[str, Any]]:
    """The tasks to import. The system stands in ``meta``, which Label Studio keeps and exports but shows no annotator;
    every annotator can open a table of what stands in ``data``."""
    return [{"data": {"id": task.id, "html": marked(task.original, task.adversarial),
                      "original": readable(task.original), "adversarial": readable(task.adversarial)},
             "meta": {"system": task.system, "stand_in": task.stand_in}} for task in drawn]


def judged(rows: Sequence[Mapping[str, Any]], where: str) -> list[Judged]:
    """The judgements in a JSON export (``exportType=JSON``). Cancelled annotations and those without an answer are left
    out; of several by one annotator for one task the last counts. Raises InputError for what is none of our config."""
    pairs = []
    repeated = unanswered = 0
    for number, row in enumerate(rows, 1):
        place = f"{where}, task {number}"
        data = row.get("data")
        annotations = row.get("annotations")
        if not isinstance(data, dict) or "id" not in data or not _dicts(annotations):
            raise InputError(f"{place}: expected a task of task=annotate with data.id and a list of annotations; "
                             f"export the project as JSON")
        given: dict[str, Judgement] = {}
        for annotation in sorted(annotations, key=_when):
            if _is_cancelled(annotation, place):
                continue
            if annotation.get("result") in (None, []):
                unanswered += 1
                continue
            judgement = _judgement(annotation, place)
            repeated += given.pop(judgement.annotator, None) is not None
            given[judgement.annotator] = judgement
        system, stand_in = (_of_meta(row, data, name, place) for name in ("system", "stand_in"))
        pairs.append(Judged(identifier(data["id"], "data.id", place), tuple(given.values()), system, stand_in=stand_in))
    if repeated:
        log.warning("%s: %d times one annotator judged a pair again; the last judgement counts", where, repeated)
    if unanswered:
        log.warning("%s: %d annotations hold no answer and are left out", where, unanswered)
    return pairs


def _dicts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, dict) for part in value)


def _when(annotation: Mapping[str, Any]) -> tuple[str, int]:
    """What annotations are ordered by; those that do not say it come first, in the order of the file."""
    created, key = annotation.get("created_at"), annotation.get("id")
    return created if isinstance(created, str) else "", key if isinstance(key, int) else 0


def _is_cancelled(annotation: Mapping[str, Any], place: str) -> bool:
    cancelled = annotation.get("was_cancelled") or False
    if not isinstance(cancelled, bool):
        raise InputError(f"{place}: was_cancelled is {shown(cancelled)}; expected true or false")
    return cancelled


def _of_meta(row: Mapping[str, Any], data: Mapping[str, Any], name: str, place: str) -> str:
    """What task=annotate put into ``meta``; in ``data`` where somebody moved it there."""
    meta = row.get("meta")
    if not isinstance(meta, dict | None):
        raise InputError(f"{place}: meta is {shown(meta)}; expected what task=annotate put there")
    return words((meta or {}).get(name, data.get(name)), name, place)


def _judgement(annotation: Mapping[str, Any], place: str) -> Judgement:
    values = _values(annotation["result"], place)
    chosen = values.get(MEANING, {}).get("choices")
    if not isinstance(chosen, list) or len(chosen) != 1 or chosen[0] not in LABELS:
        raise InputError(f"{place}: an annotation answers {shown(chosen)}; expected one of {', '.join(LABELS)} under "
                         f"the name {MEANING!r}")
    annotator = annotation.get("completed_by")
    if isinstance(annotator, dict):
        annotator = annotator.get("email") or annotator.get("id")
    rating = values.get(CONFIDENCE)
    return Judgement(identifier(annotator, "completed_by", place), LABELS.index(chosen[0]),
                     None if rating is None else choice(rating.get("rating"), CONFIDENCES, CONFIDENCE, place))


def _values(result: Any, place: str) -> dict[str, dict[str, Any]]:
    """What was answered to each question."""
    if not _dicts(result):
        raise InputError(f"{place}: an annotation's result is {shown(result)}; expected a list of answers")
    values: dict[str, dict[str, Any]] = {}
    for part in result:
        name, value = part.get("from_name"), part.get("value")
        if name not in (MEANING, CONFIDENCE):
            continue
        if name in values or not isinstance(value, dict):
            raise InputError(f"{place}: {name!r} is answered by {shown(value)}; expected one answer with a value")
        values[name] = value
    return values
