from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hardtext import seeding
from hardtext.attacks import Attack, DeepWordBug, ties
from hardtext.attacks.base import Target, choose
from hardtext.attacks.engine import SEPARATOR_BROKEN, run
from hardtext.attacks.requests import Fill, LazyTexts, Meaning, Propose, Score, Similar, around
from hardtext.attacks.services import Stats
from hardtext.attacks.victim_service import CALL_CHARACTERS, ROUND_TEXTS, Cache, digest
from hardtext.core import Example, InputError


def example(text, id="1"):
    return Example(id=id, segments=text, label=0)


def attempts(attack, victim, examples, **options):
    """By id, without what may differ between two runs of the same thing."""
    options = {"domain": "d", "seed": 3, **options}
    return {a.id: replace(a, seconds=0) for a in run(attack, victim, examples, **options)}


@dataclass
class Scripted(Attack):
    """An attack given as a function from the target to a generator."""

    name: str = "scripted"
    script: object = None

    def steps(self, target):
        return self.script(target)


# ---- the same result as asking one by one

def sequentially(attack, victim, item, others, seed=3):
    """What ``run`` must give, written out for one example without any of the engine's machinery:
    (adversarial, status, queries)."""
    queries = 0

    def ask(text):
        nonlocal queries
        queries += 1
        return victim.probabilities([text])[0]

    def answer(request):
        if not isinstance(request, Score):
            return others(request)
        rows = []
        for text in request.texts:
            rows.append(ask(text))
            if request.until_flip is not None and ties.moved(rows[-1], request.until_flip):
                break
        return np.array(rows)

    if not any(c.isalnum() for s in item.segments for c in s):
        return None, "skipped", 0
    original = ask(item.segments)
    steps = attack.steps(Target(item.segments, original, seeding.generator(seed, attack.name, item.id)))
    sent = None
    try:
        while True:
            sent = answer(steps.send(sent))
    except StopIteration as end:
        found = end.value
    if found is None or not ties.moved(ask(found), ties.predicted(original)):
        return None, "failed", queries
    broken = " ~ ".join(found).count(" ~ ") != " ~ ".join(item.segments).count(" ~ ") and len(found) == 2
    return (None, "failed", queries) if broken else (found, "success", queries)


WORDS = st.sampled_from("Good bad News vote tax, law war peace! city state lie truth claim report the of no Isn't "
                        "hydroxychloroquine U.S. 3.5% 🔥 ~ a~b\tx ##s \n\n أخبار é́ \ud800".split(" "))
TEXTS = st.lists(WORDS, min_size=0, max_size=9).map(" ".join)
SEGMENTS = st.one_of(st.tuples(TEXTS), st.tuples(TEXTS, TEXTS))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(SEGMENTS, min_size=1, max_size=5), data=st.data())
def test_an_attempt_never_depends_on_how_it_was_run(attack, bag_victim, fakes, answered, texts, data):
    examples = [Example(id=str(i), segments=t, label=0) for i, t in enumerate(texts)]
    expected = {e.id: sequentially(attack, bag_victim(), e, lambda r: answered(r, 12)) for e in examples}
    shuffled = data.draw(st.permutations(examples))
    shuffled += [replace(shuffled[0], id="twin")]  # a duplicate text must change nothing for the others
    found = attempts(attack, bag_victim(), shuffled, **fakes(12),
                     in_flight=data.draw(st.integers(1, 6)), cache=data.draw(st.booleans()),
                     speculate=data.draw(st.integers(1, 9)))
    assert {i: (a.adversarial, a.status, a.queries) for i, a in found.items() if i != "twin"} == expected


def test_forwards_do_not_depend_on_the_other_examples(attack, bag_victim, models):
    """A run that was killed and resumed has other neighbours, and must give the same rows."""
    texts = ["Good news: the state won a war on tax.", "The party said no to peace in our city", "A lie is a lie."]
    examples = [example(t, str(i)) for i, t in enumerate([*texts, texts[0]])]
    together = attempts(attack, bag_victim(), examples, **models)
    alone = {}
    for e in reversed(examples):
        alone |= attempts(attack, bag_victim(), [e], **models, in_flight=1)
    assert together == alone
    assert all(0 < a.forwards for a in together.values())


def test_hash_seed_changes_nothing(tmp_path):
    """Two processes with different string hashes give the same attempts."""
    code = """
import sys, json, importlib.util
spec = importlib.util.spec_from_file_location("fakes", sys.argv[1]); fakes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fakes)
from hardtext.attacks import engine
from hardtext.core import Example
texts = ["Good news, the state won a war on hydroxychloroquine tax.", "The party said no to peace", "A lie is a lie."]
for make in fakes.ATTACKS.values():
    for a in engine.run(make(), fakes.BagVictim(), [Example(str(i), (t,), 0) for i, t in enumerate(texts)], domain="d",
                        seed=1, **fakes.fakes()):
        print(json.dumps({**a.to_row(), "seconds": 0}))
"""
    command = [sys.executable, "-c", code, str(Path(__file__).with_name("conftest.py"))]
    outputs = [subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True,
                              check=True).stdout for seed in ("1", "2")]
    assert outputs[0] == outputs[1]
    assert any(json.loads(line)["status"] == "success" for line in outputs[0].splitlines())


# ---- what is asked, counted and sent

def table_victim(rows, name="table"):
    """A victim whose probability of class 1 is looked up by text (0 where not listed)."""

    class Table:
        classes = ("0", "1")

        def __init__(self):
            self.name, self.calls = name, []

        def probabilities(self, texts):
            self.calls.append([t[0] for t in texts])
            p = np.array([rows.get(t[0], 0.0) for t in texts])
            return np.stack([1 - p, p], axis=1)

    return Table()


def test_until_flip_shows_and_counts_only_what_one_by_one_would_ask():
    seen = []

    def script(target):
        answer = yield Score([("a",), ("b",), ("c",), ("d",), ("e",), ("f",)], until_flip=target.label)
        seen.append(answer)
        return ("c",)

    victim = table_victim({"b": 0.3, "c": 0.9, "d": 0.8})
    [a] = run(Scripted(script=script), victim, [example("x")], domain="d", seed=0)
    np.testing.assert_allclose(seen[0], [[1, 0], [0.7, 0.3], [0.1, 0.9]])
    assert (a.status, a.adversarial, a.queries) == ("success", ("c",), 1 + 3 + 1)
    assert a.forwards == 1 + 6  # the first prediction, parts of 2 and 4; "c" is not sent again for the re-check
    assert victim.calls == [["x"], ["a", "b"], ["c", "d", "e", "f"]]
    assert (a.original_probs, a.adversarial_probs) == ([1.0, 0.0], pytest.approx([0.1, 0.9]))


def test_parts_grow_while_no_flip_comes_and_with_what_was_asked_before():
    def script(target):
        yield Score([(f"a{i}",) for i in range(30)], until_flip=target.label)
        yield Score([(f"b{i}",) for i in range(49)])
        yield Score([(f"c{i}",) for i in range(30)], until_flip=target.label)

    expected = {1: ([1, 2, 4, 8, 15], [5, 10, 15]), 2: ([2, 4, 8, 16], [5, 10, 15]), 16: ([16, 14], [16, 14])}
    for speculate, (first, last) in expected.items():
        victim = table_victim({})
        [a] = run(Scripted(script=script), victim, [example("x")], domain="d", seed=0, speculate=speculate)
        assert [len(c) for c in victim.calls] == [1, *first, 49, *last]
        assert (a.queries, a.status) == (1 + 30 + 49 + 30, "failed")


def test_repeats_are_queries_but_are_sent_once():
    def script(target):
        yield Score([("a",), ("a",), ("x",)])
        answer = yield Score([("a",), ("b",)])
        assert answer.shape == (2, 2)

    for cache, sent in ((True, ["x", "a", "b"]), (False, ["x", "a", "x", "a", "b"])):
        victim = table_victim({})
        [a] = run(Scripted(script=script), victim, [example("x")], domain="d", seed=0, cache=cache)
        assert (a.status, a.queries, a.forwards) == ("failed", 1 + 3 + 2, len(sent))
        assert sum(victim.calls, []) == sent


def test_a_cache_is_shared_between_runs_and_bounded():
    cache = Cache(rows=2)
    victim = table_victim({})

    def script(target):
        yield Score([("a",)])

    attack = Scripted(script=script)
    for _ in range(2):
        list(run(attack, victim, [example("x")], domain="d", seed=0, cache=cache))
    assert sum(victim.calls, []) == ["x", "a"]
    cache.add({b"k": np.zeros(2)})
    assert cache.get(digest(("x",))) is None and cache.get(b"k") is not None


def test_keys_tell_pairs_apart():
    keys = {digest(t) for t in [("ab",), ("a", "b"), ("", "ab"), ("ab", ""), ("1:ab",), ("a ~ b",)]}
    assert len(keys) == 6


def test_many_examples_share_batches(attack, victim, models):
    texts = [f"The state and the party said no to peace in our city number {i}." for i in range(40)]
    stats = Stats()
    found = list(run(attack, victim, [example(t, str(i)) for i, t in enumerate(texts)], domain="d", seed=0,
                     **models, stats=stats))
    assert len(victim.calls[0]) == 40
    assert stats.calls == len(victim.calls) and stats.sent == sum(map(len, victim.calls))
    assert stats.sent / stats.calls > 30
    assert len(found) == 40
    sent = [t for call in victim.calls if len(call) > 1 for t in call]  # the single ones are asked again for the record
    assert len(sent) == len(set(sent))
    assert len(sent) <= sum(a.forwards for a in found)


def test_the_first_requests_of_a_long_text_are_sent_in_parts(victim):
    built = []

    def script(target):
        answer = yield Score(LazyTexts(1000, lambda i: (built.append(i), (f"text {i}",))[1]))
        assert answer.shape == (1000, 2)

    [a] = run(Scripted(script=script), victim, [example("x")], domain="d", seed=0)
    assert (a.queries, a.status) == (1001, "failed")
    assert max(map(len, victim.calls)) == ROUND_TEXTS
    assert built == list(range(1000))


def test_calls_of_the_victim_are_bounded_in_characters(victim):
    texts = ["a" * (CALL_CHARACTERS // 3), "b" * (CALL_CHARACTERS // 2), "c", "d" * (CALL_CHARACTERS // 2)]

    def script(target):
        answer = yield Score([(t,) for t in texts])
        np.testing.assert_array_equal(answer, victim.probabilities([(t,) for t in texts]))

    [a] = run(Scripted(script=script), victim, [example("x")], domain="d", seed=0)
    assert a.error is None
    calls = [sum(len(t[0]) for t in call) for call in victim.calls[1:-1]]
    assert len(calls) == 2 and max(calls) <= CALL_CHARACTERS


def test_deepwordbug_counts_as_published(victim):
    """Tokens + 3 on success: the first prediction, one a token, the edited text, the re-check."""
    texts = ["Good news: the state won a war on tax.", "The party said no to peace in our city", "A lie is a lie."]
    found = attempts(DeepWordBug(variant="bodega"), victim, [example(t, t) for t in texts])
    tokens = {texts[0]: 11, texts[1]: 9, texts[2]: 6}
    assert {a.status for a in found.values()} == {"success", "failed"}
    for text, a in found.items():
        assert a.queries == tokens[text] + (3 if a.status == "success" else 2)


# ---- limits

@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8, 9, 12, 13, 14, 30])
def test_max_queries_is_never_exceeded(limit):
    def script(target):
        yield Score([(f"m{i}",) for i in range(6)])
        yield Score([(f"c{i}",) for i in range(20)], until_flip=target.label)
        return ("c5",)

    victim = table_victim({"c5": 1.0})
    [a] = run(Scripted(script=script), victim, [example("x")], domain="d", seed=0, max_queries=limit)
    full = 1 + 6 + 6 + 1
    assert a.queries == min(limit, full)  # of a list that does not fit, as much is asked as does
    assert a.status == ("success" if limit >= full else "budget")
    assert (a.adversarial is None) == (a.status == "budget")
    assert len(sum(victim.calls, [])) <= limit
    assert a.original_probs == [1.0, 0.0]


def test_max_seconds_ends_an_example_but_not_the_others():
    def script(target):
        for i in range(10_000 if target.segments == ("slow",) else 2):
            yield Score([(f"{target.segments[0]} {i}",)])

    class Slow:
        name, classes = "slow", ("0", "1")

        def probabilities(self, texts):
            time.sleep(0.02 * sum(t[0].startswith("slow") for t in texts))
            return np.tile([1.0, 0.0], (len(texts), 1))

    started = time.perf_counter()
    found = attempts(Scripted(script=script), Slow(), [example("slow", "s"), example("quick", "q")], max_seconds=0.2)
    assert (found["s"].status, found["q"].status) == ("budget", "failed")
    assert 2 <= found["s"].queries < 100
    assert time.perf_counter() - started < 5


def test_seconds_are_shares_of_the_time(victim, models, attack):
    examples = [example(f"The state and the party said no to peace number {i}", str(i)) for i in range(20)]
    started = time.perf_counter()
    total = sum(a.seconds for a in run(attack, victim, examples, domain="d", seed=0, **models))
    passed = time.perf_counter() - started
    assert 0.5 * passed < total <= passed


@pytest.mark.parametrize("options", [{"max_queries": 0}, {"in_flight": 0}, {"speculate": 0}, {"max_seconds": 0}])
def test_impossible_limits_are_refused_at_once(victim, options):
    with pytest.raises(InputError, match=f"{next(iter(options))}=0: expected"):
        run(DeepWordBug(), victim, [], domain="d", seed=0, **options)


# ---- endings

def test_nothing_to_attack_is_skipped_and_the_others_go_on(attack, victim, models):
    texts = ["Good news", "", "   ", "!!!", "🔥", "The state said no"]
    found = attempts(attack, victim, [example(t, str(i)) for i, t in enumerate(texts)], **models)
    skipped = [i for i, a in found.items() if a.status == "skipped"]
    assert sorted(skipped) == ["1", "2", "3", "4"]
    assert all((found[i].queries, found[i].forwards, found[i].original_probs) == (0, 0, None) for i in skipped)
    assert found["0"].queries > 0 and found["5"].queries > 0


def test_an_exception_in_an_attack_is_that_examples_error():
    def script(target):
        yield Score([("a",)])
        if target.segments == ("b 2",):
            raise ValueError("lost the plot")

    found = attempts(Scripted(script=script), table_victim({}), [example(f"b {i}", str(i)) for i in range(5)])
    assert [found[str(i)].status for i in range(5)] == ["failed", "failed", "error", "failed", "failed"]
    assert found["2"].error == "ValueError: lost the plot"
    assert found["2"].queries == 2 and found["2"].original_probs == [1.0, 0.0]
    assert found["1"].error is None


def test_bad_input_found_by_an_attack_ends_the_run():
    """A setting or resource that is wrong is wrong for every example; it is no failed attack."""
    def script(target):
        yield Score([("a",)])
        raise InputError("attack.vectors=x: no such file")

    with pytest.raises(InputError, match="no such file"):
        list(run(Scripted(script=script), table_victim({}), [example("x")], domain="d", seed=0))


@pytest.mark.parametrize("failure", [RuntimeError("out of order"), KeyboardInterrupt()])
def test_a_failing_victim_ends_the_run_and_the_attacks_are_closed(failure):
    closed = []

    def script(target):
        try:
            yield Score([("a",)])
        finally:
            closed.append(target.segments[0])

    class Failing:
        name, classes = "failing", ("0", "1")

        def probabilities(self, texts):
            if texts[0] == ("a",):
                raise failure
            return np.tile([1.0, 0.0], (len(texts), 1))

    with pytest.raises(type(failure)):
        list(run(Scripted(script=script), Failing(), [example("x", "1"), example("y", "2")], domain="d", seed=0))
    assert sorted(closed) == ["x", "y"]


def test_closing_the_run_closes_the_attacks(victim):
    closed = []

    def script(target):
        try:
            for i in range(100 if target.segments == ("long one",) else 1):
                yield Score([(str(i),)])
        finally:
            closed.append(target.segments[0])

    examples = [example("short", "1"), example("long one", "2")]
    running = run(Scripted(script=script), victim, examples, domain="d", seed=0)
    assert next(running).id == "1"
    running.close()
    assert closed == ["short", "long one"]


@pytest.mark.parametrize("answer, words", [
    (lambda n: np.ones(n), r"expected probabilities of shape \(1, 2\)"),
    (lambda n: np.ones((n, 3)), r"got \(1, 3\)"),
    (lambda n: np.full((n, 2), np.nan), "not finite"),
])
def test_a_victim_with_a_wrong_answer_is_refused(answer, words):
    class Wrong:
        name, classes = "wrong", ("0", "1")

        def probabilities(self, texts):
            return answer(len(texts))

    with pytest.raises(InputError, match=words):
        list(run(DeepWordBug(), Wrong(), [example("some text")], domain="d", seed=0))


def test_a_result_that_does_not_hold_is_no_success():
    def unchanged(target):
        yield Score([("b",)])
        return ("b",)

    [a] = run(Scripted(script=unchanged), table_victim({}), [example("x")], domain="d", seed=0)
    assert (a.status, a.adversarial, a.adversarial_probs, a.queries) == ("failed", None, None, 3)


def test_a_result_that_breaks_the_pair_is_no_success(victim):
    def script(target):
        yield Score([("evidence ~ more", "claim")])
        return ("evidence ~ more", "claim")

    class Flips:
        name, classes = "flips", ("0", "1")

        def probabilities(self, texts):
            return np.array([[0.0, 1.0] if "~" in t[0] else [1.0, 0.0] for t in texts])

    [a] = run(Scripted(script=script), Flips(), [example(("evidence", "claim"))], domain="d", seed=0)
    assert (a.status, a.adversarial, a.error) == ("failed", None, SEPARATOR_BROKEN)
    [a] = run(Scripted(script=script), Flips(), [example(("evidence", "claim ~ too"))], domain="d", seed=0)
    assert a.status == "success"  # the original held as many


def test_a_result_with_another_number_of_segments_is_an_error(victim):
    def script(target):
        yield Score([("a",)])
        return ("a", "b")

    [a] = run(Scripted(script=script), victim, [example("x")], domain="d", seed=0)
    assert a.status == "error" and "2 segments for a text of 1" in a.error


def test_a_request_nobody_answers_is_named(victim):
    def script(target):
        yield Propose(("a",), 3, (0,))

    with pytest.raises(TypeError, match="scripted asks for what its settings do not name: masked_lm"):
        list(run(Scripted(script=script), victim, [example("x")], domain="d", seed=0))


def test_the_attack_sees_the_victims_label_and_not_the_gold_one():
    labels = []

    def script(target):
        labels.append(target.label)
        yield Score([("a",)])
        return ("a",)

    victim = table_victim({"wrongly judged": 0.9})
    [a] = run(Scripted(script=script), victim, [example("wrongly judged")], domain="d", seed=0)
    assert labels == [1] and a.label == 0 and a.status == "success"


def test_three_classes(bag_victim, attack, models):
    found = attempts(attack, bag_victim(3), [example(f"The state and the party said no to peace number {i}", str(i))
                                             for i in range(10)], **models)
    for a in found.values():
        if a.status == "success":
            assert np.argmax(a.adversarial_probs) != np.argmax(a.original_probs)
    assert any(a.status == "success" for a in found.values())


def test_an_attack_that_never_finds_anything_to_change_is_said(victim, caplog):
    for texts, said in ((["it is of a", "7 of 9"], True), (["it is of a", "a vote"], False), (["!!!"], False)):
        caplog.clear()
        list(run(DeepWordBug(), victim, [example(t, t) for t in texts], domain="d", seed=0))
        assert ("found nothing to change in any of" in caplog.text) == said


def test_a_request_without_texts_is_answered(victim):
    def script(target):
        for label in (None, 0):
            assert (yield Score([], until_flip=label)).shape == (0, 2)

    [a] = run(Scripted(script=script), victim, [example("x")], domain="d", seed=0)
    assert (a.status, a.error, a.queries) == ("failed", None, 1)


# ---- subsets

def test_a_subset_is_drawn_by_seed_and_keeps_the_order():
    examples = [example("x", str(i)) for i in range(100)]
    first = choose(examples, 10, seed=1)
    assert len(first) == 10
    assert [int(e.id) for e in first] == sorted(int(e.id) for e in first)
    assert first == choose(examples, 10, seed=1) != choose(examples, 10, seed=2)
    assert choose(examples, None, 0) == choose(examples, 1000, 0) == examples


# ---- ties, repeats, what is kept aside

class Constant:
    """Answers from a function of the joined text; ``calls`` counts the texts sent."""

    classes = ("0", "1")

    def __init__(self, probability, name="constant"):
        self.name, self._probability, self.calls = name, probability, 0

    def probabilities(self, texts):
        self.calls += len(texts)
        first = np.array([self._probability(" ~ ".join(t)) for t in texts], float)
        return np.stack([first, 1 - first], axis=1)


def test_a_margin_within_float_noise_is_no_flip():
    def script(target):
        rows = yield Score([("b",), ("c",), ("d",)], until_flip=target.label)
        assert len(rows) == 3
        return ("d",)

    values = {"a": 0.9, "b": 0.5 - 2e-7, "c": 0.5 + 2e-7, "d": 0.4}
    [a] = run(Scripted(script=script), Constant(values.get), [example("a")], domain="d", seed=0)
    assert (a.status, a.adversarial, a.queries) == ("success", ("d",), 5)


def test_the_best_text_so_far_is_kept_aside_on_budget():
    def script(target):
        yield Score([("masked",)], probe=True)
        yield Score([("b",), ("c",), ("d",)], until_flip=target.label)
        yield Score([("e",)] * 9)

    values = {"a": 0.9, "masked": 0.6, "b": 0.8, "c": 0.7, "d": 0.75, "e": 0.0}
    [a] = run(Scripted(script=script), Constant(values.get), [example("a")], domain="d", seed=0, max_queries=7)
    assert (a.status, a.best, a.queries) == ("budget", ("e",), 7)
    [a] = run(Scripted(script=script), Constant(values.get), [example("a")], domain="d", seed=0, max_queries=5)
    assert (a.status, a.best, a.queries) == ("budget", ("c",), 5)
    assert "best" not in a.to_row()
    [a] = run(Scripted(script=script), Constant(values.get), [example("a")], domain="d", seed=0, max_queries=20)
    assert (a.status, a.best) == ("failed", None)


class Coin(Constant):
    """Says class 1 of a changed text in the queries that ``flips`` says, counted from 0."""

    def __init__(self, flips):
        super().__init__(None)
        self._flips, self._asked = flips, 0

    def probabilities(self, texts):
        rows = []
        for t in texts:
            changed = t != ("good",)
            one = changed and self._flips(self._asked)
            self._asked += changed
            rows.append([0.1, 0.9] if one else [0.8, 0.2])
        self.calls += len(texts)
        return np.array(rows)


@pytest.mark.parametrize("flips, status, error", [
    (lambda n: n % 3 != 2, "success", None),  # of the five repeats, asked after the first, three flip
    (lambda n: n in (0, 1), "failed", "flipped once but not in most repeats: 1 of 5"),
    (lambda n: n == 0, "failed", None),  # not even the first repeat: an ordinary failure
], ids=["most", "first only", "none"])
def test_a_victim_that_answers_by_chance_needs_most_repeats(flips, status, error):
    def script(target):
        rows = yield Score([("bad",)], until_flip=target.label)
        return ("bad",) if target.moved(rows[-1]) else None

    victim = Coin(flips)
    [a] = run(Scripted(script=script), victim, [example("good")], domain="d", seed=0, repeats=5)
    assert (a.status, a.error) == (status, error)
    assert a.queries == 3 and a.forwards == victim.calls == 11
    if status == "success":
        assert a.adversarial_probs == [round((0.1 * 3 + 0.8 * 2) / 5, 5), round((0.9 * 3 + 0.2 * 2) / 5, 5)]


def test_one_request_that_fails_is_an_error_of_its_example(monkeypatch):
    from hardtext.attacks import toolbox

    class Half:
        """Answers the texts of "b" only."""

        def __init__(self, *_):
            pass

        def serve(self, tasks):
            for task in tasks:
                if task.request.pairs[0][0] == "b":
                    task.answer = np.array([1.0])
                else:
                    task.failure = ValueError("no answer")

    def script(target):
        yield Similar(((target.segments[0], "x"),))

    monkeypatch.setattr(toolbox, "Comparing", Half)
    found = {a.id: (a.status, a.error) for a in run(Scripted(script=script), Constant(lambda t: 0.9),
                                                    [example("a", "1"), example("b", "2")], domain="d", seed=0,
                                                    encoder=object())}
    assert found == {"1": ("error", "ValueError: no answer"), "2": ("failed", None)}


def test_similar_and_meaning_and_fill(models, answered):
    asked = [Similar((("a b", "a c"), ("a b", "a b"))), Meaning(("a b", "c"), (("a b", "d"), ("a x", "c"))),
             Fill((around("the state of war".split(), 1, 2), around("the state of war".split(), 2, 2)), 4)]
    found = []

    def script(target):
        for request in asked:
            found.append((yield request))

    [a] = run(Scripted(script=script), Constant(lambda t: 0.9), [example(("a", "b"))], domain="d", seed=0, **models)
    assert a.status == "failed" and a.queries == 1
    np.testing.assert_allclose(found[0], answered(asked[0]))
    assert found[0][1] == pytest.approx(1)
    np.testing.assert_allclose(found[1], [(1 + 1 / 2) / 2, (2 / 3 + 1) / 2])
    for (pieces, values), (expected, known) in zip(found[2], answered(asked[2]), strict=True):
        assert pieces == expected
        np.testing.assert_allclose(values, known)
