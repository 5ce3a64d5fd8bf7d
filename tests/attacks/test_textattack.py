"""TextAttack's recipes through the engine, against TextAttack's own ``Attack.attack``."""

from __future__ import annotations

import ast
import gc
import logging
import os
import random
import re
import subprocess
import sys
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hardtext
from hardtext import seeding
from hardtext.attacks.engine import run
from hardtext.attacks.textattack import DOWNLOADS, MASKED_LMS, RECIPES, REFUSED, TextAttack, divide
from hardtext.attacks.textattack.conversation import conversation
from hardtext.core import Example, InputError

BERT = {"recipe": "BERTAttackLi2020", "masked_lm": "bundled:tiny", "without": ["UniversalSentenceEncoder"]}
NO_DOWNLOAD = [{"recipe": "PWWSRen2019"}, {"recipe": "DeepWordBugGao2018"}, {"recipe": "Pruthi2019"}, BERT]

TEXTS = ["Good news: the state won a war on tax, officials said on Tuesday.", "A lie is a lie.", "Fake",
         "The party said no to peace in our city - and voters don't mind a bad lie!", "THE SENATE VOTED, e.g. on  tax.",
         "Many older U.S. adults don't trust 'state' news (3.5%).", "Voters were told that the mayor had lied.",
         "Nobody knows why the bridge fell; engineers blame rust.", "Doctors warned of a new strain of flu.",
         "He won; she lost.", "A report on crime\nwas published\tlate.", "Prices rose again in May, banks say.",
         "The court will hear the case on Friday.", "Police found the missing girl alive.", "Rain is expected.",
         "Scientists discovered water on the moon.", "The president denied the claim twice.", "It never happened.",
         "Leaders met in Geneva to discuss trade.", "A photo of the crowd was edited."]
PAIRS = [("Good news: the state won.", "A lie is a claim about tax."), ("I said so.", "I did not."),
         ("The senate voted on tax.", "Split votes killed the bill.")]
SEGMENTS = [*((t,) for t in TEXTS), *PAIRS]


def attempts(attack, victim, segments=SEGMENTS, **options):
    examples = [Example(str(i), s, 0) for i, s in enumerate(segments)]
    found = {a.id: replace(a, seconds=0) for a in run(attack, victim, examples, domain="d", seed=3, **options)}
    return [found[e.id] for e in examples]


# ---- settings, without the package

def test_a_wrong_recipe_is_refused_in_one_line():
    with pytest.raises(InputError, match="^attack.recipe=PWWS: expected one of BAEGarg2019, .*TextFoolerJin2019$"):
        TextAttack(recipe="PWWS")
    with pytest.raises(InputError, match="attack.recipe=HotFlipEbrahimi2017: it needs the gradients.*choose one of"):
        TextAttack(recipe="HotFlipEbrahimi2017")
    with pytest.raises(InputError, match="attack.masked_lm=bundled: PWWSRen2019 asks no masked LM.*BERTAttackLi2020"):
        TextAttack(masked_lm="bundled")
    with pytest.raises(InputError, match="attack.max_words=0"):
        TextAttack(max_words=0)
    with pytest.raises(InputError, match="attack.variant=x"):
        TextAttack(variant="x")
    assert set(MASKED_LMS) | set(DOWNLOADS) < set(RECIPES) and not set(RECIPES) & set(REFUSED)


def test_what_a_run_stands_in_for_is_said():
    assert TextAttack(**BERT).stand_ins() == [
        "BERTAttackLi2020 without its constraint UniversalSentenceEncoder",
        "masked LM of BERTAttackLi2020: bundled:tiny in place of bert-base-uncased"]
    assert TextAttack().stand_ins() == ["WordNet: the packaged table in place of NLTK's reader (same synonyms)"]
    assert TextAttack(recipe="Pruthi2019").stand_ins() == []


def test_importing_the_package_and_the_settings_needs_no_textattack_and_no_tensorflow():
    """TextAttack's issues 640, 651, 560, 692: start and help died without TensorFlow or a network."""
    code = ("import sys, hardtext, hardtext.config, hardtext.attacks.textattack as t; t.TextAttack(); "
            "print([m for m in ('textattack', 'tensorflow', 'flair', 'nltk', 'torch') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_package_has_one_door():
    root = Path(hardtext.__file__).parent
    for path in root.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        names = [a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names]
        names += [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        if any(n.split(".")[0] == "textattack" for n in names):
            assert path.relative_to(root) == Path("attacks/textattack/setup.py")


def test_what_a_recipe_sees_and_what_stays():
    assert divide(("one two  three.", "four"), (100, 100), None) == (("one two  three.", "four"), ("", ""))
    assert divide(("one two  three. ", "four"), (100, 100), 2) == (("one two", "four"), ("  three. ", ""))
    assert divide(("one two  three.", "four five"), (9, 9), None) == (("one two", "four five"), ("  three.", ""))
    assert divide(("one",), (2,), None) == (("",), ("one",))
    assert divide(("half \ud83d",), (100,), None) == (("half \ufffd",), ("",))


# ---- conversations

def test_a_conversation_hands_questions_out_and_answers_in():
    def work(ask):
        return [ask(1), ask("two")]

    steps = conversation(work, 0)
    assert next(steps) == 1
    assert steps.send("a") == "two"
    with pytest.raises(StopIteration) as end:
        steps.send("b")
    assert end.value.value == ["a", "b"]


def test_conversations_draw_as_if_alone_and_leave_the_global_generators_alone():
    import torch

    def work(ask):
        drawn = []
        for _ in range(3):
            drawn.append((random.random(), float(np.random.random()), float(torch.rand(1))))
            ask(None)
        return drawn

    def alone(seed):
        random.seed(seed), np.random.seed(seed), torch.manual_seed(seed)
        return [(random.random(), float(np.random.random()), float(torch.rand(1))) for _ in range(3)]

    expected = [alone(5), alone(6)]
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    both, results = [conversation(work, 5), conversation(work, 6)], [None, None]
    [next(steps) for steps in both]
    for _ in range(3):
        for i, steps in enumerate(both):
            try:
                steps.send(None)
            except StopIteration as end:
                results[i] = end.value
    assert results == expected
    assert before == (random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist())


def test_a_closed_conversation_leaves_nothing_behind():
    from greenlet import greenlet

    ended = []

    def work(ask):
        try:
            ask(None)
        finally:
            ended.append(True)

    def alive():
        gc.collect()
        return sum(type(o) is greenlet and bool(o) for o in gc.get_objects())

    before = alive()
    steps = conversation(work, 0)
    next(steps)
    assert alive() == before + 1
    steps.close()
    assert ended == [True] and alive() == before


def test_an_error_in_a_conversation_reaches_the_caller():
    def work(ask):
        ask(None)
        raise KeyError("x")

    steps = conversation(work, 0)
    next(steps)
    with pytest.raises(KeyError):
        steps.send(None)


# ---- with the package: one import for all of them

@pytest.fixture(scope="module")
def textattack():
    from hardtext.attacks.textattack.setup import import_textattack

    return import_textattack()


def test_the_list_of_recipes_is_the_packages(textattack):
    recipes = textattack.attack_recipes
    kinds = {n for n, k in vars(recipes).items() if isinstance(k, type) and issubclass(k, recipes.AttackRecipe)}
    assert kinds - {"AttackRecipe"} == {*RECIPES, *REFUSED}


def own_attack(textattack, settings, wrapper):
    """The recipe as TextAttack itself builds it; of BERTAttackLi2020 and PWWSRen2019 the parts its code names, with
    the masked LM and the synonyms that can be had here."""
    constraints, search = textattack.constraints, textattack.search_methods
    kept = [constraints.pre_transformation.RepeatModification(), constraints.pre_transformation.StopwordModification()]
    if settings["recipe"] == "BERTAttackLi2020":
        from hardtext.attacks.masked_lm import load_masked_lm

        model, tokenizer = load_masked_lm(settings["masked_lm"]).parts
        transformation = textattack.transformations.WordSwapMaskedLM(
            method="bert-attack", masked_language_model=model, tokenizer=tokenizer, max_candidates=8)
        kept.append(constraints.overlap.MaxWordsPerturbed(max_percent=0.4))
        method = search.GreedyWordSwapWIR(wir_method="unk")
    elif settings["recipe"] == "PWWSRen2019":
        from hardtext.lexicon.wordnet import lemma_names

        class Synonyms(textattack.transformations.WordSwap):
            def _get_replacement_words(self, word):
                one_word = textattack.shared.utils.is_one_word
                return list({n for n in lemma_names(word) if n != word and "_" not in n and one_word(n)})

        transformation, method = Synonyms(), search.GreedyWordSwapWIR("weighted-saliency")
    else:
        return getattr(textattack.attack_recipes, settings["recipe"]).build(wrapper)
    return textattack.Attack(textattack.goal_functions.UntargetedClassification(wrapper), kept, transformation, method)


@pytest.mark.parametrize(("settings", "segments"), [
    pytest.param(s, SEGMENTS, id=s["recipe"], marks=[pytest.mark.slow] if s is BERT else []) for s in NO_DOWNLOAD
] + [pytest.param(BERT, SEGMENTS[1:4] + PAIRS[1:2], id="BERTAttackLi2020-4")])
def test_results_are_textattacks_own(textattack, settings, segments, bag_victim):
    """Texts, and numbers of queries: the engine's two more are the first prediction and the check of what was found."""
    victim = bag_victim()

    class Wrapper(textattack.models.wrappers.ModelWrapper):
        model = None

        def __call__(self, texts):
            return victim.probabilities([(t,) if isinstance(t, str) else tuple(t) for t in texts])

    own, expected = own_attack(textattack, settings, Wrapper()), []
    for i, example in enumerate(segments):
        seed = seeding.generator(3, "textattack", str(i)).getrandbits(32)
        textattack.shared.utils.set_seed(seed)
        whole = example[0] if len(example) == 1 else OrderedDict(zip(("one", "two"), example))
        result = own.attack(whole, int(victim.probabilities([example])[0].argmax()))
        success = isinstance(result, textattack.attack_results.SuccessfulAttackResult)
        text = result.perturbed_result.attacked_text.tokenizer_input
        expected.append(((text,) if isinstance(text, str) else text, result.num_queries + 2) if success
                        else (None, result.num_queries + 1))
    found = attempts(TextAttack(**settings), bag_victim(), segments, in_flight=7)
    assert [(a.adversarial, a.queries) for a in found] == expected
    assert sum(a.status == "success" for a in found) > len(segments) / 3


@pytest.mark.parametrize("settings", [*NO_DOWNLOAD[:3], {"recipe": "LEAP2023"}], ids=lambda s: s["recipe"])
def test_nothing_depends_on_what_runs_beside(textattack, settings, bag_victim):
    """LEAP2023 is a particle swarm: it draws at every step."""
    few = SEGMENTS[:6] if settings["recipe"] == "LEAP2023" else SEGMENTS
    together = attempts(TextAttack(**settings), bag_victim(), few, in_flight=5)
    reversed_order = run(TextAttack(**settings), bag_victim(), [Example(str(i), s, 0) for i, s in reversed(list(
        enumerate(few)))], domain="d", seed=3, in_flight=1)
    found = {a.id: replace(a, seconds=0) for a in reversed_order}
    assert [found[str(i)] for i in range(len(few))] == together
    assert {a.error for a in together} == {None}


def test_the_untouched_bytes_stay(textattack, bag_victim):
    for a in attempts(TextAttack(recipe="DeepWordBugGao2018"), bag_victim(), PAIRS + [(TEXTS[4],), (TEXTS[10],)]):
        if a.adversarial:
            assert [re.sub(r"\w+", "", s) for s in a.adversarial] == [re.sub(r"\w+", "", s) for s in a.original]


def test_full_batches_reach_the_victim(textattack, bag_victim):
    """TextAttack's pull request 735: its recipes never asked for more than 32 texts at once. All that the examples in
    flight want goes to the victim in one call; how it is cut is the victim's own batch size."""
    victim = bag_victim()
    attempts(TextAttack(), victim, in_flight=23)
    assert max(map(len, victim.calls)) > 32 * 2


HOSTILE = {"empty": "", "blank": "   ", "marks": "!!!", "emoji": "🔥", "Fake": "Fake", "stop word": "the",
           "separators": "tax ~ war ~ law ~ ~ peace", "right to left": "قال الرئيس إن الضرائب",
           "combining": "e\u0301a\u0308 n\u0303o\u0308 x\u0301\u0301\u0301", "surrogate": "a broken \ud83d text",
           "long words": "antidisestablishmentarianism hydroxychloroquine", "many": "a tax is a lie " * 300}


@pytest.mark.parametrize("settings", [
    pytest.param(s, id=s["recipe"], marks=[pytest.mark.slow] if s is BERT else []) for s in NO_DOWNLOAD])
def test_hostile_texts_end_cleanly(textattack, settings):
    """TextAttack's issues 366 and 371 (a text without words ended the run) and 586 (16 million combinations)."""
    class Steady:
        name, classes = "steady", ("0", "1")

        def probabilities(self, texts):
            return np.tile([0.8, 0.2], (len(texts), 1))

    chosen = [(t,) for t in HOSTILE.values()] + [(t, "the claim") for t in HOSTILE.values()]
    if settings is BERT:
        chosen = [c for c in chosen if len(c[0]) < 100]  # a pass of the masked LM for each word
    found = attempts(TextAttack(**settings, max_words=40), Steady(), chosen)
    for segments, a in zip(chosen, found):
        words = any(c.isalnum() for s in segments for c in s)
        assert (a.status, a.error) == ("failed" if words else "skipped", None)
        assert a.queries < 5000


def test_the_bound_of_a_long_words_combinations_changes_no_candidate(textattack):
    """Four pieces: TextAttack builds 4,096 combinations to take the first eight."""
    from hardtext.attacks.masked_lm import load_masked_lm
    from hardtext.attacks.textattack.recipes import _bounded_masked_lm

    model, tokenizer = load_masked_lm("bundled:tiny").parts
    given = {"method": "bert-attack", "masked_language_model": model, "tokenizer": tokenizer, "max_candidates": 8}
    text = textattack.shared.AttackedText("The kafkaesque ruling, a well-known one, stands.")
    index = text.words.index("kafkaesque")
    assert len(tokenizer.tokenize("kafkaesque")) == 4
    both = [[t.text for t in kind(**given)(text, indices_to_modify=[index])] for kind in
            (textattack.transformations.WordSwapMaskedLM, _bounded_masked_lm())]
    assert both[0] == both[1] and len(both[0]) == 8


def test_a_long_text_changes_at_its_head_only(textattack, bag_victim):
    text = "The senate voted on tax. " * 3 + "Nobody  was told. " * 50
    [a] = attempts(TextAttack(recipe="DeepWordBugGao2018", max_words=15), bag_victim(), [(text,)])
    if a.adversarial:
        assert a.adversarial[0].endswith("Nobody  was told. " * 50)
    assert a.queries <= 2 + 1 + 15 * 5


def test_a_text_with_textattacks_own_separator_is_an_error_of_its_own(textattack, bag_victim):
    [a, b] = attempts(TextAttack(), bag_victim(), [("the bad <SPLIT> news",), (TEXTS[0],)])
    assert a.status == "error" and "<SPLIT>" in a.error and b.error is None


def test_a_budget_ends_a_recipe(textattack, bag_victim):
    """TextAttack's issue 696: a swarm ran for more than an hour without a word."""
    found = attempts(TextAttack(recipe="LEAP2023"), bag_victim(), max_queries=30)
    assert {"budget"} <= {a.status for a in found} and all(a.queries <= 30 for a in found)


def test_what_is_missing_is_named_in_one_line(textattack, bag_victim, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    cases = [
        (dict(recipe="CheckList2020"), "attack.recipe=CheckList2020: it needs flair's tagger ner-english"),
        (dict(recipe="BERTAttackLi2020"), "attack.masked_lm=bert-base-uncased is not in the local cache"),
        (BERT | {"without": []}, r"attack.without=\[<one of RepeatModification.*tensorflow_hub"),
        (BERT | {"without": ["USE"]}, r"attack.without=\[USE\]: BERTAttackLi2020 has no such constraint; it has Repeat"),
        (dict(recipe="BAEGarg2019", masked_lm="bundled:tiny", without=["UniversalSentenceEncoder"]),
         "averaged_perceptron_tagger_eng"),
    ]
    for settings, message in cases:
        with pytest.raises(InputError, match=message) as error:
            attempts(TextAttack(**settings), bag_victim(), [(TEXTS[0],)])
        assert "\n" not in str(error.value)


def test_a_constraint_taken_out_is_said_in_the_log(textattack, bag_victim, caplog):
    from hardtext.attacks.textattack.recipes import load

    load.cache_clear()
    with caplog.at_level(logging.WARNING):
        attempts(TextAttack(recipe="Pruthi2019", without=["MinWordLength"]), bag_victim(), [(TEXTS[0],)])
    assert "Pruthi2019 runs without its constraint MinWordLength" in caplog.text


def test_importing_it_leaves_the_environment_and_the_loggers_alone(tmp_path):
    """A machine on which TextAttack was never set up and that has no network."""
    code = ("import logging, os\nlog = logging.getLogger('hardtext.attacks.engine')\nbefore = dict(os.environ)\n"
            "from hardtext.attacks.textattack.setup import import_textattack\nimport_textattack()\n"
            "changed = {k for k in before.keys() | os.environ.keys() if before.get(k) != os.environ.get(k)}\n"
            "names = ('TA_CACHE_DIR', 'HF_HOME', 'XDG_CACHE_HOME', 'TFHUB_CACHE_DIR', 'TOKENIZERS_PARALLELISM')\n"
            "print(sorted(changed & set(names)), log.disabled)")
    environment = {k: v for k, v in os.environ.items() if k not in ("TA_CACHE_DIR", "XDG_CACHE_HOME", "NLTK_DATA")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env=environment | {"HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[] False"
    assert "ownload" not in done.stderr and not (tmp_path / ".cache" / "textattack").exists()
