"""BLEURT through bleurt-pytorch. Heavy: imported only when scores are asked for."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy
import torch
from bleurt_pytorch import BleurtForSequenceClassification, BleurtTokenizer

from hardtext.progress import progress
from hardtext.scoring.bodega import Pair
from hardtext.scoring.device import pick
from hardtext.weights import resolve


def score(pairs: list[Pair], *, path: str, batch_size: int, max_length: int, device: str) -> numpy.ndarray:
    """The raw BLEURT score of each (reference, candidate): float64, (len(pairs),), computed in fp32.

    Batches hold pairs of similar length, so little is padded; padding is masked and does not change a score.
    """
    if not pairs:
        return numpy.zeros(0)
    device = pick(device)
    model, tokenizer = _load(resolve(path, option="semantic.path"), device)
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][0]) + len(pairs[i][1]), reverse=True)
    result = numpy.empty(len(pairs))
    with torch.inference_mode(), progress("BLEURT", total=len(pairs)) as bar:
        for start in range(0, len(order), batch_size):
            chosen = order[start : start + batch_size]
            references, candidates = map(list, zip(*(pairs[i] for i in chosen)))
            batch = tokenizer(references, candidates, truncation=True, max_length=max_length, padding="longest",
                              return_tensors="pt").to(device)
            result[chosen] = model(**batch).logits.flatten().double().cpu().numpy()
            bar.advance(len(chosen))
    return result


@lru_cache(maxsize=1)
def _load(folder: Path, device: str):
    model = BleurtForSequenceClassification.from_pretrained(folder, torch_dtype=torch.float32)
    return model.to(device).eval(), BleurtTokenizer.from_pretrained(folder)
