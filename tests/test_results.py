"""Result folders: made from one thing, by one process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from hardtext.core import InputError
from hardtext.results import result_folder


@pytest.mark.parametrize("content", ["{", "[]", '{"made_from": {}, "files": ["../x"]}'])
def test_a_damaged_word_of_origin_is_named(tmp_path, content):
    (tmp_path / "made_from.json").write_text(content)
    with pytest.raises(InputError, match="made_from.json"), result_folder(tmp_path, {"task": "x"}, ["a"]):
        pytest.fail("opened")


def test_another_result_goes_with_all_its_files(tmp_path):
    with result_folder(tmp_path / "out", {"task": "a"}, ["a.json", "both.json"]) as folder:
        for name in ("a.json", "both.json", "mine.txt"):
            (folder / name).touch()
    with result_folder(tmp_path / "out", {"task": "b"}, ["both.json"], overwrite=True) as folder:
        assert sorted(path.name for path in folder.iterdir()) == [".hardtext.lock", "made_from.json", "mine.txt"]
    with (pytest.raises(InputError, match="is in use by process"),
          result_folder(tmp_path / "out", {"task": "b"}, []), result_folder(tmp_path / "out", {"task": "b"}, [])):
        pytest.fail("opened twice")


def test_a_second_process_is_refused_with_the_pid_and_a_kill_frees_the_folder(tmp_path):
    code = """
        import sys, time
        from pathlib import Path
        from hardtext.results import result_folder
        with result_folder(Path(sys.argv[1]), {"task": "a"}, ["a.json"]):
            print("held", flush=True)
            time.sleep(60)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "held\n"
        with (pytest.raises(InputError, match=f"is in use by process {process.pid} on "),
              result_folder(tmp_path, {"task": "a"}, ["a.json"])):
            pytest.fail("opened")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    with result_folder(tmp_path, {"task": "a"}, ["a.json"]) as folder:
        assert folder == tmp_path


def test_a_place_that_cannot_be_written_is_said_before_the_work(tmp_path):
    tmp_path.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        with (pytest.raises(InputError, match="cannot write to .*Permission denied; make it writable, or choose"),
              result_folder(tmp_path / "out", {"task": "a"}, ["a.json"])):
            pytest.fail("opened")
    finally:
        if root:
            os.seteuid(0)
        tmp_path.chmod(0o755)
