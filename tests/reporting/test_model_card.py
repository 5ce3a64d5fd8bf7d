"""The model card: what it says of a model, and that the hub can read it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from huggingface_hub import ModelCard

from hardtext.core import Domain
from hardtext.reporting.model_card.facts import Attacked, Card, InMatrix
from hardtext.reporting.model_card.limits import limits
from hardtext.reporting.model_card.page import render
from hardtext.reporting.model_card.sheets import attacked_sheet, trained_sheet
from hardtext.reporting.model_card.training import base_of, command
from hardtext.scoring.summary import NO_SUMMARY

METRICS = {"texts": 60, "accuracy": 0.8, "f1": 0.8, "precision": 0.8, "recall": 0.8, "macro_f1": 0.8, "auroc": 0.9,
           "ece": 0.05, "confusion": [[24, 6], [6, 24]]}
SCORES = {"instances": 50, "errors": 0, "successes": 20, "confusion": 0.4, "bodega": 0.3, "queries": 77.26,
          "semantic_scorer": "minilm", "interval": {"confusion": [0.27, 0.53], "bodega": [0.2, 0.4]}}


def attacked(attack="pwws", **values) -> Attacked:
    return Attacked(**{"attack": attack, "seed": 0, "scores": SCORES, "cap": "500", "robust_accuracy": 0.45, "repeats": 1,
                       "single_query": 0.4, "stand_ins": ("masked LM: a small one",), "marks": (), "sha256": "ab",
                       "known_by": "by the fingerprint"} | values)


def card(**values) -> Card:
    record = {"name": "tiny+augment+output", "family": "bert", "max_length": 128, "versions": {"torch": "2.13.0"},
              "defences": {"output": {"digits": 0, "per_minute": None}}}
    settings = {"model": {"name": "tiny+augment+output", "path": "bundled:minilm"}, "out": "/secret/place",
                "domain": {"name": "news", "path": "/home/someone/news.csv"},
                "hardening": {"augment": {"rounds": 2}, "output": {"digits": 0, "per_minute": None}, "smooth": None}}
    return Card(**{"domain": Domain("news", ("true", "fa|ke"), stand_in="made up"), "record": record,
                   "metrics": {"seed": 3, "examples": {"train": 9, "dev": 60, "attack": 60}, "dev": METRICS,
                               "attack": METRICS},
                   "settings": settings, "attacked": (attacked(),), "matrices": (), "untested": ("bae",),
                   "files": (("model.safetensors", 7, "cd"), ("words.txt", 2, "ef")), "fingerprint": "12ab",
                   "version": "0.1"} | values)


def matrix(**about) -> InMatrix:
    row = {"victim": "plain", "mean": 0.6, "interval": [0.5, 0.7], "ratio": 1.0, "ratio_interval": None,
           "robust_accuracy": 0.2, "queries": 50.0, "clean": {"f1": 0.8}, "warnings": []}
    own = row | {"victim": "hard", "mean": 0.24, "ratio": 0.4, "ratio_interval": [0.3, 0.5], "warnings": ["only by chance"]}
    return InMatrix({"model": "tiny", "split": "attack", "asked": 50, "whole": 60, "attacks": ["pwws"], "seeds": [0, 1],
                     "caps": [100, 500], "semantic": "minilm", "marks": ["domain: made up"], **about}, "hard", 1, row, own,
                    (("pwws", {"bodega_500": 0.5}, {"bodega_500": 0.2}),))


def test_the_front_matter_is_what_the_hub_reads():
    data = ModelCard(render(card(license="mit", language="en", datasets=("who/news",)))).data
    assert (data.license, data.language, data.datasets, data.pipeline_tag) == ("mit", "en", ["who/news"],
                                                                             "text-classification")
    assert data.base_model == "sentence-transformers/all-MiniLM-L6-v2" and data.library_name == "hardtext"
    assert {"augment", "output"} <= set(data.tags)
    assert {(r.dataset_split, r.metric_type, r.metric_value) for r in data.eval_results} == {
        (split, metric, 0.8) for split in ("dev", "attack") for metric in ("accuracy", "f1")}
    assert all("made up" in result.dataset_name for result in data.eval_results)


def test_what_nobody_chose_is_left_out_of_the_front_matter():
    data = ModelCard(render(card())).data
    assert data.license is data.language is data.datasets is None
    assert "none chosen yet" in render(card())


def test_the_tables_hold_the_figures_and_every_stand_in():
    text = render(card())
    assert "| pwws | 50 | 0.400 | 0.27–0.53 | 0.300 | 0.20–0.40 | 0.450 | 77.3 | 500 | minilm |" in text
    assert "| dev | 60 | 0.800 | 0.68–0.88 | 0.800 |" in text  # Wilson's bounds of 48 of 60
    tables = text.split("### ")[1:]
    assert all("made up" in table for table in tables) and "stand-in: masked LM: a small one" in text
    assert "- domain: made up" in text.split("## Stand-ins")[1]
    assert "fa\\|ke" in text and "0.1" in text and "seed=3" in text


def test_the_strongest_attack_comes_first_and_shared_notes_are_said_once():
    weak = attacked("bae", scores=SCORES | {"bodega": 0.1, "errors": 2}, marks=("the first 50 texts only",), repeats=5)
    sheet = attacked_sheet(card(attacked=(weak, attacked())))
    assert [line.cells[0] for line in sheet.lines] == ["pwws", "bae"]
    assert sheet.notes[1:3] == ("stand-in: masked LM: a small one", "bae: the first 50 texts only")
    assert "most of 5 queries; a single query would have called 0.400" in sheet.notes[3] and "2 attempts" in sheet.notes[4]


def test_a_defended_model_says_what_transformers_does_not_apply():
    text = render(card())
    assert "transformers alone loads the bare net: output does not act there" in text
    assert "AutoTokenizer" not in text and "hardtext.load_victim" in text
    assert "words.txt holds words of the training texts" in text


def test_a_plain_model_is_loaded_by_transformers_alone():
    one = card(record=card().record | {"defences": {}, "name": "tiny"}, repository="who/tiny", files=(("a.json", 1, "0"),))
    text = render(one)
    assert 'AutoTokenizer.from_pretrained("who/tiny")' in text and "does not act" not in text and "words.txt" not in text
    assert ModelCard(text).data.library_name == "transformers"


def test_a_bilstm_says_what_to_import():
    text = render(card(record=card().record | {"family": "hardtext-bilstm", "defences": {}}))
    assert "import hardtext.victims.bilstm" in text and ModelCard(text).data.library_name == "hardtext"


def test_no_place_on_a_machine_is_told():
    text = render(card())
    assert "/home/someone" not in text and "/secret" not in text
    for path, base in (("/models/mine", None), ("../mine", None), ("~/mine", None), ("roberta-base", "roberta-base"),
                       ("a/b", "a/b")):
        said, hub_id = base_of({"model": {"path": path}})
        assert hub_id == base and (base is None) == (path not in said)


def test_beside_the_plain_model():
    text = render(card(matrices=(matrix(),)))
    assert "| plain | 0.600 | 0.50–0.70 | 1.00 |  | 0.200 | 50.0 | 0.800 |" in text
    assert "| hard | 0.240 | 0.50–0.70 | 0.40 | 0.30–0.50 |" in text and "this model is hard, seed 1" in text
    assert "| pwws | 0.500 | 0.200 | 0.40 |" in text and "hard: only by chance" in text
    assert "The matrix says how much" in text


def test_before_and_after():
    score = {"confusion": 0.5, "bodega": 0.4, "queries": 9.0, "robust_accuracy": 0.3, "semantic_scorer": "minilm",
             "interval": {"confusion": [0.4, 0.6], "bodega": None}, "stand_ins": ["a small scorer"]}
    robust = {"attack": "bae", "examples": 20, "split": "dev", "before": score | {"bodega": 0.7}, "after": score}
    one = card(metrics=card().metrics | {"robustness": robust})
    text = render(one)
    assert "| before | 0.500 | 0.40–0.60 | 0.700 |  | 0.300 | 9.0 |" in text and "20 texts of the dev split" in text
    assert "a small scorer" in one.stand_ins
    assert trained_sheet(card(metrics=card().metrics | {"robustness": robust | {"examples": 1}})) is None


@pytest.mark.parametrize(("change", "words"), [
    ({"attacked": ()}, "how robust it is, is unknown"),
    ({}, "Not attacked with: bae"),
    ({"language": "pl"}, "in one language (pl)"),
    ({"attacked": (attacked("textfooler (variant=published)"),)}, "gradients by which textfooler"),
    ({"metrics": card().metrics | {"dev": METRICS | {"accuracy": 0.51}}}, "hardly better than always answering true"),
    ({"record": card().record | {"defences": {"smooth": {"fixed": False}}}}, "answers by chance"),
])
def test_limits(change, words):
    assert any(words in said for said in limits(card(**change)))


def test_what_a_defence_was_made_with_is_among_the_stand_ins():
    made = card()
    assert "encode: other vectors" in replace(made, metrics=made.metrics | {"stand_ins": ["encode: other vectors"]}).stand_ins


def test_attempts_without_a_summary_leave_their_stand_ins_unknown():
    assert NO_SUMMARY in card(attacked=(attacked(marks=(NO_SUMMARY,)),)).stand_ins


def test_odd_names_do_not_break_it():
    odd = "\ud800 \U0001f600 \u202eabc\n# heading <b> ```"
    text = render(card(domain=Domain(odd, (odd, "x" * 300), stand_in=odd), language="x"))
    assert ModelCard(text).data.language == "x" and "\n# heading" not in text.split("## How to")[0].split("---\n", 2)[2]
    assert text.encode()
    assert render(replace(card(), attacked=(attacked(odd),)))


def test_the_command():
    hard = command({"model": {"hardened": True}}, "quick", "tiny_hard", 0)
    assert hard == "python train.py domain=sample domain.name=quick model=tiny_hard seed=0"
