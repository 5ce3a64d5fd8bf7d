"""Real worker processes, some of which are killed."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from hardtext.attacks import ATTACKS, DeepWordBug, engine
from hardtext.attacks.rows import attack_to_file
from hardtext.core import InputError
from hardtext.domains.sample import SampleDomain
from hardtext.executors import ProcessSettings, runner
from hardtext.executors.handing import WorkerError
from hardtext.executors.process import places

ROOT = Path(__file__).resolve().parents[2]
ATTACK = DeepWordBug(name="deepwordbug")


def alive(pid: int) -> bool:
    """Whether a process still runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_results_are_those_of_one_process_though_workers_are_killed(bag, texts, with_words, facts, tmp_path):
    examples = with_words(texts, "once", "always")
    alone = facts(engine.run(ATTACK, bag(device="cpu"), examples, domain="toy", seed=0))
    run = runner(ProcessSettings(workers=2, chunk=4), bag, "cpu")
    attempts = attack_to_file(tmp_path / "attempts.jsonl", ATTACK, bag(device="cpu"), examples, domain="toy", seed=0, run=run)
    assert [a.id for a in attempts] == [e.id for e in examples]
    found, deadly = facts(attempts), examples[4].id
    assert found[deadly]["status"] == "error" and "lost 2 times" in found[deadly]["error"]
    del found[deadly], alone[deadly]
    assert found == alone
    assert {a["status"] for a in found.values()} == {"success", "failed"}
    assert (tmp_path / "killed").exists(), "no worker was killed, so the test has shown nothing"
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(("word", "load", "kind", "words"), [
    ("failing", {}, WorkerError, "OSError: the model file is gone"),
    ("", {"backend": "onnx"}, InputError, "model=callable computes in its own way"),
])
def test_a_workers_exception_ends_the_run_in_the_drivers_words(bag, texts, with_words, word, load, kind, words):
    run = runner(ProcessSettings(workers=1), partial(bag, **load), "cpu")
    with pytest.raises(kind, match=words):
        list(run(ATTACK, bag(device="cpu"), with_words(texts, word), domain="toy", seed=0))
    assert not multiprocessing.active_children()


def test_a_killed_driver_leaves_no_worker_and_its_run_goes_on(bag, tmp_path):
    environment = os.environ | {"HARDTEXT_RUNS": str(tmp_path / "runs"), "HARDTEXT_DATA": str(tmp_path / "data"),
                                "BAG_SLEEP": "0.01", "BAG_DRIVER": "0"}
    command = [sys.executable, "attack.py", "logger=csv", "domain=sample", "model=callable", "model.name=bag",
               "model.target=bagmodel:predict", "attack=deepwordbug", "limit=10", "executor=process", "executor.workers=2",
               "executor.chunk=2"]
    rows = tmp_path / "runs" / "attack" / "sample" / "bag" / "deepwordbug" / "seed=0" / "attempts.jsonl"
    driver = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 180
        while not (rows.exists() and rows.stat().st_size):
            assert driver.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        children = [int(pid) for task in Path(f"/proc/{driver.pid}/task").iterdir()
                    for pid in (task / "children").read_text().split()]
    finally:
        driver.send_signal(signal.SIGKILL)
        driver.wait()
    assert len(children) >= 2
    deadline = time.monotonic() + 10
    while any(map(alive, children)):
        assert time.monotonic() < deadline, "a worker outlives its driver"
        time.sleep(0.05)
    before = rows.read_text().splitlines()
    assert 0 < len(before) < 10

    done = subprocess.run(command, cwd=ROOT, env=environment | {"BAG_SLEEP": "0"}, capture_output=True, text=True,
                          timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(rows.with_name("summary.json").read_text())["executor"] == "process"
    found = [json.loads(line) for line in rows.read_text().splitlines()]
    kept = [json.loads(line) for line in before]
    assert [row for row in found if row["id"] in {old["id"] for old in kept}] == sorted(kept, key=found.index)
    corpus = SampleDomain(name="sample").load(tmp_path / "data", 0)
    alone = engine.run(ATTACKS["deepwordbug"](name="deepwordbug"), bag(device="cpu"), corpus.attack[:10], domain="sample",
                       seed=0)
    expected = {a.id: a.to_row() | {"seconds": None} for a in alone}
    assert {row["id"]: row | {"seconds": None} for row in found} == expected
    assert [row["id"] for row in found] == [e.id for e in corpus.attack[:10]]


def test_a_run_that_is_left_early_leaves_no_process(bag, texts):
    running = runner(ProcessSettings(workers=1), bag, "cpu")(ATTACK, bag(device="cpu"), texts, domain="toy", seed=0)
    next(running)
    assert len(multiprocessing.active_children()) == 1
    running.close()
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(("settings", "device", "expected"), [
    (ProcessSettings(workers=3), "cpu", ["cpu"] * 3),
    (ProcessSettings(devices=["cuda:0", "cuda:1"]), "auto", ["cuda:0", "cuda:1"]),
    (ProcessSettings(devices=["cuda:0", "cuda:1"], workers=3), "auto", ["cuda:0", "cuda:1", "cuda:0"]),
    (ProcessSettings(), "cuda:1", ["cuda:1"]),
])
def test_workers_take_turns_at_the_devices(settings, device, expected):
    assert places(settings, device) == expected


@pytest.mark.parametrize("cuda", [0, 4])
def test_by_default_a_worker_for_every_gpu_or_core(monkeypatch, cuda):
    import torch

    monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
    monkeypatch.setattr("hardtext.executors.process.cores", lambda: 6)
    assert places(ProcessSettings(), "auto") == ([f"cuda:{n}" for n in range(4)] if cuda else ["auto"] * 6)


@pytest.mark.parametrize("key", ["workers", "chunk"])
def test_settings_are_checked(key):
    with pytest.raises(InputError, match=rf"executor\.{key}=0"):
        ProcessSettings(**{key: 0})
