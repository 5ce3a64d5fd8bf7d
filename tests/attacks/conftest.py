"""A victim and a masked LM made of arithmetic: the same text always gets the same numbers, whatever runs beside it."""

from __future__ import annotations

import random
import re
import zlib
from functools import lru_cache

import numpy as np
import pytest

from hardtext.attacks import (
    BAE,
    CLARE,
    PWWS,
    Auto,
    BeamAttack,
    BertAttack,
    DeepWordBug,
    Genetic,
    GloTa,
    HomoglyphRank,
    HomoglyphSearch,
    OpenFact,
    TextFooler,
    TurQuaz,
)
from hardtext.attacks.base import Target
from hardtext.attacks.requests import Credit, Fill, Meaning, Perplexity, Propose, Score, Similar
from hardtext.scoring import segment as cutting
from hardtext.scoring.documents import semantic_scores
from hardtext.scoring.semantic import SemanticSettings

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

    def topk(self, texts, k, positions=None, log_probabilities=False):
        answer = []
        first, step = (-0.5, 0.4) if log_probabilities else (2, 0.1)
        if positions is None:
            positions = [range(min(len(t), self.window)) for t in texts]
        for text, places in zip(texts, positions, strict=True):
            assert all(i < min(len(text), self.window) for i in places)
            whole = " ".join(text)
            orders = [sorted(VOCABULARY, key=lambda v: zlib.crc32(f"{v}{i}{whole}".encode("utf-8", "replace")))[:k]
                      for i in places]
            answer.append((orders, np.array([[first - step * j for j in range(len(o))] for o in orders], np.float32)))
        return answer

    def perplexity(self, texts):
        return np.array([zlib.crc32(" ".join(t).encode("utf-8", "replace")) % 1000 for t in texts], float)


class FakeEncoder:
    """Each word is a vector drawn from its spelling; a text is their sum."""

    def vectors(self, sentences):
        return np.array([self._one(s) for s in sentences]).reshape(len(sentences), 16)

    def _one(self, sentence):
        total = sum((self._word(word) for word in sentence.split()), np.full(16, 1e-3))
        return total / np.linalg.norm(total)

    @staticmethod
    @lru_cache(maxsize=10_000)
    def _word(word):
        draws = random.Random(zlib.crc32(word.encode("utf-8", "replace")))
        return np.array([draws.gauss(0, 1) for _ in range(16)])


class FakeSemantic(SemanticSettings):
    """The share of the reference's words that the candidate keeps."""

    stand_in = "share of words kept"

    def _score_distinct(self, pairs):
        return np.array([(1 + len(set(a.split()) & set(b.split()))) / (1 + len(set(a.split()))) for a, b in pairs])


ATTACKS = {
    "auto-standard": lambda: Auto(),
    "bae-hardtext": lambda: BAE(),
    "bae-published": lambda: BAE(variant="published"),
    "beam_attack-hardtext": lambda: BeamAttack(beams=3, width=6, early_stop=4, max_words=5),
    "beam_attack-lime": lambda: BeamAttack(importance="lime", lime_samples=12, beams=2, width=5, max_words=4),
    "beam_attack-published": lambda: BeamAttack(variant="published", beams=2, width=6, early_stop=3, max_words=5),
    "bert_attack-hardtext": lambda: BertAttack(),
    "bert_attack-bodega": lambda: BertAttack(variant="bodega"),
    "bert_attack-paper": lambda: BertAttack(variant="paper"),
    "bert_attack-textattack": lambda: BertAttack(variant="textattack"),
    "clare-hardtext": lambda: CLARE(),
    "clare-greedy": lambda: CLARE(variant="greedy", places=6),
    "deepwordbug-paper": lambda: DeepWordBug(),
    "deepwordbug-bodega": lambda: DeepWordBug(variant="bodega"),
    "genetic-hardtext": lambda: Genetic(population=6, generations=4),
    "genetic-published": lambda: Genetic(variant="published", population=3, generations=2),
    "glota-hardtext": lambda: GloTa(),
    "glota-published": lambda: GloTa(variant="published"),
    "homoglyph_search-memory": lambda: HomoglyphSearch(),
    "homoglyph_search-no_memory": lambda: HomoglyphSearch(variant="no_memory", edit="both"),
    "homoglyph_search-chunked": lambda: HomoglyphSearch(variant="chunked", edit="synonym", chunk=5),
    "homoglyph_rank-random": lambda: HomoglyphRank(),
    "homoglyph_rank-substitute": lambda: HomoglyphRank(edit="substitute"),
    "pwws-hardtext": lambda: PWWS(),
    "pwws-published": lambda: PWWS(variant="published"),
    "textfooler-hardtext": lambda: TextFooler(),
    "textfooler-published": lambda: TextFooler(variant="published"),
    "openfact-all": lambda: OpenFact(k=6, places=5, changes=2),
    "openfact-bert_genetic": lambda: OpenFact(variant="bert_genetic", places=8, changes=3),
    "openfact-swap_textfooler": lambda: OpenFact(variant="swap_textfooler"),
    "openfact-clare": lambda: OpenFact(variant="clare"),
    "turquaz-hardtext": lambda: TurQuaz(),
    "turquaz-splitR": lambda: TurQuaz(variant="splitR"),
    "turquaz-splitH": lambda: TurQuaz(variant="splitH"),
    "turquaz-splitM": lambda: TurQuaz(variant="splitM"),
    "turquaz-homoglyph_split": lambda: TurQuaz(variant="homoglyph_split"),
    "turquaz-hadssh": lambda: TurQuaz(variant="hadssh"),
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


@pytest.fixture
def models():
    """The fakes by the names that ``engine.run`` takes."""
    return fakes()


@pytest.fixture(scope="session", name="fakes")
def _fakes():
    return fakes


def fakes(window=510):
    return {"masked_lm": FakeMaskedLM(window), "encoder": FakeEncoder(), "semantic": FakeSemantic("fake")}


@pytest.fixture(scope="session")
def answered():
    """How the fakes answer a request that is not the victim's: a function of (request, window)."""
    return _answered


def _answered(request, window=510):
    masked_lm, encoder = FakeMaskedLM(window), FakeEncoder()
    if isinstance(request, Credit):
        return True
    if isinstance(request, Perplexity):
        return masked_lm.perplexity(request.texts)
    if isinstance(request, Similar):
        return np.array([encoder._one(a) @ encoder._one(b) for a, b in request.pairs])
    if isinstance(request, Meaning):
        cut = cutting.resolve("auto", "d", pair=len(request.original) == 2)
        return semantic_scores([(request.original, text) for text in request.texts], FakeSemantic("fake"), cut)
    if isinstance(request, Fill):
        found = []
        for left, right in request.contexts:
            before, after = masked_lm.pieces(left), masked_lm.pieces(right)
            before, after = [p for w in before for p in w], [p for w in after for p in w]
            flat = [*before, masked_lm.mask, *after]
            start = max(0, min(len(before) - window // 2, len(flat) - window))
            [(tokens, values)] = masked_lm.topk([flat[start:start + window]], request.k, [[len(before) - start]], True)
            found.append((tokens[0], values[0]))
        return found
    assert isinstance(request, Propose)
    pieces = masked_lm.pieces(request.words)
    [(tokens, logits)] = masked_lm.topk([[p for word in pieces for p in word]], request.k)
    rows, found = list(zip(tokens, logits, strict=True)), []
    for i, word in enumerate(pieces):
        start = sum(map(len, pieces[:i]))
        inside = start + len(word) <= len(rows) and i in request.wanted and not (request.whole and len(word) != 1)
        found.append(rows[start:start + len(word)] if inside else [])
    return found


@pytest.fixture(scope="session")
def bag_victim():
    """The class, for tests that need several victims."""
    return BagVictim


@pytest.fixture(scope="session")
def fake_masked_lm():
    return FakeMaskedLM


def _play(attack, segments, probability, candidates=None, seed=0, similar=None, fill=None):
    """Run one attack by hand, no engine: (result, requests).

    ``probability(segments)`` is that of class 0 (of two); ``candidates`` gives a word its proposal, one
    ``(pieces, logits)`` for each of its pieces; ``similar(a, b)`` is the cosine of two texts; ``fill(left, right)`` gives
    the pieces of a context with their probabilities.
    """
    segments = (segments,) if isinstance(segments, str) else segments

    def rows(texts):
        return np.array([[probability(t), 1 - probability(t)] for t in texts]).reshape(-1, 2)

    def others(request):
        if isinstance(request, Propose):
            found = [candidates.get(w, []) if i in request.wanted else [] for i, w in enumerate(request.words)]
            answer = [[(p, np.array(x, np.float32)) for p, x in word] for word in found]
            return [word if len(word) == 1 or not request.whole else [] for word in answer]
        if isinstance(request, Similar):
            return np.array([similar(a, b) for a, b in request.pairs])
        if isinstance(request, Fill):
            return [(list(found), np.log(np.array(list(found.values()))))
                    for found in (fill(*context) for context in request.contexts)]
        return np.array([sum(map(len, t)) for t in request.texts], float)

    return _converse(attack.steps, segments, rows, others, seed)


def _converse(steps_of, segments, rows, others, seed=0, window=None):
    """Play the engine for one text: (result, requests). ``steps_of(target)`` is the attack; ``rows(texts)`` the
    victim; ``others(request)`` answers what is not the victim's."""
    steps, requests, answer = steps_of(Target(segments, rows([segments])[0], random.Random(seed), window)), [], None
    try:
        while True:
            request = steps.send(answer)
            requests.append(request)
            if not isinstance(request, Score):
                answer = others(request)
                continue
            answer = rows(list(request.texts))
            if request.until_flip is not None:
                flips = np.flatnonzero(answer.argmax(1) != request.until_flip)
                answer = answer[:flips[0] + 1] if flips.size else answer
    except StopIteration as end:
        return end.value, requests


@pytest.fixture(scope="session")
def play():
    return _play


@pytest.fixture(scope="session")
def converse():
    return _converse
