"""The settings every domain shares: the dataclass is the config schema, ``load`` does the work."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from hardtext.core import Corpus, InputError


@dataclass
class DomainSettings(ABC):
    """Where a corpus comes from and how the adversarial recipe treats it.

    ``adversarial_batch_size`` is the batch size of adversarial training; ``adversarial_subset`` is how many
    training texts are attacked for it (null: all of them).
    """

    name: str
    adversarial_batch_size: int = 32
    adversarial_subset: Optional[int] = None

    def __post_init__(self) -> None:
        for key in ("adversarial_batch_size", "adversarial_subset"):
            value = getattr(self, key)
            if value is not None and value < 1:
                raise InputError(f"domain.{key}={value}: expected a whole number of at least 1")

    @abstractmethod
    def load(self, root: Path, seed: int) -> Corpus:
        """The corpus. ``root`` is the data root (``data/``, or HARDTEXT_DATA), ``seed`` the run's seed.

        Raises InputError where files are missing or damaged.
        """


def choice(key: str, value: str, choices: tuple[str, ...]) -> None:
    """Refuse a setting that is not one of its choices."""
    if value not in choices:
        raise InputError(f"domain.{key}={value}: expected one of {', '.join(choices)}")
