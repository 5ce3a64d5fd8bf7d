"""Config keys and types: the schemas of the three commands, and the way from Hydra's config to plain objects.

The only library folder that imports hydra and omegaconf. A settings dataclass of a part (a domain, a model,
an attack, a semantic scorer) is its own schema: it is registered here under ``schema/<group>/<name>``, the YAML
files in ``conf/`` fill in values, and ``build`` gives the instance back. A misspelt key is therefore refused
when the config is composed, before any work.
"""

from __future__ import annotations

from hardtext.config.commands import run_command, run_job
from hardtext.config.composing import build, compose, label, register, to_dict, to_yaml
from hardtext.config.overrides import freed
from hardtext.config.schemas import AttackConfig, EvaluateConfig, TrainConfig

__all__ = ["AttackConfig", "EvaluateConfig", "TrainConfig", "build", "compose", "freed", "label", "register", "run_command",
           "run_job", "to_dict", "to_yaml"]
