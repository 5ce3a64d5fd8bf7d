"""The story of a sweep, with jobs that are plain functions."""

from __future__ import annotations

import csv
import json

import pytest

from hardtext.core import InputError
from hardtext.pipelines.sweep import Plan, run
from hardtext.sweeping import GridSettings, OptunaSettings, jobs
from hardtext.sweeping.space import Choice, Interval

GRID = {"a": Choice(("1", "2")), "b": Choice(("x", "y"))}


class Jobs:
    """A launcher that runs ``work(values)`` for each job, and remembers which it ran."""

    def __init__(self, folder, work) -> None:
        self.folder, self.work, self.ran, self.calls = folder, work, [], 0

    def launch(self, commands, first):
        self.calls += 1
        for place, overrides in commands:
            values = dict(override.split("=", 1) for override in overrides)
            self.ran.append((values["a"], values.get("b")))
            jobs.run(self.folder / place, lambda values=values: self.work(values))

    def plan(self, settings=None, space=None, **options) -> Plan:
        def composed(overrides):
            return {key: float(value) if key == "a" else value for key, value in (o.split("=", 1) for o in overrides)}

        return Plan(self.folder, "test", settings or GridSettings(), ["seed=0"], space or GRID, composed, self.launch,
                    **options)


def figures(values):
    return {"dev": {"accuracy": 1 - float(values["a"]) / 10}}


def table(folder):
    return json.loads((folder / "sweep.json").read_text())


def test_a_failing_job_is_named_in_the_table_and_the_others_run(tmp_path, capsys):
    def work(values):
        if values["b"] == "x":
            raise ValueError("no x, please")
        return figures(values)

    swept = Jobs(tmp_path / "s", work)
    with pytest.raises(SystemExit) as ended:
        run(swept.plan())
    assert ended.value.code == 1
    assert swept.ran == [("1", "x"), ("1", "y"), ("2", "x"), ("2", "y")]
    rows = table(swept.folder)["jobs"]
    assert [row["state"] for row in rows] == ["failed", "done", "failed", "done"]
    text = (swept.folder / "jobs" / "0" / "error.txt").read_text()
    assert text.startswith("ValueError: no x, please\n") and "seed=0 a=1 b=x" in text and "Traceback" in text
    assert "job 2 failed: ValueError: no x, please (" in capsys.readouterr().out
    assert "jobs/2/error.txt" in (swept.folder / "sweep.md").read_text()
    assert json.loads((swept.folder / "status.json").read_text())["state"] == "failed"


def test_done_jobs_are_left_out_and_failed_ones_tried_again_in_their_folder(tmp_path):
    broken = Jobs(tmp_path / "s", lambda values: 1 / 0 if values["a"] == "2" else figures(values))
    with pytest.raises(SystemExit):
        run(broken.plan())
    mended = Jobs(tmp_path / "s", figures)
    rows = run(mended.plan())
    assert mended.ran == [("2", "x"), ("2", "y")]
    assert [(row["number"], row["state"], row["objective"]) for row in rows] == [
        (0, "done", pytest.approx(0.1)), (1, "done", pytest.approx(0.1)), (2, "done", pytest.approx(0.2)),
        (3, "done", pytest.approx(0.2))]
    assert not list(mended.folder.glob("jobs/*/error.txt"))
    third = Jobs(tmp_path / "s", figures)
    assert run(third.plan()) == rows and third.ran == []
    again = Jobs(tmp_path / "s", figures)
    run(again.plan(overwrite=True))
    assert len(again.ran) == 4


def test_points_that_come_to_the_same_config_are_one_job(tmp_path):
    swept = Jobs(tmp_path / "s", figures)
    run(swept.plan(space={"a": Choice(("1", "1.0", "2"))}))
    assert swept.ran == [("1", None), ("2", None)]


def test_all_jobs_of_a_grid_go_to_a_launcher_that_runs_many(tmp_path):
    swept = Jobs(tmp_path / "s", figures)
    run(swept.plan(one_by_one=False))
    assert swept.calls == 1 and len(swept.ran) == 4


def test_a_launcher_that_dies_leaves_failed_jobs_and_keeps_those_that_ended(tmp_path):
    swept = Jobs(tmp_path / "s", figures)
    launch = swept.launch

    def dying(commands, first):
        launch(commands[:1], first)
        raise RuntimeError("worker lost")

    plan = swept.plan(one_by_one=False)
    plan.launch = dying
    with pytest.raises(SystemExit):
        run(plan)
    assert [row["error"] for row in table(swept.folder)["jobs"]] == [None] + ["RuntimeError: worker lost"] * 3


def test_a_search_finds_different_points_and_stops_where_the_space_is_used_up(tmp_path, caplog):
    pytest.importorskip("optuna")
    swept = Jobs(tmp_path / "s", figures)
    rows = run(swept.plan(OptunaSettings(n_trials=9, objective={"dev/error": 1.0})))
    assert sorted(swept.ran) == [("1", "x"), ("1", "y"), ("2", "x"), ("2", "y")]
    assert min(row["objective"] for row in rows) == pytest.approx(0.1)
    assert "used up after 4" in caplog.text


def test_a_search_goes_on_to_more_points_and_tries_failed_ones_again(tmp_path):
    pytest.importorskip("optuna")
    space = {"a": Interval(0.0, 10.0)}
    failing = Jobs(tmp_path / "s", lambda values: 1 / 0 if len(failing.ran) == 2 else figures(values))
    settings = {"objective": {"dev/error": 1.0}}
    with pytest.raises(SystemExit):
        run(failing.plan(OptunaSettings(n_trials=3, **settings), space))
    more = Jobs(tmp_path / "s", figures)
    rows = run(more.plan(OptunaSettings(n_trials=5, **settings), space))
    assert more.ran[0] == failing.ran[1] and len(more.ran) == 3
    assert len({row["values"]["a"] for row in rows}) == len(rows) == 5
    assert all(row["objective"] == pytest.approx(float(row["values"]["a"]) / 10) for row in rows)


def test_an_objective_that_no_job_has_ends_the_search_after_one(tmp_path):
    pytest.importorskip("optuna")
    swept = Jobs(tmp_path / "s", figures)
    for _ in range(2):
        with pytest.raises(InputError, match=r"no figure robust/error.*dev/accuracy, dev/error$"):
            run(swept.plan(OptunaSettings(n_trials=3)))
    assert len(swept.ran) == 1
    right = Jobs(tmp_path / "s", figures)
    assert len(run(right.plan(OptunaSettings(n_trials=3, objective={"dev/error": 1.0})))) == 3
    assert len(right.ran) == 2  # the first was kept


def test_no_secret_is_written_down(tmp_path):
    swept = Jobs(tmp_path / "s", figures)
    plan = swept.plan()
    plan.fixed = ["attack.api_key=hush", "seed=0"]
    run(plan)
    texts = [file.read_text() for file in swept.folder.rglob("*") if file.suffix in (".json", ".yaml", ".csv", ".md")]
    assert any("attack.api_key=***" in text for text in texts) and not any("hush" in text for text in texts)


def test_bad_input_is_refused_before_a_folder_is_made(tmp_path):
    swept = Jobs(tmp_path / "s", figures)
    with pytest.raises(InputError, match="an interval has no values"):
        run(swept.plan(space={"a": Interval(0, 1)}))
    assert not swept.folder.exists()


def test_choosing_by_the_attack_split_is_warned_about(tmp_path, caplog):
    pytest.importorskip("optuna")
    swept = Jobs(tmp_path / "s", lambda values: {"attack": {"accuracy": 0.5}})
    run(swept.plan(OptunaSettings(n_trials=1, objective={"attack/error": 1.0})))
    assert "attack/error is measured on the attack split" in caplog.text


def test_the_csv_holds_every_figure_and_no_formula(tmp_path):
    swept = Jobs(tmp_path / "s", figures)
    run(swept.plan(space={"a": Choice(("1",)), "b": Choice(("=1+1",))}))
    (row,) = csv.DictReader((swept.folder / "sweep.csv").open())
    assert row["b"] == "'=1+1" and float(row["dev/accuracy"]) == 0.9 and float(row["objective"]) == pytest.approx(0.1)
