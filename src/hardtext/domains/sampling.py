"""How BODEGA draws the attacked texts from a corpus's test part.

Every (N // 400)-th of the N test rows is attacked, about 400 in all, and the others are the development split; then
the three splits are shuffled with one generator, seed 1, in the order train, attack, development. The seed belongs to
the benchmark, not to a run: every run attacks the same texts.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from hardtext.domains.rows import Row, Splits

ATTACKED = 400
SEED = 1


def sample(train: Iterable[Row], test: Iterable[Row]) -> Splits:
    """The splits of a corpus. With fewer than 800 test rows all of them are attacked and none are left to develop on
    (with fewer than 400 the public converters stop with an error)."""
    train, test = list(train), list(test)
    step = max(1, len(test) // ATTACKED)
    attack = test[::step]
    dev = [row for place, row in enumerate(test) if place % step]
    generator = random.Random(SEED)
    for rows in (train, attack, dev):
        generator.shuffle(rows)
    return Splits(train, attack, dev)
