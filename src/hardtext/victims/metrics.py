"""How well a classifier does on texts as they are: one pure function from probabilities to JSON-ready numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torchmetrics.functional.classification import (
    binary_auroc,
    multiclass_calibration_error,
    multiclass_confusion_matrix,
)

from hardtext.core import Domain

CALIBRATION_BINS = 15


def metrics(probabilities: np.ndarray, labels: np.ndarray, domain: Domain) -> dict[str, Any]:
    """Accuracy and its companions.

    ``probabilities``: (texts, classes); ``labels``: (texts,) class indices. Precision, recall, F1 and AUROC are those
    of the positive classes of ``domain`` taken as one: their probabilities are added, above 0.5 counts as positive.
    ``macro_f1`` is the mean over the classes that occur (as a label or an answer); ``ece`` the expected calibration
    error of the top class over 15 equal bins. ``confusion``: one row for each true class, one column for each answer.
    A value that is not defined (AUROC with one class present, precision with nothing called positive) is None.
    """
    classes = len(domain.classes)
    # torchmetrics takes a value just above 1 for a logit and squashes all of them, hence the clamp.
    p = torch.as_tensor(np.asarray(probabilities, np.float32).reshape(-1, classes)).clamp(0, 1)
    y = torch.as_tensor(np.asarray(labels, np.int64).reshape(-1))
    if not len(y):
        names = ("accuracy", "precision", "recall", "f1", "macro_f1", "auroc", "ece", "loss")
        return {"texts": 0, **dict.fromkeys(names), "confusion": [[0] * classes for _ in range(classes)]}
    positive = list(domain.positive)
    score = p[:, positive].sum(dim=1).clamp(max=1)
    truth = torch.isin(y, torch.tensor(positive))
    called = score > 0.5
    hits = int((called & truth).sum())
    confusion = multiclass_confusion_matrix(p, y, num_classes=classes)
    own = confusion.diagonal().double()
    both = (confusion.sum(dim=0) + confusion.sum(dim=1)).double()  # how often each class is called, or true
    one_class = bool(truth.all() or not truth.any())
    return {
        "texts": len(y),
        "accuracy": float(own.sum() / len(y)),
        "precision": _ratio(hits, int(called.sum())),
        "recall": _ratio(hits, int(truth.sum())),
        "f1": _ratio(2 * hits, int(called.sum() + truth.sum())),
        "macro_f1": float((2 * own[both > 0] / both[both > 0]).mean()),
        "auroc": None if one_class else float(binary_auroc(score, truth.long())),
        "ece": float(multiclass_calibration_error(p, y, num_classes=classes, n_bins=CALIBRATION_BINS)),
        "loss": float(-p[torch.arange(len(y)), y].clamp_min(1e-12).log().mean()),
        "confusion": confusion.tolist(),
    }


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
