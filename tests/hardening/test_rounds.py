"""Which texts a round attacks, by what, and which successes it trains on."""

from __future__ import annotations

from collections import Counter

from scipy.stats import binomtest

from hardtext.core import Attempt, Example
from hardtext.hardening.rounds import dealt, easiest

TEXTS = [Example(str(i), (f"text {i}",), 0) for i in range(2_000)]


def test_shares_and_weights():
    found = dealt(TEXTS, {"pwws": 3.0, "genetic": 1.0, "never": 0.0}, 0.5, seed=0, number=1)
    sizes = {name: len(chosen) for name, chosen in found.items()}
    assert set(sizes) == {"pwws", "genetic"}
    assert binomtest(sum(sizes.values()), len(TEXTS), 0.5).pvalue > 1e-3
    assert binomtest(sizes["pwws"], sum(sizes.values()), 0.75).pvalue > 1e-3
    ids = Counter(e.id for chosen in found.values() for e in chosen)
    assert max(ids.values()) == 1  # each text goes to one attack
    for chosen in found.values():
        assert [int(e.id) for e in chosen] == sorted(int(e.id) for e in chosen)


def test_every_text_where_the_share_is_one():
    assert dealt(TEXTS, {"pwws": 0.1}, 1.0, seed=3, number=1) == {"pwws": TEXTS}
    assert dealt(TEXTS[:1], {"a": 1.0, "b": 1.0}, 1e-9, seed=0, number=1) == {}


def test_draws_depend_on_seed_round_and_id_alone():
    def ids(examples, seed, number):
        return {(name, e.id) for name, chosen in dealt(examples, {"a": 1.0, "b": 1.0}, 0.5, seed, number).items()
                for e in chosen}

    whole = ids(TEXTS, 0, 1)
    assert whole == ids(TEXTS[::-1], 0, 1)
    assert {(name, id) for name, id in whole if int(id) < 50} == ids(TEXTS[:50], 0, 1)
    assert len({frozenset(ids(TEXTS, seed, number)) for seed in (0, 1) for number in (1, 2)}) == 4


def attempt(id: int, queries: int, status: str = "success") -> Attempt:
    return Attempt(id=str(id), domain="d", victim="v", attack="pwws", label=1, original=("x",), adversarial=("y",),
                   status=status, original_probs=None, adversarial_probs=None, queries=queries, forwards=1, seconds=0.0,
                   seed=0)


def test_a_curriculum_starts_with_what_was_found_quickly():
    attempts = [attempt(0, 50), attempt(1, 10), attempt(2, 5, "failed"), attempt(3, 30), attempt(4, 10), attempt(5, 99)]
    kept = [[a.id for a in easiest(attempts, number, 3)] for number in (1, 2, 3)]
    assert kept == [["1", "4"], ["0", "1", "3", "4"], ["0", "1", "3", "4", "5"]]
    assert easiest([], 1, 3) == [] and easiest([attempt(0, 1)], 1, 3) == [attempt(0, 1)]
