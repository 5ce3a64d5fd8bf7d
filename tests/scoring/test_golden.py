"""Two complete runs of a shared-task team against what the official scorer printed for them."""

from __future__ import annotations

import json

import pytest

from hardtext.scoring import load_attempts, score, write_submission
from hardtext.scoring.bodega import character_score
from hardtext.text import join

FILES = {"PR2": "submission_PR2_False_homoglyph-custom_BERT.tsv", "FC": "submission_FC_False_splitH_BERT.tsv"}


@pytest.fixture
def runs(shared_data):
    return shared_data / "incrediblae_runs"


@pytest.fixture(params=list(FILES))
def golden(request, runs):
    return next(run for run in json.loads((runs / "golden_scores.json").read_text()) if run["task"] == request.param)


def test_confusion_character_and_queries_to_the_digit(runs, golden):
    scores = score(load_attempts(runs / FILES[golden["task"]]), semantic="none")
    reported = golden["reported"]
    assert scores.instances == golden["n"] and scores.errors == 0
    assert scores.confusion == pytest.approx(reported["success"], rel=0, abs=1e-12)
    assert scores.character == pytest.approx(reported["character"], rel=0, abs=1e-12)
    assert scores.queries == pytest.approx(reported["queries"], rel=0, abs=1e-12)


def test_every_single_character_score(runs, golden):
    rows = [json.loads(line) for line in (runs / f"{golden['run']}.jsonl").read_text("utf-8").splitlines()]
    attempts = load_attempts(runs / FILES[golden["task"]])
    assert len(rows) == len(attempts)
    for row, attempt in zip(rows, attempts):
        assert (attempt.status == "success") == row["succeeded"]
        assert join(attempt.original) == row["original"]
        if row["succeeded"]:
            assert character_score(join(attempt.original), join(attempt.adversarial)) == pytest.approx(
                row["char_score"], rel=0, abs=1e-12)


def test_written_again_byte_for_byte(runs, golden, tmp_path):
    source = runs / FILES[golden["task"]]
    write_submission(load_attempts(source), tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_bytes() == source.read_bytes()
