"""What gives an attacked text away: scores of single texts, and a logistic combination of them.

The scores follow known detectors: how unusual the text is to a language model (after ONION, Qi et al. 2021, which looks for
backdoors this way), how rare its words are (after FGWS, Mozes et al. 2021, "Frequency-Guided Word Substitutions for
Detecting Textual Adversarial Examples"), and how much there is to clean up (``lexicon.canonical``): characters, torn words,
misspellings. Where the victim can be asked, two more: whether its answer tips when one word is left out (after WDR, Mosca
et al. 2022, "Interpreting Logits Variation to Detect NLP Adversarial Attacks"), and whether its answer leans on rare words.
Every score is higher for a more suspicious text and finite for any text, the empty one included.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import log
from typing import Any

import numpy
from rapidfuzz.distance import Levenshtein

from hardtext import text as texts_of
from hardtext.attacks.masked_lm_service import MaskedLM
from hardtext.core import InputError, Segments, Victim
from hardtext.lexicon.canonical import STEPS, Canonicaliser
from hardtext.lexicon.homoglyphs import UNSEEN, skeleton
from hardtext.saliency.reaction import reactions

SCORES = {
    "perplexity": "log pseudo-perplexity under the masked LM",
    "foreign": "share of the words that mix scripts, read as Latin though they are not, or hold unseen characters",
    "characters": "share of the characters that clean-up changes",
    "torn": "share of the words that clean-up joins",
    "misspelt": "share of the words that clean-up respells",
    "rarity": "mean surprise of the words given how often the training texts hold them",
}
"""The scores of the text alone, in the order of their columns."""
VICTIM_SCORES = {
    "reaction": "least margin of the victim's answer with one word left out, times −1",
    "saliency shift": "mean surprise of the words weighted by how much they move the answer, less their mean surprise",
}
"""The scores that ask the victim, whose columns follow."""
_NOISE = 1e-5  # by which logits of one text differ from batch to batch
_TOGETHER = 8  # texts asked about at once: each becomes as many texts as it has words, all of them in memory
OWN_TIMES = 2  # a word of the training texts counts as known from here on; once may be a misspelling


class Scorer:
    """Gives texts their scores. ``counts``: how often the domain's training texts hold each word (lower case); ``victim``:
    whose answers are looked at too, a text for each word."""

    def __init__(self, masked_lm: MaskedLM, counts: Mapping[str, int], victim: Victim | None = None) -> None:
        self._masked_lm, self._counts, self._victim = masked_lm, counts, victim
        self.names = tuple(SCORES) + (tuple(VICTIM_SCORES) if victim is not None else ())
        self._total, self._kinds = sum(counts.values()), len(counts) + 1
        own = [word for word, count in counts.items() if count >= OWN_TIMES and word.isalpha()]
        self._characters = Canonicaliser(own, STEPS[:3])
        self._split, self._spelling = Canonicaliser((), ("split",)), Canonicaliser((), ("spelling",))
        self._split.spelling = self._spelling.spelling = self._characters.spelling  # one dictionary for all three

    def scores(self, texts: Sequence[Segments]) -> numpy.ndarray:
        """float, (texts, len(names)): columns as in ``names``."""
        table = numpy.array([self._of(segments) for segments in texts]).reshape(len(texts), len(SCORES) - 1)
        asked = [self._reactions(texts)] if self._victim is not None else []
        return numpy.column_stack([self._perplexities(texts), table, *asked])

    def _reactions(self, texts: Sequence[Segments]) -> numpy.ndarray:
        """(texts, 2): columns as in ``VICTIM_SCORES``."""
        rows = []
        parts = [texts[start : start + _TOGETHER] for start in range(0, len(texts), _TOGETHER)]
        for one in (one for part in parts for one in reactions(self._victim, part)):
            words = [n for n, word in enumerate(one.words) if word.is_word]
            moved = numpy.abs(one.margin - one.without[words])
            moved[moved < _NOISE] = 0
            surprises = numpy.array([self._surprise(one.words[n].text) for n in words])
            shift = float(surprises @ moved / moved.sum() - surprises.mean()) if moved.sum() > 0 else 0.0
            rows.append((-min([one.margin, *one.without]), shift))
        return numpy.array(rows).reshape(len(texts), len(VICTIM_SCORES))

    def _perplexities(self, texts: Sequence[Segments]) -> numpy.ndarray:
        """Of a text without pieces 0: there is nothing unusual to read."""
        pieces = [[piece for word in self._masked_lm.pieces(texts_of.join(segments).split()) for piece in word]
                  for segments in texts]
        found = numpy.zeros(len(texts))
        where = [n for n, text in enumerate(pieces) if text]
        if where:
            # Clipped: the exponential of a text of one impossible piece may be inf.
            rated = self._masked_lm.perplexity([pieces[n] for n in where])
            found[where] = numpy.log(numpy.clip(rated, 1.0, 1e12))
        return found

    def _of(self, segments: Segments) -> list[float]:
        """The other scores of one text."""
        written = texts_of.join(segments)
        words = [w.text for w in texts_of.words(written) if w.is_word]
        count = max(1, len(words))
        plain = self._characters(written)
        joined = self._split(plain)
        spelt = self._spelling(joined)
        changed = sum((Counter(joined.split()) - Counter(spelt.split())).values())
        return [sum(map(foreign, written.split())) / count,
                Levenshtein.distance(written, plain) / max(1, len(written), len(plain)),
                max(0, len(plain.split()) - len(joined.split())) / count, changed / count, self._rarity(words)]

    def _rarity(self, words: Sequence[str]) -> float:
        return sum(map(self._surprise, words)) / len(words) if words else 0.0

    def _surprise(self, word: str) -> float:
        """Negative log-probability under word counts with one added to each."""
        return -log((self._counts.get(word.lower(), 0) + 1) / (self._total + self._kinds))


def foreign(word: str) -> bool:
    """Whether a word mixes Latin letters with others, is made of others' letters that read as Latin, or hides characters.

    >>> [foreign(word) for word in ("plain", "lіе", "ѕсоре", "naïve", "Москва", "te\\u200bam", "東京2020")]
    [False, True, True, False, False, True, False]
    """
    if word.isascii():
        return False
    if UNSEEN.search(word):
        return any(c.isascii() and c.isalpha() for c in word)
    scripts = {unicodedata.name(c, "").partition(" ")[0] for c in word if c.isalpha()}
    if not scripts or scripts == {"LATIN"}:
        return False
    seen = "".join(c for c in skeleton(word) if not unicodedata.combining(c))
    return "LATIN" in scripts or seen.isascii()


def counted(texts: Iterable[Segments]) -> Counter[str]:
    """How often texts hold each word, in lower case."""
    return Counter(w.text.lower() for segments in texts for w in texts_of.words(segments) if w.is_word)


@dataclass(frozen=True)
class Detector:
    """Scores taken together: a text was attacked with probability logistic(bias + Σ weight × (score − centre) / scale).

    Every list is over ``names``; plain numbers, so that JSON holds a detector.
    """

    names: tuple[str, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float

    def __call__(self, table: numpy.ndarray) -> numpy.ndarray:
        """Probabilities, (texts,), from scores, (texts, len(names))."""
        values = (numpy.asarray(table, float) - self.centre) / self.scale @ numpy.array(self.weights) + self.bias
        return 1 / (1 + numpy.exp(-numpy.clip(values, -500, 500)))

    def to_row(self) -> dict[str, Any]:
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    @classmethod
    def from_row(cls, row: Any) -> Detector:
        """The inverse of ``to_row``. Raises InputError for anything else."""
        lists = ("names", "centre", "scale", "weights")
        if not (isinstance(row, dict) and set(row) == {*lists, "bias"} and len({len(row[key]) for key in lists}) == 1):
            raise InputError(f"not a detector: expected {', '.join(lists)} of equal length, and bias")
        return cls(**{key: tuple(value) if key in lists else float(value) for key, value in row.items()})


def fit(names: Sequence[str], attacked: numpy.ndarray, clean: numpy.ndarray) -> Detector:
    """A detector from the scores of attacked and of clean texts, (n, len(names)) and (m, len(names)); both kinds count
    the same, however many there are."""
    from sklearn.linear_model import LogisticRegression

    table = numpy.concatenate([attacked, clean])
    centre, scale = table.mean(axis=0), table.std(axis=0)
    scale[scale == 0] = 1.0  # a score that never varies says nothing
    model = LogisticRegression(class_weight="balanced", max_iter=1000)
    model.fit((table - centre) / scale, numpy.repeat([1, 0], [len(attacked), len(clean)]))
    return Detector(tuple(names), *(tuple(map(float, values)) for values in (centre, scale, model.coef_[0])),
                    bias=float(model.intercept_[0]))
