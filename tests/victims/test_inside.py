"""The local victim opened up: its logits, and where the pieces of a Python tokenizer stand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, BertTokenizer

from hardtext.core import InputError, Transparent
from hardtext.victims import load_victim
from hardtext.victims.tokens import Tokeniser


@pytest.fixture
def victim(classifier_folder):
    return load_victim(classifier_folder, classes=("credible", "fake"), batch_tokens=60)


def test_class_logits_are_those_of_the_probabilities(victim, toy_examples):
    texts = [e.segments for e in toy_examples(20)] + [e.segments for e in toy_examples(5, pair=True)]
    inside = victim.inside()
    assert isinstance(victim, Transparent) and not isinstance(load_victim(lambda s: [[1, 0]] * len(s)), Transparent)
    rows = np.array([3, 3, 24, 0, 7])

    def work(batch, places):
        assert batch.ids.shape[0] == len(places) and batch.ids.numel() <= 60 and torch.is_inference_mode_enabled()
        plain, through = inside.logits(batch), inside.logits(batch, inside.vectors(batch))
        assert torch.equal(plain, through)
        return plain.softmax(dim=1).tolist()

    assert np.allclose(inside.in_batches(inside.table(texts), rows, work), victim.probabilities([texts[i] for i in rows]),
                       atol=1e-6)
    blank = victim.net.get_input_embeddings().weight[victim.tokens.tokenizer.mask_token_id]
    assert inside.blank == "[MASK]" and torch.equal(inside.blank_vector(), blank)


def test_a_network_that_looks_nothing_up_is_refused(victim, monkeypatch):
    other = torch.nn.Embedding(200, 32)
    monkeypatch.setattr(victim.net, "get_input_embeddings", lambda: other)
    with pytest.raises(InputError, match="BertForSequenceClassification does not look its pieces up once"):
        victim.gradients([(("a",), 0)])


def test_gradients_of_a_decoder_do_not_depend_on_pads(bert_folder):
    """It classifies by the last piece, which ``inputs_embeds`` with pads behind would hide."""
    from transformers import GPT2Config, GPT2ForSequenceClassification

    from hardtext.victims.local import LocalVictim

    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(bert_folder)
    net = GPT2ForSequenceClassification(GPT2Config(len(tokenizer), n_positions=64, n_embd=16, n_layer=1, n_head=2,
                                                   pad_token_id=tokenizer.pad_token_id))
    victim = LocalVictim(net, tokenizer, name="gpt2", classes=("a", "b"), max_length=40)
    asked = [(("senate",), 1), (("senate report hoax secret the they",), 0)]
    for together, alone in zip(victim.gradients(asked), map(victim.gradients, [asked[:1], asked[1:]]), strict=True):
        assert np.allclose([p[3] for p in together], [p[3] for p in alone[0]], rtol=1e-4)


@pytest.mark.parametrize("text", [("the hoax",), ("",), ("xyz the!", "said  x"), ("the " * 30, "hoax " * 20),
                                  ("a\ud800b", "")])
def test_pieces_of_a_python_tokenizer_stand_where_their_word_does(text, bert_folder):
    slow = Tokeniser(BertTokenizer.from_pretrained(bert_folder), 20)
    fast = Tokeniser(AutoTokenizer.from_pretrained(bert_folder), 20)
    found, expected = slow.spans(text), fast.spans(text)
    assert len(found) == len(expected) == slow([text]).lengths[0]
    for a, b in zip(found, expected, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            assert a[0] == b[0] and a[1] <= b[1] and b[2] <= a[2]
            assert not any(c.isspace() for c in text[a[0]][a[1] : a[2]])
    assert all(abs(a - b) <= 1 for a, b in zip(slow.window(text), fast.window(text), strict=True))


def test_a_tokenizer_that_does_not_tell_is_refused(bert_folder, monkeypatch):
    tokenizer = BertTokenizer.from_pretrained(bert_folder)
    monkeypatch.setattr(tokenizer, "tokenize", lambda text, **options: list(text))  # spaces are pieces too
    with pytest.raises(InputError, match="BertTokenizer does not tell where its pieces stand; take a model with a fast"):
        Tokeniser(tokenizer, 20).spans(("the hoax",))
    assert Tokeniser(tokenizer, 8).window(("the hoax said they",)) == (18,)  # cut somewhere, it does not tell where
