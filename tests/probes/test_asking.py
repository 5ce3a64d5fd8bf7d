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
        "id": "a", "domain": "toy", "victim": "toy victim", "probe": "shout", "rules": None, "label": 0,
        "original": ["so!"], "changed": ["so!!"], "what": "a mark added", "why": None, "expects": "stay",
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
