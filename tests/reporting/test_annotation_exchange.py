"""Tasks out and judgements back in, in the formats of Label Studio, GATE Teamware 2 and a plain CSV."""

from __future__ import annotations

import copy
import csv
import io
import json
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest

from hardtext.core import InputError
from hardtext.reporting.annotation import FORMATS, in_the_way, read_judged, task_files, write_tasks
from hardtext.reporting.annotation.draw import Task
from hardtext.reporting.annotation.exchange import WRITTEN, key
from hardtext.scoring.agreement import LABELS, rank

HOSTILE = ("<script>alert(1)</script>", "</html>\"'&amp;&#0;]]>", "{{html}} $html", "שלום \u202eabc",
           "👨‍👩‍👧 cafe\u0301 ~ x",
           "one\ntwo\r\nthree\u2028\u0085four\tfive,;\"", "=HYPERLINK(1)", "@user +1 -1", "\ud800\x00")
TASKS = [Task(id=f"{n:016x}", original=text, adversarial=text + " chаnged", system="SINAI" if n % 2 else "bae",
              domain="pr", victim="bert", attempt=str(n), stand_in="masked LM: tiny" if n % 2 else "")
         for n, text in enumerate(HOSTILE)]
HEAD = "id,annotator1_stance,annotator1_confidence\n"
VOTES = {task.id: {"first": (n % 3, 1 + n % 5), "se.cond@example.org": (0, 5)} for n, task in enumerate(TASKS)}
"""What two annotators say of each task; one is named by an address, as in Teamware."""


def compare(pairs):
    """The pairs that were read hold what the annotators said, of the right systems."""
    assert {pair.id: {j.annotator: (j.label, j.confidence) for j in pair.judgements} for pair in pairs} == VOTES
    assert {pair.id: pair.system for pair in pairs} == {task.id: task.system for task in TASKS}
    assert [(share.system, share.stand_in) for share in rank(pairs)] == [("bae", ""), ("SINAI", "masked LM: tiny")]


def read(folder: Path, name: str):
    return json.loads((folder / name).read_text(encoding="utf-8"))


# Label Studio


def label_studio_export(tasks) -> list[dict]:
    """What exportType=JSON makes of imported tasks after our annotators' work, a cancelled and a repeated one included."""
    def annotation(key, annotator, label, confidence, **more):
        result = [{"from_name": "meaning", "to_name": "pair", "type": "choices", "value": {"choices": [LABELS[label]]}},
                  {"from_name": "confidence", "to_name": "pair", "type": "rating", "value": {"rating": confidence}}]
        return {"id": key, "completed_by": annotator, "result": result, "was_cancelled": False,
                "created_at": f"2026-01-01T00:00:{key:02}Z"} | more

    rows = []
    for number, task in enumerate(tasks):
        votes = VOTES[task["data"]["id"]]
        annotations = [annotation(n, {"id": n, "email": name}, *vote) for n, (name, vote) in enumerate(votes.items(), 10)]
        annotations.append(annotation(1, {"id": 10, "email": "first"}, 2, 1))  # judged again later
        annotations.append(annotation(30, {"id": 11, "email": "se.cond@example.org"}, 2, 1, was_cancelled=True))
        rows.append(task | {"id": number, "annotations": annotations, "predictions": []})
    return rows


def test_label_studio_round_trip(tmp_path):
    write_tasks(tmp_path, task_files(TASKS, "label_studio"))
    (tmp_path / "export.json").write_text(json.dumps(label_studio_export(read(tmp_path, "tasks.json"))))
    compare(read_judged(tmp_path / "export.json"))


def test_the_labelling_config_names_what_the_tasks_hold(tmp_path):
    write_tasks(tmp_path, task_files(TASKS, "label_studio"))
    root = ElementTree.parse(tmp_path / "labeling_config.xml").getroot()
    assert [choice.get("value") for choice in root.iter("Choice")] == list(LABELS)
    assert root.find("Rating").get("maxRating") == "5"
    assert root.find("HyperText").get("value") == "$html"
    names = {element.get("name") for element in root if element.get("name")}
    assert {element.get("toName") for element in root if element.get("toName")} <= names
    for task in read(tmp_path, "tasks.json"):
        assert set(task) == {"data", "meta"} and set(task["data"]) == {"id", "html", "original", "adversarial"}
        assert "<script" not in task["data"]["html"] and "\x00" not in json.dumps(task, ensure_ascii=False)


@pytest.mark.parametrize("form", FORMATS)
def test_what_an_annotator_sees_does_not_name_the_system(tmp_path, form):
    write_tasks(tmp_path, task_files(TASKS, form))
    seen = {"label_studio": lambda: [task["data"] for task in read(tmp_path, "tasks.json")],
            "teamware": lambda: [document["html"] for document in read(tmp_path, "documents.json")],
            "csv": lambda: (tmp_path / "tasks.csv").read_text(encoding="utf-8")}[form]()
    config = {"label_studio": "labeling_config.xml", "teamware": "project.json", "csv": "guidelines.html"}[form]
    text = json.dumps(seen) + (tmp_path / config).read_text(encoding="utf-8")
    assert "SINAI" not in text and "bert" not in text


# GATE Teamware 2: its raw and GATE exports, its CSV, and the nesting of an earlier version


def teamware_export(documents, *, gate=False, nested=False) -> list[dict]:
    rows = []
    for document in documents:
        sets = {}
        for name, (label, confidence) in VOTES[document["id"]].items():
            features = {"meaning": str(label), "confidence": str(confidence)}
            sets[name] = {"name": name, "annotations": [{"type": "Document", "start": 0, "end": 0, "id": 0,
                          "features": {"label": features} if nested else features}], "next_annid": 1}
        status = {"rejected_by": ["third"], "timed_out": [], "aborted": []}
        extra = {key: value for key, value in document.items() if key not in ("id", "text")} | {"teamware_status": status}
        if gate:
            rows.append({"name": document["id"], "text": document["text"], "features": extra, "offset_type": "p",
                         "annotation_sets": sets})
        else:
            rows.append(document | {"annotation_sets": sets, "teamware_status": status})
    return rows


@pytest.mark.parametrize("options", [{}, {"gate": True}, {"nested": True}, {"gate": True, "nested": True}])
@pytest.mark.parametrize("suffix", ["json", "jsonl", "zip"])
def test_teamware_round_trip(tmp_path, options, suffix):
    write_tasks(tmp_path, task_files(TASKS, "teamware"))
    rows = teamware_export(read(tmp_path, "documents.json"), **options)
    file = tmp_path / f"export.{suffix}"
    if suffix == "zip":
        with ZipFile(file, "w") as archive:  # as Teamware exports: some documents a file
            archive.writestr("project-1-all-0000.json", json.dumps(rows[:5]))
            archive.writestr("project-1-all-0001.json", json.dumps(rows[5:]))
    else:
        file.write_text(json.dumps(rows) if suffix == "json" else "".join(json.dumps(row) + "\n" for row in rows))
    compare(read_judged(file))


def test_teamware_csv_round_trip(tmp_path):
    write_tasks(tmp_path, task_files(TASKS, "teamware"))
    rows = [document | {f"annotations.{name}.{key}": value for name, vote in VOTES[document["id"]].items()
                        for key, value in zip(("meaning", "confidence", "duration_seconds"), (*vote, 3.5))}
            for document in read(tmp_path, "documents.json")]
    with open(tmp_path / "export.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    compare(read_judged(tmp_path / "export.csv"))


def test_the_teamware_project_has_the_fields_of_an_import_and_asks_what_is_read(tmp_path):
    write_tasks(tmp_path, task_files(TASKS, "teamware"))
    project = read(tmp_path, "project.json")
    assert set(project) == {"name", "description", "annotator_guideline", "configuration", "annotations_per_doc",
                            "annotator_max_annotation", "allow_document_reject", "annotation_timeout",
                            "document_input_preview", "document_id_field"}
    display, meaning, confidence = project["configuration"]
    assert display["type"] == "html" and display["text"] == "{{{html}}}"
    assert [option["label"] for option in meaning["options"]] == list(LABELS)
    assert [option["value"] for option in meaning["options"]] == ["0", "1", "2"]
    assert [option["value"] for option in confidence["options"]] == ["1", "2", "3", "4", "5"]
    for document in read(tmp_path, "documents.json"):
        assert {project["document_id_field"], "html", "text", "system"} <= set(document)


# CSV


def test_csv_round_trip(tmp_path):
    write_tasks(tmp_path, task_files(TASKS, "csv"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "tasks.csv").read_bytes().decode(), newline="")))
    assert not any(row["original_samples"].startswith(("=", "+", "-", "@")) for row in rows), "a spreadsheet runs these"
    assert [row["original_samples"].removeprefix("'") for row in rows][:8] == [*HOSTILE[:8]]
    for row in rows:
        for n, vote in enumerate(VOTES[row["id"]].values(), 1):
            row[f"annotator{n}_stance"], row[f"annotator{n}_confidence"] = map(str, vote)
    with open(tmp_path / "filled.csv", "w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    pairs = read_judged(tmp_path / "filled.csv")
    assert [[(j.label, j.confidence) for j in pair.judgements] for pair in pairs] == \
        [list(VOTES[pair.id].values()) for pair in pairs]
    made = {pair.id: (pair.system, pair.stand_in) for pair in pairs}
    assert made == {task.id: (task.system, task.stand_in) for task in TASKS}, "from key.csv beside it"


def test_the_columns_of_the_published_file_are_understood(tmp_path):
    (tmp_path / "public.csv").write_text(
        "adversarial_samples,original_samples,annotator1_stance,annotator1_confidence,annotator2_stance,"
        "annotator2_confidence,annotator3_stance,annotator3_confidence,agreed_labels\n"
        '"a, b",c,0.0,5.0,0.0,4.0,,,0.0\nd,e,1.0,5.0,2.0,4.0,2.0,1.0,2.0\n')
    first, second = read_judged(tmp_path / "public.csv")
    assert (first.id, first.agreed, first.system, len(first.judgements)) == ("1", 0, "", 2)
    assert [(j.annotator, j.label, j.confidence) for j in second.judgements] == [
        ("annotator1", 1, 5), ("annotator2", 2, 4), ("annotator3", 2, 1)]


def test_a_table_separated_by_semicolons_or_tabs_is_read_too(tmp_path):
    for separator in ";", "\t":
        (tmp_path / "a.csv").write_text(f"{HEAD}7,2,1\n".replace(",", separator))
        (pair,) = read_judged(tmp_path / "a.csv")
        assert (pair.id, pair.judgements[0].label, pair.judgements[0].confidence) == ("7", 2, 1)


def write_filled(folder: Path, answers: dict[str, str]) -> Path:
    file = folder / "filled.csv"
    file.write_text(HEAD + "".join(f"{key},{stance},3\n" for key, stance in answers.items()))
    return file


def test_a_key_of_another_draw_is_refused(tmp_path):
    file = write_filled(tmp_path, {TASKS[0].id: "0", TASKS[1].id: "1"})
    (tmp_path / "key.csv").write_text(key(TASKS[:3]))
    assert [pair.system for pair in read_judged(file)] == ["bae", "SINAI"], "pairs that nobody judged may be missing"
    for content, words in ((key(TASKS[1:]), f"1 of the 2 pairs are not in it .the first: {TASKS[0].id}"),
                           (key(TASKS[3:]), "2 of the 2 pairs are not in it"),
                           ("id,team\n1,SINAI\n", "expected the key of task=annotate .*its columns are id, team"),
                           ("", "its columns are missing"), (key(TASKS)[:-8] + '"', "key.csv: not a CSV file")):
        (tmp_path / "key.csv").write_text(content)
        with pytest.raises(InputError, match=words):
            read_judged(file)
    (tmp_path / "key.csv").unlink()
    assert [pair.system for pair in read_judged(file)] == ["", ""]


def test_what_lies_in_the_folder_is_told_and_another_tools_files_go_with_overwrite(tmp_path):
    write_tasks(tmp_path, task_files(TASKS, "label_studio"))
    sheet = task_files(TASKS[:4], "csv")
    assert in_the_way(tmp_path, task_files(TASKS, "label_studio")) == in_the_way(tmp_path, task_files(TASKS, "csv")) == []
    assert in_the_way(tmp_path, sheet) == ["key.csv"]
    (tmp_path / "export.json").write_text("ours")
    write_tasks(tmp_path, sheet, overwrite=True)
    assert {file.name for file in tmp_path.iterdir()} == {*sheet, "export.json"}
    (tmp_path / "tasks.csv").write_text(sheet["tasks.csv"].replace(",,", ",0,", 1))
    assert in_the_way(tmp_path, sheet) == ["tasks.csv"], "an annotator has begun"


@pytest.mark.parametrize("form", FORMATS)
def test_every_file_is_known_by_name(form):
    assert set(task_files(TASKS, form)) <= set(WRITTEN)


# Whatever a file holds: judgements, or one line about it

ODD = (None, True, -1, 1.7, float("nan"), float("inf"), 10**30, "", "abc", "true", "1.0", " 1", "\u0661", "\ud800", "a\nb",
       [], [[]], {}, {"id": []})


def paths(value, here=()):
    """Every place in a JSON value."""
    yield from [here] if here else []
    if isinstance(value, (dict, list)):
        for name in value if isinstance(value, dict) else range(len(value)):
            yield from paths(value[name], (*here, name))


def changed(value, path, odd):
    """A copy with one place changed; taken away where ``odd`` is Ellipsis."""
    value = copy.deepcopy(value)
    inside = value
    for name in path[:-1]:
        inside = inside[name]
    if odd is ...:
        del inside[path[-1]]
    else:
        inside[path[-1]] = odd
    return value


def read_or_refuse(file: Path, text: str) -> bool:
    """Whether the file was read; if not, one line says why. What was read can be counted and shown."""
    file.write_text(text, encoding="utf-8")
    try:
        pairs = read_judged(file)
    except InputError as error:
        assert str(error).isprintable() or "\n" not in str(error)
        str(error).encode("utf-8")
        return False
    json.dumps([asdict(pair) for pair in pairs], ensure_ascii=False, allow_nan=False).encode("utf-8")
    return True


@pytest.mark.parametrize("tool", ["label_studio", "teamware", "teamware gate", "teamware nested"])
def test_one_odd_value_anywhere_in_an_export_is_read_or_refused(tmp_path, tool):
    form, _, option = tool.partition(" ")
    made = json.loads(next(iter(task_files(TASKS[:1], form).values())))
    options = {option: True} if option else {}
    export = label_studio_export(made) if form == "label_studio" else teamware_export(made, **options)
    (tmp_path / "key.csv").write_text(key(TASKS))
    outcomes = [read_or_refuse(tmp_path / "export.json", json.dumps(changed(export, path, odd)))
                for path in paths(export) for odd in (..., *ODD)]
    assert any(outcomes) and not all(outcomes)


@pytest.mark.parametrize("form", ["csv", "teamware"])
def test_one_odd_cell_or_column_of_a_table_is_read_or_refused(tmp_path, form):
    head = ("id,annotator1_stance,annotator1_confidence,annotator2_stance,annotator2_confidence,agreed_labels,system"
            if form == "csv" else "id,annotations.a.meaning,annotations.a.confidence,annotations.b.meaning,"
            "annotations.b.confidence,system,stand_in").split(",")
    rows = [head, ["1", "0", "5", "1", "4", "0", "bae"], ["2", "0", "5", "0", "", "0", "bae"]]
    cells = [str(odd) for odd in ODD if odd != "\ud800"]
    outcomes = []
    for path in paths(rows):
        for odd in (..., *(cells if len(path) == 2 else ())):
            buffer = io.StringIO()
            csv.writer(buffer).writerows(changed(rows, path, odd))
            outcomes.append(read_or_refuse(tmp_path / "export.csv", buffer.getvalue()))
    assert any(outcomes) and not all(outcomes)


def label_studio_task(*annotations) -> str:
    return json.dumps([{"data": {"id": "1"}, "annotations": [{"id": n, "completed_by": n, "result": [
        {"from_name": "meaning", "value": {"choices": [LABELS[0]]}}]} | more for n, more in enumerate(annotations)]}])


def test_cancelled_unanswered_and_repeated_annotations_are_left_out_and_counted(tmp_path, caplog):
    (tmp_path / "a.json").write_text(label_studio_task(
        {}, {"was_cancelled": True, "result": 7}, {"result": []}, {"result": None}, {"id": "abc", "completed_by": 0}))
    (pair,) = read_judged(tmp_path / "a.json")
    assert [judgement.annotator for judgement in pair.judgements] == ["0"]
    assert "2 annotations hold no answer" in caplog.text and "1 times one annotator judged a pair again" in caplog.text


# What is refused, in one line each



def teamware_document(features: str) -> str:
    return '[{"id": 1, "annotation_sets": {"x": {"annotations": [{"features": ' + features + "}]}}}]"


RESULT = {"from_name": "meaning", "value": {"choices": ["maybe"]}}


@pytest.mark.parametrize(("name", "content", "words"), [
    ("a.csv", HEAD + "1,3,1\n", "row 1: annotator1_stance is '3'; expected 0, 1 or 2"),
    ("a.csv", HEAD + "1,0,9\n", "row 1: annotator1_confidence is '9'; expected 1, 2, 3, 4 or 5"),
    ("a.csv", HEAD + "1,yes,1\n", "row 1: annotator1_stance is 'yes'"),
    ("a.csv", HEAD + "1,0.5,1\n", "row 1: annotator1_stance is '0.5'"),
    ("a.csv", HEAD + "1,0,true\n", "annotator1_confidence is 'true'"),
    ("a.csv", HEAD + "1,\u0661,1\n", "annotator1_stance is '\u0661'"),
    ("a.csv", HEAD + "1,,4\n", "row 1: annotator1 says how sure .4. but not of what"),
    ("a.csv", HEAD + ",0,4\n", "row 1: id is ''"),
    ("a.csv", HEAD.replace("stance", "label") + "1,0,1\n", "a column 'annotator1_label'; expected annotatorN_stance"),
    ("a.csv", HEAD.replace("annotator1_c", "Annotator 1 c") + "1,0,1\n", "there is a column 'Annotator 1 confidence'"),
    ("a.csv", HEAD.replace("1_stance", "01_stance") + "1,0,1\n", "there is a column 'annotator01_stance'"),
    ("a.csv", HEAD.replace("annotator1_stance,", "") + "1,1\n", "there is no column annotator1_stance"),
    ("a.csv", "id,annotator1_stance,annotator2_stance,annotator2_confidence\n1,0,1,1\n",
     "a column annotator1_stance but none annotator1_confidence"),
    ("a.csv", "id,annotator1_stance,annotator1_stance\n1,0,1\n", "two columns 'annotator1_stance'"),
    ("a.csv", HEAD.replace("\n", ",agreed_labels\n") + "1,0,1,7\n", "row 1: agreed_labels is '7'; expected 0, 1 or 2"),
    ("a.csv", HEAD.replace(",", ";") + "1;0\n", "expected 3 cells separated by ';'"),
    ("a.csv", "id,annotations.a.confidence\n1,5\n", "'annotations.a.confidence' but none 'annotations.a.meaning'"),
    ("a.csv", "id,annotations.a.meaning\n1,1.7\n", "row 1, a: meaning is '1.7'; expected 0, 1 or 2"),
    ("a.json", teamware_document('{"meaning": Infinity}'), "meaning is inf"),
    ("a.json", teamware_document('{"meaning": true}'), "meaning is True"),
    ("a.json", teamware_document('{"meaning": 1.7}'), "meaning is 1.7"),
    ("a.json", '[{"id": 1, "annotation_sets": {"x": 7}}]', "document 1: 'x' has 7; expected a set"),
    ("a.json", '[{"id": 1, "annotation_sets": {}}, 7]', "entry 2: is 7; expected a task or document"),
    ("a.json", label_studio_task({"was_cancelled": "no"}), "task 1: was_cancelled is 'no'"),
    ("a.json", label_studio_task({"completed_by": None}), "task 1: completed_by is None"),
    ("a.json", label_studio_task({"result": [RESULT, RESULT]}), "task 1: 'meaning' is answered by"),
    ("a.json", label_studio_task({"result": "x"}), "task 1: an annotation's result is 'x'"),
    ("a.csv", HEAD + "1,0\n", "row 1: expected 3 cells"),
    ("a.csv", HEAD + "1,0,1,1\n", "row 1: expected 3 cells"),
    ("a.csv", HEAD + "1,,\n", "holds no judgement"),
    ("a.csv", HEAD + "1,0,1\n1,0,1\n", "stands there twice"),
    ("a.csv", HEAD, "expected a JSON export"),
    ("a.csv", "", "expected a JSON export"),
    ("a.csv", "a,b\n1,2\n", "its columns are a, b"),
    ("a.csv", HEAD + '1,0,"', "not a CSV file"),
    ("a.csv", b"\xff\x00", "not UTF-8 text .byte 0.; save it as UTF-8"),
    ("a.csv", b"\xff\xfe\x00", "UTF-16 text"),
    ("a.json", "{", "not JSON"),
    ("a.json", "{}", "expected a JSON export"),
    ("a.json", '[{"data": {}, "annotations": []}]', "task 1: expected a task of task=annotate"),
    ("a.json", json.dumps([{"data": {"id": "1"}, "annotations": [{"completed_by": 1, "result": [RESULT]}]}]),
     "task 1: an annotation answers \\['maybe'\\]"),
    ("a.json", teamware_document('{"meaning": "no"}'),
     "document 1, x: meaning is 'no'; expected 0, 1 or 2"),
    ("a.json", '[{"id": 1, "annotation_sets": {}}]', "holds no judgement"),
    ("a.json", '[{"id": 1, "annotation_sets": {"x": {"annotations": [7]}}}]', "document 1: 'x' answers 7; expected"),
    ("a.json", '[{"data": {"id": 1}, "annotations": [7]}]', "task 1: expected a task"),
    ("a.json", '[{"data": {"id": 1}, "annotations": [{"result": [{"value": "x"}]}]}]', "an annotation answers None"),
    ("a.zip", "no zip", "not a zip file"),
    ("a.txt", "x", "expected a JSON export"),
])
def test_bad_files_are_one_clear_line(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=words) as error:
        read_judged(tmp_path / name)
    assert "\n" not in str(error.value)


def test_a_missing_file_and_an_unknown_format_are_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_judged(tmp_path / "none.json")
    with pytest.raises(InputError, match="format=xml: expected one of label_studio, teamware, csv"):
        task_files(TASKS, "xml")
