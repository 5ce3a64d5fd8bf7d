"""GATE Teamware 2: a project configuration and documents to import, and its JSON or CSV export read back.

Formats: the manager's guide, https://gatenlp.github.io/gate-teamware (project configuration; documents and annotations).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from hardtext.core import InputError
from hardtext.reporting.annotation import guidelines
from hardtext.reporting.annotation.answers import choice, identifier, shown, words
from hardtext.reporting.annotation.draw import Task
from hardtext.reporting.annotation.marked import marked, readable
from hardtext.scoring.agreement import CONFIDENCES, LABELS, Judged, Judgement

MEANING, CONFIDENCE = "meaning", "confidence"
ANNOTATIONS_PER_PAIR = 3
"""Two judge, a third settles: Teamware cannot ask the third only where the two differ, so three judge every pair."""
_SYSTEM, _STAND_IN = "system", "stand_in"


def project(name: str, preview: Mapping[str, Any]) -> dict[str, Any]:
    """What Teamware's button "Import project configuration" reads. ``preview``: a document to show the form with."""
    return {
        "name": name,
        "description": "Judge whether a changed text still means the same as the original.",
        "annotator_guideline": guidelines.html(),
        "configuration": [
            # three braces: the field is HTML, which escapes the texts itself
            {"name": "pair", "type": "html", "text": "{{{html}}}"},
            {"name": MEANING, "type": "radio", "orientation": "vertical", "title": guidelines.QUESTION,
             "options": [{"value": str(index), "label": label, "helptext": explained}
                         for index, (label, explained) in enumerate(zip(LABELS, guidelines.EXPLAINED, strict=True))],
             "valError": "Choose one of the three answers."},
            {"name": CONFIDENCE, "type": "radio", "title": guidelines.CONFIDENCE,
             "options": [{"value": str(number), "label": str(number)} for number in CONFIDENCES],
             "valError": "Say how sure you are."},
        ],
        "annotations_per_doc": ANNOTATIONS_PER_PAIR,
        "annotator_max_annotation": 1.0,
        "allow_document_reject": True,
        "annotation_timeout": 60,
        "document_input_preview": dict(preview),
        "document_id_field": "id",
    }


def documents(drawn: Sequence[Task]) -> list[dict[str, Any]]:
    """The documents to import. Annotators see ``html`` only; ``text`` is what Teamware's GATE export asks for."""
    return [{"id": task.id, "html": marked(task.original, task.adversarial), "text": readable(task.adversarial),
             "original": readable(task.original), "adversarial": readable(task.adversarial), _SYSTEM: task.system,
             _STAND_IN: task.stand_in}
            for task in drawn]


def judged_json(rows: Sequence[Mapping[str, Any]], where: str) -> list[Judged]:
    """The judgements in a JSON or JSON-lines export, raw or in GATE's format, whose extra fields lie in ``features``."""
    pairs = []
    for number, row in enumerate(rows, 1):
        place = f"{where}, document {number}"
        extra = row.get("features") if isinstance(row.get("features"), dict) else {}
        fields = {**extra, **row}
        sets = row.get("annotation_sets")
        if ("id" not in row and "name" not in row) or not isinstance(sets, dict):
            raise InputError(f"{place}: expected a document of task=annotate with an id and annotation_sets")
        given = [judgement for annotator, own in sets.items() if (judgement := _of_set(annotator, own, place))]
        pairs.append(Judged(identifier(row.get("id", row.get("name")), "id", place), tuple(given),
                            words(fields.get(_SYSTEM), _SYSTEM, place),
                            stand_in=words(fields.get(_STAND_IN), _STAND_IN, place)))
    return pairs


def _of_set(annotator: str, annotation_set: Any, place: str) -> Judgement | None:
    """The last of an annotator's annotations; None where there is none (yet)."""
    annotations = annotation_set.get("annotations") if isinstance(annotation_set, dict) else None
    if not isinstance(annotations, list):
        raise InputError(f"{place}: {shown(annotator)} has {shown(annotation_set)}; expected a set with annotations")
    if not annotations:
        return None
    features = annotations[-1].get("features") if isinstance(annotations[-1], dict) else None
    if isinstance(features, dict) and isinstance(features.get("label"), dict):
        features = features["label"]  # earlier versions put the answers one level deeper
    if not isinstance(features, dict):
        raise InputError(f"{place}: {shown(annotator)} answers {shown(annotations[-1])}; expected an annotation "
                         f"with features")
    return _judgement(annotator, features, place)


_COLUMN = re.compile(rf"annotations\.(?P<annotator>.+)\.(?P<field>{MEANING}|{CONFIDENCE})")  # a name may hold dots


def is_table(columns: Sequence[str]) -> bool:
    return any(_COLUMN.fullmatch(column) for column in columns)


def judged_table(rows: Sequence[Mapping[str, str]], where: str) -> list[Judged]:
    """The judgements in a CSV export: columns ``annotations.<annotator>.<question>``."""
    found = [match for column in rows[0] if (match := _COLUMN.fullmatch(column))]
    for match in found:
        if (column := f"annotations.{match['annotator']}.{MEANING}") not in rows[0]:
            raise InputError(f"{where}: there is a column {shown(match[0])} but none {shown(column)}; export it whole")
    pairs = []
    for number, row in enumerate(rows, 1):
        answers: dict[str, dict[str, str]] = defaultdict(dict)
        for match in found:
            if value := row[match[0]]:
                answers[match["annotator"]][match["field"]] = value
        place = f"{where}, row {number}"
        if not row.get("id"):
            raise InputError(f"{place}: expected a document of task=annotate with an id")
        pairs.append(Judged(identifier(row["id"], "id", place),
                            tuple(_judgement(name, given, place) for name, given in answers.items()),
                            row.get(_SYSTEM) or "", stand_in=row.get(_STAND_IN) or ""))
    return pairs


def _judgement(annotator: str, answers: Mapping[str, Any], place: str) -> Judgement:
    annotator = identifier(annotator, "an annotator's name", place)
    place = f"{place}, {annotator}"
    confidence = answers.get(CONFIDENCE)
    return Judgement(annotator, choice(answers.get(MEANING), range(len(LABELS)), MEANING, place),
                     None if confidence in (None, "") else choice(confidence, CONFIDENCES, CONFIDENCE, place))
