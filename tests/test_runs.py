"""Run folders: whose they are, who works there, and what a kill or a full disk leaves."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hardtext import disks, runs
from hardtext.core import InputError
from hardtext.runs import RunFolder

CONFIG = {"model": {"name": "bert", "lr": 2e-05}, "seed": 0, "limit": 10, "logger": {"wandb": True}}


def changed(**values) -> dict:
    return {**CONFIG, **values}


def state(path: Path) -> dict:
    return json.loads((path / "status.json").read_text())


def finish(path: Path, config: dict = CONFIG, *files: str) -> None:
    with RunFolder.open(path, config):
        for name in files:
            (path / name).write_text("x")


def python(code: str, *arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


# Where runs lie


def test_the_folders_of_the_contract(monkeypatch, tmp_path):
    monkeypatch.setenv("HARDTEXT_RUNS", str(tmp_path))
    assert runs.train_folder("pr", "bilstm", 0) == tmp_path / "train/pr/bilstm/seed=0"
    assert runs.attack_folder("pr", "bilstm", "bert_attack", 3) == tmp_path / "attack/pr/bilstm/bert_attack/seed=3"
    assert runs.evaluate_folder("score", "pr", "org/model") == tmp_path / "evaluate/score/pr/org--model"
    monkeypatch.delenv("HARDTEXT_RUNS")
    assert runs.runs_root().name == "runs"


@pytest.mark.parametrize(("name", "expected"), [
    ("bert_attack", "bert_attack"), ("org/model", "org--model"), ("../x", "x"), ("..", "_"), ("", "_"),
    (".git", "_git"),
    ("/etc/passwd", "etc--passwd"), ("a b:c", "a_b_c"), ("..\\..\\x", "x"), ("a\x00b", "a_b"), ("modèle", "modèle"),
])
def test_a_name_becomes_one_component(name, expected):
    assert runs.component(name) == expected


@given(st.text())
def test_no_name_leaves_its_folder(name):
    safe = runs.component(name)
    assert safe not in ("", ".", "..") and not safe.startswith(".") and "/" not in safe and "\0" not in safe
    assert Path("/runs", safe).parent == Path("/runs") and len(safe) <= 121


# From running to done


def test_status_and_config_of_a_run_that_ends_well(tmp_path):
    with RunFolder.open(tmp_path / "a/b", CONFIG) as run:
        during = state(run.path)
        run.phase("attack")
        assert state(run.path)["phase"] == "attack"
    assert during["state"] == "running" and during["pid"] == os.getpid() and "finished" not in during
    after = state(tmp_path / "a/b")
    assert after["state"] == "done" and after["started"] <= after["finished"] and "error" not in after
    assert yaml.safe_load((tmp_path / "a/b/config.yaml").read_text()) == CONFIG


def test_a_failure_is_noted_in_one_line_and_raised(tmp_path):
    with pytest.raises(ValueError, match="first"), RunFolder.open(tmp_path, CONFIG):
        raise ValueError("first\nsecond")
    assert state(tmp_path)["state"] == "failed" and state(tmp_path)["error"] == "ValueError: first"
    with pytest.raises(InputError), RunFolder.open(tmp_path, CONFIG):
        raise InputError("domain=zz: no such domain")
    assert state(tmp_path)["error"] == "domain=zz: no such domain"
    with pytest.raises(KeyboardInterrupt), RunFolder.open(tmp_path, CONFIG):
        raise KeyboardInterrupt
    assert state(tmp_path)["error"] == "KeyboardInterrupt"
    finish(tmp_path)  # the same config goes on after a failure
    assert state(tmp_path)["state"] == "done" and "error" not in state(tmp_path)


def test_a_finished_run_is_left_alone(tmp_path):
    finish(tmp_path, CONFIG, "metrics.json")
    before = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    with RunFolder.open(tmp_path, CONFIG) as run:
        assert run.done
        run.phase("again")
    assert {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == before


def test_a_finished_run_can_be_asked_for_from_two_places(tmp_path):
    finish(tmp_path, CONFIG, "metrics.json")
    with RunFolder.open(tmp_path, CONFIG) as one, RunFolder.open(tmp_path, CONFIG) as two:
        assert one.done and two.done


# Another config


def test_another_config_is_refused_with_the_differences(tmp_path):
    finish(tmp_path, CONFIG, "metrics.json")
    other = {"model": {"name": "bert", "lr": 1e-04}, "seed": 0, "limit": 10, "batch": None}
    with pytest.raises(InputError) as caught, RunFolder.open(tmp_path, other, ignore=["logger"]):
        pytest.fail("opened")
    message = str(caught.value)
    assert "(model.lr: 2e-05 → 0.0001; batch: (absent) → null)" in message
    assert "overwrite=true" in message and "another seed or folder" in message and "\n" not in message
    assert state(tmp_path)["state"] == "done"


def test_a_long_list_of_differences_is_cut(tmp_path):
    finish(tmp_path, {f"k{i}": 0 for i in range(9)}, "metrics.json")
    with pytest.raises(InputError, match=r"k0: 0 → 1; .*k4: 0 → 1; and 4 more\)"), \
            RunFolder.open(tmp_path, {f"k{i}": 1 for i in range(9)}):
        pytest.fail("opened")


def test_what_does_not_matter_may_change(tmp_path):
    finish(tmp_path, CONFIG, "attempts.jsonl")
    ignore = ["logger", "trainer.enable_*"]
    other = changed(logger={"wandb": False}, trainer={"enable_progress_bar": False})
    with RunFolder.open(tmp_path, other, ignore=ignore) as run:
        assert run.done
    with pytest.raises(InputError, match="trainer.devices"), \
            RunFolder.open(tmp_path, changed(trainer={"devices": 2}), ignore=ignore):
        pytest.fail("opened")


def test_asking_for_more_takes_a_finished_run_up_again(tmp_path):
    finish(tmp_path, CONFIG, "attempts.jsonl")
    with RunFolder.open(tmp_path, changed(limit=100), extend=["limit"]) as run:
        assert not run.done and (tmp_path / "attempts.jsonl").exists()
    with RunFolder.open(tmp_path, changed(limit=100), extend=["limit"]) as run:
        assert run.done


def test_another_config_is_refused_before_the_folder_is_opened(tmp_path):
    finish(tmp_path, CONFIG, "attempts.jsonl")
    before = (tmp_path / "status.json").read_bytes(), (tmp_path / "config.yaml").read_bytes()
    runs.refuse_other_config(tmp_path, CONFIG)
    runs.refuse_other_config(tmp_path, changed(limit=5), ("limit",))
    runs.refuse_other_config(tmp_path / "new", CONFIG)
    with pytest.raises(InputError, match=r"another config \(seed: 0 → 1\): overwrite=true"):
        runs.refuse_other_config(tmp_path, changed(limit=5, seed=1), ("limit",))
    assert before == ((tmp_path / "status.json").read_bytes(), (tmp_path / "config.yaml").read_bytes())


def test_a_config_that_failed_before_any_work_does_not_stand_in_the_way(tmp_path):
    with pytest.raises(InputError), RunFolder.open(tmp_path, changed(seed=1)):
        (tmp_path / "logs").mkdir()
        raise InputError("model.source=x: no such folder")
    finish(tmp_path, CONFIG)
    assert state(tmp_path)["state"] == "done" and not (tmp_path / "logs").exists()


def test_overwrite_removes_what_the_run_owns_and_nothing_else(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "keep").write_text("x")
    run_folder = tmp_path / "run"
    finish(run_folder, CONFIG, "metrics.json", "notes.txt")
    (run_folder / "victim").mkdir()
    (run_folder / "victim" / "link").symlink_to(outside)
    (run_folder / "checkpoints").symlink_to(outside)
    with RunFolder.open(run_folder, changed(seed=1), overwrite=True) as run:
        assert not run.done
        assert {file.name for file in run_folder.iterdir()} == {
            ".hardtext.lock", "config.yaml", "status.json", "notes.txt"}
    assert (outside / "keep").exists()


def test_a_folder_of_someone_else_is_not_taken_over(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "config.yaml").write_text("theirs: 1\n")
    for overwrite in (False, True):  # a refusal must not make it a run folder for the next call
        with pytest.raises(InputError, match="not a run folder but holds config.yaml, logs"), \
                RunFolder.open(tmp_path, CONFIG, overwrite=overwrite):
            pytest.fail("opened")
    assert (tmp_path / "config.yaml").read_text() == "theirs: 1\n" and (tmp_path / "logs").is_dir()


def test_a_copied_run_folder_without_hidden_files_is_still_one(tmp_path):
    finish(tmp_path / "a", CONFIG, "metrics.json")
    (tmp_path / "a" / ".hardtext.lock").unlink()
    with RunFolder.open(tmp_path / "a", changed(seed=2), overwrite=True) as run:
        assert not (run.path / "metrics.json").exists()


def test_damaged_files_are_named(tmp_path):
    finish(tmp_path, CONFIG, "metrics.json")
    (tmp_path / "config.yaml").write_text("a: [1,")
    with pytest.raises(InputError, match=r"config\.yaml is damaged .*overwrite=true"), RunFolder.open(tmp_path, CONFIG):
        pytest.fail("opened")
    finish(tmp_path / "b", CONFIG, "metrics.json")
    (tmp_path / "b" / "status.json").write_text('{"state": "do')
    with RunFolder.open(tmp_path / "b", CONFIG) as run:  # not known to be done: gone on with
        assert not run.done and (run.path / "metrics.json").exists()


PLAIN = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
                     lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
                     max_leaves=8)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(value=PLAIN)
@example("\x85")
@example({"1e-5": "1e-5", "\x85": "no", "": "2024-01-01"})
def test_the_same_config_is_always_known_again(tmp_path, value):
    folder = tmp_path / "run"
    shutil.rmtree(folder, ignore_errors=True)
    finish(folder, {"x": value}, "metrics.json")
    with RunFolder.open(folder, {"x": value}) as run:
        assert run.done


def test_secrets_are_not_kept(tmp_path):
    config = {"api_key": "AAA1", "victim": {"headers": [{"Authorization": "Bearer AAA2", "X-API-Key": "AAA3"}]},
              "url": "https://me:AAA4@host/v1?key=AAA5&n=1", "hf_token": "AAA6", "nothing": {"password": None},
              "batch_tokens": 4096, "domain": {"text": "body", "key_column": "id"}}
    finish(tmp_path, config)
    text = (tmp_path / "config.yaml").read_text()
    assert "AAA" not in text
    kept = yaml.safe_load(text)
    assert kept["batch_tokens"] == 4096 and kept["domain"] == config["domain"] and kept["nothing"] == {"password": None}
    with RunFolder.open(tmp_path, {**config, "api_key": "BBB"}) as run:  # another key is the same run
        assert run.done


# Two processes


HOLD = """
    import sys, time
    from pathlib import Path
    from hardtext.runs import RunFolder
    with RunFolder.open(Path(sys.argv[1]), {"seed": 0}) as run:
        (run.path / "attempts.jsonl").write_text("{}\\n")
        print("held", flush=True)
        time.sleep(60)
"""


def hold(path: Path, code: str = HOLD) -> subprocess.Popen:
    process = python(code, str(path))
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_refused_and_a_kill_frees_the_folder(tmp_path):
    process = hold(tmp_path)
    try:
        for overwrite in (False, True):
            with pytest.raises(InputError, match=f"in use by process {process.pid} .*another seed or folder"), \
                    RunFolder.open(tmp_path, {"seed": 0}, overwrite=overwrite):
                pytest.fail("opened")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert state(tmp_path) | {"started": ""} == {"state": "running", "pid": process.pid, "started": ""}
    (tmp_path / f".status.json.{process.pid}.tmp").write_text('{"sta')  # what a kill inside an atomic write leaves
    with RunFolder.open(tmp_path, {"seed": 0}) as run:
        assert not run.done and (tmp_path / "attempts.jsonl").read_text() == "{}\n"
        assert state(tmp_path)["pid"] == os.getpid()
    assert state(tmp_path)["state"] == "done" and not list(tmp_path.glob("*.tmp")) and not list(tmp_path.glob(".*.tmp"))


def test_a_killed_run_of_another_config_is_refused_too(tmp_path):
    process = hold(tmp_path)
    process.kill()
    process.wait()
    with pytest.raises(InputError, match="seed: 0 → 1"), RunFolder.open(tmp_path, {"seed": 1}):
        pytest.fail("opened")


def test_a_forked_worker_does_not_keep_the_folder(tmp_path):
    process = hold(tmp_path, """
        import os, sys, time
        from pathlib import Path
        from hardtext.runs import RunFolder
        with RunFolder.open(Path(sys.argv[1]), {"seed": 0}) as run:
            child = os.fork()
            if child == 0:
                time.sleep(60)
                os._exit(0)
            (run.path / "child").write_text(str(child))
            time.sleep(0.2)
            print("held", flush=True)
            time.sleep(60)
    """)
    worker = int((tmp_path / "child").read_text())
    try:
        with pytest.raises(InputError, match="in use"), RunFolder.open(tmp_path, {"seed": 0}):
            pytest.fail("opened")
        process.kill()
        process.wait()
        os.kill(worker, 0)  # it lives on
        finish(tmp_path, {"seed": 0})
    finally:
        os.kill(worker, signal.SIGKILL)


def test_a_follower_of_a_distributed_run_neither_locks_nor_writes(tmp_path, monkeypatch):
    with RunFolder.open(tmp_path, CONFIG):
        before = state(tmp_path)
        with RunFolder.open(tmp_path, CONFIG, follower=True) as run:
            run.phase("clean")
            assert not run.done
        assert state(tmp_path) == before
    with RunFolder.open(tmp_path, CONFIG, follower=True) as run:
        assert run.done
    assert not runs.is_follower()
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert runs.is_follower()


# Disks


def test_a_place_that_cannot_be_written_is_said_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write to .*Not a directory.*HARDTEXT_RUNS") as caught, \
            RunFolder.open(tmp_path / "file" / "run", CONFIG):
        pytest.fail("opened")
    assert "\n" not in str(caught.value)


def test_a_read_only_folder(tmp_path):
    finish(tmp_path / "done", CONFIG, "metrics.json")
    tmp_path.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        with pytest.raises(InputError, match="cannot write to .*Permission denied"), \
                RunFolder.open(tmp_path / "run", CONFIG):
            pytest.fail("opened")
    finally:
        if root:
            os.seteuid(0)
        tmp_path.chmod(0o755)


@pytest.mark.parametrize(("number", "hint"), [
    (errno.ENOSPC, "make room, or choose another folder with out=<folder>"), (errno.EACCES, "make it writable, or choose"),
    (errno.EEXIST, "a file is in the way of this folder, or choose"), (errno.ENAMETOOLONG, "choose a shorter name, or"),
    (errno.EIO, "; choose another folder")])
def test_trouble_says_what_to_do(tmp_path, number, hint):
    for name in (tmp_path / "out" / "x", tmp_path / "out", tmp_path, None):  # of the folder, in it or above it
        with pytest.raises(InputError, match=f"cannot write to .*out: .*{hint}"), disks.disk_trouble_at(tmp_path / "out"):
            raise OSError(number, os.strerror(number), None if name is None else str(name))


def test_trouble_elsewhere_is_not_blamed_on_the_folder(tmp_path):
    with pytest.raises(PermissionError), disks.disk_trouble_at(tmp_path / "out"):
        raise PermissionError(errno.EACCES, "Permission denied", "/elsewhere/config.yaml")


def test_path_trouble_is_one_line_that_names_the_file():
    assert disks.path_trouble(OSError(errno.EACCES, "Permission denied", b"/a/key.csv")) == (
        "/a/key.csv: Permission denied; check its permissions")
    long = disks.path_trouble(OSError(errno.ENAMETOOLONG, "File name too long", "x" * 5000))
    assert len(long) < 200 and long.endswith("…: File name too long; choose a shorter name")
    assert disks.path_trouble(OSError("no number")) is None and disks.path_trouble(OSError(errno.ECHILD, "no child")) is None


def test_a_full_disk_inside_the_run(tmp_path):
    with pytest.raises(InputError, match="No space left on device; make room and run the same command"), \
            RunFolder.open(tmp_path, CONFIG), open("/dev/full", "w") as file:
        file.write("x")
        file.flush()
    assert state(tmp_path)["state"] == "failed" and "No space left" in state(tmp_path)["error"]


LIMITED = """
    import resource, sys
    from pathlib import Path
    import numpy
    from safetensors.numpy import save_file
    from hardtext.core import InputError
    from hardtext.runs import RunFolder
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    try:
        with RunFolder.open(Path(sys.argv[1]), {"seed": 0}) as run:
            save_file({"a": numpy.zeros(1000)}, run.path / "model.safetensors")
    except InputError as error:
        print(error)
"""


def test_a_limit_on_file_sizes_met_by_a_library_that_raises_no_os_error(tmp_path):
    said = python(LIMITED, str(tmp_path)).communicate(timeout=60)[0]
    assert said == (f"{disks.shown(tmp_path)}: File too large; raise the limit on file sizes (ulimit -f) and run the same "
                    f"command again, it goes on where it stopped\n")
    assert state(tmp_path)["state"] == "failed" and "File too large" in state(tmp_path)["error"]


def test_a_full_disk_is_known_by_whatever_words(tmp_path):
    wrapped = RuntimeError("storage")
    wrapped.__cause__ = ValueError("(sqlite3.OperationalError) database or disk is full")
    for error in (OSError(errno.ENOSPC, "x"), Exception("No space left on device (os error 28)"), wrapped):
        assert disks.disk_trouble(error, tmp_path / "a").endswith("a: No space left on device; make room")
    assert disks.disk_trouble(OSError(errno.ENOSPC, "x", "/a/b"), tmp_path).startswith("/a/b: ")
    for error in (OSError(errno.ENOENT, "x"), Exception("(os error 2)"), ValueError("no"), KeyboardInterrupt()):
        assert disks.disk_trouble(error, tmp_path) is None


def test_a_really_full_disk(tmp_path):
    """A file system of 64 kB, mounted in a name space of its own."""
    inside = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    mount = f"mount -t tmpfs -o size=64k tmpfs {tmp_path}"
    if not shutil.which("unshare") or subprocess.run([*inside, mount], check=False, capture_output=True).returncode:
        pytest.skip("this machine lets no test mount a small file system")
    script = tmp_path.parent / f"{tmp_path.name}.py"
    script.write_text(textwrap.dedent("""
        import sys
        from pathlib import Path
        from hardtext.core import InputError
        from hardtext.runs import RunFolder
        path = Path(sys.argv[1])
        try:
            with RunFolder.open(path, {"seed": 0}) as run:
                with open(run.path / "attempts.jsonl", "wb", buffering=0) as file:
                    while True:
                        file.write(bytes(1000))
        except InputError as error:
            print(error)
        (path / "attempts.jsonl").unlink()
        with RunFolder.open(path, {"seed": 0}) as run:
            print("done" if run.done else "goes on")
    """))
    result = subprocess.run([*inside, f"{mount} && {sys.executable} {script} {tmp_path}"],
                            check=True, capture_output=True, text=True)
    first, second = result.stdout.splitlines()
    assert "No space left on device; make room and run the same command again" in first
    assert second == "goes on" and "Traceback" not in result.stderr


def test_a_message_shows_short_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert disks.shown(tmp_path / "runs" / "a") == "runs/a"
    assert disks.shown(Path("/elsewhere")) == "/elsewhere"


def test_runs_are_cheap_to_import():
    start = time.monotonic()
    loaded = python("""
        import sys, hardtext.runs
        print(*sorted({"torch", "wandb", "omegaconf", "pytorch_lightning"} & sys.modules.keys()))
    """).communicate()[0]
    assert loaded.strip() == "" and time.monotonic() - start < 10
