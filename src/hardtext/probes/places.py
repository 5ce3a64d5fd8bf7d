"""Well-known places: US states, countries, and large cities with the state or country they lie in (data/places.csv).

Names that are as often something else are left out: Washington, New York without "City", Jordan, Chad, Turkey.
"""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).parent / "data" / "places.csv"


class Place(NamedTuple):
    """``region`` is the state or country of a city, else nothing."""

    kind: str  # state, country, US city, city
    name: str
    region: str


@lru_cache(maxsize=1)
def places() -> dict[str, Place]:
    """The places by name, in the order of the file."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["name"]: Place(row["kind"], row["name"], row["region"]) for row in csv.DictReader(file)}
