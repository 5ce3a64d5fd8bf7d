"""Training throughput: ``hardtext.victims.training.fit`` against a plain PyTorch loop on the same batches, and against
padding every text to 512 pieces.

    OMP_NUM_THREADS=1 python benchmarks/train_step.py [--model tiny] [--data train.tsv] [--repeats 5]

All three take the same texts, model, optimizer and batch size, in turn, ``--repeats`` times; the table shows medians
and ratios. Times are those of the training steps (fetch a batch, forward, backward, optimizer step); the row "whole
call" is all of ``fit``: tokenising, set-up and the checkpoint too. On a machine that others use, the column of
processor time is the one to read (with one thread).
Without ``--data`` (label, source, text in tab-separated columns) the texts are made from the sample domain, their
lengths drawn from those of the propaganda corpus (log-normal, median 18 words, at most 129).
"""

from __future__ import annotations

import argparse
import logging
import statistics
import tempfile
import time
import warnings
from collections.abc import Iterable
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import pytorch_lightning as pl
import torch
from rich.console import Console
from rich.table import Table

from hardtext.core import Domain, Example
from hardtext.domains.sample import generate
from hardtext.victims import BiLSTM, Encoder
from hardtext.victims.data import Labelled, labelled, loader
from hardtext.victims.encoder import logits
from hardtext.victims.module import VictimModule
from hardtext.victims.settings import TrainedModel
from hardtext.victims.tokens import Batch
from hardtext.victims.training import fit

DOMAIN = Domain("benchmark", ("credible", "non-credible"))
MODELS: dict[str, TrainedModel] = {
    "tiny": Encoder(path="bundled:tiny", lr=2e-4, batch_size=32, epochs=1),
    "minilm": Encoder(path="bundled:minilm", lr=1e-4, batch_size=32, epochs=1),
    "bilstm": BiLSTM(epochs=1),
}
PADDED_WIDTH = 512
Seconds = tuple[float, float]  # of the clock, of the processor


def now() -> Seconds:
    return time.perf_counter(), time.process_time()


def since(start: Seconds) -> Seconds:
    return tuple(b - a for a, b in zip(start, now(), strict=True))


def made_texts(n: int) -> list[Example]:
    """Texts of the propaganda corpus' lengths, cut from the sample domain's running text."""
    words = cycle(w for e in generate()["train"] for s in e.segments for w in s.split())
    lengths = np.random.default_rng(0).lognormal(2.74, 0.85, n).clip(1, 129).astype(int)
    return [Example(str(i), (" ".join(islice(words, int(k))),), i % 2) for i, k in enumerate(lengths)]


def read_texts(path: Path, n: int) -> list[Example]:
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[:n]]
    return [Example(str(i), (row[2],), int(row[0])) for i, row in enumerate(rows)]


class StepClock(pl.Callback):
    """The time from the start of the epoch to the end of its last step."""

    def on_train_epoch_start(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self.start = now()

    def on_train_batch_end(self, trainer: pl.Trainer, module: pl.LightningModule, outputs, batch, index) -> None:
        self.steps = since(self.start)


def ours(settings: TrainedModel, examples: list[Example]) -> dict[str, Seconds]:
    clock = StepClock()
    module = settings.module(DOMAIN, 0)
    with tempfile.TemporaryDirectory() as folder:
        start = now()
        fit(module, examples, [], folder=Path(folder), plan=settings.plan, seed=0, callbacks=[clock],
            trainer={"accelerator": "cpu"})
        return {"fit": clock.steps, "fit, whole call": since(start)}


def plain_loop(settings: TrainedModel, batches: Iterable[Batch]) -> Seconds:
    """What one would write without Lightning; the same network, loss and (fused) optimizer."""
    net = settings.module(DOMAIN, 0).net.train()
    kind = torch.optim.AdamW if settings.optimizer == "adamw" else torch.optim.Adam
    optimizer = kind(net.parameters(), lr=settings.lr, weight_decay=0.0, fused=True)
    start = now()
    for batch in batches:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(logits(net, batch), batch.labels)
        loss.backward()
        optimizer.step()
    return since(start)


def to_512(split: Labelled, batch_size: int) -> Iterable[Batch]:
    """The same texts in random order, each padded to 512 pieces."""
    order = np.random.default_rng(0).permutation(len(split))
    for i in range(0, len(order), batch_size):
        batch = split[order[i : i + batch_size]]
        extra = (0, PADDED_WIDTH - batch.ids.shape[1])
        mask = torch.ones_like(batch.ids, dtype=torch.bool) if batch.mask is None else batch.mask
        yield batch._replace(ids=torch.nn.functional.pad(batch.ids, extra, value=split.table.pad_id),
                             mask=torch.nn.functional.pad(mask, extra))


def median_rates(run: list[Seconds], texts: int) -> tuple[float, float]:
    return tuple(texts / statistics.median(column) for column in zip(*run, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description="Training throughput of fit against plain loops.")
    parser.add_argument("--model", choices=MODELS, default="tiny")
    parser.add_argument("--data", type=Path, help="label, source, text, tab-separated (default: made texts)")
    parser.add_argument("--texts", type=int, default=1600)
    parser.add_argument("--padded-texts", type=int, default=96, help="fewer, since padding to 512 is slow")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()

    settings = MODELS[options.model]
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    examples = read_texts(options.data, options.texts) if options.data else made_texts(options.texts)
    module: VictimModule = settings.module(DOMAIN, 0)
    split = labelled(examples, module.tokens, 2)
    few = labelled(examples[: options.padded_texts], module.tokens, 2)

    times: dict[str, list[Seconds]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for turn in range(options.repeats + 1):  # the first turn warms up
            measured = {**ours(settings, examples),
                        "plain loop, same batches": plain_loop(settings, loader(split, settings.batch_size, 0)),
                        "plain loop, padded to 512": plain_loop(settings, to_512(few, settings.batch_size))}
            if turn:
                for name, seconds in measured.items():
                    times.setdefault(name, []).append(seconds)

    rates = {name: median_rates(run, len(few) if "512" in name else len(split)) for name, run in times.items()}
    lengths = split.table.lengths
    title = (f"{options.model}: {len(split)} texts of {lengths.mean():.1f} pieces (at most {lengths.max()}), batch "
             f"{settings.batch_size}, {torch.get_num_threads()} thread(s), median of {options.repeats}")
    table = Table(title=title)
    for heading in ("", "texts/s", "fit is … times as fast", "texts per processor second", "fit is … times as fast"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, (clock, processor) in rates.items():
        table.add_row(name, f"{clock:.0f}", f"{rates['fit'][0] / clock:.2f}", f"{processor:.0f}",
                      f"{rates['fit'][1] / processor:.2f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
