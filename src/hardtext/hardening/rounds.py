"""Which training texts each round of adversarial augmentation attacks, by what, and what it then trains on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hardtext.core import Attempt, Example
from hardtext.seeding import generator


def dealt(examples: Sequence[Example], attacks: Mapping[str, float], share: float, seed: int,
          number: int) -> dict[str, list[Example]]:
    """Attack → the examples that round ``number`` attacks with it, in input order.

    ``share`` of the examples are drawn anew in every round; each goes to one attack, in proportion to the weights.
    Draws depend on (seed, round, id) alone.
    """
    names = [name for name, weight in attacks.items() if weight > 0]
    weights = [attacks[name] for name in names]
    chosen: dict[str, list[Example]] = {name: [] for name in names}
    for example in examples:
        random = generator(seed, "augment", number, example.id)
        if random.random() < share:
            chosen[random.choices(names, weights)[0]].append(example)
    return {name: of for name, of in chosen.items() if of}


def easiest(attempts: Sequence[Attempt], number: int, rounds: int) -> list[Attempt]:
    """The successes that round ``number`` (from 1) of a curriculum trains on: those that took fewest queries first, a part
    of them that grows to all in the last round.

    Input order is kept.
    """
    found = [a for a in attempts if a.status == "success"]
    ranked = sorted(range(len(found)), key=lambda i: (found[i].queries, i))
    kept = set(ranked[: -(-len(found) * number // rounds)])
    return [a for i, a in enumerate(found) if i in kept]
