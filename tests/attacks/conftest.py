"""A victim and a masked LM made of arithmetic: the same text always gets the same numbers, whatever runs beside it."""

from __future__ import annotations

import random
import re
import zlib

import numpy as np
import pytest

from hardtext.attacks import BertAttack, DeepWordBug
from hardtext.attacks.base import Target
from hardtext.attacks.requests import Propose, Score

VOCABULARY = ("good bad big small news vote tax law war peace city state lie truth claim report group man woman party "
              "Iran the of no ##ing ##s , . ~ [UNK] 7").split()


class BagVictim:
    """Each word has a weight for its segment and case; the probability is the logistic function of their mean."""

    name = "bag"

    def __init__(self, classes: int = 2) -> None:
        self.classes = tuple(map(str, range(classes)))
        self.calls: list[list[tuple[str, ...]]] = []

    def probabilities(self, texts):
        self.calls.append(list(texts))
        return np.array([self._one(t) for t in texts]).reshape(len(texts), len(self.classes))

    def _one(self, segments):
        score = np.zeros(len(self.classes))
        for number, segment in enumerate(segments):
            words = re.findall(r"\w+|[^\w\s]", segment)
            for word in words:
                for label in range(len(self.classes)):
                    weight = zlib.crc32(f"{number}{label}{word}".encode("utf-8", "surrogatepass")) % 2001 - 1000
                    score[label] += weight / 500 / len(words) ** 0.5
        powers = np.exp(score - score.max())
        return powers / powers.sum()


class FakeMaskedLM:
    """Words of more than six letters are two pieces; candidates are the vocabulary in an order drawn from the text."""

    name, mask = "fake", "[MASK]"

    def __init__(self, window: int = 510) -> None:
        self.window = window

    def pieces(self, words):
        answer = []
        for word in words:
            parts = re.findall(r"\w+|[^\w\s]", word.lower())
            answer.append([p for part in parts for p in ([part[:6], "##" + part[6:]] if len(part) > 6 else [part])])
        return answer

    def topk(self, texts, k, positions=None):
        answer = []
        if positions is None:
            positions = [range(min(len(t), self.window)) for t in texts]
        for text, places in zip(texts, positions, strict=True):
            assert all(i < min(len(text), self.window) for i in places)
            whole = " ".join(text)
            orders = [sorted(VOCABULARY, key=lambda v: zlib.crc32(f"{v}{i}{whole}".encode("utf-8", "replace")))[:k]
                      for i in places]
            answer.append((orders, np.array([[2 - 0.1 * j for j in range(len(o))] for o in orders], np.float32)))
        return answer

    def perplexity(self, texts):
        return np.array([zlib.crc32(" ".join(t).encode("utf-8", "replace")) % 1000 for t in texts], float)


ATTACKS = {
    "bert_attack-hardtext": lambda: BertAttack(),
    "bert_attack-bodega": lambda: BertAttack(variant="bodega"),
    "bert_attack-paper": lambda: BertAttack(variant="paper"),
    "deepwordbug-paper": lambda: DeepWordBug(),
    "deepwordbug-bodega": lambda: DeepWordBug(variant="bodega"),
}


@pytest.fixture(params=list(ATTACKS))
def attack(request):
    return ATTACKS[request.param]()


@pytest.fixture
def victim():
    return BagVictim()


@pytest.fixture
def masked_lm():
    return FakeMaskedLM()


@pytest.fixture(scope="session")
def bag_victim():
    """The class, for tests that need several victims."""
    return BagVictim


@pytest.fixture(scope="session")
def fake_masked_lm():
    return FakeMaskedLM


def _play(attack, segments, probability, candidates=None, seed=0):
    """Run one attack by hand, no engine: (result, requests).

    ``probability(segments)`` is that of class 0 (of two); ``candidates`` gives a word its proposal, one
    ``(pieces, logits)`` for each of its pieces.
    """
    segments = (segments,) if isinstance(segments, str) else segments

    def rows(texts):
        return np.array([[probability(t), 1 - probability(t)] for t in texts]).reshape(-1, 2)

    target = Target(segments, rows([segments])[0], random.Random(seed))
    steps, requests, answer = attack.steps(target), [], None
    try:
        while True:
            request = steps.send(answer)
            requests.append(request)
            if isinstance(request, Score):
                answer = rows(list(request.texts))
                if request.until_flip is not None:
                    flips = np.flatnonzero(answer.argmax(1) != request.until_flip)
                    answer = answer[:flips[0] + 1] if flips.size else answer
            elif isinstance(request, Propose):
                found = [candidates.get(w, []) if i in request.wanted else [] for i, w in enumerate(request.words)]
                answer = [[(p, np.array(x, np.float32)) for p, x in word] for word in found]
                answer = [word if len(word) == 1 or not request.whole else [] for word in answer]
            else:
                answer = np.array([sum(map(len, t)) for t in request.texts], float)
    except StopIteration as end:
        return end.value, requests


@pytest.fixture(scope="session")
def play():
    return _play
