"""What the defences that rewrite texts take from the training texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hardtext.core import Segments
from hardtext.hardening.settings import HardeningSettings
from hardtext.lexicon import wordnet
from hardtext.lexicon.encoding import encoding
from hardtext.text import words
from hardtext.victims.defended.settings import Encode

OWN_TIMES = 2  # a word of the training texts counts as known from here on; once may be a misspelling


def learnt(hardening: HardeningSettings, texts: Iterable[Segments]) -> dict[str, list[str]]:
    """Name of a defence → the lines of its file in the victim's folder (``LEARNT``)."""
    found: dict[str, list[str]] = {}
    if not (hardening.canonicalise or hardening.encode):
        return found
    counts = Counter(w.text.lower() for segments in texts for w in words(segments) if w.text.isalpha())
    if hardening.canonicalise:
        found["canonicalise"] = sorted(word for word, count in counts.items() if count >= OWN_TIMES)
    if hardening.encode:
        found["encode"] = [f"{word} {code}" for word, code in sorted(codes(hardening.encode, counts).items())]
    return found


def codes(settings: Encode, counts: Counter[str]) -> dict[str, str]:
    """Word → the word it is read as (``lexicon.encoding``)."""
    from hardtext.attacks.vectors import load_vectors

    vectors = load_vectors(settings.vectors, "hardening.encode.vectors")
    vectors.look_up(settings.neighbours)
    least = vectors.threshold if settings.cosine is None else settings.cosine

    def near(word: str) -> list[tuple[str, float]]:
        found = {other: cosine for other, cosine in vectors.neighbours(word, settings.neighbours) if cosine >= least}
        if settings.wordnet:
            for other in wordnet.synonyms(word)[: settings.neighbours]:
                found.setdefault(other, least)
        return list(found.items())

    others = dict.fromkeys(map(str.lower, vectors.words))
    if settings.wordnet:
        others |= dict.fromkeys(sorted(wordnet.table().lemmas()))
    return encoding(counts, others, near, settings.chains)


def stand_ins(hardening: HardeningSettings) -> list[str]:
    """What the defences were made with in place of something better."""
    from hardtext.attacks.vectors import STAND_IN

    return [f"encode: {STAND_IN}"] if hardening.encode and hardening.encode.vectors == "bundled" else []
