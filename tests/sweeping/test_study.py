"""Optuna's study of a sweep: what a stop leaves, and what comes after it."""

from __future__ import annotations

import pytest

from hardtext.core import InputError
from hardtext.sweeping import OptunaSettings
from hardtext.sweeping.jobs import Job, Pruned
from hardtext.sweeping.space import Choice, Interval, point_of

optuna = pytest.importorskip("optuna")

from hardtext.sweeping.study import FIRST, Study  # noqa: E402

SPACE = {"model.lr": Interval(1e-5, 1e-3, log=True), "model.epochs": Interval(1, 3, integer=True),
         "model": Choice(("a", "b"))}


def study(folder, objective="dev/error", space=None) -> Study:
    return Study(folder, space or SPACE, objective, "base", OptunaSettings())


def job(study: Study, number: int, values, trial: int, state: str = "running") -> Job:
    return Job(number=number, key=str(number), base="base", overrides=[], values=values, study=study.name, trial=trial,
               state=state)


def trials(folder, name):
    return optuna.load_study(study_name=name, storage=f"sqlite:///{folder / 'sweep.db'}").trials


def test_points_lie_in_the_space_and_differ(tmp_path):
    asked = study(tmp_path)
    points = []
    for n in range(4):
        trial, values = asked.ask()
        asked.tell(trial, "done", float(n))
        points.append(values)
    assert all(point_of(SPACE, values) is not None for values in points)
    assert len({str(values) for values in points}) == 4


def test_a_point_left_by_a_kill_comes_again_first_and_once(tmp_path):
    first = study(tmp_path)
    trial, values = first.ask()
    for _ in range(2):  # the second start dies before it asks
        again = study(tmp_path)
        again.take_up([(job(first, 0, values, trial), None)])
    number, point = again.ask()
    assert point == values and number != trial
    assert again.ask()[1] != values
    assert [t.state.name for t in trials(tmp_path, first.name)] == ["FAIL", "RUNNING", "RUNNING"]


def test_a_job_that_ended_just_before_the_kill_is_learnt_from_and_not_asked_again(tmp_path):
    first = study(tmp_path)
    trial, values = first.ask()
    again = study(tmp_path)
    again.take_up([(job(first, 0, values, trial, "done"), 0.25)])
    assert [(t.state.name, t.value) for t in trials(tmp_path, first.name)] == [("COMPLETE", 0.25)]


def test_a_failed_job_is_tried_again_on_the_next_start(tmp_path):
    first = study(tmp_path)
    trial, values = first.ask()
    first.tell(trial, "failed", None)
    again = study(tmp_path)
    again.take_up([(job(first, 0, values, trial, "failed"), None)])
    assert again.ask()[1] == values


def test_another_objective_starts_from_the_jobs_there_are(tmp_path):
    first = study(tmp_path)
    trial, values = first.ask()
    first.tell(trial, "done", 0.5)
    other = study(tmp_path, objective="attack/error")
    other.take_up([(job(first, 0, values, trial, "done"), 0.125)])
    assert other.name != first.name
    assert [t.value for t in trials(tmp_path, other.name)] == [0.125]


def test_nothing_varied_and_an_odd_range_are_refused(tmp_path):
    with pytest.raises(InputError, match="nothing is varied"):
        Study(tmp_path, {}, "dev/error", "base", OptunaSettings())
    with pytest.raises(InputError, match=r"^model\.lr: "):
        study(tmp_path, space={"model.lr": Interval(0, 1, log=True)})
    assert not list(tmp_path.iterdir())


class Strategy:
    def broadcast(self, value):
        return value


class Trainer:
    """What the callback reads of a Lightning trainer."""

    strategy, is_global_zero, max_epochs = Strategy(), True, 5

    def __init__(self, epoch: int, score: float) -> None:
        self.current_epoch, self.callback_metrics = epoch, {"dev/f1": score}


class Module:
    monitored = "dev/f1"


def test_a_training_below_the_median_of_the_others_is_pruned_after_the_first_epoch(tmp_path):
    from hardtext.sweeping.pruning import Pruning

    asked = study(tmp_path)
    for _ in range(FIRST):
        trial, _ = asked.ask()
        callback = Pruning(asked.address(trial))
        for epoch in range(2):
            callback.on_train_epoch_end(Trainer(epoch, 0.8), Module())
        asked.tell(trial, "done", 0.2)
    bad = Pruning(asked.address(asked.ask()[0]))
    bad.on_train_epoch_end(Trainer(0, 0.1), Module())  # the first epoch is left alone
    with pytest.raises(Pruned, match=r"dev/f1 0\.1000 after epoch 2"):
        bad.on_train_epoch_end(Trainer(1, 0.1), Module())
    good = Pruning(asked.address(asked.ask()[0]))
    for epoch in range(2):
        good.on_train_epoch_end(Trainer(epoch, 0.9), Module())
    last = Pruning(asked.address(asked.ask()[0]))
    last.on_train_epoch_end(Trainer(4, 0.0), Module())  # the last epoch is done, so nothing is saved by stopping


def test_an_address_that_no_sweep_has_set_is_refused():
    from hardtext.sweeping.pruning import Pruning

    with pytest.raises(InputError, match="trial=here"):
        Pruning("here")
