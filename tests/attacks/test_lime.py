from __future__ import annotations

import random

import numpy as np
import pytest

from hardtext import text
from hardtext.attacks import lime
from hardtext.attacks.base import Target


def test_the_first_sample_keeps_all_and_the_others_hide_one_to_all():
    kept = lime.masks(4, 4001, random.Random(0))
    assert kept.shape == (4001, 4) and kept[0].all()
    hidden = (~kept[1:]).sum(axis=1)
    counts = np.bincount(hidden, minlength=5)
    assert counts[0] == 0 and (np.abs(counts[1:] - 1000) < 100).all()  # every number as likely
    assert (np.abs(kept[1:].mean(axis=0) - 0.375) < 0.03).all()  # every word as likely: 1 - (1 + 2 + 3 + 4) / 16


def test_the_masks_belong_to_the_generator():
    same = [lime.masks(5, 20, random.Random(3)) for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert (lime.masks(5, 20, random.Random(4)) != same[0]).any()


def test_nearness_by_hand():
    kept = np.array([[1, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]], bool)
    # cosine distances 0, 1/2 and 1, times 100, over 25: 0, 2, 4; the root of exp(-4) and of exp(-16)
    np.testing.assert_allclose(lime.nearness(kept), [1, np.exp(-2), np.exp(-8)])


@pytest.mark.parametrize("words, samples", [(3, 40), (40, 40), (90, 40), (1, 2)])
def test_ridge_equals_scikit_learns(words, samples):
    from sklearn.linear_model import Ridge

    draws = np.random.default_rng(1)
    kept, values, weights = draws.random((samples, words)) < 0.5, draws.random(samples), draws.random(samples) + 0.01
    expected = Ridge(alpha=1.0).fit(kept.astype(float), values, sample_weight=weights).coef_
    np.testing.assert_allclose(lime.ridge(kept, values, weights), expected, atol=1e-9)


def explained(segments, words, samples, probability, seed=0):
    """(weights, the texts asked)."""
    first = probability(segments)
    steps = lime.explain(Target(segments, np.array([first, 1 - first]), random.Random(seed)), words, samples)
    request = next(steps)
    assert request.probe and request.until_flip is None
    texts = list(request.texts)
    with pytest.raises(StopIteration) as end:
        steps.send(np.array([[probability(t), 1 - probability(t)] for t in texts]).reshape(-1, 2))
    return end.value.value, texts


def test_an_additive_victim_is_read_back():
    segments = ("The Bank, they say,", "lied twice.")
    words = [w for w in text.words(segments) if w.is_word]
    worth = {"Bank": 0.3, "lied": 0.15, "say": -0.1}

    def probability(texts):
        found = {w.text for w in text.words(texts)}
        return 0.5 + sum(value for word, value in worth.items() if word in found)

    weights, texts = explained(segments, words, 2000, probability)
    assert len(texts) == 1999
    by_word = dict(zip([w.text for w in words], weights, strict=True))
    assert sorted(by_word, key=by_word.get, reverse=True)[:2] == ["Bank", "lied"]
    assert min(by_word, key=by_word.get) == "say"
    for word, weight in by_word.items():
        assert weight == pytest.approx(worth.get(word, 0), abs=0.02)


def test_a_hidden_word_leaves_the_rest_as_it_was():
    segments = ("A  b,\nc",)
    _, texts = explained(segments, text.words(segments)[:2], 200, lambda t: 0.9)
    assert set(texts) == {("UNKWORDZ  b,\nc",), ("A  UNKWORDZ,\nc",), ("UNKWORDZ  UNKWORDZ,\nc",)}


def test_the_weights_are_those_of_the_predicted_class():
    segments = ("bad good",)
    words = text.words(segments)
    for_class_0, _ = explained(segments, words, 200, lambda t: 0.9 if "good" in t[0] else 0.2)
    for_class_1, _ = explained(segments, words, 200, lambda t: 0.1 if "good" in t[0] else 0.8)
    np.testing.assert_allclose(for_class_0, for_class_1)
    assert for_class_0[1] > 0.4 > 0 > for_class_0[0]  # one of two words hidden means the other is kept


def test_the_same_draws_give_the_weights_of_the_authors_package():
    """Made with lime 0.2.0.1: LimeTextExplainer(kernel_width=25, bow=False, random_state=RandomState(n)) with n the
    first 32 bits of random.Random(5), 60 samples, all features."""
    segments = ("Good news: the party won a war on tax.",)
    worth = {"Good": 0.9, "news": -0.4, "the": 0.1, "party": 0.7, "won": -0.6, "a": 0.05, "war": 0.8, "on": -0.2,
             "tax": 0.3}
    weights, _ = explained(segments, [w for w in text.words(segments) if w.is_word], 60,
                           lambda t: 1 / (1 + np.exp(-sum(worth.get(w.text, 0) for w in text.words(t)))), seed=5)
    theirs = [0.124922, -0.046587, 0.025585, 0.078455, -0.071361, 0.016322, 0.12981, -0.019618, 0.043147]
    np.testing.assert_allclose(weights, theirs, atol=1e-6)
