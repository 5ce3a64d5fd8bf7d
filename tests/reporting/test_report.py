"""``task=report`` up to the page's text: what is read, measured, compared and embedded."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext import scoring
from hardtext.core import Attempt, InputError
from hardtext.reporting import diff
from hardtext.reporting.report import characters, drawing, embedding, figures, measuring, page, reading, scenario, svg
from hardtext.scoring import claims
from hardtext.scoring.semantic import SemanticSettings
from hardtext.scoring.submission import HALF_LINE
from hardtext.scoring.summary import NO_SUMMARY

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "Lima \u200bis \u202eа</script><script>window.pwned=1</script>\"'</style>\u2028&amp; <!-- end"


@dataclass
class Half(SemanticSettings):
    """A scorer that needs no model: the share of equal characters, a stand-in."""

    name: str = "half"

    @property
    def stand_in(self) -> str:
        return "half a scorer"

    def _score_distinct(self, pairs):
        return numpy.array([sum(a == b for a, b in zip(*pair)) / max(1, max(map(len, pair))) for pair in pairs])


def row(id, original, adversarial=None, status=None, **changes) -> dict:
    return {"id": id, "domain": "pr", "victim": "bilstm", "attack": "bert_attack", "label": 1, "original": original,
            "adversarial": adversarial, "status": status or ("success" if adversarial else "failed"),
            "original_probs": [0.25, 0.75], "adversarial_probs": [0.9, 0.1] if adversarial else None, "queries": 7,
            "forwards": 7, "seconds": 0.1, "seed": 0, "error": None} | changes


ROWS = [row("1", ["He paid 20 dollars."], ["He paid 30 dollars."], queries=4),
        row("2", ["A bad man."], ["A bаd man."], queries=60),
        row("3", ["Nothing helps."], queries=400),
        row("4", ["It broke."], status="error", error="ValueError: <b>no</b>"),
        row("5", ["Safe."], status="skipped", queries=1)]


def write_run(folder: Path, rows=ROWS, **files) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "attempts.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    for name, value in files.items():
        file = folder / name.replace("_", ".")
        file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return folder


def page_of(root: Path, semantic: SemanticSettings | None = None) -> str:
    attacks = reading.read_attacks(root)
    semantic = semantic or scoring.semantic_from_name("none")
    found = scenario.scenarios(attacks, measuring.measure(attacks, semantic, 0), root)
    return page.render(found, reading.read_trains(root), semantic.name, "today")


# What changed


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_change_list_gives_the_other_text_and_so_do_its_inner_lists(original, adversarial):
    found = diff.changes(original, adversarial)
    assert diff.apply(original, found) == adversarial
    place = 0
    for change in found:
        if isinstance(change, int):
            place += change
        else:
            if len(change) == 3:
                assert diff.apply(original[place : place + change[0]], change[2]) == change[1]
            place += change[0]
    assert place == len(original)


def test_words_are_compared_before_characters():
    assert diff.changes("He said no.", "He said yes.") == [8, [2, "yes"], 1]
    assert diff.changes("a word", "a wo\u200brd") == [2, [4, "wo\u200brd", [2, [0, "\u200b"], 2]]], "not three words"
    assert diff.changes("coffee", "coffe\u0301e") == [[6, "coffe\u0301e", [4, [1, "e\u0301"], 1]]], "a letter with its mark"
    assert diff.changes("a 👩‍🚀 flew", "a 👩‍🚀 fled") == [6, [4, "fled", [3, [1, "d"]]]]


def test_long_texts_are_compared_in_time():
    original = "word " * 10_000  # 50,000 characters
    assert diff.changes(original, original.replace("word", "werd", 1))[0][:2] == [4, "werd"]


@given(st.characters())
def test_ascii_is_never_odd_and_every_odd_character_is_named(character):
    found = characters.describe(character)
    if character.isascii() and character.isprintable():
        assert not found
    for note in found.values():
        assert note["name"] and note["kind"] in characters.KINDS and note["code"] == f"U+{ord(character):04X}"
        assert bool(note["like"]) == (note["kind"] == "lookalike")


# Figures


def test_success_against_budget_by_hand():
    attempts = [("success", 4), ("success", 60), ("failed", 400), ("error", 9), ("skipped", 1)]
    assert figures.success_curve(attempts) == [(4.0, 0.25), (60.0, 0.5)]
    assert [figures.within(attempts, budget) for budget in (3, 4, 59, 60, 500)] == [0, 0.25, 0.25, 0.5, 0.5]
    assert figures.success_curve([("failed", 3)]) == [] and figures.within([("error", 1)], 5) == 0


@given(st.lists(st.tuples(st.sampled_from(["success", "failed"]), st.integers(1, 5000)), min_size=1, max_size=300))
def test_a_thinned_curve_keeps_its_ends_and_stays_true(attempts):
    curve = figures.success_curve(attempts, points=20)
    assert len(curve) <= 20
    for queries, share in curve:
        assert share == pytest.approx(figures.within(attempts, int(queries)))
    if curve:
        assert curve[-1][1] == pytest.approx(figures.within(attempts, 5000))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_a_histogram_counts_everything_once(values):
    edges = figures.share_bins(values)
    assert edges[0] <= min(values) and edges[-1] == 1
    assert sum(figures.counts([*values, float("nan")], edges)) == len(values)


def test_a_picture_escapes_its_words_and_draws_every_bar():
    picture = svg.histogram([1, 2, 3], [("success", [4, 0]), ("failed", [1, 3])], label="<x>", words='"quoted" <words>')
    assert picture.count("<rect") == 3
    assert "<x>" not in picture and "&lt;x&gt;" in picture and "&#34;quoted&#34;" in picture


# Reading


def test_a_score_file_belongs_to_the_attempts_it_counts(tmp_path):
    write_run(tmp_path / "attack/a")
    attempts = [Attempt.from_row(r) for r in ROWS]
    scores = scoring.score(attempts, semantic="none").to_row() | {"bodega": 0.123, "semantic_scorer": "bleurt"}
    for name, changed in {"right": {}, "other": {"victim": "bert"}, "early": {"instances": 3},
                          "late": {"queries": 9.0}}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "scores.json").write_text(json.dumps(scores | changed))
    (run,) = reading.read_attacks(tmp_path)
    assert [found["bodega"] for found in run.scores] == [0.123] and len(run.scores) == 1
    (measured,) = measuring.measure([run], Half(), 0)
    assert measured.scores["bodega"] == 0.123 and not measured.scored_here
    assert numpy.isfinite(measured.semantic).tolist() == [True, True, False, False, False]


def test_a_score_file_that_names_its_attempts_belongs_to_no_others(tmp_path):
    write_run(tmp_path / "attack/a")
    (tmp_path / "evaluate").mkdir()
    file = tmp_path / "evaluate/scores.json"
    scores = scoring.score([Attempt.from_row(r) for r in ROWS], semantic="none").to_row()
    for sha256, expected in ((claims.digest(tmp_path / "attack/a/attempts.jsonl"), 1), ("of the run before it went on", 0)):
        file.write_text(json.dumps(scores | {"attempts_sha256": sha256}))
        assert len(reading.read_attacks(tmp_path)[0].scores) == expected


def test_what_a_victim_said_when_asked_again_stands_beside_the_claim(tmp_path):
    folder = write_run(tmp_path / "attack/a", summary_json={"stand_ins": ["masked LM: bundled"]})
    claimed = scoring.score([Attempt.from_row(r) for r in ROWS], semantic="none").to_row() | {
        "attempts_sha256": claims.digest(folder / "attempts.jsonl")}
    asked = {"victim": "bert", "asked": 2, "confirmed": 1, "unconfirmed": ["2"], "flipped": [], "most_moved": None}
    for name, row in {"claimed": claimed, "none": claimed | {"strict": asked, "successes": 1, "confusion": 0.25},
                      "minilm": claimed | {"strict": asked, "successes": 1, "confusion": 0.25, "bodega": 0.111,
                                           "semantic_scorer": "minilm"},
                      "other": claimed | {"strict": asked | {"victim": "bilstm", "confirmed": 2, "unconfirmed": []}}}.items():
        (tmp_path / "score" / name).mkdir(parents=True)
        (tmp_path / "score" / name / "scores.json").write_text(json.dumps(row))
    attacks = reading.read_attacks(tmp_path)
    (found,) = scenario.scenarios(attacks, measuring.measure(attacks, Half(), 0), tmp_path)
    row = found.row()
    assert row["confusion"] == 0.5 and not row["scored_here"], "the claim stays the claim"
    assert [(again["name"], again["confusion"], again["bodega"], again["confirmed"], again["unconfirmed"], again["stand_ins"])
            for again in row["asked_again"]] == [
        ("asked again: bert", 0.25, 0.111, 1, 1, ["masked LM: bundled"]),
        ("asked again: bilstm", 0.5, None, 2, 0, ["masked LM: bundled"])]
    html = page.render([found], [], "none", "today")
    assert html.count('<tr class="again">') == 2 and "<small>asked again: bert</small>" in html
    assert "1 claimed ones not (counted as failures)" in html and "0.111" in html


def test_bleurt_stands_before_a_stand_in(tmp_path):
    write_run(tmp_path / "a")
    attempts = [Attempt.from_row(r) for r in ROWS]
    for name in ("minilm", "bleurt", "none"):
        (tmp_path / name).mkdir()
        value = scoring.score(attempts, semantic="none").to_row() | {"semantic_scorer": name}
        (tmp_path / name / "scores.json").write_text(json.dumps(value))
    runs_read = reading.read_attacks(tmp_path)
    assert measuring.measure(runs_read, Half(), 0)[0].scores["semantic_scorer"] == "bleurt"


def test_a_run_without_scores_gets_those_of_task_score(tmp_path):
    write_run(tmp_path / "a")
    write_run(tmp_path / "b", [r | {"victim": "bert"} for r in ROWS])
    for run, measured in zip(runs_read := reading.read_attacks(tmp_path), measuring.measure(runs_read, Half(), 3)):
        assert measured.scores == scoring.score(run.attempts, semantic=Half(), seed=3).to_row()


def test_preserved_and_gated_scores_are_shown(tmp_path):
    folder = write_run(tmp_path / "a")
    values = {"preserved": 0.6123, "bodega_gated": 0.2345, "preserved_limits": "a model of few pairs"}
    (folder / "scores.json").write_text(json.dumps({"semantic_scorer": "bleurt"} | values))
    html = page_of(tmp_path)
    assert "0.612" in html and "0.234" in html and "“Kept” and “gated”: a model of few pairs" in html


def test_a_scorer_or_segmenter_that_cannot_be_had_is_said_before_anything_is_measured(tmp_path):
    write_run(tmp_path / "a")
    attacks = reading.read_attacks(tmp_path)
    measuring.check(attacks, Half(), "rules")
    with pytest.raises(InputError, match="segmenter=words: expected one of"):
        measuring.check(attacks, Half(), "words")
    with pytest.raises(InputError, match="no/such"):
        measuring.check(attacks, scoring.semantic_from_name("bleurt", path="no/such"), "auto")


def test_the_segmenter_asked_for_is_used(tmp_path):
    write_run(tmp_path / "a")
    attacks = reading.read_attacks(tmp_path)
    for asked, used in (("auto", "whole"), ("rules", "rules")):
        assert measuring.measure(attacks, Half(), 0, asked)[0].scores["segmenter"] == used


def test_a_run_without_a_summary_is_marked(tmp_path):
    write_run(tmp_path / "a")
    assert f"<li>{NO_SUMMARY}</li>" in page_of(tmp_path)
    write_run(tmp_path / "a", summary_json={})
    assert NO_SUMMARY not in page_of(tmp_path)
    with open(tmp_path / "a" / "attempts.jsonl", "a") as file:
        file.write('{"id": "9", "dom')
    assert f"<li>{HALF_LINE}</li>" in page_of(tmp_path)


def test_a_run_of_nothing_but_errors_has_no_scores(tmp_path):
    write_run(tmp_path / "a", [ROWS[3]])
    assert measuring.measure(reading.read_attacks(tmp_path), Half(), 0)[0].scores is None
    assert "bert_attack" in page_of(tmp_path)


@pytest.mark.parametrize(("make", "words"), [
    (lambda root: None, "no attempts.jsonl with attempts below it"),
    (lambda root: write_run(root / "a", [{"id": "1"}]), r"a/attempts.jsonl, line 1: not an attempt: missing"),
    (lambda root: write_run(root / "a", [*ROWS, row("6", ["x"], victim="bert")]), "attempts of 2 runs in one file"),
    (lambda root: write_run(root / "a", config_yaml="a: [1"), "config.yaml is damaged"),
    (lambda root: write_run(root / "a", summary_json=[1]), "summary.json: expected the summary of an attack run, got a list"),
    (lambda root: write_run(root / "a", summary_json={"stand_ins": "x"}), "summary.json: stand_ins holds 'x'"),
    (lambda root: write_run(root / "a", saliency_jsonl={"id": "1"}), "saliency.jsonl, line 1: expected id and pieces"),
    (lambda root: write_run(root / "a", saliency_jsonl='{"id": "1", "pieces": [[0, 0, 1, NaN]]}\n'), "line 1: not JSON"),
    (lambda root: write_run(root / "a", saliency_jsonl={"id": "1", "pieces": [[0, 0, 1, 10**400]]}), "line 1: expected id"),
    (lambda root: write_run(root / "a", scores_json={"bodega": "0.5"}), "scores.json is damaged: no scores"),
    (lambda root: write_run(root / "a", scores_json={"interval": {"bodega": [0.1]}}), "scores.json is damaged"),
    (lambda root: write_run(root / "a", scores_json={"strict": {"victim": "bert"}}), "scores.json is damaged"),
    (lambda root: write_run(root / "a", metrics_json={"attack": [1]}), "metrics.json is damaged: no figures"),
    (lambda root: write_run(root / "a", metrics_json={"robustness": {"after": {"robust_accuracy": "1"}}}), "metrics.json is"),
])
def test_a_damaged_run_is_one_clear_line(tmp_path, make, words):
    make(tmp_path)
    with pytest.raises(InputError, match=words):
        reading.read_attacks(tmp_path)
        reading.read_trains(tmp_path)


def test_runs_of_one_scenario_get_names_of_their_own(tmp_path):
    for name, config in {"x": "attack: {variant: paper}", "y": "attack: {variant: bodega}", "z1": "", "z2": ""}.items():
        write_run(tmp_path / "bilstm" / name / "seed=0", config_yaml=config)
    attacks = reading.read_attacks(tmp_path)
    found = scenario.scenarios(attacks, measuring.measure(attacks, scoring.semantic_from_name("none"), 0), tmp_path)
    assert sorted(s.name for s in found) == [f"bert_attack ({own})" for own in ("bodega", "paper", "z1", "z2")]


def test_other_words_are_told_from_look_alikes(tmp_path):
    write_run(tmp_path / "a")
    attacks = reading.read_attacks(tmp_path)
    (found,) = scenario.scenarios(attacks, measuring.measure(attacks, Half(), 0), tmp_path)
    assert [[kind for kind, _ in own] for own in found.flags] == [["number"], ["identical"], [], [], []]
    assert found.meaning_changed == 0.5  # of two successes
    assert [d.title for d in drawing.drawings(found, [found], "half")][-1] == "Semantic score of successes (half)"


# The page


class Scripts(HTMLParser):
    """The scripts of a page, and every attribute that could fetch or run something."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts, self.risky, self._inside = [], [], False

    def handle_starttag(self, tag, attributes):
        self._inside = tag == "script"
        if self._inside:
            self.scripts.append("")
        self.risky += [(tag, name) for name, value in attributes
                       if name.startswith("on") or name in ("src", "style", "srcset", "action")
                       or (name == "href" and not value.startswith("#"))]

    def handle_endtag(self, tag):
        self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.scripts[-1] += data


def test_hostile_texts_stand_in_the_page_as_data(tmp_path):
    write_run(tmp_path / "a", [row(HOSTILE, [HOSTILE], [HOSTILE + " not"]), row("2", ["\ud800"], ["\udfff x"])],
              summary_json={"stand_ins": [HOSTILE], "domain_stand_in": HOSTILE}, config_yaml=f"note: {json.dumps(HOSTILE)}")
    (tmp_path / "metrics.json").write_text(json.dumps({"domain": HOSTILE, "model": HOSTILE, "classes": [HOSTILE]}))
    html = page_of(tmp_path)
    found = Scripts()
    found.feed(html)
    assert len(found.scripts) == 3 and not found.risky  # one run, what is shared, the page's own
    assert "\u2028" not in "".join(found.scripts[:2])
    data, shared = map(json.loads, found.scripts[:2])
    assert data["rows"][0][0] == HOSTILE and shared["texts"][0] == [HOSTILE]
    assert html.count("<script>window.pwned") == 0
    html.encode("utf-8")  # lone surrogates are gone


def test_an_original_is_kept_once_whatever_attacks_it(tmp_path):
    for victim in ("bilstm", "bert", "tiny"):
        write_run(tmp_path / victim, [r | {"victim": victim} for r in ROWS])
    assert page_of(tmp_path).count("He paid 20 dollars.") == 1


def test_stand_ins_are_marked_beside_their_numbers(tmp_path):
    write_run(tmp_path / "a", summary_json={"stand_ins": ["masked LM: bundled"], "domain_stand_in": "generated sample"})
    html = page_of(tmp_path, Half())
    for words in ("half a scorer", "masked LM: bundled", "domain: generated sample"):
        assert f"<li>{words}</li>" in html
    assert len(re.findall(r'<span class="star">\*</span>', html)) == 6  # every score, and no count


def test_saliency_is_embedded_where_it_exists(tmp_path):
    write_run(tmp_path / "a", saliency_jsonl={"id": "1", "method": "occlusion", "pieces": [[0, 8, 10, -2.0], [0, 0, 2, 1.0]]})
    (run,) = reading.read_attacks(tmp_path)
    (numbers,) = measuring.measure([run], scoring.semantic_from_name("none"), 0)
    (found,) = scenario.scenarios([run], [numbers], tmp_path)
    rows = embedding.run_data(found, embedding.Texts(), ())["rows"]
    assert [r[-1] for r in rows] == [[[0, 0, 2, 0.5], [0, 8, 10, -1.0]], None, None, None, None]


# The command


def evaluate(*arguments: str, runs: Path) -> subprocess.CompletedProcess:
    environment = os.environ | {"HARDTEXT_RUNS": str(runs), "OMP_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, "evaluate.py", "task=report", "logger=csv", *arguments], cwd=ROOT, text=True,
                          capture_output=True, timeout=120, env=environment)


def test_the_command_writes_page_and_json(tmp_path):
    write_run(tmp_path / "attack/pr/bilstm/bert_attack/seed=0")
    done = evaluate("semantic=none", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "evaluate/report"
    assert "report.html" in done.stderr + done.stdout
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    written = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert written["runs"][0]["confusion"] == 0.5 and written["runs"][0]["bodega"] is None


def test_the_command_refuses_a_folder_without_runs(tmp_path):
    done = evaluate(f"runs={tmp_path / 'none'}", runs=tmp_path)
    assert done.returncode == 2 and "no such folder" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "evaluate").exists()
