"""Small networks of every kind, with answers that differ clearly from text to text."""

from __future__ import annotations

import pytest
import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertTokenizerFast,
    GPT2Config,
    GPT2ForSequenceClassification,
    GPT2TokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
    RobertaTokenizerFast,
)

from hardtext.victims.bilstm import BiLSTMConfig, BiLSTMForSequenceClassification
from hardtext.victims.local import LocalVictim

WORDS = "senate report official confirms budget study shocking secret miracle hoax exposed they the a in said".split()
MAX_LENGTH = 40
KINDS = ("bert", "roberta", "gpt2", "bilstm", "legacy")


@pytest.fixture(scope="session")
def texts() -> list[tuple[str, ...]]:
    made = [(" ".join(WORDS[(i * 7 + k) % len(WORDS)] for k in range(1 + i % 9)) + "!",) for i in range(12)]
    return made + [(" ".join(WORDS[i : i + 5]), f"they said {WORDS[i]}") for i in range(4)]


@pytest.fixture(scope="session")
def bert_tokenizer(tmp_path_factory) -> BertTokenizerFast:
    file = tmp_path_factory.mktemp("bert") / "vocab.txt"
    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,!?'~-"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *letters, *(f"##{c}" for c in letters)]
    file.write_text("\n".join(dict.fromkeys(pieces)))
    return BertTokenizerFast(str(file), model_max_length=128)


@pytest.fixture(scope="session")
def bpe_files(tmp_path_factory) -> tuple[str, str]:
    from tokenizers import ByteLevelBPETokenizer

    folder = tmp_path_factory.mktemp("bpe")
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator([" ".join(WORDS)] * 3, vocab_size=400, min_frequency=1,
                            special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"])
    bpe.save_model(str(folder))
    return str(folder / "vocab.json"), str(folder / "merges.txt")


@pytest.fixture(scope="session")
def make_victim(bert_tokenizer, bpe_files):
    def make(kind: str, **options) -> LocalVictim:
        torch.manual_seed(3)
        sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32,
                 "initializer_range": 0.3}
        if kind == "bert":
            tokenizer = bert_tokenizer
            net = BertForSequenceClassification(BertConfig(len(tokenizer), max_position_embeddings=64, **sizes))
        elif kind == "roberta":
            tokenizer = RobertaTokenizerFast(*bpe_files)
            net = RobertaForSequenceClassification(RobertaConfig(
                vocab_size=len(tokenizer), max_position_embeddings=64, type_vocab_size=1, pad_token_id=1, **sizes))
        elif kind == "gpt2":
            tokenizer = GPT2TokenizerFast(*bpe_files, pad_token="<|endoftext|>")
            net = GPT2ForSequenceClassification(GPT2Config(
                len(tokenizer), n_positions=64, n_embd=16, n_layer=2, n_head=2, num_labels=2, initializer_range=0.3,
                pad_token_id=tokenizer.pad_token_id))
        else:
            tokenizer = bert_tokenizer
            net = BiLSTMForSequenceClassification(BiLSTMConfig(len(tokenizer), 8, 8,
                                                               padding="legacy" if kind == "legacy" else "packed"))
            net.classifier.weight.data.mul_(5)
        options = {"classes": ("credible", "fake"), "max_length": MAX_LENGTH, "device": "cpu", "batch_tokens": 120} | options
        return LocalVictim(net.train(), tokenizer, name=kind, **options)

    return make


@pytest.fixture(params=KINDS)
def victim(request, make_victim) -> LocalVictim:
    return make_victim(request.param)
