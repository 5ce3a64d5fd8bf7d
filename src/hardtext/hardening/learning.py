"""What the defences that rewrite texts take from the training texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hardtext.core import Segments
from hardtext.hardening.settings import HardeningSettings
from hardtext.lexicon import wordnet
from hardtext.lexicon.encoding import Near, encoding
from hardtext.scoring.flags import is_date, is_negation, is_number
from hardtext.text import words
from hardtext.victims.defended.settings import Encode

OWN_TIMES = 2  # a word of the training texts counts as known from here on; once may be a misspelling
NAME_SHARE = 0.5  # a word that is capitalised more often than this is taken for a name


def learnt(hardening: HardeningSettings, texts: Iterable[Segments]) -> dict[str, list[str]]:
    """Name of a defence → the lines of its file in the victim's folder (``LEARNT``)."""
    found: dict[str, list[str]] = {}
    if not (hardening.canonicalise or hardening.encode):
        return found
    written = Counter(w.text for segments in texts for w in words(segments) if w.text.isalpha())
    counts: Counter[str] = Counter()
    for word, count in written.items():
        counts[word.lower()] += count
    if hardening.canonicalise:
        found["canonicalise"] = sorted(word for word, count in counts.items() if count >= OWN_TIMES)
    if hardening.encode:
        names = {word for word, count in counts.items() if count - written[word] > NAME_SHARE * count}
        table = codes(hardening.encode, counts, names)
        found["encode"] = [f"{word} {code}" for word, code in sorted(table.items())]
    return found


def codes(settings: Encode, counts: Counter[str], names: set[str]) -> dict[str, str]:
    """Word → the word it is read as (``lexicon.encoding``). ``counts``: by word in lower case; ``names`` among them."""
    near, others = _with_vectors(settings) if settings.vectors else (_in_wordnet, sorted(wordnet.table().lemmas()))

    def told_apart(word: str) -> bool:
        return word in names or is_number(word) or is_date(word) or is_negation(word)

    def synonyms(word: str) -> list[tuple[str, float]]:
        if told_apart(word):
            return []
        opposites = wordnet.antonyms(word)
        return [(other, nearness) for other, nearness in near(word) if other not in opposites and not told_apart(other)]

    return encoding(counts, others, synonyms, settings.chains)


def _in_wordnet(word: str) -> list[tuple[str, float]]:
    """Words that share a meaning, the more frequent the meaning the nearer."""
    return [(other, 1 / rank) for rank, other in enumerate(wordnet.synonyms(word), start=1)]


def _with_vectors(settings: Encode) -> tuple[Near, list[str]]:
    """The neighbours among word vectors, and all words that have a vector."""
    from hardtext.attacks.vectors import load_vectors

    vectors = load_vectors(settings.vectors, "hardening.encode.vectors")
    vectors.look_up(settings.neighbours)
    least = vectors.threshold if settings.cosine is None else settings.cosine

    def near(word: str) -> list[tuple[str, float]]:
        return [(other, cosine) for other, cosine in vectors.neighbours(word, settings.neighbours) if cosine >= least]

    return near, list(dict.fromkeys(map(str.lower, vectors.words)))


def stand_ins(hardening: HardeningSettings) -> list[str]:
    """What the defences were made with in place of something better."""
    from hardtext.attacks.vectors import STAND_IN

    return [f"encode: {STAND_IN}"] if hardening.encode and hardening.encode.vectors == "bundled" else []
