from __future__ import annotations

import pytest

from hardtext.attacks.clare import CLARE, LEAST, OWN, PLACES, K, Page
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.requests import Fill, Score, Similar
from hardtext.core import InputError
from hardtext.text import words


def texts(request):
    return [t[0] for t in request.texts]


def scored(requests):
    return [texts(r) for r in requests if isinstance(r, Score)]


def same(a, b):
    return 1.0


def nothing(left, right):
    return {"[UNK]": 1.0}


TEXT = "A huge LIAR, honest  man."


def test_the_three_actions(play):
    """Replace, insert after, and merge with a neighbour of the same phrase across spaces only."""
    contexts = []

    def fill(left, right):
        contexts.append((left, right))
        return {"large": 0.5, "##s": 0.3, "the": 0.2}

    _, requests = play(CLARE(), TEXT, lambda t: 0.9, similar=same, fill=fill)
    assert requests[0].probe and len(requests[0].texts) == 4
    assert contexts[:3] == [(("A",), ("LIAR", ",", "honest", "man", ".")),
                            (("A", "huge"), ("LIAR", ",", "honest", "man", ".")),
                            (("A",), (",", "honest", "man", "."))]
    asked = scored(requests)[1:]
    assert asked[0] == ["A large LIAR, honest  man.", "A huge large LIAR, honest  man.", "A large, honest  man."]
    assert asked[1] == ["A huge LARGE, honest  man.", "A huge LIAR large, honest  man."]  # a comma is between
    assert asked[2] == ["A huge LIAR, large  man.", "A huge LIAR, honest large  man.", "A huge LIAR, large."]
    assert asked[3] == ["A huge LIAR, honest  large.", "A huge LIAR, honest  man large."]


def test_candidates_need_their_probability(play):
    found = {"large": 0.5, "tall": 5.1e-3, "wide": 4.9e-3, "broad": 5.1e-4, "round": 4.9e-4}
    _, requests = play(CLARE(), "huge man", lambda t: 0.9, similar=same, fill=lambda left, right: found)
    assert scored(requests)[1] == [
        *(f"{c} man" for c in ["large", "tall", "wide", "broad"]),
        *(f"huge {c} man" for c in ["large", "tall", "wide", "broad", "round"]),
        "large", "tall"]


@pytest.mark.parametrize(("settings", "asked"), [
    ({"insert": 1.0, "merge": 1.0}, [["large man"], ["huge large"]]),
    ({"replace": 1.0, "merge": 1.0}, [["huge large man"], ["huge man large"]]),
    ({"replace": 1.0, "insert": 1.0}, [["large"]]),
    ({"places": 1}, [["large man", "huge large man", "large"]]),
    ({"replace": 0.6, "insert": 0.6, "merge": 0.6}, []),
    ({"constraints": Constraints(protect_pattern="man")}, [["large man", "huge large man"]]),
])
def test_settings(play, settings, asked):
    _, requests = play(CLARE(**settings), "huge man", lambda t: 0.9, similar=same, fill=lambda a, b: {"large": 0.5})
    assert scored(requests)[1:] == asked


def test_algorithm_1(play):
    """Each place's best action is asked once, then they are applied, the best first; one that helps nothing more is taken
    back, one on words already used is left out."""
    gains = {"kale": 0.2, "mint": 0.15, "sage": 0.1, "dill": 0.05}
    filled = {("A", "huge"): "kale", ("huge", "LIAR"): "mint", (",", "honest"): "dill", ("honest", "man"): "sage"}

    def fill(left, right):
        return {filled[left[-2:]]: 1.0} if left[-2:] in filled else {"[UNK]": 1.0}

    def probability(segments):
        [t] = segments
        if "sage" in t and "kale" in t and "dill" in t:
            return 0.3
        used = [w for w in gains if w in t]
        return 0.9 - (0.2 if "mint" in used and len(used) > 1 else sum(gains[w] for w in used))

    result, requests = play(CLARE(), TEXT, probability, similar=same,
                            fill=lambda left, right: fill(left, right) if len(left) > 1 else nothing(left, right))
    asked = ["huge kale LIAR", "LIAR mint,", "man sage.", "honest dill "]
    tried = [t for part in scored(requests)[5:] for t in part]
    assert [[w for w in gains if w in t] for t in tried] == [["kale", "mint"], ["kale", "sage"], ["kale", "sage", "dill"]]
    assert result == ("A huge kale LIAR, honest dill  man sage.",)
    assert all(x in " ".join(sum(scored(requests)[1:5], [])) for x in asked)


def test_the_whole_chain_stays_similar(play):
    """Two insertions, each similar enough, are not applied together where their text is not."""
    def similar(a, b):
        return 0.69 if b.count("x") == 2 * a.count("x") + 4 else 0.9

    _, requests = play(CLARE(replace=1.0, merge=1.0), "huge man", lambda t: 0.9 - 0.1 * t[0].count("xx"),
                       similar=similar, fill=lambda a, b: {"xx": 1.0})
    assert scored(requests)[1:] == [["huge xx man"], ["huge man xx"]]
    assert isinstance(requests[-1], Similar) and requests[-1].pairs == (("huge man", "huge xx man xx"),)


def test_an_action_that_flips_ends_the_search(play):
    def similar(a, b):
        return 0.95 if b == "huge kind man" else 0.9

    result, requests = play(CLARE(), "huge man", lambda t: 0.2 if "kind" in t[0] else 0.9, similar=similar,
                            fill=lambda a, b: {"kind": 0.5, "large": 0.5})
    assert result == ("huge kind man",) and len(scored(requests)) == 2  # the most similar of three


def test_greedy_asks_again_in_the_changed_text(play):
    contexts = []

    def fill(left, right):
        contexts.append((left, right))
        return {"large": 1.0}

    def probability(segments):
        return 0.9 - 0.1 * segments[0].count("large") - 0.05 * ("huge large" in segments[0])

    text = "huge, kind, man"
    result, requests = play(CLARE(variant="greedy", replace=1.0, merge=1.0), text, probability, similar=same, fill=fill)
    assert scored(requests)[1:] == [["huge large, kind, man"], ["huge, kind large, man"], ["huge, kind, man large"],
                                    ["huge large, kind large, man"], ["huge large, kind, man large"],
                                    ["huge large, kind large, man large"]]
    assert contexts[3] == (("huge", "large", ",", "kind"), (",", "man"))
    assert contexts[5] == (("huge", "large", ",", "kind", "large", ",", "man"), ())
    assert result == ("huge large, kind large, man large",) or result is None


def test_greedy_stops_at_the_limit_and_where_nothing_helps(play):
    def asked(probability, **rules):
        attack = CLARE(variant="greedy", replace=1.0, merge=1.0, constraints=Constraints(**rules))
        return len(scored(play(attack, "huge, kind, man", probability, similar=same,
                               fill=lambda a, b: {"large": 1.0})[1]))

    assert asked(lambda t: 0.9) == 1 + 3
    assert asked(lambda t: 0.9 - 0.01 * t[0].count("large")) == 1 + 3 + 2 + 1
    assert asked(lambda t: 0.9 - 0.01 * t[0].count("large"), max_changed=0.4) == 1 + 3


def test_merges_use_up_both_words_and_never_cross_segments(play):
    page = Page(("huge man", "kind man"), set(words(("huge man", "kind man"))))
    [huge, man, kind, second] = words(("huge man", "kind man"))
    assert page.phrase(huge) == man and page.phrase(man) is None and page.phrase(second) is None
    assert page.span(kind, second).text == "kind man"

    def fill(left, right):
        return {"kale": 1.0} if not right or right == ("man",) else {"mint": 1.0}

    _, requests = play(CLARE(replace=1.0, insert=1.0), "huge kind man", lambda t: 0.9 - 0.1 * ("kale" in t[0]),
                       similar=same, fill=fill)
    assert scored(requests)[1:] == [["kale man"], ["huge kale"]]  # both use up "kind", so that is all


@pytest.mark.parametrize(("first", "second", "joins"), [
    ("huge", "man", True), ("man", "house", True), ("quickly", "ran", True),
    ("senator", "quickly", False), ("huge", "the", False), ("Obama", "man", False), ("man", ",", False),
])
def test_phrases(first, second, joins):
    text = (f"{first} {second}",)
    changeable = {w for w in words(text) if w.text not in ("the", ",")}
    assert (Page(text, changeable).phrase(words(text)[0]) is not None) is joins


def test_the_bounds(play):
    """Places, candidates and steps are bounded however long the text is."""
    text = " ".join(["huge", "man"] * 400)
    _, requests = play(CLARE(), text, lambda t: 0.9, similar=same, fill=lambda a, b: {"large": 0.5, "kind": 0.4})
    assert len(scored(requests)) == 1 + PLACES["hardtext"] == 51
    assert all(len(a) <= 510 and len(b) <= 510 for r in requests if isinstance(r, Fill) for a, b in r.contexts)
    _, requests = play(CLARE(variant="greedy"), text, lambda t: 0.9 - 0.0001 * t[0].count("kind"), similar=same,
                       fill=lambda a, b: {"large": 0.5, "kind": 0.4})
    assert len(scored(requests)) <= 1 + PLACES["greedy"] * (PLACES["greedy"] + 1) // 2


def test_constants():
    assert K == 50 and LEAST == {"replace": 5e-4, "insert": 0.0, "merge": 5e-3}
    assert (OWN.similarity, OWN.similarity_window) == (0.85, 15)


@pytest.mark.parametrize(("bad", "message"), [
    ({"variant": "published"}, "attack.variant=published: expected one of hardtext, greedy"),
    ({"k": 0}, "attack.k=0: expected at least 1"),
    ({"places": 0}, "attack.places=0: expected at least 1"),
    ({"merge": 1.1}, r"attack.merge=1.1: expected a probability from 0 to 1 \(off\)"),
    ({"constraints": Constraints(part_of_speech=True)}, "attack.constraints.part_of_speech=True: attack=clare does not"),
])
def test_bad_settings(bad, message):
    with pytest.raises(InputError, match=message):
        CLARE(**bad)
