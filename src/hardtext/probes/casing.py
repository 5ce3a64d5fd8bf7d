"""Casing: the text in lower case. A victim that lower-cases its input itself cannot change its answer."""

from __future__ import annotations

from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged


class Casing(Probe):
    name = "casing"
    expects = "stay"
    asks = "Does it keep its answer when the text is written in lower case?"
    few_flips = ("As it should be: case says nothing about the facts. A rate of exactly zero with unchanged "
                 "probabilities means that the classifier never saw the difference.")

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        lower = text.lower()
        if lower == text:
            return Unchanged("already lower case")
        return Changed(lower, "lower case")


def probe(settings: ProbeSettings) -> Casing:
    return Casing()
