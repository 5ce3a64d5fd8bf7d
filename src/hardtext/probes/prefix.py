"""Neutral prefix: a sentence that says nothing about the truth of the text is put before it."""

from __future__ import annotations

from hardtext import seeding
from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged

SENTENCES = (
    "The following was published recently.",
    "Here is a text to read.",
    "This is what the text says.",
    "The text below was collected for a study.",
    "What follows is written in English.",
)


class Prefix(Probe):
    """One of five sentences, drawn by the seed."""

    name = "prefix"
    expects = "stay"
    asks = "Does it keep its answer when a neutral sentence stands before the text?"
    few_flips = ("As it should be: the added sentence says nothing about the facts. A high rate says that the opening words "
                 "of a text, or its length, decide much.")

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        if not text.strip():
            return Unchanged("no text")
        sentence = seeding.generator(seed, self.name).choice(SENTENCES)
        return Changed(f"{sentence} {text}", f"added {sentence}")


def probe(settings: ProbeSettings) -> Prefix:
    return Prefix()
