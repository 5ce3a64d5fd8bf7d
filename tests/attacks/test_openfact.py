from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from hardtext.attacks import openfact
from hardtext.attacks.base import Target
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.exhaustive import Bounds, exhaustive, kind
from hardtext.attacks.openfact import OpenFact
from hardtext.attacks.requests import Credit, Meaning, Propose, Score, Similar
from hardtext.core import InputError


def solve(steps_of, segments, probability, candidates=None, semantic=lambda text: 1.0, cosine=1.0, seed=0):
    """Run ``steps_of(target)`` by hand: (result, requests). ``probability(text)`` is that of class 0 of two."""
    def rows(texts):
        return np.array([[probability(t), 1 - probability(t)] for t in texts]).reshape(-1, 2)

    target = Target(segments, rows([segments])[0], random.Random(seed))
    steps, requests, answer = steps_of(target), [], None
    try:
        while True:
            request = steps.send(answer)
            requests.append(request)
            if isinstance(request, Score):
                answer = rows(request.texts)
                if request.until_flip is not None:
                    flips = np.flatnonzero(answer[:, 1] > 0.5)
                    answer = answer[:flips[0] + 1] if flips.size else answer
            elif isinstance(request, Propose):
                answer = [[(candidates.get(w, []), None)] if i in request.wanted and w in candidates else []
                          for i, w in enumerate(request.words)]
            elif isinstance(request, Credit):
                answer = True
            elif isinstance(request, Similar):
                answer = np.full(len(request.pairs), cosine)
            else:
                assert isinstance(request, Meaning)
                answer = np.array([semantic(t) for t in request.texts])
    except StopIteration as end:
        return end.value, requests


def asked(requests):
    return [[t[0] for t in r.texts] for r in requests if isinstance(r, Score)]


# ---- BERT-ATTACK with exhaustive choice of the place

def search(rules=None, **bounds):
    bounds = {"k": 12, "places": 60, "changes": 7, **bounds}
    return lambda target: exhaustive(target, rules or Constraints(stop_words=True), Bounds(**bounds))


CANDIDATES = {"tax": ["levy", "toll"], "law": ["rule"], "bad": ["poor"]}


def test_every_place_is_tried_and_the_best_replacement_anywhere_is_made():
    drop = {"levy": 0.05, "toll": 0.02, "rule": 0.1, "Poor": 0.01}
    result, requests = solve(search(), ("Bad tax law",), lambda t: 0.9 - sum(d for w, d in drop.items() if w in t[0]),
                             {**CANDIDATES, "Bad": ["poor"]})
    assert result is None
    assert asked(requests) == [
        ["Poor tax law", "Bad levy law", "Bad toll law", "Bad tax rule"],
        ["Poor tax rule", "Bad levy rule", "Bad toll rule"],
        ["Poor levy rule"],
    ]


def test_the_search_stops_where_nothing_helps_and_after_so_many_changes():
    _, requests = solve(search(), ("tax law",), lambda t: 0.9, CANDIDATES)
    assert asked(requests) == [["levy law", "toll law", "tax rule"]]
    segments = (" ".join("x" + w for w in "abcdefghi"),)
    falling = {w: ["new" + w] for w in segments[0].split()}
    _, requests = solve(search(), segments, lambda t: 0.9 - 0.01 * t[0].count("new"), falling)
    assert [len(texts) for texts in asked(requests)] == [9, 8, 7, 6, 5, 4, 3]
    _, requests = solve(search(changes=2), segments, lambda t: 0.9 - 0.01 * t[0].count("new"), falling)
    assert [len(texts) for texts in asked(requests)] == [9, 8]


def test_of_the_flips_of_a_step_the_best_by_meaning_and_characters_is_the_result():
    def probability(text):
        return 0.9 if text[0] in ("tax law", "levy law") else 0.1

    result, _ = solve(search(), ("tax law",), probability, CANDIDATES)
    assert result == ("toll law",)  # three of eight characters; "tax rule" changes four
    result, _ = solve(search(), ("tax law",), probability, CANDIDATES, semantic=lambda t: 0.2 + 0.8 * ("rule" in t[0]))
    assert result == ("tax rule",)


def test_figures_and_marks_come_last_and_are_replaced_by_their_kind():
    candidates = {"law": ["rule", "7", "!"], "1917": ["1918", "year", ","], "!": [".", "wow", "~"], "the": ["a"]}
    result, requests = solve(search(), ("the law of 1917!",), lambda t: 0.9, candidates)
    assert result is None
    assert asked(requests) == [["the rule of 1917!"], ["the law of 1918!", "the law of 1917."]]
    result, _ = solve(search(), ("the law of 1917!",), lambda t: 0.1 if "1918" in t[0] else 0.9, candidates)
    assert result == ("the law of 1918!",)


def test_marks_go_on_top_of_the_words():
    result, requests = solve(search(), ("law!",), lambda t: 0.9 - 0.2 * ("rule" in t[0]) - 0.3 * ("." in t[0]),
                             {"law": ["rule"], "!": ["."]})
    assert result == ("rule.",)
    assert asked(requests) == [["rule!"], ["rule."]]


@pytest.mark.parametrize(("word", "expected"), [
    ("tax", "word"), ("the", ""), ("x", ""), ("[UNK]", ""), ("##s", ""), ("1917", "figure"), ("3.5", ""), ("!", "mark"),
    ("~", ""), ("_", ""), ("", ""), ("🔥", "mark"), ("don't", "")])
def test_kinds(word, expected):
    assert kind(word) == expected


def test_only_the_most_important_places_of_a_long_text_are_tried():
    words = [f"z{c}" for c in "abcdef"]
    candidates = {w: [w + "x"] for w in words}
    worth = {"zd": 0.1, "zb": 0.05}
    _, requests = solve(search(places=2), (" ".join(words),),
                        lambda t: 0.5 + sum(p for w, p in worth.items() if w in t[0].split()), candidates)
    scores = [r for r in requests if isinstance(r, Score)]
    assert scores[0].probe and len(scores[0].texts) == 6 and not scores[1].probe
    assert asked(requests)[1] == ["za zb zc zdx ze zf", "za zbx zc zd ze zf"]


def test_the_rules_of_the_user_hold():
    segments = ("tax law of 1917",)
    candidates = {**CANDIDATES, "1917": ["1918"]}
    _, requests = solve(search(Constraints(stop_words=True, protect=["numbers"], protect_pattern="tax")), segments,
                        lambda t: 0.9, candidates)
    assert asked(requests) == [["tax rule of 1917"]]
    _, requests = solve(search(Constraints(similarity=0.9)), segments, lambda t: 0.9, candidates, cosine=0.8)
    assert asked(requests) == []
    _, requests = solve(search(Constraints(max_changed=0.3)), ("tax law bad",),
                        lambda t: 0.9 - 0.1 * ("rule" in t[0]), CANDIDATES)
    assert len(asked(requests)) == 1


# ---- ensembles

def member(found, draws=0, log=None, name=""):
    """Stands for an attack: draws so many numbers, asks one query, finds ``found``."""
    def steps(target, *_):
        drawn = [target.rng.random() for _ in range(draws)]
        if log is not None:
            log.append((name, drawn))
        yield Score([target.segments])
        return found

    return steps


class Settings:
    """A member that is made with settings: keeps them and runs ``steps``."""

    def __init__(self, steps, name):
        self.run, self.name, self.given = steps, name, None

    def stand_ins(self):
        return ["shared", self.name]

    def __call__(self, **given):
        self.given = given
        return self

    def steps(self, target):
        return self.run(target)


@pytest.fixture
def members(monkeypatch):
    """Puts stand-ins in the members' places; those not named find nothing."""
    def put(**steps):
        steps = {name: steps.get(name, member(None)) for name in ("exhaustive", "swaps", "Genetic", "TextFooler", "CLARE")}
        monkeypatch.setattr(openfact, "exhaustive", steps["exhaustive"])
        monkeypatch.setattr(OpenFact, "_swaps", lambda self, target: steps["swaps"](target))
        made = {name: Settings(steps[name], name) for name in ("Genetic", "TextFooler", "CLARE")}
        for name, stand_in in made.items():
            monkeypatch.setattr(openfact, name, stand_in)
        return made

    return put


def attack(segments=("a bad tax",), semantic=lambda text: 1.0, **settings):
    return solve(OpenFact(**settings).steps, segments, lambda t: 0.9, semantic=semantic)


def test_the_second_member_runs_only_where_the_first_fails(members):
    log = []
    members(exhaustive=member(("x",), log=log, name="first"), Genetic=member(("y",), log=log, name="second"))
    assert attack(variant="bert_genetic")[0] == ("x",)
    assert [name for name, _ in log] == ["first"]
    members(Genetic=member(("y",)), TextFooler=member(("z",)), CLARE=member(("c",)))
    assert attack(variant="bert_genetic")[0] == ("y",)
    assert attack(variant="swap_textfooler")[0] == ("z",)
    assert attack(variant="clare")[0] == ("c",)
    members()
    assert attack(variant="bert_genetic")[0] is None


def test_all_keeps_the_best_by_meaning_and_characters(members):
    members(swaps=member(("a bad levy",)), Genetic=member(("a bad tan",)), CLARE=member(("a poor tax",)))
    assert attack()[0] == ("a bad tan",)
    assert attack(semantic=lambda t: 0.1 + 0.9 * ("poor" in t[0]))[0] == ("a poor tax",)
    members()
    result, requests = attack()
    assert result is None and not any(isinstance(r, Meaning) for r in requests)


def test_members_get_the_settings(members):
    made = members()
    rules = Constraints(max_changed=0.1)
    attack(masked_lm="bundled:tiny", vectors="mine.txt", constraints=rules)
    assert made["Genetic"].given == {"masked_lm": "bundled:tiny", "vectors": "mine.txt", "constraints": rules}
    assert made["TextFooler"].given == {"vectors": "mine.txt", "constraints": rules}
    assert made["CLARE"].given == {"masked_lm": "bundled:tiny", "constraints": rules}


def test_what_one_ensemble_draws_does_not_shift_the_next(members):
    def genetic_draws(before):
        log = []
        members(swaps=member(None, draws=before), Genetic=member(None, draws=3, log=log), CLARE=member(None))
        attack()
        return log

    [(_, drawn)] = genetic_draws(0)
    assert len(drawn) == 3
    assert genetic_draws(5) == [("", drawn)]


def test_what_was_found_is_not_lost_to_the_limit_of_queries(members):
    """With nothing in hand the engine's limit ends the attempt; with something, what would exceed it is not asked."""
    def costly(target, *_):
        yield Score([target.segments] * 10)
        return ("a bad tan",)

    members(swaps=member(("a poor tax",)), exhaustive=costly)

    def asked(limit):
        def steps(target):
            return OpenFact().steps(replace(target, max_queries=limit))

        result, requests = solve(steps, ("a bad tax",), lambda t: 0.9)
        return result, sum(len(r.texts) for r in requests if isinstance(r, Score))

    assert asked(None) == (("a bad tan",), 12)  # CLARE asked once too
    assert asked(12) == (("a poor tax",), 2)
    assert asked(13) == (("a bad tan",), 11)
    members(exhaustive=costly)
    assert asked(5)[1] >= 12  # all through to the engine, which stops it


def test_stand_ins_are_those_of_the_members(members):
    members()
    assert OpenFact(semantic="bleurt").stand_ins() == ["shared", "TextFooler", "Genetic", "CLARE"]
    assert OpenFact(semantic="bleurt", variant="clare").stand_ins() == ["shared", "CLARE"]


def test_swaps_try_the_neighbours_of_the_most_important_words(monkeypatch):
    table = {"bad": [("poor", 0.9), ("good", 0.5), ("law", 0.4)], "tax": [("levy", 0.9), ("the", 0.8)]}

    class Vectors:
        threshold = 0.5

        def neighbours(self, word, k):
            return table.get(word, [])[:k]

    monkeypatch.setattr(openfact, "load_vectors", lambda source: Vectors())
    swaps = OpenFact()._swaps
    result, requests = solve(swaps, ("A Bad tax!",), lambda t: 0.9 - 0.1 * ("tax" not in t[0]) - 0.2 * ("Poor" in t[0]))
    assert result is None
    assert asked(requests) == [["A [UNK] tax!", "A Bad [UNK]!"], ["A Bad levy!"], ["A Poor levy!", "A Good levy!"]]
    result, requests = solve(OpenFact(places=1)._swaps, ("A Bad tax!",), lambda t: 0.9 - 0.1 * ("tax" not in t[0]))
    assert asked(requests)[1:] == [["A Bad levy!"]]
    assert solve(swaps, ("the city",), lambda t: 0.9) == (None, [])


@pytest.mark.parametrize(("settings", "message"), [
    ({"variant": "bert"}, "attack.variant=bert: expected one of all, swap_textfooler, bert_genetic, clare"),
    ({"k": 0}, "attack.k=0: expected at least 1"),
    ({"changes": 0}, "attack.changes=0: expected at least 1"),
    ({"semantic": "none"}, "attack.semantic=none: expected one of minilm, bleurt"),
    ({"constraints": Constraints(part_of_speech=True)}, "attack.constraints.part_of_speech=True: CLARE"),
])
def test_settings_are_checked(settings, message):
    with pytest.raises(InputError, match=message):
        OpenFact(**settings)


def test_a_rule_that_clare_has_not_may_be_given_to_the_others():
    assert OpenFact(variant="bert_genetic", constraints=Constraints(part_of_speech=True)).name == "openfact"
