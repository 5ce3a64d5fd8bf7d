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
from hardtext.pipelines.agreement import place
from hardtext.pipelines.annotate import sources
from hardtext.records import write_rows

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
