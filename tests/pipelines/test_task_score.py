"""``task=score`` into folders that hold something, and what it says of runs that are not whole."""

from __future__ import annotations

import json
import os
import stat
import threading

import pytest

from hardtext import runs, scoring
from hardtext.config import EvaluateConfig
from hardtext.core import InputError
from hardtext.pipelines import evaluate
from hardtext.scoring import semantic_from_name
from hardtext.tracking import LoggerSettings


def row(index: int, **values) -> dict:
    original = f"The minister said number {index} was a plain lie about the budget."
    return {"id": str(index), "domain": "pr", "victim": "bilstm", "attack": "bert_attack", "label": 1,
            "original": [original], "adversarial": [original.replace("lie", "tale")], "status": "success",
            "original_probs": [0.1, 0.9], "adversarial_probs": [0.8, 0.2], "queries": 20, "forwards": 10, "seconds": 0.1,
            "seed": 0, "error": None} | values


@pytest.fixture
def run(tmp_path):
    def save(name="one", rows=None, **files):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        rows = [row(i) for i in range(3)] if rows is None else rows
        (folder / "attempts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        for file, content in ({"summary": {"domain_stand_in": ""}} | files).items():
            (folder / f"{file}.{'yaml' if file == 'config' else 'json'}").write_text(json.dumps(content))
        return folder
    return save


def score(folder, out, **values):
    return evaluate.run(EvaluateConfig(**{
        "task": "score", "attempts": str(folder), "out": str(out), "semantic": semantic_from_name("none"),
        "logger": LoggerSettings(wandb=False), **values}))


def test_another_runs_scores_are_not_written_over(tmp_path, run):
    out = tmp_path / "out"
    score(run(), out)
    before = (out / "scores.json").read_bytes()
    score(tmp_path / "one" / "attempts.jsonl", out)  # the same, named otherwise
    run(rows=[row(i) for i in range(2)])
    score(tmp_path / "one", out)  # the run went on
    assert json.loads((out / "scores.json").read_text())["instances"] == 2
    run()
    score(tmp_path / "one", out)
    for values, words in (({"attempts": str(run("two"))}, "attempts: .*….*one/attempts.jsonl → .*….*two/attempts.jsonl"),
                          ({"semantic": semantic_from_name("minilm")}, "scorer.name: none → minilm"),
                          ({"seed": 1}, "seed: 0 → 1")):
        with pytest.raises(InputError, match=f"holds a result made from something else .*{words}.*overwrite=true"):
            score(tmp_path / "one", out, **values)
    assert (out / "scores.json").read_bytes() == before
    score(tmp_path / "two", out, overwrite=True)
    assert "two" in (out / "scores.json").read_text()


def test_foreign_files_and_another_tasks_run_stay(tmp_path, run):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "scores.json").write_text("precious")
    with pytest.raises(InputError, match="holds scores.json, and nothing says that this task made them"):
        score(run(), mine)
    assert [path.name for path in mine.iterdir()] == ["scores.json"] and (mine / "scores.json").read_text() == "precious"
    score(tmp_path / "one", mine, overwrite=True)
    other = tmp_path / "probes"
    with runs.RunFolder.open(other, {"task": "probes"}):
        pass
    with pytest.raises(InputError, match="holds a run of task=probes"):
        score(tmp_path / "one", other)
    with pytest.raises(InputError, match="holds a result of task=score"), runs.RunFolder.open(mine, {"task": "probes"}):
        pass


def test_two_at_once(tmp_path, run, monkeypatch):
    measuring, go_on, failures = threading.Event(), threading.Event(), []
    whole = scoring.score

    def slow(*args, **values):
        measuring.set()
        assert go_on.wait(30)
        return whole(*args, **values)

    monkeypatch.setattr(scoring, "score", slow)
    first = threading.Thread(target=score, args=(run(), tmp_path / "out"))
    first.start()
    assert measuring.wait(30)
    try:
        with pytest.raises(InputError, match=f"out is in use by process {os.getpid()} "):
            score(run("two"), tmp_path / "out")
    finally:
        go_on.set()
        first.join()
    assert "one" in (tmp_path / "out/scores.json").read_text() and not failures


def test_a_failed_measurement_keeps_nobody_out(tmp_path, run, monkeypatch):
    def broken(*args, **values):
        raise InputError("no number")

    with monkeypatch.context() as patch, pytest.raises(InputError, match="no number"):
        patch.setattr(scoring, "score", broken)
        score(run(), tmp_path / "out")
    score(run("two"), tmp_path / "out")


@pytest.mark.parametrize(("rows", "files", "words"), [
    (3, {}, ["3 of 416 texts"]),
    (3, {"config": {"limit": 3, "max_queries": 9}}, ["the first 3 texts only", "max_queries=9", "3 of 416 texts"]),
    (3, {"config": {"limit": 40}, "status": {"state": "running"}},
     ["the first 3 texts of a run that is not finished (running)", "3 of 416 texts"]),
    (3, {"config": {"split": "dev"}}, ["texts of the dev split", "3 of 416 texts"]),
    (416, {"config": {"limit": 416}, "status": {"state": "done"}}, [])])
def test_what_is_not_whole_is_said(tmp_path, run, rows, files, words, capsys):
    score(run(rows=[row(i) for i in range(rows)], **files), tmp_path / "out")
    assert json.loads((tmp_path / "out/scores.json").read_text())["notes"] == words
    printed, page = capsys.readouterr().out, (tmp_path / "out/scores.md").read_text()
    assert all(word in printed and f"- {word}" in page for word in words)


def test_a_nearly_undecided_victim_is_said(tmp_path, run):
    score(run(rows=[row(i, original_probs=[0.48, 0.52]) for i in range(8)]), tmp_path / "out")
    assert "nearly undecided" in (tmp_path / "out/scores.md").read_text()


@pytest.mark.parametrize(("status", "words"), [({"state": 3}, "expected the status of a run"), ([], "expected the status")])
def test_a_damaged_status_is_refused(tmp_path, run, status, words):
    with pytest.raises(InputError, match=f"status.json: {words}"):
        score(run(status=status), tmp_path / "out")


def test_settings_that_name_nothing_are_refused(tmp_path, run):
    folder = run()
    for out in ("", "  "):
        with pytest.raises(InputError, match="out= is empty"):
            score(folder, out)
    for values in ({}, {"task": "leaderboard"}, {"task": "annotate"}, {"task": "agreement"}, {"task": "report"}):
        with pytest.raises(InputError, match="device=cuda: task=.* asks no victim.* semantic.device=cuda"):
            score(folder, tmp_path / "out", device="cuda", **values)
    assert not (tmp_path / "out").exists()


def test_only_plain_files_are_read(tmp_path, run):
    folder = run()
    (folder / "attempts.jsonl").unlink()
    os.mkfifo(folder / "attempts.jsonl")
    assert stat.S_ISFIFO((folder / "attempts.jsonl").stat().st_mode)
    with pytest.raises(InputError, match="attempts.jsonl: not a plain file"):
        score(folder, tmp_path / "out")
