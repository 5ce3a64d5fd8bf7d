"""Who gets which examples, and what becomes of those of a lost worker; the workers here are made of lists."""

from __future__ import annotations

from collections import Counter
from multiprocessing.reduction import ForkingPickler
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.attacks import ATTACKS, DeepWordBug
from hardtext.core import Attempt, Example, InputError
from hardtext.executors.handing import WorkerError, hand_out
from hardtext.executors.worker import Job, Said, failed

JOB = Job(load=dict, attack=DeepWordBug(name="deepwordbug"), victim="v", classes=("a", "b"), fingerprint="", domain="toy",
          seed=0, options={})


def attempt(e: Example) -> Attempt:
    return Attempt(e.id, "toy", "v", "deepwordbug", e.label, e.segments, None, "failed", [1.0, 0.0], None, 3, 3, 0.1, 0)


class Scripted:
    """Workers that finish one example whenever they are listened to. ``lose(number, example)``: whether the worker dies
    over that example."""

    def __init__(self, size, lose=lambda number, example: False, order=0):
        self.size, self._lose, self._random = size, lose, Random(order)
        self.given: list[tuple[int, list[str]]] = []
        self.started = Counter()
        self.closed = 0
        self._work: dict[int, list[Example] | None] = {}

    def start(self, number):
        self.started[number] += 1
        self._work[number] = []

    def give(self, number, examples):
        assert self._work[number] is None, "given to a worker that is not idle"
        self.given.append((number, [e.id for e in examples]))
        self._work[number] = list(examples)

    def listen(self):
        busy = [n for n, work in self._work.items() if work is not None]
        assert busy, "the driver waits for workers that have nothing to do"
        number = self._random.choice(busy)
        work = self._work[number]
        if not work:
            self._work[number] = None
            return [(number, Said(idle=True))]
        example = work.pop(0)
        if self._lose(number, example):
            del self._work[number]
            return [(number, Said(lost="killed by SIGKILL"))]
        return [(number, Said((attempt(example),)))]

    def close(self):
        self.closed += 1


def texts(*lengths: int) -> list[Example]:
    return [Example(str(i), ("x" * n,), 0) for i, n in enumerate(lengths)]


def test_long_texts_first_and_ever_smaller_shares():
    pool = Scripted(2)
    found = list(hand_out(pool, JOB, texts(*range(1, 21)), chunk=4))
    assert sorted(int(a.id) for a in found) == list(range(20)) and pool.closed == 1
    assert pool.given[0][1] == ["19", "18", "17", "16"]  # a quarter of 20 is 5, at most 4
    sizes = [len(ids) for _, ids in pool.given]
    assert sizes == [4, 4, 3, 3, 2, 1, 1, 1, 1]  # a quarter of what is left, rounded up


def test_a_lost_workers_examples_are_given_out_again_one_by_one():
    lost = []

    def lose(number, example):
        if example.id == "5" and not lost:
            lost.append(number)
            return True
        return False

    pool = Scripted(2, lose)
    found = list(hand_out(pool, JOB, texts(*[7] * 16), chunk=8))
    assert Counter(a.id for a in found) == Counter(str(i) for i in range(16))
    assert all(a.status == "failed" for a in found)
    assert sum(pool.started.values()) == 3
    assert (ids := [ids for _, ids in pool.given if "5" in ids])[1:] == [["5"]] and len(ids[0]) > 1


def test_an_example_that_kills_twice_is_an_error_that_says_so():
    pool = Scripted(2, lambda number, example: example.id == "3")
    found = {a.id: a for a in hand_out(pool, JOB, texts(*[5] * 9), chunk=4)}
    assert len(found) == 9 and Counter(a.status for a in found.values()) == {"failed": 8, "error": 1}
    assert found["3"].status == "error" and "lost 2 times" in found["3"].error and "SIGKILL" in found["3"].error
    assert Attempt.from_row(found["3"].to_row()) == found["3"]


@given(workers=st.integers(1, 4), count=st.integers(1, 30), chunk=st.integers(1, 9), order=st.integers(0, 9**6),
       deadly=st.sets(st.integers(0, 29), max_size=4), once=st.sets(st.integers(0, 29), max_size=6))
def test_whatever_is_lost_each_example_ends_once(workers, count, chunk, order, deadly, once):
    seen = Counter()

    def lose(number, example):
        seen[example.id] += 1
        return int(example.id) in deadly or (int(example.id) in once and seen[example.id] == 1)

    pool = Scripted(workers, lose, order)
    found = Counter()
    errors = set()
    for a in hand_out(pool, JOB, texts(*range(3, 3 + count)), chunk):
        found[a.id] += 1
        if a.status == "error":
            errors.add(int(a.id))
    assert found == Counter(str(i) for i in range(count))
    assert errors >= {i for i in deadly if i < count}
    assert errors <= deadly | once  # one that killed once may have been beside another that did
    assert pool.closed == 1


def test_workers_that_only_die_end_the_run():
    pool = Scripted(3, lambda number, example: True)
    with pytest.raises(InputError, match=r"in a row were lost.*executor\.workers"):
        list(hand_out(_Stillborn(3), JOB, texts(1, 2, 3), chunk=2))
    assert Counter(a.status for a in hand_out(pool, JOB, texts(1, 2, 3), chunk=2)) == {"error": 3}


class _Stillborn(Scripted):
    """Every worker is lost while it loads its models."""

    def listen(self):
        number = next(iter(self._work))
        del self._work[number]
        return [(number, Said(lost="killed by SIGKILL"))]


@pytest.mark.parametrize(("said", "kind", "words"), [
    (failed(InputError("no victim at x")), InputError, "no victim at x"),
    (failed(OSError("disk")), WorkerError, "OSError: disk"),
])
def test_a_workers_exception_ends_the_run_and_closes_the_pool(said, kind, words):
    class Failing(Scripted):
        def listen(self):
            return [(0, said)]

    pool = Failing(1)
    with pytest.raises(kind, match=words):
        list(hand_out(pool, JOB, texts(1), chunk=1))
    assert pool.closed == 1


def test_a_run_that_is_left_early_closes_the_pool():
    pool = Scripted(2)
    running = hand_out(pool, JOB, texts(1, 2, 3), chunk=1)
    next(running)
    running.close()
    assert pool.closed == 1


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_travels_to_a_worker(name):
    settings = {"base_url": "http://localhost:1/v1"} if name == "rewrite" else {}
    attack = ATTACKS[name](name=name, **settings)
    assert ForkingPickler.loads(ForkingPickler.dumps(attack)) == attack
