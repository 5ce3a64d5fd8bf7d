"""Typos: a few slips of the keyboard inside longer words, which a reader overlooks."""

from __future__ import annotations

import random
from typing import Optional

from hardtext import seeding
from hardtext import text as words_of
from hardtext.lexicon import names, wordnet
from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged
from hardtext.probes.editing import Edit, addresses, inside, put
from hardtext.probes.places import places

EVERY, MOST, SHORTEST = 8, 10, 4  # one typo for every 8 words, at most 10 a text, in words of 4 letters and more

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_SHIFT = (0.0, 0.25, 0.75)  # how far each row of a US keyboard stands to the right, in keys


def _neighbours() -> dict[str, str]:
    """The letters whose keys touch a letter's key."""
    places = {key: (x + _SHIFT[y], y) for y, row in enumerate(_ROWS) for x, key in enumerate(row)}
    return {a: "".join(b for b, (u, v) in places.items() if a != b and abs(x - u) <= 1 and abs(y - v) <= 1)
            for a, (x, y) in places.items()}


NEIGHBOURS = _neighbours()


class Typos(Probe):
    """One word in eight (at least one, at most ten a text) has a letter hit beside its key, swapped with the next, or left
    out. First letters, names, words with digits or capitals inside, and addresses stay; no typo gives another word."""

    name = "typos"
    expects = "stay"
    asks = "Does it keep its answer when a few words are mistyped?"
    few_flips = ("As it should be: readers overlook such slips. A high rate says that single words, as they are spelled, "
                 "decide.")

    def change(self, text: str, seed: int) -> Changed | Unchanged:
        words = [word for word in words_of.words(text) if word.is_word]
        kept = [*names.names(text), *addresses(text)]
        fit = [w for w in words if len(w.text) >= SHORTEST and w.text.isalpha() and w.text[1:].islower()
               and w.text not in places() and not inside((w.start, w.end), kept)]
        rng = seeding.generator(seed, self.name)
        wanted = min(max(1, len(words) // EVERY), MOST)
        edits: list[Edit] = []
        for word in rng.sample(fit, len(fit)):
            if len(edits) < wanted and (typed := mistyped(word.text, rng)):
                edits.append(Edit(word.start, word.end, typed))
        if not edits:
            return Unchanged("no word to mistype")
        edits.sort()
        return Changed(put(text, edits), "; ".join(f"{text[e.start:e.end]} -> {e.new}" for e in edits))


def probe(settings: ProbeSettings) -> Typos:
    return Typos()


def mistyped(word: str, rng: random.Random) -> Optional[str]:
    """The word with one slip behind its first letter; None where ten slips give nothing but other words."""
    for _ in range(10):
        at = rng.randrange(1, len(word))
        slip = rng.choice(("beside", "swapped", "left out"))
        if slip == "beside":
            typed = word[:at] + rng.choice(NEIGHBOURS.get(word[at], word[at])) + word[at + 1:]
        elif slip == "swapped":
            typed = word[:at] + word[at + 1:at + 2] + word[at] + word[at + 2:]
        else:
            typed = word[:at] + word[at + 1:]
        if typed != word and not wordnet.known(typed):
            return typed
    return None
