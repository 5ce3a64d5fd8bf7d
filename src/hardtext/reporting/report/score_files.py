"""Whether a ``scores.json`` can be what ``task=score`` says of some attempts. Pure functions.

A score file may be foreign (many tools write one of that name), damaged or altered; its numbers are believed only where
they go with the attempts they name and with each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hardtext.core import Attempt, InputError

FIGURES = ("bodega", "bodega_gated", "confusion", "semantic", "character", "queries", "preserved")
"""The numbers of a run that the page shows, under their names in scores.json."""
_SLACK = 1e-9  # of two sums of the same numbers in another order


def check(row: Any) -> dict[str, Any]:
    """The row of a score file. Raises InputError for a foreign one, and for one with values that no scores have."""
    if not isinstance(row, dict) or "semantic_scorer" not in row or "instances" not in row:
        raise InputError("no score file of task=score")
    if not isinstance(row.get("attempts_sha256"), str):
        raise InputError("it does not say which attempts it is about (attempts_sha256); score them again with task=score")
    interval, strict = row.get("interval"), row.get("strict") or {}
    sound = {
        "figures": all(is_share(row.get(name)) for name in FIGURES if name != "queries") and _is_cost(row.get("queries")),
        "interval": isinstance(interval, dict) and all(_is_bounds(name, pair) for name, pair in interval.items()),
        "instances, successes": is_count(row["instances"]) and is_count(row.get("successes"))
                                and row["successes"] <= row["instances"] > 0,
        "stand_ins": is_texts(row.get("stand_ins", [])),
        "semantic_scorer, segmenter, preserved_limits": is_texts([row["semantic_scorer"], row.get("segmenter", ""),
                                                                  row.get("preserved_limits", "")]),
        "strict": isinstance(strict, dict) and (not strict or (
            isinstance(strict.get("victim"), str) and is_count(strict.get("confirmed"))
            and all(is_texts(strict.get(name)) for name in ("unconfirmed", "flipped")))),
    }
    if odd := [name for name, fine in sound.items() if not fine]:
        raise InputError(f"damaged: values that no scores have ({'; '.join(odd)}); score those attempts again")
    if odd := _contradictions(row):
        raise InputError(f"damaged: {odd}; score those attempts again")
    return row


def check_counts(row: Mapping[str, Any], attempts: Sequence[Attempt]) -> None:
    """Raise InputError where a row that ``check`` has passed cannot be about these attempts: it counts others."""
    instances = [attempt for attempt in attempts if attempt.status != "error"]
    successes = sum(attempt.status == "success" for attempt in instances)
    if strict := row.get("strict"):  # the successes of the victim that was asked again
        successes += len(strict["flipped"]) - len(strict["unconfirmed"])
    first = attempts[0]
    expected = {"domain": first.domain, "victim": first.victim, "attack": first.attack, "instances": len(instances),
                "successes": successes}
    if odd := [f"{name} {row.get(name)!r:.60}, not {value!r}" for name, value in expected.items() if row.get(name) != value]:
        raise InputError(f"it says {'; '.join(odd)}, as the attempts do that it names; score them again")
    queries = sum(attempt.queries for attempt in instances) / len(instances)
    if not math.isclose(row["queries"], queries, rel_tol=1e-6):
        raise InputError(f"it says {row['queries']} queries a text, not {queries}, as the attempts do that it names; score "
                         f"them again")


def _contradictions(row: Mapping[str, Any]) -> str:
    """What two figures say against each other; '' where they agree."""
    share = row["successes"] / row["instances"]
    if row["confusion"] is None or abs(row["confusion"] - share) > _SLACK:
        return f"confusion {row['confusion']}, but {row['successes']} of {row['instances']} are successes"
    for less, more in (("bodega", "confusion"), ("bodega_gated", "bodega")):
        low, high = row.get(less), row.get(more)
        if low is not None and high is not None and low > high + _SLACK:
            return f"{less} {low} above {more} {high}"
    if (row["semantic_scorer"] == "none") != (row.get("bodega") is None):
        return f"bodega {row.get('bodega')} with the semantic scorer {row['semantic_scorer']}"
    return ""


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_share(value: Any) -> bool:
    """None, or a number from 0 to 1."""
    return value is None or (is_number(value) and 0 <= value <= 1 + _SLACK)


def is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def is_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _is_cost(value: Any) -> bool:
    return is_number(value) and value >= 0


def _is_bounds(name: str, pair: Any) -> bool:
    if pair is None:
        return True
    fits = _is_cost if name == "queries" else lambda value: value is not None and is_share(value)
    return isinstance(pair, list) and len(pair) == 2 and all(map(fits, pair)) and pair[0] <= pair[1]
