"""``executor=`` on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from hardtext import config
from hardtext.executors import EXECUTORS, ProcessSettings, RaySettings

CONF = Path(__file__).resolve().parents[2] / "conf"

config.register()


def executor(command: str, *overrides: str):
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return OmegaConf.to_object(compose(command, config.freed(overrides))).executor


@pytest.mark.parametrize("command", ["attack", "train"])
def test_both_commands_take_an_executor(command):
    assert executor(command) is None and executor(command, "executor=null") is None
    assert executor(command, "executor=process", "executor.workers=2", "executor.devices=[cuda:0,cuda:1]") == ProcessSettings(
        workers=2, devices=["cuda:0", "cuda:1"])
    assert executor(command, "executor=ray", "executor.address=local", "executor.gpus=0.5",
                    "++executor.resources.big=1") == RaySettings(address="local", gpus=0.5, resources={"big": 1.0})


def test_every_executor_has_a_config_file():
    assert sorted(p.stem for p in (CONF / "executor").glob("*.yaml")) == sorted([*EXECUTORS, "none"])
    assert executor("attack", "executor=ray").address == "auto"


def test_settings_of_no_executor_are_refused_in_one_line():
    done = subprocess.run([sys.executable, "attack.py", "executor.workers=2"], cwd=CONF.parent, text=True, timeout=60,
                          capture_output=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "executor.workers=2" in done.stderr and "executor=process" in done.stderr


def test_an_executor_gives_a_sweeps_job_no_other_folder():
    assert config.label(["executor=process", "executor.workers=2", "model.lr=1"]) == "model.lr=1"
