from __future__ import annotations

import pytest

from hardtext.attacks import HomoglyphRank
from hardtext.attacks.characters import look_alikes
from hardtext.attacks.constraints import Constraints
from hardtext.core import InputError

TEXT = "The tax,  a war."


def weigh(weights):
    """Class 0 loses a word's weight when the word is gone from the text."""
    return lambda segments: 0.9 - sum(w for word, w in weights.items() if word not in segments[0])


def test_words_are_ranked_without_each_and_edited_from_the_most_important_on(play):
    result, requests = play(HomoglyphRank(), TEXT, weigh({"The": 0.1, "tax": 0.2, "war": 0.3}))
    masked, *rest = [[t for (t,) in r.texts] for r in requests]
    assert masked == ["[UNK] tax,  a war.", "The [UNK],  a war.", "The tax,  a [UNK]."]
    assert [r.probe for r in requests] == [True, False, False]
    [[first], [second]] = rest
    assert first.startswith("The tax,  a ") and "war" not in first
    assert second == first.replace("tax", second[4:7]) and second[4:7] != "tax"
    assert result == (second,)


def test_an_edit_that_does_not_help_is_taken_back(play):
    """The mask hurts, the look-alike does not: the next word starts from the original."""
    def probability(segments):
        [t] = segments
        return 0.9 - 0.3 * ("[UNK]." in t) - 0.2 * ("[UNK]," in t)

    result, requests = play(HomoglyphRank(), TEXT, probability)
    assert result is None and [len(r.texts) for r in requests] == [3, 1, 1, 1]
    assert [[w in t for w in ("The", "tax", "war")] for r in requests[1:] for (t,) in r.texts] == [
        [True, True, False], [True, False, True], [False, True, True]]


@pytest.mark.parametrize("edit, place", [("begin", 0), ("end", 4)])
def test_the_place_in_the_word(play, edit, place):
    text = "д'Iran.é"
    _, requests = play(HomoglyphRank(edit=edit), text, lambda t: 0.9)
    [(asked,)] = requests[1].texts
    where = [i for i, (a, b) in enumerate(zip(text, asked, strict=True)) if a != b]
    assert where == [2 if place == 0 else 5]  # д and é have no look-alike
    assert asked[where[0]] in look_alikes(text[where[0]])


def test_random_places_are_all_drawn(play):
    places = set()
    for seed in range(60):
        _, requests = play(HomoglyphRank(), "pit", lambda t: 0.9, seed=seed)
        [(asked,)] = requests[1].texts
        places |= {i for i in range(3) if asked[i] != "pit"[i]}
    assert places == {0, 1, 2}


def test_substitute_takes_the_masked_lm_s_whole_words(play):
    candidates = {"tax": [(["##es", "the", "tax", "levy", "7", "levy"], [6, 5, 4, 3, 2, 1])],
                  "War": [(["peace", "law"], [2, 1])], "The": [(["big"], [1])]}
    result, requests = play(HomoglyphRank(edit="substitute"), "The tax,  a War.",
                            lambda s: 0.9 - 0.2 * ("War" not in s[0]) - 0.1 * ("tax" not in s[0])
                            - 0.3 * ("Law" in s[0] and "levy" in s[0]) + 0.01 * ("Peace" in s[0]), candidates)
    propose, masked, first, second = requests
    assert (propose.wanted, propose.k, propose.whole) == ((1, 4), 10, True)
    assert [t for (t,) in masked.texts] == ["The [UNK],  a War.", "The tax,  a [UNK]."]
    assert [t for (t,) in first.texts] == ["The tax,  a Peace.", "The tax,  a Law."]
    assert [t for (t,) in second.texts] == ["The levy,  a Law."] == list(result)


def test_constraints(play):
    text = "the tax of the war"
    attack = HomoglyphRank(constraints=Constraints(stop_words=True, max_changed=0.2))
    result, requests = play(attack, text, weigh({"tax": 0.2, "war": 0.1}))
    assert result is None and [len(r.texts) for r in requests] == [2, 1]  # one word of five


@pytest.mark.parametrize("text", ["", "🔥", "a I 7 42", "قال", "~ ~"])
def test_nothing_to_edit_asks_nothing(play, text):
    assert play(HomoglyphRank(), text, lambda t: 0.9) == (None, [])


@pytest.mark.parametrize("settings, message", [
    ({"variant": "bodega"}, "attack.variant=bodega: expected one of hardtext"),
    ({"edit": "middle"}, "attack.edit=middle: expected one of random, begin, end, substitute"),
    ({"edit": "substitute", "k": 0}, "attack.k=0: expected at least 1"),
    ({"k": 5}, "attack.k=5: attack.edit=random does not use it"),
    ({"constraints": Constraints(antonyms=True)}, "attack.constraints.antonyms=True: attack.edit=random does not use"),
])
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        HomoglyphRank(**settings)
