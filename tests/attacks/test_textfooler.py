from __future__ import annotations

import random

import numpy as np
import pytest

from hardtext.attacks.base import Target
from hardtext.attacks.constraints import NEIGHBOURLY, Constraints
from hardtext.attacks.engine import run
from hardtext.attacks.punct_tokens import PunctTokens, synonyms
from hardtext.attacks.requests import Score, Similar
from hardtext.attacks.textfooler import OWN, SIMILAR, SIMILAR_SHORT, WINDOW, K, TextFooler
from hardtext.core import Example, InputError

VECTORS = """\
liar 1.0 0.0
fibber 0.96 0.28
cheat 0.8 0.6
honest 0.6 0.8
tells 0.0 1.0
says 0.28 0.96
states 0.352 0.936
told 0.1 0.995
"""


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    path = tmp_path_factory.mktemp("vectors") / "small.txt"
    path.write_text(VECTORS, "utf-8")
    return str(path)


def texts(request):
    return [t[0] for t in request.texts]


def test_by_hand(play, vectors):
    """The word whose loss hurts more comes first; of its neighbours that keep cosine and form the worst is kept; at the
    next word the most similar of the texts that move the prediction wins, not the first."""
    text = "The LIAR  tells it."

    def probability(segments):
        [t] = segments
        if t == "The   tells it.":
            return 0.5
        if "LIAR" not in t and ("states" in t or "says" in t):
            return 0.2
        return 0.9 - 0.1 * ("CHEAT" in t) - 0.05 * ("FIBBER" in t)

    result, requests = play(TextFooler(vectors=vectors), text, probability,
                            similar=lambda a, b: 0.99 if "states" in b else 0.9)
    masked, first, asked, second, last = requests
    assert masked.probe and texts(masked) == ["The   tells it.", "The LIAR   it."]
    assert first.pairs == (("The LIAR  tells it", "The FIBBER  tells it"), ("The LIAR  tells it", "The CHEAT  tells it"))
    assert texts(asked) == ["The FIBBER  tells it.", "The CHEAT  tells it."]
    assert second.pairs == (("The LIAR  tells it", "The CHEAT  says it"), ("The LIAR  tells it", "The CHEAT  states it"))
    assert texts(last) == ["The CHEAT  says it.", "The CHEAT  states it."]
    assert [r.until_flip for r in (asked, last)] == [None, None]
    assert result == ("The CHEAT  states it.",)


@pytest.mark.parametrize(("settings", "expected"), [
    ({}, ["fibber", "cheat"]),  # honest is no noun, told no such form
    ({"cosine": 0.9}, ["fibber"]),
    ({"k": 1}, ["fibber"]),
    ({"constraints": Constraints(part_of_speech=False)}, ["fibber", "cheat", "honest"]),
    ({"constraints": Constraints(similarity=0.95)}, ["fibber"]),
    ({"cosine": 0.99}, None),
])
def test_the_candidates(play, vectors, settings, expected):
    result, requests = play(TextFooler(vectors=vectors, **settings), "a liar", lambda t: 0.9,
                            similar=lambda a, b: 0.96 if b == "a fibber" else 0.86)
    assert result is None
    asked = [texts(r) for r in requests if isinstance(r, Score)]
    assert asked == ([] if expected is None else [["a "], [f"a {c}" for c in expected]])


@pytest.mark.parametrize(("without", "first"), [
    ([[0.30, 0.29, 0.41], [0.25, 0.45, 0.30]], "fibber tells"),  # 0.3 + 0.31 against 0.35 + 0.15
    ([[0.30, 0.29, 0.41], [0.25, 0.40, 0.35]], "fibber tells"),
    ([[0.50, 0.40, 0.10], [0.45, 0.40, 0.15]], "liar says"),  # 0.1 against 0.15, no flip
])
def test_the_order_is_that_of_equation_2(vectors, without, first):
    """Where the prediction changes without a word, what the new class gains counts besides the drop."""
    steps = TextFooler(vectors=vectors).steps(Target(("liar tells",), np.array([0.6, 0.3, 0.1]), random.Random(0)))
    assert texts(next(steps)) == [" tells", "liar "]
    assert steps.send(np.array(without)).pairs[0] == ("liar tells", first)


def test_constants():
    assert K == 50 and (WINDOW, SIMILAR, SIMILAR_SHORT) == (15, 0.5, 0.1)
    assert OWN.similarity == NEIGHBOURLY == 0.85
    assert (OWN.similarity_window, OWN.part_of_speech, OWN.stop_words) == (15, True, True)


@pytest.mark.parametrize(("bad", "message"), [
    ({"variant": "paper"}, "attack.variant=paper: expected one of hardtext, published"),
    ({"k": 0}, "attack.k=0: expected at least 1"),
    ({"cosine": 2.0}, "attack.cosine=2.0: expected a cosine"),
    ({"variant": "published", "k": 5}, "attack.k=5: attack.variant=published does not use it"),
    ({"variant": "published", "vectors": "x"}, "attack.vectors=x: attack.variant=published does not use it"),
    ({"variant": "published", "constraints": Constraints(similarity=0.4)}, "attack.constraints.similarity=0.4"),
])
def test_bad_settings(bad, message):
    with pytest.raises(InputError, match=message):
        TextFooler(**bad)


# ---- published

def test_published_by_hand(play):
    """Lower case, tokens, <UNK>; a text not similar enough cannot flip; a short text's threshold is 0.1."""
    text = ("The liar LIED.",)
    assert synonyms("liar") == ["prevaricator"] and synonyms("is") == []
    lied = synonyms("lied")
    assert "lie" in lied and "lied" not in lied

    def probability(segments):
        [t] = segments
        if "<UNK>" in t:
            return 0.6 if t.startswith("the <UNK>") else 0.7
        return 0.3 if t in ("the prevaricator lied .", "the liar lie .") else 0.9

    def similar(a, b):
        assert a == "the liar lied ."
        return 0.09 if "prevaricator" in b else 0.11

    result, requests = play(TextFooler(variant="published"), text, probability, similar=similar)
    assert texts(requests[0]) == ["the liar lied."]
    assert texts(requests[1]) == ["<UNK> liar lied .", "the <UNK> lied .", "the liar <UNK> .", "the liar lied <UNK>"]
    assert texts(requests[2]) == ["the prevaricator lied ."]  # flips, and is not similar enough
    assert isinstance(requests[3], Similar)
    assert texts(requests[4]) == [f"the liar {s} ." for s in lied]
    assert texts(requests[6]) == ["the liar lie ."] and result == ("the liar lie .",)  # asked once more
    assert len(requests) == 7


def test_published_keeps_what_is_below_the_original_even_above_the_current(play):
    text = "the liar lied"

    def probability(segments):
        [t] = segments
        if "<UNK>" in t:
            return 0.5 if t == "the <UNK> lied" else 0.9
        return 0.9 if t == text else 0.6 if t == "the prevaricator lied" else 0.8

    _, requests = play(TextFooler(variant="published"), text, probability, similar=lambda a, b: 1)
    pairs = [r.pairs for r in requests if isinstance(r, Similar)]
    assert [p[0][0] for p in pairs] == ["the liar lied", "the prevaricator lied"]  # each compared with the step before


def test_published_windows(play):
    text = " ".join(f"x{i}" for i in range(10)) + " liar " + " ".join(f"y{i}" for i in range(10))
    _, requests = play(TextFooler(variant="published"), text, lambda t: 0.9, similar=lambda a, b: 1)
    [pair] = [p for r in requests if isinstance(r, Similar) for p in r.pairs]
    tokens = text.split(" ")
    assert pair[0] == " ".join(tokens[3:18])
    _, requests = play(TextFooler(variant="published"), "liar " + text.replace("liar", "qz"), lambda t: 0.9,
                       similar=lambda a, b: 1)
    [pair] = [p for r in requests if isinstance(r, Similar) for p in r.pairs]
    assert pair[0].split(" ") == ["liar", *tokens[:10], "qz", *tokens[11:14]]


def test_published_threshold_is_the_texts_own(models, bag_victim):
    """OpenAttack keeps a short text's 0.1 for the rest of the run; here neighbours change nothing."""
    long = [Example(str(i), f"the liar told the {w} a big lie about war, peace, tax, law and a vote in the city", 0)
            for i, w in enumerate(["group", "state", "woman", "party", "nation"])]
    short = Example("short", "the liar lied", 0)

    def attempts(examples):
        found = run(TextFooler(variant="published"), bag_victim(), examples, domain="d", seed=0, in_flight=1, **models)
        return {a.id: (a.adversarial, a.status, a.queries) for a in found if a.id != "short"}

    assert attempts([short, *long]) == attempts([*long, short]) == attempts(long)


def test_published_thresholds(play):
    """15 tokens: 0.5; 14: 0.1."""
    for count, least in ((15, 0.5), (14, 0.1)):
        text = "liar" + " x" * (count - 1)
        for cosine, kept in ((least, True), (least - 0.01, False)):
            result, _ = play(TextFooler(variant="published"), text,
                             lambda t: 0.2 if "prevaricator" in t[0] else 0.9, similar=lambda a, b, c=cosine: c)
            assert (result is not None) is kept


def test_tokens_of_a_pair():
    text = PunctTokens(("It's 3.5%", "A~b"))
    assert text.tokens == ["it", "'", "s", "3", ".", "5", "%", "~", "a", "~", "b"] and text.separator == 7
    assert text.render(text.tokens) == ("it ' s 3 . 5 %", "a ~ b")
    assert text.without()[7] == ("it ' s 3 . 5 % <UNK> a ~ b", "")
    assert text.put(text.tokens, 9, "x") == ("it ' s 3 . 5 %", "a x b")


def test_published_with_three_classes(models, bag_victim):
    examples = [Example(str(i), f"the liar told {w} that the vote was a lie", 0)
                for i, w in enumerate("war tax law".split())]
    for a in run(TextFooler(variant="published"), bag_victim(3), examples, domain="d", seed=0, **models):
        assert a.error is None
        if a.status == "success":
            assert np.argmax(a.adversarial_probs) != np.argmax(a.original_probs)


class Open:
    """A victim in this process: its gradients stand in a table by word."""

    name, classes = "open", ("0", "1")

    def __init__(self):
        self.asked = []

    def probabilities(self, texts):
        self.asked += [t[0] for t in texts]
        return np.array([[0.3, 0.7] if "fibber" in t[0] else [0.8, 0.2] for t in texts])

    def gradients(self, texts):
        return [[(0, 0, 5, 0.1), (0, 6, 8, 3.0), (0, 8, 10, 4.0)] for _ in texts]


def test_ranked_by_gradient(vectors, models):
    """"tells" is one piece of 0.1, "liar" two of 3 and 4: a norm of 5. One query ranks them all."""
    attack = TextFooler(vectors=vectors, ranking="gradient", constraints=Constraints(similarity=-1))
    victim = Open()
    [a] = run(attack, victim, [Example("1", "tells liar", 0)], domain="d", seed=0, **models)
    assert (a.status, a.adversarial) == ("success", ("tells fibber",))
    assert victim.asked == ["tells liar", "tells fibber", "tells cheat"]
    assert a.queries == 1 + 1 + 2 + 1 and a.forwards == 4
    [a] = run(attack, Open(), [Example("1", "tells liar", 0)], domain="d", seed=0, max_queries=1, **models)
    assert (a.status, a.queries) == ("budget", 1)


def test_gradients_need_a_victim_that_has_them(vectors, models, bag_victim):
    with pytest.raises(InputError, match="victim bag: it gives no gradients"):
        list(run(TextFooler(vectors=vectors, ranking="gradient"), bag_victim(), [Example("1", "tells liar", 0)], domain="d",
                 seed=0, **models))
    with pytest.raises(InputError, match="attack.ranking=gradient: attack.variant=published has its own"):
        TextFooler(variant="published", ranking="gradient")
