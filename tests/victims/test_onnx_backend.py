from __future__ import annotations

import importlib.util

import numpy as np
import pytest
import torch

from hardtext.core import Domain, InputError
from hardtext.victims import BiLSTM, Encoder, load_victim
from hardtext.victims.encoder import quickest_logits
from hardtext.victims.local import LocalVictim, of_module
from hardtext.victims.onnx_backend import OnnxLogits

TEXTS = [("A short one.",), ("",), ("word " * 60,), ("It is said that it rained in May, and nobody was surprised.",)]
PAIRS = [("The evidence.", "The claim is longer than that."), ("x " * 30, "y")]
present = all(importlib.util.find_spec(package) for package in ("onnx", "onnxruntime"))


@pytest.fixture(scope="module", params=["tiny", "bilstm"])
def victim(request):
    settings = {"tiny": Encoder(path="bundled:tiny"), "bilstm": BiLSTM()}[request.param]
    return of_module(settings.module(Domain("d", ("a", "b")), 0), request.param, device="cpu")


@pytest.mark.skipif(not present, reason="onnx and onnxruntime are not installed (optional)")
@pytest.mark.parametrize("texts", [TEXTS, PAIRS], ids=["texts", "pairs"])
def test_same_probabilities(victim, texts):
    table = victim.tokens(texts)
    batch = table.batch(np.arange(len(texts)))
    net = victim.net.eval()
    with torch.inference_mode():
        expected = quickest_logits(net)(net, batch).softmax(dim=1)
    found = OnnxLogits(net, quickest_logits(net))(net, batch).softmax(dim=1)
    assert found.shape == expected.shape and float((found - expected).abs().max()) < 1e-5
    one = table.batch(np.array([0]))  # no pads: no mask
    assert torch.allclose(OnnxLogits(net, quickest_logits(net))(net, one).softmax(dim=1), expected[:1], atol=1e-5)


@pytest.mark.skipif(present, reason="onnx and onnxruntime are installed")
def test_says_what_is_missing(victim):
    with pytest.raises(InputError, match="pip install onnx onnxruntime"):
        OnnxLogits(victim.net, quickest_logits(victim.net))


@pytest.mark.skipif(not present, reason="onnx and onnxruntime are not installed (optional)")
def test_a_loaded_victim_answers_alike(classifier_folder):
    torch_victim, onnx_victim = load_victim(classifier_folder), load_victim(classifier_folder, backend="onnx")
    texts = TEXTS + PAIRS
    assert np.abs(torch_victim.probabilities(texts) - onnx_victim.probabilities(texts)).max() < 1e-5
    assert torch_victim.fingerprint != onnx_victim.fingerprint
    assert onnx_victim.gradients([(TEXTS[0], 0)]) == torch_victim.gradients([(TEXTS[0], 0)])


def test_a_wrong_backend_is_refused(classifier_folder):
    with pytest.raises(InputError, match="backend=tensorrt: expected torch or onnx"):
        load_victim(classifier_folder, backend="tensorrt")
    legacy = of_module(BiLSTM(padding="legacy").module(Domain("d", ("a", "b")), 0), "b", device="cpu")
    with pytest.raises(InputError, match="pads as published"):
        LocalVictim(legacy.net, legacy.tokens.tokenizer, name="b", classes=("a", "b"), max_length=32, backend="onnx")
