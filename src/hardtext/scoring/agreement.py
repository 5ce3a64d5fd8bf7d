"""How far people agree on whether an attack kept the meaning, and what they say of each system. Pure functions.

The scheme is the shared task's (Przybyła et al. 2024, InCrediblAE): two annotators judge every pair of texts, a third
one those on which the two differ; the majority decides, and where all three differ, the most confident one.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from hardtext.core import InputError
from hardtext.scoring.published import METHODS

LABELS = ("preserves the meaning", "changes the meaning", "makes no sense")
"""What an annotator says of a pair; the index is the ``stance`` of the published file."""
PRESERVED = 0
CONFIDENCES = (1, 2, 3, 4, 5)
"""From not confident to very confident."""

UNANIMOUS, MAJORITY, CONFIDENCE, TIE, OPEN = "unanimous", "majority", "confidence", "confidence tie", "unresolved"
HOW = (UNANIMOUS, MAJORITY, CONFIDENCE, TIE, OPEN)
"""How a pair got its label, see ``resolve``."""

TIE_RULE = "among the equally confident, the annotator who comes first"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one annotator said of one pair. ``confidence`` is None where it was not asked."""

    annotator: str
    label: int
    confidence: int | None = None

    def __post_init__(self) -> None:
        if self.label not in range(len(LABELS)):
            raise InputError(f"label {self.label!r}: expected 0, 1 or 2 ({', '.join(LABELS)})")
        if self.confidence is not None and self.confidence not in CONFIDENCES:
            raise InputError(f"confidence {self.confidence!r}: expected 1 to 5")


@dataclass(frozen=True, slots=True)
class Judged:
    """One pair with its judgements, at most one an annotator, in the order of the annotators.

    ``agreed`` is the label the annotations' file gives the pair, where it gives one. ``stand_in``: what stands in for
    what in the system that made the pair.
    """

    id: str
    judgements: tuple[Judgement, ...]
    system: str = ""
    agreed: int | None = None
    stand_in: str = ""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The label of a pair, None where it is ``unresolved``, and how it came about."""

    label: int | None
    how: str


def resolve(judgements: Sequence[Judgement]) -> Resolution:
    """The label that several judgements of one pair give together.

    Most votes decide. Where several labels have most votes, that of the most confident annotator among them does, and
    among the equally confident the one who comes first: the published rule says nothing of such a tie. Fewer than two
    judgements, or two that differ (the third annotator is missing), leave the pair unresolved.

    >>> [resolve([Judgement(str(i), *j) for i, j in enumerate(row)]).label
    ...  for row in ([(0, 3), (0, 5)], [(0, 3), (1, 5), (1, 2)], [(2, 4), (0, 3), (1, 1)], [(0, 5), (1, 5)])]
    [0, 1, 2, None]
    """
    votes = Counter(judgement.label for judgement in judgements)
    most = max(votes.values(), default=0)
    leading = [judgement for judgement in judgements if votes[judgement.label] == most]
    if len(judgements) < 2 or (len(judgements) == 2 and len(votes) == 2):
        return Resolution(None, OPEN)
    if len(votes) == 1:
        return Resolution(leading[0].label, UNANIMOUS)
    if len({judgement.label for judgement in leading}) == 1:
        return Resolution(leading[0].label, MAJORITY)
    highest = max(judgement.confidence or 0 for judgement in leading)
    surest = [judgement.label for judgement in leading if (judgement.confidence or 0) == highest]
    return Resolution(surest[0], CONFIDENCE if len(set(surest)) == 1 else TIE)


def annotators(pairs: Iterable[Judged]) -> list[str]:
    """The annotators, those who judged most pairs first; among equals, those who come first."""
    counts = Counter(judgement.annotator for pair in pairs for judgement in pair.judgements)
    return [name for name, _ in counts.most_common()]


def both(pairs: Iterable[Judged], first: str, second: str) -> list[tuple[int, int]]:
    """The labels of two annotators for the pairs that both judged."""
    labels = [{judgement.annotator: judgement.label for judgement in pair.judgements} for pair in pairs]
    return [(given[first], given[second]) for given in labels if first in given and second in given]


def cohen_kappa(labels: Sequence[tuple[int, int]]) -> float | None:
    """Cohen's kappa of two annotators from their labels of the same pairs.

    None where it is not defined: no pair, or chance alone agrees (both gave one and the same label throughout).

    >>> cohen_kappa([(0, 0), (0, 0), (1, 1), (1, 0)])
    0.5
    """
    from sklearn.metrics import cohen_kappa_score

    if not labels or len({label for pair in labels for label in pair}) == 1:
        return None
    first, second = zip(*labels)
    return float(cohen_kappa_score(first, second))


def krippendorff_alpha(pairs: Sequence[Judged]) -> float | None:
    """Krippendorff's alpha for nominal labels over all annotators, whoever judged what.

    None where it is not defined: no pair was judged twice, or all judgements of such pairs say the same.
    """
    import krippendorff
    import numpy

    counts = numpy.zeros((len(pairs), len(LABELS)), int)
    for row, pair in enumerate(pairs):
        for judgement in pair.judgements:
            counts[row, judgement.label] += 1
    counts = counts[counts.sum(axis=1) >= 2]
    if (counts.sum(axis=0) > 0).sum() < 2:
        return None
    return float(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))


@dataclass(frozen=True, slots=True)
class Share:
    """Of a system's resolved pairs, the share that preserves the meaning, with its 95 % Wilson bounds."""

    system: str
    preserved: int
    resolved: int
    unresolved: int
    share: float | None
    interval: tuple[float, float] | None
    stand_in: str = ""


def rank(pairs: Iterable[Judged]) -> list[Share]:
    """The systems by their share of pairs that preserve the meaning, highest first; pairs without a system are left
    out. A system without a resolved pair has no share and comes last."""
    labels: dict[str, list[int | None]] = {}
    stand_ins: dict[str, str] = {}
    for pair in pairs:
        if pair.system:
            labels.setdefault(pair.system, []).append(resolve(pair.judgements).label)
            stand_ins.setdefault(pair.system, pair.stand_in)
    shares = []
    for system, given in labels.items():
        resolved = sum(label is not None for label in given)
        preserved = sum(label == PRESERVED for label in given)
        shares.append(Share(system, preserved, resolved, len(given) - resolved,
                            preserved / resolved if resolved else None, wilson(preserved, resolved),
                            stand_ins[system]))
    return sorted(shares, key=lambda s: (s.share is None, -(s.share or 0), -s.resolved, s.system))


def wilson(successes: int, trials: int) -> tuple[float, float] | None:
    """The 95 % Wilson score interval of a share (no continuity correction); None without a trial."""
    if not trials:
        return None
    from scipy.stats import binomtest

    bounds = binomtest(successes, trials).proportion_ci(confidence_level=0.95, method="wilson")
    return float(bounds.low), float(bounds.high)


@lru_cache(maxsize=1)
def published_ranking() -> dict[str, float]:
    """The published share of preserved meaning (0 to 1) by team, highest first; source: ``published.SOURCE``."""
    text = (files("hardtext.scoring.published") / "human_ranking.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return {row["team"]: int(row["preserved_percent"]) / 100 for row in rows}


def published_team(system: str) -> str | None:
    """The team a system stands beside: by its own name, or because our attack of that name follows the team's.

    >>> published_team("sinai"), published_team("homoglyph_search (seed=0)"), published_team("pwws")
    ('SINAI', 'SINAI', None)
    """
    name = system.partition(" (")[0]
    team = METHODS.get(name, name)
    return next((known for known in published_ranking() if known.casefold() == team.casefold()), None)
