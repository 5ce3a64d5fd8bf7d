"""The local victim's batching: order, modes, memory, fingerprints."""

from __future__ import annotations

import logging

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from hardtext.core import Domain, InputError
from hardtext.victims import Encoder, load_victim
from hardtext.victims.local import LocalVictim, of_module

DOMAIN = Domain("toy", ("credible", "fake"))


@pytest.fixture
def victim(classifier_folder) -> LocalVictim:
    return load_victim(classifier_folder, batch_tokens=200)


@pytest.fixture
def texts(toy_examples) -> list[tuple[str, ...]]:
    return [e.segments for e in toy_examples(40)] + [e.segments for e in toy_examples(20, pair=True)]


def spy(victim: LocalVictim, monkeypatch) -> list[tuple[int, int]]:
    """The shapes of the batches that reach the network."""
    shapes = []
    forward = victim._logits

    def watched(net, batch):
        assert not any(m.training for m in net.modules()) and torch.is_inference_mode_enabled()
        shapes.append(tuple(batch.ids.shape))
        return forward(net, batch)

    monkeypatch.setattr(victim, "_logits", watched)
    return shapes


def test_order_is_that_of_the_texts(victim, texts):
    alone = np.concatenate([victim.probabilities([text]) for text in texts])
    together = victim.probabilities(texts)
    assert together.dtype == np.float32 and np.abs(together - alone).max() < 1e-6
    assert np.unique(alone[:, 0]).size > 40  # different texts have different rows, so order is tested
    shuffled = np.random.default_rng(0).permutation(len(texts))
    assert np.abs(victim.probabilities([texts[i] for i in shuffled]) - alone[shuffled]).max() < 1e-6
    assert np.abs(together - alone[shuffled]).max() > 1e-4  # rows in another order would have been noticed


def test_batches_keep_to_the_token_budget(victim, texts, monkeypatch):
    shapes = spy(victim, monkeypatch)
    victim.probabilities(texts)
    assert sum(rows for rows, _ in shapes) == len(texts) and len(shapes) < len(texts) / 3
    assert all(rows * width <= 200 for rows, width in shapes)
    victim.probabilities([("the " * 1000,)] * 3)
    assert shapes[-3:] == [(1, 128)] * 3  # a text longer than the budget goes alone
    assert victim.probabilities([]).shape == (0, 2)


def test_mode_is_put_back(bert_folder, monkeypatch):
    module = Encoder(path=str(bert_folder), max_length=60).module(DOMAIN, 0)
    victim = of_module(module, "v")
    spy(victim, monkeypatch)
    for training in (True, False):
        module.train(training)
        first, second = victim.probabilities([("senate report",)]), victim.probabilities([("senate report",)])
        assert (first == second).all() and module.net.training is training
    module.train()
    monkeypatch.setattr(victim, "_logits", lambda net, batch: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        victim.probabilities([("a",)])
    assert module.net.training


def test_out_of_memory_halves_the_batch_and_says_so(victim, texts, monkeypatch, caplog):
    expected = victim.probabilities(texts)
    victim.batch_tokens = 100_000
    forward = victim._logits
    tried = []

    def small_card(net, batch):
        tried.append(batch.ids.numel())
        if batch.ids.numel() > 300:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(net, batch)

    monkeypatch.setattr(victim, "_logits", small_card)
    with caplog.at_level(logging.WARNING):
        assert np.abs(victim.probabilities(texts) - expected).max() < 1e-6
    assert "out of memory with 60 texts" in caplog.text and victim.batch_tokens <= 300
    failed = sum(size > 300 for size in tried)
    assert 0 < failed < 5
    victim.probabilities(texts)
    assert sum(size > 300 for size in tried) == failed  # remembered


def test_out_of_memory_with_one_text_propagates(victim, monkeypatch):
    def no_card(net, batch):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(victim, "_logits", no_card)
    with pytest.raises(torch.OutOfMemoryError):
        victim.probabilities([("a",), ("b c",)])


def test_a_model_spread_over_devices_is_never_moved(classifier_folder, monkeypatch):
    net = AutoModelForSequenceClassification.from_pretrained(classifier_folder)
    net.hf_device_map = {"": "cpu"}  # what transformers leaves on a model that it spread over devices

    def moved(*args, **kwargs):
        raise AssertionError("moved")

    monkeypatch.setattr(net, "to", moved)
    victim = LocalVictim(net, AutoTokenizer.from_pretrained(classifier_folder), name="v", classes=("a", "b"),
                         max_length=64, device="cuda")
    assert victim.probabilities([("senate",)]).shape == (1, 2)


def test_damaged_weights_are_noticed(victim):
    victim.net.classifier.bias.data[0] = float("nan")
    with pytest.raises(InputError, match="not finite"):
        victim.probabilities([("a",)])


def test_fingerprint_sees_weights_settings_and_tokenizer(classifier_folder, tmp_path):
    def load(**options):
        return load_victim(classifier_folder, **options)

    base = load().fingerprint
    assert base == load(name="other", batch_tokens=7).fingerprint  # these change no answer
    changed = load()
    changed.net.classifier.bias.data[0] += 1e-6
    short = LocalVictim(load().net, load().tokens.tokenizer, name="v", classes=load().classes, max_length=9)
    tokenizer = AutoTokenizer.from_pretrained(classifier_folder)
    tokenizer.add_tokens(["zzz"])
    other = LocalVictim(load().net, tokenizer, name="v", classes=load().classes, max_length=128)
    assert len({base, changed.fingerprint, short.fingerprint, other.fingerprint}) == 4


@pytest.mark.parametrize("kind", ["bert", "bilstm"])
def test_gradients_are_those_of_finite_differences(kind, classifier_folder, bert_folder, domain, texts):
    if kind == "bert":
        victim = load_victim(classifier_folder, classes=("credible", "fake"), batch_tokens=200)
        assert victim._columns is not None  # the labels of this folder stand in the other order
    else:
        from hardtext.victims.bilstm import BiLSTMConfig, BiLSTMForSequenceClassification

        torch.manual_seed(0)
        tokenizer = AutoTokenizer.from_pretrained(bert_folder)
        victim = LocalVictim(BiLSTMForSequenceClassification(BiLSTMConfig(len(tokenizer), 8, 8)), tokenizer,
                             name="bilstm", classes=("credible", "fake"), max_length=40)
    asked = [(t, i % 2) for i, t in enumerate(texts[:6] + texts[-3:])]
    found = victim.gradients(asked)
    assert victim.gradients([]) == []
    for (segments, _), pieces in zip(asked, found, strict=True):
        assert all(segments[s][start:end].strip() for s, start, end, _ in pieces)
    segments, label = asked[0]
    table, embedding = victim.tokens([segments]), victim.net.get_input_embeddings()
    vectors = embedding(table.batch(np.array([0])).ids).detach().double()
    victim.net.double()

    def log_probability(vectors):
        with torch.no_grad():
            row = victim.net(inputs_embeds=vectors).logits.softmax(1)[0]
        if victim._columns is not None:
            row = row @ torch.tensor(victim._columns, dtype=torch.double)
        return float(row[label].log())

    place = 1  # the first piece after [CLS]
    slope = []
    for i in range(vectors.shape[2]):
        step = torch.zeros_like(vectors)
        step[0, place, i] = 1e-5
        slope.append((log_probability(vectors + step) - log_probability(vectors - step)) / 2e-5)
    assert found[0][0][3] == pytest.approx(float(np.linalg.norm(slope)), rel=1e-3)
    assert victim.window(segments) == tuple(map(len, segments))
