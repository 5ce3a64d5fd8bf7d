from __future__ import annotations

import numpy as np
import pytest

from hardtext import text
from hardtext.attacks import glota
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.glota import GloTa
from hardtext.attacks.requests import Fill, Propose, Score, Similar
from hardtext.core import InputError

NEAREST = {"bad": ["evil", "poor"], "lie": ["fib", "tale"], "the": ["this"], "state": ["nation"]}


@pytest.fixture(autouse=True)
def vectors(monkeypatch):
    class Vectors:
        def neighbours(self, word, k):
            return [(n, 0.9) for n in NEAREST.get(word, [])[:k]]

    monkeypatch.setattr(glota, "load_vectors", lambda source: Vectors())


@pytest.fixture
def walk(converse):
    def _walk(attack, segments, probability, pieces=(), proposals=None, similar=lambda a, b: 1.0, window=None):
        """(result, requests). ``probability(segments)`` is that of class 0 of two; ``pieces``: what the masked LM fills
        every mask with; ``proposals``: one ``(pieces, logits)`` for each piece of a word."""
        def rows(texts):
            return np.array([[probability(t), 1 - probability(t)] for t in texts]).reshape(-1, 2)

        def others(request):
            if isinstance(request, Fill):
                return [(list(pieces)[:request.k], np.zeros(len(pieces))) for _ in request.contexts]
            if isinstance(request, Propose):
                return [[(p[:request.k], np.array(x[:request.k])) for p, x in (proposals or {}).get(w, [])]
                        if i in request.wanted else [] for i, w in enumerate(request.words)]
            assert isinstance(request, Similar)
            return np.array([similar(a, b) for a, b in request.pairs])

        segments = (segments,) if isinstance(segments, str) else segments
        return converse(attack.steps, segments, rows, others, window=window)

    return _walk


def tried(requests):
    """The candidate texts of each word visited."""
    return [[t if len(t) > 1 else t[0] for t in r.texts] for r in requests if isinstance(r, Score) and r.until_flip == 0]


def total(worth, base=0.9):
    """A victim that loses what each word is worth to it when the word is missing."""
    return lambda segments: base - sum(v for word, v in worth.items()
                                       if word not in [w.text for w in text.words(segments)])


# ---- hardtext

def test_neighbours_by_importance_and_the_largest_drop_is_kept(walk):
    worth = {"Bad": 0.1, "lie": 0.2}

    def probability(t):
        return total(worth)(t) - 0.01 * ("tale" in t[0])

    result, requests = walk(GloTa(), "Bad  lie, the!", probability)
    assert result is None
    assert requests[0].probe and [t[0] for t in requests[0].texts] == ["[UNK]  lie, the!", "Bad  [UNK], the!"]
    assert tried(requests) == [["Bad  fib, the!", "Bad  tale, the!"],
                               ["Evil  tale, the!", "Poor  tale, the!"]]  # in the case of the word; "the" stays
    assert not any(isinstance(r, (Fill, Propose)) for r in requests)  # the vectors know every word


def test_the_first_flip_ends_it(walk):
    result, requests = walk(GloTa(), "bad state", lambda t: 0.4 if "evil" in t[0] else 0.9)
    assert result == ("evil state",)
    assert len(requests[-1].texts) == 2


def test_an_unknown_word_is_filled_and_the_most_similar_text_comes_first(walk):
    cosines = {"vote": 0.5, "tax": 0.9, "war": 0.2, "city": 0.31}
    _, requests = walk(GloTa(candidates=2), "A Brexit, lie", lambda t: 0.9 - 0.1 * ("Brexit" not in t[0]),
                       pieces=["vote", "the", "##s", "tax", ",", "war", "city"],
                       similar=lambda a, b: cosines[b.lower().split()[1].rstrip(",")])
    fills = [r for r in requests if isinstance(r, Fill)]
    assert [r.contexts for r in fills] == [((("A",), (",", "lie")),)] and fills[0].k == 36
    assert [a for a, _ in next(r for r in requests if isinstance(r, Similar)).pairs] == ["A Brexit, lie"] * 4
    assert tried(requests)[0] == ["A Tax, lie", "A Vote, lie"]  # "war" is not similar enough, "city" is the third


def test_the_similarity_of_an_unknown_word_is_that_of_the_words_around(walk):
    long = " ".join(f"w{i}" for i in range(40))
    _, requests = walk(GloTa(), long, lambda t: 0.9 - 0.1 * ("w20" not in t[0]), pieces=["tax"])
    first = next(r for r in requests if isinstance(r, Similar))
    assert first.pairs == ((" ".join(f"w{i}" for i in range(13, 28)),
                            " ".join("tax" if i == 20 else f"w{i}" for i in range(13, 28))),)


@pytest.mark.parametrize("count, visited", [(5, 5), (8, 8), (15, 8), (16, 8), (17, 8), (18, 9), (30, 15), (159, 79),
                                            (160, 80), (400, 80)])
def test_when_the_search_ends(walk, count, visited):
    _, requests = walk(GloTa(), " ".join(["lie"] * count), lambda t: 0.9)
    assert len(tried(requests)) == visited


def test_what_the_victim_does_not_read_stays(walk):
    _, requests = walk(GloTa(), ("bad lie", "state"), lambda t: 0.9, window=(3, 5))
    assert list(requests[0].texts) == [("[UNK] lie", "state"), ("bad lie", "[UNK]")]
    assert tried(requests) == [[("evil lie", "state"), ("poor lie", "state")], [("bad lie", "nation")]]


def test_constraints_go_over_its_own_rule(walk):
    _, requests = walk(GloTa(constraints=Constraints(stop_words=False)), "the", lambda t: 0.9)
    assert tried(requests) == [["this"]]
    _, requests = walk(GloTa(constraints=Constraints(max_changed=0.3)), "lie bad state", total({"lie": 0.1}))
    assert len(tried(requests)) == 1  # of three words one may change, and one has


def test_nothing_to_change(walk):
    assert walk(GloTa(), "the of 7", lambda t: 0.9) == (None, [])


# ---- published

def published(**settings):
    return GloTa(variant="published", **settings)


def test_published_lower_cases_and_ranks_all_but_the_last_word(walk):
    _, requests = walk(published(), "The BAD,\nx Lie", lambda t: 0.9)
    assert [t[0] for t in requests[0].texts] == ["the bad,\nx lie"] and requests[0].probe
    assert [t[0] for t in requests[1].texts] == ["[UNK] bad,x lie", "the [UNK] lie"]
    assert tried(requests)[0] == ["this bad,x lie"]
    assert tried(requests)[1] == ["this evil lie", "this poor lie"]  # "bad,x" is "bad", and its rest goes with it


def test_published_never_takes_the_last_candidate_back(walk):
    _, requests = walk(published(), "bad lie x", lambda t: 0.9 - 0.1 * ("bad" not in t[0]) + 0.2 * ("evil" in t[0]) * 0.5
                       + 0.1 * ("poor" in t[0]))
    assert tried(requests)[0] == ["evil lie x", "poor lie x"]  # neither lowers the 0.9
    assert tried(requests)[1] == ["poor fib x", "poor tale x"]


def test_published_asks_the_masked_lm_for_what_the_vectors_do_not_know(walk):
    proposals = {"brexit": [(["vote", "tax", "war", "brexit"], [2.0, 0.4, 0.2, 0.1])],
                 "2016": [(["9"], [9.0]), (["2015", "##5", "city"], [3.0, 2.0, 1.0])]}
    cosines = {"vote": 0.1, "tax": 0.8, "war": 0.3, "brexit": 0.9, "2015": 0.4, "##5": 0.6, "city": 0.2}

    def similar(a, b):
        return cosines[next(w for w in b.split() if w in cosines and (w != "brexit" or "2016" in b))]

    _, requests = walk(published(), "brexit 2016 x", total({"brexit": 0.2}), proposals=proposals, similar=similar)
    [request] = [r for r in requests if isinstance(r, Propose)]
    assert (request.words, request.k, request.wanted, request.whole) == (("brexit", "2016", "x"), 36, (0, 1), False)
    # of "brexit", one piece: "vote" and "tax" pass the logit of 0.3, itself is no candidate, "war" is at the cosine
    assert tried(requests)[0] == ["tax 2016 x", "vote 2016 x"]


def test_published_a_word_of_several_pieces_takes_what_resembles_it_at_its_last(walk):
    proposals = {"2016": [(["9"], [9.0]), (["2015", "##5", "city", "war"], [3.0, 2.0, 1.0, 0.1])]}
    cosines = {"2015": 0.4, "##5": 0.6, "city": 0.2, "war": 0.5}
    _, requests = walk(published(), "2016 x", lambda t: 0.9, proposals=proposals,
                       similar=lambda a, b: cosines[b.split()[0]])
    assert tried(requests) == [["war x", "2015 x"]]


@pytest.mark.parametrize("count, visited", [(9, 8), (17, 8), (18, 9), (160, 79), (400, 79)])
def test_published_ends_one_word_earlier(walk, count, visited):
    _, requests = walk(published(), " ".join(["lie"] * count), lambda t: 0.9)
    assert len(tried(requests)) == visited


def test_published_leaves_the_separator_of_a_pair_alone(walk):
    _, requests = walk(published(), ("bad", "lie ~ lie x"), lambda t: 0.9, proposals={"~": [(["vote"], [2.0])]})
    assert requests[1].texts[1] == ("bad [UNK] lie ~ lie x", "")
    texts = [t for texts in tried(requests) for t in texts]
    assert all(len(t) == 2 for t in texts)
    [request] = [r for r in requests if isinstance(r, Propose)]
    assert request.wanted == (3,)  # the "~" inside the claim is a word like others,
    assert all(text.separator_count(t) == 2 for t in texts)  # but a text without it could not be split back


def test_published_ranks_a_single_word(walk):
    result, requests = walk(published(), "Lie", lambda t: 0.4 if "tale" in t[0] else 0.9)
    assert result == ("tale",) and [t[0] for t in requests[1].texts] == ["[UNK]"]


# ---- settings

@pytest.mark.parametrize("settings, message", [
    ({"variant": "bodega"}, "attack.variant=bodega: expected one of hardtext, published"),
    ({"k": 0}, "attack.k=0: expected at least 1"),
    ({"candidates": 0}, "attack.candidates=0: expected at least 1"),
    ({"variant": "published", "constraints": Constraints(stop_words=True)},
     "attack.constraints.stop_words=True: attack.variant=published does not use it"),
])
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError) as refused:
        GloTa(**settings)
    assert message in str(refused.value) and "\n" not in str(refused.value)
