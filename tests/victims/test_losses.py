"""What a training step minimises, against PyTorch's, SciPy's and hand-worked values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon
from torch.nn.functional import cross_entropy
from transformers import AutoTokenizer

from hardtext.core import Domain, Example, InputError
from hardtext.victims import BiLSTM, Encoder
from hardtext.victims.data import labelled, loader
from hardtext.victims.encoder import logits
from hardtext.victims.losses import Loss, divergence
from hardtext.victims.tokens import Tokeniser


@pytest.fixture(scope="module", params=["bilstm", "bert", "roberta"])
def module(request, bert_folder, roberta_folder):
    made = {"bilstm": BiLSTM(tokenizer=str(bert_folder), max_length=60),
            "bert": Encoder(path=str(bert_folder), max_length=60),
            "roberta": Encoder(path=str(roberta_folder), max_length=60)}[request.param]
    return made.module(Domain("toy", ("credible", "fake")), 0).eval()


def batch_of(module, examples, origins=None):
    return labelled(examples, module.tokens, 2, origins)[np.arange(len(examples))]


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.9])
def test_cross_entropy_with_smoothed_labels_is_torchs(module, toy_examples, smoothing):
    batch = batch_of(module, toy_examples(9))
    expected = cross_entropy(logits(module.net, batch), batch.labels, label_smoothing=smoothing)
    assert torch.allclose(Loss(label_smoothing=smoothing)(module.net, batch), expected, atol=1e-7)


class Fixed(torch.nn.Module):
    """A net that answers by the first piece's id, whatever else it reads."""

    def __init__(self, answers: dict[int, list[float]]) -> None:
        super().__init__()
        self.rows = torch.nn.Parameter(torch.tensor([answers.get(i, [0.0, 0.0]) for i in range(10)]))

    def forward(self, input_ids, attention_mask=None, **types):
        return type("Output", (), {"logits": self.rows[input_ids[:, 0]]})


def fixed_batch(ids, labels, adversarial=None, originals=None):
    from hardtext.victims.tokens import Batch

    column = torch.tensor(ids)[:, None]
    return Batch(column, None, labels=torch.tensor(labels),
                 adversarial=None if adversarial is None else torch.tensor(adversarial),
                 originals=None if originals is None else Batch(torch.tensor(originals)[:, None], None))


def test_weights_by_hand():
    """Losses of the three rows: -log softmax = log 2, log(1 + e), log(1 + 1/e); the last two weigh 3 each."""
    net = Fixed({1: [0.0, 0.0], 2: [1.0, 0.0], 3: [0.0, 1.0]})
    batch = fixed_batch([1, 2, 3], [0, 1, 1], [False, True, True], [1, 1])
    e = np.e
    losses = np.array([np.log(2), np.log(1 + e), np.log(1 + 1 / e)])
    assert Loss(adversarial_weight=3.0)(net, batch).item() == pytest.approx((losses * [1, 3, 3]).sum() / 7, abs=1e-6)
    assert Loss()(net, batch).item() == pytest.approx(losses.mean(), abs=1e-6)
    plain = fixed_batch([1, 2, 3], [0, 1, 1])
    assert Loss(adversarial_weight=3.0)(net, plain).item() == pytest.approx(losses.mean(), abs=1e-6)


def test_divergence_is_scipys():
    random = np.random.default_rng(0)
    for classes in (2, 6):
        one, two = random.normal(0, 3, (2, 5, classes))
        softmax = [np.exp(x) / np.exp(x).sum(axis=1, keepdims=True) for x in (one, two)]
        expected = np.mean([jensenshannon(p, q) ** 2 for p, q in zip(*softmax, strict=True)])
        assert divergence(torch.tensor(one), torch.tensor(two)).item() == pytest.approx(expected, abs=1e-6)
    far = divergence(torch.tensor([[80.0, -80.0]]), torch.tensor([[-80.0, 80.0]]))
    assert far.item() == pytest.approx(np.log(2)) and divergence(torch.ones(3, 2), torch.ones(3, 2)).item() == 0


def test_consistency_by_hand_and_its_gradient():
    """Each adversarial text (ids 2, 3) against the one it was made from (ids 4, 1)."""
    answers = {1: [0.0, 0.0], 2: [1.0, 0.0], 3: [0.0, 1.0], 4: [2.0, -1.0]}
    net = Fixed(answers)
    batch = fixed_batch([1, 2, 3], [0, 1, 1], [False, True, True], [4, 1])
    p = {i: np.exp(x) / np.exp(x).sum() for i, x in answers.items()}
    expected = np.mean([jensenshannon(p[2], p[4]) ** 2, jensenshannon(p[3], p[1]) ** 2])
    loss = Loss(consistency=5.0)(net, batch)
    assert loss.item() - Loss()(net, batch).item() == pytest.approx(5 * expected, abs=1e-6)
    loss.backward()
    assert (net.rows.grad[1:5].abs().sum(dim=1) > 0).all() and (net.rows.grad[5:] == 0).all()


def test_partners_stay_together_when_batches_are_shuffled(bert_folder, toy_examples):
    train = toy_examples(30)
    made = [replace(e, id=e.id + "+adv", segments=(e.segments[0] + " hoax",)) for e in train[::3]]
    tokens = Tokeniser(AutoTokenizer.from_pretrained(bert_folder), 64)
    split = labelled([*made, *train], tokens, 2, {e.id: e.id.removesuffix("+adv") for e in made})
    hoax, end = tokens.tokenizer.convert_tokens_to_ids(["hoax", "[SEP]"])
    seen = 0
    for epoch in range(2):
        batches = loader(split, 4, seed=1)
        batches.sampler.set_epoch(epoch)
        for batch in batches:
            assert (batch.originals is None) == (not batch.adversarial.any())
            if batch.originals is None:
                continue
            for text, original in zip(batch.ids[batch.adversarial].tolist(), batch.originals.ids.tolist(), strict=True):
                pieces = [[i for i in row if i] for row in (text, original)]
                assert pieces[0] == [*pieces[1][:-1], hoax, end]
                seen += 1
    assert seen == 2 * len(made)


def test_an_original_that_is_not_there_is_refused(bert_folder):
    tokens = Tokeniser(AutoTokenizer.from_pretrained(bert_folder), 64)
    with pytest.raises(InputError, match=r"adversarial example 'a\+adv': its original 'a' is not trained on"):
        labelled([Example("a+adv", ("hoax",), 1)], tokens, 2, {"a+adv": "a"})


def test_consistency_of_nets(module, toy_examples):
    train = toy_examples(6)
    same = [replace(e, id=e.id + "+adv") for e in train[:2]]
    other = [replace(e, id=e.id + "+adv", segments=("hoax hoax hoax",)) for e in train[:2]]
    added = []
    for made in (same, other):
        batch = batch_of(module, [*train, *made], {e.id: e.id.removesuffix("+adv") for e in made})
        added.append((Loss(consistency=1e6)(module.net, batch) - Loss()(module.net, batch)).item())
    assert added[1] > 1e-3 and abs(added[0]) < added[1] / 5


@pytest.mark.parametrize("values", [{"label_smoothing": 1.0}, {"label_smoothing": -0.1}, {"adversarial_weight": 0.0},
                                    {"consistency": -1.0}, {"consistency": float("nan")}])
def test_values_out_of_range_are_refused(values):
    with pytest.raises(InputError, match=next(iter(values))):
        Loss(**values)
