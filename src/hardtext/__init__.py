"""hardtext: measure how easily a text classifier is fooled, and make it hard to fool.

    >>> import hardtext
    >>> def classify(texts):
    ...     return [[0.1, 0.9] if "hoax" in text else [0.8, 0.2] for text in texts]
    >>> victim = hardtext.load_victim(classify, classes=["real", "fake"])
    >>> [attempt] = hardtext.attack(victim, ["The hoax was shared widely."], attack="deepwordbug")
    >>> attempt.status, "hoax" in attempt.adversarial[0]
    ('success', False)
    >>> hardtext.score([attempt], semantic="none").confusion
    1.0

Importing this is cheap: torch and the rest are imported by the function that needs them. ``docs/library.md`` shows more.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext.core import Attempt, Corpus, Domain, Example, InputError, Victim

if TYPE_CHECKING:
    from hardtext.scoring import Scores

__all__ = ["Attempt", "Corpus", "Domain", "Example", "InputError", "Victim", "attack", "load_victim", "score"]

log = logging.getLogger(__name__)

UNKNOWN_LABEL = -1


def load_victim(source: str | Path | Callable[[list[str]], Any], **options: Any) -> Victim:
    """The victim that ``source`` names: a folder that ``train.py`` left, a Hugging Face folder or hub id, or any function
    ``list[str] → (n, classes)`` probabilities (a pair of texts reaches a function as one, joined by ``" ~ "``).

    ``options`` (all optional): ``name`` for the rows of its attempts; ``device``, such as ``"cuda:1"``; ``classes``, the
    class names, into whose order a model's labels are brought; ``batch_tokens``, how many tokens a batch may hold;
    ``backend="onnx"``; ``without``, the defences of the folder to leave out. A folder that holds defences gives the defended
    victim. Raises InputError where there is no victim, or where it would run code of its own.

    >>> victim = load_victim(lambda texts: [[0.5, 0.3, 0.2]] * len(texts), name="mine", classes=["true", "unclear", "false"])
    >>> victim.name, victim.classes
    ('mine', ('true', 'unclear', 'false'))
    >>> victim.probabilities([("evidence", "claim")]).shape
    (1, 3)
    """
    from hardtext.victims import load_victim as load

    return load(source, **options)


def attack(victim: Victim | Callable[[list[str]], Any], examples: Sequence[Example | str],
           attack: str = "bert_attack", *, max_queries: int | None = None, max_seconds: float | None = None,
           repeats: int = 1, seed: int = 0, domain: str = "", **settings: Any) -> list[Attempt]:
    """Attack ``examples`` and return one attempt each, in input order.

    ``attack`` is a name from ``hardtext.attacks.ATTACKS``; ``settings`` are its settings (``variant="paper"``,
    ``constraints={"protect": ["names"]}``). A plain string is taken as an example without a gold label (label -1); attacks
    aim at the victim's own prediction, so the gold label plays no part. ``max_queries`` and ``max_seconds`` bound what one
    text may cost. ``repeats``: for a victim that answers by chance, how often a success must be asked again (most of them
    have to flip). ``domain``: what the attempts say they are of; the scores split sentences by its rule.

    Raises InputError for an unknown attack, settings it does not have, examples that are none, and a victim whose answers
    are no probabilities.

    >>> def classify(texts):
    ...     return [[0.1, 0.9] if "vaccine" in text else [0.8, 0.2] for text in texts]
    >>> found = attack(classify, ["The vaccine works.", "!!!"], attack="homoglyph_search", max_queries=50)
    >>> [attempt.status for attempt in found]
    ['success', 'skipped']
    >>> found[0].original_probs, found[0].adversarial_probs, found[0].queries <= 50
    ([0.1, 0.9], [0.8, 0.2], True)
    """
    from hardtext.attacks import ATTACKS, engine, sanity

    if not isinstance(attack, str) or attack not in ATTACKS:
        raise InputError(f"attack={attack!r}: expected one of {', '.join(ATTACKS)}")
    try:
        chosen = ATTACKS[attack](name=attack, **settings)
    except TypeError as error:
        known = [f.name for f in fields(ATTACKS[attack]) if f.name != "name"]
        raise InputError(f"attack={attack!r}: {error}; its settings are {', '.join(known)}") from error
    if not isinstance(victim, Victim):
        victim = load_victim(victim)
    if isinstance(examples, (str, Example)) or not isinstance(examples, Iterable):
        raise InputError(f"examples: expected a list of texts or Examples, got one {type(examples).__name__}")
    items = [Example(id=str(i), segments=(e,), label=UNKNOWN_LABEL) if isinstance(e, str) else e
             for i, e in enumerate(examples)]
    if foreign := [e for e in items if not isinstance(e, Example)]:
        raise InputError(f"examples: expected texts or Examples, got a {type(foreign[0]).__name__}: {str(foreign[0])[:80]}")
    ids = [e.id for e in items]
    if repeated := {i for i, count in Counter(ids).items() if count > 1}:
        raise InputError(f"examples: ids must be unique, repeated: {', '.join(sorted(repeated)[:5])}")
    for warning in sanity.check(victim, items, seed).warnings if items else ():
        log.warning("victim %s: %s", victim.name, warning)
    found = {a.id: a for a in engine.run(chosen, victim, items, domain=domain, seed=seed, max_queries=max_queries,
                                         max_seconds=max_seconds, repeats=repeats)}
    return [found[i] for i in ids]


def score(attempts: Sequence[Attempt], semantic: str = "minilm", **options: Any) -> Scores:
    """The BODEGA score of the attempts of one run, and its parts, with 95 % bootstrap intervals.

    ``semantic``: ``minilm`` (bundled stand-in), ``bleurt`` (BLEURT-20, what the shared task used; downloaded),
    ``bertscore``, or ``none``, which leaves ``semantic`` and ``bodega`` None. ``options``: ``domain``, ``segmenter``,
    ``seed``, ``resamples``. Raises InputError where the attempts are of several runs, or all of them errors.

    >>> found = attack(lambda texts: [[0.6, 0.4]] * len(texts), ["It was never true.", "Nobody said so."],
    ...                attack="deepwordbug")
    >>> scores = score(found, semantic="none")
    >>> scores.instances, scores.successes, scores.confusion, scores.bodega
    (2, 0, 0.0, None)
    """
    from hardtext.scoring import score as compute
    from hardtext.scoring import semantic_from_name

    attempts = list(attempts)
    if foreign := [a for a in attempts if not isinstance(a, Attempt)]:
        raise InputError(f"attempts: expected what hardtext.attack returns, got a {type(foreign[0]).__name__}")
    return compute(attempts, semantic=semantic_from_name(semantic), **options)
