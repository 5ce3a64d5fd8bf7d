"""Defences are part of a victim's folder: what is saved with them loads with them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from transformers import AutoModelForSequenceClassification

import hardtext
from hardtext.core import Domain, InputError, Windowed
from hardtext.victims import Encoder, load_victim
from hardtext.victims.defended.coarse import Coarse
from hardtext.victims.defended.rewriting import Rewriting
from hardtext.victims.defended.settings import Canonicalise, Encode, Output, Smooth
from hardtext.victims.defended.smoothed import Smoothed
from hardtext.victims.export import read_defences, save_victim
from hardtext.victims.local import LocalVictim

DOMAIN = Domain("toy", ("credible", "fake"))
ALL = {"canonicalise": Canonicalise(["unseen", "lookalikes"]), "encode": Encode(chains=True),
       "smooth": Smooth(rate=0.5, copies=3, fixed=True),
       "output": Output(digits=1, per_minute=5)}
TEXTS = [("the sen\u200bate repоrt",), ("shocking hoax",), ("",), ("a", "b")]


@pytest.fixture
def module(bert_folder):
    module = Encoder(path=str(bert_folder), max_length=60).module(DOMAIN, 0)
    module.net.classifier.weight.data.mul_(50)
    return module


@pytest.fixture
def folder(module, tmp_path):
    return save_victim(module, tmp_path / "victim", DOMAIN, "mine", ALL,
                       {"canonicalise": ["zorg", "alpha", "zorg"], "encode": ["hoax lie"]})


def test_defences_and_words_are_kept(folder):
    assert json.loads((folder / "hardtext.json").read_text())["defences"]["output"] == {"digits": 1, "per_minute": 5}
    assert (folder / "words.txt").read_text() == "alpha\nzorg\n"
    assert (folder / "synonyms.txt").read_text() == "hoax lie\n"
    assert read_defences(folder) == (ALL, {"canonicalise": ["alpha", "zorg"], "encode": ["hoax lie"]})


def test_the_defended_victim_is_loaded(folder):
    victim = hardtext.load_victim(folder)
    layers = []
    while not isinstance(victim, LocalVictim):
        layers.append(type(victim))
        victim = victim.victim
    assert layers == [Coarse, Rewriting, Rewriting, Smoothed]
    rows = load_victim(folder).probabilities(TEXTS)
    assert rows.shape == (4, 2) and (np.rint(rows * 10) / 10 == rows).all() and rows.sum(axis=1).tolist() == [1] * 4
    assert (rows == load_victim(folder).probabilities(TEXTS)).all()
    assert (rows[0] == load_victim(folder).probabilities([("the senate report",)])[0]).all()
    assert (rows[1] == load_victim(folder).probabilities([("shocking lie",)])[0]).all()


def test_defences_can_be_left_out(folder):
    assert isinstance(load_victim(folder, without=("output",)), Rewriting)
    bare = load_victim(folder, without=tuple(ALL))
    assert isinstance(bare, LocalVictim) and isinstance(bare, Windowed)
    whole = load_victim(folder)
    assert len({whole.fingerprint, bare.fingerprint, load_victim(folder, without=("smooth",)).fingerprint}) == 3
    assert whole.fingerprint == load_victim(folder).fingerprint


def test_transformers_loads_the_net_without_its_defences(folder):
    net = AutoModelForSequenceClassification.from_pretrained(folder)
    assert net.config.id2label == {0: "credible", 1: "fake"}


def test_a_record_without_defences_gives_the_plain_victim(module, tmp_path):
    folder = save_victim(module, tmp_path / "v", DOMAIN, "mine")
    assert not {"defences", "learnt"} & json.loads((folder / "hardtext.json").read_text()).keys()
    assert not (folder / "words.txt").exists() and isinstance(load_victim(folder), LocalVictim)


@pytest.mark.parametrize("damage", [lambda words: words.unlink(), lambda words: words.write_bytes(b"\xff\xfe\n"),
                                    lambda words: words.write_text("a b\n" * 3)])
@pytest.mark.parametrize("file", ["words.txt", "synonyms.txt"])
def test_missing_or_damaged_files_are_one_line(folder, damage, file):
    damage(folder / file)
    with pytest.raises(InputError, match=rf"{file}: missing or damaged .*; it belongs to the victim's (canon|enc)") as caught:
        load_victim(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("line", ["hoax", "hoax a lie", "hoax\tlie", "hoax  lie", " lie", "", "hoax lie "])
def test_a_line_of_another_form_is_named(folder, line):
    (folder / "synonyms.txt").write_text(line + "\n")
    with pytest.raises(InputError, match=r"synonyms.txt: missing or damaged \(line 1: '"):
        load_victim(folder)


def test_a_word_said_twice_is_named(module, tmp_path):
    folder = save_victim(module, tmp_path / "v", DOMAIN, "mine", {"encode": Encode()}, {"encode": ["hoax lie", "told said"]})
    (folder / "synonyms.txt").write_text("hoax lie\nhoax said\n")
    with pytest.raises(InputError, match="'hoax' stands there twice"):
        load_victim(folder)


def test_line_ends_and_the_mark_that_editors_put_first_are_no_damage(folder):
    (folder / "words.txt").write_bytes(b"\xef\xbb\xbfalpha\r\nzorg\r\n")
    assert read_defences(folder)[1]["canonicalise"] == ["alpha", "zorg"]


@pytest.mark.parametrize(("key", "value", "words"), [
    ("learnt", ["encode"], "learnt: expected a number of lines by name"),
    ("defences", {"smooth": {"mask": 5}}, "'smooth' \\(mask=5 is of another kind"),
    ("defences", {"smooth": {"copies": 2.5}}, "copies=2.5 is of another kind"),
    ("defences", {"encode": {"chains": "no"}}, "chains='no' is of another kind"),
    ("defences", {"output": {"digits": True}}, "digits=True is of another kind"),
    ("defences", {"canonicalise": {"steps": "spelling"}}, "steps='spelling' is of another kind"),
    ("defences", {"output": {"digits": 9}}, "hardening.output.digits=9: expected")])
def test_settings_of_another_kind_are_one_line(folder, key, value, words):
    record = json.loads((folder / "hardtext.json").read_text()) | {key: value}
    (folder / "hardtext.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=f"hardtext.json: .*{words}"):
        load_victim(folder)


def test_an_unknown_defence_is_one_line(folder):
    record = json.loads((folder / "hardtext.json").read_text())
    record["defences"]["shield"] = {}
    (folder / "hardtext.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match="hardtext.json: the defence 'shield' is not known to this version of hardtext"):
        load_victim(folder)


def test_onnx_runtime_computes_behind_the_defences(folder):
    pytest.importorskip("onnxruntime", reason="requirements-onnx.txt")
    rows = [load_victim(folder, without=("output",), backend=backend).probabilities(TEXTS) for backend in ("torch", "onnx")]
    assert np.abs(rows[0] - rows[1]).max() < 1e-5
    assert load_victim(folder, backend="onnx").fingerprint != load_victim(folder).fingerprint


def test_gradients_of_a_defended_victim_are_refused_in_one_line(folder):
    from hardtext.attacks.services import Stats
    from hardtext.attacks.victim_service import Sensing

    with pytest.raises(InputError, match="victim mine: it gives no gradients"):
        Sensing(load_victim(folder), None, Stats())
