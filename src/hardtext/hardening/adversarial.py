"""Adversarial fine-tuning by the published recipe: attack the training set, train on the union.

The recipe of the shared task's adversarially trained RoBERTa (Przybyła et al. 2024 name it; its code was not
published): one epoch on clean data, BERT-ATTACK over the training set, one epoch on the training set together with
the adversarial texts that fooled the victim, at a constant learning rate.
"""

from __future__ import annotations

from collections.abc import Sequence

from hardtext.core import Attempt, Example, InputError

MARK = "+adv"
"""Ends the id of an adversarial training example, so that it stays recognisable."""


def union(train: Sequence[Example], attempts: Sequence[Attempt]) -> list[Example]:
    """The training set followed by one example for each successful attempt, under its original's gold label."""
    known = {example.id: example for example in train}
    adversarial = []
    for attempt in attempts:
        if attempt.id not in known:
            raise InputError(f"adversarial example {attempt.id!r} belongs to no training example: "
                             f"the attempts come from other data; set overwrite=true to make them again")
        if attempt.status == "success":
            original = known[attempt.id]
            adversarial.append(Example(id=attempt.id + MARK, segments=attempt.adversarial, label=original.label,
                                       source=f"adversarial:{attempt.attack}", split="train"))
    return [*train, *adversarial]


def is_adversarial(example: Example) -> bool:
    return example.source.startswith("adversarial:")
