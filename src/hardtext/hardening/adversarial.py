"""Adversarial fine-tuning by the published recipe: attack the training set, train on the union.

The recipe of the shared task's adversarially trained RoBERTa (Przybyła et al. 2024 name it; its code was not
published): one epoch on clean data, BERT-ATTACK over the training set, one epoch on the training set together with
the adversarial texts that fooled the victim, at a constant learning rate.
"""

from __future__ import annotations

from collections.abc import Sequence

from hardtext.core import Attempt, Example, InputError, Segments

MARK = "+adv"
"""Ends the id of an adversarial training example, so that it stays recognisable."""


def union(train: Sequence[Example], attempts: Sequence[Attempt]) -> list[Example]:
    """The training set followed by one example for each successful attempt, under its original's gold label.

    Several attempts on one example (of several rounds) are numbered from the second on; equal texts count once.
    """
    known = {example.id: example for example in train}
    adversarial = []
    made: dict[str, list[Segments]] = {}
    for attempt in attempts:
        if attempt.id not in known:
            raise InputError(f"adversarial example {attempt.id!r} belongs to no training example: "
                             f"the attempts come from other data; set overwrite=true to make them again")
        if attempt.status == "success":
            original, earlier = known[attempt.id], made.setdefault(attempt.id, [])
            if attempt.adversarial in earlier:
                continue
            earlier.append(attempt.adversarial)
            id = attempt.id + MARK + (str(len(earlier)) if len(earlier) > 1 else "")
            adversarial.append(Example(id=id, segments=attempt.adversarial, label=original.label,
                                       source=f"adversarial:{attempt.attack}", split="train"))
    return [*train, *adversarial]


def origins(examples: Sequence[Example]) -> dict[str, str]:
    """Id of each adversarial example → id of the one it was made from; of its copy ``#1`` → of the original's copy ``#1``
    (smoothing trains on copies)."""
    found = {}
    for example in examples:
        if is_adversarial(example):
            original, _, rest = example.id.rpartition(MARK)
            found[example.id] = original + "".join(rest.partition("#")[1:])
    return found


def is_adversarial(example: Example) -> bool:
    return example.source.startswith("adversarial:")
