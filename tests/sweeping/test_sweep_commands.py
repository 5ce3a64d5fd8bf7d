"""Sweeps as a user types them: real commands, most with a job that returns at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

JOB = '''
import os, time
import hydra
from hardtext import config
config.register()

def story(settings):
    time.sleep(float(os.environ.get("JOB_SECONDS", 0)))
    if settings.seed == 13:
        raise ValueError("thirteen")
    return {"dev": {"accuracy": 1 - 100 * settings.model.lr}, "named": {settings.label + "@" + settings.group: 1}}

@hydra.main(version_base="1.3", config_path="CONF", config_name="train")
def main(settings):
    config.run_job(story, settings)

if __name__ == "__main__":
    config.run_command(main)
'''


class Sweeps:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.script = folder / "job.py"
        self.script.write_text(JOB.replace("CONF", str(ROOT / "conf")))
        self.environment = os.environ | {"HARDTEXT_RUNS": str(folder / "runs"), "OMP_NUM_THREADS": "1"}

    def __call__(self, *arguments: str, code: int = 0, script: Path | str | None = None) -> subprocess.CompletedProcess:
        done = subprocess.run([sys.executable, script or self.script, "-m", *arguments], cwd=ROOT, text=True,
                              capture_output=True, timeout=300, env=self.environment)
        assert done.returncode == code, done.stderr[-3000:]
        assert code != 2 or ("Traceback" not in done.stderr and not (self.folder / "runs").exists())
        return done

    def start(self, *arguments: str, seconds: float) -> subprocess.Popen:
        return subprocess.Popen([sys.executable, self.script, "-m", *arguments], cwd=ROOT, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env=self.environment | {"JOB_SECONDS": str(seconds)})

    def at(self, name: str) -> Path:
        return self.folder / "runs" / "sweeps" / name

    def table(self, name: str) -> dict:
        return json.loads((self.at(name) / "sweep.json").read_text())

    def states(self, name: str) -> list[str]:
        return [json.loads(path.read_text())["state"] for path in self.at(name).glob("jobs/*/job.json")]


@pytest.fixture
def sweeps(tmp_path) -> Sweeps:
    return Sweeps(tmp_path)


def test_a_grid_goes_on_after_a_failed_job_and_names_jobs_and_group(sweeps):
    done = sweeps("model=bilstm", "model.lr=1e-3,2e-3", "seed=0,13", "trainer.precision=32,64", "sweep.name=mine", code=1)
    rows = sweeps.table("mine")["jobs"]
    assert [row["state"] for row in rows] == ["done", "done", "failed", "failed"] * 2
    assert rows[0]["values"] == {"model.lr": "0.001", "seed": "0", "trainer.precision": "32"}
    assert "named/model.lr=0.001,trainer.precision=32@mine" in rows[0]["figures"]
    assert "ValueError: thirteen" in done.stdout and "jobs/2/error.txt" in done.stdout
    assert sweeps.table("mine")["stated"] == "dev/error" and sweeps.table("mine")["best"] == 0


def test_twelve_points_killed_at_five_and_resumed(sweeps):
    pytest.importorskip("optuna")
    command = ("sweep=optuna", "model=bilstm", "model.lr=tag(log,interval(1e-4,1e-2))", "model.epochs=int(interval(1,9))",
               "sweep.objective={dev/error:1}", "sweep.n_trials=12")
    process = sweeps.start(*command, "sweep.name=mine", seconds=0.3)
    deadline = time.monotonic() + 120
    while sweeps.states("mine").count("done") < 5 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {path.parent.name: path.read_bytes() for path in sweeps.at("mine").glob("jobs/*/job.json")
              if '"done"' in path.read_text()}
    assert len(before) == 5

    done = sweeps(*command, "sweep.name=mine")
    assert "5 of 12 points were done before" in done.stderr
    table = sweeps.table("mine")
    assert table["stated"] == "dev/error" and table["finished"]
    assert [row["state"] for row in table["jobs"]] == ["done"] * 12
    assert len({json.dumps(row["values"]) for row in table["jobs"]}) == 12
    for name, text in before.items():  # none of the five ran again
        assert (sweeps.at("mine") / "jobs" / name / "job.json").read_bytes() == text
    best = table["jobs"][table["best"]]
    assert best["objective"] == min(row["objective"] for row in table["jobs"])
    assert best["objective"] == pytest.approx(100 * float(best["values"]["model.lr"]))
    for name in ("sweep.db", "sweep.csv", "sweep.md", "parallel_coordinates.png", "parallel_coordinates.svg",
                 "best_so_far.png", "best_so_far.svg"):
        assert (sweeps.at("mine") / name).stat().st_size > 0


def test_two_jobs_at_once(sweeps):
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher")
    sweeps("model=bilstm", "model.lr=1e-3,2e-3", "seed=0,13", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2",
           "sweep.name=mine", code=1)
    assert [row["state"] for row in sweeps.table("mine")["jobs"]] == ["done", "failed", "done", "failed"]


def test_a_preset_holds_a_search_space_that_the_command_line_overrules(sweeps):
    pytest.importorskip("optuna")
    (sweeps.folder / "sweep").mkdir()
    (sweeps.folder / "sweep" / "mine.yaml").write_text(
        "defaults: [/schema/sweep/optuna@_here_, _self_]\nname: mine\nn_trials: 2\nobjective: {dev/error: 1}\nparams:\n"
        "  model.lr: interval(1e-4, 1e-2)\n  trainer.precision: choice(32, 64)\n")
    sweeps("model=bilstm", "sweep=mine", "trainer.precision=16", "--config-dir", str(sweeps.folder))
    rows = sweeps.table("mine")["jobs"]
    assert len(rows) == 2 and all(list(row["values"]) == ["model.lr"] for row in rows)
    assert set(sweeps.table("mine")["fixed"]) == {"model=bilstm", "sweep=mine", "++trainer.precision=16"}


@pytest.mark.parametrize(("arguments", "words"), [
    (["model=bilstm", "model.lrr=1,2"], ["model.lrr", "did you mean lr?"]),
    (["model.lr=interval(1,2)"], ["model.lr", "sweep=optuna"]),
    (["sweep=optuna", "model=bilstm"], ["nothing is varied", "interval("]),
    (["sweep=optuna", "model.lr=1,2", "sweep.n_trials=0"], ["sweep.n_trials=0", "1 or more"]),
    (["sweep=grdi"], ["sweep=grdi", "grid, optuna"]),
    (["seed=0,1", "hydra/launcher=none"], ["hydra/launcher=none", "requirements-sweep.txt"])])
def test_bad_input_is_one_line(sweeps, arguments, words):
    if "sweep=optuna" in arguments:
        pytest.importorskip("optuna")
    (line,) = sweeps(*arguments, code=2).stderr.splitlines()
    assert line.startswith("error: ") and all(word in line for word in words)


def test_a_training_hears_that_it_fell_behind(sweeps):
    optuna = pytest.importorskip("optuna")
    study = optuna.create_study(study_name="s", storage=f"sqlite:///{sweeps.folder / 'sweep.db'}")
    for _ in range(4):  # jobs with a dev score that nothing reaches
        study.add_trial(optuna.trial.create_trial(value=0.0, intermediate_values={0: -1.0, 1: -1.0}))
    study.ask()
    train = ("model=bilstm", "domain.train=32", "model.epochs=3", "model.hidden=8", "logger=csv")
    done = subprocess.run([sys.executable, "train.py", *train, f"trial='{sweeps.folder / 'sweep.db'}#s#4'"], cwd=ROOT,
                          text=True, capture_output=True, timeout=300, env=sweeps.environment)
    assert done.returncode == 1 and "epoch 1/3" in done.stderr and "epoch 2/3" not in done.stderr
    folder = sweeps.folder / "runs" / "train" / "sample" / "bilstm" / "seed=0"
    assert json.loads((folder / "status.json").read_text())["error"].startswith("Pruned: dev/f1 ")
    assert list(study.trials[4].intermediate_values) == [0, 1]


@pytest.mark.parametrize("sweep", sorted(path.stem for path in (ROOT / "conf" / "sweep").glob("*.yaml")))
@pytest.mark.parametrize("command", ["train", "attack", "evaluate"])
def test_every_preset_composes_to_its_settings(command, sweep):
    from hydra import compose, initialize_config_dir
    from omegaconf import OmegaConf

    from hardtext import config
    from hardtext.sweeping import SWEEPS

    config.register()
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        assert type(OmegaConf.to_object(compose(command, [f"sweep={sweep}"]).sweep)) is SWEEPS[sweep]


def test_a_sweep_job_is_named_by_everything_that_tells_it_apart():
    from hardtext import config

    assert config.label(["++trainer.precision=16", "++trainer.devices=2", "sweep.n_trials=3", "trial='/a#b#1'",
                         "attack.api_key=hush", "model.lr=1"]) == "model.lr=1,trainer.precision=16"
    long = [f"model.labels={'x' * 300}{n}" for n in range(2)]
    assert len(config.label([long[0]])) == 120 and config.label([long[0]]) != config.label([long[1]])
