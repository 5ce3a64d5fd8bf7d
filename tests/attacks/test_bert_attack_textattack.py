"""The variant of BERT-ATTACK that does what TextAttack's recipe does, against the recipe itself."""

from __future__ import annotations

import re
import zlib
from collections import OrderedDict

import numpy as np
import pytest

from hardtext.attacks import BertAttack
from hardtext.attacks.bert_attack_textattack import PRODUCTS, words
from hardtext.attacks.engine import run
from hardtext.attacks.requests import Propose, Score
from hardtext.attacks.textattack.setup import import_textattack
from hardtext.core import Example, InputError
from hardtext.domains.sample import generate


def one(pieces):
    return [(pieces, [1.0] * len(pieces))]


def asked(requests):
    return [list(r.texts) for r in requests if isinstance(r, Score)]


# ---- by hand

PROPOSALS = {"voters": one(["people", "##ing", "voters", ",", "men"]), "Good": one(["fine", "bad"]),
             "news": one(["law"]), "The": one(["a"])}


def test_one_position_by_hand(play):
    """"The" is no stop word, "for" is one; all candidates of a word are asked at once, in alphabetic order; no pieces,
    no marks, no word itself; the masked LM reads the text as it stands."""
    weights = {"[UNK]": 0.0, "voters": 0.3, "Good": 0.2, "The": 0.05, "men": -0.1, "people": -0.05, "fine": 0.3, "bad": -0.3}

    def probability(segments):
        return 0.5 + sum(w for word, w in weights.items() if word in segments[0]) / 2

    found, requests = play(BertAttack(variant="textattack"), "The Good news, for voters.", probability, PROPOSALS)
    assert found == ("The bad news, for men.",)
    assert asked(requests) == [
        [("[UNK] Good news, for voters.",), ("The [UNK] news, for voters.",), ("The Good [UNK], for voters.",),
         ("The Good news, for [UNK].",)],
        [("The Good news, for men.",), ("The Good news, for people.",)],
        [("The bad news, for men.",), ("The fine news, for men.",)]]
    proposals = [r for r in requests if isinstance(r, Propose)]
    assert [(r.words, r.k, r.wanted) for r in proposals] == [
        (("The", "Good", "news", ",", "for", "voters", "."), 8, (5,)),
        (("The", "Good", "news", ",", "for", "men", "."), 8, (1,))]


def test_the_best_candidate_decides_even_when_another_one_flips(play):
    """Three words of five may not change: 40 % rounded up are two. A candidate that does not help is not kept."""
    words = ["alpha", "beta", "gamma", "delta", "omega"]
    proposals = {w: one([w[0] * 3]) for w in words}
    lower = {"aaa": 0.1, "bbb": -0.2, "ggg": 0.1, "ddd": 0.1, "ooo": 0.1}

    def probability(segments):
        return 0.9 - sum(v for w, v in lower.items() if w in segments[0])

    found, requests = play(BertAttack(variant="textattack"), " ".join(words), probability, proposals)
    assert found is None
    assert [texts[0][0] for texts in asked(requests)[1:]] == [
        "aaa beta gamma delta omega", "aaa bbb gamma delta omega", "aaa beta ggg delta omega"]
    found, requests = play(BertAttack(variant="textattack", max_changed=0.6), " ".join(words), probability, proposals)
    assert asked(requests)[-1] == [("aaa beta ggg ddd omega",)]


def test_a_word_of_several_pieces_has_its_first_products(play):
    pieces = [(["an", "pro"], [1.0, 0.5]), (["##ti", "."], [1.0, 0.5]), (["##c", "##d", "x"], [1.0, 0.5, 0.1])]
    _, requests = play(BertAttack(variant="textattack", k=3), "antics", lambda s: 0.9, {"antics": pieces})
    # an + ##ti + …: "antic", "antid", "antix"; later products are not reached
    assert asked(requests)[1] == [("antic",), ("antid",), ("antix",)]
    pieces[1] = ([".", "##ti"], [1.0, 0.5])  # "an.c" is two words
    _, requests = play(BertAttack(variant="textattack", k=3), "antics", lambda s: 0.9, {"antics": pieces})
    assert asked(requests)[1] == [("antic",), ("antid",), ("antix",)]


def test_a_word_of_many_pieces_is_bounded(play):
    """TextAttack's issue 586: 8 pieces are 16 million products. Here none of them is one word."""
    pieces = [([".x"] * 8, [1.0] * 8)] * 20
    found, requests = play(BertAttack(variant="textattack"), "antidisestablishmentarianism", lambda s: 0.9,
                           {"antidisestablishmentarianism": pieces})
    assert found is None and len(requests) == 2 and PRODUCTS < 10_000


def test_words_are_those_of_textattack():
    text = "'CCC' slovakia_slota well-known e.g. 3.5% *bold* a@b.c —x`y ×2"
    found = words((text, "it's"))
    assert [w.text for w in found] == ["CCC", "slovakia_slota", "well-known", "e", "g", "3", "5", "bold", "a@b", "c", "x`y",
                                       "×2", "it's"]
    assert all((text, "it's")[w.segment][w.start:w.end] == w.text for w in found)


def test_settings_it_has_no_use_for_are_refused():
    with pytest.raises(InputError, match="attack.threshold=0.5.*textattack"):
        BertAttack(variant="textattack", threshold=0.5)
    with pytest.raises(InputError, match="attack.subwords=True.*textattack"):
        BertAttack(variant="textattack", subwords=True)


# ---- against TextAttack

MORE = ["Many older U.S. adults don't trust 'state' news (3.5%), e.g. on tax.", "The well-known lie: vote, vote, vote!",
        "Kafkaesque bureaucrats re-tweeted it.", "A", "THE END", "we - the people -- said so..."]


def texts():
    pairs = [e.segments for e in generate()["attack"][:40]]
    return [*pairs[:8], *((a,) for a, _ in pairs[8:]), *((t,) for t in MORE)]


@pytest.fixture(scope="module")
def masked():
    from hardtext.attacks.masked_lm import load_masked_lm

    return load_masked_lm("bundled:tiny")


class PlaceVictim:
    """Each word has a weight for its place: no two words matter equally, so that no unstable sort decides."""

    name, classes = "place", ("0", "1")

    def probabilities(self, texts):
        weights = [[zlib.crc32(f"{n}{i}{w}".encode()) % 2001 - 1000 for n, s in enumerate(t)
                    for i, w in enumerate(re.findall(r"\w+|[^\w\s]", s))] for t in texts]
        p = 1 / (1 + np.exp([-sum(w) / 500 / max(1, len(w)) ** 0.5 for w in weights]))
        return np.stack([1 - p, p], axis=1)


def recipe_results(masked_lm, victim, given):
    """TextAttack's own, one text after the other: (adversarial or None, its number of queries)."""
    textattack = import_textattack()
    constraints = textattack.constraints

    class Wrapper(textattack.models.wrappers.ModelWrapper):
        model = None

        def __call__(self, texts):
            return victim.probabilities([(t,) if isinstance(t, str) else tuple(t) for t in texts])

    model, tokenizer = masked_lm.parts
    transformation = textattack.transformations.WordSwapMaskedLM(
        method="bert-attack", masked_language_model=model, tokenizer=tokenizer, max_candidates=8)
    attack = textattack.Attack(
        textattack.goal_functions.UntargetedClassification(Wrapper()),
        [constraints.pre_transformation.RepeatModification(), constraints.pre_transformation.StopwordModification(),
         constraints.overlap.MaxWordsPerturbed(max_percent=0.4)],
        transformation, textattack.search_methods.GreedyWordSwapWIR(wir_method="unk"))
    found = []
    for segments in given:
        whole = segments[0] if len(segments) == 1 else OrderedDict(zip(("premise", "hypothesis"), segments))
        result = attack.attack(whole, int(victim.probabilities([segments])[0].argmax()))
        changed = None
        if isinstance(result, textattack.attack_results.SuccessfulAttackResult):
            changed = result.perturbed_result.attacked_text.tokenizer_input
            changed = (changed,) if isinstance(changed, str) else tuple(changed)
        found.append((changed, result.num_queries))
    return found


@pytest.mark.parametrize("given", [pytest.param(texts()[-6:], id="6"),
                                   pytest.param(texts(), id="46", marks=pytest.mark.slow)])
def test_it_finds_what_textattack_finds(given, masked):
    """The same texts, and the same number of queries: the recipe looks at the original, as the engine does; the engine
    asks once more about what was found."""
    examples = [Example(str(i), t, 0) for i, t in enumerate(given)]
    found = {a.id: a for a in run(BertAttack(variant="textattack"), PlaceVictim(), examples, domain="d", seed=0,
                                  masked_lm=masked, in_flight=16)}
    ours = [(a.adversarial, a.queries - (a.status == "success")) for a in map(found.get, map(str, range(len(given))))]
    assert len({a for a, _ in ours}) > len(given) / 2
    assert ours == recipe_results(masked, PlaceVictim(), given)
