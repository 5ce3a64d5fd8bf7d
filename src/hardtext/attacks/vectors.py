"""Counter-fitted word vectors: which words are near in meaning, with antonyms pushed away (Mrkšić et al. 2016).

The bundled set (scripts/counter_fit.py makes it) stands in for the published one, which is distributed apart from any
package: 26,000 frequent English words, the packaged MiniLM's vectors counter-fitted on WordNet. The published file works
too: ``load_vectors("counter-fitted-vectors.txt")``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Optional

import numpy

from hardtext.attacks import ties
from hardtext.core import InputError

BUNDLED = Path(__file__).parent / "data" / "vectors.safetensors"
STAND_IN = "counter-fitted MiniLM word vectors in place of Mrkšić et al.'s"
PUBLISHED_THRESHOLD = 0.5  # TextFooler's smallest cosine between a word and its substitute, for the published vectors
THRESHOLD = 0.6  # the same for the bundled ones; data/vectors.json has the rule and what other values would leave

_DECIMALS = 6
_BLOCK = 256  # words looked up at once
_FORMAT = "a text file with one word and its numbers a line"


class Vectors:
    """Word vectors and the look-ups that attacks make in them.

    ``words`` are unique and lower-case where the set is; ``matrix``: float, (words, size), of any length.
    ``threshold`` is the cosine from which two words count as near; ``stand_in`` says what the set stands for, if anything.
    """

    def __init__(self, words: Sequence[str], matrix: numpy.ndarray, name: str, threshold: float, stand_in: str = "") -> None:
        self.words, self.name, self.threshold, self.stand_in = tuple(words), name, threshold, stand_in
        self._index = {word: i for i, word in enumerate(self.words)}
        self._matrix = numpy.ascontiguousarray(matrix, dtype=numpy.float32)
        lengths = numpy.sqrt((self._matrix.astype(float) ** 2).sum(1))
        self._lengths = numpy.where(lengths == 0, 1.0, lengths)
        self._nearest: dict[str, list[tuple[str, float]]] = {}

    def __contains__(self, word: str) -> bool:
        return self._row(word) is not None

    def neighbours(self, word: str, k: int) -> list[tuple[str, float]]:
        """The ``k`` words nearest to ``word`` with their cosines, falling; empty for a word without a vector.

        The word itself is not among them. A word is looked up as written, else in lower case.
        """
        row = self._row(word)
        if row is None:
            return []
        k = min(k, len(self.words) - 1)
        if len(self._nearest.get(self.words[row], [])) < k:
            # The products of the bundled integers are exact (below 2**24), whatever the machine and thread count.
            self._rank(row, self._matrix @ self._matrix[row], k)
        return self._nearest[self.words[row]][:k]

    def look_up(self, k: int) -> None:
        """Look up the ``k`` neighbours of every word at once, several times as quickly as one by one."""
        k = min(k, len(self.words) - 1)
        for start in range(0, len(self.words), _BLOCK):
            rows = range(start, min(start + _BLOCK, len(self.words)))
            for row, products in zip(rows, self._matrix[rows] @ self._matrix.T, strict=True):
                self._rank(row, products, k)

    def _rank(self, row: int, products: numpy.ndarray, k: int) -> None:
        cosines = products / (self._lengths * self._lengths[row])
        least = numpy.partition(cosines, -k - 1)[-k - 1] - 2 * ties.MARGIN  # so that a tie across the cut is settled
        best = numpy.flatnonzero(cosines >= least)
        order = best[ties.falling(cosines[best])]
        self._nearest[self.words[row]] = [(self.words[i], round(float(cosines[i]), _DECIMALS)) for i in order
                                          if i != row][:k]

    def cosine(self, a: str, b: str) -> Optional[float]:
        """The cosine of two words; None where one of them has no vector."""
        i, j = self._row(a), self._row(b)
        if i is None or j is None:
            return None
        product = float(self._matrix[i].astype(float) @ self._matrix[j].astype(float))
        return round(product / float(self._lengths[i] * self._lengths[j]), _DECIMALS)

    def _row(self, word: str) -> Optional[int]:
        row = self._index.get(word)
        return self._index.get(word.lower()) if row is None else row


@lru_cache(maxsize=2)
def load_vectors(source: str = "bundled", option: str = "attack.vectors") -> Vectors:
    """The bundled vectors, or those of a text file with one ``word v1 v2 …`` a line (a ``count size`` line may lead).

    ``option`` is the config key that names the source, for the message. Raises InputError where the file is missing or is
    no such file.
    """
    if source == "bundled":
        return _bundled()
    path = Path(source).expanduser()
    if not path.is_file():
        raise InputError(f"{option}={source}: no such file; expected bundled, or {_FORMAT}")
    words, rows = _read(path, f"{option}={source}")
    return Vectors(words, numpy.stack(rows), path.name, PUBLISHED_THRESHOLD)


def _bundled() -> Vectors:
    from safetensors.numpy import load_file

    tensors = load_file(BUNDLED)
    words = tensors["words"].tobytes().decode("ascii").split("\n")
    return Vectors(words, tensors["vectors"], "bundled", THRESHOLD, STAND_IN)


def _read(path: Path, said: str) -> tuple[list[str], list[numpy.ndarray]]:
    found: dict[str, numpy.ndarray] = {}
    size = 0
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                word, *numbers = line.rstrip().split(" ")
                if number == 1 and len(numbers) == 1 and word.isdigit():
                    continue  # word2vec's "count size"
                vector = _numbers(numbers, f"{said}: line {number}")
                if found and len(vector) != size:
                    raise InputError(f"{said}: line {number} has {len(vector)} numbers where the lines before have {size}")
                size = len(vector)
                found.setdefault(word, vector)
    except UnicodeDecodeError as error:
        raise InputError(f"{said}: not a text file in UTF-8 ({error.reason}); expected {_FORMAT}") from error
    if not found:
        raise InputError(f"{said}: the file is empty; expected {_FORMAT}")
    return list(found), list(found.values())


def _numbers(numbers: list[str], said: str) -> numpy.ndarray:
    try:
        with numpy.errstate(over="ignore"):
            vector = numpy.array(numbers, dtype=numpy.float64).astype(numpy.float32)
    except ValueError:
        vector = numpy.array([numpy.nan])
    if not len(vector) or not numpy.isfinite(vector).all():
        raise InputError(f"{said}: expected a word and its numbers, separated by single spaces")
    return vector
