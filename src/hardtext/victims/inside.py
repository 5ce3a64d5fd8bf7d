"""A local victim opened up for saliency: its pieces, their vectors, and its class logits as a function of the vectors."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedModel

from hardtext.core import InputError, Segments, Span
from hardtext.victims.bilstm import BiLSTMForSequenceClassification
from hardtext.victims.encoder import quickest_logits
from hardtext.victims.tokens import Batch, Tokeniser, TokenTable

log = logging.getLogger(__name__)

NEVER = 1e-30  # stands for a probability of 0, whose logarithm must stay finite


class LocalInside:
    """See ``core.Inside``.

    The vectors are put in at the embedding layer, while the pieces' ids go the usual way: what a network derives from the
    ids (RoBERTa's positions, where a decoder's text ends) is right however long the other texts of the batch are. Given
    ``inputs_embeds`` alone, transformers has to guess both.
    """

    def __init__(self, net: PreTrainedModel, tokens: Tokeniser, *, name: str, columns: np.ndarray | None,
                 batch_tokens: int, equal_lengths: bool) -> None:
        """``equal_lengths``: pads change the net's answers, so only texts of one length may share a batch."""
        self._net, self._tokens, self._name = net, tokens, name
        self._embedding = net.get_input_embeddings()
        self._forward = quickest_logits(net)
        self._log_columns = None if columns is None else torch.from_numpy(columns).clamp_min(NEVER).log().to(net.device)
        self._batch_tokens, self._equal_lengths = batch_tokens, equal_lengths
        recurrent = isinstance(net, BiLSTMForSequenceClassification)
        # A backward pass keeps more numbers, of a BiLSTM its gates, which are far wider than its embedding (measured).
        self.gradient_tokens = max(1, batch_tokens // (4 if recurrent else 2))
        # A language model has learnt its mask as "a word unknown"; a BiLSTM's pad is the zero vector.
        masked = None if recurrent else tokens.tokenizer.mask_token_id
        self._blank_id = tokens.pad_id if masked is None else masked
        self.blank = str(tokens.tokenizer.convert_ids_to_tokens(int(self._blank_id)))

    def table(self, texts: Sequence[Segments]) -> TokenTable:
        return self._tokens(texts)

    def spans(self, segments: Segments) -> list[Span | None]:
        return self._tokens.spans(segments)

    def vectors(self, batch: Batch) -> Tensor:
        return self._embedding(batch.ids).detach()

    def blank_vector(self) -> Tensor:
        return self._embedding(torch.tensor([self._blank_id], device=self._net.device))[0].detach()

    def logits(self, batch: Batch, vectors: Tensor | None = None) -> Tensor:
        """Float, (texts, classes). Where several labels of the net make a class, its logit is the logarithm of the sum
        of their exponentials, so that a softmax over classes still gives the class probabilities."""
        found = self._forward(self._net, batch) if vectors is None else self._forward_with(batch, vectors)
        found = found.float()
        return found if self._log_columns is None else (found[:, :, None] + self._log_columns).logsumexp(dim=1)

    def _forward_with(self, batch: Batch, vectors: Tensor) -> Tensor:
        looked_up = []

        def put_in(module, given, output: Tensor) -> Tensor:
            looked_up.append(output.shape)
            return vectors

        handle = self._embedding.register_forward_hook(put_in)
        try:
            found = self._forward(self._net, batch)
        finally:
            handle.remove()
        if looked_up != [vectors.shape]:
            raise InputError(f"victim {self._name}: a {type(self._net).__name__} does not look its pieces up once in its "
                             f"input embeddings, so their gradients cannot be had; take another model")
        return found

    def in_batches(self, table: TokenTable, rows: np.ndarray, work: Callable[[Batch, np.ndarray], list], *,
                   gradients: bool = False, times: int = 1, batch_tokens: int | None = None) -> list:
        lengths = table.lengths[rows] if len(rows) else np.empty(0, np.int64)
        order = np.argsort(-lengths, kind="stable")
        budget = batch_tokens or (self.gradient_tokens if gradients else self._batch_tokens)
        results: list = [None] * len(rows)
        done = 0
        with ready(self._net, gradients=gradients):
            while done < len(order):
                longest = int(lengths[order[done]])
                places = order[done : done + max(1, budget // (longest * times))]
                if self._equal_lengths:
                    places = places[lengths[places] == longest]
                batch = Batch(*(None if t is None else t.to(self._net.device) for t in table.batch(rows[places])))
                try:
                    found = work(batch, places)
                except torch.OutOfMemoryError:
                    if len(places) == 1:
                        raise
                    budget = len(places) * longest * times // 2
                    log.warning("%s: out of memory with %d texts of up to %d pieces; batches now hold %d tokens",
                                self._name, len(places), longest, budget)
                    torch.cuda.empty_cache()
                    continue
                for place, result in zip(places.tolist(), found, strict=True):
                    results[place] = result
                done += len(places)
        return results


@contextmanager
def ready(net: PreTrainedModel, *, gradients: bool = False) -> Iterator[None]:
    """Eval mode and inference mode; with ``gradients``, gradients of the inputs but not of the weights. What was set
    before is put back."""
    training = net.training
    learning = [p for p in net.parameters() if p.requires_grad] if gradients else []
    if training:
        net.eval()
    for parameter in learning:
        parameter.requires_grad_(False)
    try:
        with torch.enable_grad() if gradients else torch.inference_mode():
            # cuDNN has no backward pass of an LSTM in eval mode.
            with torch.backends.cudnn.flags(enabled=False) if gradients else nullcontext():
                yield
    finally:
        for parameter in learning:
            parameter.requires_grad_(True)
        if training:
            net.train()
