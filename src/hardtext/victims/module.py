"""The LightningModule of every victim we train."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from transformers import AutoConfig

from hardtext.core import Domain, InputError
from hardtext.seeding import derive
from hardtext.victims.encoder import build, logits
from hardtext.victims.losses import Loss
from hardtext.victims.metrics import metrics
from hardtext.victims.settings import TrainingPlan
from hardtext.victims.tokens import Batch, Tokeniser, load_tokenizer

log = logging.getLogger(__name__)

LOSS_CHECK_STEPS = 20  # reading the loss makes an accelerator wait, so it is read this often

LOGGED = ("accuracy", "precision", "recall", "f1", "macro_f1", "auroc", "ece", "loss")


class VictimModule(pl.LightningModule):
    """A text classifier and how it is trained.

    All hyperparameters are plain values, so a checkpoint loads with ``weights_only=True``: ``network`` is the dict of
    a Hugging Face config, ``tokenizer`` a source as in the settings, ``domain`` the fields of a Domain.
    ``weights`` (a folder of pretrained ones) is read once and not kept: a checkpoint holds its own.
    ``plan``, ``seed``, ``loss`` and ``chance`` (the entropy of the training labels, nats) are those of the phase at hand;
    ``fit`` sets them. ``stalled``: whether the epoch before learnt nothing, so that this one goes without disturbance: a net
    that knows nothing yet may never begin to learn from disturbed texts.
    """

    def __init__(self, network: dict[str, Any], tokenizer: str, max_length: int, domain: dict[str, Any],
                 weights: Path | None = None) -> None:
        super().__init__()
        self.save_hyperparameters(ignore=["weights"], logger=False)
        self.net = build(AutoConfig.for_model(**network), weights, fresh_head=True)
        self.domain = Domain(**{**domain, "classes": tuple(domain["classes"]), "positive": tuple(domain["positive"])})
        self.plan, self.seed, self.loss = TrainingPlan(), 0, Loss()
        self.chance, self.stalled = 0.0, False
        self._loss: torch.Tensor | None = None
        self._seen: list[tuple[torch.Tensor, torch.Tensor]] = []

    @cached_property
    def tokens(self) -> Tokeniser:
        return Tokeniser(load_tokenizer(self.hparams.tokenizer, option="model.tokenizer"), self.hparams.max_length)

    @property
    def monitored(self) -> str:
        """The dev score that names the best epoch: F1 of the positive class, macro F1 with more than two classes."""
        return "dev/f1" if len(self.domain.classes) == 2 else "dev/macro_f1"

    def forward(self, batch: Batch) -> torch.Tensor:
        """Logits: float, (texts, classes)."""
        return logits(self.net, batch)

    def configure_optimizers(self) -> dict[str, Any]:
        plan = self.plan
        decayed = [p for p in self.net.parameters() if p.ndim > 1]
        others = [p for p in self.net.parameters() if p.ndim <= 1]  # biases and norms are not decayed
        kind = torch.optim.AdamW if plan.optimizer == "adamw" else torch.optim.Adam
        # The fused step saves a sixth of a small model's training time on a CPU; with mixed precision Lightning refuses
        # to clip gradients beside it.
        optimizer = kind([{"params": decayed, "weight_decay": plan.weight_decay},
                          {"params": others, "weight_decay": 0.0}], lr=plan.lr,
                         fused=True if self.device.type == "cpu" and self.trainer.precision == "32-true" else None)
        total = self.trainer.estimated_stepping_batches
        warm = plan.warmup * total

        def rate(step: int) -> float:
            if step < warm:
                return step / warm
            return 1.0 if plan.schedule == "constant" else max(0.0, (total - step) / (total - warm))

        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}

    def on_train_batch_start(self, batch: Batch, index: int) -> None:
        # Dropout depends on the epoch alone, so that a run that was killed and resumed equals one that was not.
        # (Not at the epoch's start: making the batches draws from the generator too, before or after that.)
        if index == 0:
            torch.manual_seed(derive(self.seed, "epoch", self.current_epoch, self.global_rank))

    def training_step(self, batch: Batch, index: int) -> torch.Tensor:
        loss = self.loss(self.net, batch, disturb=not self.stalled)
        self._loss = loss.detach()
        if index % LOSS_CHECK_STEPS == 0:
            self._check_loss()
        size = len(batch.labels)
        self.log("train/loss", loss, prog_bar=True, batch_size=size)
        self.log("train/loss_epoch", loss, on_step=False, on_epoch=True, sync_dist=True, batch_size=size)
        return loss

    def _check_loss(self) -> None:
        if self._loss is not None and not torch.isfinite(self._loss):
            raise InputError(f"training: the loss is {self._loss.item()} in epoch {self.current_epoch + 1}, step "
                             f"{self.global_step}: lower the learning rate (model.lr={self.plan.lr:g}), "
                             f"or set trainer.precision=32")

    def on_train_epoch_end(self) -> None:
        self._check_loss()  # before the checkpoint of this epoch is written
        if self.loss.perturbation is not None:
            self.stalled = float(self.trainer.callback_metrics["train/loss_epoch"]) >= self.chance
            if self.stalled and self.current_epoch + 1 < self.trainer.max_epochs:
                log.info("this epoch learnt nothing: the next one goes without disturbed embeddings")

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        checkpoint["stalled"] = self.stalled

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        self.stalled = bool(checkpoint.get("stalled", False))

    def on_validation_epoch_start(self) -> None:
        self._seen = []
        self._check_loss()

    def validation_step(self, batch: Batch, index: int) -> None:
        self._seen.append((self(batch).float().softmax(dim=1), batch.labels))

    def on_validation_epoch_end(self) -> None:
        self._log_metrics("dev")

    def on_test_epoch_start(self) -> None:
        self._seen = []

    def test_step(self, batch: Batch, index: int) -> None:
        self.validation_step(batch, index)

    def on_test_epoch_end(self) -> None:
        self._log_metrics("test")

    def _log_metrics(self, split: str) -> None:
        probabilities, labels = (torch.cat(parts).cpu().numpy() for parts in zip(*self._seen, strict=True))
        self._seen = []
        values = metrics(probabilities, labels, self.domain)
        # A score that is not defined counts as 0 where the best epoch is chosen, and is not logged otherwise.
        values = {f"{split}/{key}": values[key] for key in LOGGED}
        values = {key: 0.0 if value is None and key == self.monitored else value for key, value in values.items()}
        self.log_dict({key: value for key, value in values.items() if value is not None}, sync_dist=True)


@contextmanager
def drawn_from(seed: int) -> Iterator[None]:
    """Random initial weights are drawn from ``seed``; the global generator is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derive(seed, "initial weights"))
        yield
