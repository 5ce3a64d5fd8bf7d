"""Metrics against hand-worked numbers and scikit-learn."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn import metrics as sk

from hardtext.core import Domain
from hardtext.victims.metrics import metrics

TWO = Domain("two", ("credible", "fake"))
SIX = Domain("six", ("pants-fire", "false", "barely-true", "half-true", "mostly-true", "true"), positive=(0, 1, 2))


def test_hand_worked():
    p = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.7, 0.3]])
    result = metrics(p, np.array([0, 1, 0, 1]), TWO)
    assert result["confusion"] == [[1, 1], [1, 1]]
    assert result["texts"] == 4
    assert [result[k] for k in ("accuracy", "precision", "recall", "f1", "macro_f1")] == [.5, .5, .5, .5, .5]
    assert result["auroc"] == pytest.approx(0.75)  # of the 4 pairs only (0.3, 0.6) is the wrong way round
    assert result["ece"] == pytest.approx((0.1 + 0.2 + 0.6 + 0.7) / 4)  # four bins of one text each
    assert result["loss"] == pytest.approx(-np.log([0.9, 0.8, 0.4, 0.3]).mean())


@pytest.mark.parametrize("domain", [TWO, Domain("zero", ("fake", "credible"), positive=(0,)), SIX])
def test_equals_scikit_learn(domain):
    random = np.random.default_rng(0)
    n = len(domain.classes)
    p = random.dirichlet(np.ones(n), 300)
    y = random.integers(0, n, 300)
    result = metrics(p, y, domain)
    score = p[:, list(domain.positive)].sum(axis=1)
    truth, called = np.isin(y, domain.positive), score > 0.5
    assert result["accuracy"] == pytest.approx(sk.accuracy_score(y, p.argmax(1)))
    assert result["precision"] == pytest.approx(sk.precision_score(truth, called))
    assert result["recall"] == pytest.approx(sk.recall_score(truth, called))
    assert result["f1"] == pytest.approx(sk.f1_score(truth, called))
    assert result["macro_f1"] == pytest.approx(sk.f1_score(y, p.argmax(1), average="macro"))
    assert result["auroc"] == pytest.approx(sk.roc_auc_score(truth, score), abs=1e-6)
    assert result["confusion"] == sk.confusion_matrix(y, p.argmax(1)).tolist()


def test_what_is_not_defined_is_none():
    p = np.array([[0.9, 0.1], [0.6, 0.4]])
    result = metrics(p, np.array([0, 0]), TWO)
    assert [result[k] for k in ("precision", "recall", "f1", "auroc")] == [None] * 4
    assert result["macro_f1"] == 1.0  # over the class that occurs
    missed = metrics(p, np.array([0, 1]), TWO)
    assert (missed["precision"], missed["recall"], missed["f1"]) == (None, 0.0, 0.0)
    empty = metrics(np.empty((0, 2)), np.empty(0), TWO)
    assert empty["texts"] == 0 and empty["accuracy"] is None and empty["confusion"] == [[0, 0], [0, 0]]
    for value in (result, missed, empty):
        json.dumps(value, allow_nan=False)


def test_float_noise_above_one_changes_nothing():
    p = np.array([[1.0000002, 0.0], [0.3, 0.7], [0.8, 0.2]])
    y = np.array([0, 1, 1])
    noisy, clean = metrics(p, y, TWO), metrics(np.clip(p, 0, 1), y, TWO)
    assert noisy["ece"] == clean["ece"] and noisy["auroc"] == clean["auroc"] == 1.0
