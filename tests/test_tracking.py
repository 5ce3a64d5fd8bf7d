"""The diary of a run: what the CSV and the W&B files really hold, read back."""

from __future__ import annotations

import csv
import json
import os
import struct
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext import tracking
from hardtext.core import Attempt, InputError
from hardtext.tracking import LoggerSettings, MetricsFile, open_run, word_diff

CSV = LoggerSettings(wandb=False)
OFFLINE = LoggerSettings(mode="offline", tags=["test"])


@pytest.fixture(autouse=True)
def nobody_is_logged_in(monkeypatch, tmp_path):
    for name in [name for name in os.environ if name.startswith("WANDB_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NETRC", str(tmp_path / "no-netrc"))


def metrics(folder: Path) -> list[dict[str, str]]:
    with open(folder / "logs" / "metrics.csv", newline="") as file:
        return list(csv.DictReader(file))


def wandb_records(folder: Path) -> list:
    """The records of the folder's newest offline run, waited for: wandb's own process writes the last ones a moment
    after the run has finished."""
    file = max(folder.glob("wandb/offline-run-*/*.wandb"))
    for _ in range(100):
        records = list(parse_records(file.read_bytes()))
        if records and records[-1].WhichOneof("record_type") == "exit":
            return records
        time.sleep(0.1)
    pytest.fail(f"{file} has no end after 10 seconds")


def parse_records(data: bytes) -> Iterator:
    """The records of a .wandb file. It is a LevelDB log after a header of 7 bytes: blocks of 32 kB; each piece has a
    checksum, a length and a type (1 whole, 2 first, 3 middle, 4 last)."""
    from wandb.proto.wandb_internal_pb2 import Record

    position, whole = 7, b""
    while position + 7 <= len(data):
        if (left := 32768 - position % 32768) < 7:
            position += left
            continue
        _, length, kind = struct.unpack("<IHB", data[position : position + 7])
        whole += data[position + 7 : position + 7 + length]
        position += 7 + length
        if position > len(data):  # still being written
            return
        if kind in (1, 4):
            yield Record.FromString(whole)
            whole = b""


def read_wandb(folder: Path) -> dict:
    """What the newest offline run of a folder holds: id, config, history rows, summary, tables by name, exit code."""
    found = {"config": {}, "history": [], "summary": {}, "tables": {}, "axes": {}}
    for record in wandb_records(folder):
        kind = record.WhichOneof("record_type")
        if kind == "run":
            found |= {"id": record.run.run_id, "name": record.run.display_name, "group": record.run.run_group,
                      "tags": list(record.run.tags), "project": record.run.project}
            found["config"] |= {item.key: json.loads(item.value_json) for item in record.run.config.update}
        elif kind == "history":
            row = {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in record.history.item}
            found["history"].append(row)
        elif kind == "summary":
            items = record.summary.update
            found["summary"] |= {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}
        elif kind == "metric" and record.metric.step_metric:
            found["axes"][record.metric.name] = record.metric.step_metric
        elif kind == "exit":
            found["exit_code"] = record.exit.exit_code
    media = next(folder.glob("wandb/offline-run-*/files/media"), folder) / "table"
    for file in media.rglob("*.table.json"):
        found["tables"][str(file.relative_to(media)).rsplit("_", 2)[0]] = json.loads(file.read_text())
    return found


def attempt(number: int, status: str = "failed", adversarial: str | None = None) -> Attempt:
    return Attempt(id=str(number), domain="d", victim="v", attack="a", label=1, original=("the claim is bad",),
                   adversarial=None if adversarial is None else (adversarial,), status=status,
                   original_probs=[0.1, 0.9], adversarial_probs=None if adversarial is None else [0.6, 0.4],
                   queries=7, forwards=5, seconds=0.1, seed=0)


# CSV


def test_metrics_are_one_line_per_moment(tmp_path):
    with open_run(tmp_path, CSV, {}, "n") as run:
        run.log({"loss": 1.5, "none": None}, step=0, phase="clean")
        run.log({"loss": np.float32(0.5), "f1": np.array(0.25)}, step=1, phase="hardened")
        assert len(metrics(tmp_path)) == 2  # on disk at once
        run.log({"note": "a,b"})
    assert metrics(tmp_path) == [
        {"step": "0", "clean/loss": "1.5", "hardened/loss": "", "hardened/f1": "", "note": ""},
        {"step": "1", "clean/loss": "", "hardened/loss": "0.5", "hardened/f1": "0.25", "note": ""},
        {"step": "", "clean/loss": "", "hardened/loss": "", "hardened/f1": "", "note": "a,b"}]


def test_a_resumed_run_appends_after_the_last_whole_line(tmp_path):
    file = tmp_path / "metrics.csv"
    MetricsFile(file).append({"loss": 1.0}, 0)
    with open(file, "a") as half:
        half.write("1,0.")
    resumed = MetricsFile(file)
    resumed.append({"loss": 0.5}, 1)
    resumed.append({"f1": 0.1}, None)
    assert file.read_text() == "step,loss,f1\n0,1.0,\n1,0.5,\n,,0.1\n"


@pytest.mark.parametrize("left", ["", "st", "step,loss\n"])
def test_a_kill_in_the_first_line_leaves_a_usable_file(tmp_path, left):
    file = tmp_path / "metrics.csv"
    file.write_text(left)
    MetricsFile(file).append({"f1": 0.1}, 3)
    (row,) = csv.DictReader(file.read_text().splitlines())
    assert (row["step"], row["f1"]) == ("3", "0.1")


def test_tables_and_confusion_as_csv(tmp_path):
    with open_run(tmp_path, CSV, {}, "n") as run:
        run.table("by/class", ["name", "f1"], [["fake", 0.5], ["a,b", None]])
        run.confusion("confusion", np.array([[3, 1], [0, 4]]), ("real", "fake"))
        run.attempts("attempts", [attempt(1)])
        run.summary({"f1": 0.5})
        with pytest.raises(ValueError, match="zip"):
            run.confusion("wrong", [[1]], ("real", "fake"))
    assert (tmp_path / "logs" / "by--class.csv").read_text() == 'name,f1\nfake,0.5\n"a,b",\n'
    assert (tmp_path / "logs" / "confusion.csv").read_text() == "true,real,fake\nreal,3,1\nfake,0,4\n"
    assert not (tmp_path / "wandb").exists()


def test_lightning_logs_every_epoch_and_a_second_process_appends(tmp_path):
    import pytorch_lightning as pl
    import torch

    class Line(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.save_hyperparameters({"lr": 0.1})
            self.layer = torch.nn.Linear(1, 1)

        def training_step(self, batch, _):
            loss = self.layer(batch).square().mean()
            self.log("train/loss", loss, on_step=False, on_epoch=True)
            return loss

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    for phase in ("clean", "hardened"):
        with open_run(tmp_path, CSV, {}, "n") as run:
            trainer = pl.Trainer(max_epochs=2, logger=run.lightning_loggers(phase), enable_progress_bar=False,
                                 enable_model_summary=False, enable_checkpointing=False, accelerator="cpu")
            trainer.fit(Line(), torch.utils.data.DataLoader(torch.ones(4, 1), batch_size=2))
    rows = metrics(tmp_path)
    assert [row["step"] for row in rows] == ["1", "3", "1", "3"]
    assert [bool(row["clean/train/loss"]) for row in rows] == [True, True, False, False]
    assert all(float(row["hardened/train/loss"]) >= 0 for row in rows[2:])
    assert {path.name for path in (tmp_path / "logs").iterdir()} == {"metrics.csv"}


def test_without_wandb_it_is_not_imported(tmp_path):
    code = """
        import sys
        from pathlib import Path
        from hardtext.tracking import LoggerSettings, open_run
        assert not {"torch", "pytorch_lightning", "pandas", "rapidfuzz"} & sys.modules.keys(), "import is not cheap"
        for settings in (LoggerSettings(wandb=False), LoggerSettings(mode="disabled")):
            with open_run(Path(sys.argv[1]), settings, {}, "n") as run:
                run.log({"loss": 1.0}, 0)
                run.table("t", ["a"], [[1]])
                run.lightning_loggers()
        assert "pytorch_lightning" in sys.modules
        print([name for name in sys.modules if name.partition(".")[0] == "wandb"])
    """
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(tmp_path)],
                            capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


# W&B, offline


def test_an_offline_run_read_back(tmp_path):
    config = {"model": {"lr": 2e-05}, "seed": 0, "api_key": "HUNTER2"}
    with open_run(tmp_path, OFFLINE, config, "pr/bilstm", group="pr") as run:
        run.log({"loss": 1.5}, step=3, phase="clean")
        run.log({"loss": 0.5}, step=1, phase="hardened")
        run.table("mixed", ["id", "value", "number"], [[1, "x", 1], ["2", 2.5, 2.5], [None, None, 3]])
        run.confusion("clean confusion", [[3, 1], [0, 4]], ("real", "fake"))
        run.attempts("attempts/before", [attempt(1), attempt(2, "success", "the claim is poor"), attempt(3)], limit=2)
        run.summary({"f1": 0.5})
        run_id = run.wandb_id
    found = read_wandb(tmp_path)
    assert (found["id"], found["name"], found["group"], found["project"], found["tags"], found["exit_code"]) == (
        run_id, "pr/bilstm", "pr", "hardtext", ["test"], 0)
    assert found["config"]["model"] == {"lr": 2e-05} and found["config"]["seed"] == 0
    assert found["history"][0].items() >= {"clean/loss": 1.5, "clean/step": 3}.items()
    assert found["history"][1].items() >= {"hardened/loss": 0.5, "hardened/step": 1}.items()
    assert found["axes"] == {"clean/loss": "clean/step", "hardened/loss": "hardened/step"}
    assert found["summary"]["f1"] == 0.5
    tables = found["tables"]
    assert tables["mixed"]["data"] == [["1", "x", 1], ["2", "2.5", 2.5], ["", "", 3]]
    assert tables["clean confusion_table"]["data"] == [["real", "real", 3], ["real", "fake", 1],
                                                 ["fake", "real", 0], ["fake", "fake", 4]]
    sample = tables["attempts/before"]
    rows = [dict(zip(sample["columns"], row, strict=True)) for row in sample["data"]]
    assert [row["id"] for row in rows] == ["2", "1"]
    assert rows[0]["change"] == "the claim is [-bad-] {+poor+}"
    assert (rows[0]["before"], rows[0]["after"], rows[1]["after"]) == ("90.0%", "40.0%", "")
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"HUNTER2" not in file.read_bytes(), file


def test_two_runs_of_one_process_are_two_runs(tmp_path):
    ids = []
    for name in ("one", "two"):
        with open_run(tmp_path / name, OFFLINE, {"job": name}, name) as run:
            run.log({"value": len(ids)}, step=0)
            ids.append(run.wandb_id)
    one, two = read_wandb(tmp_path / "one"), read_wandb(tmp_path / "two")
    assert [one["id"], two["id"]] == ids and one["id"] != two["id"]
    assert (one["config"]["job"], two["config"]["job"]) == ("one", "two")
    assert (one["history"][0]["value"], two["history"][0]["value"]) == (0, 1)


def test_a_resumed_run_keeps_its_id_and_a_failure_is_marked(tmp_path):
    with pytest.raises(RuntimeError, match="boom"), open_run(tmp_path, OFFLINE, {}, "n") as run:
        run.log({"loss": 1.0}, 0)
        raise RuntimeError("boom")
    first = read_wandb(tmp_path)
    time.sleep(1.1)  # wandb names its folders by the second
    with open_run(tmp_path, OFFLINE, {}, "n") as run:
        run.log({"loss": 0.5}, 1)
    second = read_wandb(tmp_path)
    assert (first["exit_code"], second["exit_code"]) == (1, 0)
    assert first["id"] == second["id"] and len(list(tmp_path.glob("wandb/offline-run-*"))) == 2
    assert [row["loss"] for row in metrics(tmp_path)] == ["1.0", "0.5"]


def test_a_run_of_the_caller_is_left_alone(tmp_path):
    import wandb

    mine = wandb.init(mode="offline", dir=str(tmp_path), settings=wandb.Settings(silent=True, console="off"))
    try:
        with open_run(tmp_path / "run", OFFLINE, {}, "n") as run:
            assert run.wandb_id != mine.id
        assert wandb.run is mine
        mine.log({"still": 1})
    finally:
        mine.finish()


def test_the_death_of_wandb_does_not_stop_the_work(tmp_path):
    code = """
        import os, signal, subprocess, sys, time
        from pathlib import Path
        from hardtext.tracking import LoggerSettings, open_run
        with open_run(Path(sys.argv[1]), LoggerSettings(mode="offline"), {}, "n") as run:
            run.log({"loss": 1.0}, 0)
            children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            service = [p for p in children if "wandb-core" in Path(f"/proc/{p}/cmdline").read_text()]
            assert len(service) == 1
            os.kill(int(service[0]), signal.SIGKILL)
            time.sleep(0.5)
            run.log({"loss": 0.5}, 1)
            run.table("t", ["a"], [[1]])
        print("went on")
    """
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(tmp_path)], check=True,
                            capture_output=True, text=True)
    assert result.stdout == "went on\n" and result.stderr.count("W&B stopped (ConnectionResetError") == 1
    assert [row["loss"] for row in metrics(tmp_path)] == ["1.0", "0.5"]


def test_it_is_quiet_keeps_to_its_folder_and_leaves_no_argument_behind(tmp_path):
    code = """
        import os, sys
        from pathlib import Path
        from hardtext.tracking import LoggerSettings, open_run
        before = dict(os.environ)
        with open_run(Path(sys.argv[1]), LoggerSettings(), {}, "n") as run:
            run.table("t", ["a"], [[1]])
            print("said by the program")
        after = dict(os.environ)
        after.pop("WANDB_SERVICE")  # how wandb's own process is found
        assert after == before
    """
    home = tmp_path / "home"
    home.mkdir()
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "run"), "model.token=HUNTER2"],
                            check=True, capture_output=True, text=True, cwd=home,
                            env={**os.environ, "HOME": str(home)})
    assert (result.stdout, result.stderr) == ("said by the program\n", "")
    assert list(home.rglob("*")) == []
    assert read_wandb(tmp_path / "run")["tables"]["t"]["data"] == [[1]]
    for file in (tmp_path / "run").rglob("*"):
        assert not file.is_file() or b"HUNTER2" not in file.read_bytes(), file


# Online or not


UNREACHABLE = {"WANDB_API_KEY": "0" * 40, "WANDB_BASE_URL": "http://127.0.0.1:9"}


def start(tmp_path: Path, mode: str, **environment: str) -> subprocess.CompletedProcess:
    code = f"""
        import logging, sys
        from pathlib import Path
        from hardtext import tracking
        from hardtext.core import InputError
        logging.basicConfig(format="%(levelname)s %(message)s", level="INFO")
        tracking.CONNECT_SECONDS = 1.0
        try:
            with tracking.open_run(Path(sys.argv[1]), tracking.LoggerSettings(mode={mode!r}), {{}}, "n") as run:
                run.log({{"loss": 1.0}}, 0)
        except InputError as error:
            print(error)
    """
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(tmp_path)], check=True, timeout=60,
                          capture_output=True, text=True, env={**os.environ, **environment})


def test_logged_in_but_no_network_is_kept_offline_within_seconds(tmp_path):
    begin = time.monotonic()
    result = start(tmp_path, "auto", **UNREACHABLE)
    assert time.monotonic() - begin < 30 and result.stdout == ""
    assert "WARNING W&B cannot be reached" in result.stderr and "wandb sync" in result.stderr
    assert read_wandb(tmp_path)["history"][0]["loss"] == 1.0


def test_who_is_logged_in(tmp_path, monkeypatch):
    assert not tracking._logged_in()
    (tmp_path / "netrc").write_text(f"machine api.wandb.ai login user password {'0' * 40}\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert tracking._logged_in()
    monkeypatch.setenv("NETRC", str(tmp_path / "none"))
    monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
    assert tracking._logged_in()


def test_the_environment_may_say_offline(tmp_path):
    result = start(tmp_path, "auto", WANDB_MODE="offline", **UNREACHABLE)
    assert "WARNING" not in result.stderr and read_wandb(tmp_path)["history"]


@pytest.mark.parametrize("environment", [{}, UNREACHABLE])
def test_online_that_cannot_be_had_is_one_line(tmp_path, environment):
    lines = start(tmp_path, "online", **environment).stdout.splitlines()
    assert len(lines) == 1 and lines[0].startswith("logger.mode=online: W&B does not start (")
    assert lines[0].endswith("set logger.mode=offline, or logger=csv")


def test_settings():
    from omegaconf import OmegaConf

    schema = OmegaConf.structured(LoggerSettings)
    assert OmegaConf.to_object(OmegaConf.merge(schema, {"entity": "e", "tags": ["a"]})) == LoggerSettings(
        entity="e", tags=["a"])
    with pytest.raises(InputError, match="logger.mode=on: expected one of auto, offline, online, disabled"):
        LoggerSettings(mode="on")


def test_a_follower_writes_nothing(tmp_path):
    with open_run(tmp_path / "run", OFFLINE, {}, "n", follower=True) as run:
        run.log({"loss": 1.0}, 0)
        run.table("t", ["a"], [[1]])
        run.confusion("c", [[1]], ["x"])
        assert run.lightning_loggers() == []
    assert not (tmp_path / "run").exists()


# Differences between texts


@pytest.mark.parametrize(("old", "new", "expected"), [
    (("the cat sat",), ("oh the cat sat",), "{+oh+} the cat sat"),
    (("a b c d",), ("a d",), "a [-b c-] d"),
    (("a b",), ("c d",), "[-a b-] {+c d+}"),
    (("evidence", "claim"), ("evidence", "fact"), "evidence ~ [-claim-] {+fact+}"),
    (("",), ("",), ""),
])
def test_word_diff(old, new, expected):
    assert word_diff(old, new) == expected


WORDS = st.lists(st.sampled_from("abcd"), max_size=12)


@given(WORDS, WORDS)
def test_both_texts_can_be_read_from_the_diff(old, new):
    import re

    marked = word_diff((" ".join(old),), (" ".join(new),))
    assert re.sub(r"\{\+.*?\+\}", "", marked).replace("[-", "").replace("-]", "").split() == old
    assert re.sub(r"\[-.*?-\]", "", marked).replace("{+", "").replace("+}", "").split() == new


def test_the_diff_of_a_long_text_takes_no_time():
    old = ["the", "of", "and", "to"] * 2500
    new = ["xx" if i % 97 == 0 else word for i, word in enumerate(old)]
    begin = time.monotonic()
    assert word_diff((" ".join(old),), (" ".join(new),)).count("{+xx+}") == 104
    assert time.monotonic() - begin < 5
