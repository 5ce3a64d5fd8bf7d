"""Training one phase of a victim with Lightning, in a folder that a killed run takes up again."""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import log as ln
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytorch_lightning as pl
import torch
from pytorch_lightning.accelerators import CPUAccelerator
from pytorch_lightning.callbacks import Callback, ModelCheckpoint, RichProgressBar
from pytorch_lightning.utilities.exceptions import MisconfigurationException

from hardtext.core import Example, InputError
from hardtext.records import read_json, write_json
from hardtext.victims.bilstm import legacy_padding
from hardtext.victims.data import labelled, loader
from hardtext.victims.losses import Loss
from hardtext.victims.module import VictimModule
from hardtext.victims.settings import TrainingPlan
from hardtext.victims.tokens import one_line

log = logging.getLogger(__name__)
logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)  # its notes on hardware and its tips; warnings stay

OURS = {  # trainer option → what sets it instead
    "max_epochs": "model.epochs", "logger": "logger", "default_root_dir": "HARDTEXT_RUNS",
    "use_distributed_sampler": "nothing (batches are dealt out already)",
}

LAST, PREVIOUS, BEST = "last.ckpt", "previous.ckpt", "best.ckpt"

NOT_TROUBLE = (  # Lightning's warnings that say nothing to the user here
    ".*does not have many workers.*",  # batches come from memory
    "Checkpoint directory .* exists and is not empty",  # that is how a run is taken up again
    ".*treespec, LeafSpec.*",  # Lightning 2.6 on torch 2.13
    ".*smaller than the logging interval.*",  # short trainings are fine
    ".*no `val_dataloader`.*",  # a corpus may have no dev split
)


def fit(module: VictimModule, train: Sequence[Example], dev: Sequence[Example], *, folder: Path, plan: TrainingPlan,
        seed: int, loss: Loss | None = None, origins: Mapping[str, str] | None = None,
        trainer: dict[str, Any] | None = None, loggers: Sequence[Any] = (),
        callbacks: Sequence[Callback] = ()) -> VictimModule:
    """Train ``module`` on ``train`` and give it back with the weights ``plan.keep`` names.

    ``folder`` receives ``last.ckpt`` after every epoch (the one before it becomes ``previous.ckpt``) and ``best.ckpt``
    (weights only) after the best one on ``dev``. Where ``last.ckpt`` is there already, training goes on after its epoch and
    ends with the same weights as a run that was never stopped; when it was the last one, this returns at once. A damaged
    one is named, and ``previous.ckpt`` taken instead. Another plan, seed or data in the same folder is an InputError, and
    so are an empty ``train``, a damaged ``best.ckpt`` and a loss that is not finite.
    ``loss``: what is minimised (None: cross-entropy); ``origins``: id of each adversarial example → id of its original.
    ``trainer`` goes to ``pl.Trainer`` (accelerator, devices, precision, strategy, limit_train_batches …).
    Batches and dropout are seeded from ``seed`` and the epoch (this sets PyTorch's global generator).
    """
    folder, options = Path(folder), dict(trainer or {})
    for key in OURS.keys() & options.keys():
        raise InputError(f"trainer.{key}={options[key]}: not here; it is set by {OURS[key]}")
    known = inspect.signature(pl.Trainer).parameters
    for key in options.keys() - known.keys():
        raise InputError(f"trainer.{key}={options[key]}: pl.Trainer has no such option; it has {', '.join(known)}")
    if not train:
        raise InputError("training: there are no training examples")
    if plan.keep == "best" and not dev:
        raise InputError("model.keep=best: there are no dev examples to choose by; use model.keep=last")
    show_bar = options.pop("enable_progress_bar", True) and sys.stderr.isatty()
    own = [ModelCheckpoint(folder, "last", save_on_train_epoch_end=True, enable_version_counter=False)]
    if dev:
        own.append(ModelCheckpoint(folder, "best", monitor=module.monitored, mode="max", save_weights_only=True,
                                   save_on_train_epoch_end=False, enable_version_counter=False))
    own += [KeepPrevious(folder), EpochLog(), *([RichProgressBar(leave=True)] if show_bar else [])]
    lightning = trainer_for(options, max_epochs=plan.epochs, logger=list(loggers) or False, callbacks=[*callbacks, *own],
                            default_root_dir=folder, use_distributed_sampler=False, enable_progress_bar=show_bar)
    loss = loss or Loss()
    claim(folder, plan, seed, train, dev, loss)
    module.plan, module.seed, module.loss = plan, seed, loss
    module.chance, module.stalled = entropy(train), False
    module.train()  # pretrained weights come in eval mode, and Lightning leaves the mode as it is

    classes, mixed = len(module.domain.classes), legacy_padding(module.net)
    splits = [labelled(train, module.tokens, classes, origins), labelled(dev, module.tokens, classes)]
    for name, split in zip(("train", "dev"), splits, strict=True):
        if split.table.truncated:
            log.info("%s: %d of %d texts are longer than %d word pieces and were cut", name, split.table.truncated,
                     len(split), module.hparams.max_length)
    train_batches = loader(splits[0], plan.batch_size, seed, mixed_lengths=mixed)
    dev_batches = loader(splits[1], plan.batch_size, None, mixed_lengths=mixed) if dev else None

    last = newest(folder)
    with warnings.catch_warnings():
        for message in NOT_TROUBLE:
            warnings.filterwarnings("ignore", message)
        lightning.fit(module, train_batches, dev_batches, ckpt_path=last, weights_only=True)
    if plan.keep == "best":
        if (trouble := damage(folder / BEST)) is not None:
            raise InputError(f"{folder / BEST} is damaged ({trouble}): remove the folder {folder} and run the same command "
                             f"again, which trains this phase anew")
        best = torch.load(folder / BEST, map_location="cpu", weights_only=True)
        module.load_state_dict(best["state_dict"])
    return module


def entropy(examples: Sequence[Example]) -> float:
    """Of the labels, in nats: the loss of a net that has only learnt how frequent each is.

    >>> round(entropy([Example("1", ("a",), 0), Example("2", ("b",), 1)]), 4)
    0.6931
    """
    shares = [count / len(examples) for count in Counter(example.label for example in examples).values()]
    return -sum(share * ln(share) for share in shares)


def newest(folder: Path) -> Path | None:
    """The newest checkpoint that is whole, to go on from; None where there is none. A damaged one is named."""
    for path in (folder / LAST, folder / PREVIOUS):
        if path.is_file():
            if (trouble := damage(path)) is None:
                return path
            log.warning("%s is damaged (%s): going on from %s", path, trouble,
                        "the one before it" if path.name == LAST and (folder / PREVIOUS).is_file() else "the start")
            path.unlink(missing_ok=True)  # it would become the one before the next
    return None


def damage(path: Path) -> str | None:
    """What is wrong with a checkpoint; None where every byte is as it was written and only holds tensors and plain values."""
    try:
        with ZipFile(path) as archive:  # PyTorch writes check sums, and does not look at them when it reads
            if (bad := archive.testzip()) is not None:
                return f"{bad} is not as it was written"
        torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except Exception as error:  # what is in the file may be anything, and so may be the error
        return one_line(error)
    return None


def trainer_for(options: dict[str, Any], *, callbacks: list[Callback], **ours: Any) -> pl.Trainer:
    """The Trainer with the user's options and ours; InputError for options it does not take."""
    try:
        extra = list(options.get("callbacks") or ())
        trainer = pl.Trainer(**{"enable_model_summary": False, "num_sanity_val_steps": 0, **options, **ours,
                                "callbacks": [*extra, *callbacks]})
    except (ValueError, TypeError, RuntimeError, ImportError, MisconfigurationException) as error:
        given = " ".join(f"trainer.{key}={value}" for key, value in options.items())
        raise InputError(f"{given}: pl.Trainer does not take that ({one_line(error)})") from error
    cores = os.cpu_count() or 1
    if isinstance(trainer.accelerator, CPUAccelerator) and trainer.num_devices > cores:
        raise InputError(f"trainer.devices={trainer.num_devices}: this machine has {cores} CPU cores")
    return trainer


def claim(folder: Path, plan: TrainingPlan, seed: int, train: Sequence[Example], dev: Sequence[Example],
          loss: Loss) -> None:
    """Write down what a folder's checkpoints are made from; refuse to go on with something else."""
    record = {**asdict(plan), "seed": seed, "train": digest(train), "dev": digest(dev)}
    record |= {} if loss == Loss() else {"loss": asdict(loss)}
    path = folder / "training.json"
    if path.is_file() and any((folder / name).is_file() for name in (LAST, PREVIOUS)):
        try:
            before = read_json(path)
        except InputError as error:
            raise InputError(f"{error}: remove the folder {folder} to train this phase anew") from error
        changed = [f"{key} was {before.get(key)!r}, now {record.get(key)!r}" for key in {**before, **record}
                   if before.get(key) != record.get(key)]
        if changed:
            raise InputError(f"{folder} holds a training with other settings ({'; '.join(changed)}): "
                             "set them back, or remove the folder to start again")
    write_json(path, record)


def digest(examples: Sequence[Example]) -> str:
    """A short name for the texts and labels of a split, in their order."""
    sha = hashlib.sha256()
    for example in examples:
        sha.update(json.dumps([example.id, example.segments, example.label]).encode())
    return f"{len(examples)} examples, {sha.hexdigest()[:16]}"


class KeepPrevious(Callback):
    """Puts the last checkpoint aside before the next one is written, so that a damaged one costs one epoch and no more:
    where the temporary folder is another disk, not even a kill leaves the one that is being written whole."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: VictimModule) -> None:
        if trainer.is_global_zero and (self._folder / LAST).is_file():  # Lightning calls those that write afterwards
            os.replace(self._folder / LAST, self._folder / PREVIOUS)


class EpochLog(Callback):
    """One line in the log after each epoch."""

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: VictimModule) -> None:
        self._start, self._step = time.perf_counter(), trainer.global_step

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: VictimModule) -> None:
        values = trainer.callback_metrics
        shown = [f"loss {values['train/loss_epoch']:.4f}"] if "train/loss_epoch" in values else []
        shown += [f"{key} {values[key]:.4f}" for key in ("dev/loss", "dev/accuracy", pl_module.monitored)
                  if key in values]
        log.info("epoch %d/%d: %s (%.0f s, dev included)", trainer.current_epoch + 1, trainer.max_epochs,
                 ", ".join(shown), time.perf_counter() - self._start)
