from __future__ import annotations

import logging
import random
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from hardtext.attacks import BertAttack, DeepWordBug
from hardtext.attacks.base import Target, WordAttack
from hardtext.attacks.constraints import Constraints, whole_word
from hardtext.attacks.engine import run
from hardtext.attacks.requests import Score, Similar
from hardtext.attacks.search import greedy
from hardtext.core import Example, InputError
from hardtext.text import Word, words


def target(*segments, window=None):
    return Target(segments, np.array([0.9, 0.1]), random.Random(0), window)


def changeable(text, **rules):
    return [w.text for w in Constraints(**rules).changeable(target(text))]


def finish(steps, answer=None):
    """Run a generator that asks at most once: (the request or None, what it returns)."""
    request = None
    try:
        request = next(steps)
        steps.send(answer)
    except StopIteration as end:
        return request, end.value
    raise AssertionError("asked twice")


# ---- settings

@pytest.mark.parametrize(("bad", "message"), [
    ({"similarity": 1.01}, r"attack.constraints.similarity=1.01: expected a cosine from -1 \(off\) to 1"),
    ({"similarity_window": -1}, "attack.constraints.similarity_window=-1: expected a number of words, or 0"),
    ({"max_changed": 0.0}, "attack.constraints.max_changed=0.0: expected a share of the words, above 0 and at most 1"),
    ({"max_changed": 1.5}, "attack.constraints.max_changed=1.5: expected a share"),
    ({"protect": ["names", "dates"]}, "attack.constraints.protect=dates: expected some of numbers, names, urls"),
    ({"protect_pattern": "(a"}, r"attack.constraints.protect_pattern=\(a: not a regular expression \(missing \)"),
])
def test_bad_settings_are_refused_in_one_line(bad, message):
    with pytest.raises(InputError, match=message) as error:
        Constraints(**bad)
    assert "\n" not in str(error.value)


def test_a_bad_setting_is_refused_when_the_config_is_built():
    schema = OmegaConf.structured(BertAttack)
    good = OmegaConf.merge(schema, {"constraints": {"similarity": 0.5, "protect": ["urls"]}})
    assert OmegaConf.to_object(good).constraints == Constraints(similarity=0.5, protect=["urls"])
    with pytest.raises(InputError, match="protect_pattern"):
        OmegaConf.to_object(OmegaConf.merge(schema, {"constraints": {"protect_pattern": "["}}))
    with pytest.raises(Exception, match="simlarity"):
        OmegaConf.merge(schema, {"constraints": {"simlarity": 0.5}})


def test_the_users_rules_go_over_the_attacks_own():
    own = Constraints(stop_words=True, similarity=0.7, max_changed=0.2)
    assert Constraints().over(own) == own
    assert Constraints(stop_words=False, similarity=-1, protect=[], antonyms=True).over(own) == Constraints(
        stop_words=False, similarity=-1, max_changed=0.2, protect=[], antonyms=True)


@pytest.mark.parametrize("attack", [lambda c: BertAttack(variant="bodega", constraints=c),
                                    lambda c: BertAttack(variant="paper", constraints=c),
                                    lambda c: DeepWordBug(variant="bodega", constraints=c)])
def test_published_variants_refuse_constraints(attack):
    attack(Constraints())
    with pytest.raises(InputError, match=r"attack.constraints.antonyms=False: attack.variant=\w+ does not use it"):
        attack(Constraints(antonyms=False))


def test_what_an_attack_cannot_use_is_refused():
    with pytest.raises(InputError, match="attack.constraints.part_of_speech=True: attack=deepwordbug does not use it"):
        DeepWordBug(constraints=Constraints(part_of_speech=True))
    with pytest.raises(InputError, match="attack.constraints.max_changed=0.5: attack.max_changed says the same"):
        BertAttack(max_changed=0.2, constraints=Constraints(max_changed=0.5))


# ---- which words

TEXT = "The 3rd senator said on www.lies.org/a that 12,000 of @voters don't trust Angela Merkel."


def test_stop_words():
    assert changeable("It is not the tax, 7!", stop_words=True) == ["tax"]
    assert changeable("It is not the tax, 7!") == ["It", "is", "not", "the", "tax"]


@pytest.mark.parametrize(("protect", "kept"), [
    ([], []),
    (["numbers"], ["3rd"]),
    (["urls"], ["www.lies.org"]),  # and its path, which is no content word
    (["names"], ["voters", "Angela", "Merkel"]),
    (["numbers", "urls", "names"], ["3rd", "www.lies.org", "voters", "Angela", "Merkel"]),
])
def test_protected_spans(protect, kept):
    everything = changeable(TEXT, stop_words=True)
    assert everything == ["3rd", "senator", "said", "www.lies.org", "voters", "trust", "Angela", "Merkel"]
    assert changeable(TEXT, stop_words=True, protect=protect) == [w for w in everything if w not in kept]


def test_number_words_are_numbers():
    text = "Twelve men saw three dozen lies at one stone of 5.5 tons in a twofold war"
    assert changeable(text, stop_words=True, protect=["numbers"]) == [
        "men", "saw", "lies", "stone", "tons", "twofold", "war"]


def test_a_word_that_only_touches_a_protected_span_stays():
    assert changeable("pre-war lies, war lies", protect_pattern="war") == ["lies", "lies"]
    assert changeable("war  lies", protect_pattern="") == ["war", "lies"]
    assert changeable("war  lies", protect_pattern="x*") == ["war", "lies"]  # a match of nothing protects nothing


@pytest.mark.parametrize("url", ["http://a.b/c?d=e", "www.x.y", "who@where.int", "InfoWars.com",
                                 "news.bbc.co.uk/1", "t.co/x"])
def test_urls(url):
    assert changeable(f"read {url} now", protect=["urls"]) == ["read", "now"]


def test_a_missing_space_is_no_url():
    assert changeable("He lied.The U.S. knew e.g. this", protect=["urls"]) == [
        "He", "lied.The", "U.S.", "knew", "e.g.", "this"]


def test_words_that_the_victim_does_not_read_stay():
    rules = Constraints()
    assert [w.text for w in rules.changeable(target("war and peace", "big lies", window=(7, 0)))] == ["war", "and"]


@given(st.text(max_size=60), st.sampled_from([["names"], ["urls"], ["numbers"], ["numbers", "names", "urls"]]))
def test_protection_only_takes_words_away(text, protect):
    free = Constraints(stop_words=True).changeable(target(text))
    assert set(Constraints(stop_words=True, protect=protect).changeable(target(text))) <= set(free)


# ---- which candidates

def test_fitting():
    options = ["Good", "good", "worse", "poor", "the", "walked", "bad", "BAD"]
    assert Constraints().fitting("bad", options) == ["Good", "good", "worse", "poor", "the", "walked"]
    assert Constraints(stop_words=True).fitting("bad", options) == ["Good", "good", "worse", "poor", "walked"]
    assert Constraints(antonyms=True).fitting("bad", options) == ["worse", "poor", "the", "walked"]
    assert Constraints(part_of_speech=True).fitting("bad", options) == ["Good", "good", "worse", "poor"]
    assert Constraints(part_of_speech=True).fitting("Obama", ["Bush"]) == []  # of an unknown word nothing is known


def test_antonyms_in_every_form():
    assert Constraints(antonyms=True).fitting("rose", ["fell", "climbed", "fallen"]) == ["climbed"]


def test_whole_words():
    assert [p for p in ["##s", "s", "[UNK]", "12", "lie", "it", "don't", "."] if whole_word(p)] == ["lie"]


# ---- how many

@pytest.mark.parametrize(("share", "limit"), [(None, 10), (1.0, 10), (0.29, 2), (0.05, 1)])
def test_the_limit(share, limit):
    assert Constraints(max_changed=share).limit(target("a b c, d e f -", "g h 1 j!")) == limit


def test_no_more_words_than_the_limit_change(play):
    text = " ".join(f"word{c}" for c in "abcdefghij")

    def probability(segments):
        return 0.9 - 0.01 * sum(a != b for a, b in zip(segments[0].split(" "), text.split(" "), strict=True))

    result, requests = play(DeepWordBug(constraints=Constraints(max_changed=0.3)), text, probability)
    assert result is None and len(requests) == 1 + 3


# ---- similarity

def test_the_window_around_a_change():
    text = "w0 w1, w2 w3 (w4) w5 w6 w7"
    [w0, w1, w2, w3, w4, w5, w6, w7] = [w for w in words(text) if w.is_word]
    rules = Constraints(similarity=0.5, similarity_window=3)

    def pair(edits, place, *segments):
        request, _ = finish(rules.similar(target(*(segments or (text,))), [edits], place), np.ones(1))
        return request.pairs[0]

    assert pair({w3: "X"}, w3) == ("w2 w3 (w4", "w2 X (w4")
    assert pair({w0: "X"}, w0) == ("w0 w1, w2", "X w1, w2")  # moved inwards at both ends
    assert pair({w7: "longer X"}, w7) == ("w5 w6 w7", "w5 w6 longer X")
    assert pair({w3: "X", w0: "much longer", w4: "Y", w6: ""}, w3) == ("w2 w3 (w4", "w2 X (Y")  # other changes count
    span = Word("w4) w5", 0, w4.start, w5.end)
    assert pair({w3: "X", span: "Z"}, w3) == ("w2 w3 (w4) w5", "w2 X (Z")  # never half of a change
    assert pair({w2: "X"}, w2, text, "other") == ("w1, w2 w3", "w1, X w3")
    assert pair({Word("b", 1, 2, 3): "X"}, Word("b", 1, 2, 3), text, "a b") == ("a b", "a X")


def test_the_whole_text_is_compared_without_a_window():
    [a] = words("big")
    rules = Constraints(similarity=0.5, similarity_window=0)
    request, _ = finish(rules.similar(target("big", "lie"), [{a: "X"}], a), np.ones(1))
    assert request.pairs == (("big ~ lie", "X ~ lie"),)


@pytest.mark.parametrize("similarity", [None, -1.0])
def test_nothing_is_asked_when_similarity_is_off(similarity):
    [a] = words("big")
    request, (kept, cosines) = finish(Constraints(similarity=similarity).similar(target("big"), [{a: "X"}, {a: "Y"}], a))
    assert request is None and kept == [0, 1] and cosines.tolist() == [1, 1]


def test_what_is_similar_enough_is_kept():
    [a] = words("big")
    changes = [{a: c} for c in "WXYZ"]
    _, (kept, cosines) = finish(Constraints(similarity=0.7).similar(target("big"), changes, a),
                                np.array([0.8, 0.69, 0.7 - 1e-8, -1]))
    assert kept == [0, 2] and cosines.tolist() == [0.8, 0.7 - 1e-8]  # float noise decides nothing


@dataclass
class Shouting(WordAttack):
    """Puts words into capitals, in reading order."""

    name: str = "shouting"
    constraints: Constraints = field(default_factory=Constraints)

    def steps(self, target):
        rules = self.constraints
        return greedy(target, rules.changeable(target), lambda word, _: [word.text.upper()], rules)


def test_the_threshold_never_leaks_from_one_example_to_the_next(models, bag_victim):
    """A text shorter than the window, attacked first, last or not at all, changes nothing for another text
    (OpenAttack 2.1.1's TextFooler lowers the threshold for the rest of the run once it met one)."""
    long = [Example(str(i), f"tax law {w} war peace news good bad big small vote city state lie truth claim", 0)
            for i, w in enumerate("group man woman party".split())]
    short = Example("short", "tax law war", 0)
    attack = Shouting(constraints=Constraints(similarity=0.9, similarity_window=15))

    def attempts(examples):
        found = run(attack, bag_victim(), examples, domain="d", seed=0, in_flight=1, **models)
        return {a.id: (a.adversarial, a.status, a.queries) for a in found}

    alone = attempts(long)
    assert len({queries for _, _, queries in alone.values()}) > 1  # the threshold does decide something here
    for order in ([short, *long], [*long, short]):
        assert {k: v for k, v in attempts(order).items() if k != "short"} == alone


def test_a_higher_threshold_never_asks_more(play):
    text = "tax law war peace news good bad"

    def asked(similarity):
        _, requests = play(Shouting(constraints=Constraints(similarity=similarity)), text, lambda t: 0.9,
                           similar=lambda a, b: sum(x == y for x, y in zip(a, b, strict=True)) / len(a))
        return sum(len(r.texts) for r in requests if isinstance(r, Score)), any(isinstance(r, Similar) for r in requests)

    counts = [asked(s) for s in (-1.0, 0.85, 0.89, 1.0)]
    assert counts[0] == (7, False) and counts[-1] == (0, True)
    assert [n for n, _ in counts] == sorted((n for n, _ in counts), reverse=True) and counts[1][0] > counts[2][0]


def test_constraints_that_leave_nothing_are_said(victim, models, caplog):
    examples = [Example(str(i), "the tax of the state", 0) for i in range(3)]
    with caplog.at_level(logging.WARNING):
        list(run(BertAttack(constraints=Constraints(protect_pattern=".*")), victim, examples, domain="d", seed=0, **models))
    assert "found nothing to change in any of 3 texts" in caplog.text
