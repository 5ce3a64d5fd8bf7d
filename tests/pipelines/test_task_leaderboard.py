"""``task=leaderboard`` from folders of runs to the files it leaves."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from hardtext.config import EvaluateConfig
from hardtext.core import InputError
from hardtext.pipelines import leaderboard
from hardtext.scoring import SemanticSettings, claims, semantic_from_name, submission
from hardtext.tracking import LoggerSettings

ROOT = Path(__file__).resolve().parents[2]


class Stub(SemanticSettings):
    """A scorer that loads nothing."""

    stand_in = "stub in place of BLEURT-20"

    def _score_distinct(self, pairs):
        return numpy.array([min(len(a), len(b)) / max(len(a), len(b)) for a, b in pairs])


class Real(Stub):
    stand_in = ""


FILES = ("leaderboard.json", "leaderboard.md", "leaderboard.tex", "leaderboard.csv", "comparisons.csv")


def row(index: int, success: bool, **values) -> dict:
    original = f"The minister said number {index} was a plain lie about the budget."
    return {"id": f"pr-attack-{index}", "domain": "pr", "victim": "bilstm", "attack": "bert_attack", "label": 1,
            "original": [original], "adversarial": [original.replace("lie", "tale")] if success else None,
            "status": "success" if success else "failed", "original_probs": [0.1, 0.9],
            "adversarial_probs": [0.8, 0.2] if success else None, "queries": 20 + index, "forwards": 10, "seconds": 0.1,
            "seed": 0, "error": None} | values


def save(folder: Path, rows, summary={"domain_stand_in": ""}, config=None, state="done") -> Path:  # noqa: B006  (only read)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "attempts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, content in (("summary.json", summary), ("config.yaml", config), ("status.json", {"state": state})):
        if content is not None:
            (folder / name).write_text(json.dumps(content))
    return folder


@pytest.fixture
def root(tmp_path) -> Path:
    """Two finished runs, one that is not, on PR; one on the sample domain with a stand-in; one not begun."""
    at = tmp_path / "runs" / "attack"
    save(at / "pr/bilstm/bert_attack/seed=0", [row(i, i % 4 != 0) for i in range(12)])
    save(at / "pr/bilstm/deepwordbug/seed=0", [row(i, i % 4 == 0, attack="deepwordbug") for i in range(12)],
         summary={"domain_stand_in": "", "stand_ins": ["masked LM: small"]})
    save(at / "pr/bert/bert_attack/seed=0", [row(i, True, victim="bert") for i in range(4)], state="running")
    save(at / "sample/tiny/bert_attack/seed=0", [row(i, True, domain="sample", victim="tiny") for i in range(4)],
         summary={"domain_stand_in": "generated sample", "stand_ins": []}, config={"limit": 4, "max_queries": 500})
    save(at / "pr/bilstm/pwws/seed=0", [])
    return tmp_path / "runs"


def evaluate(root: Path, **values):
    return leaderboard.run(EvaluateConfig(task="leaderboard", runs=str(root), **{
        "out": str(root.parent / "board"), "semantic": Stub("stub"), "logger": LoggerSettings(wandb=False), **values}))


def test_the_files_say_what_the_runs_hold(root, capsys):
    made = evaluate(root)
    out = root.parent / "board"
    board = json.loads((out / "leaderboard.json").read_text())
    by_scenario = {(cell["victim"], cell["domain"], cell["system"]): cell for cell in board["cells"]}
    assert set(by_scenario) == {("bilstm", "pr", "bert_attack"), ("bilstm", "pr", "deepwordbug"),
                                ("bert", "pr", "bert_attack"), ("tiny", "sample", "bert_attack")}
    assert by_scenario["bilstm", "pr", "bert_attack"]["confusion"] == 0.75
    cosine = Stub("stub").stand_in
    assert by_scenario["bilstm", "pr", "deepwordbug"]["marks"] == [
        cosine, "masked LM: small", "12 of 416 texts"]
    assert by_scenario["bert", "pr", "bert_attack"]["marks"] == [
        cosine, "the first 4 texts of a run that is not finished (running)", "4 of 416 texts"]
    assert by_scenario["tiny", "sample", "bert_attack"]["marks"] == [
        cosine, "domain: generated sample", "the first 4 texts only", "max_queries=500"]
    assert board["left_out"] == ["attack/pr/bilstm/pwws/seed=0/attempts.jsonl (empty so far)"]
    assert [row["method"] for row in board["overall"] if row["ours"]] == ["bert_attack", "deepwordbug", "bert_attack"]
    assert all(not row["complete"] and len(row["cells"]) == 1 for row in board["overall"] if row["ours"])
    text = capsys.readouterr().out
    for words in ("Table 7", "0.7453", "0.2680", "ours, mean of 1 of 15: BiLSTM on PR", "generated sample"):
        assert words in text
    assert made.comparisons[0].texts == 12


def test_the_same_bytes_twice_and_nothing_is_scored_again(root, monkeypatch):
    evaluate(root)
    out = root.parent / "board"
    before = {name: (out / name).read_bytes() for name in FILES}
    stamps = {path: path.stat().st_mtime_ns for path in out.glob("claims/**/*.json")}
    assert len(stamps) == 4
    evaluate(root)
    assert {name: (out / name).read_bytes() for name in FILES} == before
    assert {path: path.stat().st_mtime_ns for path in out.glob("claims/**/*.json")} == stamps
    shutil.rmtree(out)
    evaluate(root)  # and from nothing
    assert {name: (out / name).read_bytes() for name in FILES} == before


def test_other_attempts_are_scored_again(root):
    evaluate(root)
    folder = root / "attack/pr/bilstm/bert_attack/seed=0"
    save(folder, [row(i, False) for i in range(12)])
    made = evaluate(root)
    (cell,) = [cell for cell in made.cells if (cell.victim, cell.system) == ("bilstm", "bert_attack")]
    assert cell.bodega == 0.0
    (file,) = (root.parent / "board/claims/pr/bilstm/bert_attack").iterdir()
    assert json.loads(file.read_text())["sha256"] == claims.digest(folder / "attempts.jsonl")


def test_runs_of_one_attack_are_told_apart_and_copies_left_out(tmp_path):
    rows = [row(i, True) for i in range(3)]
    other = [row(i, False) for i in range(3)]
    save(tmp_path / "runs/a/seed=0", rows)
    save(tmp_path / "runs/b/seed=0", other)
    save(tmp_path / "runs/c/bert_attack-slow", [row(i, i == 1) for i in range(3)])
    save(tmp_path / "runs/d", rows)
    made = evaluate(tmp_path / "runs")
    assert sorted(cell.system for cell in made.cells) == ["bert_attack [a/seed=0]", "bert_attack [b/seed=0]",
                                                          "bert_attack [slow]"]
    board = json.loads((tmp_path / "board/leaderboard.json").read_text())
    assert board["left_out"] == ["d/attempts.jsonl (a copy of a/seed=0/attempts.jsonl)"]


def test_attempts_without_a_summary_are_not_taken_for_the_real_thing(tmp_path):
    save(tmp_path / "runs/bert_attack", [row(0, True), row(1, True)], summary=None)
    (cell,) = evaluate(tmp_path / "runs").cells
    assert "no summary.json beside the attempts" in cell.marks[1]


def test_a_half_written_line_is_marked_and_said_once(tmp_path, caplog):
    whole = save(tmp_path / "runs/a", [row(0, True), row(1, True)]) / "attempts.jsonl"
    whole.write_text(whole.read_text() + '{"id": "pr-att')
    begun = save(tmp_path / "runs/b", []) / "attempts.jsonl"
    begun.write_text('{"id": "pr')
    (cell,) = evaluate(tmp_path / "runs").cells
    assert cell.instances == 2 and submission.HALF_LINE in cell.marks
    assert caplog.text.count("half-written") == 1
    assert "b/attempts.jsonl (empty so far)" in caplog.text


def test_an_altered_claim_changes_no_table(root, caplog):
    evaluate(root)
    out = root.parent / "board"
    before = {name: (out / name).read_bytes() for name in FILES}
    (file,) = (out / "claims/pr/bilstm/bert_attack").iterdir()
    good = file.read_text()
    file.write_text(good.replace("true", "false"))
    evaluate(root)
    assert f"{file}: no claim of ours (altered since it was written" in caplog.text
    assert {name: (out / name).read_bytes() for name in FILES} == before and file.read_text() == good


def test_damaged_words_of_a_run_are_one_line(tmp_path):
    save(tmp_path / "runs/a", [row(0, True)], summary={"stand_ins": "BERT"})
    with pytest.raises(InputError, match="summary.json: stand_ins holds 'BERT', expected a list of texts"):
        evaluate(tmp_path / "runs")


def test_seeds_share_a_cell(tmp_path):
    for seed in (0, 1):
        save(tmp_path / f"runs/bert_attack/seed={seed}", [row(i, i >= seed, seed=seed) for i in range(4)])
    (cell,) = evaluate(tmp_path / "runs").cells
    assert cell.seeds == (0, 1) and cell.confusion == pytest.approx(7 / 8)


def test_bad_input_is_one_line_and_writes_no_table(root):
    for values, words in (({"semantic": semantic_from_name("none")}, "semantic=none leaves unknown"),
                          ({"runs": str(root / "nowhere")}, "no such folder"),
                          ({"segmenter": "lamdo"}, "segmenter=lamdo: expected one of")):
        with pytest.raises(InputError, match=words):
            evaluate(root, **values) if "runs" not in values else evaluate(root / "nowhere")
    settings = root / "attack/pr/bilstm/bert_attack/seed=0/config.yaml"
    for content in ("{", "- a"):
        settings.write_text(content)
        with pytest.raises(InputError, match="config.yaml: "):
            evaluate(root)
    settings.unlink()
    (root / "attack/pr/bilstm/pwws/seed=0/attempts.jsonl").write_text('{"id": 1}\n')
    with pytest.raises(InputError, match="row 1: not an attempt"):
        evaluate(root)
    assert not (root.parent / "board").exists()
    with pytest.raises(InputError, match="holds no attempts.jsonl; make one with python attack.py"):
        empty = root.parent / "empty"
        empty.mkdir()
        evaluate(empty)


def submission_file(folder: Path, name: str, texts: int, text="The minister lied about budget number {}.") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["succeeded\tnum_queries\toriginal_text\tmodified_text\t"]
    lines += [f"True\t2\t{text.format(i)}\t{text.format(i)[:-1]}!\t" for i in range(texts)]
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(("texts", "text", "mark"), [
    (1, "A lie {}.", "1 of 416 texts"), (417, "A lie {}.", "417 texts, the published set has 416"),
    (416, "A lie.", "416 texts, only 1 of which differ from each other"), (416, "A lie {}.", None)])
def test_only_as_many_texts_as_were_published_rank_among_the_published(tmp_path, texts, text, mark):
    for victim in ("BERT", "BiLSTM", "surprise"):
        submission_file(tmp_path / "runs", f"submission_PR2_False_cheat_{victim}.tsv", texts, text)
    made = evaluate(tmp_path / "runs", semantic=Real("bleurt"))
    assert {cell.marks for cell in made.cells} == {(mark,) if mark else ()}
    assert [row.rank for row in made.tables["BERT"] if row.ours] == [1]  # of one domain: in a group of its own
    assert all(not row.complete for row in made.overall if row.ours)


def test_a_whole_system_is_ranked_and_one_with_a_scenario_too_short_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr("hardtext.scoring.segment.stand_in", lambda *words: "")  # LAMBO is not here
    sizes = {"PR2": 416, "FC": 405, "RD": 415, "HN": 400, "C19": 595}
    for domain, size in sizes.items():
        for name, texts in (("whole", size), ("short", 1 if domain == "RD" else size)):
            text = f"Evidence {{}} of it. ~ A {name} claim." if domain in ("FC", "C19") else f"A {name} lie {{}}."
            submission_file(tmp_path / "runs", f"submission_{domain}_False_{name}_BERT.tsv", texts, text)
    rows = {row.method: row for row in evaluate(tmp_path / "runs", semantic=Real("bleurt")).tables["BERT"] if row.ours
            and len(row.cells) > 1}
    assert rows["whole"].complete and rows["whole"].rank == 1
    assert not rows["short"].complete and len(rows["short"].cells) == 4


def test_errors_are_no_texts(tmp_path):
    rows = [row(i, True) | ({"status": "error", "adversarial": None, "adversarial_probs": None, "error": "gone"} if i else {})
            for i in range(416)]
    save(tmp_path / "runs/a", rows)
    (cell,) = evaluate(tmp_path / "runs").cells
    assert cell.marks[1:] == ("1 of 416 texts (415 of its 416 attempts are errors)",)


def test_equal_bytes_of_two_scenarios_are_no_copies(tmp_path):
    for name in ("PR2_False_x_BERT", "PR2_False_x_BiLSTM", "HN_False_x_BERT", "HN_False_y_BERT"):
        submission_file(tmp_path / "runs", f"submission_{name}.tsv", 3)
    made = evaluate(tmp_path / "runs")
    assert sorted((cell.domain, cell.victim) for cell in made.cells) == [("hn", "BERT"), ("pr", "BERT"), ("pr", "BiLSTM")]
    left = json.loads((tmp_path / "board/leaderboard.json").read_text())["left_out"]
    assert left == ["submission_HN_False_y_BERT.tsv (a copy of submission_HN_False_x_BERT.tsv)"]


def test_nothing_to_rank_is_said(tmp_path):
    save(tmp_path / "runs/a", [])
    with pytest.raises(InputError, match=r"holds nothing to rank: a/attempts.jsonl \(empty so far\)"):
        evaluate(tmp_path / "runs")
    assert not (tmp_path / "board").exists()


def test_the_rows_of_several_runs_name_their_file(tmp_path):
    save(tmp_path / "runs/a", [row(0, True), row(1, True, seed=1)])
    with pytest.raises(InputError, match=r"a/attempts.jsonl: attempts of several runs \(seed: 0, 1\)"):
        evaluate(tmp_path / "runs")


def test_another_board_is_not_written_over(root):
    evaluate(root)
    out = root.parent / "board"
    before = (out / "leaderboard.json").read_bytes()
    save(root.parent / "others/a", [row(0, True)])
    with pytest.raises(InputError, match=r"holds a result made from something else \(runs: .*runs → .*others\)"):
        evaluate(root.parent / "others", out=str(out))
    assert (out / "leaderboard.json").read_bytes() == before
    evaluate(root.parent / "others", out=str(out), overwrite=True)
    assert (out / "leaderboard.json").read_bytes() != before


def test_each_folder_of_runs_has_a_place_of_its_own(root, monkeypatch):
    monkeypatch.setenv("HARDTEXT_RUNS", str(root))
    save(root.parent / "others/a", [row(0, True)])
    for folder in (root, root.parent / "others"):
        evaluate(folder, out=None)
    found = sorted(path.parent.relative_to(root).as_posix() for path in root.rglob("leaderboard.md"))
    assert found[0] == "evaluate/leaderboard" and found[1].startswith("evaluate/leaderboard/others-") and len(found) == 2


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("nowhere")])
def test_a_pipe_and_a_dead_link_are_refused(tmp_path, make):
    (tmp_path / "runs").mkdir()
    make(tmp_path / "runs/attempts.jsonl")
    with pytest.raises(InputError, match="cannot read .*attempts.jsonl: (not a plain file|No such file)"):
        evaluate(tmp_path / "runs")


def test_a_submission_stands_beside_our_runs(shared_data, tmp_path):
    (tmp_path / "runs").mkdir()
    shutil.copy(shared_data / "incrediblae_runs" / "submission_PR2_False_homoglyph-custom_BERT.tsv", tmp_path / "runs")
    (cell,) = evaluate(tmp_path / "runs").cells
    assert (cell.scenario, cell.system) == (("PR", "BERT"), "homoglyph-custom")
    assert cell.confusion == pytest.approx(0.6706730769230769, abs=1e-12)
    assert cell.character == pytest.approx(0.9116861223001183, abs=1e-12)


def test_as_a_command(root):
    done = subprocess.run([sys.executable, "evaluate.py", "task=leaderboard", "logger=csv"], cwd=ROOT, text=True,
                          capture_output=True, timeout=240, env=os.environ | {"HARDTEXT_RUNS": str(root)})
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Table 7" in done.stdout
    assert all((root / "evaluate/leaderboard" / name).is_file() for name in FILES)
