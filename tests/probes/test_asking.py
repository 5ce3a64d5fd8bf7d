"""Examples × probes × victim → rows: with probes and victims of the test's own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext import records
from hardtext.core import Domain, Example, InputError
from hardtext.probes import Changed, Probe, ProbeSettings, Unchanged, asking
from hardtext.scoring.answers import Answer

DOMAIN = Domain("toy", ("real", "fake"))
SETTINGS = ProbeSettings()


class Shout(Probe):
    name, expects, asks, few_flips = "shout", "stay", "Does it shout?", "It does not mind."

    def change(self, text, seed):
        return Changed(text + "!", "a mark added") if text else Unchanged("empty")


class Lie(Probe):
    name, expects, asks, few_flips, of = "lie", "fake", "Does it believe?", "It does.", "real"

    def change(self, text, seed):
        return Changed(f"{text} lie {seed % 97}", "a lie added", "flip" if "own" in text else None)


class Victim:
    """P(fake) grows with the marks and lies of the last segment."""

    name, classes = "toy victim", DOMAIN.classes

    def __init__(self):
        self.asked = []

    def probabilities(self, texts):
        self.asked.append(list(texts))
        fake = numpy.array([min(1.0, 0.2 + 0.4 * (t[-1].count("!") + t[-1].count("lie"))) for t in texts])
        return numpy.stack([1 - fake, fake], axis=1)


PROBES = (Shout(), Lie())


def ask(path, examples, victim=None, probes=PROBES, **options):
    options = {"domain": DOMAIN, "settings": SETTINGS, "seed": 0} | options
    return asking.ask(path, probes, examples, victim or Victim(), **options)


EXAMPLES = [Example("a", "so!", 0), Example("b", ("evidence", "a claim"), 1), Example("c", "", 1)]


def test_a_row_for_each_example_and_probe(tmp_path):
    victim = Victim()
    answers = ask(tmp_path / "probes.jsonl", EXAMPLES, victim)
    rows = [json.loads(line) for line in (tmp_path / "probes.jsonl").read_text().splitlines()]
    assert [(row["id"], row["probe"]) for row in rows] == [(i, p) for i in "abc" for p in ("shout", "lie")]
    assert [Answer.from_row(row) for row in rows] == answers
    assert rows[0] == {
        "id": "a", "domain": "toy", "victim": "toy victim", "probe": "shout", "number": 1, "of": 1, "rules": None, "label": 0,
        "original": ["so!"], "changed": ["so!!"], "what": "a mark added", "why": None, "expects": "stay", "truncated": None,
        "original_probs": [pytest.approx(0.4), pytest.approx(0.6)], "changed_probs": [0.0, 1.0], "flipped": False, "seed": 0}
    assert rows[2]["changed"] == ["evidence", "a claim!"]  # the evidence stays
    assert (rows[2]["flipped"], rows[2]["changed_probs"][1]) == (True, pytest.approx(0.6))
    assert rows[3]["why"] == "asks about real texts only"
    assert (rows[4]["why"], rows[4]["changed"], rows[4]["flipped"], rows[4]["changed_probs"]) == ("empty", None, None, None)
    (texts,) = victim.asked  # one call: each original once, then the changed texts
    assert [t for t in texts if t in [e.segments for e in EXAMPLES]] == [e.segments for e in EXAMPLES]
    assert len(texts) == 3 + 3


def test_all_classes_and_expectations_of_single_texts(tmp_path):
    examples = [Example("a", "one", 1), Example("b", "my own", 0)]
    answers = ask(tmp_path / "rows", examples, probes=[Lie()], settings=ProbeSettings(classes="all"))
    assert [(a.expects, a.changed is None) for a in answers] == [("fake", False), ("flip", False)]


def test_equal_texts_are_changed_alike_and_another_seed_changes_them_otherwise(tmp_path):
    examples = [Example("a", "one", 0), Example("b", "one", 0), Example("c", "two", 0)]
    first = ask(tmp_path / "0", examples, probes=[Lie()])
    assert first[0].changed == first[1].changed
    assert first[0].changed != ask(tmp_path / "1", examples, probes=[Lie()], seed=1)[0].changed


class Reader(Victim):
    """Reads ten characters of the last segment, whatever their number."""

    def window(self, segments):
        return (*map(len, segments[:-1]), min(10, len(segments[-1])))

    def probabilities(self, texts):
        return super().probabilities([(*text[:-1], text[-1][:10]) for text in texts])


def test_what_the_victim_does_not_read_is_not_asked_about(tmp_path):
    """Shout puts a mark at the end: behind ten characters nobody reads it, and its label would always stay."""
    examples = [Example("long", "word " * 180, 0), Example("fits", "ten chars!", 0), Example("short", "nine char", 0),
                Example("pair", ("evidence " * 9, "a claim"), 0)]
    found = {a.id: a for a in ask(tmp_path / "rows", examples, Reader(), probes=[Shout()])}
    assert {i: a.why for i, a in found.items()} == {
        "long": "behind what the victim reads", "fits": "behind what the victim reads", "short": None, "pair": None}
    assert {i: a.truncated for i, a in found.items()} == {"long": True, "fits": True, "short": False, "pair": False}
    assert found["long"].changed is found["long"].flipped is None


def test_a_change_inside_the_window_of_a_long_text_is_asked_about(tmp_path):
    class First(Shout):
        def change(self, text, seed):
            return Changed("!" + text, "a mark in front")

    (answer,) = ask(tmp_path / "rows", [Example("a", "word " * 180, 0)], Reader(), probes=[First()])
    assert (answer.why, answer.truncated, answer.flipped) == (None, True, True)


def test_lower_case_is_no_change_unless_nothing_else_is():
    assert asking._first_change("A man Is so", "a man is not so") == len("a man is ")
    assert asking._first_change("one Man", "one man") == 4
    assert asking._first_change("İs so", "İs not so") == 3  # whose lower case is longer


def test_a_byte_order_mark_stays_in_front(tmp_path):
    class First(Shout):
        def change(self, text, seed):
            return Changed("Oh: " + text, "a word in front")

    assert ask(tmp_path / "rows", [Example("a", "\ufeffso", 0)], probes=[First()])[0].changed == ("\ufeffOh: so",)


class Twice(Shout):
    name = "twice"

    def change(self, text, seed):
        return Changed(text + "!", "one", others=(Changed(text + "!!", "two", "flip"), Changed(text, "none")))


def test_several_changed_texts_are_numbered_and_survive_a_kill(tmp_path):
    path = tmp_path / "rows"
    answers = ask(path, EXAMPLES, probes=[Twice(), Lie()])
    assert [(a.id, a.probe, a.number, a.of) for a in answers[:4]] == [
        ("a", "twice", 1, 3), ("a", "twice", 2, 3), ("a", "twice", 3, 3), ("a", "lie", 1, 1)]
    assert [(a.expects, a.why) for a in answers[:3]] == [("stay", None), ("flip", None), ("stay", "the text stays the same")]
    whole = path.read_bytes()
    for lines in range(len(answers)):
        path.write_bytes(b"".join(whole.splitlines(keepends=True)[:lines]))
        ask(path, EXAMPLES, probes=[Twice(), Lie()])
        assert path.read_bytes() == whole


@pytest.mark.parametrize(("damage", "words"), [
    (lambda row: row | {"original": 5}, "original holds 5"), (lambda row: row | {"label": "0"}, "label holds '0'"),
    (lambda row: row | {"original_probs": None}, "original_probs holds None"),
    (lambda row: row | {"changed": None}, "without the text"), (lambda row: row | {"changed": ["a", 1]}, "changed holds"),
    (lambda row: {"id": "a"}, "missing or unknown"), (lambda row: [1], "expected a JSON object")])
def test_a_damaged_row_is_one_line_with_the_way_out(tmp_path, damage, words):
    path = tmp_path / "rows"
    ask(path, EXAMPLES)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(damage(row)) + "\n" for row in rows))
    with pytest.raises(InputError, match=words) as caught:
        ask(path, EXAMPLES)
    assert "overwrite=true" in str(caught.value) and str(path) in str(caught.value) and "\n" not in str(caught.value)
    path.write_text("{not json}\n")
    with pytest.raises(InputError, match="not JSON.*overwrite=true"):
        ask(path, EXAMPLES)


def test_a_text_that_comes_back_the_same_was_not_changed(tmp_path):
    class Nothing(Shout):
        name = "nothing"

        def change(self, text, seed):
            return Changed(text, "nothing")

    assert ask(tmp_path / "rows", EXAMPLES, probes=[Nothing()])[0].why == "the text stays the same"


def test_rules_stand_in_the_rows_of_the_probes_that_have_them(tmp_path):
    class Negation(Shout):
        name = "negation"

    answers = ask(tmp_path / "rows", EXAMPLES, probes=[Negation(), Lie()], settings=ProbeSettings(rules="published"))
    assert [a.rules for a in answers[:2]] == ["published", None]


def test_a_tie_is_no_flip(tmp_path):
    class Tied(Victim):
        def probabilities(self, texts):
            noise = numpy.array([1e-8 if "!" in t[-1] else -1e-8 for t in texts])
            return numpy.stack([0.5 - noise, 0.5 + noise], axis=1)

    assert not any(a.flipped for a in ask(tmp_path / "rows", EXAMPLES, Tied(), probes=[Shout()]))


@pytest.mark.parametrize(("rows", "words"), [
    (lambda texts: numpy.full((len(texts), 3), 1 / 3), "shape"),
    (lambda texts: numpy.full((len(texts), 2), numpy.nan), "not finite")])
def test_what_is_no_probability_is_refused(tmp_path, rows, words):
    class Broken(Victim):
        def probabilities(self, texts):
            return rows(texts)

    with pytest.raises(InputError, match=words):
        ask(tmp_path / "rows", EXAMPLES, Broken())
    assert not (tmp_path / "rows").read_text()


def test_ids_must_be_unique(tmp_path):
    with pytest.raises(InputError, match="repeated: a"):
        ask(tmp_path / "rows", [EXAMPLES[0], EXAMPLES[0]])
    assert not (tmp_path / "rows").exists()


@pytest.mark.parametrize(("options", "words"), [
    ({"seed": 1}, "seed=0, this run has seed=1"),
    ({"probes": [Shout()]}, "probe 'lie'"),
    ({"domain": Domain("other", ("real", "fake"))}, "domain=toy"),
    ({"examples": [Example("a", "other text", 0)]}, "does not ask"),
])
def test_rows_of_another_run_are_refused(tmp_path, options, words):
    ask(tmp_path / "rows", EXAMPLES)
    before = (tmp_path / "rows").read_text()
    with pytest.raises(InputError, match=words):
        ask(tmp_path / "rows", options.pop("examples", EXAMPLES), **options)
    assert (tmp_path / "rows").read_text() == before


def test_only_missing_rows_are_added_whatever_was_cut(tmp_path):
    path = tmp_path / "rows"
    examples = [Example(str(i), f"text {i}", i % 2) for i in range(asking.CHUNK + 5)]
    ask(path, examples)
    whole = path.read_bytes()
    for cut in (1, 400, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        victim = Victim()
        ask(path, examples, victim)
        assert path.read_bytes() == whole
    assert len(victim.asked) == 1  # the last cut hit one chunk only
    victim = Victim()
    ask(path, examples, victim)
    assert not victim.asked


@given(st.lists(st.text(st.characters(codec=None) | st.sampled_from("\ud800\udfff\x00\u0301\u05d0😀")), max_size=5))
def test_any_text_goes_through(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("odd") / "rows"
    answers = ask(path, [Example(str(i), text, 0) for i, text in enumerate(texts)])
    assert [Answer.from_row(row) for row in records.read_rows(path)] == answers


SCRIPT = """
import sys, time
from pathlib import Path
sys.path.insert(0, {folder!r})
import test_asking as t

class Slow(t.Victim):
    def probabilities(self, texts):
        time.sleep({pause})
        return super().probabilities(texts)

examples = [t.Example(str(i), "word " * (i % 7), i % 2) for i in range(600)]
t.ask(Path(sys.argv[1]), examples, Slow())
"""


def test_a_killed_process_goes_on_to_the_same_file(tmp_path):
    """kill -9 in the middle; a second process goes on; the file is that of a run that nobody stopped."""
    folder = str(Path(__file__).parent)
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    path = tmp_path / "rows"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT.format(folder=folder, pause=0.3), str(path)], env=environment)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (path.exists() and path.stat().st_size):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    rows = path.read_text().count("\n")
    assert 0 < rows < 1200
    for name in ("rows", "undisturbed"):
        subprocess.run([sys.executable, "-c", SCRIPT.format(folder=folder, pause=0), str(tmp_path / name)], check=True,
                       env=environment)
    assert path.read_bytes() == (tmp_path / "undisturbed").read_bytes()
    assert path.read_text().count("\n") == 1200
