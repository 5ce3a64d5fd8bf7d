"""Masked language models behind attacks: spelling, order, batching, refusals, and what the bundled weights can do."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import BertForMaskedLM

from hardtext.attacks import masked_lm
from hardtext.attacks.masked_lm import WEIGHTS, MaskedLM, load_masked_lm, minilm_masked_lm
from hardtext.core import InputError
from hardtext.weights import bundled as bundled_folder

SENTENCES = ["the terrible senator lied .", "a movie", "one two three four five six seven eight nine ten eleven twelve"]


@pytest.fixture(scope="module")
def bundled() -> MaskedLM:
    return load_masked_lm("bundled")


@pytest.fixture(scope="module")
def tiny() -> MaskedLM:
    return load_masked_lm("bundled:tiny")


@pytest.fixture(scope="module")
def roberta_folder(tmp_path_factory) -> Path:
    """A RoBERTa with random weights and a small byte-level vocabulary, saved as any model folder is."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaForMaskedLM, RobertaTokenizerFast

    folder = tmp_path_factory.mktemp("roberta")
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator([*SENTENCES, "unbelievable terrible believable"] * 5, vocab_size=400, min_frequency=2,
                            special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], show_progress=False)
    bpe.save_model(str(folder))
    tokenizer = RobertaTokenizerFast(str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=512)
    torch.manual_seed(0)
    model = RobertaForMaskedLM(RobertaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=34, type_vocab_size=1))
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder, safe_serialization=True)
    return folder


@pytest.fixture(scope="module")
def roberta(roberta_folder) -> MaskedLM:
    return load_masked_lm(str(roberta_folder))


def flat(model: MaskedLM, sentence: str) -> list[str]:
    return [piece for word in model.pieces(sentence.split()) for piece in word]


def reference(model: MaskedLM, ids: list[int]) -> torch.Tensor:
    """Logits of one text, special tokens left out, by the model's own forward pass."""
    tokenizer = model._tokenizer
    with torch.inference_mode():
        whole = model._model(torch.tensor([[tokenizer.cls_token_id, *ids, tokenizer.sep_token_id]])).logits
    return whole[0, 1:-1]


def test_pieces_of_each_word(tiny):
    assert tiny.pieces(["Terrible", "slovakia_slota", ",", ""]) == [
        ["terrible"], ["slovakia", "_", "slot", "##a"], [","], []]
    assert tiny.pieces([]) == []


def test_an_emoji_is_the_unknown_piece_and_keeps_its_place(tiny):
    words = ["good", "🙂", "news"]
    assert tiny.pieces(words) == [["good"], ["[UNK]"], ["news"]]
    tokens, logits = tiny.topk([["good", "[UNK]", "news"]], 3)[0]
    assert len(tokens) == 3 and logits.shape == (3, 3) and numpy.isfinite(logits).all()


def test_topk_is_what_the_model_says(tiny):
    texts = [flat(tiny, s) for s in SENTENCES]
    for text, (tokens, logits) in zip(texts, tiny.topk(texts, 7), strict=True):
        expected = reference(tiny, tiny._tokenizer.convert_tokens_to_ids(text)).topk(7)
        assert tokens == [tiny._tokenizer.convert_ids_to_tokens(row) for row in expected.indices]
        assert logits.dtype == numpy.float32
        numpy.testing.assert_allclose(logits, expected.values, atol=1e-4)


def test_the_answer_does_not_depend_on_the_batch(bundled, monkeypatch):
    texts = [flat(bundled, s) for s in [*SENTENCES, *SENTENCES[:1] * 3]]
    together = bundled.topk(texts, 5)
    monkeypatch.setattr(masked_lm, "BATCH_PIECES", 1)
    monkeypatch.setattr(masked_lm, "PROJECTED_ROWS", 2)
    for text, (tokens, logits) in zip(texts, together, strict=True):
        [(alone, expected)] = bundled.topk([text], 5)
        assert alone == tokens
        numpy.testing.assert_allclose(logits, expected, atol=1e-4)


def test_batches_hold_every_text_once_within_the_budget(monkeypatch):
    monkeypatch.setattr(masked_lm, "BATCH_PIECES", 10)
    assert list(masked_lm._batches([2, 0, 1], [3, 20, 2])) == [[2, 0], [1]]
    assert list(masked_lm._batches([], [])) == []


def test_no_texts_and_empty_texts(tiny):
    assert tiny.topk([], 3) == []
    (nothing, logits), (tokens, _) = tiny.topk([[], ["movie"]], 3)
    assert nothing == [] and logits.shape == (0, 3)
    assert len(tokens) == 1


@given(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1, max_size=5), st.integers(1, 6))
@settings(deadline=None)
def test_ties_stand_in_the_order_of_the_vocabulary(rows, k):
    values, ids = masked_lm._topk(torch.tensor(rows, dtype=torch.float32), k)
    for row, found, columns in zip(rows, values.tolist(), ids.tolist(), strict=True):
        expected = sorted(range(6), key=lambda i: (-row[i], i))[:k]
        assert columns == expected
        assert found == [row[i] for i in expected]


def test_only_510_pieces_are_seen(tiny):
    text = ["movie", "terrible"] * 300
    tokens, logits = tiny.topk([text], 2)[0]
    assert len(tokens) == 510 and logits.shape == (510, 2)
    cut, expected = tiny.topk([text[:510]], 2)[0]
    assert cut == tokens
    numpy.testing.assert_array_equal(logits, expected)


def test_a_mask_among_the_pieces_is_filled(bundled):
    tokens, _ = bundled.topk([["the", "united", bundled.mask, "of", "america", "and", "its", "people", "."]], 3)[0]
    assert "states" in tokens[2]


def test_some_positions_only(bundled):
    text = flat(bundled, SENTENCES[0])
    tokens, logits = bundled.topk([text], 4)[0]
    [(some, values), (none, empty)] = bundled.topk([text, text], 4, positions=[[2, 0], []])
    assert some == [tokens[2], tokens[0]] and none == [] and empty.shape == (0, 4)
    numpy.testing.assert_allclose(values, logits[[2, 0]], atol=1e-4)
    with pytest.raises(InputError, match=r"positions of text 0: \[9\] is outside its first 5 pieces"):
        bundled.topk([text], 4, positions=[[9]])


def test_k_is_checked_and_never_more_than_the_vocabulary(roberta):
    with pytest.raises(InputError, match="k=0: expected at least 1"):
        roberta.topk([["a"]], 0)
    assert roberta.topk([["a"]], 10_000)[0][1].shape == (1, len(roberta._tokenizer))


def test_perplexity_is_that_of_the_pieces_at_their_own_places(tiny):
    ids = tiny._tokenizer.convert_tokens_to_ids(["un", "##happy"])
    with torch.inference_mode():
        logs = tiny._model(torch.tensor([ids])).logits[0].log_softmax(1)
    by_hand = math.exp(-(logs[0, ids[0]] + logs[1, ids[1]]).item() / 2)
    found = tiny.perplexity([["movie"], ["un", "##happy"]])
    assert found.shape == (2,) and found[1] == pytest.approx(by_hand, rel=1e-4)
    assert tiny.perplexity([]).shape == (0,)
    with pytest.raises(InputError, match="without pieces"):
        tiny.perplexity([[]])


# Byte-level vocabularies

def test_roberta_reads_every_word_but_the_first_with_its_space(roberta):
    words = ["terrible", "senator", "unbelievable"]
    pieces = roberta.pieces(words)
    assert not pieces[0][0].startswith("##") and pieces[1] == ["senator"]
    assert all(p.startswith("##") for word in pieces for p in word[1:])
    tokenizer = roberta._tokenizer
    read = [roberta._spelling.id(p, first=i == 0) for i, p in enumerate(p for word in pieces for p in word)]
    assert read == tokenizer(" ".join(words), add_special_tokens=False)["input_ids"]


def test_roberta_topk_is_what_the_model_says(roberta):
    for sentence in SENTENCES:
        ids = roberta._tokenizer(sentence, add_special_tokens=False)["input_ids"][:30]
        tokens, logits = roberta.topk([flat(roberta, sentence)], 5)[0]
        expected = reference(roberta, ids).topk(5)
        numpy.testing.assert_allclose(logits, expected.values, atol=1e-5)
        assert not any(t.startswith("##") for t in tokens[0]), "at the first place a piece without a space is a word"
        raw = roberta._tokenizer.convert_ids_to_tokens(expected.indices[1])
        assert tokens[1] == [p[1:] if p.startswith("Ġ") else p if p.startswith("<") else "##" + p for p in raw]


def test_roberta_sees_what_its_positions_allow(roberta):
    assert len(roberta.topk([["a"] * 100], 1)[0][0]) == 30  # 34 positions, two of them skipped and two special tokens


def test_the_mark_of_another_vocabulary_may_be_a_letter(tmp_path):
    from transformers import BertTokenizerFast

    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "Ġ", "##Ġ", "go"]))
    spelling = masked_lm.Spelling(BertTokenizerFast(str(tmp_path / "vocab.txt")), 8)
    assert spelling.of == spelling.raw and spelling.id("Ġ", first=True) == 5


def test_a_model_whose_head_is_not_known_is_projected_whole(tmp_path):
    from transformers import BertTokenizerFast, DistilBertConfig, DistilBertForMaskedLM

    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "go", "##ing", "now"]))
    tokenizer = BertTokenizerFast(str(tmp_path / "vocab.txt"))
    config = DistilBertConfig(vocab_size=8, dim=8, hidden_dim=8, n_heads=2, n_layers=1)
    model = MaskedLM(DistilBertForMaskedLM(config), tokenizer, name="distilbert")
    [(tokens, logits), (short, _)] = model.topk([["go", "##ing", "now"], ["now"]], 3)
    numpy.testing.assert_allclose(logits, reference(model, [5, 6, 7]).topk(3).values, atol=1e-5)
    assert len(tokens) == 3 and len(short) == 1


# Sources

def test_stand_ins_are_named_and_real_models_are_not(bundled, tiny, roberta):
    assert "stand-in" in bundled.stand_in and "stand-in" in tiny.stand_in and roberta.stand_in == ""
    assert (bundled.name, tiny.name) == ("bundled", "bundled:tiny")


def test_fingerprints_tell_models_apart_and_are_stable(bundled, tiny, roberta_folder, roberta):
    assert len({bundled.fingerprint, tiny.fingerprint, roberta.fingerprint}) == 3
    assert load_masked_lm(str(roberta_folder)).fingerprint == roberta.fingerprint


def test_a_folder_without_safetensors_is_refused(roberta_folder, tmp_path):
    for file in roberta_folder.iterdir():
        if file.suffix != ".safetensors":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(InputError, match="safetensors only"):
        load_masked_lm(str(tmp_path))


def test_a_folder_without_a_tokenizer_is_refused(roberta_folder, tmp_path):
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((roberta_folder / name).read_bytes())
    with pytest.raises(InputError, match="no usable tokenizer in"):
        load_masked_lm(str(tmp_path))


def test_an_encoder_without_a_head_is_refused(tmp_path):
    from transformers import BertConfig, BertModel

    BertModel(BertConfig(vocab_size=50, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8)
              ).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="not a masked language model: the weights lack cls.predictions"):
        load_masked_lm(str(tmp_path))


@pytest.mark.parametrize("source, message", [
    ("bundled:minilm", "no masked-LM head"),
    ("bundled:huge", "attack.masked_lm=bundled:huge: bundled weights are minilm, tiny"),
    ("./nowhere", "no such folder"),
])
def test_unusable_sources_get_one_line(source, message):
    with pytest.raises(InputError, match=message) as error:
        load_masked_lm(source)
    assert "\n" not in str(error.value)


def test_an_unknown_device_is_refused():
    with pytest.raises(InputError, match="device=warp: expected auto, cpu"):
        load_masked_lm("bundled:tiny", device="warp")


# The committed weights

def test_committed_weights_are_small_and_described():
    assert sum(f.stat().st_size for f in WEIGHTS.iterdir()) <= 3_000_000
    assert not [f.name for f in WEIGHTS.iterdir() if f.suffix not in (".safetensors", ".json")]
    note = json.loads((WEIGHTS / "masked_lm.json").read_text("utf-8"))
    assert {"what", "how", "text", "seed", "steps"} <= note.keys()


def test_low_rank_factors_are_merged_into_the_body():
    name = "bert.encoder.layer.0.output.dense"
    before = minilm_masked_lm()
    down, up = torch.ones(1, 1536), torch.ones(384, 1) / 2
    bias = torch.full((30522,), 3.0)
    after = minilm_masked_lm({name + ".down": down, name + ".up": up, "cls.predictions.bias": bias})
    torch.testing.assert_close(after.get_submodule(name).weight, before.get_submodule(name).weight + 0.5)
    assert after.cls.predictions.decoder.bias is after.cls.predictions.bias and after.cls.predictions.bias[7] == 3


def test_half_of_the_mean_logits_is_gone_from_the_small_model(tiny):
    sentences = json.loads((WEIGHTS / "mean_sentences.json").read_text("utf-8"))
    ids = [tiny._tokenizer.convert_tokens_to_ids(flat(tiny, s)) for s in sentences]
    mean = torch.cat([reference(tiny, i) for i in ids]).mean(0)
    fresh = BertForMaskedLM.from_pretrained(bundled_folder("tiny")).eval()
    taken = fresh.cls.predictions.bias - tiny._model.cls.predictions.bias
    torch.testing.assert_close(taken.detach(), mean, atol=1e-3, rtol=0)


@pytest.mark.parametrize("model, sentence, word, good", [
    ("bundled", "the film was terrible and far too long .", "terrible", {"horrible", "awful", "dreadful", "bad"}),
    ("bundled", "police said the man was murdered on monday .", "murdered", {"killed", "slain", "slaughtered"}),
    ("bundled", "the movie won several prizes .", "movie", {"film", "picture"}),
    ("bundled", "he quickly left the country .", "quickly", {"rapidly", "promptly", "swiftly", "hastily"}),
    ("bundled", "this is a big problem for the nation .", "big", {"large", "huge", "great", "major"}),
    ("bundled:tiny", "the film was terrible and far too long .", "terrible", {"horrible", "awful", "dreadful", "bad"}),
])
def test_candidates_of_the_unmasked_text_are_synonyms(bundled, tiny, model, sentence, word, good):
    model = {"bundled": bundled, "bundled:tiny": tiny}[model]
    text = flat(model, sentence)
    tokens, _ = model.topk([text], 12)[0]
    candidates = [t for t in tokens[text.index(word)] if t != word]
    assert good & set(candidates), candidates


def test_candidates_stay_above_the_published_threshold(bundled):
    """BERT-ATTACK stops at the first of 36 candidates whose logit is below 0.3; the bundled scale must not trip it."""
    text = flat(bundled, "the president said that the committee had rejected the new tax law on friday .")
    _, logits = bundled.topk([text], 36)[0]
    assert numpy.mean(logits[:, -1] > 0.3) > 0.9
