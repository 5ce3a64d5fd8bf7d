"""Small models and data for the tests of victims, all made here."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardtext.core import Domain, Example

WORDS = "senate report official confirms budget study shocking secret miracle hoax exposed they the a in said".split()


@pytest.fixture(scope="session")
def domain() -> Domain:
    return Domain("toy", ("credible", "fake"))


@pytest.fixture(scope="session")
def toy_examples():
    return make_examples


def make_examples(n: int, *, pair: bool = False, start: int = 0) -> list[Example]:
    """Texts whose class can be read off their first words; lengths vary."""
    examples = []
    for i in range(start, start + n):
        label = i % 2
        head = ("shocking secret hoax", "senate report confirms")[1 - label]
        text = f"{head} " + " ".join(WORDS[(i * 7 + k) % len(WORDS)] for k in range(3 + i % 11))
        examples.append(Example(f"t{i}", ("the official study said", text) if pair else (text,), label))
    return examples


@pytest.fixture(scope="session")
def bert_folder(tmp_path_factory) -> Path:
    """A random BERT body, 2 layers × 32, with its own word pieces and 128 positions."""
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast, set_seed

    folder = tmp_path_factory.mktemp("bert")
    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,!?'~-"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *letters, *(f"##{c}" for c in letters)]
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(pieces)))
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=128)
    tokenizer.save_pretrained(folder)
    set_seed(1)
    BertForMaskedLM(BertConfig(vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                               intermediate_size=64, max_position_embeddings=128)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def roberta_folder(tmp_path_factory) -> Path:
    """A random RoBERTa body, 2 layers × 32, with byte-level pieces; its tokenizer names no maximum length."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaModel, RobertaTokenizerFast, set_seed

    folder = tmp_path_factory.mktemp("roberta")
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator([" ".join(WORDS)] * 3, vocab_size=400, min_frequency=1,
                            special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    bpe.save_model(str(folder))
    tokenizer = RobertaTokenizerFast(str(folder / "vocab.json"), str(folder / "merges.txt"))
    tokenizer.save_pretrained(folder)
    set_seed(2)
    RobertaModel(RobertaConfig(vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                               intermediate_size=64, max_position_embeddings=66, type_vocab_size=1, pad_token_id=1,
                               bos_token_id=0, eos_token_id=2)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def classifier_folder(tmp_path_factory, bert_folder) -> Path:
    """A whole (random) classifier whose labels stand in the other order: 0 is fake, 1 is credible."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed

    folder = tmp_path_factory.mktemp("classifier")
    set_seed(3)
    net = AutoModelForSequenceClassification.from_pretrained(
        bert_folder, id2label={0: "Fake", 1: "Credible"}, label2id={"Fake": 0, "Credible": 1})
    net.classifier.weight.data.mul_(50)  # answers that differ clearly from text to text
    net.save_pretrained(folder)
    AutoTokenizer.from_pretrained(bert_folder).save_pretrained(folder)
    return folder
