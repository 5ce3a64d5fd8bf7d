from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from hardtext.attacks import Auto, DeepWordBug
from hardtext.attacks.engine import SEPARATOR_BROKEN
from hardtext.attacks.rows import attack_to_file, summarise
from hardtext.core import Attempt, Example, InputError

EXAMPLES = [Example(str(i), f"The state and the party said no to peace in city number {i}." if i % 6 else "!!!", i % 2)
            for i in range(12)]
OPTIONS = {"domain": "d", "seed": 1}


def timeless(path):
    return [{**json.loads(line), "seconds": 0} for line in path.read_text(encoding="utf-8").splitlines()]


def test_rows_are_in_input_order_and_returned(tmp_path, victim):
    path = tmp_path / "new" / "attempts.jsonl"
    found = attack_to_file(path, DeepWordBug(), victim, EXAMPLES, **OPTIONS)
    assert [a.id for a in found] == [e.id for e in EXAMPLES]
    assert [Attempt.from_row(json.loads(line)) for line in path.read_text().splitlines()] == found
    assert {a.status for a in found} == {"success", "skipped"}


@pytest.mark.parametrize("kept", [0, 1, 5, 12])
def test_a_run_goes_on_where_it_stopped(tmp_path, bag_victim, kept):
    path = tmp_path / "attempts.jsonl"
    attack_to_file(path, DeepWordBug(), bag_victim(), EXAMPLES, **OPTIONS)
    whole = timeless(path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    random.Random(kept).shuffle(lines)
    done = {json.loads(line)["id"] for line in lines[:kept]}
    path.write_text("".join(lines[:kept]) + (lines[kept][:50] if kept < 12 else ""), encoding="utf-8")  # cut in a line
    victim = bag_victim()
    attack_to_file(path, DeepWordBug(), victim, EXAMPLES, **OPTIONS)
    assert timeless(path) == whole
    asked = {t for call in victim.calls for t in call}
    assert asked.isdisjoint(e.segments for e in EXAMPLES if e.id in done)
    assert bool(asked) == (kept < 12)


@pytest.mark.parametrize("change, words", [
    ({"seed": 2}, "attempts with seed=1, this run has seed=2"),
    ({"domain": "other"}, "domain=d, this run has domain=other"),
    ({"examples": EXAMPLES[1:]}, "example '0' that is not among this run's examples"),
    ({"examples": [Example("0", "another text", 0), *EXAMPLES[1:]]}, "example '0' that is not among"),
    ({"attack": DeepWordBug(name="other")}, "attack=deepwordbug, this run has attack=other"),
])
def test_rows_of_another_run_are_refused(tmp_path, victim, change, words):
    path = tmp_path / "attempts.jsonl"
    attack_to_file(path, DeepWordBug(), victim, EXAMPLES, **OPTIONS)
    before = path.read_bytes()
    given = {"attack": DeepWordBug(), "victim": victim, "examples": EXAMPLES, **OPTIONS, **change}
    with pytest.raises(InputError, match=words):
        attack_to_file(path, **given)
    assert path.read_bytes() == before


def test_a_damaged_line_is_named_and_its_text_attacked_again(tmp_path, victim, caplog):
    path = tmp_path / "attempts.jsonl"
    attack_to_file(path, DeepWordBug(), victim, EXAMPLES, **OPTIONS)
    whole, lines = timeless(path), path.read_bytes().splitlines(keepends=True)
    lines[4] = lines[4][:20] + b"\0\0" + lines[4][22:]  # what a bad sector leaves
    path.write_bytes(b"".join(lines))
    found = attack_to_file(path, DeepWordBug(), victim, EXAMPLES, **OPTIONS)
    assert timeless(path) == whole and [a.id for a in found] == [e.id for e in EXAMPLES]
    assert any("attempts.jsonl, line 5: not JSON" in said for said in caplog.messages)
    assert path.with_name("attempts.jsonl.damaged").read_bytes() == b"".join(lines)


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, victim):
    path = tmp_path / "attempts.jsonl"
    path.write_text('{"mine": 1}\n')
    with pytest.raises(InputError, match=r"attempts\.jsonl: not an attempt: missing .*; remove the file or choose another"):
        attack_to_file(path, DeepWordBug(), victim, EXAMPLES, **OPTIONS)
    assert path.read_text() == '{"mine": 1}\n'


def test_repeated_ids_are_refused(tmp_path, victim):
    with pytest.raises(InputError, match="ids must be unique, repeated: 3"):
        attack_to_file(tmp_path / "a.jsonl", DeepWordBug(), victim, [*EXAMPLES, EXAMPLES[3]], **OPTIONS)


def test_the_best_text_of_a_spent_budget_is_kept_and_survives_a_resume(tmp_path, bag_victim):
    path, aside = tmp_path / "attempts.jsonl", tmp_path / "best.jsonl"
    options = OPTIONS | {"max_queries": 20}
    found = attack_to_file(path, DeepWordBug(), bag_victim(), EXAMPLES, **options)
    spent = [a for a in found if a.status == "budget"]
    assert spent and all(a.best is not None and a.best != a.original for a in spent)
    rows = [json.loads(line) for line in aside.read_text().splitlines()]
    assert rows == [{"id": a.id, "best": list(a.best)} for a in spent]
    whole, lines = aside.read_bytes(), path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:7]))
    aside.write_bytes(whole[: len(whole) // 2])  # as a kill leaves it; a row without its attempt is made again
    path.write_text("".join(line for line in lines[:7] if json.loads(line)["status"] != "budget"))
    assert attack_to_file(path, DeepWordBug(), bag_victim(), EXAMPLES, **options) == [
        replace(a, seconds=b.seconds) for a, b in zip(found, [Attempt.from_row(json.loads(x)) for x in
                                                              path.read_text().splitlines()], strict=True)]
    assert aside.read_bytes() == whole


def test_who_won_is_kept_and_survives_a_resume(tmp_path, bag_victim, models):
    path, aside = tmp_path / "attempts.jsonl", tmp_path / "members.jsonl"
    found = attack_to_file(path, Auto(), bag_victim(), EXAMPLES[:5], **OPTIONS, **models)
    won = {a.id: a.member for a in found if a.status == "success"}
    assert won and all(won.values())
    assert {row["id"]: row["member"] for row in map(json.loads, aside.read_text().splitlines())} == won
    assert summarise(found)["members"] and sum(summarise(found)["members"].values()) == len(won)
    again = attack_to_file(path, Auto(), bag_victim(), EXAMPLES[:5], **OPTIONS, **models)
    assert {a.id: a.member for a in again if a.member} == won


def test_errors_are_tried_again_on_resume(tmp_path, bag_victim):
    path = tmp_path / "attempts.jsonl"
    whole = attack_to_file(path, DeepWordBug(), bag_victim(), EXAMPLES, **OPTIONS)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[3] |= {"status": "error", "adversarial": None, "adversarial_probs": None, "error": "TimeoutError: no answer"}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows[:6]))
    again = attack_to_file(path, DeepWordBug(), bag_victim(), EXAMPLES, **OPTIONS)
    assert [replace(a, seconds=0) for a in again] == [replace(a, seconds=0) for a in whole]
    assert len(path.read_text().splitlines()) == len(EXAMPLES)


def test_no_examples(tmp_path, victim):
    assert attack_to_file(tmp_path / "a.jsonl", DeepWordBug(), victim, [], **OPTIONS) == []
    assert (tmp_path / "a.jsonl").read_text() == ""


WORKER = """
import importlib.util, sys, time
from pathlib import Path
spec = importlib.util.spec_from_file_location("fakes", sys.argv[2]); fakes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fakes)
from hardtext.attacks.rows import attack_to_file
from hardtext.core import Example

class Slow(fakes.BagVictim):
    def probabilities(self, texts):
        time.sleep(0.0005 * len(texts))
        return super().probabilities(texts)

examples = [Example(str(i), (f"The state and the party said no to peace {i}.", "They lie; the tax is a claim."), 0)
            for i in range(40)]
print("ready", flush=True)
attack_to_file(Path(sys.argv[1]), fakes.ATTACKS["bert_attack-hardtext"](), Slow(), examples, domain="d", seed=1,
               in_flight=3, masked_lm=fakes.FakeMaskedLM())
"""


def test_killed_again_and_again_the_rows_are_those_of_an_uninterrupted_run(tmp_path):
    def start(path):
        fakes = Path(__file__).with_name("conftest.py")
        process = subprocess.Popen([sys.executable, "-c", WORKER, str(path), str(fakes)], stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"ready\n"
        return process

    assert start(tmp_path / "whole.jsonl").wait() == 0
    path, counts, rng = tmp_path / "killed.jsonl", [], random.Random(0)
    for _ in range(10):
        process = start(path)
        time.sleep(rng.uniform(0.02, 0.2))
        process.send_signal(signal.SIGKILL)
        process.wait()
        counts.append(len(path.read_bytes().split(b"\n")) - 1 if path.exists() else 0)
    assert counts == sorted(counts) and counts[-1] < 40
    assert start(path).wait() == 0
    assert timeless(path) == timeless(tmp_path / "whole.jsonl")
    assert len(timeless(path)) == 40


def test_summary():
    def attempt(status, queries=10, error=None):
        return Attempt(id="1", domain="d", victim="v", attack="a", label=0, original=("x",),
                       adversarial=("y",) if status == "success" else None, status=status, original_probs=None,
                       adversarial_probs=None, queries=queries, forwards=queries - 2, seconds=0.25, seed=0, error=error)

    found = summarise([attempt("success"), attempt("success", 20), attempt("failed", 5, SEPARATOR_BROKEN),
                       attempt("error", 5, "ValueError: x"), attempt("budget"), attempt("failed")])
    assert found == {"attempts": 6, "success": 2, "failed": 2, "skipped": 0, "budget": 1, "error": 1,
                     "single_query_successes": 2, "separator_broken": 1, "changed_share": 1.0, "queries": 60,
                     "queries_per_example": 10.0, "forwards": 48, "seconds": 1.5, "errors": {"ValueError: x": 1}}
    assert summarise([])["queries_per_example"] is None
