"""Export and loading: what is saved answers as it did, and every kind of source finds its victim."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from hardtext.core import Domain, InputError, Victim
from hardtext.victims import BiLSTM, Encoder, Pretrained, load_victim
from hardtext.victims.bilstm import legacy_padding
from hardtext.victims.export import save_victim
from hardtext.victims.local import of_module

DOMAIN = Domain("toy", ("credible", "fake"), stand_in="generated sample")
TEXTS = [("senate report",), ("",), ("   ",), ("🔥",), ("lone \ud800 surrogate",), ("the hoax " * 5_000,), ("a", "b"),
         ("evidence " * 300, "claim"), ("!!!",), ("\u202eright to left\u0301",)]


@pytest.fixture(params=["bilstm", "legacy", "bert", "roberta"])
def module(request, bert_folder, roberta_folder):
    made = {"bilstm": BiLSTM(tokenizer=str(bert_folder), max_length=64),
            "legacy": BiLSTM(tokenizer=str(bert_folder), max_length=64, padding="legacy"),
            "bert": Encoder(path=str(bert_folder), max_length=60),
            "roberta": Encoder(path=str(roberta_folder), max_length=60)}[request.param]
    return made.module(DOMAIN, 0)


def test_saved_and_loaded_answers_alike(module, tmp_path):
    folder = save_victim(module, tmp_path / "run" / "victim", DOMAIN, "mine")
    before = of_module(module, "mine")
    for source in (folder, folder.parent, str(folder.parent)):
        victim = load_victim(source)
        assert isinstance(victim, Victim) and (victim.name, victim.classes) == ("mine", DOMAIN.classes)
        p = victim.probabilities(TEXTS)
        assert p.shape == (len(TEXTS), 2) and np.isfinite(p).all() and np.allclose(p.sum(1), 1, atol=1e-6)
        assert (p == before.probabilities(TEXTS)).all()
        assert victim.fingerprint == before.fingerprint
    assert load_victim(folder, name="other").name == "other"
    names = {path.name for path in folder.iterdir()}
    assert {"model.safetensors", "config.json", "tokenizer.json", "hardtext.json"} <= names
    assert not [name for name in names if name.endswith((".bin", ".pt", ".pkl"))]


def test_what_the_record_says(module, tmp_path):
    record = json.loads((save_victim(module, tmp_path / "v", DOMAIN, "mine") / "hardtext.json").read_text())
    assert record["domain"] == {"name": "toy", "classes": ["credible", "fake"], "positive": [1], "pair": False,
                                "stand_in": "generated sample"}
    assert record["family"] == module.net.config.model_type and record["max_length"] == module.hparams.max_length
    assert record["padding"] == ("legacy" if legacy_padding(module.net) else "packed")
    assert set(record["versions"]) >= {"hardtext", "torch", "transformers"}


def test_export_loads_with_transformers_alone(bert_folder, tmp_path):
    module = Encoder(path=str(bert_folder), max_length=60).module(DOMAIN, 0)
    folder = save_victim(module, tmp_path / "v", DOMAIN, "mine")
    net, tokenizer = AutoModelForSequenceClassification.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    assert net.config.id2label == {0: "credible", 1: "fake"} and net.config.label2id == {"credible": 0, "fake": 1}
    with torch.inference_mode():
        logits = net.eval()(**tokenizer("senate report", "hoax", return_tensors="pt")).logits
    assert np.allclose(logits.softmax(1).numpy(), load_victim(folder).probabilities([("senate report", "hoax")]),
                       atol=1e-6)


def test_saving_again_replaces_and_leaves_nothing_behind(bert_folder, tmp_path):
    module = Encoder(path=str(bert_folder), max_length=60).module(DOMAIN, 0)
    save_victim(module, tmp_path / "victim", DOMAIN, "one")
    save_victim(module, tmp_path / "victim", DOMAIN, "two")
    assert load_victim(tmp_path).name == "two" and [p.name for p in tmp_path.iterdir()] == ["victim"]


def test_export_that_fails_leaves_the_old_folder(bert_folder, tmp_path, monkeypatch):
    module = Encoder(path=str(bert_folder), max_length=60).module(DOMAIN, 0)
    save_victim(module, tmp_path / "victim", DOMAIN, "one")

    def disk_full(folder):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.tokens.tokenizer, "save_pretrained", disk_full)
    with pytest.raises(OSError, match="No space"):
        save_victim(module, tmp_path / "victim", DOMAIN, "two")
    assert load_victim(tmp_path).name == "one"


def test_labels_of_a_foreign_classifier_are_matched_by_name(classifier_folder):
    texts = [("senate report",), ("shocking hoax exposed",)]
    own = load_victim(classifier_folder)
    assert own.classes == ("Fake", "Credible") and own.name == classifier_folder.name
    turned = load_victim(classifier_folder, classes=("credible", "fake"))
    assert (turned.probabilities(texts) == own.probabilities(texts)[:, ::-1]).all()
    assert turned.classes == ("credible", "fake") and turned.fingerprint != own.fingerprint
    settings = Pretrained(path=str(classifier_folder))
    assert (settings.victim(DOMAIN).probabilities(texts) == turned.probabilities(texts)).all()


def test_labels_that_do_not_match_are_refused_or_mapped_by_hand(classifier_folder):
    other = Domain("other", ("supported", "refuted"))
    settings = Pretrained(path=str(classifier_folder))
    with pytest.raises(InputError, match=r"labels \(Fake, Credible\) .* classes \(supported, refuted\)"):
        settings.victim(other)
    mapped = replace(settings, labels={"Fake": "refuted", "Credible": "supported"}).victim(other)
    assert (mapped.probabilities([("a",)]) == load_victim(classifier_folder).probabilities([("a",)])[:, ::-1]).all()


def test_pretrained_reads_no_more_than_asked(classifier_folder):
    short = Pretrained(path=str(classifier_folder), max_length=8).victim(DOMAIN)
    assert short.max_length == 8 and load_victim(classifier_folder).max_length == 128
    same = short.probabilities([("the senate report confirms it " + end,) for end in ("hoax " * 9, "study " * 9)])
    assert (same[0] == same[1]).all()


def test_a_victim_is_given_back(classifier_folder):
    victim = load_victim(classifier_folder)
    assert load_victim(victim) is victim


@pytest.mark.parametrize(("source", "words"), [
    (lambda t: t, "no victim in this folder"),
    (lambda t: t / "absent", "no such folder"),
    (lambda t: 7, "got int"),
])
def test_no_victim_there(source, words, tmp_path):
    with pytest.raises(InputError, match=words):
        load_victim(source(tmp_path))


def test_a_body_without_head_is_no_victim(bert_folder):
    with pytest.raises(InputError, match="lack .*classifier.* so this is no trained classifier"):
        load_victim(bert_folder)


def test_one_output_is_no_classifier(bert_folder, tmp_path):
    net = AutoModelForSequenceClassification.from_pretrained(bert_folder, num_labels=1)
    net.save_pretrained(tmp_path)
    with pytest.raises(InputError, match="not a classifier .*1 labels"):
        load_victim(tmp_path)


def test_damaged_weights_are_one_line(classifier_folder, tmp_path):
    for path in classifier_folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"\x00" * 100)
    with pytest.raises(InputError, match="no sequence classifier can be loaded") as caught:
        load_victim(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_decoder_without_pad_piece(roberta_folder, tmp_path):
    from transformers import GPT2Config, GPT2ForSequenceClassification, GPT2TokenizerFast, set_seed

    GPT2TokenizerFast(str(roberta_folder / "vocab.json"), str(roberta_folder / "merges.txt"),
                      eos_token="</s>", unk_token="<unk>", bos_token="<s>").save_pretrained(tmp_path)
    set_seed(0)
    GPT2ForSequenceClassification(GPT2Config(vocab_size=400, n_embd=32, n_layer=1, n_head=2, n_positions=64,
                                             num_labels=2)).save_pretrained(tmp_path)
    victim = load_victim(tmp_path)
    alone = np.concatenate([victim.probabilities([text]) for text in TEXTS])
    assert np.abs(victim.probabilities(TEXTS) - alone).max() < 1e-6


def test_a_damaged_record_and_a_device_that_is_not_there_are_one_line(tmp_path):
    from hardtext.victims.export import RECORD, read_record
    from hardtext.victims.local import pick_device

    for text in ("[]", "{}", '{"name": "bert", "max_length": 0}'):
        (tmp_path / RECORD).write_text(text)
        with pytest.raises(InputError, match="damaged"):
            read_record(tmp_path)
    for value, said in (("2", "2"), ("true", "True"), ("1.0", "1.0"), ('"1"', "'1'"), ("null", "None")):
        (tmp_path / RECORD).write_text(f'{{"format": {value}, "name": "bert", "max_length": 8}}')
        with pytest.raises(InputError, match=f"format {said}, where this hardtext reads 1"):
            read_record(tmp_path)
    with pytest.raises(InputError, match="device=foo"):
        pick_device("foo")
