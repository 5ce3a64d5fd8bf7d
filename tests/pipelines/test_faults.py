"""What befalls a run, as real processes: kill -9 in each phase, full and read-only disks, a second process."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRAIN = ("train.py", "logger=csv", "experiment=quick", "domain.name=sample", "domain.train=96", "model.adversary.subset=24",
         "model.epochs=2", "robustness.limit=8", "semantic=none")
ATTACK = ("attack.py", "logger=csv", "model=callable", "model.target=slowly:classify", "attack=deepwordbug", "limit=30")
VARYING = {"seconds", "forwards", "wall_seconds", "training_seconds", "started", "finished"}


def environment(folder: Path, **more: str) -> dict[str, str]:
    (folder / "slowly.py").write_text(
        "import os, time\ndef classify(texts):\n    time.sleep(float(os.environ.get('PAUSE', 0)) * len(texts))\n"
        "    return [[0.9, 0.1] if sum(map(ord, t)) % 7 else [0.2, 0.8] for t in texts]\n")
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return os.environ | {"HARDTEXT_RUNS": str(folder / "runs"), "HARDTEXT_DATA": str(folder / "data"), "PYTHONPATH": path,
                         "OMP_NUM_THREADS": "1"} | more


def run(folder: Path, *command: str, code: int = 0, **more: str) -> str:
    done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment(folder, **more), capture_output=True,
                          text=True, timeout=900)
    assert done.returncode == code, done.stderr[-3000:]
    assert code != 2 or ("Traceback" not in done.stderr and done.stderr.splitlines()[-1].startswith("error: "))
    return done.stderr


def start(folder: Path, *command: str, **more: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, *command], cwd=ROOT, env=environment(folder, **more),
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def killed_when(process: subprocess.Popen, reached) -> None:
    deadline = time.monotonic() + 600
    while not reached():
        assert process.poll() is None and time.monotonic() < deadline, "it was over before it could be killed"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def lasting(value):
    """What a row or report says, but for the clock."""
    if isinstance(value, dict):
        return {key: lasting(one) for key, one in value.items() if key not in VARYING}
    return [lasting(one) for one in value] if isinstance(value, list) else value


def rows(file: Path) -> list[dict]:
    return [lasting(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A training that nobody stopped."""
    folder = tmp_path_factory.mktemp("whole")
    run(folder, *TRAIN, f"out={folder / 'out'}")
    return folder / "out"


def in_phase(out: Path, name: str) -> bool:
    file = out / "status.json"
    return file.is_file() and json.loads(file.read_text()).get("phase") == name


REACHED = {
    "clean": lambda out: in_phase(out, "clean"),
    "clean, after its first epoch": lambda out: (out / "checkpoints/clean/last.ckpt").is_file(),
    "attack on the training set": lambda out: in_phase(out, "attack") and (out / "adversarial.jsonl").is_file(),
    "adversarial": lambda out: in_phase(out, "adversarial"),
    "robustness before": lambda out: (out / "robustness/before.jsonl").is_file(),
    "robustness after": lambda out: (out / "robustness/after.jsonl").is_file(),
}


@pytest.mark.slow
@pytest.mark.parametrize("phase", REACHED)
def test_a_training_killed_in_any_phase_ends_with_the_same_artefacts(whole, tmp_path, phase):
    out = tmp_path / "out"
    killed_when(start(tmp_path, *TRAIN, f"out={out}"), lambda: REACHED[phase](out))
    assert json.loads((out / "status.json").read_text())["state"] == "running" and not (out / "metrics.json").exists()
    run(tmp_path, *TRAIN, f"out={out}")
    for name in ("victim/model.safetensors", "clean/victim/model.safetensors", "victim/config.json", "victim/tokenizer.json"):
        assert (out / name).read_bytes() == (whole / name).read_bytes(), name
    for name in ("adversarial.jsonl", "robustness/before.jsonl", "robustness/after.jsonl"):
        assert rows(out / name) == rows(whole / name), name
    a, b = (lasting(json.loads((folder / "metrics.json").read_text())) for folder in (out, whole))
    assert a == b and json.loads((out / "status.json").read_text())["state"] == "done"
    assert not list(out.rglob(".*.tmp")) and not list(out.rglob(".victim.*"))


@pytest.mark.slow
def test_a_second_command_in_one_folder_is_refused_with_the_pid(tmp_path):
    out = tmp_path / "out"
    first = start(tmp_path, *ATTACK, f"out={out}", PAUSE="0.2")
    try:
        deadline = time.monotonic() + 300
        while not (out / "attempts.jsonl").exists():
            assert first.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        said = run(tmp_path, *ATTACK, f"out={out}", code=2)
        assert f"is in use by process {first.pid} on " in said.splitlines()[-1]
    finally:
        first.kill()
        first.wait()
    run(tmp_path, *ATTACK, f"out={out}")
    assert len(rows(out / "attempts.jsonl")) == 30


INSIDE = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")


@pytest.fixture
def disk(tmp_path) -> Path:
    """Where a test mounts a small file system, in a name space of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = [*INSIDE, f"mount -t tmpfs -o size=64k tmpfs {folder}"]
    if not shutil.which("unshare") or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this machine lets no test mount a small file system")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("command", "small", "kept"), [(TRAIN, "12m", "checkpoints"), (TRAIN, "80m", "checkpoints/clean"),
                                                        (ATTACK, "44k", "attempts.jsonl")],
                         ids=["train, no room for a checkpoint", "train, no room for the victim", "attack"])
def test_a_full_disk_is_one_line_and_the_same_command_goes_on(tmp_path, disk, command, small, kept):
    line = " ".join([sys.executable, *command, f"out={disk}/out"])
    script = (f"mount -t tmpfs -o size={small} tmpfs {disk}; {line}; echo code $?; ls {disk}/out/{kept} >&2; "
              f"cat {disk}/out/status.json; mount -o remount,size=600m {disk}; {line} >/dev/null; echo code $?; "
              f"cp -r {disk}/out {tmp_path}/after")
    done = subprocess.run([*INSIDE, script], cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True,
                          timeout=900)
    assert "code 2" in done.stdout and done.stdout.endswith("code 0\n"), done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    assert "No space left on device; make room and run the same command again, it goes on where it stopped" in done.stderr
    after = tmp_path / "after"
    assert json.loads((after / "status.json").read_text())["state"] == "done"
    run(tmp_path, *command, f"out={tmp_path / 'whole'}")
    for name in ("attempts.jsonl", "adversarial.jsonl", "robustness/after.jsonl"):
        if (tmp_path / "whole" / name).exists():
            assert rows(after / name) == rows(tmp_path / "whole" / name), name
    if (tmp_path / "whole" / "victim").exists():
        weights = "victim/model.safetensors"
        assert (after / weights).read_bytes() == (tmp_path / "whole" / weights).read_bytes()


@pytest.mark.slow
def test_a_read_only_disk_is_one_line(tmp_path, disk):
    line = " ".join([sys.executable, *ATTACK, f"out={disk}/out"])
    script = f"mount -t tmpfs tmpfs {disk} && mount -o remount,ro {disk}; {line}; echo code $?"
    done = subprocess.run([*INSIDE, script], cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True,
                          timeout=300)
    assert done.stdout.endswith("code 2\n") and "Traceback" not in done.stderr
    assert "Read-only file system; choose another place" in done.stderr.splitlines()[-1]
