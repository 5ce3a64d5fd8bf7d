"""What report.js reads: attempts as JSON inside the page, compact and safe to stand in HTML."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from hardtext import text
from hardtext.core import STATUSES, Attempt, Segments
from hardtext.reporting import diff
from hardtext.reporting.report.reading import AttackRun
from hardtext.reporting.report.scenario import Scenario, aligned
from hardtext.scoring.flags import KINDS


def embedded(value: Any) -> Markup:
    """JSON for a script element: pure ASCII, with nothing in it that HTML or an old script parser would read.

    >>> embedded({"text": "</script>\\u2028&"})
    Markup('{"text":"\\\\u003c/script\\\\u003e\\\\u2028\\\\u0026"}')
    """
    written = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(written.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


class Texts:
    """The originals, each kept once though many runs attack it, and every character the page may have to explain."""

    def __init__(self) -> None:
        self.segments: list[list[str]] = []
        self.characters: set[str] = set()
        self._index: dict[Segments, int] = {}

    def index(self, segments: Segments) -> int:
        if segments not in self._index:
            self._index[segments] = len(self.segments)
            self.segments.append(list(segments))
            self.characters.update(*segments)
        return self._index[segments]


def run_data(scenario: Scenario, texts: Texts, classes: Sequence[str]) -> dict[str, Any]:
    """The attempts of a run as lists, in the order that ``FIELDS`` in report.js names."""
    kinds = list(KINDS)
    rows = []
    for attempt, own, character, semantic in zip(scenario.run.attempts, scenario.flags, scenario.measured.character,
                                                 scenario.measured.semantic):
        original, change_lists = _changes(attempt)
        flags = [[kinds.index(kind), line] for kind, line in own]
        error = None if attempt.error is None else text.readable(attempt.error)
        texts.characters.update(error or "", *map(diff.inserted, change_lists or ()), *(line for _, line in own))
        rows.append([text.readable(attempt.id), attempt.label, texts.index(original), STATUSES.index(attempt.status),
                     _rounded(attempt.original_probs), _rounded(attempt.adversarial_probs), attempt.queries,
                     _number(character), _number(semantic), change_lists, flags, error, _saliency(scenario.run, attempt)])
    return {"rows": rows, "classes": list(classes)}


def _changes(attempt: Attempt) -> tuple[Segments, list[list[diff.Change]] | None]:
    """The original as the page shows it, and how the adversarial text differs; None where there is none."""
    original = tuple(map(text.readable, attempt.original))
    if attempt.status != "success":
        return original, None
    original, adversarial = aligned(original, tuple(map(text.readable, attempt.adversarial)))
    return original, [diff.changes(before, after) for before, after in zip(original, adversarial)]


def _saliency(run: AttackRun, attempt: Attempt) -> list[list[float]] | None:
    """The pieces of the original that have a value, the largest made 1 or −1."""
    pieces = run.saliency.get(attempt.id)
    if not pieces:
        return None
    most = max(abs(value) for *_, value in pieces) or 1.0
    return [[segment, start, end, round(value / most, 3)] for segment, start, end, value in sorted(pieces)]


def _rounded(probabilities: Sequence[float] | None) -> list[float] | None:
    return None if probabilities is None else [round(p, 4) for p in probabilities]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 4)
