"""A victim whose weights are in this process: batched, sorted by length, in eval and inference mode."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from hardtext.core import InputError, Piece, Segments
from hardtext.victims.bilstm import legacy_padding
from hardtext.victims.encoder import build, load_config, quickest_logits
from hardtext.victims.export import RECORD, read_record
from hardtext.victims.inside import LocalInside, ready
from hardtext.victims.labels import match
from hardtext.victims.module import VictimModule
from hardtext.victims.tokens import Batch, Tokeniser, capacity, load_tokenizer, one_line

log = logging.getLogger(__name__)

ACCELERATOR_TOKENS = 32_768
CPU_CACHE_NUMBERS = 196_608  # batch tokens × hidden size: beyond this a layer's activations leave the cache (measured)


class LocalVictim:
    """A Hugging Face sequence classifier (ours too) under attack.

    ``net`` is used where it is when it has a device map (it is spread over devices), and moved to ``device`` otherwise.
    ``columns`` (labels of the net, classes) takes its probabilities to ``classes``; None where they are the same.
    ``batch_tokens`` bounds texts × longest text of a batch; it is halved for good when memory runs out.
    ``backend``: ``torch``, or ``onnx`` for ONNX Runtime on the CPU (see ``onnx_backend``).
    """

    def __init__(self, net: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, *, name: str, classes: Sequence[str],
                 max_length: int, device: str = "auto", batch_tokens: int | None = None,
                 columns: np.ndarray | None = None, backend: str = "torch") -> None:
        self.name, self.classes, self.max_length = name, tuple(classes), max_length
        spread = getattr(net, "hf_device_map", None)  # transformers sets it on models that it spread over devices
        self.net = net if spread else net.to(pick_device(device))
        self.tokens = Tokeniser(tokenizer, max_length)
        self._columns = None if columns is None or np.array_equal(columns, np.eye(len(columns))) else columns
        self._whole_list = legacy_padding(net)
        width = net.get_input_embeddings().weight.shape[1]
        on_cpu = max(256, CPU_CACHE_NUMBERS // width)
        self.batch_tokens = batch_tokens or (on_cpu if net.device.type == "cpu" else ACCELERATOR_TOKENS)
        self._logits = quickest_logits(net)
        self._backend = backend
        if backend == "onnx":
            if self._whole_list:
                raise InputError(f"backend=onnx: {name} pads as published, which only backend=torch does")
            from hardtext.victims.onnx_backend import OnnxLogits

            self._logits = OnnxLogits(net, self._logits)
            log.info("%s: computed by ONNX Runtime on the CPU", name)
        elif backend != "torch":
            raise InputError(f"backend={backend}: expected torch or onnx")

    def probabilities(self, texts: Sequence[Segments | str]) -> np.ndarray:
        """Class probabilities, float32 (len(texts), classes), in the order of ``texts``.

        A text's row does not depend on its neighbours, up to float noise (about 1e-7), except for a BiLSTM with
        legacy padding: there the whole list is one batch, as published.
        """
        table = self.tokens(texts)
        if not len(table):
            return np.empty((0, len(self.classes)), np.float32)
        order = np.argsort(-table.lengths, kind="stable")
        parts: list[torch.Tensor] = []
        done = 0
        with ready(self.net):
            while done < len(order):
                longest = int(table.lengths[order[done]])
                rows = order[done:] if self._whole_list else order[done : done + max(1, self.batch_tokens // longest)]
                try:
                    parts.append(self._forward(table.batch(rows)))
                except torch.OutOfMemoryError:
                    if len(rows) == 1 or self._whole_list:
                        raise
                    self.batch_tokens = len(rows) * longest // 2
                    log.warning("%s: out of memory with %d texts of up to %d pieces; batches now hold %d tokens",
                                self.name, len(rows), longest, self.batch_tokens)
                    torch.cuda.empty_cache()
                    continue
                done += len(rows)
        result = np.empty((len(order), parts[0].shape[1]), np.float32)
        result[order] = torch.cat(parts).cpu().numpy()
        if not np.isfinite(result).all():
            raise InputError(f"victim {self.name}: its probabilities are not finite; its weights are damaged")
        return result if self._columns is None else result @ self._columns

    def _forward(self, batch: Batch) -> torch.Tensor:
        batch = Batch(*(None if t is None else t.to(self.net.device, non_blocking=True) for t in batch))
        return self._logits(self.net, batch).float().softmax(dim=1)

    def window(self, segments: Segments) -> tuple[int, ...]:
        """How many characters of each segment the victim reads."""
        return self.tokens.window(segments)

    def gradients(self, texts: Sequence[tuple[Segments, int]]) -> list[list[Piece]]:
        """For each (text, class): (segment, start, end, norm) of each of its pieces, the L2 norm of the gradient of
        the class's log-probability with respect to the piece's embedding. Batched by length."""
        inside = self.inside()
        classes = torch.tensor([label for _, label in texts])

        def norms(batch: Batch, places: np.ndarray) -> list[list[float]]:
            vectors = inside.vectors(batch).requires_grad_()
            rows = inside.logits(batch, vectors).log_softmax(dim=1)
            wanted = rows.gather(1, classes[places, None].to(rows.device)).sum()
            return torch.autograd.grad(wanted, vectors)[0].norm(dim=2).tolist()

        table = inside.table([segments for segments, _ in texts])
        found = inside.in_batches(table, np.arange(len(texts)), norms, gradients=True)
        return [[(*span, value) for span, value in zip(inside.spans(segments), values) if span]
                for (segments, _), values in zip(texts, found, strict=True)]

    def inside(self) -> LocalInside:
        """The victim opened up for saliency (``core.Transparent``)."""
        return LocalInside(self.net, self.tokens, name=self.name, columns=self._columns, batch_tokens=self.batch_tokens,
                           equal_lengths=self._whole_list)

    @cached_property
    def fingerprint(self) -> str:
        """sha256 over weights, tokenizer and settings: equal fingerprints answer alike."""
        sha = hashlib.sha256()
        settings = [self.classes, self.max_length, self._whole_list,
                    None if self._columns is None else self._columns.tolist(), type(self.net).__name__]
        settings += [self._backend] if self._backend != "torch" else []  # the last digits differ
        sha.update(json.dumps(settings).encode())
        sha.update(self.tokens.identity().encode())
        for key, value in sorted(self.net.state_dict().items()):
            sha.update(f"{key} {value.dtype} {tuple(value.shape)}".encode())
            sha.update(value.contiguous().cpu().view(torch.uint8).numpy() if value.ndim else str(value.item()).encode())
        return sha.hexdigest()


def pick_device(device: str) -> str:
    """"auto" is an accelerator where there is one."""
    if device != "auto":
        try:
            torch.empty(0, device=device)
        except (RuntimeError, AssertionError, NotImplementedError) as error:
            raise InputError(f"device={device}: not to be had on this machine ({one_line(error)}); "
                             f"device=auto takes what there is") from error
        return device
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def of_module(module: VictimModule, name: str, device: str = "auto") -> LocalVictim:
    """The module in training as a victim. It shares the weights: nothing is copied, and further training changes it."""
    return LocalVictim(module.net, module.tokens.tokenizer, name=name, classes=module.domain.classes,
                       max_length=module.hparams.max_length, device=device)


def load_local(folder: Path, *, name: str, device: str = "auto", classes: Sequence[str] | None = None,
               labels: Mapping[str, str] | None = None, max_length: int | None = None,
               batch_tokens: int | None = None, backend: str = "torch", trust_remote_code: bool = False) -> LocalVictim:
    """A victim from a folder that ``save_victim`` or transformers wrote."""
    config = load_config(folder, option="victim", trust_remote_code=trust_remote_code)
    own = [config.id2label[i] for i in range(config.num_labels)]
    if config.num_labels < 2 or config.problem_type in ("regression", "multi_label_classification"):
        raise InputError(f"{folder}: not a classifier with one answer out of several "
                         f"({config.num_labels} labels, problem type {config.problem_type})")
    columns = None if classes is None else match(own, classes, labels)
    tokenizer = load_tokenizer(str(folder), option="victim", trust_remote_code=trust_remote_code)
    if (folder / RECORD).is_file():
        max_length = max_length or read_record(folder)["max_length"]
    if config.pad_token_id is None:  # decoders find the end of a text by it
        config.pad_token_id = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    net = build(config, folder, trust_remote_code=trust_remote_code)
    return LocalVictim(net, tokenizer, name=name, classes=own if classes is None else classes,
                       max_length=capacity(config, tokenizer, max_length), device=device, batch_tokens=batch_tokens,
                       columns=columns, backend=backend)
