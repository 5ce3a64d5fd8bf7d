from __future__ import annotations

import random

import numpy as np
import pytest

from hardtext.attacks.bae import BAE, MAX_CHANGED, OWN, SIMILAR, K, _softmax
from hardtext.attacks.base import Target
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.requests import Fill, Score, Similar
from hardtext.core import InputError


def texts(request):
    return [t[0] for t in request.texts]


def kinds(requests):
    return [type(r).__name__ for r in requests]


FILLED = {"large": 0.3, "walked": 0.2, "##ing": 0.1, "the": 0.1, "lies": 0.05, "denied": 0.05, "huge": 0.05, "Ugly": 0.01}


def test_by_hand(play):
    """Masked where it stands in the text as changed so far; same part of speech; the most similar flip wins."""
    text = "The HUGE  man denied."

    def probability(segments):
        [t] = segments
        if t == "The HUGE  man .":
            return 0.5
        if t.startswith("The HUGE ") or t == "The   man denied.":
            return 0.9 - 0.1 * ("walked" in t)
        return 0.2

    def fill(left, right):
        assert (left, right) in [(("The", "HUGE", "man"), (".",)), (("The",), ("man", "walked", ".")),
                                 (("The", "HUGE"), ("walked", "."))]
        return FILLED

    def similar(a, b):
        return {"The UGLY  man walked": 0.95}.get(b, 0.91)

    result, requests = play(BAE(), text, probability, similar=similar, fill=fill)
    assert requests[0].probe and texts(requests[0]) == ["The   man denied.", "The HUGE   denied.", "The HUGE  man ."]
    assert texts(requests[3]) == ["The HUGE  man walked."]  # of the proposals, the only other past form
    assert kinds(requests) == ["Score", "Fill", "Similar", "Score", "Fill", "Similar", "Score"]
    assert texts(requests[6]) == ["The LARGE  man walked.", "The UGLY  man walked."]
    assert result == ("The UGLY  man walked.",)


def test_masks_stay_in_their_segment_and_marks_count_as_words(play):
    _, requests = play(BAE(), ("bad, man", "a lie"), lambda t: 0.9, fill=lambda a, b: {"good": 1.0},
                       similar=lambda a, b: 1)
    contexts = {c for r in requests if isinstance(r, Fill) for c in r.contexts}
    assert contexts == {((), (",", "man")), (("bad", ","), ()), (("a",), ())}


@pytest.mark.parametrize(("settings", "asked"), [
    ({}, ["large", "huge", "Ugly"]),
    ({"k": 5}, ["large", "huge", "Ugly"]),
    ({"constraints": Constraints(antonyms=True)}, ["huge", "Ugly"]),
    ({"constraints": Constraints(part_of_speech=False)}, ["large", "walked", "lies", "denied", "huge", "Ugly"]),
    ({"constraints": Constraints(similarity=0.92)}, None),
])
def test_settings(play, settings, asked):
    _, requests = play(BAE(**settings), "small", lambda t: 0.9, fill=lambda a, b: FILLED, similar=lambda a, b: 0.91)
    assert [texts(r) for r in requests if isinstance(r, Score)] == [[""]] + ([asked] if asked else [])
    [fill] = [r for r in requests if isinstance(r, Fill)]
    assert fill.k == settings.get("k", 50)


def test_constants():
    assert (K, SIMILAR, MAX_CHANGED, OWN.similarity, OWN.similarity_window) == (50, 0.936, 0.2, 0.9, 15)


def test_bad_settings():
    with pytest.raises(InputError, match="attack.k=0: expected at least 1"):
        BAE(k=0)
    with pytest.raises(InputError, match="attack.constraints.protect=.* attack.variant=published does not use it"):
        BAE(variant="published", constraints=Constraints(protect=["names"]))


# ---- published

def test_published_by_hand(play):
    """[UNK] goes after each word but the last; the first flip wins; what is not similar enough is not asked."""
    text = ("The bad, man\nlied  twice",)

    def probability(segments):
        [t] = segments
        if "[UNK]" in t:
            return 0.5 if "bad, [UNK]" in t else 0.8
        return 0.3 if "nice" in t else 0.9

    def fill(left, right):
        assert (left, right) == (("the",), ("manlied", "", "twice"))
        return {"good": 0.5, "nice": 0.2, "walked": 0.1, "evil": 0.1, "ugly": 0.05, "kind": 0.01}

    def similar(a, b):
        assert b == "the bad, man\nlied  twice"
        return 0.93 if "good" in a else 0.94

    result, requests = play(BAE(variant="published"), text, probability, similar=similar, fill=fill)
    assert texts(requests[0]) == ["the bad, man\nlied  twice"]
    assert texts(requests[1]) == ["the [UNK] bad, manlied  twice", "the bad, [UNK] manlied  twice",
                                  "the bad, manlied [UNK]  twice", "the bad, manlied  [UNK] twice"]
    assert [a for a, _ in requests[3].pairs] == [f"the {c} manlied  twice" for c in ["good", "nice", "evil", "ugly", "kind"]]
    assert texts(requests[4])[0] == "the nice manlied  twice" and requests[4].until_flip == 0
    assert result == ("the nice manlied  twice",) and len(requests) == 5


def test_published_keeps_the_last_tried_and_stops_at_a_fifth(play):
    """No candidate helps: the last one of the same part of speech stays, and counts as no change."""
    text = "bad bad bad bad bad bad bad bad bad bad"

    def run(probability):
        _, requests = play(BAE(variant="published"), text, probability, similar=lambda a, b: 1,
                           fill=lambda a, b: {"good": 0.5, "evil": 0.4, "walked": 0.1})
        return [texts(r) for r in requests if isinstance(r, Score)][2:]

    unmoved = run(lambda t: 0.9)
    assert len(unmoved) == 9  # the last word is never ranked
    assert unmoved[1] == ["evil good" + " bad" * 8, "evil evil" + " bad" * 8]
    helped = run(lambda t: 0.9 - 0.01 * t[0].count("good"))
    assert len(helped) == 3  # int(0.2 * 10) + 1


def test_published_pair(play):
    _, requests = play(BAE(variant="published"), ("bad", "lie"), lambda t: 0.9, similar=lambda a, b: 1,
                       fill=lambda a, b: {"good": 1.0})
    assert list(requests[1].texts) == [("bad [UNK]", "lie"), ("bad", "[UNK] lie")]
    assert [r.pairs for r in requests if isinstance(r, Similar)] == [(("good ~ lie", "bad ~ lie"),)]


def test_published_softmax_is_taken_twice():
    """It turns the order of eq. 2: 0.96 against 0.91 on the probabilities, 0.310 against 0.337 on their softmax."""
    assert _softmax(np.array([[0.9, 0.1]])) == pytest.approx(np.array([[0.68997, 0.31003]]), abs=1e-5)
    steps = BAE(variant="published").steps(Target(("bad lie x",), np.array([0.6, 0.3, 0.1]), random.Random(0)))
    next(steps)
    assert len(steps.send(np.array([[0.6, 0.3, 0.1]])).texts) == 2
    assert steps.send(np.array([[0.04, 0.46, 0.50], [0.18, 0.79, 0.03]])).contexts == ((("bad",), ("x",)),)
