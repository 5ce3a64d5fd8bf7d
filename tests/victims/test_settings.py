"""The settings of models: schemas, checks, and messages."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields, replace

import pytest
from omegaconf import OmegaConf
from omegaconf.errors import ConfigKeyError, ValidationError

from hardtext.core import Domain, InputError
from hardtext.victims import MODELS, BiLSTM, CallableModel, Encoder, Pretrained, TrainingPlan

DOMAIN = Domain("toy", ("credible", "fake"))


@pytest.mark.parametrize("name", MODELS)
def test_schema_round_trip(name):
    settings = OmegaConf.to_object(OmegaConf.structured(MODELS[name]))
    assert isinstance(settings, MODELS[name])
    with pytest.raises((ConfigKeyError, AttributeError)):
        OmegaConf.merge(OmegaConf.structured(MODELS[name]), {"lrr": 1})


def test_schema_refuses_wrong_types():
    with pytest.raises(ValidationError):
        OmegaConf.merge(OmegaConf.structured(Encoder), {"lr": "fast"})
    merged = OmegaConf.merge(OmegaConf.structured(Pretrained), {"labels": {"LABEL_0": "credible"}, "max_length": 128})
    assert OmegaConf.to_object(merged).labels == {"LABEL_0": "credible"}


def test_published_defaults():
    assert BiLSTM().plan == TrainingPlan("adam", 1e-3, "constant", 0.0, 0.0, 32, 10, "last")
    assert (BiLSTM().embedding, BiLSTM().hidden, BiLSTM().max_length, BiLSTM().padding) == (32, 128, 512, "packed")
    assert Encoder().plan == TrainingPlan("adamw", 5e-5, "linear", 0.0, 0.0, 16, 5, "last")
    assert [MODELS[n].trainable for n in ("bilstm", "encoder", "pretrained", "callable")] == [True, True, False, False]


@pytest.mark.parametrize(("change", "words"), [
    ({"optimizer": "sgd"}, "model.optimizer=sgd: expected one of adamw, adam"),
    ({"schedule": "cosine"}, "model.schedule=cosine: expected one of linear, constant"),
    ({"keep": "first"}, "model.keep=first: expected one of last, best"),
    ({"lr": 0.0}, "model.lr=0.0"),
    ({"lr": float("nan")}, "model.lr=nan"),
    ({"warmup": 1.0}, "model.warmup=1.0"),
    ({"weight_decay": -1.0}, "model.weight_decay=-1.0"),
    ({"batch_size": 0}, "model.batch_size=0"),
    ({"epochs": 0}, "model.epochs=0"),
])
@pytest.mark.parametrize("kind", [BiLSTM, Encoder, TrainingPlan])
def test_bad_plan_is_refused(kind, change, words):
    with pytest.raises(InputError, match=words):
        replace(kind(), **change)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: BiLSTM(padding="none"), "model.padding=none: expected one of packed, legacy"),
    (lambda: BiLSTM(hidden=0), "model.hidden=0"),
    (lambda: Encoder(max_length=2), "model.max_length=2"),
    (lambda: Pretrained().victim(DOMAIN), "model.path is empty"),
    (lambda: CallableModel().victim(DOMAIN), "model.target=<module:function> or model.url"),
    (lambda: CallableModel(target="a:b", url="http://x"), "both set"),
    (lambda: CallableModel(batch_size=0), "model.batch_size=0"),
    (lambda: Encoder(path="bundled:large").module(DOMAIN, 0), "bundled weights are minilm, tiny"),
    (lambda: Encoder(path="/nowhere/at/all").module(DOMAIN, 0), "model.path=/nowhere/at/all: no such folder"),
])
def test_bad_settings_are_refused(make, words):
    with pytest.raises(InputError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_every_trained_model_has_the_fields_of_a_plan():
    for kind in (BiLSTM, Encoder):
        assert {f.name for f in fields(TrainingPlan)} <= {f.name for f in fields(kind)}


def test_the_registry_imports_nothing_heavy():
    code = "import sys, hardtext.victims; print([m for m in ('torch', 'transformers', 'numpy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_rates_are_finite():
    for setting in ({"lr": float("inf")}, {"weight_decay": float("inf")}):
        with pytest.raises(InputError, match="expected"):
            BiLSTM(**setting)


def test_settings_of_an_adversary_that_is_not_there_are_refused():
    with pytest.raises(InputError, match="attack@model.adversary="):
        Encoder(adversary={"subset": 40})
