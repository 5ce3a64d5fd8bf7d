"""What a victim was trained on, where that differs from the texts it is asked about."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from hardtext import runs
from hardtext.domains import DomainSettings

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

PLACE = ("path", "download", "adversarial_batch_size", "adversarial_subset")
"""Settings of a domain that say nothing about how its texts and labels are read."""


def warnings(config: EvaluateConfig) -> list[str]:
    """A sentence for each setting of the domain (``domain.content``, ``domain.labels``) that ``train.py`` had otherwise;
    none for a victim that has no such record."""
    before = _trained(config)
    now = reading(config.domain)
    return [f"the victim was trained with domain.{name}={before[name]} and is asked about domain.{name}={value}"
            for name, value in now.items() if name in before and before[name] != value]


def reading(domain: DomainSettings) -> dict[str, Any]:
    """The settings of a domain that make its texts and labels what they are, wherever the files lie."""
    return {name: value for name, value in asdict(domain).items() if name not in PLACE}


def _trained(config: EvaluateConfig) -> dict[str, Any]:
    """The settings of the domain in the victim's run folder."""
    if config.victim is not None:
        folder = Path(config.victim).expanduser()
        folder = folder.parent if folder.name == "victim" else folder
    else:
        folder = runs.train_folder(config.domain.name, config.model.name, config.seed)
    try:
        stored = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):  # a hub id, somebody else's folder
        return {}
    domain = stored.get("domain") if isinstance(stored, dict) else None
    return domain if isinstance(domain, dict) else {}
