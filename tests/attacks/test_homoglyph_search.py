from __future__ import annotations

import random
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.attacks import HomoglyphSearch
from hardtext.attacks.base import Target
from hardtext.attacks.characters import editable, look_alikes, swap_random
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.homoglyph_search import INVISIBLE
from hardtext.core import InputError
from hardtext.text import separator_count, words


def changed(before, after):
    """Positions of the words that differ; the texts must have as many."""
    return tuple(i for i, (a, b) in enumerate(zip(before.split(" "), after.split(" "), strict=True)) if a != b)


def tried(before, requests):
    """Which words differ in each text of each request."""
    return [[changed(before, t) for (t,) in request.texts] for request in requests]


# ---- characters

def test_look_alikes_are_single_letters_or_digits_of_a_left_to_right_script():
    for character in string.ascii_letters + string.digits:
        assert all(len(c) == 1 and c.isalnum() and c != character for c in look_alikes(character))
    assert look_alikes("a")[0] == "а" and not any(c in look_alikes("x") for c in "×⨯")
    assert [look_alikes(c) for c in ("~", "-", "'", "🔥", "\u0301", "\ud83d", "ا", " ")] == [()] * 8


@given(word=st.text(min_size=1, max_size=12), seed=st.integers(0, 99))
def test_a_swap_changes_one_character_that_can_be_taken_for_the_old_one(word, seed):
    new = swap_random(word, random.Random(seed))
    places = [i for i, (a, b) in enumerate(zip(word, new, strict=True)) if a != b]
    assert len(places) == bool(editable(word))
    assert all(new[i] in look_alikes(word[i]) for i in places)


def test_every_place_and_look_alike_is_drawn():
    found = {swap_random("pit", random.Random(seed)) for seed in range(2000)}
    assert len(found) == sum(len(look_alikes(c)) for c in "pit")


# ---- search modes

@pytest.mark.parametrize("variant", ["memory", "no_memory", "chunked"])
def test_the_first_word_that_moves_the_prediction_wins(play, variant):
    text = "a tax  on war and peace"
    result, requests = play(HomoglyphSearch(variant=variant), text, lambda t: 0.9 if "war" in t[0] else 0.2)
    assert tried(text, requests) == [[(1,), (3,), (4,), (5,), (6,)]]  # reading order, no single letter
    assert changed(text, result[0]) == (4,) and len(result[0]) == len(text)


def test_no_memory_gives_up_after_one_pass(play):
    text = "tax on war"
    result, requests = play(HomoglyphSearch(variant="no_memory"), text, lambda t: 0.9)
    assert result is None and tried(text, requests) == [[(0,), (1,), (2,)]]


def test_memory_keeps_the_next_word_in_order_after_each_failed_pass(play):
    text = "tax on war"
    result, requests = play(HomoglyphSearch(), text, lambda t: 0.9)
    assert result is None
    assert tried(text, requests) == [[(0,), (1,), (2,)],
                                     [(0,), (0, 1), (0, 2)],
                                     [(0, 1), (0, 1), (0, 1, 2)]]  # all but the last keep an edit; then it ends
    kept = [t.split(" ")[0] for (t,) in requests[1].texts[1:]]
    assert kept[0] == kept[1] != "tax"  # what is kept is not drawn anew


def test_memory_flips_when_enough_words_have_changed(play):
    text = "tax on war and peace"
    result, requests = play(HomoglyphSearch(), text, lambda t: 0.9 - 0.2 * len(changed(text, t[0])))
    assert len(changed(text, result[0])) == 3
    assert [len(r.texts) for r in requests] == [5] * 3


def test_a_word_never_holds_two_edits(play):
    text = "taxation without representation"
    _, requests = play(HomoglyphSearch(), text, lambda t: 0.9)
    for request in requests:
        for (t,) in request.texts:
            assert all(sum(a != b for a, b in zip(x, y, strict=True)) <= 1
                       for x, y in zip(text.split(), t.split(), strict=True))


def test_chunked_adds_up_within_each_chunk_only(play):
    text = "tax on war and peace"
    result, requests = play(HomoglyphSearch(variant="chunked", chunk=2), text, lambda t: 0.9)
    assert result is None
    assert tried(text, requests) == [[(0,), (1,), (2,), (3,), (4,)], [(0,), (0, 1)], [(2,), (2, 3)], [(4,)]]


def test_long_texts_are_chunked_by_100_words(play):
    text = " ".join(["state"] * 100)
    _, requests = play(HomoglyphSearch(), text, lambda t: 0.9)
    assert [len(r.texts) for r in requests] == [100] * 100
    text += " more"
    _, requests = play(HomoglyphSearch(), text, lambda t: 0.9)
    assert [len(r.texts) for r in requests] == [101, 100, 1]


# ---- edits

@pytest.mark.parametrize("edit, rule", [
    ("invisible", lambda old, new: new == INVISIBLE + old),
    ("both", lambda old, new: new[0] == INVISIBLE and new[1:] != old and len(new) == len(old) + 1),
    ("synonym", lambda old, new: new.isascii() and new != old and new[0].isupper() == old[0].isupper()),
])
def test_edits(play, edit, rule):
    text = "Big lies"
    _, requests = play(HomoglyphSearch(variant="no_memory", edit=edit), text, lambda t: 0.9)
    first, second = (t for (t,) in requests[0].texts)
    assert first.endswith(" lies") and rule("Big", first.removesuffix(" lies"))
    assert second.startswith("Big ") and rule("lies", second.removeprefix("Big "))


def test_words_that_cannot_be_edited_are_not_asked(play):
    text = "قال 🔥 x 42 дд"
    assert play(HomoglyphSearch(), text, lambda t: 0.9) == (None, [])
    _, requests = play(HomoglyphSearch(variant="no_memory", edit="invisible"), text, lambda t: 0.9)
    assert tried(text, requests) == [[(0,), (4,)]]
    assert play(HomoglyphSearch(edit="synonym"), "Zxq of", lambda t: 0.9) == (None, [])


@given(st.lists(st.sampled_from(["tax", "a~b", "~", "e\u0301", "é", "\ud800x", "🔥", "قال", "U.S.", "", "\n", "3.5%"]),
                max_size=8).map(" ".join), st.integers(0, 9))
def test_all_bytes_outside_the_words_stay(text, seed):
    """And no separator is made or lost, in a pair neither."""
    segments = (text, "claim of ~ states")
    steps = HomoglyphSearch(edit="both").steps(Target(segments, np.array([0.9, 0.1]), random.Random(seed)))
    try:
        request = next(steps)
        for _ in range(3):
            for asked in request.texts:
                assert separator_count(asked) == separator_count(segments)
                for old, new in zip(segments, asked, strict=True):
                    gaps = [c for c in old if not c.isalnum()]
                    assert [c for c in new if not c.isalnum()] == gaps
            request = steps.send(np.tile([0.8, 0.2], (len(request.texts), 1)))
    except StopIteration:
        pass


def test_only_what_the_victim_reads_is_edited():
    segments = ("tax on war", "peace now")
    target = Target(segments, np.array([0.9, 0.1]), random.Random(0), window=(6, 5))
    request = next(HomoglyphSearch(variant="no_memory").steps(target))
    assert [[w.text for w in words(segments) if w.text not in {v.text for v in words(t)}] for t in request.texts] == [
        ["tax"], ["on"], ["peace"]]


def test_the_share_of_changed_words_is_kept(play):
    text = " ".join(["state"] * 10)
    for variant in ("memory", "chunked"):
        attack = HomoglyphSearch(variant=variant, constraints=Constraints(max_changed=0.3))
        _, requests = play(attack, text, lambda t: 0.9)
        assert max(len(c) for asked in tried(text, requests) for c in asked) == 3


def test_stop_words_and_protected_words_stay_on_request(play):
    text = "the tax of Iran"
    attack = HomoglyphSearch(variant="no_memory", constraints=Constraints(stop_words=True, protect_pattern="Iran"))
    _, requests = play(attack, text, lambda t: 0.9)
    assert tried(text, requests) == [[(1,)]]


@pytest.mark.parametrize("settings, message", [
    ({"variant": "bf"}, "attack.variant=bf: expected one of memory, no_memory, chunked"),
    ({"edit": "swap"}, "attack.edit=swap: expected one of homoglyph, invisible, both, synonym"),
    ({"chunk": 0}, "attack.chunk=0: expected at least 1 word"),
    ({"constraints": Constraints(similarity=0.9)}, "attack.constraints.similarity=0.9: homoglyph_search does not use"),
    ({"constraints": Constraints(antonyms=True)}, "attack.constraints.antonyms=True: attack.edit=homoglyph does not"),
])
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        HomoglyphSearch(**settings)
