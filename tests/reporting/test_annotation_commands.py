"""task=annotate and task=agreement as a user types them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hardtext import runs
from hardtext.core import Attempt, InputError
from hardtext.pipelines import agreement, annotate
from hardtext.pipelines.agreement import place
from hardtext.pipelines.annotate import sources
from hardtext.records import write_rows
from hardtext.reporting import annotation
from hardtext.reporting.annotation import agreement_table

ROOT = Path(__file__).resolve().parents[2]


def evaluate(folder: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([sys.executable, "evaluate.py", "logger=csv", *arguments], cwd=ROOT, capture_output=True,
                          text=True, timeout=240, env=os.environ | {"HARDTEXT_RUNS": str(folder), "COLUMNS": "200"})
    assert done.returncode == code, done.stderr[-3000:]
    assert code != 2 or "Traceback" not in done.stderr
    return done


def write_run(folder: Path, attack: str, size: int = 5, summary: dict | None = None, status: str = "success") -> None:
    write_rows(folder / "attempts.jsonl", (
        Attempt(id=str(n), domain="pr", victim="bert", attack=attack, label=1, original=(f"text {n}",),
                adversarial=(f"tеxt {n}",), status=status, original_probs=[0.1, 0.9], adversarial_probs=[0.9, 0.1],
                queries=3, forwards=3, seconds=0.1, seed=0).to_row() for n in range(size)))
    if summary:
        (folder / "summary.json").write_text(json.dumps(summary))


def test_from_runs_to_a_ranking_beside_the_published_one(tmp_path):
    write_run(tmp_path / "a" / "homoglyph_search" / "seed=0", "homoglyph_search", summary={"stand_ins": []})
    write_run(tmp_path / "a" / "pwws" / "seed=0", "pwws", status="failed")
    write_run(tmp_path / "a" / "bert_attack" / "seed=0,limit=5", "bert_attack", summary={
        "domain_stand_in": "", "stand_ins": ["masked LM: bundled stand-in"]})
    done = evaluate(tmp_path, "task=annotate", f"attempts={tmp_path / 'a'}", "format=csv", "per_system=4", "seed=1")
    assert "8 pairs to judge, of 2 systems" in done.stdout and "masked LM: bundled stand-in" in done.stdout
    folder = tmp_path / "evaluate" / "annotate" / "csv" / "seed=1"
    drawn = json.loads((folder / "drawn.json").read_text(encoding="utf-8"))
    assert [(row["system"], row["successes"], row["drawn"]) for row in drawn["strata"]] == [
        ("bert_attack (stand-in)", 5, 4), ("homoglyph_search", 5, 4), ("pwws (no summary)", 0, 0)]
    assert "pwws (no summary): no summary.json beside the attempts" in done.stdout
    again = ("task=annotate", f"attempts={tmp_path / 'a'}", "format=csv", "seed=1")
    before = (folder / "key.csv").read_bytes()
    refused = evaluate(tmp_path, *again, "per_system=3", code=2)
    assert "holds another draw" in refused.stderr and len(refused.stderr.splitlines()) == 1, "nothing was said before"
    assert (folder / "key.csv").read_bytes() == before

    with open(folder / "tasks.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for n, row in enumerate(rows):
        row |= {"annotator1_stance": n % 2, "annotator1_confidence": 5,
                "annotator2_stance": 0, "annotator2_confidence": 3}
    with open(folder / "filled.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    done = evaluate(tmp_path, "task=agreement", f"annotations={folder / 'filled.csv'}")
    (written,) = (tmp_path / "evaluate" / "agreement").iterdir()
    assert written.name.startswith("filled,seed=1-")
    result = json.loads((written / "agreement.json").read_text(encoding="utf-8"))
    assert result["cohen_kappa"] == 0.0 and result["how"]["unresolved"] == 4
    assert result["labels"] == {"preserves the meaning": 4, "changes the meaning": 0, "makes no sense": 0}
    teams = {row["system"]: row["published_team"] for row in result["ranking"]}
    assert teams == {"homoglyph_search": "SINAI", "bert_attack (stand-in)": None}
    for words in ("SINAI 99%", "stand-in in bert_attack (stand-in): masked LM: bundled stand-in", "unresolved 4"):
        assert words in done.stdout


def test_a_cut_and_half_filled_sheet_says_what_it_lacks(tmp_path):
    def judged(*stances):
        return {f"annotator{n}_{name}": value for n, stance in enumerate(stances, 1)
                for name, value in (("stance", stance), ("confidence", "" if stance == "" else 3))}

    def write(file, rows):
        with open(tmp_path / file, "w", encoding="utf-8", newline="") as opened:
            writer = csv.DictWriter(opened, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    def lacks(rows):
        write("filled.csv", rows)
        pairs = annotation.read_judged(tmp_path / "filled.csv")
        result = agreement.measure(pairs, annotation.drawn_ids(tmp_path / "filled.csv", pairs))
        said = [line for line in agreement_table.lines(result) if " of the " in line]
        return result["drawn"], len(result["missing"]), result["unjudged"], result["judged_once"], said

    ids = [f"{n:016x}" for n in range(20)]
    sheet = [{"id": key, "original": "a", "adversarial": "b"} for key in ids]
    write("key.csv", [{"id": key, "system": "pwws", "domain": "pr", "victim": "bert", "attempt": "1", "stand_in": ""}
                      for key in ids])
    assert lacks([row | judged(0, 0) for row in sheet]) == (20, 0, 0, 0, [])
    cut = [sheet[0] | judged(0, 0), sheet[1] | judged(1, ""), sheet[2] | judged("", "")]
    assert lacks(cut) == (20, 17, 1, 1, ["17 of the 20 pairs drawn are not in the file",
                                         "1 of the 3 pairs have no judgement yet",
                                         "1 of the 3 pairs have one judgement, and two are needed"])
    named = [row | {"system": "pwws"} for row in cut]
    write("key.csv", [{"id": "of another draw", "system": "pwws"}])
    assert lacks(named)[:2] == (None, 0), "a key that is not needed says nothing of these pairs"
    (tmp_path / "key.csv").unlink()
    assert lacks(cut)[:4] == (None, 0, 1, 1)


def test_a_spreadsheet_saved_as_utf16_is_told_so(tmp_path):
    file = tmp_path / "filled.csv"
    file.write_text("id,annotator1_stance,annotator1_confidence\n1,0,3\n", encoding="utf-16")
    with pytest.raises(InputError, match="filled.csv: UTF-16 text.*save it as UTF-8"):
        annotation.read_judged(file)


def test_a_copied_run_is_asked_about_once_and_what_score_refuses_is_refused(tmp_path):
    write_run(tmp_path / "a" / "seed=0", "pwws")
    write_run(tmp_path / "b" / "seed=0", "pwws")
    files = sources(str(tmp_path))
    found, copies = annotate.read(files, None)
    assert list(found) == files[:1] and copies == [f"{files[1]} (a copy of {files[0]})"]
    (files[0].parent / "status.json").write_text('{"state": "do')
    with pytest.raises(InputError, match="status.json"):
        annotate.read(files, None)
    rows = [json.loads(line) for line in files[1].read_text(encoding="utf-8").splitlines()]
    write_rows(files[1], [rows[0], rows[1] | {"seed": 1}])
    with pytest.raises(InputError, match="several runs"):
        annotate.read(files[1:], None)


def test_the_agreement_of_other_annotations_is_not_replaced(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.csv").write_text("id,annotator1_stance,annotator1_confidence\n1,0,3\n")
    out = f"out={tmp_path / 'out'}"
    for _ in range(2):
        evaluate(tmp_path, "task=agreement", f"annotations={tmp_path / 'a' / 'x.csv'}", out)
    done = evaluate(tmp_path, "task=agreement", f"annotations={tmp_path / 'b' / 'x.csv'}", out, code=2)
    assert "holds a result made from something else (annotations: " in done.stderr


def test_the_published_judgements(tmp_path, shared_data):
    file = shared_data / "incrediblae_manual_eval" / "InCrediblAE_Manual_Evaluation_Dataset.csv"
    done = evaluate(tmp_path, "task=agreement", f"annotations={file}", f"out={tmp_path / 'out'}")
    result = json.loads((tmp_path / "out" / "agreement.json").read_text(encoding="utf-8"))
    assert result["cohen_kappa"] == pytest.approx(0.5240984623870922, abs=1e-15)
    assert list(result["labels"].values()) == list(result["against_file"]["labels"].values()) == [318, 246, 116]
    assert result["against_file"]["equal"] == 680 and result["against_file"]["different"] == []
    assert [(row["label"], row["file"]) for row in result["no_majority"]] == [
        (label, label) for label in (2, 2, 1, 2, 1, 1, 2, 1)]
    assert [row["how"] for row in result["no_majority"]].count("confidence tie") == 1
    assert "0.5241" in done.stdout
    assert "no majority, pair 206: 1 (confidence 4), 0 (confidence 2), 2 (confidence 4)" in done.stdout


@pytest.mark.parametrize(("arguments", "words"), [
    (["task=annotate"], "task=annotate needs attempts="),
    (["task=annotate", "attempts=/no/such"], "no such file or folder"),
    (["task=annotate", "attempts="], "task=annotate needs attempts="),
    (["task=agreement", "annotations="], "task=agreement needs annotations="),
])
def test_bad_input_is_one_clear_line_and_leaves_nothing(tmp_path, arguments, words):
    done = evaluate(tmp_path, *arguments, code=2)
    assert words in done.stderr.splitlines()[-1] and done.stderr.splitlines()[-1].startswith("error: ")
    assert not list(tmp_path.iterdir())


def test_results_of_files_of_one_name_lie_apart(tmp_path):
    one, other = tmp_path / "a" / "tasks.csv", tmp_path / "b" / "tasks.csv"
    assert place(one) != place(other) and place(one) == place(tmp_path / "b" / ".." / "a" / "tasks.csv")
    assert len(runs.component(place(tmp_path / ("x" * 200) / ("y" * 200 + ".csv")))) < 120, "the digest is not cut off"


def test_attempts_are_found_by_list_tree_and_file_commas_in_their_names_included(tmp_path):
    one, other = tmp_path / "x" / "seed=0", tmp_path / "x" / "seed=0,limit=5"
    for folder in (one, other):
        write_run(folder, "pwws", size=1)
    files = [one / "attempts.jsonl", other / "attempts.jsonl"]
    assert sources(f"{other},{one}") == files[::-1]
    assert sources(str(tmp_path)) == sources(f"{files[0]},{other},{one}") == files
    with pytest.raises(InputError, match="attempts=none: no such"):
        sources(f"{one},none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no attempts.jsonl"):
        sources(str(tmp_path / "empty"))
