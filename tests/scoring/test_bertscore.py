from __future__ import annotations

import numpy
import pytest

from hardtext.core import InputError
from hardtext.scoring import semantic_from_name

bert_score = pytest.importorskip("bert_score")

WORDS = ("the", "film", "was", "not", "bad", "at", "all", "but", "terrible", "nobody", "saw", "it", ".", "he", "said")
PAIRS = [("the film was bad .", "the film was terrible ."), ("nobody saw it", "he said it was not bad at all ."),
         ("it", "it"), ("the film was bad .", "NOT_GENERATED"), ("the film was bad .", "the film was terrible .")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a random BERT of 3 layers × 32 whose tokenizer names no longest length, as DeBERTa's does not."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("bert")
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]))
    torch.manual_seed(0)
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"))
    BertModel(BertConfig(vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=3, num_attention_heads=2,
                         intermediate_size=64, initializer_range=0.5, max_position_embeddings=64)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def direct_f1(folder, reference: str, candidate: str, layer: int) -> float:
    """BERTScore as the package has it: the mean of each token's best cosine in the other sentence, [CLS] and [SEP]
    included; those two themselves do not count."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        old, new = (torch.nn.functional.normalize(
            model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states[layer][0], dim=1)
            for text in (reference, candidate))
    cosines = old @ new.T
    recall, precision = (cosines.max(dim=dim).values[1:-1].mean() for dim in (1, 0))
    return float(2 * precision * recall / (precision + recall))


def test_equals_the_definition_and_rescales(folder):
    from hardtext.scoring.bertscore import baseline_f1

    plain = semantic_from_name("bertscore", path=str(folder), layer=2, baseline=None, max_length=64, batch_size=2)
    scores = plain.score_pairs(PAIRS)
    assert scores.shape == (5,) and scores.dtype == numpy.float64
    assert scores == pytest.approx([direct_f1(folder, *pair, layer=2) for pair in PAIRS], abs=1e-5)
    assert scores[2] == pytest.approx(1, abs=1e-5) and scores[0] == scores[4]

    rescaled = semantic_from_name("bertscore", path=str(folder), layer=2, max_length=64).score_pairs(PAIRS)
    baseline = baseline_f1("microsoft/deberta-large-mnli", 2)
    assert rescaled == pytest.approx((scores - baseline) / (1 - baseline), abs=1e-6)


def test_equals_the_package(folder):
    scores = semantic_from_name("bertscore", path=str(folder), layer=2, baseline=None, max_length=64).score_pairs(PAIRS)
    references, candidates = map(list, zip(*PAIRS))
    _, _, f1 = bert_score.score(candidates, references, model_type=str(folder), num_layers=2, device="cpu")
    assert scores == pytest.approx(f1.tolist(), abs=1e-6)


def test_long_and_empty_sentences(folder):
    scores = semantic_from_name("bertscore", path=str(folder), layer=1, baseline=None, max_length=64).score_pairs(
        [("the film " * 500, "the film " * 500), ("the film", "")])
    assert scores[0] == pytest.approx(1, abs=1e-5) and numpy.isfinite(scores).all()
    assert semantic_from_name("bertscore", path=str(folder)).score_pairs([]).shape == (0,)


def test_the_published_constants():
    from hardtext.scoring.bertscore import baseline_f1

    settings = semantic_from_name("bertscore")
    assert (settings.path, settings.layer) == ("microsoft/deberta-large-mnli", 18)
    assert settings.layer == bert_score.utils.model2layers[settings.path]
    assert baseline_f1(settings.baseline, 18) == 0.45173016
    assert settings.stand_in == "BERTScore (microsoft/deberta-large-mnli) in place of BLEURT-20"


@pytest.mark.parametrize(("options", "expected"), [
    ({"layer": 9, "baseline": None}, "semantic.layer=9: the model in .* has 3 layers"),
    ({"layer": 2, "baseline": "no/model"}, "semantic.baseline=no/model: bert-score has no baseline"),
    ({"layer": 2, "device": "nonsense"}, "semantic.device=nonsense"),
])
def test_bad_settings_are_one_line(folder, options, expected):
    with pytest.raises(InputError, match=expected):
        semantic_from_name("bertscore", path=str(folder), max_length=64, **options).score_pairs(PAIRS)


def test_offline_is_one_line(monkeypatch, tmp_path):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(InputError, match="semantic.path=nobody/deberta is not in the local cache and HF_HUB_OFFLINE"):
        semantic_from_name("bertscore", path="nobody/deberta").score_pairs(PAIRS)
    with pytest.raises(InputError, match="semantic.layer=0: expected at least 1"):
        semantic_from_name("bertscore", layer=0)
