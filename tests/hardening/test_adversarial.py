"""Adversarial fine-tuning: what is trained on."""

from __future__ import annotations

import pytest

from hardtext.core import Attempt, Example, InputError
from hardtext.hardening.adversarial import is_adversarial, union

TRAIN = [Example("1", ("It is bad.",), 1), Example("2", ("It is good.",), 0), Example("3", ("So what.",), 0)]


def attempt(id: str, status: str, adversarial=None) -> Attempt:
    return Attempt(id=id, domain="d", victim="v", attack="bert_attack", label=1, original=("x",), adversarial=adversarial,
                   status=status, original_probs=None, adversarial_probs=None, queries=1, forwards=1, seconds=0.0, seed=0)


def test_the_union_holds_every_success_once_under_its_gold_label():
    attempts = [attempt("1", "success", ("It is poor.",)), attempt("2", "failed"), attempt("3", "budget")]
    examples = union(TRAIN, attempts)
    assert examples[:3] == TRAIN
    assert examples[3:] == [Example("1+adv", ("It is poor.",), 1, source="adversarial:bert_attack", split="train")]
    assert [is_adversarial(e) for e in examples] == [False, False, False, True]


def test_attempts_on_other_texts_are_refused():
    with pytest.raises(InputError, match="'9' belongs to no training example.*overwrite=true"):
        union(TRAIN, [attempt("9", "success", ("x",))])
