"""hardtext: measure how easily a text classifier is fooled, and make it hard to fool.

Importing this is cheap: torch and the rest are imported by the function that needs them.
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
    """A victim from a folder that ``train.py`` left, a Hugging Face folder or hub id, or any function
    ``list[str] → (n, classes)`` probabilities. See ``hardtext.victims.load_victim``."""
    from hardtext.victims import load_victim as load

    return load(source, **options)


def attack(victim: Victim | Callable[[list[str]], Any], examples: Sequence[Example | str],
           attack: str = "bert_attack", *, max_queries: int | None = None, max_seconds: float | None = None,
           repeats: int = 1, seed: int = 0, domain: str = "", **settings: Any) -> list[Attempt]:
    """Attack ``examples`` and return one attempt each, in input order.

    ``attack`` is a name from ``hardtext.attacks.ATTACKS``; ``settings`` are its settings (``variant="paper"``).
    A plain string is taken as an example without a gold label (label -1); attacks aim at the victim's own
    prediction, so the gold label plays no part. ``repeats``: for a victim that answers by chance, see ``engine.run``.
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
    """The BODEGA scores of ``attempts``. See ``hardtext.scoring.score``."""
    from hardtext.scoring import score as compute
    from hardtext.scoring import semantic_from_name

    attempts = list(attempts)
    if foreign := [a for a in attempts if not isinstance(a, Attempt)]:
        raise InputError(f"attempts: expected what hardtext.attack returns, got a {type(foreign[0]).__name__}")
    return compute(attempts, semantic=semantic_from_name(semantic), **options)
