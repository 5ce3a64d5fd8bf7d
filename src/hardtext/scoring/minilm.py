"""Sentence similarity from the bundled encoder. Heavy: imported only when scores are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy
from sentence_transformers import SentenceTransformer

from hardtext.progress import progress
from hardtext.scoring.bodega import Pair
from hardtext.scoring.device import pick
from hardtext.text import readable
from hardtext.weights import bundled

_CHUNK = 8  # batches between two steps of the progress bar


class Encoder:
    """The bundled all-MiniLM-L6-v2 sentence encoder."""

    def __init__(self, device: str = "auto", batch_size: int = 64) -> None:
        self._model, self._batch_size = _load(pick(device)), batch_size

    def vectors(self, sentences: Sequence[str]) -> numpy.ndarray:
        """Sentence embeddings of length 1: float64, (sentences, 384). Batches by length are made inside."""
        if not sentences:
            return numpy.zeros((0, self._model.get_sentence_embedding_dimension()))
        return self._model.encode([readable(s) for s in sentences], batch_size=self._batch_size,
                                  normalize_embeddings=True, convert_to_numpy=True,
                                  show_progress_bar=False).astype(float)


def score(pairs: list[Pair], *, batch_size: int, device: str) -> numpy.ndarray:
    """The cosine of the two sentence embeddings of each pair: float64, (len(pairs),). Each sentence is encoded once."""
    if not pairs:
        return numpy.zeros(0)
    encoder = Encoder(device, batch_size)
    sentences = sorted({sentence for pair in pairs for sentence in pair}, key=lambda s: (len(s), s))
    index = {sentence: i for i, sentence in enumerate(sentences)}
    parts = []
    with progress("MiniLM", total=len(sentences)) as bar:
        for start in range(0, len(sentences), batch_size * _CHUNK):
            chunk = sentences[start : start + batch_size * _CHUNK]
            parts.append(encoder.vectors(chunk))
            bar.advance(len(chunk))
    vectors = numpy.concatenate(parts)
    references = vectors[[index[reference] for reference, _ in pairs]]
    candidates = vectors[[index[candidate] for _, candidate in pairs]]
    return numpy.einsum("ij,ij->i", references, candidates)


@lru_cache(maxsize=1)
def _load(device: str) -> SentenceTransformer:
    return SentenceTransformer(str(bundled("minilm")), device=device)
