"""What a training step minimises. Cross-entropy, with what a defence adds to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, kl_div
from transformers import PreTrainedModel

from hardtext.core import InputError
from hardtext.victims.encoder import logits
from hardtext.victims.tokens import Batch


class Judge(Protocol):
    """The loss of a batch's logits, float (texts, classes), against its labels."""

    def __call__(self, logits: Tensor) -> Tensor: ...


class Perturbation(Protocol):
    """A loss over disturbed inputs, in place of that over the inputs themselves (see ``hardtext.hardening.embedding``)."""

    def loss(self, net: PreTrainedModel, batch: Batch, judge: Judge) -> Tensor: ...


@dataclass
class Loss:
    """Cross-entropy with ``label_smoothing`` (a share of the probability spread over all classes); adversarial rows count
    ``adversarial_weight`` times. ``consistency``: how much the Jensen–Shannon divergence between the answers to an
    adversarial text and to its original is worth (Jensen–Shannon: bounded, symmetric; nats). ``perturbation``: see there.
    """

    label_smoothing: float = 0.0
    adversarial_weight: float = 1.0
    consistency: float = 0.0
    perturbation: Perturbation | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.label_smoothing < 1:
            raise InputError(f"label_smoothing={self.label_smoothing}: expected a share from 0 up to but not 1")
        if not self.adversarial_weight > 0 or not self.consistency >= 0:
            raise InputError(f"adversarial_weight={self.adversarial_weight}, consistency={self.consistency}: expected a "
                             f"weight above 0, and 0 or more")

    def __call__(self, net: PreTrainedModel, batch: Batch, *, disturb: bool = True) -> Tensor:
        """The loss of one batch, a scalar with a graph. ``disturb``: whether ``perturbation`` takes part."""

        def judge(found: Tensor) -> Tensor:
            each = cross_entropy(found.float(), batch.labels, label_smoothing=self.label_smoothing, reduction="none")
            if batch.adversarial is None or self.adversarial_weight == 1.0:
                return each.mean()
            weights = torch.where(batch.adversarial, self.adversarial_weight, 1.0)
            return (each * weights).sum() / weights.sum()

        consistent = self.consistency > 0 and batch.originals is not None
        if self.perturbation is None or not disturb:
            found = logits(net, batch)
            loss = judge(found)
        else:
            found = logits(net, batch) if consistent else None
            loss = self.perturbation.loss(net, batch, judge)
        if consistent:
            loss = loss + self.consistency * divergence(found[batch.adversarial], logits(net, batch.originals))
        return loss


def divergence(first: Tensor, second: Tensor) -> Tensor:
    """Mean Jensen–Shannon divergence, in nats, between the distributions of two (texts, classes) of logits."""
    one, two = first.float().log_softmax(1), second.float().log_softmax(1)
    middle = torch.logaddexp(one, two) - torch.log(torch.tensor(2.0, device=one.device))
    return 0.5 * (kl_div(middle, one, reduction="batchmean", log_target=True)
                  + kl_div(middle, two, reduction="batchmean", log_target=True))
