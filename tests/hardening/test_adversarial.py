"""Adversarial fine-tuning: what is trained on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hardtext.core import Attempt, Example, InputError
from hardtext.hardening.adversarial import is_adversarial, origins, union

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


def test_several_attempts_on_a_text_are_numbered_and_equal_ones_count_once():
    attempts = [attempt("1", "success", ("It is poor.",)), attempt("1", "success", ("It is poor.",)),
                attempt("1", "success", ("It was bad.",)), attempt("2", "success", ("It is poor.",))]
    made = union(TRAIN, attempts)[3:]
    assert [(e.id, e.segments) for e in made] == [("1+adv", ("It is poor.",)), ("1+adv2", ("It was bad.",)),
                                                  ("2+adv", ("It is poor.",))]


def test_origins_lead_to_the_original_and_copies_to_its_copy():
    odd = [Example("a+adv", ("x",), 0), Example("b#2", ("x",), 0)]
    made = union(odd, [attempt("a+adv", "success", ("y",)), attempt("b#2", "success", ("y",)),
                       attempt("a+adv", "success", ("z",))])
    assert origins(made) == {"a+adv+adv": "a+adv", "b#2+adv": "b#2", "a+adv+adv2": "a+adv"}
    copies = [replace(e, id=e.id + "#1") for e in made]
    assert origins(copies) == {"a+adv+adv#1": "a+adv#1", "b#2+adv#1": "b#2#1", "a+adv+adv2#1": "a+adv#1"}
    assert set(origins(copies).values()) <= {e.id for e in copies}
