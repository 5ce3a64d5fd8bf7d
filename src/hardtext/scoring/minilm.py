"""Sentence similarity from the bundled encoder. Heavy: imported only when scores are asked for.

The same vectors as the sentence-transformers package computes from these weights (mean of the last layer over the pieces,
length 1, at most 256 pieces), one and a half times as fast on a CPU: batches hold texts of about one length and few
enough pieces to stay in its cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy
import torch
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer, PreTrainedModel

from hardtext.progress import progress
from hardtext.scoring.bodega import Pair
from hardtext.scoring.device import pick
from hardtext.text import readable
from hardtext.weights import bundled

MOST_PIECES = 256  # what the encoder was made for (its sentence_bert_config.json)
CPU_BATCH_PIECES = 512  # measured: 240 sentences a second on one thread, 220 with four times as many
GPU_BATCH_PIECES = 32_768
_CHUNK = 512  # sentences between two steps of the progress bar


class Encoder:
    """The bundled all-MiniLM-L6-v2 sentence encoder. ``batch_size``: at most so many sentences at once."""

    def __init__(self, device: str = "auto", batch_size: int = 64) -> None:
        self._model, self._tokenizer = _load(pick(device))
        self._batch_size = batch_size

    def vectors(self, sentences: Sequence[str]) -> numpy.ndarray:
        """Sentence embeddings of length 1: float64, (sentences, 384)."""
        pieces = [e.ids for e in self._tokenizer.encode_batch_fast([readable(s) for s in sentences])]
        result = numpy.empty((len(sentences), self._model.config.hidden_size))
        for rows in self._batches([len(p) for p in pieces]):
            result[rows] = self._encode([pieces[i] for i in rows])
        return result

    def _batches(self, lengths: Sequence[int]) -> Iterator[list[int]]:
        """Positions of the sentences of each batch, the longest first."""
        budget = CPU_BATCH_PIECES if self._model.device.type == "cpu" else GPU_BATCH_PIECES
        order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
        while order:
            count = max(1, min(self._batch_size, budget // lengths[order[0]]))
            yield order[:count]
            order = order[count:]

    def _encode(self, pieces: list[list[int]]) -> numpy.ndarray:
        """The vectors of one batch, its longest sentence first."""
        ids = torch.zeros((len(pieces), len(pieces[0])), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, own in enumerate(pieces):
            ids[row, : len(own)] = torch.tensor(own)
            mask[row, : len(own)] = 1
        ids, mask = ids.to(self._model.device), mask.to(self._model.device)
        with torch.inference_mode():
            hidden = self._model(input_ids=ids, attention_mask=mask).last_hidden_state
            summed = (hidden * mask[:, :, None]).sum(dim=1)  # a mean differs by a factor, which the length takes out
            return torch.nn.functional.normalize(summed, dim=1).cpu().numpy()


def score(pairs: list[Pair], *, batch_size: int, device: str,
          known: dict[str, numpy.ndarray] | None = None) -> numpy.ndarray:
    """The cosine of the two sentence embeddings of each pair: float64, (len(pairs),). Each sentence is encoded once;
    those in ``known`` are not, and new vectors are added to it."""
    if not pairs:
        return numpy.zeros(0)
    encoder = Encoder(device, batch_size)
    known = {} if known is None else known
    sentences = sorted({sentence for pair in pairs for sentence in pair} - known.keys(), key=lambda s: (len(s), s))
    with progress("MiniLM", total=len(sentences)) as bar:
        for start in range(0, len(sentences), _CHUNK):
            chunk = sentences[start : start + _CHUNK]
            known.update(zip(chunk, encoder.vectors(chunk)))
            bar.advance(len(chunk))
    references = numpy.stack([known[reference] for reference, _ in pairs])
    candidates = numpy.stack([known[candidate] for _, candidate in pairs])
    return numpy.einsum("ij,ij->i", references, candidates)


@lru_cache(maxsize=1)
def _load(device: str) -> tuple[PreTrainedModel, Tokenizer]:
    folder = bundled("minilm")
    tokenizer = Tokenizer.from_str(AutoTokenizer.from_pretrained(folder).backend_tokenizer.to_str())
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_PIECES)
    return AutoModel.from_pretrained(folder, use_safetensors=True).eval().to(device), tokenizer
