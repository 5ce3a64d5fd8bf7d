"""The draw: seeded, stratified, blind."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.core import Attempt, InputError
from hardtext.reporting.annotation.draw import allocate, draw, system_names
from hardtext.scoring.summary import NO_SUMMARY


def attempt(key, attack="pwws", domain="pr", victim="bert", status="success", text="an original text"):
    adversarial = (text + " changed",) if status == "success" else None
    return Attempt(id=str(key), domain=domain, victim=victim, attack=attack, label=1, original=(text,),
                   adversarial=adversarial, status=status, original_probs=None, adversarial_probs=None, queries=1,
                   forwards=1, seconds=0.0, seed=0)


def run(size, **fields):
    return [attempt(n, **fields) for n in range(size)]


def test_each_system_gives_its_share_of_each_stratum():
    systems = {"pwws": run(300) + run(100, victim="bilstm") + run(50, status="failed"), "bae": run(7, attack="bae")}
    drawn = draw(systems, 100, seed=0)
    assert Counter((task.system, task.victim) for task in drawn) == {
        ("pwws", "bert"): 75, ("pwws", "bilstm"): 25, ("bae", "bert"): 7}


def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_rows_or_files():
    systems = {"pwws": run(60), "bae": run(60, attack="bae")}
    turned = {name: rows[::-1] for name, rows in reversed(systems.items())}
    assert draw(systems, 10, seed=3) == draw(turned, 10, seed=3)
    assert draw(systems, 10, seed=3) != draw(systems, 10, seed=4)


def test_neither_the_id_nor_the_order_tells_the_system():
    drawn = draw({"pwws": run(60), "turquaz": run(60, attack="turquaz")}, 50, seed=0)
    order = [task.system for task in drawn]
    assert len({task.id for task in drawn}) == 100
    assert not any(system in task.id for task in drawn for system in order)
    assert 20 < sum(a != b for a, b in zip(order, order[1:])) < 80  # a sorted list changes once, alternation 99 times


def test_pairs_are_joined():
    pair = attempt(1)
    pair.original, pair.adversarial = ("evidence", "claim"), ("evidence", "c1aim")
    task = draw({"pwws": [pair]}, 5, seed=0)[0]
    assert (task.original, task.adversarial, task.attempt) == ("evidence ~ claim", "evidence ~ c1aim", "1")


def test_runs_of_one_attack_are_one_system_unless_they_attack_the_same_victim_twice():
    a, b, c = (Path(f"runs/attack/pr/bert/{name}/attempts.jsonl") for name in ("seed=0", "seed=1", "seed=2"))
    assert system_names({a: run(1), b: run(1, victim="bilstm")}) == {a: "pwws", b: "pwws"}
    assert system_names({a: run(1), b: run(1), c: run(1, attack="bae")}) == {
        a: "pwws (seed=0)", b: "pwws (seed=1)", c: "bae"}
    assert system_names({a: run(1), b: run(1)}, {b: "masked LM: tiny"}) == {a: "pwws (seed=0)", b: "pwws (seed=1, stand-in)"}
    assert system_names({a: run(1), b: run(1, victim="bilstm")}, {b: "domain: sample"}) == {a: "pwws", b: "pwws (stand-in)"}
    assert system_names({a: run(1), b: run(1, victim="bilstm")}, {b: NO_SUMMARY}) == {a: "pwws", b: "pwws (no summary)"}
    with pytest.raises(InputError, match="holds attempts of pwws and bae"):
        system_names({a: run(1) + run(1, attack="bae")})
    with pytest.raises(InputError, match="same name"):
        system_names({a: run(1), Path("elsewhere/seed=0/attempts.jsonl"): run(1)})


@pytest.mark.parametrize(("systems", "per_system", "words"), [
    ({"pwws": run(3, status="failed")}, 5, "no success"), ({"pwws": run(3)}, 0, "per_system=0")])
def test_nothing_to_draw_is_refused(systems, per_system, words):
    with pytest.raises(InputError, match=words):
        draw(systems, per_system, seed=0)


@given(st.lists(st.integers(0, 500), min_size=1), st.integers(1, 300))
def test_places_are_proportional_and_never_more_than_there_are(sizes, total):
    shares = allocate(sizes, total)
    assert sum(shares) == min(total, sum(sizes))
    assert all(share <= size for share, size in zip(shares, sizes))
    if sum(sizes) > total:
        assert all(abs(share - size * total / sum(sizes)) < 1 for share, size in zip(shares, sizes))
