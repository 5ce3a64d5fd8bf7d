"""Where a semantic scorer computes. Heavy: imports torch."""

from __future__ import annotations

import torch

from hardtext.core import InputError


def pick(device: str) -> str:
    """``auto`` is the GPU where there is one, else the CPU; any other name must be usable here."""
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:  # torch built without CUDA raises an AssertionError
        raise InputError(f"semantic.device={device}: cannot be used here ({str(error).splitlines()[0]}); "
                         f"use auto or cpu") from error
    return device
