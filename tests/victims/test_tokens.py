"""Tokenising: equal to transformers' own, and nothing a text holds makes it fail."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from transformers import AutoConfig, AutoTokenizer, BertTokenizer, GPT2TokenizerFast

from hardtext.core import InputError
from hardtext.victims.tokens import Tokeniser, capacity, load_tokenizer

ODD = [("",), ("   ",), ("🔥",), ("a\ud800b",), ("e\u0301\u200f",), ("word " * 10_000,), ("\x00",), ("senate report",)]
PAIRS = [("senate report", "hoax"), ("", "hoax"), ("the " * 300, "secret " * 20), ("a", "b\udfff")]


def rows(table):
    return [table.ids[s : s + n].tolist() for s, n in zip(table.starts, table.lengths, strict=True)]


@pytest.mark.parametrize("folder", ["bert_folder", "roberta_folder"])
def test_equals_transformers(folder, request):
    tokenizer = AutoTokenizer.from_pretrained(request.getfixturevalue(folder))
    texts = [t for t in ODD + PAIRS if "\ud800" not in t[0] and "\udfff" not in t[-1]]
    table = Tokeniser(tokenizer, 60)(texts)
    expected = [tokenizer(*t, truncation="longest_first", max_length=60) for t in texts]
    assert rows(table) == [e["input_ids"] for e in expected]
    assert table.truncated == 2
    if "token_type_ids" in tokenizer.model_input_names:
        types = [table.types[s : s + n].tolist() for s, n in zip(table.starts, table.lengths, strict=True)]
        assert types == [e["token_type_ids"] for e in expected]
    else:
        assert table.types is None


def test_python_tokenizer_equals_the_rust_one(bert_folder):
    slow, fast = BertTokenizer.from_pretrained(bert_folder), AutoTokenizer.from_pretrained(bert_folder)
    tables = [Tokeniser(t, 40)(ODD + PAIRS) for t in (slow, fast)]
    assert rows(tables[0]) == rows(tables[1]) and tables[0].truncated == tables[1].truncated == 2
    assert tables[0].types.tolist() == tables[1].types.tolist()
    assert Tokeniser(slow, 40).identity() != Tokeniser(fast, 40).identity()


def test_long_lists_are_encoded_in_chunks(bert_folder, monkeypatch):
    tokens = Tokeniser(AutoTokenizer.from_pretrained(bert_folder), 40)
    whole = tokens(ODD + PAIRS)
    monkeypatch.setattr("hardtext.victims.tokens.CHUNK", 5)
    parts = tokens(ODD + PAIRS)
    assert rows(parts) == rows(whole) and parts.types.tolist() == whole.types.tolist() and parts.truncated == 2


def test_plain_strings_are_single_texts(bert_folder):
    tokens = Tokeniser(AutoTokenizer.from_pretrained(bert_folder), 40)
    assert rows(tokens(["senate report"])) == rows(tokens([("senate report",)]))


def test_empty_text_without_special_pieces_gets_one_piece(roberta_folder):
    tokenizer = GPT2TokenizerFast(str(roberta_folder / "vocab.json"), str(roberta_folder / "merges.txt"))
    table = Tokeniser(tokenizer, 40)([("",), ("senate",)])
    assert table.lengths[0] == 1 and rows(table)[0] == [tokenizer.eos_token_id]


def test_batch_is_padded_on_the_right(bert_folder):
    tokens = Tokeniser(AutoTokenizer.from_pretrained(bert_folder), 40)
    table = tokens([("senate",), ("senate report confirms", "hoax"), ("report",)])
    batch = table.batch(np.array([1, 0]))
    assert batch.ids.tolist()[1] == rows(table)[0] + [0] * 4
    assert batch.mask.tolist()[1] == [True] * 3 + [False] * 4
    assert batch.types.tolist() == [[0] * 5 + [1] * 2, [0] * 7]
    assert table.batch(np.array([0, 2])).mask is None  # nothing is padded


def test_the_callers_tokenizer_keeps_its_settings(bert_folder):
    tokenizer = AutoTokenizer.from_pretrained(bert_folder)
    Tokeniser(tokenizer, 10)
    assert len(tokenizer("the " * 50)["input_ids"]) == 52


def test_capacity(bert_folder, roberta_folder, caplog):
    bert, roberta = (AutoConfig.from_pretrained(f) for f in (bert_folder, roberta_folder))
    short, endless = (AutoTokenizer.from_pretrained(f) for f in (bert_folder, roberta_folder))
    assert capacity(bert, short, 64) == 64
    assert capacity(roberta, endless, None) == 64  # 66 positions, two of them behind the pad id
    with caplog.at_level(logging.WARNING):
        assert capacity(bert, short, 512) == 128
    assert "max_length=512" in caplog.text


def test_folder_without_tokenizer(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(InputError, match="no usable tokenizer"):
        load_tokenizer(str(tmp_path), option="model.path")


@pytest.mark.parametrize("folder", ["bert_folder", "roberta_folder"])
@pytest.mark.parametrize("text", ["the secret report " * 900, "\u200b " * 9000 + "hoax hoax", "a" * 5000 + " hoax " * 50,
                                  "e\u0301 " * 4000, "  \n " * 3000 + "hoax"], ids=range(5))
def test_the_end_of_a_long_text_is_left_out_only_where_it_cannot_matter(folder, text, request):
    tokenizer = AutoTokenizer.from_pretrained(request.getfixturevalue(folder))
    expected = tokenizer(text, truncation=True, max_length=60)["input_ids"]
    tokens = Tokeniser(tokenizer, 60)
    assert rows(tokens([(text,)])) == [expected]
    if text.startswith("the secret"):
        assert len(tokens._start(text)) < 60 * 16


def test_spans_and_window(bert_folder):
    tokens = Tokeniser(AutoTokenizer.from_pretrained(bert_folder), 12)
    assert tokens.spans(("the hoax", "said x")) == [None, (0, 0, 3), (0, 4, 8), None, (1, 0, 4), (1, 5, 6), None]
    assert tokens.window(("the hoax",)) == (8,)
    assert tokens.window(("the hoax " * 9,)) == (44,)  # ten pieces between [CLS] and [SEP]
    assert tokens.window(("the", "said said said said said said said said said")) == (3, 39)
    assert tokens.window(("a\ud800" * 40,))[0] < 80
