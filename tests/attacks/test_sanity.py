"""Each thing that makes an evaluation meaningless is said before it starts; a healthy victim gets no remark."""

from __future__ import annotations

import re

import numpy as np
import pytest

from hardtext.attacks.sanity import LOOKED_AT, check
from hardtext.core import Example, InputError

EXAMPLES = [Example(str(i), f"text number {i}", i % 2) for i in range(40)]


class Judge:
    name, classes = "judge", ("real", "fake")

    def __init__(self, rows):
        self._rows, self.sizes = rows, []

    def probabilities(self, texts):
        self.sizes.append(len(texts))
        return np.array([self._rows(int(t[0].split()[-1]), self) for t in texts]).reshape(-1, 2)


def right(i, _):
    return [0.2 - i / 1000, 0.8 + i / 1000] if i % 2 else [0.9 - i / 1000, 0.1 + i / 1000]


def test_a_healthy_victim():
    judge = Judge(right)
    found = check(judge, EXAMPLES)
    assert found.warnings == () and not found.random
    assert judge.sizes[:2] == [LOOKED_AT, LOOKED_AT] and sum(judge.sizes) < 80


@pytest.mark.parametrize("rows, words, random", [
    (lambda i, self: [0.5 + 0.01 * len(self.sizes), 0.5 - 0.01 * len(self.sizes)], "asked twice", True),
    (lambda i, self: right(i, 0) if self.sizes[-1] > 1 else right(i + 2, 0), "depend on the texts beside it", False),
    (lambda i, self: [2.0 + i, -1.0], "no probabilities", False),
    (lambda i, self: [0.7, 0.3], "does not read them", False),
    (lambda i, self: [0.7 + i / 1000, 0.3 - i / 1000], "'real' for all of 32", False),
    (lambda i, self: [0.52 - i / 1000, 0.48 + i / 1000], "nearly undecided", False),
    (lambda i, self: right(i, 0)[::-1], "agree with 0% of the gold labels.*real, fake", False),
], ids=["random", "batch", "logits", "constant", "one class", "undecided", "swapped"])
def test_what_is_odd(rows, words, random):
    found = check(Judge(rows), EXAMPLES)
    assert found.random is random
    assert any(re.search(words, w) for w in found.warnings), found.warnings


def test_few_examples_say_little():
    assert check(Judge(lambda i, _: [0.7, 0.3]), EXAMPLES[:3]).warnings == ()
    assert check(Judge(right), [Example("1", "!!!", 0)]).warnings[0].startswith("no example holds")
    unlabelled = [Example(str(i), f"text number {i}", -1) for i in range(20)]
    assert check(Judge(lambda i, _: right(i, 0)[::-1]), unlabelled).warnings == ()


@pytest.mark.parametrize("answer, words", [(np.zeros((3, 3)), "shape"), (np.full((40, 2), np.nan), "shape|finite")])
def test_a_useless_answer_is_refused(answer, words):
    class Broken:
        name, classes = "broken", ("a", "b")

        def probabilities(self, texts):
            return answer[: len(texts)]

    with pytest.raises(InputError, match=words):
        check(Broken(), EXAMPLES)
