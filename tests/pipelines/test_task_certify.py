"""``task=certify``: votes, radii and what is refused, through the command's own way."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from hardtext import records
from hardtext.config import compose
from hardtext.core import Domain, Example, InputError
from hardtext.pipelines import certify
from hardtext.reporting.certify_table import About, Certified, certified_at, median_words, sheet
from hardtext.victims.defended.certificates import certified
from hardtext.victims.defended.settings import Canonicalise, Output, Smooth
from hardtext.victims.defended.smoothed import Smoothed
from hardtext.victims.export import save_victim
from hardtext.victims.settings import Encoder

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = Domain("sample", ("supported", "refuted"), pair=True, stand_in="generated sample")
DEFENCES = {"smooth": {"smooth": Smooth(rate=0.7, copies=5)},
            "coarse": {"smooth": Smooth(rate=0.3, copies=5), "output": Output()},
            "synonyms": {"smooth": Smooth(kind="synonyms", copies=5)},
            "rewriting": {"smooth": Smooth(copies=5), "canonicalise": Canonicalise(["unseen"])}, "plain": {}}


@pytest.fixture(scope="module")
def victims(tmp_path_factory):
    """An untrained net behind several defences."""
    root = tmp_path_factory.mktemp("victims")
    module = Encoder(path="bundled:tiny").module(DOMAIN, 0)
    for name, defences in DEFENCES.items():
        save_victim(module, root / name / "victim", DOMAIN, "tiny", defences)
    return root


def run(victim: Path, out: Path, *overrides: str):
    return certify.run(compose("evaluate", ["task=certify", "domain=sample", "model=tiny", f"victim={victim}", f"out={out}",
                                            "logger=csv", "limit=6", "certify.copies=40", *overrides]))


def test_the_files_say_the_same_and_name_the_stand_in(victims, tmp_path, capsys):
    made = run(victims / "smooth", tmp_path)
    rows = [Certified.from_row(row) for row in records.read_rows(tmp_path / "certified.jsonl")]
    assert len(rows) == made["texts"] == 6 and all(sum(row.votes) == 40 for row in rows)
    assert made["certified"][0]["count"] == sum(row.right and row.radius is not None for row in rows)
    assert made["certified"][-1]["count"] == 0 and made["forwards"] == 240 and made["stand_ins"]
    assert json.loads((tmp_path / "certify.json").read_text()) == json.loads(json.dumps(made))
    lines = list(csv.DictReader((tmp_path / "certify.csv").open(encoding="utf-8")))
    assert [line["certified_words"] for line in lines] == ["" if row.radius is None else str(row.radius) for row in rows]
    for text in ((tmp_path / "certify.md").read_text(), capsys.readouterr().out):
        assert "generated sample" in text and re.search(r"6 of \d+ texts", text)
    assert all((tmp_path / f"certify.{ending}").stat().st_size > 1000 for ending in ("png", "svg"))


def test_a_killed_one_goes_on_to_the_same_and_more_texts_may_be_asked_for(victims, tmp_path):
    run(victims / "smooth", tmp_path / "whole")
    whole = (tmp_path / "whole" / "certified.jsonl").read_text().splitlines()
    run(victims / "smooth", tmp_path / "killed", "limit=2")
    with (tmp_path / "killed" / "certified.jsonl").open("a") as file:
        file.write(whole[2][:20])  # killed in the middle of a line
    records.write_json(tmp_path / "killed" / "status.json", {"state": "running"})
    run(victims / "smooth", tmp_path / "killed")
    again = (tmp_path / "killed" / "certified.jsonl").read_text().splitlines()
    assert [json.loads(line) | {"seconds": 0} for line in again] == [json.loads(line) | {"seconds": 0} for line in whole]
    with pytest.raises(InputError, match="another config .*copies: 40 → 41"):
        run(victims / "smooth", tmp_path / "killed", "certify.copies=41")


def test_kill_9_loses_nothing(victims, tmp_path):
    arguments = [sys.executable, str(ROOT / "evaluate.py"), "task=certify", "domain=sample", "model=tiny", "logger=csv",
                 f"victim={victims / 'smooth'}", "limit=12", "certify.copies=400"]
    environment = os.environ | {"HARDTEXT_RUNS": str(tmp_path), "OMP_NUM_THREADS": "1"}
    rows = tmp_path / "killed" / "certified.jsonl"
    process = subprocess.Popen([*arguments, f"out={rows.parent}"], env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and not (rows.exists() and rows.stat().st_size):
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert 0 < len(rows.read_text().splitlines()) < 12
    for folder in (rows.parent, tmp_path / "whole"):
        done = subprocess.run([*arguments, f"out={folder}"], env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
    killed, whole = ([json.loads(line) | {"seconds": 0} for line in (folder / "certified.jsonl").read_text().splitlines()]
                     for folder in (rows.parent, tmp_path / "whole"))
    assert killed == whole and len(whole) == 12


@pytest.mark.parametrize("change", [
    {"votes": [1, 2, 37]}, {"votes": [20, 21]}, {"votes": [-5, 45]}, {"votes": {"1": 40}}, {"votes": [40, False]},
    {"label": 7}, {"label": True}, {"words": -4}, {"radius": 999_999_999}, {"radius": -1}, {"seconds": 1e308},
    {"seconds": "1"},
    {"forwards": None}, {"id": 3}, {"more": 1}])
def test_a_changed_row_is_named(victims, tmp_path, change):
    run(victims / "smooth", tmp_path, "limit=3")
    first, second, third = (tmp_path / "certified.jsonl").read_text().splitlines()
    for text in (json.dumps(json.loads(second) | change), '{"id": "1"}'):
        (tmp_path / "certified.jsonl").write_text(f"{first}\n{text}\n{third}\n")
        with pytest.raises(InputError, match=f"{tmp_path}/certified.jsonl, line 2: no row of task=certify, or a changed one; "
                                             f"overwrite=true"):
            run(victims / "smooth", tmp_path, "limit=3")
    assert run(victims / "smooth", tmp_path, "limit=3", "overwrite=true")["texts"] == 3


def test_other_texts_of_the_same_name_are_another_run(victims, tmp_path):
    (tmp_path / "data").mkdir()
    for split in ("train", "dev", "attack"):
        (tmp_path / "data" / f"{split}.csv").write_text(f"text,text2,label\n{split} lima,lima is it,supported\n"
                                                        f"b,{split},refuted\n")
    own = ("domain=file", "domain.name=sample", f"domain.path={tmp_path / 'data'}", "domain.text_pair=text2",
           "domain.positive=refuted")
    assert run(victims / "smooth", tmp_path / "out", *own)["texts"] == 2
    text = (tmp_path / "data" / "attack.csv").read_text()
    (tmp_path / "data" / "attack.csv").write_text(text.replace("attack lima", "another text"))
    with pytest.raises(InputError, match="another config .*texts"):
        run(victims / "smooth", tmp_path / "out", *own)


class Hoax:
    name, classes, fingerprint = "hoax", ("true", "fake"), "hoax"

    def probabilities(self, texts):
        return np.array([[0.0, 1.0] if "hoax" in " ".join(text) else [1.0, 0.0] for text in texts])


def test_equal_texts_are_asked_about_once(tmp_path):
    victim = Smoothed(Hoax(), Smooth(rate=0.7))
    text = ("a hoax it is, the hoax of the year",)
    first, other, again = certify.certify(tmp_path / "rows.jsonl", [Example("1", text, 1), Example("2", ("a report",), 0),
                                                                    Example("3", text, 0)], victim, 60, 0.05)
    assert first.votes == again.votes and (first.forwards, other.forwards, again.forwards) == (60, 60, 0)
    assert first.right and not again.right and other.radius == certified(
        np.array([60, 0]), victim.settings.untouched(("a report",)), alpha=0.05)


@pytest.mark.parametrize(("name", "kind"), [("coarse", "any other words"), ("synonyms", "synonyms the defence knows")])
def test_labels_alone_and_synonyms_are_certified_too(victims, tmp_path, name, kind, caplog):
    run(victims / name, tmp_path)
    assert kind in (tmp_path / "certify.md").read_text()
    assert ("of any number of copies certifies a word where 30% are masked" in caplog.text) == (name == "coarse")


def test_few_copies_are_told_from_few_masks(victims, tmp_path, caplog):
    run(victims / "smooth", tmp_path / "few", "certify.copies=3", "limit=2")
    assert "a unanimous vote of 3 copies certifies a word: raise certify.copies" in caplog.text
    caplog.clear()
    run(victims / "smooth", tmp_path / "many", "certify.copies=300", "limit=2", "certify.alpha=0.001")
    assert "certifies" not in caplog.text
    assert "wrong with a probability of at most 0.001" in (tmp_path / "many" / "certify.md").read_text()


@pytest.mark.parametrize(("name", "words"), [("plain", "is not smoothed"),
                                             ("rewriting", "canonicalise and encode change them")])
def test_what_cannot_be_certified_is_one_line(victims, tmp_path, name, words):
    with pytest.raises(InputError, match=words):
        run(victims / name, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_shares_by_radius():
    def row(votes, radius, label=1):
        return Certified("1", label, 9, votes, radius, 10, 0.1)

    rows = [row([0, 10], 3), row([1, 9], 1), row([4, 6], None), row([9, 1], 5)]
    assert [certified_at(rows, words).count for words in (0, 1, 2, 3, 4)] == [2, 2, 1, 1, 0]
    assert median_words(rows) == 1 and median_words([row([9, 1], 5)]) is None
    about = About("pr", "", ("a", "b"), "tiny+smooth", "mask", 10, 5, 0.05, "attack", 8, 4)
    cells = [line.cells[0] for line in sheet(about, rows).lines]
    assert cells == ["right by vote", *(f"certified, {n} word{'s' * (n != 1)} changed" for n in (0, 1, 2, 3, 5))]


@pytest.mark.parametrize(("arguments", "words"), [
    (["domain=sample"], "needs domain=<domain> and the smoothed victim"),
    (["domain=sample", "model=tiny", "certify.copies=0"], "certify.copies=0: expected 1 to 100,000"),
    (["domain=sample", "model=tiny", "certify.alpha=1"], "certify.alpha=1.0: expected a probability"),
    (["domain=sample", "model=tiny", "hardening=[smooth]", "limit=0"], "limit=0"),
    (["domain=sample", "model=tiny", "hardening=[smooth]"], r"no victim at .*python train.py domain=sample model=tiny "
                                                            r"hardening=\[smooth\] seed=0")])
def test_the_command_refuses_in_one_line(tmp_path, arguments, words):
    done = subprocess.run([sys.executable, str(ROOT / "evaluate.py"), "task=certify", "logger=csv", *arguments],
                          env=os.environ | {"HARDTEXT_RUNS": str(tmp_path)}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and re.search(words, done.stderr) and "Traceback" not in done.stderr
