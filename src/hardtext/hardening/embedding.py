"""Training against disturbed embeddings, which stand for words that mean nearly the same.

``freelb``: Zhu et al. 2020, "FreeLB: Enhanced Adversarial Training for Natural Language Understanding" (algorithm 1).
``freelb++``: Li et al. 2021, "Searching for an Effective Defender" (section 4): the same without a bound on the
disturbance and with more steps. ``vat``: Miyato et al. 2017 and 2019, "Virtual Adversarial Training", in embedding space.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedModel

from hardtext.hardening.settings import EmbeddingSettings
from hardtext.victims.encoder import logits, logits_with
from hardtext.victims.losses import Judge, divergence
from hardtext.victims.tokens import Batch


@dataclass
class Perturbed:
    """The loss over disturbed embeddings (``victims.losses.Perturbation``)."""

    settings: EmbeddingSettings

    def loss(self, net: PreTrainedModel, batch: Batch, judge: Judge) -> Tensor:
        return self._virtual(net, batch, judge) if self.settings.kind == "vat" else self._free(net, batch, judge)

    def _free(self, net: PreTrainedModel, batch: Batch, judge: Judge) -> Tensor:
        """The mean of the losses along the way of the disturbance (the gradients of all steps are "free")."""
        vectors = net.get_input_embeddings()(batch.ids)
        pieces = _pieces(batch, vectors)
        noise = torch.empty_like(vectors).uniform_(-1, 1) * pieces * self.settings.start
        noise = noise / (pieces.sum(dim=1, keepdim=True) * vectors.shape[2]).sqrt()
        losses = []
        for step in range(self.settings.steps):
            noise = noise.detach().requires_grad_()
            losses.append(judge(logits_with(net, batch, vectors + noise)))
            if step < self.settings.steps - 1:
                [gradient] = torch.autograd.grad(losses[-1], noise, retain_graph=True)
                noise = self._kept(noise + self.settings.step_size * _unit(gradient * pieces))
        return torch.stack(losses).mean()

    def _virtual(self, net: PreTrainedModel, batch: Batch, judge: Judge) -> Tensor:
        """The plain loss, and how far the answers move when the embeddings do: no label is asked for."""
        answers = logits(net, batch)
        vectors = net.get_input_embeddings()(batch.ids)
        pieces = _pieces(batch, vectors)
        noise = _unit(torch.randn_like(vectors) * pieces) * max(self.settings.start, 1e-3)
        for _ in range(self.settings.steps):
            noise = noise.detach().requires_grad_()
            moved = divergence(answers.detach(), logits_with(net, batch, vectors.detach() + noise))
            [gradient] = torch.autograd.grad(moved, noise)
            noise = self._kept(noise + self.settings.step_size * _unit(gradient * pieces))
        return judge(answers) + self.settings.weight * divergence(answers.detach(),
                                                         logits_with(net, batch, vectors + noise.detach()))

    def _kept(self, noise: Tensor) -> Tensor:
        """Back inside the ball."""
        if not self.settings.bound:
            return noise
        norms = noise.flatten(1).norm(dim=1).clamp_min(1e-12)
        return noise * (self.settings.bound / norms).clamp_max(1.0)[:, None, None]


def _pieces(batch: Batch, vectors: Tensor) -> Tensor:
    """1 where a text has a piece, 0 where it is padded: (texts, width, 1)."""
    mask = torch.ones_like(batch.ids) if batch.mask is None else batch.mask
    return mask[:, :, None].to(vectors.dtype)


def _unit(values: Tensor) -> Tensor:
    return values / values.flatten(1).norm(dim=1).clamp_min(1e-12)[:, None, None]
