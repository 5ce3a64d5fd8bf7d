"""Training against disturbed embeddings, against loops written out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy
from transformers import BertConfig, RobertaConfig

from hardtext.hardening.embedding import Perturbed
from hardtext.hardening.settings import EmbeddingSettings
from hardtext.victims.bilstm import BiLSTMConfig
from hardtext.victims.encoder import build, logits, logits_with
from hardtext.victims.losses import Loss, divergence
from hardtext.victims.tokens import Batch

FREE = EmbeddingSettings(kind="freelb", steps=3, step_size=0.5, start=0.8, bound=0.9)


PAD = 1
SMALL = {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32,
         "max_position_embeddings": 40, "pad_token_id": PAD}
RECURRENT = {"vocab_size": 50, "pad_token_id": PAD, "embedding_size": 8, "hidden_size": 8}


@pytest.fixture(params=["bilstm", "legacy", "bert", "roberta"])
def net(request):
    config = {"bilstm": lambda: BiLSTMConfig(**RECURRENT), "legacy": lambda: BiLSTMConfig(**RECURRENT, padding="legacy"),
              "bert": lambda: BertConfig(**SMALL), "roberta": lambda: RobertaConfig(**SMALL)}[request.param]()
    torch.manual_seed(0)
    return build(config).eval()


@pytest.fixture
def batch() -> Batch:
    """Seven texts of 3 to 12 pieces."""
    random = np.random.default_rng(0)
    ids = torch.tensor(random.integers(5, 50, (7, 12)))
    mask = torch.arange(12) < torch.tensor([12, 3, 7, 5, 9, 12, 4])[:, None]
    return Batch(torch.where(mask, ids, PAD), mask, labels=torch.tensor([0, 1, 1, 0, 1, 0, 0]))


def judge(batch):
    return lambda found: cross_entropy(found, batch.labels)


def test_vectors_in_place_of_embeddings(net, batch):
    vectors = net.get_input_embeddings()(batch.ids)
    assert torch.allclose(logits_with(net, batch, vectors), logits(net, batch), atol=1e-6)
    assert not torch.allclose(logits_with(net, batch, vectors.flip(1)), logits(net, batch), atol=1e-5)
    hooks = net.get_input_embeddings()._forward_hooks
    assert not hooks  # nothing stays behind, also where the pass fails
    with pytest.raises(RuntimeError):  # vectors of another size
        logits_with(net, batch, vectors[:, :, :-1])
    assert not hooks


@pytest.mark.parametrize("settings", [FREE, replace(FREE, kind="freelb++", bound=0.0), replace(FREE, steps=1)])
def test_freelb_is_the_loop_written_out(net, batch, settings):
    """Algorithm 1 of Zhu et al. text by text: start on a uniform draw, then ascend along the normalised gradient, stay in
    the ball; the weights' gradient is the mean over the steps."""
    lengths = (batch.ids != PAD).sum(dim=1)
    vectors = net.get_input_embeddings()(batch.ids).detach()
    size = vectors.shape[2]
    torch.manual_seed(5)
    noise = torch.empty_like(vectors).uniform_(-1, 1)
    for i, length in enumerate(lengths):
        noise[i, length:] = 0
        noise[i] *= settings.start / (length * size) ** 0.5
    total = 0.0
    net.zero_grad()
    for _ in range(settings.steps):
        noise.requires_grad_()
        loss = cross_entropy(logits_with(net, batch, net.get_input_embeddings()(batch.ids) + noise), batch.labels)
        (loss / settings.steps).backward()
        total += loss.item() / settings.steps
        gradient = noise.grad
        noise = noise.detach().clone()
        for i, length in enumerate(lengths):
            step = gradient[i].clone()
            step[length:] = 0
            noise[i] += settings.step_size * step / step.norm()
            if settings.bound and noise[i].norm() > settings.bound:
                noise[i] *= settings.bound / noise[i].norm()
    by_hand = {name: p.grad.clone() for name, p in net.named_parameters() if p.grad is not None}

    net.zero_grad()
    torch.manual_seed(5)
    loss = Perturbed(settings).loss(net, batch, judge(batch))
    loss.backward()
    assert loss.item() == pytest.approx(total, abs=1e-6)
    for name, parameter in net.named_parameters():
        if name in by_hand:
            assert torch.allclose(parameter.grad, by_hand[name], atol=1e-6), name


def disturbances(monkeypatch, net, batch, settings) -> list[torch.Tensor]:
    """What is added to the embeddings on the way."""
    from hardtext.hardening import embedding

    found, plain = [], net.get_input_embeddings()(batch.ids).detach()

    def watched(net, batch, vectors):
        found.append(vectors.detach() - plain)
        return logits_with(net, batch, vectors)

    monkeypatch.setattr(embedding, "logits_with", watched)
    Perturbed(settings).loss(net, batch, judge(batch)).backward()
    return found


@pytest.mark.parametrize("settings", [FREE, replace(FREE, kind="vat")])
def test_the_bound_holds_and_pads_are_not_disturbed(monkeypatch, net, batch, settings):
    found = disturbances(monkeypatch, net, batch, settings)
    pads = batch.ids == PAD
    assert pads.any() and len(found) == settings.steps + (settings.kind == "vat")
    for noise in found:
        assert (noise[pads] == 0).all() and (noise.flatten(1).norm(dim=1) > 0).all()
        assert (noise.flatten(1).norm(dim=1) <= settings.bound + 1e-5).all()
    assert (found[-1].flatten(1).norm(dim=1) > 0.7).all()


def test_freelb_makes_the_loss_larger_than_chance_does(monkeypatch, net, batch):
    settings = EmbeddingSettings(steps=4, step_size=1.0, start=1e-3)
    found = disturbances(monkeypatch, net, batch, settings)
    vectors = net.get_input_embeddings()(batch.ids).detach()
    with torch.no_grad():
        first, last = (judge(batch)(logits_with(net, batch, vectors + noise)).item() for noise in (found[0], found[-1]))
    assert last > first


def test_vat_is_the_loop_written_out(net, batch):
    settings = EmbeddingSettings(kind="vat", steps=2, step_size=0.5, start=0.3, weight=4.0)
    vectors = net.get_input_embeddings()(batch.ids)
    there = (batch.ids != PAD)[:, :, None]
    torch.manual_seed(5)
    noise = torch.randn_like(vectors) * there
    noise = 0.3 * noise / noise.flatten(1).norm(dim=1)[:, None, None]
    answers = logits(net, batch)
    for _ in range(2):
        noise = noise.detach().requires_grad_()
        divergence(answers.detach(), logits_with(net, batch, vectors.detach() + noise)).backward()
        step = noise.grad * there
        noise = noise + 0.5 * step / step.flatten(1).norm(dim=1).clamp_min(1e-12)[:, None, None]
    expected = judge(batch)(answers) + 4 * divergence(answers, logits_with(net, batch, vectors + noise.detach()))
    torch.manual_seed(5)
    assert Perturbed(settings).loss(net, batch, judge(batch)).item() == pytest.approx(expected.item(), abs=1e-6)


def test_vat_adds_nothing_for_a_net_that_ignores_its_input(net, batch):
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if name.startswith("classifier"):
                parameter.zero_()
            if name in ("classifier.bias", "classifier.out_proj.bias"):
                parameter.copy_(torch.tensor([1.0, -1.0]))
    settings = EmbeddingSettings(kind="vat", steps=2, step_size=1.0, start=0.5)
    plain = judge(batch)(logits(net, batch)).item()
    assert Perturbed(settings).loss(net, batch, judge(batch)).item() == pytest.approx(plain, abs=1e-6)


@pytest.mark.parametrize("kind", ["freelb", "freelb++", "vat"])
def test_in_training_with_dropout_and_smoothed_labels(net, batch, kind):
    """As a training step calls it; the net's mode stays, and every weight gets a finite gradient."""
    net.train()
    loss = Loss(label_smoothing=0.1, perturbation=Perturbed(replace(FREE, kind=kind)))(net, batch)
    loss.backward()
    assert net.training and torch.isfinite(loss)
    gradient = net.get_input_embeddings().weight.grad
    assert torch.isfinite(gradient).all() and gradient.abs().sum() > 0
