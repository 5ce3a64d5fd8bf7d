"""The two kinds of network: what they compute, and that padding changes nothing it should not."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DistilBertConfig
from transformers import DistilBertForSequenceClassification as DistilBert

from hardtext.core import Domain, InputError
from hardtext.victims import BiLSTM, Encoder
from hardtext.victims.encoder import first_piece_logits, logits, quickest_logits
from hardtext.victims.local import of_module
from hardtext.victims.tokens import Batch, Tokeniser

DOMAIN = Domain("toy", ("credible", "fake"))


def bilstm(padding: str, folder) -> torch.nn.Module:
    return BiLSTM(tokenizer=str(folder), padding=padding).module(DOMAIN, seed=0)


def published(net: torch.nn.Module) -> torch.nn.LSTM:
    """The same weights in PyTorch's own bidirectional LSTM."""
    lstm = torch.nn.LSTM(32, 128, batch_first=True, bidirectional=True)
    for name, value in net.forwards.named_parameters():
        lstm.get_parameter(name).data.copy_(value.data)
        lstm.get_parameter(f"{name}_reverse").data.copy_(net.backwards.get_parameter(name).data)
    return lstm


def test_bilstm_has_the_published_size():
    net = BiLSTM().module(DOMAIN, seed=0).net
    sizes = {k: tuple(p.shape) for k, p in net.named_parameters()}
    assert sizes["embedding.weight"] == (30522, 32)
    assert sizes["forwards.weight_ih_l0"] == sizes["backwards.weight_ih_l0"] == (512, 32)
    assert sizes["forwards.weight_hh_l0"] == (512, 128) and sizes["classifier.weight"] == (2, 256)
    assert net.embedding.weight[0].abs().sum() == 0  # pads are zero vectors


def test_packed_text_does_not_depend_on_its_batch(bert_folder):
    victim = of_module(bilstm("packed", bert_folder), "b")
    text, long = ("senate report confirms the budget",), ("secret " * 500,)
    alone = victim.probabilities([text])
    assert np.abs(victim.probabilities([text, long])[0] - alone[0]).max() <= 1e-7
    assert np.abs(victim.probabilities([long, text, ("hoax",)])[1] - alone[0]).max() <= 1e-7
    victim.batch_tokens = 100_000  # all in one batch
    assert np.abs(victim.probabilities([text, long])[0] - alone[0]).max() <= 1e-7


def test_legacy_text_depends_on_its_batch_as_published(bert_folder):
    module = bilstm("legacy", bert_folder)
    victim = of_module(module, "b")
    text, long = ("senate report confirms the budget",), ("secret " * 300,)
    alone = victim.probabilities([text])
    beside = victim.probabilities([text, long])
    assert np.abs(beside[0] - alone[0]).max() > 1e-4
    victim.batch_tokens = 1  # one list stays one batch
    assert (victim.probabilities([text, long]) == beside).all()
    # PyTorch's bidirectional LSTM over the padded batch, its last hidden states
    net, batch = module.net, module.tokens([text, long]).batch(np.arange(2))
    _, (hidden, _) = published(net)(net.embedding(batch.ids))
    by_torch = net.classifier(torch.cat([hidden[0], hidden[1]], dim=1)).softmax(1)
    assert np.allclose(by_torch.detach().numpy(), beside, atol=1e-6)


def test_packed_equals_the_packed_lstm_of_pytorch(bert_folder, toy_examples):
    module = bilstm("packed", bert_folder)
    net, table = module.net, module.tokens([e.segments for e in toy_examples(9)])
    batch = table.batch(np.arange(9))
    packed = pack_padded_sequence(net.embedding(batch.ids), batch.mask.sum(1), batch_first=True, enforce_sorted=False)
    _, (hidden, _) = published(net)(packed)
    by_torch = net.classifier(torch.cat([hidden[0], hidden[1]], dim=1))
    assert torch.allclose(by_torch, net(input_ids=batch.ids, attention_mask=batch.mask).logits, atol=1e-6)


def test_bilstm_takes_embeddings_in_place_of_ids(bert_folder, toy_examples):
    module = bilstm("packed", bert_folder)
    batch = module.tokens([e.segments for e in toy_examples(4)]).batch(np.arange(4))
    vectors = module.net.get_input_embeddings()(batch.ids)
    assert torch.equal(module.net(inputs_embeds=vectors, attention_mask=batch.mask).logits,
                       module.net(input_ids=batch.ids, attention_mask=batch.mask).logits)


@pytest.mark.parametrize("kind", ["bert_folder", "roberta_folder"])
def test_first_piece_shortcut_equals_the_model(kind, request):
    folder = request.getfixturevalue(kind)
    torch.manual_seed(0)
    net = AutoModelForSequenceClassification.from_pretrained(folder, num_labels=3).eval()
    assert quickest_logits(net) is first_piece_logits
    texts = [("senate report confirms " * (1 + i % 5) + "they " * i,) for i in range(8)]
    pairs = [("senate report", "hoax " * i) for i in range(8)]
    table = Tokeniser(AutoTokenizer.from_pretrained(folder), 60)(texts + pairs)
    with torch.inference_mode():
        for rows in (np.arange(16), np.array([3]), np.array([2, 9, 15])):
            batch = table.batch(rows)
            assert torch.allclose(first_piece_logits(net, batch), logits(net, batch), atol=2e-6)


def test_shortcut_is_only_taken_where_it_is_known_to_hold(bert_folder):
    other = DistilBert(DistilBertConfig(vocab_size=50, dim=32, n_layers=1, n_heads=2, hidden_dim=64))
    eager = AutoModelForSequenceClassification.from_pretrained(bert_folder, attn_implementation="eager")
    assert quickest_logits(other) is logits and quickest_logits(eager) is logits
    assert logits(other, Batch(torch.tensor([[1, 2, 3]]), None)).shape == (1, 2)


def test_fresh_head_depends_on_the_seed_alone(bert_folder):
    settings = Encoder(path=str(bert_folder), max_length=64)
    heads = []
    for seed in (0, 0, 1):
        torch.rand(7)  # what was drawn before does not matter
        before = torch.get_rng_state()
        heads.append(settings.module(DOMAIN, seed).net.classifier.weight)
        assert torch.equal(before, torch.get_rng_state())
    assert torch.equal(heads[0], heads[1]) and not torch.equal(heads[0], heads[2])


def test_labels_and_lengths_of_a_fresh_encoder(roberta_folder, caplog):
    six = Domain("six", tuple("abcdef"), positive=(0, 1, 2))
    module = Encoder(path=str(roberta_folder)).module(six, 0)
    assert module.net.config.id2label == dict(enumerate("abcdef")) and module.net.config.num_labels == 6
    assert module.hparams.max_length == 64 and "reads 64 pieces" in caplog.text


def test_bundled_tiny_keeps_its_body():
    from safetensors.torch import load_file

    from hardtext.weights import bundled

    module = Encoder(path="bundled:tiny").module(DOMAIN, 0)
    stored = load_file(bundled("tiny") / "model.safetensors")
    state = module.net.state_dict()
    for key, value in stored.items():
        if key.startswith("bert."):
            assert torch.equal(value, state[key.replace(".gamma", ".weight").replace(".beta", ".bias")]), key


def test_weights_that_do_not_fit_their_config_are_refused(bert_folder, tmp_path):
    for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((bert_folder / name).read_bytes())
    text = (bert_folder / "config.json").read_text()
    (tmp_path / "config.json").write_text(text.replace('"num_hidden_layers": 2', '"num_hidden_layers": 3'))
    with pytest.raises(InputError, match="the weights lack bert.encoder.layer.2"):
        Encoder(path=str(tmp_path), max_length=64).module(DOMAIN, 0)


def test_unknown_architecture_is_refused(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "nothing-of-the-sort"}')
    with pytest.raises(InputError, match="model.path=.*nothing-of-the-sort") as caught:
        Encoder(path=str(tmp_path)).module(DOMAIN, 0)
    assert "\n" not in str(caught.value)
