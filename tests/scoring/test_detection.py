"""ROC, AUC and their bounds, against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

from hardtext.scoring import detection
from hardtext.scoring.detection import judge, roc, threshold_at

VALUES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]) | st.floats(-5, 5), min_size=1, max_size=25)


def alone(positive, negative):
    return judge(positive, negative, range(len(positive)), range(-len(negative), 0), resamples=0)


@given(VALUES, VALUES)
def test_auc_and_curve_are_those_of_scikit_learn(positive, negative):
    labels = [1] * len(positive) + [0] * len(negative)
    assert alone(positive, negative).auc == pytest.approx(roc_auc_score(labels, positive + negative))
    alarms, caught, thresholds = roc(positive, negative)
    expected = roc_curve(labels, positive + negative, drop_intermediate=False)
    for ours, theirs in zip((alarms, caught, thresholds), expected, strict=True):
        assert ours == pytest.approx(theirs)


@given(VALUES, VALUES)
def test_the_share_caught_is_the_best_of_the_allowed_thresholds(positive, negative):
    labels = [1] * len(positive) + [0] * len(negative)
    alarms, caught, _ = roc_curve(labels, positive + negative, drop_intermediate=False)
    for rate, share in alone(positive, negative).caught.items():
        assert share == pytest.approx(caught[alarms <= rate + 1e-12].max())
        threshold = threshold_at(negative, rate)
        assert share == pytest.approx(np.mean(np.array(positive) > threshold))
        assert np.mean(np.array(negative) > threshold) <= rate


def test_a_resample_counts_a_text_as_often_as_its_group_was_drawn():
    positive, negative = np.array([0.9, 0.4, 0.4]), np.array([0.4, 0.1])
    found = detection._weighted(positive, negative, np.array([[2.0, 0, 3]]), np.array([[1.0, 2]]))
    repeated = [0.9, 0.9, 0.4, 0.4, 0.4], [0.4, 0.1, 0.1]
    assert found["auc"][0] == pytest.approx(roc_auc_score([1] * 5 + [0] * 3, repeated[0] + repeated[1]))


def test_bounds_widen_where_texts_come_in_groups():
    rng = np.random.default_rng(0)
    base = rng.normal(size=20)
    positive, groups = np.repeat(base + 0.5, 20), np.repeat(np.arange(20), 20)
    negative = rng.normal(size=200)
    others = range(1000, 1200)
    grouped = judge(positive, negative, groups, others).interval
    single = judge(positive, negative, range(400), others).interval
    assert grouped[1] - grouped[0] > 1.5 * (single[1] - single[0])
    assert judge(positive, negative, groups, others) == judge(positive, negative, groups, others)


def test_one_group_has_no_bounds_and_no_text_no_figures():
    one = judge([1.0], [0.0], ["a"], ["a"])
    assert one.auc == 1.0 and one.interval is None and one.caught == {0.01: 1.0, 0.05: 1.0}
    for bad in (([], [0.0]), ([1.0], []), ([np.nan], [0.0])):
        with pytest.raises(ValueError, match="all of them numbers"):
            judge(*bad, range(len(bad[0])), range(len(bad[1])))
