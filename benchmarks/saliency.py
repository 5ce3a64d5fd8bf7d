"""Saliency in batches against one text at a time: how much faster, and whether the scores are the same.

    OMP_NUM_THREADS=1 python benchmarks/saliency.py --victim runs/train/liar2/bilstm/seed=0 \
        --victim runs/train/liar2/tiny/seed=0 --texts data/liar/test.tsv

batched     ``explain`` given all texts: sorted by length, one backward pass a batch, gradients of the pieces' vectors alone.
one a call  ``explain`` given each text by itself.
by hand     Gradient × Input as one would write it: each text by itself through ``inputs_embeds``, the logit's ``backward()``
            (which computes the weights' gradients too), the gradient times the vectors summed over their dimensions.

Each is run ``--repeats`` times in turn and the median taken, of processor time: on a machine that others use, that is the
one to read (with one thread). "difference" is the largest difference of two scores as a share of the largest score of
their text. Integrated gradients and occlusion compute many copies of one text at once even when it comes alone, so they
gain less; so does a large network, which one text already keeps busy: its batched time is that of its multiplications.

``--texts``: a tab-separated file, the text in its third column (LIAR's files, BODEGA's); without it, texts made from the
sample domain. Without ``--victim``, networks with fresh weights.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from hardtext import load_victim
from hardtext.core import Domain, Segments
from hardtext.domains.sample import generate
from hardtext.saliency import METHODS, explain
from hardtext.victims import BiLSTM, Encoder
from hardtext.victims.local import LocalVictim, of_module

DOMAIN = Domain("benchmark", ("credible", "non-credible"))
FRESH = {"bilstm": BiLSTM(), "tiny": Encoder(path="bundled:tiny"), "minilm": Encoder(path="bundled:minilm")}
TARGET = 1
Scores = list[np.ndarray]


def explained(victim: LocalVictim, texts: Sequence[Segments], method: str, steps: int) -> Scores:
    found = explain(victim, texts, method=method, target=[TARGET] * len(texts), steps=steps)
    return [np.array([value for *_, value in a.pieces] + [a.special]) for a in found]


def one_a_call(victim: LocalVictim, texts: Sequence[Segments], method: str, steps: int) -> Scores:
    return [scores for text in texts for scores in explained(victim, [text], method, steps)]


def by_hand(victim: LocalVictim, texts: Sequence[Segments], method: str, steps: int) -> Scores:
    found = []
    victim.net.eval()
    for text in texts:
        ids = victim.tokens([text]).batch(np.array([0])).ids
        vectors = victim.net.get_input_embeddings()(ids).detach().requires_grad_()
        victim.net(inputs_embeds=vectors, attention_mask=torch.ones_like(ids)).logits[0, TARGET].backward()
        scores = (vectors.grad * vectors).sum(dim=2)[0].detach().numpy()
        victim.net.zero_grad()
        standing = np.array([span is not None for span in victim.tokens.spans(text)])
        found.append(np.append(scores[standing], scores[~standing].sum()))
    return found


def difference(a: Scores, b: Scores) -> float:
    return max(float(np.abs(x - y).max() / max(np.abs(y).max(), 1e-12)) for x, y in zip(a, b, strict=True))


def measure(way: Callable[..., Scores], *given: object) -> tuple[float, Scores]:
    start = time.process_time()
    scores = way(*given)
    return time.process_time() - start, scores


def read_texts(path: Path | None, n: int) -> list[Segments]:
    if path is None:
        return [e.segments[-1:] for e in generate()["train"]][:n]
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(line.split("\t")[2],) for line in lines[:n]]


def main() -> None:
    parser = argparse.ArgumentParser(description="Saliency in batches against one text at a time.")
    parser.add_argument("--victim", action="append", default=[], help="a folder of train.py; may be given again")
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--limit", type=int, default=200, help="texts")
    parser.add_argument("--method", action="append", choices=METHODS, default=[], help="default: gradient_x_input")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()

    victims = [load_victim(folder, name="/".join(Path(folder).parts[-3:-1])) for folder in options.victim]
    victims = victims or [of_module(settings.module(DOMAIN, 0), f"{name}, fresh") for name, settings in FRESH.items()]
    texts = read_texts(options.texts, options.limit)
    pieces = np.mean([victims[0].tokens([text]).lengths[0] for text in texts])
    table = Table("victim", "method", "batched (ms a text)", "one a call", "ratio", "by hand", "ratio", "difference",
                  title=f"{len(texts)} texts of {pieces:.1f} pieces, {torch.get_num_threads()} thread(s)")
    for victim in victims:
        for method in options.method or ["gradient_x_input"]:
            ways = [explained, one_a_call] + [by_hand] * (method == "gradient_x_input")
            seconds: list[list[float]] = [[] for _ in ways]
            explained(victim, texts[:20], method, options.steps)  # warms up
            for _ in range(options.repeats):
                results = [measure(way, victim, texts, method, options.steps) for way in ways]
                for column, (spent, _) in zip(seconds, results, strict=True):
                    column.append(spent)
            batched, alone, *hand = (1000 * statistics.median(column) / len(texts) for column in seconds)
            apart = max(difference(scores, results[0][1]) for _, scores in results[1:])
            shown = [f"{hand[0]:.2f}", f"{hand[0] / batched:.1f}×"] if hand else ["–", "–"]
            table.add_row(victim.name, method, f"{batched:.2f}", f"{alone:.2f}", f"{alone / batched:.1f}×", *shown,
                          f"{apart:.0e}")
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
