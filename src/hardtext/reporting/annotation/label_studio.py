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
    for index, (label, words) in enumerate(zip(LABELS, guidelines.EXPLAINED, strict=True)):
        ElementTree.SubElement(choices, "Choice", value=label, hint=words, hotkey="qwe"[index])
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
    """The judgements in a JSON export (``exportType=JSON``). Cancelled annotations are left out; of several by one
    annotator for one task the last counts. Raises InputError for an annotation that is not one of our config."""
    pairs = []
    repeated = 0
    for number, row in enumerate(rows, 1):
        place = f"{where}, task {number}"
        data = row.get("data")
        annotations = row.get("annotations")
        if not isinstance(data, dict) or "id" not in data or not _dicts(annotations):
            raise InputError(f"{place}: expected a task of task=annotate with data.id and a list of annotations; "
                             f"export the project as JSON")
        given: dict[str, Judgement] = {}
        for annotation in sorted(annotations, key=_when):
            if annotation.get("was_cancelled") or not annotation.get("result"):
                continue
            judgement = _judgement(annotation, place)
            repeated += given.pop(judgement.annotator, None) is not None
            given[judgement.annotator] = judgement
        meta = data | row["meta"] if isinstance(row.get("meta"), dict) else data
        pairs.append(Judged(str(data["id"]), tuple(given.values()), str(meta.get("system") or ""),
                            stand_in=str(meta.get("stand_in") or "")))
    if repeated:
        log.warning("%s: %d times one annotator judged a pair again; the last judgement counts", where, repeated)
    return pairs


def _dicts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, dict) for part in value)


def _when(annotation: Mapping[str, Any]) -> tuple[str, int]:
    return str(annotation.get("created_at", "")), int(annotation.get("id") or 0)


def _judgement(annotation: Mapping[str, Any], place: str) -> Judgement:
    result = annotation["result"] if _dicts(annotation["result"]) else []
    values = {part.get("from_name"): part["value"] for part in result if isinstance(part.get("value"), dict)}
    chosen = values.get(MEANING, {}).get("choices")
    if not isinstance(chosen, list) or len(chosen) != 1 or chosen[0] not in LABELS:
        raise InputError(f"{place}: an annotation answers {chosen!r:.80}; expected one of {', '.join(LABELS)} under "
                         f"the name {MEANING!r}")
    annotator = annotation.get("completed_by")
    if isinstance(annotator, dict):
        annotator = annotator.get("email") or annotator.get("id")
    try:
        return Judgement(str(annotator), LABELS.index(chosen[0]), values.get(CONFIDENCE, {}).get("rating"))
    except InputError as error:
        raise InputError(f"{place}: {error}") from error
