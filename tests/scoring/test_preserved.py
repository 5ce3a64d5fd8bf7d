from __future__ import annotations

import csv
import json
import subprocess
import sys
from importlib.metadata import version
from math import exp, log
from pathlib import Path

import numpy
import pytest

from hardtext.records import read_json
from hardtext.scoring import preserved
from hardtext.scoring.semantic import MiniLM

ROOT = Path(__file__).resolve().parents[2]
DATA = "incrediblae_manual_eval/InCrediblAE_Manual_Evaluation_Dataset.csv"
EVIDENCE, CLAIM = "henry iii was king of england from 1216 until his death .", "henry iii was king when he was 2 years old ."


def of(evidence=EVIDENCE, claim=CLAIM) -> float:
    return float(preserved.probabilities([((EVIDENCE, CLAIM), (evidence, claim))], MiniLM(device="cpu"))[0])


def test_hand_worked_flag_features():
    values = preserved.flag_features((EVIDENCE, CLAIM), (EVIDENCE.replace("king", "ki ng").replace("of ", "in "),
                                                         CLAIM.replace("2 years", "caps mars hm years")))
    assert dict(zip(preserved.FLAG_FEATURES, values)) == pytest.approx({
        "changed": 1, "changed_claim": log(4), "changed_evidence": 0, "negation": 0, "number": log(2), "date": 0, "name": 0,
        "function_claim": 0, "function_evidence": log(2), "split_claim": 0, "split_evidence": log(2)})


def test_hand_worked_text_features():
    read = CLAIM.replace("2", "caps")
    row, same = preserved.features([((EVIDENCE, CLAIM), (EVIDENCE.replace("king", "kіng"), read)),
                                    ((EVIDENCE, CLAIM), (EVIDENCE.replace("king", "kіng"), CLAIM))], MiniLM(device="cpu"))
    length = len(f"{EVIDENCE} ~ {read}")
    character, character_read, least, mean = row[len(preserved.FLAG_FEATURES):]
    assert character == pytest.approx(1 - 5 / length) and character_read == pytest.approx(1 - 4 / length)
    assert 0.5 < least < 1 and mean == pytest.approx((1 + least) / 2)  # the evidence reads as before
    assert same[len(preserved.FLAG_FEATURES):] == pytest.approx([1 - 1 / (length - 3), 1, 1, 1])


def test_hand_worked_probability():
    model = preserved.Model(numpy.array([1.0, 0.0]), numpy.array([2.0, 1.0]), numpy.array([-1.0, 3.0]), 0.5, "")
    assert model.probabilities(numpy.array([[5.0, 1.0], [1.0, 0.0]])) == pytest.approx(
        [1 / (1 + exp(-(0.5 - 2 + 3))), 1 / (1 + exp(-0.5))])


def test_what_a_reader_reads_decides():
    same = of()
    assert same > 0.96
    assert of(EVIDENCE.upper(), CLAIM.title()) == same  # case is no change
    assert of(EVIDENCE.replace("king", "kіng")) > 0.9
    assert 0.5 < of(claim=CLAIM.replace("years", "yea rs")) < of(EVIDENCE.replace("death", "dea th")) < same
    assert of(claim=CLAIM.replace("2", "caps")) < 0.1
    assert of(claim=CLAIM.replace("was king", "was not king")) < 0.1
    assert of("under the sea it rained", "nobody saw him there") < 0.01


def test_probabilities_do_not_depend_on_what_else_is_asked():
    changes = [((EVIDENCE, CLAIM), (EVIDENCE, CLAIM.replace("king", word))) for word in ("queen", "kіng", "k ing")]
    together = preserved.probabilities(changes, MiniLM(device="cpu"))
    assert together == pytest.approx([of(claim=new) for _, (_, new) in changes], abs=1e-5)


@pytest.mark.parametrize("change", [(("",), ("",)), (("",), ("a",)), (("a",), ("",)), (("a", "b"), ("a b",)),
                                    (("🔥",), ("e\u0301\u200b",)), (("\n",), (" ~ ",))])
def test_odd_texts_have_a_probability(change):
    assert 0 <= preserved.probabilities([change], MiniLM(device="cpu"))[0] <= 1


def test_no_change_asks_nothing():
    assert preserved.probabilities([], MiniLM(device="no such device")).shape == (0,)
    assert preserved.probabilities([(("a b",), ("A b",))], MiniLM(device="no such device"))[0] > 0.9


def test_the_file_says_what_it_is_worth():
    stored = preserved.stored()
    assert [feature["name"] for feature in stored["features"]] == list(preserved.FEATURES)
    assert (stored["data"]["pairs"], stored["data"]["originals"], stored["data"]["kept"]) == (680, 345, 318)
    full, flags_only = stored["figures"]["full model"], stored["figures"]["flags only"]
    assert full["auc"] >= flags_only["auc"] >= 0.95 and full["auc_interval"][0] >= 0.95
    assert stored["figures"]["character score (BODEGA)"]["auc"] < 0.8
    for name, row in stored["figures"].items():
        for figure in ("auc", "accuracy"):
            assert row[f"{figure}_interval"][0] < row[figure] < row[f"{figure}_interval"][1], name
    assert abs(stored["calibration"]["slope"] - 1) < 0.1
    for rare in ("synonym", "misspelling"):  # as its limits say
        assert stored["flags"][rare]["pairs"] < 10
    for words in ("hardly any synonym or misspelling", "680 judged pairs", "one English fact-checking task",
                  "lower-cased", "MiniLM"):
        assert words in stored["limits"]
    assert preserved.limits("fc") == stored["limits"]
    assert preserved.limits("hn").startswith("never checked on domain hn: ")


def test_nothing_of_the_judged_texts_is_in_the_project(shared_data):
    file = preserved.FILE.read_text(encoding="utf-8")
    with (shared_data / DATA).open(encoding="utf-8", newline="") as rows:
        judged = [row[side] for row in csv.DictReader(rows) for side in ("original_samples", "adversarial_samples")]
    assert len(judged) == 1360 and not any(text in file for text in judged)


@pytest.mark.slow
def test_the_file_is_what_its_script_writes(shared_data, tmp_path):
    made = tmp_path / "preserved.json"
    script = ROOT / "scripts" / "meaning_model.py"
    subprocess.run([sys.executable, str(script), str(shared_data / DATA), "--output", str(made)], check=True,
                   capture_output=True, timeout=900)
    kept = read_json(preserved.FILE)
    if all(version(package).split("+")[0] == said for package, said in kept["versions"].items()):
        assert made.read_bytes() == preserved.FILE.read_bytes()
    else:
        again = read_json(made)
        assert [f["coefficient"] for f in again["features"]] == pytest.approx(
            [f["coefficient"] for f in kept["features"]], abs=0.02)
        assert json.dumps(again["data"]) == json.dumps(kept["data"])
