from __future__ import annotations

import random
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardtext.attacks import BertAttack, importance
from hardtext.attacks.base import Target
from hardtext.attacks.engine import run
from hardtext.attacks.requests import Perplexity, Propose, Score
from hardtext.core import Example, InputError
from hardtext.lexicon.function_words import FUNCTION_WORDS, LI_2020
from hardtext.text import words


def asked(requests):
    """The texts of each Score request."""
    return [list(r.texts) for r in requests if isinstance(r, Score)]


def one(pieces, logits=None):
    """A proposal for a word of a single piece."""
    return [(pieces, logits or [5.0] * len(pieces))]


# ---- importance

def test_importance_by_hand():
    original = np.array([0.6, 0.3, 0.1])
    masked = np.array([[0.5, 0.3, 0.2],   # 0.6 - 0.5
                       [0.2, 0.7, 0.1],   # 0.6 - 0.2 + (0.7 - 0.3)
                       [0.7, 0.2, 0.1]])  # 0.6 - 0.7
    np.testing.assert_allclose(importance.drop_with_flip(original, masked, 0), [0.1, 0.8, -0.1])
    np.testing.assert_allclose(importance.drop(original, masked, 0), [0.1, 0.4, -0.1])
    assert importance.ranking(np.array([0.1, 0.8, 0.1, 0.8, -1])) == [1, 3, 0, 2, 4]


def test_leave_one_out_keeps_the_rest_byte_for_byte():
    segments = ("It  is\tbad, bad.", "No. ")
    chosen = [w for w in words(segments) if w.text in ("bad", "No")]
    assert list(importance.leave_one_out(segments, chosen)) == [
        ("It  is\t[UNK], bad.", "No. "), ("It  is\tbad, [UNK].", "No. "), ("It  is\tbad, bad.", "[UNK]. ")]


def test_the_published_list_of_words_left_alone():
    assert len(LI_2020) == 266
    assert not {"have", "be", "do", "will", "should"} & LI_2020
    assert {"not", "never", "isn't", "hundred", "one"} <= LI_2020 < FUNCTION_WORDS


# ---- the published variants, by hand

TEXT = "Good News\nfor All voters today"  # read as: good newsfor all voters today
PROPOSALS = {
    "good": one(["fine", "good", "bad", "##ly", "the", "nice"], [3, 2, 1, 0.9, 0.8, 0.2]),
    "newsfor": [(["news", "##x", "bulk"], [3, 2, 1]), (["##for", "to"], [2, 1])],
    "voters": one(["people", "men"], [1, 1]),
    "today": one(["tomorrow"]),
}
MASKED = [("[UNK] newsfor all voters today",), ("good [UNK] all voters today",),
          ("good newsfor [UNK] voters today",), ("good newsfor all [UNK] today",)]
BASE = {("Good News\nfor All voters today",): 0.95, ("good news\nfor all voters today",): 0.9,
        MASKED[0]: 0.6, MASKED[1]: 0.8, MASKED[2]: 0.1, MASKED[3]: 0.7}


def test_bodega_by_hand(play):
    table = BASE | {("fine newsfor all voters today",): 0.85, ("bad newsfor all voters today",): 0.7,
                    ("bad newsfor all people today",): 0.6, ("bad newsfor all men today",): 0.4}
    result, requests = play(BertAttack(variant="bodega"), TEXT, table.__getitem__, PROPOSALS)
    assert result == ("bad newsfor all men today",)
    assert asked(requests) == [
        [("good news\nfor all voters today",)],  # the line break is only deleted from the words
        MASKED,  # every word but the last; "all" ranks first and is left alone
        [("fine newsfor all voters today",), ("bad newsfor all voters today",)],  # the logit of "nice" is below 0.3
        [("bad newsfor all people today",), ("bad newsfor all men today",)],
    ]
    [proposal] = [r for r in requests if isinstance(r, Propose)]
    assert proposal == Propose(("good", "newsfor", "all", "voters", "today"), 36, (0, 1, 3), whole=True)


def test_bodega_keeps_the_last_try_where_nothing_helped(play):
    table = BASE | {("fine newsfor all voters today",): 0.92, ("bad newsfor all voters today",): 0.95,
                    ("bad newsfor all people today",): 0.8, ("bad newsfor all men today",): 0.85}
    result, requests = play(BertAttack(variant="bodega"), TEXT, table.__getitem__, PROPOSALS)
    assert result is None
    assert asked(requests)[-1] == [("bad newsfor all people today",), ("bad newsfor all men today",)]


@pytest.mark.parametrize("variant, count, visited", [("bodega", 5, 2), ("bodega", 9, 2), ("bodega", 10, 3),
                                                     ("paper", 5, 3), ("hardtext", 5, 1), ("hardtext", 10, 2)])
def test_how_many_words_may_change(play, variant, count, visited):
    """The published cap is tested before each word, so one more than the share may change."""
    names = ["tax", "war", "law", "city", "state", "group", "party", "lie", "truth", "peace"][:count]

    def probability(segments):  # every change helps a little, none is enough
        return 0.9 - 0.01 * segments[0].count("xx") - 0.001 * segments[0].count("UNK")

    result, requests = play(BertAttack(variant=variant), " ".join(names), probability, {n: one(["xx"]) for n in names})
    assert result is None
    changes = [texts for texts in asked(requests) if "xx" in texts[0][0]]
    assert len(changes) == visited
    assert changes[-1][0][0].count("xx") == visited


@pytest.mark.parametrize("variant, kept", [("bodega", "xx"), ("paper", "yy")])
def test_bodega_takes_the_softmax_of_probabilities_as_openattack_does(variant, kept):
    """With three classes that changes which candidate hurts most: e^.5 / (e^.5 + e^.49 + e^.01) = 0.384, but
    e^.495 / (e^.495 + 2 e^.2525) = 0.389."""
    target = Target(("aa bb cc dd ee ff",), np.array([0.8, 0.1, 0.1]), random.Random(0))
    steps = BertAttack(variant=variant).steps(target)
    assert next(steps).texts == [("aa bb cc dd ee ff",)]
    assert isinstance(steps.send(np.array([[0.8, 0.1, 0.1]])), Propose)
    two = [(["xx", "yy"], np.array([5.0, 4.0], np.float32))]
    masked = steps.send([two, two, [], [], [], []])
    assert len(masked.texts) == 5
    tried = steps.send(np.array([[0.6, 0.2, 0.2], *[[0.7, 0.15, 0.15]] * 4]))
    assert list(tried.texts) == [("xx bb cc dd ee ff",), ("yy bb cc dd ee ff",)]
    then = steps.send(np.array([[0.5, 0.49, 0.01], [0.495, 0.2525, 0.2525]]))
    assert then.texts[0] == (f"{kept} xx cc dd ee ff",)


def test_paper_ranks_combinations_of_pieces_by_perplexity(play):
    table = BASE | {MASKED[1]: 0.05}  # the word of two pieces is the first

    def probability(segments):
        return table.get(segments, 0.9)

    _, requests = play(BertAttack(variant="paper"), TEXT, probability, PROPOSALS)
    [combinations] = [r for r in requests if isinstance(r, Perplexity)]
    assert combinations.texts == (("news", "##for"), ("news", "to"), ("##x", "##for"), ("##x", "to"),
                                  ("bulk", "##for"), ("bulk", "to"))
    # by rising perplexity (here the number of letters); pieces that cannot begin a word are left out
    assert asked(requests)[2] == [("good news to all voters today",), ("good bulk to all voters today",),
                                  ("good bulkfor all voters today",)]
    assert [r.whole for r in requests if isinstance(r, Propose)] == [False]


def test_long_words_have_a_bounded_number_of_candidates(play):
    """Not k^pieces (github.com/QData/TextAttack/issues/586)."""
    pieces = [([f"p{i}{j}" for j in range(48)], [1.0] * 48) for i in range(15)]
    _, requests = play(BertAttack(variant="paper"), "antidisestablishmentarianism hydroxychloroquine now",
                       lambda t: 0.9, {"antidisestablishmentarianism": pieces, "hydroxychloroquine": pieces})
    combinations = [r for r in requests if isinstance(r, Perplexity)]
    assert [len(r.texts) for r in combinations] == [24, 24]
    assert all(len(t) == 12 for r in combinations for t in r.texts)
    assert max(map(len, asked(requests))) <= 24


def test_bodega_reads_a_pair_as_one_text_and_never_touches_the_separator(play):
    def probability(segments):
        return 0.9 - 0.1 * sum(s.count("xx") for s in segments)

    attack = BertAttack(variant="bodega", max_changed=1.0)
    result, requests = play(attack, ("Evidence  Tax. ", "War\n~ now"), probability,
                            {"evidence": one(["xx"]), "war": one(["xx"]), "~": one(["xx"])})
    [proposal] = [r for r in requests if isinstance(r, Propose)]
    assert proposal.words == ("evidence", "", "tax.", "", "~", "war~", "now")
    assert asked(requests)[0] == [("evidence  tax. ", "war\n~ now")]
    masked = asked(requests)[1]
    assert masked[0] == ("[UNK]  tax. ", "war~ now")
    assert masked[4] == ("evidence  tax.  [UNK] war~ now", "")  # no separator: a first text without a second
    assert masked[5] == ("evidence  tax. ", "[UNK] now")
    assert len(masked) == 6
    assert result is None
    assert asked(requests)[2:] == [[("xx  tax. ", "war~ now")]]


@pytest.mark.parametrize("variant", ["bodega", "paper"])
def test_one_word_is_not_an_error(play, variant):
    result, requests = play(BertAttack(variant=variant), "Fake", lambda t: 0.9, {"fake": one(["xx"])})
    assert result is None and asked(requests) == [[("fake",)]]


# ---- the sound variant

def test_hardtext_by_hand(play):
    text = "The Senator LIED,  again; and \"voters\" don't know."
    proposals = {
        "Senator": one(["senator", "governor", "##s", "the", "[UNK]", "12", "x", "mayor"]),
        "LIED": one(["said", "LIED", "lies"]),
        "voters": one(["people"]),
        "know": [(["a"], [1.0]), (["##b"], [1.0])],  # two pieces
    }

    def probability(segments):
        [t] = segments
        return {"again": 0.9}.get(t, 0.95 - 0.3 * ("LIES" in t) - 0.2 * ("Mayor" in t) - 0.05 * ("UNK" in t)
                                  - 0.1 * ("The [UNK]" in t))

    result, requests = play(BertAttack(max_changed=0.5), text, probability, proposals)
    [proposal] = [r for r in requests if isinstance(r, Propose)]
    split = ("The", "Senator", "LIED", ",", "again", ";", "and", '"', "voters", '"', "don't", "know", ".")
    assert proposal.words == split
    assert [split[i] for i in proposal.wanted] == ["Senator", "LIED", "voters", "know"]
    assert asked(requests) == [
        [(text.replace(w, "[UNK]"),) for w in ("Senator", "LIED", "voters")],
        [(text.replace("Senator", w),) for w in ("Governor", "Mayor")],
        [(text.replace("Senator", "Mayor").replace("LIED", w),) for w in ("SAID", "LIES")],
    ]
    assert result == ("The Mayor LIES,  again; and \"voters\" don't know.",)


def test_hardtext_keeps_an_edit_only_where_it_helps_beyond_the_ones_before(play):
    """The second word's candidate is better than the original, but worse than what is kept already."""
    levels = {"tax war law": 0.9, "[UNK] war law": 0.6, "tax [UNK] law": 0.7, "tax war [UNK]": 0.8,
              "fee war law": 0.6, "fee fight law": 0.7, "fee war rule": 0.58}
    _, requests = play(BertAttack(max_changed=1.0), "tax war law", lambda t: levels[t[0]],
                       {"tax": one(["fee"]), "war": one(["fight"]), "law": one(["rule"])})
    assert asked(requests)[1:] == [[("fee war law",)], [("fee fight law",)], [("fee war rule",)]]


def test_hardtext_attacks_the_last_word_and_each_side_of_a_pair(play):
    def probability(segments):
        return 0.9 - 0.5 * segments[1].endswith("peace")

    result, requests = play(BertAttack(), ("The war.", "We want war"), probability, {"war": one(["peace"])})
    assert [r.words for r in requests if isinstance(r, Propose)] == [("The", "war", "."), ("We", "want", "war")]
    assert result == ("The war.", "We want peace")


LINES = st.lists(st.sampled_from([
    "Many older U.S. adults don't", "'CCC' slovakia_slota well-known e.g. 3.5%", "  ", "\n", "Good, bad!",
    "The state; the tax", "It’s a LIE", "Iran", "é́ أخبار"]), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(first=LINES, second=st.none() | LINES, seed=st.integers(0, 9))
def test_hardtext_changes_nothing_but_whole_words(bag_victim, fake_masked_lm, first, second, seed):
    segments = tuple(" ".join(lines) for lines in (first, second) if lines is not None)
    [a] = run(BertAttack(max_changed=1.0), bag_victim(), [Example("1", segments, 0)], domain="d", seed=seed,
              masked_lm=fake_masked_lm())
    if a.status == "success":
        assert a.adversarial != segments

        def frame(s):
            return re.sub(r"(?<!\w)[^\W\d_]+(?!\w)", "X", s)

        assert [frame(s) for s in a.adversarial] == [frame(s) for s in segments]


def test_the_window_of_the_masked_lm_is_respected(bag_victim, fake_masked_lm):
    """Words past it get no candidates and stay as they are, in every variant."""
    text = " ".join(f"tax{i} law" for i in range(20))
    for variant in ("hardtext", "bodega", "paper"):
        [a] = run(BertAttack(variant=variant, max_changed=1.0), bag_victim(), [Example("1", text, 0)], domain="d",
                  seed=0, masked_lm=fake_masked_lm(6))
        assert a.status in ("success", "failed")
        if a.adversarial:
            assert a.adversarial[0].split(" ")[6:] == text.split(" ")[6:]


# ---- settings

@pytest.mark.parametrize("settings, message", [
    ({"variant": "sharedtask"}, "attack.variant=sharedtask: expected one of hardtext, bodega, paper"),
    ({"k": 0}, "attack.k=0: expected at least 1"),
    ({"max_changed": 1.5}, "attack.max_changed=1.5"),
    ({"max_changed": 0}, "attack.max_changed=0"),
    ({"subwords": True}, "attack.subwords=True: attack.variant=hardtext does not use it"),
    ({"subset": 0}, "attack.subset=0"),
])
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        BertAttack(**settings)


def test_a_setting_overrides_the_variant(play):
    _, requests = play(BertAttack(variant="bodega", k=3, subwords=True), TEXT, BASE.get, {})
    assert (requests[1].k, requests[1].whole) == (3, False)
    assert replace(BertAttack(), k=5).k == 5
