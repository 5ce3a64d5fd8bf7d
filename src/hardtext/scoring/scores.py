"""How good an attack was: the scores of one attack run."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy

from hardtext.core import Attempt, InputError, Segments
from hardtext.scoring import bodega, bootstrap, documents, preserved, segment
from hardtext.scoring.semantic import SemanticSettings, semantic_from_name
from hardtext.seeding import derive
from hardtext.text import separator_count

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Scores:
    """The scores of one run: ``scores.json``.

    An instance is an attempt that is no error; an exception says nothing about the victim, so errors are counted
    apart and left out of every average. failed, skipped and budget attempts are instances that count 0.

    ``confusion`` and ``bodega`` are means over all instances, ``semantic`` and ``character`` over successes (None
    where there is none). ``queries`` and ``forwards`` are means over all instances; ``forwards`` is None where
    nothing recorded any (a submission file). With the semantic scorer "none", ``semantic`` and ``bodega`` are None.
    ``interval`` holds the 95 % bootstrap bounds [low, high] of each, None where fewer than two values stand behind it.

    ``preserved`` is the mean over successes of the probability that a person says the meaning is kept, and
    ``bodega_gated`` the mean over all instances of success × semantic × character × that probability: the BODEGA score
    to expect where a success counts 0 whose meaning a person says is lost. The probability itself and no threshold on
    it, since it is calibrated, and since an attack would aim right above a threshold. ``preserved_limits`` says what the
    probability is worth here. All three are None or empty with the semantic scorer "none".
    """

    instances: int
    successes: int
    confusion: float
    semantic: float | None
    character: float | None
    bodega: float | None
    queries: float
    forwards: float | None
    semantic_scorer: str
    segmenter: str
    interval: dict[str, list[float] | None]
    errors: int
    skipped: int
    budget: int
    queries_success: float | None  # mean over successes
    queries_failure: float | None  # mean over the other instances
    broken_pairs: int  # successes whose joined pair holds ' ~ ' more or less often than the original's
    domain: str
    victim: str
    attack: str
    stand_ins: tuple[str, ...]  # what the published scores were computed with and these were not
    resamples: int
    seed: int
    preserved: float | None = None
    bodega_gated: float | None = None
    preserved_limits: str = ""

    def to_row(self) -> dict[str, Any]:
        """A JSON-ready dict, keys in the order of the file."""
        return asdict(self) | {"stand_ins": list(self.stand_ins)}


def score(attempts: Sequence[Attempt], *, semantic: SemanticSettings | str, domain: str | None = None,
          segmenter: str = "auto", seed: int = 0, resamples: int = 1000) -> Scores:
    """The BODEGA score and its parts for the attempts of one run (one domain, victim and attack).

    ``domain``: the domain whose sentence rule applies; by default the one the attempts name.
    ``segmenter``: one of ``segment.SEGMENTERS``. ``seed`` and ``resamples`` are the bootstrap's.
    Raises InputError when there is nothing to score, when the attempts belong to several runs, when every attempt is
    an error, or when the semantic scorer cannot be had.
    """
    if isinstance(semantic, str):
        semantic = semantic_from_name(semantic)
    if resamples < 1:
        raise InputError(f"resamples={resamples}: expected at least 1")
    run_domain, victim, attack = (_the_one(attempts, field) for field in ("domain", "victim", "attack"))
    domain = domain or run_domain
    instances = [attempt for attempt in attempts if attempt.status != "error"]
    errors = len(attempts) - len(instances)
    if not instances:
        raise InputError(f"nothing to score: all {errors} attempts are errors, the first one: {attempts[0].error}")
    if errors:
        first = next(attempt for attempt in attempts if attempt.status == "error")
        log.warning("%d of %d attempts are errors and are left out of the scores (the first: id %s, %s)",
                    errors, len(attempts), first.id, first.error)

    pair = any(len(attempt.original) == 2 for attempt in instances)
    segmenter = segment.resolve(segmenter, domain, pair)
    measured = _columns(instances, semantic, segmenter)
    queries = numpy.array([attempt.queries for attempt in instances], dtype=float)
    forwards = numpy.array([attempt.forwards for attempt in instances], dtype=float)
    success = measured["confusion"] == 1
    broken = sum(_is_broken(attempt) for attempt in instances)
    if broken:
        log.warning("%d successes changed how often the pair holds ' ~ ': their victim may have read an empty claim",
                    broken)
    status = Counter(attempt.status for attempt in instances)
    return Scores(
        instances=len(instances), successes=int(success.sum()),
        **{name: bodega.mean(column) for name, column in measured.items()},
        queries=float(queries.mean()), forwards=float(forwards.mean()) if forwards.any() else None,
        semantic_scorer=semantic.name, segmenter=segmenter,
        interval=bootstrap.bounds(measured | {"queries": queries}, seed=derive(seed, "bootstrap"), resamples=resamples),
        errors=errors, skipped=status["skipped"], budget=status["budget"],
        queries_success=bodega.mean(queries[success]), queries_failure=bodega.mean(queries[~success]),
        broken_pairs=broken, domain=domain, victim=victim, attack=attack,
        stand_ins=_stand_ins(semantic, segmenter, domain), resamples=resamples, seed=seed,
        preserved_limits="" if semantic.name == "none" else preserved.limits(domain))


def _columns(instances: Sequence[Attempt], semantic: SemanticSettings, segmenter: str) -> dict[str, numpy.ndarray]:
    """``bodega.columns`` of these attempts with ``preserved`` (nan where the attack did not succeed) and
    ``bodega_gated`` (0 there); with the scorer "none", all but confusion and character hold only nan."""
    success = numpy.array([attempt.status == "success" for attempt in instances])
    changes = [(attempt.original, _adversarial(attempt)) for attempt in instances if attempt.status == "success"]
    unknown = numpy.full(len(instances), numpy.nan)
    character, meaning, kept = unknown.copy(), unknown.copy(), unknown.copy()
    character[success] = documents.character_scores(changes)
    if semantic.name == "none":
        return bodega.columns(success, meaning, character) | {"bodega": unknown, "preserved": unknown,
                                                              "bodega_gated": unknown}
    meaning[success] = documents.semantic_scores(changes, semantic, segmenter)
    kept[success] = preserved.probabilities(changes)
    columns = bodega.columns(success, meaning, character)
    return columns | {"preserved": kept, "bodega_gated": numpy.where(success, columns["bodega"] * kept, 0.0)}


def _adversarial(attempt: Attempt) -> Segments:
    if attempt.adversarial is None:
        raise InputError(f"attempt {attempt.id}: its status is success but it has no adversarial text")
    return attempt.adversarial


def _is_broken(attempt: Attempt) -> bool:
    return (attempt.status == "success" and len(attempt.original) == 2
            and separator_count(attempt.adversarial) != separator_count(attempt.original))


def _stand_ins(semantic: SemanticSettings, segmenter: str, domain: str) -> tuple[str, ...]:
    if semantic.name == "none":
        return ()
    return tuple(words for words in (semantic.stand_in, segment.stand_in(segmenter, domain)) if words)


def _the_one(attempts: Sequence[Attempt], field: str) -> str:
    values = sorted({getattr(attempt, field) for attempt in attempts})
    if not values:
        raise InputError("nothing to score: there are no attempts")
    if len(values) > 1:
        raise InputError(f"attempts of several runs ({field}: {', '.join(values)}): score each run by itself")
    return values[0]
