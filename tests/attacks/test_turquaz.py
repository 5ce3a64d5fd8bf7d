from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.attacks import TurQuaz
from hardtext.attacks.base import Target
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.turquaz import EDITS, VARIANTS, _crossed, _limited, _tokens
from hardtext.core import InputError
from hardtext.lexicon.homoglyphs import TURQUAZ
from hardtext.text import separator_count

TEXT = "The party  says, taxes on peace are low."
PUBLISHED = [v for v in VARIANTS if v != "hardtext"]


def outcomes(edit, word, draws=400):
    return {EDITS[edit](word, random.Random(seed)) for seed in range(draws)}


# ---- edits

@pytest.mark.parametrize("edit, word, expected", [
    ("homoglyph", "pat", {"рat", "pаt", "pɑt"}),
    ("homoglyph", "THD", {"THD"}),
    ("homoglyphs", "pet", {"\u0440\u0435t"}),
    ("split_random", "word", {"w ord", "wo rd", "wor d"}),
    ("split_ends", "word", {"wo rd"}),
    ("split_ends", "apes", {"a pes", "ap es"}),
    ("split_ends", "taxi", {"ta xi", "tax i"}),
    ("split_ends", "cat", {"cat"}),
    ("split_words", "together", {"tog ether"}),
    ("split_words", "into", {"in to"}),
    ("split_words", "alone", {"a lone"}),
    ("split_words", "stop", {"stop"}),  # "s top": a single letter is no word here
    ("delete", "abcd", {"acd", "abd"}),
    ("delete", "ab", {"ab"}),
    ("shuffle", "abcd", {"abcd", "acbd"}),
    ("shuffle", "abc", {"abc"}),
])
def test_edits(edit, word, expected):
    assert outcomes(edit, word) == expected


def test_insert_puts_a_letter_between_two_letters():
    assert all(len(w) == 3 and w[0] == "o" and w[2] == "n" and w[1].islower() for w in outcomes("insert", "on"))
    assert all(w[1].isupper() for w in outcomes("insert", "ON"))
    assert len(outcomes("insert", "on", 2000)) == 26
    assert [outcomes("insert", w) for w in ("قال", "a", "42", "")] == [{"قال"}, {"a"}, {"42"}, {""}]


def test_the_published_look_alikes():
    assert {k: [hex(ord(c)) for c in v] for k, v in TURQUAZ.items()} == {
        "a": ["0x430", "0x251"], "e": ["0x435"], "o": ["0x43e", "0x3bf"], "c": ["0x441", "0x3f2"], "p": ["0x440"],
        "x": ["0x445"], "y": ["0x443"], "i": ["0x456"], "l": ["0x217c"]}


def test_a_word_gets_one_space():
    for edit in ("split_random", "split_ends", "split_words"):
        assert outcomes(edit, "in to") == {"in to"}


@given(word=st.text(max_size=8), seed=st.integers(0, 99), edit=st.sampled_from(sorted(EDITS)))
def test_edits_take_any_word(word, seed, edit):
    new = EDITS[edit](word, random.Random(seed))
    assert abs(len(new) - len(word)) <= 1 and new.count("~") <= word.count("~")


# ---- hardtext

def test_the_first_generation_is_the_original_with_a_change(play):
    _, requests = play(TurQuaz(generations=1), TEXT, lambda t: 0.9)
    [request] = requests
    texts = [t for (t,) in request.texts]
    assert 15 < len(texts) <= 20 and len(set(texts)) == len(texts) and TEXT not in texts
    assert request.until_flip == 0


def test_fewest_changes_first_and_the_first_success_ends_it(play):
    result, requests = play(TurQuaz(generations=1, edits=["homoglyph"]), TEXT, lambda t: 0.9)
    orders = [sum(c not in TEXT for c in t) for (t,) in requests[0].texts]
    assert orders == sorted(orders) and orders[0] == 1 and orders[-1] > 1
    result, _ = play(TurQuaz(generations=1, edits=["homoglyph"]), TEXT, lambda t: 0.9 if t[0] == TEXT else 0.1)
    assert sum(c not in TEXT for c in result[0]) == 1


def test_children_come_from_the_best_half_so_far_and_nothing_is_asked_twice(play):
    """The victim rewards changed words, so that later generations change more; a random search would not."""
    def probability(segments):
        return 0.99 - 0.002 * sum(ord(c) > 127 for c in segments[0])

    text = " ".join(["people"] * 30)
    result, requests = play(TurQuaz(edits=["homoglyph"]), text, probability)
    assert result is None and len(requests) == 10 and all(len(r.texts) <= 20 for r in requests)
    asked = [t for r in requests for t in r.texts]
    assert len(set(asked)) == len(asked) > 180
    means = [np.mean([sum(ord(c) > 127 for c in t) for (t,) in r.texts]) for r in requests]
    assert means == sorted(means) and means[-1] > 4 * means[0]


def test_a_short_text_runs_out_of_changes(play):
    result, requests = play(TurQuaz(edits=["homoglyph"]), "pet", lambda t: 0.9)
    assert result is None
    assert sorted(t for r in requests for (t,) in r.texts) == ["pеt", "рet", "реt"]


def test_other_bytes_stay_and_a_split_adds_one_space(play):
    text = "Tax,\n war  ~ 'CCC'!"
    _, requests = play(TurQuaz(edits=["split_random"], mutation=1.0), text, lambda t: 0.9)
    for request in requests:
        for (t,) in request.texts:
            assert t.replace(" ", "") == text.replace(" ", "")
            assert len(t) - len(text) <= 3 and ",\n " in t and "  ~ '" in t


def test_at_most_the_allowed_share_changes(play):
    text = " ".join(["people"] * 20)
    attack = TurQuaz(edits=["homoglyph"], mutation=1.0, constraints=Constraints(max_changed=0.1))
    _, requests = play(attack, text, lambda t: 0.9)
    counts = {sum(w != "people" for w in t.split(" ")) for r in requests for (t,) in r.texts}
    assert counts == {2}


def test_protected_words_stay(play):
    attack = TurQuaz(constraints=Constraints(protect_pattern="party|peace"))
    _, requests = play(attack, TEXT, lambda t: 0.9)
    assert all("party" in t and "peace" in t for r in requests for (t,) in r.texts)


# ---- published

@pytest.mark.parametrize("variant", PUBLISHED)
def test_published_scores_then_asks_again_and_bounds_its_queries(play, variant):
    result, requests = play(TurQuaz(variant=variant), TEXT, lambda t: 0.9)
    assert result is None
    assert [len(r.texts) for r in requests] == [20] * 21
    assert [r.until_flip for r in requests] == [None, 0] * 10 + [0]
    for score, test in zip(requests[:20:2], requests[1:20:2], strict=True):
        assert list(score.texts) == list(test.texts)


@pytest.mark.parametrize("variant", PUBLISHED)
def test_published_takes_the_first_success_of_a_generation(play, variant):
    base = " ".join(_tokens(TEXT))
    attack = TurQuaz(variant=variant, mutation=0.9)
    result, requests = play(attack, TEXT, lambda t: 0.9 if t[0] in (TEXT, base) else 0.1)
    assert len(requests) == 2 and result == next(t for t in requests[0].texts if t[0] != base)


@pytest.mark.parametrize("variant", PUBLISHED)
def test_published_looks_at_labels_only(play, variant):
    """Any probabilities with the same labels give the same texts."""
    def asked(probability):
        return [list(r.texts) for r in play(TurQuaz(variant=variant), TEXT, probability)[1]]

    assert asked(lambda t: 0.9) == asked(lambda t: 0.51 + len(t[0]) / 1000)


@pytest.mark.parametrize("variant", PUBLISHED)
def test_published_on_one_token(play, variant):
    result, requests = play(TurQuaz(variant=variant), "together", lambda t: 0.9)
    assert result is None and len(requests) == (0 if variant in ("splitR", "splitM") else 21)


def test_combined_variants_breed_from_the_most_changed_half(play):
    text = " ".join(["people"] * 40)
    _, requests = play(TurQuaz(variant="hadssh"), text, lambda t: 0.9)
    intact = [np.mean([t.split(" ").count("people") for (t,) in r.texts]) for r in requests[::2]]
    assert intact[0] > 30 and intact[-1] < 8  # by chance alone 40 * 0.9 ** 11 = 12.6 stay whole
    _, requests = play(TurQuaz(variant="splitR"), text, lambda t: 0.9)
    assert 9 < np.mean([t.split(" ").count("people") for (t,) in requests[-1].texts]) < 17


@pytest.mark.parametrize("text, tokens", [
    ('He said "it\'s well-known" at 3,000.', ["He", "said", "``", "it", "'s", "well-known", "''", "at", "3,000", "."]),
    ("I don't (really) -- U.S. voters: no...", ["I", "do", "n't", "(", "really", ")", "--", "U.S.", "voters", ":", "no",
                                                "..."]),
    ("a~b, c ~ d ~ ~,e", ["a~b, ", "c", " ~ ", "d", " ~ ~,e"]),  # with the space around: no separator is made
    ("", []), (" \n", []), ("é e\u0301 🔥", ["é", "e\u0301", "🔥"]),
])
def test_tokens(text, tokens):
    assert _tokens(text) == tokens


@pytest.mark.parametrize("variant", PUBLISHED)
def test_published_on_a_pair_keeps_the_separator(play, variant):
    pair = ("Yes,~ no ~ maybe.", "a~b ~x y")
    _, requests = play(TurQuaz(variant=variant, mutation=1.0), pair, lambda t: 0.9)
    assert all(len(t) == 2 and separator_count(t) == separator_count(pair) for r in requests for t in r.texts)


# ---- parts

def test_crossover_is_one_cut_between_two_parents():
    found = {_crossed([tuple("abc"), tuple("xyz")], random.Random(seed)) for seed in range(200)}
    assert found == {tuple(t) for t in ("abc", "ayz", "abz", "xyz", "xbc", "xyc")}
    assert _crossed([("a",), ("a",)], random.Random(0)) == ("a",)


def test_limited_takes_changes_back():
    found = {_limited(tuple("ABc"), tuple("abc"), 1, random.Random(seed)) for seed in range(50)}
    assert found == {tuple("Abc"), tuple("aBc")}
    assert _limited(tuple("ABc"), tuple("abc"), 2, random.Random(0)) == tuple("ABc")


@given(st.lists(st.sampled_from(["tax", "a~b", "~", "e\u0301t", "\ud800x", "🔥", "قال", "U.S.", "", "\n", "3.5%",
                                 "xy~zz"]), max_size=8).map(" ".join),
       st.integers(0, 9), st.sampled_from(sorted(VARIANTS)))
def test_no_separator_is_made_or_lost(text, seed, variant):
    segments = (text, "claim of states")
    attack = TurQuaz(variant=variant, mutation=1.0, edits=list(EDITS) if variant == "hardtext" else None)
    steps = attack.steps(Target(segments, np.array([0.9, 0.1]), random.Random(seed)))
    try:
        request = next(steps)
        for _ in range(5):
            assert all(separator_count(t) == separator_count(segments) for t in request.texts)
            request = steps.send(np.tile([0.8, 0.2], (len(request.texts), 1)))
    except StopIteration:
        pass


@pytest.mark.parametrize("settings, message", [
    ({"variant": "bodega"}, "attack.variant=bodega: expected one of hardtext, splitR"),
    ({"edits": ["swap"]}, "attack.edits=swap: expected one of homoglyph"),
    ({"edits": []}, r"attack.edits=\[\]: expected at least one of"),
    ({"variant": "splitR", "edits": ["insert"]}, r"attack.edits=\['insert'\]: attack.variant=splitR does not use it"),
    ({"population": 1}, "attack.population=1: expected at least 2"),
    ({"generations": 0}, "attack.generations=0: expected at least 1"),
    ({"mutation": 0.0}, "attack.mutation=0.0: expected a chance"),
    ({"constraints": Constraints(similarity=0.9)}, "attack.constraints.similarity=0.9: turquaz does not use it"),
    ({"variant": "splitH", "constraints": Constraints(stop_words=True)}, "attack.variant=splitH does not use it"),
])
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        TurQuaz(**settings)
