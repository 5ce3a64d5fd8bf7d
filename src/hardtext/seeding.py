"""Seeds derived from (run seed, names), so that an example's random draws never depend on its neighbours."""

from __future__ import annotations

import hashlib
import random


def derive(seed: int, *names: object) -> int:
    """A 64-bit seed from a run seed and any names (an example id, a phase).

    Stable across processes, machines and PYTHONHASHSEED.

    >>> derive(0, "attack", "17") == derive(0, "attack", "17")
    True
    >>> derive(0, "attack", "17") == derive(1, "attack", "17")
    False
    """
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")


def generator(seed: int, *names: object) -> random.Random:
    """A ``random.Random`` seeded with ``derive``."""
    return random.Random(derive(seed, *names))
