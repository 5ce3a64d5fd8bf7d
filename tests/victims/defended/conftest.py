"""A victim whose answers follow from a rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest


class Rule:
    """Probability of class 1 by ``rule``, a function of the text; notes what it was asked."""

    name, classes = "rule", ("credible", "fake")

    def __init__(self, rule: Callable[[str], float]) -> None:
        self.rule, self.asked = rule, []

    def probabilities(self, texts: Sequence) -> np.ndarray:
        self.asked += texts
        fake = np.array([self.rule(" ~ ".join(text)) for text in texts], float)
        return np.stack([1 - fake, fake], axis=1)


@pytest.fixture
def rule():
    return Rule
