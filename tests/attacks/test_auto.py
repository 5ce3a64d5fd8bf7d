"""The protocol: order, ration, what is kept, and when a decided text is left alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from hardtext.attacks import ATTACKS, Attack
from hardtext.attacks import auto as page
from hardtext.attacks.auto import GAIN, STANDARD_QUERIES, Auto
from hardtext.attacks.engine import run
from hardtext.attacks.metering import within
from hardtext.attacks.requests import Gradient, Score, Similar
from hardtext.core import Example, InputError
from hardtext.scoring.documents import character_scores


class Table:
    """Class 1 for the texts that hold an x."""

    name, classes = "table", ("0", "1")

    def __init__(self):
        self.asked = []

    def probabilities(self, texts):
        self.asked += [t[0] for t in texts]
        return np.array([[0.2, 0.8] if "x" in t[0] else [0.9, 0.1] for t in texts])


@dataclass
class Fixed(Attack):
    """Asks for ``tries`` and returns the first that flips."""

    name: str = "fixed"
    tries: tuple = ()
    one_by_one: bool = True

    def steps(self, target):
        texts = [(t,) for t in self.tries]
        rows = yield Score(texts, until_flip=target.label if self.one_by_one else None)
        flips = np.flatnonzero([target.moved(row) for row in rows])
        return texts[int(flips[0])] if flips.size else None


def attack_with(monkeypatch, *members, models, text="abcd efgh", version="full", **options):
    monkeypatch.setitem(page.VERSIONS, version, tuple(lambda m=m: m for m in members))
    victim = Table()
    [a] = run(Auto(version=version), victim, [Example("1", text, 0)], domain="d", seed=0, **models, **options)
    return a, victim


def test_the_best_product_is_kept(monkeypatch, models):
    a, _ = attack_with(monkeypatch, Fixed(tries=("zzzz", "xxxx xxxx")), Fixed("second", tries=("abcd efgx",)),
                       Fixed(tries=("x efgh",)), models=models)
    assert (a.status, a.adversarial, a.member) == ("success", ("abcd efgx",), "second")
    assert "member" not in a.to_row()
    assert a.queries == 1 + 2 + 1 + 1 + 1


def test_of_equal_products_the_cheaper_attack_wins(monkeypatch, models):
    a, _ = attack_with(monkeypatch, Fixed(tries=("abcx efgh",)), Fixed(tries=("abcd efgx",)), models=models)
    assert a.adversarial == ("abcx efgh",)


def test_a_decided_text_that_cannot_be_bettered_is_left_alone(monkeypatch, models):
    long = " ".join(["abcd"] * 50)
    best = long + " x"  # every word kept, 2 characters in 251: no attack can win more than 0.01
    a, victim = attack_with(monkeypatch, Fixed(tries=(best,)), Fixed(tries=("x",)), models=models, text=long)
    assert a.adversarial == (best,) and "x" not in victim.asked
    assert 1 - character_scores([((long,), (best,))])[0] < GAIN


def test_the_ration_is_shared(monkeypatch, models):
    many = tuple(f"a{i}" for i in range(300))
    a, victim = attack_with(monkeypatch, Fixed(tries=many), Fixed(tries=(*many[:197], "x", "never x")), Fixed(tries=("x2",)),
                            models=models, version="standard")
    assert (a.status, a.adversarial, a.queries) == ("success", ("x",), STANDARD_QUERIES)
    a, _ = attack_with(monkeypatch, Fixed(tries=many), Fixed(tries=(*many[:198], "x")), models=models, version="standard")
    assert (a.status, a.queries) == ("budget", STANDARD_QUERIES - 1)  # no text to check at the end
    assert a.best is not None
    a, _ = attack_with(monkeypatch, Fixed(tries=many[:9]), models=models, version="standard")
    assert a.status == "failed"  # it had its say
    a, _ = attack_with(monkeypatch, Fixed(tries=many[:99], one_by_one=False), Fixed(tries=("x",)), models=models,
                       max_queries=50)
    assert (a.status, a.adversarial, a.queries) == ("success", ("x",), 3)  # the first would not fit and asks nothing


def play(steps, answers):
    answers, asked = iter(answers), []
    answer = None
    try:
        while True:
            asked.append(steps.send(answer))
            answer = next(answers)
    except StopIteration as end:
        return end.value, asked


def test_within_counts_what_is_asked():
    flip, stay = np.array([[0.2, 0.8]]), np.array([[0.9, 0.1]])

    def member():
        yield Similar((("a", "b"),))
        yield Gradient(("a",), 0)
        rows = yield Score([("b",)] * 3, until_flip=0)
        return ("b",) if len(rows) < 3 else None

    found, asked = play(within(member(), 4), [1, 2, np.vstack([stay, flip])])
    assert found == (("b",), 3, False) and [type(r) for r in asked] == [Similar, Gradient, Score]
    found, asked = play(within(member(), 3), [1, 2, np.vstack([stay, stay])])
    assert found == (None, 3, True) and len(asked[-1].texts) == 2
    found, asked = play(within(member(), 3), [1, 2, np.vstack([stay, flip])])
    assert found == (("b",), 3, False)  # a flip within what was left
    assert play(within(member(), 1), [1, 2])[0] == (None, 1, True)
    assert play(within(member(), 0), [1])[0] == (None, 0, True)


def test_versions_are_fixed():
    with pytest.raises(InputError, match="attack.version=quick: expected one of standard, full"):
        Auto(version="quick")
    names = [make().name for make in page.VERSIONS["full"]]
    assert names[: len(page.CHEAP)] == [make().name for make in page.VERSIONS["standard"]]
    assert set(names) == set(ATTACKS) - {"auto", "openfact", "rewrite", "textattack"}
