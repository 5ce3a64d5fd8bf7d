"""Sentence similarity from the bundled encoder. Heavy: imported only when scores are asked for."""

from __future__ import annotations

from functools import lru_cache

import numpy
from sentence_transformers import SentenceTransformer

from hardtext.progress import progress
from hardtext.scoring.bodega import Pair
from hardtext.scoring.device import pick
from hardtext.weights import bundled

_CHUNK = 8  # batches between two steps of the progress bar


def score(pairs: list[Pair], *, batch_size: int, device: str) -> numpy.ndarray:
    """The cosine of the two sentence embeddings of each pair: float64, (len(pairs),). Each sentence is encoded once."""
    if not pairs:
        return numpy.zeros(0)
    model = _load(pick(device))
    sentences = sorted({sentence for pair in pairs for sentence in pair}, key=lambda s: (len(s), s))
    index = {sentence: i for i, sentence in enumerate(sentences)}
    parts = []
    with progress("MiniLM", total=len(sentences)) as bar:
        for start in range(0, len(sentences), batch_size * _CHUNK):
            chunk = sentences[start : start + batch_size * _CHUNK]
            parts.append(model.encode(chunk, batch_size=batch_size, normalize_embeddings=True,
                                      convert_to_numpy=True, show_progress_bar=False))
            bar.advance(len(chunk))
    vectors = numpy.concatenate(parts).astype(float)
    references = vectors[[index[reference] for reference, _ in pairs]]
    candidates = vectors[[index[candidate] for _, candidate in pairs]]
    return numpy.einsum("ij,ij->i", references, candidates)


@lru_cache(maxsize=1)
def _load(device: str) -> SentenceTransformer:
    return SentenceTransformer(str(bundled("minilm")), device=device)
