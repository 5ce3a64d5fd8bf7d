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
from hardtext.core import InputError
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
    attacks, _ = reading.read_attacks(root)
    semantic = semantic or scoring.semantic_from_name("none")
    found = scenario.scenarios(attacks, measuring.measure(attacks, semantic, 0), root)
    trains, _ = reading.read_trains(root)
    return page.render(found, trains, semantic.name, "today", classes=reading.class_names(trains))


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


@pytest.fixture(autouse=True)
def own_runs(tmp_path, monkeypatch):
    """No test looks into the runs of whoever runs it."""
    monkeypatch.setenv("HARDTEXT_RUNS", str(tmp_path / "of no run"))


def scored(folder: Path, semantic="none", **changes) -> dict:
    """What task=score would write about the attempts in a folder."""
    attempts = scoring.load_attempts(folder, quiet=True)
    return scoring.score(attempts, semantic=semantic).to_row() | {
        "attempts_sha256": claims.digest(folder / "attempts.jsonl")} | changes


def write_scores(folder: Path, row) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scores.json").write_text(row if isinstance(row, str) else json.dumps(row))


def test_a_score_file_belongs_to_the_attempts_it_names(tmp_path):
    folder = write_run(tmp_path / "attack/a")
    row = scored(folder, bodega=0.123, bodega_gated=0.1, semantic_scorer="bleurt")
    write_scores(tmp_path / "right", row)
    write_scores(tmp_path / "early", row | {"attempts_sha256": "of the run before it went on", "bodega": 0.4})
    (run,), left_out = reading.read_attacks(tmp_path)
    assert [found["bodega"] for found in run.scores] == [0.123] and not left_out
    (measured,) = measuring.measure([run], Half(), 0)
    assert measured.scores["bodega"] == 0.123 and not measured.scored_here
    assert numpy.isfinite(measured.semantic).tolist() == [True, True, False, False, False]


def test_scores_that_task_score_left_elsewhere_are_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HARDTEXT_RUNS", str(tmp_path))
    folder = write_run(tmp_path / "attack/a")
    write_scores(tmp_path / "evaluate/score/pr/bilstm/x", scored(folder, bodega=0.123, semantic_scorer="bleurt"))
    for root in (tmp_path, tmp_path / "attack", tmp_path / "attack/a"):
        (run,), _ = reading.read_attacks(root)
        assert [row["bodega"] for row in run.scores] == [0.123], "and not twice"


@pytest.mark.parametrize(("changes", "words"), [
    ({"attempts_sha256": None}, "does not say which attempts it is about"),
    ({"instances": 100_000}, "confusion 0.5, but 2 of 100000 are successes"),
    ({"instances": 100_000, "confusion": 2 / 100_000, "bodega": 0, "bodega_gated": 0}, "instances 100000, not 4"),
    ({"successes": 1, "confusion": 0.25}, "successes 1, not 2"),
    ({"victim": "bert"}, "victim 'bert', not 'bilstm'"),
    ({"queries": 9.0}, "queries a text, not 116.25"),
    ({"confusion": 5.0}, "figures"),
    ({"bodega": 0.99}, "bodega 0.99 above confusion 0.5"),
    ({"bodega": 0.2, "bodega_gated": 0.3}, "bodega_gated 0.3 above bodega 0.2"),
    ({"bodega": None}, "bodega None with the semantic scorer bleurt"),
    ({"bodega": "0.5"}, "figures"),
    ({"queries": -1}, "figures"),
    ({"preserved": 1.5}, "figures"),
    ({"interval": {"bodega": [0.1]}}, "interval"),
    ({"interval": {"bodega": [0.3, 0.1]}}, "interval"),
    ({"interval": {"bodega": [-0.3, 0.1]}}, "interval"),
    ({"stand_ins": "x"}, "stand_ins"),
    ({"strict": {"victim": "bert"}}, "strict"),
    ({"strict": {"victim": "bert", "confirmed": 1, "unconfirmed": ["2"], "flipped": []}}, "successes 2, not 1"),
])
def test_numbers_that_cannot_be_are_not_believed(tmp_path, changes, words):
    folder = write_run(tmp_path / "a")
    write_scores(folder, scored(folder, semantic_scorer="bleurt", bodega=0.2, bodega_gated=0.1) | changes)
    (run,), (said,) = reading.read_attacks(tmp_path)
    assert not run.scores and not run.asked_again
    assert words in said and "a/scores.json (" in said and said.count("scores.json") == 1
    html = page.render(scenario.scenarios([run], measuring.measure([run], Half(), 0), tmp_path), [], "half", "today",
                       left_out=[said])
    assert "<summary>Left out: 1</summary>" in html and "scored for this report" in html


def test_what_is_foreign_or_damaged_stops_nothing_and_is_named(tmp_path):
    folder = write_run(tmp_path / "a")
    for name, text in {"b": '{"accuracy": 0.9}', "c": "[1]", "d": '{"instances": 4'}.items():
        write_scores(tmp_path / name, text)
        (tmp_path / name / "metrics.json").write_text(text)
    row = {"domain": "pr", "model": "tiny", "attack": {"accuracy": 0.9}}
    for name, changes in {"e": {}, "f": {"attack": [1]}, "g": {"attack": {"accuracy": 9}},
                          "h": {"robustness": {"after": {"robust_accuracy": "1"}}}, "i": {"classes": "real"},
                          "j": {"attack": {"confusion": [[1, 2], [3]]}, "classes": ["a"]},
                          "k": {"attack": {"confusion": [[1, "2"], [3, 4]]}}}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "metrics.json").write_text(json.dumps(row | changes))
    write_scores(tmp_path / "z", scored(folder))
    (run,), left_out = reading.read_attacks(tmp_path)
    assert len(run.scores) == 1
    assert [("no score file of task=score" in said, "not JSON" in said) for said in left_out] == [
        (True, False), (True, False), (False, True)]
    trains, left_out = reading.read_trains(tmp_path)
    assert [train.folder.name for train in trains] == ["e"]
    assert [said.partition("/metrics.json (")[0][-1] for said in left_out] == ["b", "c", "d", *"fghijk"]


def test_a_victim_stands_beside_always_one_answer():
    clean = {"texts": 10, "accuracy": 0.5, "f1": 0.5, "confusion": [[4, 3], [2, 1]]}
    metrics = {"domain": "pr", "model": "tiny", "classes": ["no", "yes"], "attack": clean}
    assert page.victim_row(reading.TrainRun(Path("a"), metrics))["always"] == 0.7
    assert page.victim_row(reading.TrainRun(Path("a"), metrics | {"classes": []}))["always"] is None
    html = page.render([], [reading.TrainRun(Path("a"), metrics)], "half", "today")
    assert "always one answer" in html and ">0.700</td>" in html


def test_a_file_without_a_bodega_score_does_not_beat_a_measurement(tmp_path):
    folder = write_run(tmp_path / "a")
    (folder / "summary.json").write_text("{}")
    write_scores(folder, scored(folder))
    attacks, _ = reading.read_attacks(tmp_path)
    (measured,) = measuring.measure(attacks, Half(), 0)
    assert measured.scored_here and measured.scores["semantic_scorer"] == "half" and measured.scores["bodega"] > 0
    (kept,) = measuring.measure(attacks, scoring.semantic_from_name("none"), 0)
    assert not kept.scored_here and kept.scores["bodega"] is None
    for better in ("minilm", "bertscore", "bleurt"):
        write_scores(tmp_path / better, scored(folder, bodega=0.1, semantic_scorer=better))
        (kept,) = measuring.measure(reading.read_attacks(tmp_path)[0], Half(), 0)
        assert kept.scores["semantic_scorer"] == better


def test_a_score_file_of_fewer_stand_ins_comes_first(tmp_path):
    folder = write_run(tmp_path / "a")
    for name, stand_ins in {"x": ["other weights"], "y": []}.items():
        write_scores(tmp_path / name, scored(folder, bodega=0.1, semantic_scorer="bleurt", stand_ins=stand_ins))
    assert measuring.measure(reading.read_attacks(tmp_path)[0], Half(), 0)[0].scores["stand_ins"] == []


def test_the_strongest_and_the_weakest_are_named_among_two_that_have_a_score(tmp_path):
    for victim in ("bilstm", "bert"):
        write_run(tmp_path / victim, [r | {"victim": victim} for r in ROWS])
    attacks, _ = reading.read_attacks(tmp_path)
    none = measuring.measure(attacks, scoring.semantic_from_name("none"), 0)
    half = measuring.measure(attacks, Half(), 0)
    for numbers, expected in (([none[0], none[1]], 0), ([half[0], none[1]], 0), (half, 2)):
        html = page.render(scenario.scenarios(attacks, numbers, tmp_path), [], "half", "today")
        assert html.count("attack, by BODEGA</dt>") == expected


def test_copies_empty_runs_and_submissions_are_left_out_and_named(tmp_path):
    write_run(tmp_path / "a")
    write_run(tmp_path / "b")
    write_run(tmp_path / "c", [])
    (tmp_path / "submission_PR2_False_x_BERT.tsv").write_text("")
    attacks, left_out = reading.read_attacks(tmp_path)
    assert [run.folder.name for run in attacks] == ["a"]
    assert [said.partition(" (")[2] for said in left_out] == [
        f"a copy of {tmp_path / 'a/attempts.jsonl'})", "empty so far)",
        "a submission: task=score and task=leaderboard read it, this page does not)"]


def test_what_limits_a_run_is_marked(tmp_path):
    folder = write_run(tmp_path / "a", config_yaml="limit: 5", status_json={"state": "running"},
                       summary_json={"victim_warnings": ["the victim is nearly undecided <b>"]})
    html = page_of(tmp_path)
    for words in ("the first 5 texts only", "not finished", "the victim is nearly undecided &lt;b&gt;"):
        assert words in html, words
    (run,), _ = reading.read_attacks(tmp_path)
    assert run.marks and folder == run.folder


def test_classes_have_names(tmp_path):
    train = reading.TrainRun(tmp_path, {"domain": "mine", "model": "tiny", "classes": ["yes", "no"]})
    other = reading.TrainRun(tmp_path, {"domain": "mine", "model": "bert", "classes": ["ja", "nein"]})
    known = reading.class_names([train])
    assert known["pr"] == ("none", "propaganda") and known["sample"] == ("supported", "refuted")
    assert known["mine"] == ("yes", "no") and "mine" not in reading.class_names([train, other])
    write_run(tmp_path / "a")
    assert '"classes":["none","propaganda"]' in page_of(tmp_path)


def test_what_a_victim_said_when_asked_again_stands_beside_the_claim(tmp_path):
    folder = write_run(tmp_path / "attack/a", [r | {"domain": "mine"} for r in ROWS],
                       summary_json={"stand_ins": ["masked LM: bundled"]})
    claimed = scored(folder, semantic_scorer="minilm", bodega=0.2, bodega_gated=0.1)
    asked = {"victim": "bert", "asked": 2, "confirmed": 1, "unconfirmed": ["2"], "flipped": [], "most_moved": None}
    for name, row in {"claimed": claimed,
                      "none": scored(folder) | {"strict": asked, "successes": 1, "confusion": 0.25},
                      "minilm": claimed | {"strict": asked, "successes": 1, "confusion": 0.25, "bodega": 0.111,
                                           "semantic_scorer": "minilm"},
                      "other": scored(folder) | {"strict": asked | {"victim": "bilstm", "confirmed": 2,
                                                                    "unconfirmed": []}}}.items():
        (tmp_path / "score" / name).mkdir(parents=True)
        (tmp_path / "score" / name / "scores.json").write_text(json.dumps(row))
    attacks, _ = reading.read_attacks(tmp_path)
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
    folder = write_run(tmp_path / "a")
    for name in ("minilm", "bleurt", "none"):
        write_scores(tmp_path / name, scored(folder, semantic_scorer=name, bodega=None if name == "none" else 0.1))
    attacks, _ = reading.read_attacks(tmp_path)
    assert measuring.measure(attacks, Half(), 0)[0].scores["semantic_scorer"] == "bleurt"


def test_a_run_without_scores_gets_those_of_task_score(tmp_path):
    write_run(tmp_path / "a")
    write_run(tmp_path / "b", [r | {"victim": "bert"} for r in ROWS])
    runs_read, _ = reading.read_attacks(tmp_path)
    for run, measured in zip(runs_read, measuring.measure(runs_read, Half(), 3)):
        assert measured.scores == scoring.score(run.attempts, semantic=Half(), seed=3).to_row()


def test_preserved_and_gated_scores_are_shown(tmp_path):
    folder = write_run(tmp_path / "a")
    values = {"bodega": 0.3, "preserved": 0.6123, "bodega_gated": 0.2345, "preserved_limits": "a model of few pairs"}
    write_scores(folder, scored(folder, semantic_scorer="bleurt", **values))
    html = page_of(tmp_path)
    assert "0.612" in html and "0.234" in html and "“Kept” and “gated”: a model of few pairs" in html


def test_a_scorer_or_segmenter_that_cannot_be_had_is_said_before_anything_is_measured(tmp_path):
    write_run(tmp_path / "a")
    attacks, _ = reading.read_attacks(tmp_path)
    measuring.check(attacks, Half(), "rules")
    with pytest.raises(InputError, match="segmenter=words: expected one of"):
        measuring.check(attacks, Half(), "words")
    with pytest.raises(InputError, match="no/such"):
        measuring.check(attacks, scoring.semantic_from_name("bleurt", path="no/such"), "auto")


def test_the_segmenter_asked_for_is_used(tmp_path):
    write_run(tmp_path / "a")
    attacks, _ = reading.read_attacks(tmp_path)
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
    assert measuring.measure(reading.read_attacks(tmp_path)[0], Half(), 0)[0].scores is None
    assert "bert_attack" in page_of(tmp_path)


@pytest.mark.parametrize(("make", "words"), [
    (lambda root: None, "no attempts.jsonl with attempts below it"),
    (lambda root: write_run(root / "a", [{"id": "1"}]), r"a/attempts.jsonl, row 1: not an attempt: missing"),
    (lambda root: write_run(root / "a", [ROWS[0], ROWS[0]]), "id '1' stands there twice"),
    (lambda root: write_run(root / "a", [ROWS[0], row("9", ["x"], seed=1)]), "of several runs"),
    (lambda root: write_run(root / "a", status_json='{"state": "do'), "a/status.json: not JSON"),
    (lambda root: write_run(root / "a", [*ROWS, row("6", ["x"], victim="bert")]), "of several runs"),
    (lambda root: write_run(root / "a", config_yaml="a: [1"), "config.yaml is damaged"),
    (lambda root: write_run(root / "a", summary_json=[1]), "summary.json: expected the summary of an attack run, got a list"),
    (lambda root: write_run(root / "a", summary_json={"stand_ins": "x"}), "summary.json: stand_ins holds 'x'"),
    (lambda root: write_run(root / "a", saliency_jsonl={"id": "1"}), "saliency.jsonl, line 1: expected id and pieces"),
    (lambda root: write_run(root / "a", saliency_jsonl='{"id": "1", "pieces": [[0, 0, 1, NaN]]}\n'), "line 1: not JSON"),
    (lambda root: write_run(root / "a", saliency_jsonl={"id": "1", "pieces": [[0, 0, 1, 10**400]]}), "line 1: expected id"),
])
def test_a_damaged_run_is_one_clear_line(tmp_path, make, words):
    make(tmp_path)
    with pytest.raises(InputError, match=words):
        reading.read_attacks(tmp_path)


def test_runs_of_one_scenario_get_names_of_their_own(tmp_path):
    for name, config in {"x": "attack: {variant: paper}", "y": "attack: {variant: bodega}", "z1": "{}", "z2": "{}"}.items():
        rows = [ROWS[0] | {"seconds": len(name) + 0.1 * ord(name[-1])}, *ROWS[1:]]  # no two copies
        write_run(tmp_path / "bilstm" / name / "seed=0", rows, config_yaml=config)
    attacks, _ = reading.read_attacks(tmp_path)
    found = scenario.scenarios(attacks, measuring.measure(attacks, scoring.semantic_from_name("none"), 0), tmp_path)
    assert sorted(s.name for s in found) == [f"bert_attack ({own})" for own in ("bodega", "paper", "z1", "z2")]


def test_other_words_are_told_from_look_alikes(tmp_path):
    write_run(tmp_path / "a")
    attacks, _ = reading.read_attacks(tmp_path)
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
    (run,), _ = reading.read_attacks(tmp_path)
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


def test_a_page_about_other_runs_replaces_none_and_no_foreign_file_is_written_over(tmp_path):
    write_run(tmp_path / "one")
    write_run(tmp_path / "two", [r | {"victim": "bert"} for r in ROWS])
    out = tmp_path / "out"
    for name, expected in (("one", ""), ("one", ""), ("two", "holds a result made from something else (runs: ")):
        done = evaluate(f"runs={tmp_path / name}", f"out={out}", "semantic=none", runs=tmp_path / "of no run")
        assert done.returncode == (2 if expected else 0) and expected in done.stderr, done.stderr
    assert json.loads((out / "report.json").read_text())["runs"][0]["victim"] == "bilstm"
    other = tmp_path / "mine"
    other.mkdir()
    (other / "report.html").write_text("precious")
    done = evaluate(f"runs={tmp_path / 'two'}", f"out={other}", "semantic=none", runs=tmp_path / "of no run")
    assert done.returncode == 2 and "holds report.html" in done.stderr and "Traceback" not in done.stderr
    assert [file.name for file in other.iterdir()] == ["report.html"]


def test_the_command_refuses_a_folder_without_runs(tmp_path):
    done = evaluate(f"runs={tmp_path / 'none'}", runs=tmp_path)
    assert done.returncode == 2 and "no such folder" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "evaluate").exists()
