"""Hugging Face sequence classifiers: config and weights from a folder, and the forward pass."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError
from torch import Tensor
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    BertForSequenceClassification,
    PretrainedConfig,
    PreTrainedModel,
    RobertaForSequenceClassification,
)

from hardtext.core import InputError
from hardtext.victims import bilstm  # noqa: F401  (importing it registers the BiLSTM's model type)
from hardtext.victims.tokens import Batch, one_line


def load_config(folder: Path, *, option: str, trust_remote_code: bool = False, **changes) -> PretrainedConfig:
    """The config of a model folder; InputError where transformers does not know its kind."""
    try:
        return AutoConfig.from_pretrained(folder, trust_remote_code=trust_remote_code, **changes)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{option}={folder}: no usable config.json there ({one_line(error)})") from error


def build(config: PretrainedConfig, weights: Path | None = None, *, fresh_head: bool = False,
          trust_remote_code: bool = False) -> PreTrainedModel:
    """The classifier for ``config``, in fp32: with random weights, or those of the folder ``weights``.

    ``fresh_head``: the folder may hold the body alone. Without it (a victim that is loaded) a missing weight is an
    InputError, since transformers would fill it with random numbers.
    """
    if weights is None:
        return AutoModelForSequenceClassification.from_config(config, dtype=torch.float32, trust_remote_code=False)
    try:
        with _no_notes_on_fresh_weights():
            net, report = AutoModelForSequenceClassification.from_pretrained(
                weights, config=config, dtype=torch.float32, trust_remote_code=trust_remote_code, weights_only=True,
                ignore_mismatched_sizes=fresh_head, output_loading_info=True)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise InputError(f"{weights}: no sequence classifier can be loaded there ({one_line(error)})") from error
    missing = sorted(report["missing_keys"])
    if fresh_head:  # a body often comes without the layer that pools it; everything else must be there
        missing = [key for key in missing if key.startswith(f"{net.base_model_prefix}.") and ".pooler." not in key]
    if missing:
        raise InputError(f"{weights}: the weights lack {', '.join(missing[:3])}{' …' * (len(missing) > 3)}, "
                         + ("so they are not those of its config.json" if fresh_head
                            else "so this is no trained classifier: train one with model.path set to this folder"))
    return net


@contextmanager
def _no_notes_on_fresh_weights() -> Iterator[None]:
    """Transformers warns of weights that are not in the file; ``build`` checks them itself."""
    logger = logging.getLogger("transformers")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def logits(net: PreTrainedModel, batch: Batch) -> Tensor:
    """The model's own forward pass; float, (texts, classes)."""
    mask = torch.ones_like(batch.ids) if batch.mask is None else batch.mask.long()
    types = {} if batch.types is None else {"token_type_ids": batch.types}
    return net(input_ids=batch.ids, attention_mask=mask, **types).logits


def logits_with(net: PreTrainedModel, batch: Batch, vectors: Tensor) -> Tensor:
    """``logits`` with ``vectors``, (texts, width, size), in place of the pieces' embeddings. The ids go the usual way, so
    that what a network derives from them (RoBERTa's positions) is right."""
    handle = net.get_input_embeddings().register_forward_hook(lambda module, given, output: vectors)
    try:
        return logits(net, batch)
    finally:
        handle.remove()


def first_piece_logits(net: PreTrainedModel, batch: Batch) -> Tensor:
    """What ``logits`` gives, with less work: BERT and RoBERTa classify by the first piece alone, so the last layer is
    computed for that piece only (its query meets the keys and values of all). 1.7 times faster with two layers."""
    body = net.base_model
    hidden = body.embeddings(input_ids=batch.ids, token_type_ids=batch.types)
    mask = None if batch.mask is None else batch.mask[:, None, None, :]
    *layers, last = body.encoder.layer
    for layer in layers:
        hidden = layer(hidden, attention_mask=mask)[0]
    first = hidden[:, :1]
    attended = last.attention.self(first, attention_mask=mask, encoder_hidden_states=hidden)[0]
    first = last.feed_forward_chunk(last.attention.output(attended, first))
    return net.classifier(first if body.pooler is None else body.pooler(first))


def quickest_logits(net: PreTrainedModel) -> Callable[[PreTrainedModel, Batch], Tensor]:
    """The forward pass for inference that suits ``net``."""
    plain = (type(net) in (BertForSequenceClassification, RobertaForSequenceClassification)
             and net.config._attn_implementation == "sdpa"
             and net.config.position_embedding_type == "absolute"
             and not net.config.is_decoder)
    return first_piece_logits if plain else logits
