"""Published scores to stand beside ours: the shared task's results by domain, victim and method."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

SOURCE = ("Przybyła et al., Overview of the CLEF-2024 CheckThat! Lab Task 6 on Robustness of Credibility Assessment "
          "with Adversarial Examples (InCrediblAE)")

DOMAINS = {"pr": "PR", "fc": "FC", "rd": "RD", "hn": "HN", "c19": "C19"}
VICTIMS = {"bilstm": "BiLSTM", "bert": "BERT", "roberta_adv": "RoBERTa-adv", "surprise": "RoBERTa-adv"}
METHODS = {"bert_attack": "BERT-ATTACK", "deepwordbug": "DeepWordBug", "homoglyph_search": "SINAI",
           "homoglyph_rank": "MMU_NLP", "glota": "Palöri", "openfact": "OpenFact", "turquaz": "TurQUaz",
           "beam_attack": "TextTrojaners"}
"""Our attacks by the published method each one follows: a baseline of the organisers, or the team whose attack it is."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One cell of the published tables. Semantic scores are BLEURT-20's; ``queries`` is None where none is given."""

    domain: str
    victim: str
    method: str
    bodega: float
    confusion: float
    semantic: float
    character: float
    queries: float | None


def published_rows(domain: str, victim: str | None = None, method: str | None = None) -> list[PublishedRow]:
    """The published rows of a domain, best BODEGA score first; empty where nothing is published.

    All three are our names (``pr``, ``roberta_adv``, ``bert_attack``); without ``victim`` or ``method``, all of them.
    """
    rows = [row for row in _all() if row.domain == DOMAINS.get(domain.lower())
            and (victim is None or row.victim == VICTIMS.get(victim.lower()))
            and (method is None or row.method == METHODS.get(method.lower()))]
    return sorted(rows, key=lambda row: -row.bodega)


def rows_beside(domain: str, victim: str) -> list[PublishedRow]:
    """The published rows to show beside a victim of ours: its own, else those of the nearest published victim
    (RoBERTa-adv for a hardened victim, BERT for any other). A row's ``victim`` says whose it is."""
    nearest = "roberta_adv" if victim.lower().endswith(("_adv", "_hard")) else "bert"
    return published_rows(domain, victim) or published_rows(domain, nearest)


@lru_cache(maxsize=1)
def _all() -> tuple[PublishedRow, ...]:
    text = (files(__package__) / "incrediblae.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    numbers = ("bodega", "confusion", "semantic", "character", "queries")
    return tuple(PublishedRow(**{key: (float(value) if value else None) if key in numbers else value
                                 for key, value in row.items()})
                 for row in csv.DictReader(lines))
