"""The attack by hand: a victim and a language model that are functions, no engine and no server."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext import text
from hardtext.attacks.base import Target
from hardtext.attacks.requests import Complete, Score
from hardtext.attacks.rewrite import DEPTH, Rewrite
from hardtext.attacks.rewrite_changes import Change, apply, cut
from hardtext.attacks.rewrite_prompts import PROMPTS, message, rewritten
from hardtext.core import InputError

URL = "http://localhost:8000/v1"


def rewrite(**settings):
    return Rewrite(**{"base_url": URL, "per_prompt": 1, **settings})


def play(attack, segments, probability, complete, window=None, seed=0):
    """(result, the texts scored, the completions asked). ``probability(segments)`` is that of the original's class;
    ``complete(prompt)`` is the model's answer."""
    segments = (segments,) if isinstance(segments, str) else segments

    def rows(texts):
        return np.array([[p, 1 - p] for p in map(probability, texts)]).reshape(-1, 2)

    steps = attack.steps(Target(segments, rows([segments])[0], random.Random(seed), window))
    answer, scored, asked = None, [], []
    try:
        while True:
            request = steps.send(answer)
            if isinstance(request, Complete):
                asked.append(request)
                answer = [complete(p) for p in request.prompts]
                continue
            assert isinstance(request, Score) and len(request.texts)
            texts = list(request.texts)
            answer = rows(texts)
            if request.until_flip is not None:
                assert request.until_flip == 0
                flips = np.flatnonzero(answer.argmax(1) != 0)
                answer = answer[:flips[0] + 1] if flips.size else answer
            scored.append(texts[:len(answer)])
    except StopIteration as end:
        return end.value, scored, asked


def by_prompt(**answers):
    """A model that knows the prompts by name."""
    return lambda prompt: next(answer for name, answer in answers.items() if prompt.startswith(PROMPTS[name]))


def holds(*words):
    """A victim that changes its mind on a text with one of the words."""
    return lambda segments: 0.3 if any(w in s for s in segments for w in words) else 0.9


# ---- whole rewritings

def test_the_first_prompt_that_moves_the_prediction_wins_and_later_ones_are_not_asked():
    model = by_prompt(paraphrase="He told a lie.", word_choice="He fibbed.")
    found, scored, asked = play(rewrite(), "He lied.", holds("told"), model)
    assert found == ("He told a lie.",)
    assert scored == [[("He told a lie.",)]]
    assert [a.prompts for a in asked] == [(message("paraphrase", "He lied."),)]

    found, scored, asked = play(rewrite(), "He lied.", holds("fib"), model)
    assert found == ("He fibbed.",) and len(asked) == 2
    assert play(rewrite(prompts=["word_choice"]), "He lied.", holds("told"), model)[0] is None


def test_closest_asks_everything_and_takes_the_flip_nearest_to_the_original():
    model = by_prompt(paraphrase="It is said that he told a lie.", word_choice="He fibbed.", formal="He lies.")
    attack = rewrite(pick="closest", prompts=["paraphrase", "word_choice", "formal"])
    found, scored, asked = play(attack, "He lied.", holds("told", "fib"), model)
    assert found == ("He fibbed.",)
    assert len(asked) == len(scored) == 1 and len(scored[0]) == 3


def test_completions_are_verified_once_each_and_in_order():
    answers = iter(["He fibbed.", "He lies.", "He fibbed.", "He is lying."])
    attack = rewrite(per_prompt=4, prompts=["change"])
    _, scored, asked = play(attack, "He lied.", lambda s: 0.9, lambda p: next(answers))
    assert scored == [[("He fibbed.",), ("He lies.",), ("He is lying.",)]]
    assert len(asked[0].prompts) == len(set(asked[0].seeds)) == 4


def test_seeds_depend_on_the_example_alone():
    seeds = [play(rewrite(per_prompt=2), "He lied.", lambda s: 0.9, lambda p: "", seed=s)[2] for s in (1, 1, 2)]
    assert [a.seeds for a in seeds[0]] == [a.seeds for a in seeds[1]]
    assert seeds[0][0].seeds != seeds[2][0].seeds and seeds[0][0].seeds != seeds[0][1].seeds
    assert all(0 <= s < 2 ** 31 for a in seeds[0] for s in a.seeds)
    assert play(rewrite(send_seed=False), "He lied.", lambda s: 0.9, lambda p: "")[2][0].seeds == (None,)


@pytest.mark.parametrize("answer", ["", "   ", "He lied.", '"He lied."', "!!!", "I'm sorry, but I can't help with that.",
                                    "He ~ lied.", "He lied. " * 20])
def test_unusable_completions_are_never_verified(answer):
    found, scored, _ = play(rewrite(), "He lied.", lambda s: 0.9, lambda p: answer)
    assert (found, scored) == (None, [])


def test_the_length_limit_holds_in_both_directions():
    old = "a" * 99 + " "  # the slack of 20 characters on top of twice the length
    for new, usable in (("b" * 219, True), ("b" * 220, False), ("b" * 39, True), ("b" * 38, False)):
        scored = play(rewrite(), old, lambda s: 0.9, lambda p, new=new: new)[1]
        assert bool(scored) == usable, len(new)
    assert play(rewrite(max_ratio=3), old, lambda s: 0.9, lambda p: "b" * 220)[1]


# ---- pairs

PAIR = ("The tax rose.", "He lied.")


def test_only_the_claim_of_a_pair_is_rewritten_and_the_model_never_sees_the_separator():
    _, scored, asked = play(rewrite(prompts=["formal"]), PAIR, lambda s: 0.9, by_prompt(formal="He was untruthful."))
    assert scored == [[("The tax rose.", "He was untruthful.")]]
    assert asked[0].prompts == (message("formal", "He lied."),)


def test_both_segments_are_rewritten_each_by_itself_the_claim_tried_first():
    def model(prompt):
        return "Taxes went up." if "tax" in prompt else "He fibbed."

    _, scored, asked = play(rewrite(prompts=["formal"], segments="both"), PAIR, lambda s: 0.9, model)
    assert scored == [[("The tax rose.", "He fibbed."), ("Taxes went up.", "He lied."), ("Taxes went up.", "He fibbed.")]]
    assert asked[0].prompts == (message("formal", "The tax rose."), message("formal", "He lied."))


def test_a_segment_without_words_is_left_alone():
    found, scored, asked = play(rewrite(segments="both"), ("", "He lied."), holds("fib"), lambda p: "He fibbed.")
    assert found == ("", "He fibbed.") and len(asked[0].prompts) == 1
    assert play(rewrite(), ("He lied.", "?!"), lambda s: 0.9, lambda p: "x")[2] == []


def test_a_text_that_holds_the_separator_keeps_as_many():
    model = by_prompt(paraphrase="one more ~ and ~ one", word_choice="this ~ that")
    found, scored, _ = play(rewrite(), ("evidence", "that ~ this"), lambda s: 0.9, model)
    assert scored == [[("evidence", "this ~ that")]]


def test_what_the_victim_does_not_read_is_neither_sent_nor_changed():
    old = "The mayor lied again and again."
    found, _, asked = play(rewrite(), old, holds("fibbed"), lambda p: "The mayor fibbed", window=(17,))
    assert asked[0].prompts == (message("paraphrase", "The mayor lied"),)  # "ag" is half a word
    assert found == ("The mayor fibbed again and again.",)
    assert play(rewrite(), old, lambda s: 0.9, lambda p: "", window=(14,))[2][0].prompts[0].endswith("\n\nThe mayor lied")


# ---- pieces

def changes(old, new):
    return [(c.start, c.end, c.new) for c in cut(0, old, new)]


def test_a_rewriting_is_cut_into_small_changes():
    assert changes("The bad man lied.", "The evil man lied.") == [(4, 7, "evil")]
    assert changes("The bad man lied.", "The man lied.") == [(3, 7, "")]
    assert changes("The man lied.", "The bad man lied.") == [(3, 3, " bad")]
    assert changes("Bad man lied.", "man lied.") == [(0, 4, "")]
    assert changes("man lied.", "A man lied.") == [(0, 0, "A ")]
    assert changes("He lied", "He lied.") == [(7, 7, ".")]
    assert changes("a b c d", "x b c y z") == [(0, 1, "x"), (6, 7, "y z")]
    assert changes("He  lied.", "He lied.") == []


WORDS = st.lists(st.sampled_from("tax war law peace state . , ! don't é U.S.".split()), min_size=1, max_size=12)


@given(WORDS, WORDS)
def test_all_changes_together_give_the_words_of_the_rewriting(old, new):
    old, new = " ".join(old), " ".join(new)
    all_of_them = list(cut(0, old, new))
    assert all(a.apart(b) for i, a in enumerate(all_of_them) for b in all_of_them[:i])
    (result,) = apply((old,), all_of_them)
    assert [w.text for w in text.words(result)] == [w.text for w in text.words(new)]


def test_changes_that_overlap_or_touch_are_not_apart():
    change = Change(0, 3, 7, "x")
    assert not change.apart(change) and not change.apart(Change(0, 7, 9, "")) and not change.apart(Change(0, 0, 3, ""))
    assert change.apart(Change(0, 8, 9, "")) and change.apart(Change(0, 0, 2, "")) and change.apart(Change(1, 3, 7, "x"))


def test_one_change_is_enough_where_one_moves_the_prediction():
    new = "The evil man told lies about taxes."
    found, scored, _ = play(rewrite(variant="pieces"), "The bad man told lies about tax.", holds("taxes"), lambda p: new)
    assert found == ("The bad man told lies about taxes.",)
    assert scored == [[("The evil man told lies about tax.",), found]]  # the shorter change first


def test_the_most_effective_changes_are_combined_and_harmful_ones_left_out():
    old, new = "one two three four five six seven eight nine", "ONE two THREE four FIVE six SEVEN eight NINE"
    fall = {"ONE": 0.05, "THREE": 0.1, "FIVE": 0.2, "SEVEN": -0.05, "NINE": 0.15}

    def probability(segments):
        return 0.9 - sum(drop for word, drop in fall.items() if word in segments[0])

    found, scored, _ = play(rewrite(variant="pieces", width=1), old, probability, lambda p: new)
    assert len(scored[0]) == 5
    assert scored[1:] == [[("one two three four FIVE six seven eight NINE",)],
                          [("one two THREE four FIVE six seven eight NINE",)]]
    assert found == ("one two THREE four FIVE six seven eight NINE",)
    assert play(rewrite(variant="pieces", width=3), old, probability, lambda p: new)[0] == found


def test_a_wider_beam_finds_what_only_a_pair_of_weaker_changes_does():
    old, new = "one two three four five", "ONE two THREE four FIVE"

    def probability(segments):
        if "THREE" in segments[0] and "FIVE" in segments[0] and "ONE" not in segments[0]:
            return 0.1
        return 0.9 - 0.3 * ("ONE" in segments[0]) - 0.1 * ("THREE" in segments[0]) - 0.05 * ("FIVE" in segments[0])

    def found(width):
        attack = rewrite(variant="pieces", width=width, prompts=["change"])
        return play(attack, old, lambda s: max(0.51, probability(s)) if "ONE" in s[0] else probability(s),
                    lambda p: new)[0]

    assert found(1) is None
    assert found(2) == ("one two THREE four FIVE",)


def test_a_victim_that_gives_only_labels_gets_the_combinations_too():
    old, new = "one two three", "ONE two THREE"
    found, _, _ = play(rewrite(variant="pieces"), old, lambda s: 0.0 if s == (new,) else 1.0, lambda p: new)
    assert found == (new,)


def test_pieces_of_several_rewritings_are_pooled_when_all_are_asked():
    model = by_prompt(paraphrase="ONE two three", word_choice="one two THREE")

    def victim(s):
        return 0.3 if s == ("ONE two THREE",) else 0.9

    assert play(rewrite(variant="pieces"), "one two three", victim, model)[0] is None
    found, _, asked = play(rewrite(variant="pieces", pick="closest"), "one two three", victim, model)
    assert found == ("ONE two THREE",) and len(asked) == 1


@pytest.mark.parametrize("words", [1, 40, 3000])
def test_the_search_is_bounded(words):
    old = " ".join(f"w{i} same" for i in range(words))
    new = " ".join(f"v{i} same" for i in range(words))
    found, scored, _ = play(rewrite(variant="pieces", prompts=["change"]), old, lambda s: 0.9, lambda p: new)
    assert found is None
    assert sum(map(len, scored)) <= words + (DEPTH - 1) * 9
    assert len(scored) == min(words, DEPTH)


def test_pieces_keep_the_separators_of_a_pair():
    pair, new = ("evidence", "that ~ this is so"), "those ~ this is ~ so"
    _, scored, _ = play(rewrite(variant="pieces", prompts=["change"]), pair, lambda s: 0.9, lambda p: new)
    assert scored == [[("evidence", "those ~ this is so")]]


# ---- what is taken of an answer

OLD = "The mayor lied about the tax."
NEW = "The mayor told a lie."


@pytest.mark.parametrize("answer", [
    NEW, f'"{NEW}"', f"“{NEW}”", f"  {NEW}\n", f"**{NEW}**", f'**"{NEW}"**', f"```\n{NEW}\n```", f"```text\n{NEW}\n```",
    f"Here is a paraphrase:\n\n{NEW}", f"Sure! Here's a paraphrased version of the text: {NEW}", f"Sure!\n\n{NEW}",
    f"**Rewritten text:** {NEW}", f"Paraphrase: {NEW}", f"1. {NEW}\n2. He fibbed.\n3. He lies.", f"- {NEW}\n- He fibbed.",
    f"Here are three paraphrases of the text:\n\n1. {NEW}\n2. He fibbed.", f"<think>Let me see:\n1. hm</think>\n\n{NEW}",
    f"{NEW}\n\nNote: I changed the verb.", f"{NEW}\n\n(Note: the verb is new.)", f"{NEW}\n\nLet me know if you want more!",
    "The mayor\ntold a lie.", f'Here is the text in a formal style:\n\n"{NEW}"\n\nI hope this helps!',
])
def test_wrappings_are_taken_off(answer):
    assert rewritten(answer, OLD) == NEW


@pytest.mark.parametrize("answer", [
    "Republicans said in a statement: no new tax.", "Of course, he lied.", "Here are three facts: a, b and c.",
    "I can't believe he lied.", '"A" and "B"', "Claims of the mayor: all lies.", "I'm sorry to say he lied.",
    "He told a 10 - 3 lie.", "Note that he lied.",
])
def test_texts_that_only_look_wrapped_stay(answer):
    assert rewritten(answer, OLD) == answer


@pytest.mark.parametrize(("old", "answer"), [
    ('"He lied."', '"He fibbed."'), ("1. He lied.", "1. He fibbed."), ("Answer: he lied.", "Answer: he fibbed."),
    ("a\nb", "c\nd"), ("x\n\nNote: he lied.", "y\n\nNote: he fibbed."), ("I'm sorry, I can't help you.",
                                                                         "Sorry, I can't help you."),
])
def test_what_the_original_has_itself_stays(old, answer):
    assert rewritten(answer, old) == answer


@pytest.mark.parametrize("answer", ["", " \n", "<think>never ends", "I'm sorry, but I can't assist with that.",
                                    "I cannot rewrite this claim.", "As an AI language model, I must not."])
def test_no_rewriting(answer):
    assert rewritten(answer, OLD) == ""


def test_the_blanks_around_the_original_and_its_broken_characters_do_no_harm():
    assert rewritten(NEW, f" \n{OLD}\t") == f" \n{NEW}\t"
    assert rewritten("half \ud83d", OLD) == "half \ufffd"
    assert message("formal", "half \ud83d").endswith("half \ufffd")


@given(st.text(), st.text(min_size=1))
def test_any_answer_is_read_without_an_error(answer, original):
    assert isinstance(rewritten(answer, original), str)


def test_own_instructions():
    assert message("Say {text} louder: {text}!", "no") == "Say no louder: no!"
    assert len(set(PROMPTS.values())) == len(PROMPTS) == 7
    rewrite(prompts=["paraphrase", "As a pirate: {text}"])


# ---- settings

@pytest.mark.parametrize(("settings", "words"), [
    ({"base_url": ""}, ["attack.base_url", "http://localhost:8000/v1"]),
    ({"base_url": "localhost:8000"}, ["attack.base_url=localhost:8000", "http"]),
    ({"base_url": "http://"}, ["attack.base_url=http://", "http"]),
    ({"base_url": "http://[::1"}, ["attack.base_url"]),
    ({"base_url": "http://host:99999"}, ["attack.base_url"]),
    ({"key_env": "sk-not-a-name"}, ["attack.key_env", "name of an environment variable"]),
    ({"variant": "paper"}, ["attack.variant=paper", "hardtext, pieces"]),
    ({"segments": "first"}, ["attack.segments=first", "last, both"]),
    ({"pick": "best"}, ["attack.pick=best", "first, closest"]),
    ({"prompts": []}, ["attack.prompts", "paraphrase"]),
    ({"prompts": ["translate"]}, ["attack.prompts=translate", "paraphrase", "{text}"]),
    ({"per_prompt": 0}, ["attack.per_prompt=0"]), ({"max_ratio": 0.5}, ["attack.max_ratio=0.5"]),
    ({"variant": "pieces", "width": 0}, ["attack.width=0"]), ({"width": 3}, ["attack.width=3", "does not use it"]),
    ({"timeout": 0}, ["attack.timeout=0"]), ({"retries": -1}, ["attack.retries=-1"]),
    ({"concurrency": 0}, ["attack.concurrency=0"]), ({"temperature": -1}, ["attack.temperature=-1"]),
    ({"max_tokens": 0}, ["attack.max_tokens=0"]), ({"max_ratio": float("nan")}, ["attack.max_ratio=nan"]),
])
def test_settings_that_cannot_be_are_refused_in_one_line(settings, words):
    with pytest.raises(InputError) as error:
        rewrite(**settings)
    assert all(w in str(error.value) for w in words) and "\n" not in str(error.value)


@pytest.mark.parametrize("settings", [{"key_env": "sk-s3cret-key-000"}, {"base_url": "http://u:sk-s3cret-key-000@host/v1"},
                                      {"base_url": "http://host/v1?key=sk-s3cret-key-000"}])
def test_a_key_given_in_the_wrong_place_is_not_repeated(settings):
    with pytest.raises(InputError) as error:
        rewrite(**settings)
    assert "s3cret" not in str(error.value) and "environment variable" in str(error.value)
