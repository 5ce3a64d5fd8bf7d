"""``task=detect`` from attempts to the files it leaves."""

from __future__ import annotations

import csv
import json

import pytest

from hardtext.config import compose
from hardtext.core import Attempt, Corpus, Domain, Example, InputError
from hardtext.domains.sample import SampleDomain
from hardtext.hardening.guard import load_guard
from hardtext.pipelines import detect
from hardtext.victims import load_victim
from hardtext.victims.export import save_victim
from hardtext.victims.settings import Encoder

SAMPLE = Domain("sample", ("supported", "refuted"), pair=True)
FILES = ("detect.json", "detect.md", "detect.csv", "detect_roc.png", "detect_roc.svg")


def attempt(original, adversarial, attack="deepwordbug", id="1") -> Attempt:
    return Attempt(id=id, domain="sample", victim="tiny", attack=attack, label=0, original=original, adversarial=adversarial,
                   status="success" if adversarial else "failed", original_probs=[0.9, 0.1],
                   adversarial_probs=[0.1, 0.9] if adversarial else None,
                   queries=1, forwards=1, seconds=0.0, seed=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Attempts of two attacks on the sample: one writes Cyrillic letters, one turns the order of the words about."""
    at = tmp_path_factory.mktemp("attempts")
    texts = [(e.id, e.segments) for e in SampleDomain().load(at, 0).attack[:24]]
    for attack, change in (("homoglyph_search", lambda s: s.replace("a", "а").replace("e", "е")),
                           ("textfooler", lambda s: " ".join(reversed(s.split())))):
        (at / attack).mkdir()
        rows = [attempt((first, second), None if n % 6 == 5 else (first, change(second)), attack, id).to_row()
                for n, (id, (first, second)) in enumerate(texts)]
        (at / attack / "attempts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (at / "textfooler" / "summary.json").write_text(json.dumps({"stand_ins": ["word vectors: small ones"]}))
    return at


def run(folder, out, *overrides):
    return detect.run(compose("evaluate", ["task=detect", "domain=sample", "logger=csv", "detect.masked_lm=bundled:tiny",
                                           "detect.clean=30", f"attempts={folder}", f"out={out}", *overrides]))


@pytest.fixture(scope="module")
def found(folder, tmp_path_factory):  # loads the dictionary of the spelling checker: seconds
    out = tmp_path_factory.mktemp("out")
    return run(folder, out), out


def test_the_files_say_the_same_and_name_every_stand_in(found):
    report, out = found
    assert all((out / name).stat().st_size for name in FILES)
    assert json.loads((out / "detect.json").read_text()) == json.loads(json.dumps(report))
    lines = list(csv.DictReader((out / "detect.csv").open(encoding="utf-8")))
    assert {(line["score"], line["against"]): float(line["auc"]) for line in lines} == {
        (name, view): one["auc"] for name, views in report["scores"].items() for view, one in views.items()}
    for name in ("detect.json", "detect.md", "detect.csv"):
        text = (out / name).read_text()
        for words in ("generated sample", "word vectors: small ones", "masked LM: bundled stand-in"):
            assert words in text, (name, words)


def test_look_alikes_are_caught_and_the_shuffled_look_like_nothing_to_the_clean_up(found):
    report, _ = found
    alike = report["by_attack"]["homoglyph_search"]
    assert [alike["foreign"], alike["together"]] == pytest.approx([1.0, 1.0])
    assert report["by_attack"]["textfooler"]["foreign"] == pytest.approx(0.5)
    assert report["scores"]["foreign"]["clean"]["caught"]["0.01"] == pytest.approx(0.5)
    assert report["about"]["fitted"] == {"adversarial": 20, "originals": 10, "clean": 15} == report["about"]["tested"]
    assert set(report["detector"]["names"]) == set(detect.detection.SCORES)


def test_a_named_victim_is_asked_too(folder, tmp_path, caplog):
    module = Encoder(path="bundled:tiny").module(SAMPLE, 0)
    save_victim(module, tmp_path / "v" / "victim", SAMPLE, "mine")
    report = run(folder, tmp_path / "out", f"victim={tmp_path / 'v'}", "limit=8", "detect.clean=6")
    assert report["detector"]["names"] == [*detect.detection.SCORES, *detect.detection.VICTIM_SCORES]
    assert report["about"]["asked"] == "mine" and set(report["scores"]) == {"together", *report["detector"]["names"]}
    loaded = load_guard(tmp_path / "out", load_victim(tmp_path / "v"))
    assert 0 <= loaded.suspicion(["Lima is the capital of Реru."])[0] <= 1 and set(loaded.thresholds) == {0.01, 0.05}
    assert "reaction and saliency shift of mine" in (tmp_path / "out" / "detect.md").read_text()
    assert "the attempts are against tiny, and mine is asked about them" in caplog.text
    other = Domain("pr", ("plain", "propaganda"))
    save_victim(Encoder(path="bundled:tiny").module(other, 0), tmp_path / "o" / "victim", other, "mine")
    with pytest.raises(InputError, match="trained for domain pr"):
        run(folder, tmp_path / "none", f"victim={tmp_path / 'o'}")


def test_halves_keep_what_belongs_together_and_do_not_depend_on_the_order():
    texts = [(f"text {n}",) for n in range(11)]
    ones, others = detect.halves(texts, 0)
    assert len(ones) == 5 and set(ones) | set(others) == set(texts) and not set(ones) & set(others)
    assert set(detect.halves(texts[::-1], 0)[0]) == set(ones) != set(detect.halves(texts, 1)[0])


def test_successes_are_distinct_and_the_limit_counts_originals():
    attempts = [attempt((f"{n}",), (f"{n}!",), attack) for attack in ("a", "b", "b") for n in range(4)]
    assert len(detect.successes_of(attempts, None)) == 8
    assert {s.original for s in detect.successes_of(attempts, 2)} == {("0",), ("1",)}
    with pytest.raises(InputError, match="among 1 attempts there are 0"):
        detect.successes_of([attempt(("x",), None)], None)
    with pytest.raises(InputError, match="two originals or more"):
        detect.successes_of(attempts, 1)


def test_clean_texts_are_never_ones_that_were_attacked():
    def corpus(dev, attack):
        return Corpus(Domain("d", ("a", "b")), dev=tuple(Example(t, (t,), 0) for t in dev),
                      attack=tuple(Example(t, (t,), 0) for t in attack))

    attacked = [attempt(("p",), None)]
    assert detect.clean_texts(corpus("pqrs", "xyz"), attacked, 2) == [("q",), ("r",)]
    assert detect.clean_texts(corpus("p", "pxyz"), attacked, 9) == [("x",), ("y",), ("z",)]
    with pytest.raises(InputError, match="holds no clean texts"):
        detect.clean_texts(corpus("p", "px"), attacked, 9)


@pytest.mark.parametrize(("overrides", "words"), [
    (["task=detect", "domain=sample"], "needs attempts="), (["task=detect", "attempts=x"], "domain=<domain>"),
    (["task=detect", "attempts=/nowhere", "domain=sample"], "no such file or folder"),
    (["task=detect", "attempts=x", "domain=sample", "limit=0"], "limit=0"),
])
def test_bad_input_is_refused(overrides, words):
    with pytest.raises(InputError, match=words):
        detect.run(compose("evaluate", overrides))


def test_too_few_clean_texts_are_refused_when_composed():
    with pytest.raises(InputError, match="detect.clean=1"):
        compose("evaluate", ["task=detect", "detect.clean=1"])
