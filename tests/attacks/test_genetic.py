from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from hardtext import text
from hardtext.attacks import genetic
from hardtext.attacks.base import Target
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.genetic import Genetic
from hardtext.attacks.requests import Propose, Score, Similar
from hardtext.core import InputError


@pytest.fixture
def neighbours(monkeypatch):
    """A dict that stands for the vectors: word → [(neighbour, cosine), …]."""
    table = {}

    class Vectors:
        threshold = 0.5

        def neighbours(self, word, k):
            return table.get(word, [])[:k]

    monkeypatch.setattr(genetic, "load_vectors", lambda source: Vectors())
    return table


def asked(requests):
    return [t for r in requests if isinstance(r, Score) for t in r.texts]


def finish(generator, cosine=1.0):
    """The value of a generator that asks for nothing but similarities."""
    try:
        request = next(generator)
        while True:
            assert isinstance(request, Similar)
            request = generator.send(np.full(len(request.pairs), cosine))
    except StopIteration as end:
        return end.value


TEN = "Bad law hurts people, says minister about city budget plan."


def test_the_papers_figures(neighbours, play):
    """8 nearest within a squared distance of 0.5 (cosine 0.75), of which the language model keeps 4; 60 members."""
    names = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    neighbours["bad"] = [(n, 0.9) for n in names]
    neighbours["law"] = [("rule", 0.75), ("act", 0.74)]
    candidates = {"Bad": [(["eight", "nine", "the", "seven", "six", "five", "four"], [1] * 7)], "law": [(["act"], [1])]}
    result, requests = play(Genetic(generations=1), TEN, lambda t: 0.9, candidates)
    assert result is None
    assert sorted(asked(requests)) == sorted(
        [(TEN.replace("Bad", n),) for n in ["Eight", "Seven", "Six", "Five"]] + [(TEN.replace("law", "rule"),)])


def test_the_distance_is_rescaled_with_the_vectors_own_threshold(neighbours, play, monkeypatch):
    neighbours["law"] = [("rule", 0.8), ("act", 0.7)]
    vectors = genetic.load_vectors("bundled")
    for threshold, kept in ((0.4, ["rule", "act"]), (0.5, ["rule"]), (0.7, [])):
        monkeypatch.setattr(type(vectors), "threshold", threshold)
        _, requests = play(Genetic(generations=1), TEN, lambda t: 0.9, {"law": []})
        assert asked(requests) == [(TEN.replace("law", new),) for new in kept]


def test_neighbours_that_the_language_model_does_not_name_come_last_the_nearest_first():
    assert genetic._fitting(["Aa", "bb", "cc", "dd", "ee"], [(["ee", "zz", "bb"], None)]) == ["ee", "bb", "Aa", "cc"]
    assert genetic._fitting(["aa", "bb", "cc", "dd", "ee"], []) == ["aa", "bb", "cc", "dd"]


def test_one_pass_a_segment_and_only_for_words_with_neighbours(neighbours, play):
    neighbours["law"] = [("rule", 0.9)]
    _, requests = play(Genetic(generations=1), ("the law of law", "a tax"), lambda t: 0.9, {"law": []})
    assert [r for r in requests if isinstance(r, Propose)] == [
        Propose(("the", "law", "of", "law"), genetic.RANKED, (1, 3), True)]


def test_the_first_text_that_moves_the_prediction_is_the_result(neighbours, play):
    neighbours["law"] = [("rule", 0.9), ("act", 0.9), ("bill", 0.9)]
    result, requests = play(Genetic(), TEN, lambda t: 0.4 if "act" in t[0].split() else 0.9, {"law": []})
    assert result == (TEN.replace("law", "act"),)
    assert isinstance(requests[-1], Score) and requests[-1].until_flip == 0


def test_two_words_are_found_by_breeding_and_nothing_is_asked_twice(neighbours, play):
    """Only both changes together flip; each alone helps, and wrong ones hurt."""
    neighbours.update({w: [(f"{w}x", 0.9), (f"{w}y", 0.9), (f"{w}z", 0.9)]
                       for w in text.match_case(TEN, "x").lower().replace(",", "").replace(".", "").split()})

    def probability(t):
        good, wrong = ("lawy" in t[0]) + ("planx" in t[0]), sum(x in t[0] for x in ("lawx", "cityx", "saysx"))
        return 0.9 - 0.25 * good + 0.02 * wrong

    result, requests = play(Genetic(), TEN, probability, {w.text: [] for w in text.words(TEN)})
    assert result == (TEN.replace("law", "lawy").replace("plan", "planx"),)
    texts = asked(requests)
    assert len(texts) == len(set(texts)) and (TEN,) not in texts


def test_at_most_a_fifth_of_the_words_change(neighbours, play):
    neighbours.update({w.lower(): [(w.lower() + "x", 0.9)] for w in "Bad law hurts people says minister".split()})
    none = {w.text: [] for w in text.words(TEN)}
    for share, most in ((None, 2), (0.1, 1), (0.5, 5)):
        attack = Genetic(population=8, generations=12, constraints=Constraints(max_changed=share))
        _, requests = play(attack, TEN, lambda t: 0.9 - 0.01 * t[0].count("x"), none)
        assert max(t[0].count("x") for t in asked(requests)) == most


class Watched(random.Random):
    """Keeps every draw of several at once: (from what, with which chances, how many)."""

    def __init__(self, seed):
        super().__init__(seed)
        self.draws = []

    def choices(self, population, weights=None, *, k=1):
        if k > 1:
            self.draws.append((population, weights, k))
        return super().choices(population, weights, k=k)


def test_the_best_member_stays_and_parents_are_drawn_by_what_they_gained(neighbours):
    neighbours.update({"law": [("lawx", 0.9)], "city": [("cityx", 0.9)], "plan": [("planx", 0.9)]})
    worth = {"lawx": 0.1, "cityx": 0.2, "planx": 0.05}
    rng = Watched(0)
    target = Target((TEN,), np.array([0.9, 0.1]), rng)
    attack = Genetic(population=5, generations=6)
    steps = attack.steps(target)
    request = next(steps)
    try:
        while True:
            if isinstance(request, Propose):
                request = steps.send([[] for _ in request.words])
            else:
                left = [0.9 - sum(w for word, w in worth.items() if word in t[0]) for t in request.texts]
                request = steps.send(np.array([[p, 1 - p] for p in left]))
    except StopIteration:
        pass
    gains = [[0.1 + sum(worth[new] for new in m.values()) for m in members] for members, _, _ in rng.draws]
    assert len(rng.draws) == 6
    for generation, (members, chances, k) in enumerate(rng.draws):
        assert (len(members), k) == (5, 8)
        assert chances == pytest.approx(gains[generation], abs=1e-6)
        if generation:
            assert gains[generation][0] == max(gains[generation - 1])


def pool(sizes, limit=2, cosine=None, seed=0):
    """Words a, b, c… with as many neighbours as ``sizes`` says."""
    segments = (" ".join("abcdefghij"[:len(sizes)]),)
    words = text.words(segments)
    rules = Constraints(max_changed=limit / len(sizes), similarity=cosine)
    target = Target(segments, np.array([0.9, 0.1]), random.Random(seed))
    candidates = {w: [f"{w.text}{n}" for n in range(min(4, size))] for w, size in zip(words, sizes, strict=True)}
    return words, genetic._Pool(candidates, dict(zip(words, sizes, strict=True)), rules, target)


def test_a_word_is_drawn_in_proportion_to_its_neighbours():
    words, many = pool([8, 1, 1])
    drawn = Counter(next(iter(change)).text for _ in range(2000) for change in finish(many.mutations({}))[:1])
    assert drawn["a"] == pytest.approx(1600, abs=80)
    assert drawn["b"] == pytest.approx(200, abs=60)


def test_an_unchanged_word_is_drawn_until_the_limit_is_reached():
    (a, b, c), few = pool([3, 3, 1])
    for _ in range(20):
        assert {w for change in finish(few.mutations({a: "a0"})) for w in change} <= {a, b, c}
        assert all(change[a] == "a0" and len(change) == 2 for change in finish(few.mutations({a: "a0"})))
        full = finish(few.mutations({a: "a0", b: "b0"}))
        assert len(full) == 2 and all(set(change) == {a, b} for change in full)
        assert {a: "a0", b: "b0"} not in full


def test_crossing_takes_each_word_from_either_parent():
    (a, b, c), words = pool([1, 1, 1], limit=3)
    seen = {genetic._key(finish(words.cross({a: "a0", b: "b0"}, {b: "b1", c: "c0"}))) for _ in range(200)}
    expected = {frozenset((w, n) for w, n in zip((a, b, c), (x, y, z)) if n)
                for x in ("a0", None) for y in ("b0", "b1") for z in ("c0", None)}
    assert seen == expected


def test_crossing_keeps_the_limit_and_the_similarity():
    (a, b, c), words = pool([1, 1, 1], limit=1)
    assert {len(finish(words.cross({a: "a0"}, {b: "b0"}))) for _ in range(50)} == {0, 1}
    (a, b, c), alike = pool([1, 1, 1], limit=3, cosine=0.8)
    first = {a: "a0"}
    assert all(finish(alike.cross(first, {b: "b0"}), cosine=0.7) in ({}, first) for _ in range(30))
    assert {a: "a0", b: "b0"} in [finish(alike.cross(first, {b: "b0"}), cosine=0.9) for _ in range(30)]
    assert finish(alike.mutations({}), cosine=0.7) == []


def test_a_victim_certain_to_the_last_digit_is_no_error(neighbours, play):
    neighbours["law"] = [("rule", 0.9)]
    for variant in ("hardtext", "published"):
        assert play(Genetic(variant=variant, generations=3), TEN, lambda t: 1.0, {"law": []})[0] is None


def test_nothing_to_change(neighbours, play):
    assert play(Genetic(), TEN, lambda t: 0.9) == (None, [])


def test_stand_ins():
    assert len(Genetic().stand_ins()) == 2 and len(Genetic(vectors="mine.txt").stand_ins()) == 1
    assert Genetic(variant="published").stand_ins() == []


# ---- published

@pytest.fixture
def synonyms(monkeypatch):
    table = {}
    monkeypatch.setattr(genetic, "synonyms", lambda token: table.get(token, []))
    return table


def test_the_published_variant_asks_as_openattack_does(synonyms, play):
    """A generation asks every synonym and the child itself of each new member, and then the whole population."""
    synonyms["bad"] = ["poor", "evil"]
    result, requests = play(Genetic(variant="published", population=3, generations=2), "A Bad law!", lambda t: 0.9)
    assert result is None
    assert [len(r.texts) for r in requests] == [3 * 3, 3, 2 * 3, 3]
    assert list(requests[0].texts[:3]) == [("a poor law !",), ("a evil law !",), ("a bad law !",)]
    assert all(r.until_flip is None for r in requests)


def test_the_published_population_opens_with_the_fittest_of_the_one_before(synonyms, play):
    synonyms.update({w: [w + "x", w + "y"] for w in ("law", "people", "city", "plan")})
    worth = {"lawx": 0.05, "peopley": 0.1, "cityx": 0.15, "plany": 0.01}

    def probability(t):
        return 0.9 - sum(w for word, w in worth.items() if word in t[0])

    for seed in range(5):
        _, requests = play(Genetic(variant="published", population=6, generations=4), TEN, probability, seed=seed)
        populations = [list(r.texts) for r in requests[1::2]]
        assert [len(p) for p in populations] == [6] * 4
        assert all(new[0] == min(old, key=probability) for old, new in zip(populations, populations[1:]))


def test_the_published_variant_draws_an_unchanged_place_while_there_is_one(synonyms, play):
    """"law" has nearly all synonyms, so it is drawn first; a child that has it changed gets "plan" next."""
    synonyms.update({"law": [f"law{n}" for n in range(50)], "plan": ["planx"]})
    _, requests = play(Genetic(variant="published", population=3, generations=2), "law plan",
                       lambda t: 0.9 - 0.1 * ("law0" in t[0]))
    assert set(requests[1].texts) == {("law0 plan",)}
    assert list(requests[2].texts) == [("law0 planx",), ("law0 plan",)] * 2


def test_the_published_defaults(synonyms, play):
    synonyms["bad"] = ["poor"]
    _, requests = play(Genetic(variant="published"), "A Bad law!", lambda t: 0.9)
    assert [len(r.texts) for r in requests] == [40, 20] + [38, 20] * 19


def test_the_published_variant_knows_no_limit(synonyms, play):
    synonyms.update({w: [w + "x"] for w in "bad law hurts people minister city budget plan".split()})
    _, requests = play(Genetic(variant="published"), TEN, lambda t: 0.9 - 0.03 * t[0].count("x"))
    assert max(t[0].count("x") for t in asked(requests)) == 8


def test_the_published_variant_returns_the_fittest_of_a_population_that_moves(synonyms, play):
    synonyms["bad"] = ["poor", "evil"]
    scores = {"a bad law !": 0.9, "a poor law !": 0.4, "a evil law !": 0.2, "A Bad law!": 0.9}
    result, requests = play(Genetic(variant="published", population=2), "A Bad law!", lambda t: scores[t[0]])
    assert result == ("a evil law !",)
    assert len(requests) == 2


def test_the_published_variant_keeps_the_separator_of_a_pair(synonyms, play):
    synonyms.update({"bad": ["poor"], "~": ["tilde"], "have": ["own"]})
    result, requests = play(Genetic(variant="published"), ("I have ~ law", "Bad."),
                            lambda t: 0.4 if "poor" in t[1] else 0.9)
    assert result == ("i have ~ law", "poor .")
    assert {t[0] for r in requests for t in r.texts} == {"i have ~ law"}  # neither "~" nor a kept word is replaced


def test_a_child_that_no_synonym_helps_stays_as_it_is():
    assert genetic._strongest(np.array([0.5, 0.4, 0.45])) == 1
    assert genetic._strongest(np.array([0.5, 0.4, 0.4 + 5e-7])) == -1
    assert genetic._strongest(np.array([0.9])) == -1


@pytest.mark.parametrize(("settings", "message"), [
    ({"variant": "paper"}, "attack.variant=paper: expected one of hardtext, published"),
    ({"population": 1}, "attack.population=1: expected at least 2"),
    ({"generations": 0}, "attack.generations=0: expected at least 1"),
    ({"variant": "published", "vectors": "x.txt"}, "attack.vectors=x.txt: attack.variant=published does not use it"),
    ({"variant": "published", "constraints": Constraints(max_changed=0.5)}, "attack.constraints.max_changed=0.5"),
])
def test_settings_are_checked(settings, message):
    with pytest.raises(InputError, match=message):
        Genetic(**settings)
