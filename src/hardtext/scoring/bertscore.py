"""BERTScore through the bert-score package. Heavy: imported only when scores are asked for."""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy
import torch
from bert_score.utils import bert_cos_score_idf, get_model
from transformers import AutoConfig, AutoTokenizer

from hardtext.core import InputError
from hardtext.progress import progress
from hardtext.scoring.bodega import Pair
from hardtext.scoring.device import pick
from hardtext.weights import resolve

_CHUNK = 32  # batches between two steps of the progress bar; within a chunk every sentence is encoded once


def score(pairs: list[Pair], *, path: str, layer: int, baseline: str | None, batch_size: int, max_length: int,
          device: str) -> numpy.ndarray:
    """The F1 of greedily matched token embeddings of each (reference, candidate): float64, (len(pairs),).

    Embeddings are those of ``layer``, without idf weights; [CLS] and [SEP] weigh nothing but can be matched. With
    ``baseline``, a model's name, F1 is rescaled so that two unrelated English sentences score about 0 (Zhang et al. 2020).
    """
    if not pairs:
        return numpy.zeros(0)
    device = pick(device)
    model, tokenizer = _load(resolve(path, option="semantic.path"), layer, max_length, device)
    weights: defaultdict[int, float] = defaultdict(lambda: 1.0)
    weights[tokenizer.sep_token_id] = weights[tokenizer.cls_token_id] = 0.0
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][0]) + len(pairs[i][1]), reverse=True)
    result = numpy.empty(len(pairs))
    with progress("BERTScore", total=len(pairs)) as bar:
        for start in range(0, len(order), _CHUNK * batch_size):
            chosen = order[start : start + _CHUNK * batch_size]
            references, candidates = map(list, zip(*(pairs[i] for i in chosen)))
            with torch.inference_mode():
                parts = bert_cos_score_idf(model, references, candidates, tokenizer, weights, device=device,
                                           batch_size=batch_size)
            result[chosen] = parts[:, 2].double().cpu().numpy()
            bar.advance(len(chosen))
    if baseline is None:
        return result
    zero = baseline_f1(baseline, layer)
    return (result - zero) / (1 - zero)


def baseline_f1(model: str, layer: int) -> float:
    """The mean F1 of unrelated English sentences, which comes with the bert-score package."""
    file = files("bert_score").joinpath("rescale_baseline", "en", *f"{model}.tsv".split("/"))
    if not file.is_file():
        raise InputError(f"semantic.baseline={model}: bert-score has no baseline of this model; "
                         f"set semantic.baseline=null for scores as they are")
    values = {int(row["LAYER"]): float(row["F"]) for row in csv.DictReader(file.read_text().splitlines())}
    if layer not in values:
        raise InputError(f"semantic.layer={layer}: the baseline of {model} has layers 0 to {max(values)}")
    return values[layer]


@lru_cache(maxsize=1)
def _load(folder: Path, layer: int, max_length: int, device: str):
    layers = AutoConfig.from_pretrained(folder).num_hidden_layers
    if layer > layers:
        raise InputError(f"semantic.layer={layer}: the model in {folder} has {layers} layers")
    # the length is set, since some tokenizers (DeBERTa's) come without one
    tokenizer = AutoTokenizer.from_pretrained(folder, model_max_length=max_length)
    return get_model(str(folder), layer).to(device), tokenizer
