"""A victim's forward pass in ONNX Runtime: on one CPU thread about 1.25 times as fast as PyTorch for small encoders.

Optional: ``pip install onnx onnxruntime``. A BiLSTM gains nothing. Gradients stay with PyTorch.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from hardtext.core import InputError
from hardtext.victims.tokens import Batch

Logits = Callable[[PreTrainedModel, Batch], Tensor]
OPSET = 17


class OnnxLogits:
    """Stands in for ``logits`` (``encoder.quickest_logits`` of the net): the same graph, exported once when this is made.

    Probabilities equal PyTorch's to 1e-5 (5e-7 seen). Later changes of the net's weights are not seen.
    Raises InputError where the packages are missing.
    """

    def __init__(self, net: PreTrainedModel, logits: Logits) -> None:
        try:
            import onnx  # noqa: F401  what the export needs
            import onnxruntime
        except ImportError as error:
            raise InputError("backend=onnx: needs two more packages (python -m pip install onnx onnxruntime), "
                             "or take backend=torch") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        self._session = onnxruntime.InferenceSession(_exported(net, logits), options, providers=["CPUExecutionProvider"])
        self._taken = {given.name for given in self._session.get_inputs()}

    def __call__(self, net: PreTrainedModel, batch: Batch) -> Tensor:
        ids = batch.ids.numpy().astype(np.int64)
        given = {"ids": ids,
                 "mask": np.ones(ids.shape, bool) if batch.mask is None else batch.mask.numpy(),
                 "types": np.zeros_like(ids) if batch.types is None else batch.types.numpy().astype(np.int64)}
        [found] = self._session.run(None, {name: value for name, value in given.items() if name in self._taken})
        return torch.from_numpy(found)


class _Graph(nn.Module):
    def __init__(self, net: PreTrainedModel, logits: Logits) -> None:
        super().__init__()
        self.net, self._logits = net, logits

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        return self._logits(self.net, Batch(ids, mask, types))


def _exported(net: PreTrainedModel, logits: Logits) -> bytes:
    """The net as an ONNX model of any number of texts and any width."""
    if net.device.type != "cpu":
        raise InputError(f"backend=onnx: it runs on the CPU only, and device={net.device.type} is asked for")
    ids = torch.ones((2, 8), dtype=torch.long)
    mask = torch.ones_like(ids, dtype=torch.bool)
    mask[1, 5:] = False
    sizes = {0: "texts", 1: "width"}
    file = io.BytesIO()
    training = net.training
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the tracing exporter is on its way out; the new one needs two packages more
            torch.onnx.export(_Graph(net, logits).eval(), (ids, mask, torch.zeros_like(ids)), file, dynamo=False,
                              opset_version=OPSET, input_names=["ids", "mask", "types"], output_names=["logits"],
                              dynamic_axes={"ids": sizes, "mask": sizes, "types": sizes, "logits": {0: "texts"}})
    finally:
        net.train(training)
    return file.getvalue()
