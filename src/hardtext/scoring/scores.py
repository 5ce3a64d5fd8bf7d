"""How good an attack was: the scores of one attack run."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy

from hardtext.core import Attempt, InputError
from hardtext.scoring import bodega, bootstrap, measure, preserved, segment
from hardtext.scoring.semantic import SemanticSettings, semantic_from_name
from hardtext.seeding import derive

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
    segmenter = check(attempts, domain=domain, segmenter=segmenter)
    return averages(attempts, measure.columns(attempts, semantic, segmenter), semantic=semantic, domain=domain,
                    segmenter=segmenter, seed=seed, resamples=resamples)


def check(attempts: Sequence[Attempt], *, domain: str | None = None, segmenter: str = "auto") -> str:
    """Refuse, before any model is loaded, what ``score`` cannot score; the segmenter that ``segmenter`` means here."""
    run_domain, *_ = (the_one(attempts, field) for field in ("domain", "victim", "attack"))
    instances = measure.instances(attempts, "nothing to score")
    measure.successes(instances)
    return measure.resolve_segmenter(segmenter, domain or run_domain, instances)


def averages(attempts: Sequence[Attempt], columns: measure.Columns, *, semantic: SemanticSettings, segmenter: str,
             domain: str | None = None, seed: int = 0, resamples: int = 1000) -> Scores:
    """The scores of one run from what ``measure.columns`` gave for its attempts, in the same order (errors included);
    the other arguments as for ``score``, ``segmenter`` as ``check`` gave it."""
    run_domain, victim, attack = (the_one(attempts, field) for field in ("domain", "victim", "attack"))
    domain = domain or run_domain
    instances = measure.instances(attempts, "nothing to score")
    errors = len(attempts) - len(instances)
    if errors:
        first = next(attempt for attempt in attempts if attempt.status == "error")
        log.warning("%d of %d attempts are errors and are left out of the scores (the first: id %s, %s)",
                    errors, len(attempts), first.id, first.error)
    measured = _measures(columns[numpy.array([attempt.status != "error" for attempt in attempts])], semantic)
    queries = numpy.array([attempt.queries for attempt in instances], dtype=float)
    forwards = numpy.array([attempt.forwards for attempt in instances], dtype=float)
    success = measured["confusion"] == 1
    broken = measure.broken_pairs(instances)
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


def _measures(columns: measure.Columns, semantic: SemanticSettings) -> dict[str, numpy.ndarray]:
    """``bodega.columns`` with ``preserved`` (nan where the attack did not succeed) and ``bodega_gated`` (0 there); with
    the scorer "none", all but confusion and character hold only nan."""
    measured = bodega.columns(columns.success, columns.semantic, columns.character)
    if semantic.name == "none":
        unknown = numpy.full(len(columns.success), numpy.nan)
        return measured | {"bodega": unknown, "preserved": unknown, "bodega_gated": unknown}
    gated = numpy.where(columns.success, measured["bodega"] * columns.preserved, 0.0)
    return measured | {"preserved": columns.preserved, "bodega_gated": gated}


def _stand_ins(semantic: SemanticSettings, segmenter: str, domain: str) -> tuple[str, ...]:
    if semantic.name == "none":
        return ()
    return tuple(words for words in (semantic.stand_in, segment.stand_in(segmenter, domain)) if words)


def the_one(attempts: Sequence[Attempt], field: str) -> str:
    """The value that all attempts share. Raises InputError where they are of several runs, and where there are none."""
    values = sorted({getattr(attempt, field) for attempt in attempts})
    if not values:
        raise InputError("nothing to score: there are no attempts")
    if len(values) > 1:
        raise InputError(f"attempts of several runs ({field}: {', '.join(values)}): score each run by itself")
    return values[0]
