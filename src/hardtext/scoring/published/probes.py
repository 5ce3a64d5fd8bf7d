"""What Flores and Hao published of their victims and probes, to stand beside ours."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

SOURCE = "Flores and Hao, An Adversarial Benchmark for Fake News Detection Models"
VICTIM = "BERT-base"
SAME = "bert"
"""Our model that is theirs."""


@dataclass(frozen=True, slots=True)
class PublishedProbe:
    """A row of Tables 3–5. ``label_flip`` is a share, 0 to 1; ``delta_prob`` a difference of probabilities."""

    domain: str
    probe: str
    label_flip: float
    delta_prob: float


def published_probe(domain: str, probe: str) -> PublishedProbe | None:
    """The published row of a domain and a probe (our names); None where there is none."""
    return next((PublishedProbe(domain, probe, float(row["label_flip"]) / 100, float(row["delta_prob"]))
                 for row in _rows("probes.csv") if (row["domain"], row["probe"]) == (domain, probe)), None)


def published_accuracy(domain: str) -> float | None:
    """The test accuracy, 0 to 1, of the published victim on a domain; None where there is none."""
    return next((float(row["accuracy"]) / 100 for row in _rows("probe_victims.csv") if row["domain"] == domain), None)


@lru_cache(maxsize=2)
def _rows(name: str) -> tuple[dict[str, str], ...]:
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return tuple(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
