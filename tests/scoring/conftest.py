"""What the scoring tests share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hardtext.core import Attempt


@pytest.fixture
def attempt() -> Callable[..., Attempt]:
    """Makes an attempt: a success where an adversarial text is given, else a failure, unless ``status`` says so."""

    def make(original="a text", adversarial=None, **values) -> Attempt:
        as_segments = {key: (text,) if isinstance(text, str) else text
                       for key, text in (("original", original), ("adversarial", adversarial))}
        status = "failed" if adversarial is None else "success"
        defaults = {"id": "1", "domain": "pr", "victim": "bert", "attack": "bert_attack", "label": 1, "status": status,
                    "original_probs": [0.1, 0.9], "adversarial_probs": None if adversarial is None else [0.8, 0.2],
                    "queries": 10, "forwards": 5, "seconds": 0.1, "seed": 0}
        return Attempt(**(defaults | as_segments | values))

    return make
