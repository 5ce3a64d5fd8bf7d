from __future__ import annotations

import numpy as np
import pytest

from hardtext import text
from hardtext.attacks import BeamAttack
from hardtext.attacks.beam_attack import DELETED, render
from hardtext.attacks.constraints import Constraints
from hardtext.attacks.engine import run
from hardtext.attacks.requests import Fill, Meaning, Score, Similar
from hardtext.core import Example, InputError


@pytest.fixture
def walk(converse):
    def _walk(attack, segments, probability, fill, meaning=None, seed=0, window=None):
        """(result, requests). ``probability(segments)`` is that of class 0 of two, or a row; ``fill(left, right)`` the
        masked LM's pieces for a context; ``meaning(segments)`` a semantic score."""
        def rows(texts):
            found = [probability(t) for t in texts]
            return np.array([f if isinstance(f, (list, tuple)) else [f, 1 - f] for f in found], float)

        def others(request):
            if isinstance(request, Fill):
                return [(list(fill(*c))[:request.k], np.zeros(request.k)) for c in request.contexts]
            if isinstance(request, Similar):
                return np.array([1.0 if "near" in b else 0.0 for _, b in request.pairs])
            assert isinstance(request, Meaning)
            return np.array([meaning(t) for t in request.texts])

        segments = (segments,) if isinstance(segments, str) else segments
        return converse(attack.steps, segments, rows, others, seed, window)

    return _walk


def scored(requests):
    """The texts of each request about candidates."""
    return [[t if len(t) > 1 else t[0] for t in r.texts] for r in requests if isinstance(r, Score) and not r.probe]


def total(worth, base=0.9):
    """A victim that loses what each word is worth to it when the word is missing."""
    return lambda segments: base - sum(v for word, v in worth.items()
                                       if word not in [w.text for w in text.words(segments)])


# ---- the search

def test_replace_keep_delete_by_hand(walk):
    """Two words, two beams, nothing flips: every text that is asked, in order."""
    result, requests = walk(BeamAttack(beams=2, width=3), "Bad, lie!", total({"Bad": 0.1, "lie": 0.05}),
                            lambda left, right: ["good", "##ly", "big"])
    assert result is None
    assert scored(requests) == [
        ["Good, lie!", "Big, lie!", ", lie!"],  # "Bad" matters most: 0.8 each, and the untouched text's 0.9 is out
        ["Good, good!", "Good, big!", "Good,!", "Big, good!", "Big, big!", "Big,!"]]  # the first two of three equals


def test_importance_is_berts_over_every_word_the_last_included(walk):
    _, requests = walk(BeamAttack(max_words=2, width=1), "one two three.", total({"three": 0.2, "one": 0.1}),
                       lambda left, right: ["x"])
    assert requests[0].probe and [t[0] for t in requests[0].texts] == ["[UNK] two three.", "one [UNK] three.",
                                                                       "one two [UNK]."]
    assert [texts[0] for texts in scored(requests)] == ["one two x.", "x two x."]  # max_words=2: "two" is not tried


def test_the_masked_lm_reads_each_beams_own_text(walk):
    _, requests = walk(BeamAttack(beams=2, width=1), "a b c d", total({"b": 0.2, "c": 0.1, "a": 0.05}),
                       lambda left, right: ["x"])
    contexts = [[(" ".join(left), " ".join(right)) for left, right in r.contexts]
                for r in requests if isinstance(r, Fill)]
    assert contexts[0] == [("a", "c d")]
    assert contexts[1] == [("a x", "d"), ("a", "d")]  # b replaced, and b deleted
    assert contexts[2] == [("", "x x d"), ("", "x d")]


def test_of_equal_beams_the_one_with_fewer_changes_goes_on(walk):
    _, requests = walk(BeamAttack(beams=1, width=1), "a b", lambda t: 0.9, lambda left, right: ["x"])
    assert scored(requests) == [["x b", "b"], ["a x", "a"]]


def test_the_closest_success_wins_and_none_is_grown(walk):
    def probability(t):
        return 0.3 if "x" in t[0].split() or "y" in t[0].split() else 0.9 - 0.1 * ("z" in t[0])

    near = {"y b c": 0.9, "x b c": 0.5}
    result, requests = walk(BeamAttack(early_stop=2), "a b c", probability, lambda left, right: ["z", "x", "y"],
                            meaning=lambda t: near[t[0]])
    assert result == ("y b c",)
    assert scored(requests) == [["z b c", "x b c", "y b c", "b c"]]  # one step, asked to its end
    assert requests[-1].texts == (("x b c",), ("y b c",))
    _, requests = walk(BeamAttack(early_stop=3), "a b c", probability, lambda left, right: ["z", "x", "y"],
                       meaning=lambda t: 0.0)
    second = [r for r in requests if isinstance(r, Fill)][1]
    assert [left for left, _ in second.contexts] == [("z",), ("a",), ()]  # grown from what did not succeed


def test_of_very_many_successes_the_nearest_by_characters_are_compared(walk):
    words = [f"word{'x' * i}" for i in range(60)]
    _, requests = walk(BeamAttack(width=60), "word a", lambda t: 0.4 if "wordx" in t[0] else 0.9,
                       lambda left, right: [] if left else words, meaning=lambda t: 0.5)
    assert requests[-1].texts == tuple((f"{word} a",) for word in words[1:33])


def test_fewer_successes_than_early_stop_are_enough_at_the_end(walk):
    result, requests = walk(BeamAttack(width=1), "a b", lambda t: 0.4 if t == ("x b",) else 0.8,
                            lambda left, right: ["x"])
    assert result == ("x b",)
    assert not any(isinstance(r, Meaning) for r in requests)  # nothing to choose between


def test_a_move_to_any_class_is_a_success(walk):
    def row(t):
        return [0.4, 0.35, 0.25] if t == ("a b",) else [0.3, 0.3, 0.4] if "x" in t[0] else [0.45, 0.3, 0.25]

    result, _ = walk(BeamAttack(early_stop=1, width=1), "a b", row, lambda left, right: ["x"])
    assert result == ("x b",)  # with 0.45 and less, the published rule (below 0.5) would take the original itself


def test_what_the_victim_does_not_read_stays(walk):
    _, requests = walk(BeamAttack(width=1), "ab cd ef", lambda t: 0.9, lambda left, right: ["x"], window=(3,))
    assert [t[0] for t in requests[0].texts] == ["[UNK] cd ef"]
    assert scored(requests) == [["x cd ef", "cd ef"]]


def test_the_last_word_of_a_segment_is_not_deleted(walk):
    _, requests = walk(BeamAttack(beams=1, width=1), ("one two", "three"), total({"two": 0.2, "one": 0.1, "three": 0.05}),
                       lambda left, right: [])
    assert scored(requests) == [[("one", "three")]]  # then "one" and "three" stand alone


def test_a_deletion_that_would_break_the_separator_is_left_out(walk):
    _, requests = walk(BeamAttack(width=1), ("a tax ~ x", "no"), lambda t: 0.9, lambda left, right: [])
    texts = [t for texts in scored(requests) for t in texts]
    assert ("a ~ x", "no") in texts and ("a tax ~", "no") not in texts
    assert all(text.separator_count(t) == 2 for t in texts)


def test_lime_ranks_too(walk):
    attack = BeamAttack(importance="lime", lime_samples=200, max_words=1, width=1)
    _, requests = walk(attack, "one two three.", total({"two": 0.3}), lambda left, right: ["x"])
    assert requests[0].probe and len(requests[0].texts) == 199
    assert scored(requests)[0][0] == "one x three."
    _, requests = walk(BeamAttack(importance="lime", max_words=1), "one two", lambda t: 0.9, lambda left, right: [])
    assert len(requests[0].texts) == 499


# ---- constraints

def test_without_constraints_function_words_change(walk):
    _, requests = walk(BeamAttack(width=2), "the", lambda t: 0.9, lambda left, right: ["a", "lie"])
    assert scored(requests) == [["a", "lie"]]


def test_constraints(walk):
    def texts(text, fill, **rules):
        attack = BeamAttack(width=2, beams=3, constraints=Constraints(**rules))
        return scored(walk(attack, text, lambda t: 0.9, lambda left, right: fill)[1])

    assert texts("the lie", ["of", "tax"], stop_words=True) == [["the tax", "the"]]
    assert texts("lie tax", ["x"], max_changed=0.5) == [["x tax", "tax"], ["lie x", "lie"]]  # changed beams are full
    assert texts("lie", ["near", "far"], similarity=0.5) == [["near"]]
    assert texts("John lied", ["x"], protect_pattern="John") == [["John x", "John"]]


# ---- the text

@pytest.mark.parametrize("before, deleted, after", [
    ("a b c", "b", "a c"),
    ("a b c", "a", "b c"),
    ("a b c", "c", "a b"),
    ("a b, c", "b", "a, c"),
    ("a (b c)", "b", "a (c)"),
    ("“a b” c", "a", "“b” c"),
    ("“a b” c", "b", "“a” c"),
    ("a  b c", "b", "a  c"),
    ("a\nb c", "b", "a\nc"),
    ("a b\nc", "b", "a\nc"),
    ("'b' c", "b", "'' c"),
    ("a b+c", "b", "a +c"),
    ("a b c", "ab", "c"),
    ("a b c", "bc", "a"),
    ("b", "b", ""),
])
def test_a_deleted_word_takes_one_space_along(before, deleted, after):
    words = [w for w in text.words(before) if w.text in deleted]
    assert render((before,), dict.fromkeys(words, DELETED)) == (after,)


def test_edits_keep_every_other_byte_and_the_case(walk):
    result, _ = walk(BeamAttack(early_stop=1, width=1), "\tThe  BANK,\n“said”: e.g. no…",
                     lambda t: 0.4 if "SHOP" in t[0] else 0.9, lambda left, right: ["shop"],
                     meaning=lambda t: "The  " in t[0] and "no" in t[0] and "said" in t[0] and "e.g." in t[0])
    assert result == ("\tThe  SHOP,\n“said”: e.g. no…",)


# ---- the published form

def published(**settings):
    return BeamAttack(variant="published", **settings)


def test_published_asks_again_and_ranks_single_spaced_words(walk):
    _, requests = walk(published(max_words=1), ("a  b\nc", "d"), lambda t: 0.9, lambda left, right: [])
    assert list(requests[0].texts) == [("a  b\nc", "d")] and requests[0].probe
    assert requests[1].probe
    assert list(requests[1].texts) == [("[UNK]  b c", "d"), ("a [UNK] b c", "d"), ("a  [UNK] c", "d"),
                                       ("a  b [UNK]", "d"), ("a  b c [UNK] d", ""), ("a  b c", "[UNK]")]


def test_published_takes_a_stretch_that_reads_like_the_word(walk):
    """"big a": when "big" has become "banana", the "a" at offset 4 is found inside it."""
    def probability(t):
        return 0.5 + 0.1 * ("big" in t[0]) - 0.01 * ("banana" in t[0]) + 0.05 * (" a" in t[0])

    _, requests = walk(published(beams=1, width=1), "big a", probability,
                       lambda left, right: ["banana"] if not left else ["x"])
    asked = scored(requests)
    assert asked == [["banana a", " a"], ["bananx a", "banan a"]]


def test_published_searches_again_from_the_start_whatever_the_case(walk):
    """"lie" is deleted first, so that nothing stands at the offset of "No" any more."""
    def probability(t):
        return 0.6 + 0.2 * ("lie" in t[0]) + 0.1 * ("No" in t[0])

    _, requests = walk(published(beams=1, width=1), "lie No.", probability, lambda left, right: ["x"])
    assert scored(requests) == [["x No.", " No."], ["x x.", "x."]]
    _, requests = walk(published(beams=1, width=1), "lie No.", probability, lambda left, right: ["lie"])
    assert scored(requests) == [[" No."], [" lie.", "."]]


def test_published_pieces_and_special_tokens(walk):
    _, requests = walk(published(max_words=1, width=5), "say it", total({"say": 0.1}),
                       lambda left, right: ["[UNK]", "##ing", ".", "say", r"\1"])
    assert scored(requests)[0] == ["ing it", ". it", r"\1 it", " it"]


def test_published_a_mark_stands_for_the_gap_before_it(walk):
    _, requests = walk(published(max_words=1, width=1), "well - no", lambda t: 0.9 - 0.1 * ("-" not in t[0]),
                       lambda left, right: ["x"])
    assert scored(requests)[0] == ["well x- no", "well- no"]


def test_published_stops_in_the_middle_of_a_step(walk):
    result, requests = walk(published(early_stop=2, width=4), "a b", lambda t: 0.9 if t[0][0] in "az" else 0.1,
                            lambda left, right: ["z", "x", "y", "w"], meaning=lambda t: "y" in t[0])
    assert result == ("y b",)
    candidates = [r for r in requests if isinstance(r, Score) and r.until_flip == 0]
    assert [list(r.texts) for r in candidates] == [[("z b",), ("x b",), ("y b",), ("w b",), (" b",)],
                                                   [("y b",), ("w b",), (" b",)]]


def test_published_keeps_the_pairs_separator(walk):
    _, requests = walk(published(width=1), ("a", "b ~ c"), lambda t: 0.9, lambda left, right: ["x"])
    texts = [t for texts in scored(requests) for t in texts]
    assert all(text.separator_count(t) == 2 for t in texts)
    assert ("x", "b ~ c") in texts and ("a", "b ~ x") in texts


def test_published_fails_on_one_word(walk):
    result, requests = walk(published(), "lie", lambda t: 0.9, lambda left, right: ["x"])
    assert result is None and len(requests) == 1


def test_published_lime_ranks_runs_of_letters(walk):
    attack = published(importance="lime", lime_samples=50, max_words=1, width=1)
    _, requests = walk(attack, ("a", "it's true"), total({"it's": 0.3}), lambda left, right: ["x"])
    assert set(" ".join(sum(requests[1].texts[:], ())).replace("UNKWORDZ", "").replace("'", " ").split()) <= {
        "a", "it", "s", "true"}
    assert scored(requests)[0][0] in (("a", "x's true"), ("a", "it'x true"))


# ---- settings

@pytest.mark.parametrize("settings, message", [
    ({"variant": "bodega"}, "attack.variant=bodega: expected one of hardtext, published"),
    ({"importance": "shap"}, "attack.importance=shap: expected one of logit, lime"),
    ({"beams": 0}, "attack.beams=0: expected at least 1"),
    ({"max_words": 0}, "attack.max_words=0: expected at least 1"),
    ({"importance": "lime", "lime_samples": 1}, "attack.lime_samples=1: expected at least 2"),
    ({"lime_samples": 50}, "attack.lime_samples=50: attack.importance=logit does not use it"),
    ({"semantic": "sbert"}, "attack.semantic=sbert: expected one of minilm, bleurt"),
    ({"variant": "published", "constraints": Constraints(stop_words=True)},
     "attack.constraints.stop_words=True: attack.variant=published does not use it"),
])
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError) as refused:
        BeamAttack(**settings)
    assert message in str(refused.value) and "\n" not in str(refused.value)


def test_the_defaults_are_the_submissions():
    attack = BeamAttack()
    assert (attack.beams, attack.width, attack.early_stop, attack.importance) == (10, 30, 10, "logit")


def test_the_budget_of_queries_holds(victim, models):
    [a] = run(BeamAttack(), victim, [Example("1", "The state and the party said no to peace.", 0)], domain="d", seed=0,
              max_queries=20, **models)
    assert a.status == "budget" and a.queries <= 20
