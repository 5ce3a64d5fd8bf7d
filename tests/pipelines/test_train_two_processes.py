"""Data-parallel training as a user starts it: two processes that speak gloo train one victim."""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import torch

from hardtext import load_victim

ROOT = Path(__file__).resolve().parents[2]
WORDS = {"real": "calm plain sober checked quoted measured".split(), "fake": "shock secret miracle exposed hoax plot".split()}


def write_texts(file: Path) -> None:
    """600 texts of five words, three of which give the label away."""
    draw = random.Random(0)
    with open(file, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["text", "label"])
        for n in range(600):
            label = ("real", "fake")[n % 2]
            words = [*draw.choices(WORDS[label], k=3), *draw.choices(["city", "year", "law"], k=2), str(n)]
            rows.writerow([" ".join(words), label])


def test_two_gloo_processes_train_one_bilstm(tmp_path):
    write_texts(tmp_path / "news.csv")
    done = subprocess.run(
        [sys.executable, "train.py", "domain=file", f"domain.path={tmp_path / 'news.csv'}", "domain.positive=fake",
         "model=bilstm", "model.epochs=4", "model.lr=0.01", "logger=csv", "trainer.accelerator=cpu", "trainer.devices=2",
         "trainer.strategy=ddp"],
        cwd=ROOT, env=os.environ | {"HARDTEXT_RUNS": str(tmp_path / "runs"), "OMP_NUM_THREADS": "1"}, text=True,
        capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "MEMBER: 1/2" in done.stderr and "MEMBER: 2/2" in done.stderr
    (folder,) = (tmp_path / "runs" / "train").glob("*/bilstm/seed=0")
    assert json.loads((folder / "status.json").read_text())["state"] == "done"
    report = json.loads((folder / "metrics.json").read_text())
    steps = torch.load(folder / "checkpoints" / "clean" / "last.ckpt", weights_only=True)["global_step"]
    assert steps == 4 * -(-report["examples"]["train"] // 64)  # 32 texts for each of two processes, four times all of them
    assert report["attack"]["accuracy"] > 0.95
    victim = load_victim(folder, device="cpu")
    assert victim.probabilities([("shock miracle hoax city year",), ("calm sober quoted law city",)]).argmax(1).tolist() == [
        victim.classes.index("fake"), victim.classes.index("real")]
