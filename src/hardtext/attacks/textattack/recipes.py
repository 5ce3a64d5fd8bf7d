"""TextAttack's recipes, built so that they run offline and for many examples at once."""

from __future__ import annotations

import copy
import itertools
import logging
import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy

from hardtext.attacks.masked_lm import load_masked_lm
from hardtext.attacks.requests import Score
from hardtext.attacks.textattack import DOWNLOADS
from hardtext.attacks.textattack.conversation import Ask, conversation
from hardtext.attacks.textattack.setup import import_textattack
from hardtext.core import InputError, Segments
from hardtext.lexicon import wordnet

log = logging.getLogger(__name__)

COLUMNS = ("evidence", "claim")  # TextAttack's name for each segment of a pair
PRODUCTS = 4096  # combinations of pieces that are looked at until enough of them are words
_REHEARSAL = "The senator said bad news spread."


@lru_cache(maxsize=4)
def load(name: str, masked_lm: str | None, without: tuple[str, ...]) -> Recipe:
    """The recipe, ready to attack: built once, its masked LM and tables shared by all examples.

    Raises InputError where it does not know a constraint of ``without`` or something it needs cannot be had.
    """
    recipes = import_textattack().attack_recipes
    known = _constraints_of(getattr(recipes, name).build)
    for part in without:
        if part not in known:
            raise InputError(f"attack.without=[{part}]: {name} has no such constraint; it has {', '.join(known)}")
    names = {"WordSwapWordNet": _packaged_wordnet(), **{part: _taken_out() for part in without}}
    if masked_lm is not None:
        names |= _masked_lm_names(masked_lm)
    try:
        recipe = Recipe(_rebound(getattr(recipes, name).build, names)(_model_class()(None)))
        _rehearse(recipe)
    except InputError:
        raise
    except Exception as error:  # whatever a missing download comes out as
        raise InputError(f"attack.recipe={name}: {_missing(name, known)} ({_first_line(error)})") from error
    for part in without:
        log.warning("%s runs without its constraint %s", name, part)
    return recipe


class Recipe:
    """A built ``textattack.Attack``, the pattern from which each example gets one of its own.

    Transformation and constraints are shared: they hold models, tables and caches of pure functions. Goal function and
    search method hold the state of an attack.
    """

    def __init__(self, built: Any) -> None:
        self._transformation = built.transformation
        self._constraints = [c for c in (*built.pre_transformation_constraints, *built.constraints)
                             if not isinstance(c, _taken_out())]
        self._search, self._goal = built.search_method, built.goal_function

    def attack(self, heads: Segments, tails: Segments, label: int, ask: Ask) -> Segments | None:
        """What ``Attack.attack`` finds for ``heads``, of which every text is asked about with ``tails`` behind; None
        where it does not succeed."""
        textattack = import_textattack()
        attacked = textattack.shared.AttackedText
        if any(attacked.SPLIT_TOKEN in s for s in heads):
            raise ValueError(f"the text holds {attacked.SPLIT_TOKEN}, which TextAttack takes for the end of a segment")
        goal = copy.copy(self._goal)
        # A recipe does not say which texts are candidates and which measure: none counts as the best so far.
        goal.model = _model_class()(
            lambda texts: ask(Score([tuple(map(str.__add__, t, tails)) for t in texts], probe=True)))
        goal.use_cache = False  # the engine has a cache, and counts what this one would hide
        goal.batch_size = sys.maxsize  # one request for all candidates of a step; the victim batches them
        attack = textattack.Attack(goal, self._constraints, self._transformation, copy.copy(self._search))
        whole = heads[0] if len(heads) == 1 else OrderedDict(zip(COLUMNS, heads))
        result = attack.attack(whole, label)
        if not isinstance(result, textattack.attack_results.SuccessfulAttackResult):
            return None
        return _segments(result.perturbed_result.attacked_text.tokenizer_input)


def _segments(given: str | Sequence[str]) -> Segments:
    return (given,) if isinstance(given, str) else tuple(given)


def _rehearse(recipe: Recipe) -> None:
    """Attack one sentence with a victim that never changes its mind: what a recipe loads at its first use is then here,
    or missed before any example is touched."""
    steps = conversation(lambda ask: recipe.attack((_REHEARSAL,), ("",), 0, ask), seed=0)
    request = next(steps, None)
    while request is not None:
        rows = numpy.tile([0.75, 0.25], (len(request.texts), 1))
        try:
            request = steps.send(rows)
        except StopIteration:
            request = None


def _missing(name: str, constraints: Sequence[str]) -> str:
    if name in DOWNLOADS:
        return (f"it needs {DOWNLOADS[name]}, which TextAttack downloads and could not load here; let it do so once where "
                f"there is a network, and set TA_CACHE_DIR to that cache")
    return (f"something it needs could not be loaded; provide it, or take the constraint that needs it out with "
            f"attack.without=[<one of {', '.join(constraints)}>]")


def _first_line(error: Exception) -> str:
    lines = (re.sub(r"\x1b\[\d*m", "", line).strip(" *") for line in str(error).splitlines())
    return f"{type(error).__name__}: {next(filter(None, lines), '')[:200]}"


def _rebound(function: FunctionType, names: dict[str, Any]) -> FunctionType:
    """The same code with some of its module's names meaning something else. The module itself stays as it is."""
    return FunctionType(function.__code__, function.__globals__ | names, function.__name__, function.__defaults__,
                        function.__closure__)


def _constraints_of(build: FunctionType) -> list[str]:
    """The classes of constraints that a recipe's code names."""
    kinds = import_textattack().constraints
    found = {n: build.__globals__.get(n) for n in build.__code__.co_names}
    return [n for n, kind in found.items() if isinstance(kind, type)
            and issubclass(kind, (kinds.Constraint, kinds.PreTransformationConstraint))]


class _Called:
    """What TextAttack's goal functions ask: ``model`` is looked at for its class only."""


@lru_cache(maxsize=1)
def _model_class() -> type:
    class Model(import_textattack().models.wrappers.ModelWrapper):
        def __init__(self, ask: Callable[[list[Segments]], numpy.ndarray] | None) -> None:
            self.model, self._ask = _Called(), ask

        def __call__(self, texts: Sequence[str | Sequence[str]]) -> numpy.ndarray:
            return self._ask([_segments(t) for t in texts])

    return Model


@lru_cache(maxsize=1)
def _taken_out() -> type:
    class TakenOut(import_textattack().constraints.Constraint):
        """Holds the place of a constraint while a recipe is built; its arguments do not matter."""

        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__(compare_against_original=True)

        def _check_constraint(self, transformed_text, reference_text):
            raise TypeError("a constraint that was taken out is never asked")

    return TakenOut


@lru_cache(maxsize=1)
def _packaged_wordnet() -> type:
    transformations, one_word = import_textattack().transformations, import_textattack().shared.utils.is_one_word

    class PackagedWordNet(transformations.WordSwapWordNet):
        """The same synonyms from the packaged table; NLTK's reader wants a download."""

        def __init__(self, language: str = "eng") -> None:
            if language != "eng":
                raise LookupError(f"the packaged WordNet is English only, not {language!r}")
            self.language = language

        def _get_replacement_words(self, word, random=False):
            return [s for s in dict.fromkeys(wordnet.lemma_names(word)) if s != word and "_" not in s and one_word(s)]

    return PackagedWordNet


def _masked_lm_names(source: str) -> dict[str, Any]:
    """The names by which recipes load a masked LM, bound to one that is loaded."""
    model, tokenizer = load_masked_lm(source).parts
    given = {"masked_language_model": model, "tokenizer": tokenizer}
    hub = SimpleNamespace(AutoModelForCausalLM=_Loaded(model), AutoTokenizer=_Loaded(tokenizer))
    return {"WordSwapMaskedLM": partial(_bounded_masked_lm(), **given), "transformers": hub}


class _Loaded:
    """Stands where a recipe expects a class of transformers to load from."""

    def __init__(self, loaded: Any) -> None:
        self._loaded = loaded

    def from_pretrained(self, _: str) -> Any:
        return self._loaded


@lru_cache(maxsize=1)
def _bounded_masked_lm() -> type:
    textattack = import_textattack()
    one_word = textattack.shared.utils.is_one_word

    class BoundedMaskedLM(textattack.transformations.WordSwapMaskedLM):
        """The same candidates without building every product of a long word's pieces (8 pieces: 16 million of them).

        TextAttack sorts the products by perplexity and drops the sorted list, so that the first ones that are words
        win: only those are built here.
        """

        def _bert_attack_replacement_words(self, current_text, index, id_preds, masked_lm_logits):
            tokenizer = self._lm_tokenizer
            pieces = tokenizer.encode(current_text.words[index], add_special_tokens=False)
            if len(pieces) < 2:
                return super()._bert_attack_replacement_words(current_text, index, id_preds=id_preds,
                                                              masked_lm_logits=masked_lm_logits)
            masked = current_text.replace_word_at_index(index, tokenizer.mask_token)
            ids = self._encode_text(masked.text)["input_ids"].tolist()[0]
            if tokenizer.mask_token_id not in ids:
                return []
            start = ids.index(tokenizer.mask_token_id)
            places = range(start, min(start + len(pieces), self.max_length))
            if len(places) < 2:
                return super()._bert_attack_replacement_words(current_text, index, id_preds=id_preds,
                                                              masked_lm_logits=masked_lm_logits)
            columns = [tokenizer.convert_ids_to_tokens(id_preds[i].tolist()) for i in places]
            products = itertools.islice(itertools.product(*columns), PRODUCTS)
            words = ("".join(product).replace("##", "") for product in products)
            return list(itertools.islice(filter(one_word, words), self.max_candidates))

    return BoundedMaskedLM
