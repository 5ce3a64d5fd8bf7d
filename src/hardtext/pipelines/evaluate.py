"""``evaluate.py``: reads rows, never attacks again. Each task is a story of its own beside this one."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hardtext.core import InputError

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

TASKS = {"score": "score", "leaderboard": "leaderboard", "annotate": "annotate", "agreement": "agreement",
         "report": "report", "probes": "probes", "saliency": "saliency", "fake_news_benchmark": "fake_news_benchmark",
         "robustness_matrix": "robustness_matrix", "detect": "detect", "certify": "certify",
         "export": "export"}
"""The module of each task, in this folder; its ``run`` takes the config."""
_WITHOUT_VICTIM = ("score", "leaderboard", "annotate", "agreement", "report")
"""Tasks that ask no victim, unless with strict=true."""


def run(config: EvaluateConfig) -> Any:
    if config.task not in TASKS:
        raise InputError(f"task={config.task}: expected one of {', '.join(TASKS)}")
    if config.task in _WITHOUT_VICTIM and not config.strict and config.device not in ("auto", "cpu"):
        raise InputError(f"device={config.device}: task={config.task} asks no victim; the semantic scorer's device is "
                         f"semantic.device={config.device}")
    if config.executor and config.task != "robustness_matrix":
        raise InputError(f"executor={config.executor.name}: only experiment=robustness_matrix attacks; task={config.task} "
                         f"reads what attack.py wrote")
    story: Callable[[EvaluateConfig], Any] = import_module(f"hardtext.pipelines.{TASKS[config.task]}").run
    return story(config)
