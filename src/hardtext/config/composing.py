"""From the files in ``conf/`` and the overrides of a command to its typed settings, and from those to plain dicts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from hardtext import runs
from hardtext.attacks import ATTACKS
from hardtext.config.explaining import explain
from hardtext.config.overrides import freed, quoted
from hardtext.config.schemas import AttackConfig, EvaluateConfig, TrainConfig
from hardtext.core import InputError
from hardtext.domains import DOMAINS
from hardtext.executors import EXECUTORS
from hardtext.hardening.settings import HARDENING
from hardtext.scoring import SEMANTIC
from hardtext.sweeping import SWEEPS
from hardtext.sweeping.space import masked
from hardtext.tracking import LoggerSettings
from hardtext.victims import MODELS

_NAMED = {"domain", "model", "hardening", "attack", "seed", "task", "semantic", "logger", "experiment", "overwrite",
          "domain.path", "out", "device", "backend", "victim", "group", "trial", "sweep", "executor", "trust_remote_code",
          "probe.names", "method"}
_MACHINE = ("trainer.accelerator", "trainer.devices", "trainer.num_nodes", "trainer.strategy", "trainer.enable_", "logger.",
            "sweep.", "executor.")
_LONGEST = 120  # characters of a label; a folder's name ends at 255 bytes


def register() -> None:
    """Put every schema into Hydra's store, and the run root into OmegaConf's resolvers."""
    store = ConfigStore.instance()
    for name, schema in {"train": TrainConfig, "attack": AttackConfig, "evaluate": EvaluateConfig}.items():
        store.store(group="schema", name=name, node=schema)
    for group, registry in {"domain": DOMAINS, "model": MODELS, "attack": ATTACKS, "semantic": SEMANTIC,
                            "hardening": HARDENING, "sweep": SWEEPS, "executor": EXECUTORS}.items():
        for name, schema in registry.items():
            store.store(group=f"schema/{group}", name=name, node=schema)
    store.store(group="schema", name="logger", node=LoggerSettings)
    OmegaConf.register_new_resolver("runs", lambda: str(runs.runs_root()), replace=True)


def build(config: DictConfig) -> Any:
    """The typed settings of one job (a TrainConfig, an AttackConfig, …), interpolations resolved, checks run.

    In a multirun a job that changes more than the choices that already name its folder
    (domain, model, attack, seed) gets those changes added to the folder's name, so that jobs never share one.
    """
    settings = _typed(config)
    settings.sweep = None  # a job is the same alone and in a sweep
    if in_sweep():
        settings.label = label(HydraConfig.get().overrides.task)
        settings.group = settings.group or Path(HydraConfig.get().sweep.dir).name
    return settings


def _typed(config: DictConfig) -> Any:
    settings = OmegaConf.to_object(config)
    if settings.hardening.names():
        if settings.model is None or not settings.model.trainable:
            raise InputError(f"hardening={list(settings.hardening.names())}: name the trained model with model=")
        if not settings.model.hardened:
            settings.model.name += "".join(f"+{name}" for name in settings.hardening.names())
    if settings.model is not None and settings.model.trainable and settings.model.hardened:
        _keep_preset(settings.model.name, settings.hardening.names())
    return settings


def _keep_preset(name: str, chosen: tuple[str, ...]) -> None:
    """Refuse other defences under the name of a preset (``tiny_hard``) than those it stands for."""
    file = runs.repository() / "conf" / "model" / f"{name}.yaml"
    if not file.is_file():  # a name of the user's own
        return
    defaults = OmegaConf.to_container(OmegaConf.load(file))["defaults"]
    own = next(value for entry in defaults if isinstance(entry, dict) for key, value in entry.items()
               if key.startswith("/hardening@"))
    if set(own) != set(chosen):
        plain = next(entry for entry in defaults if isinstance(entry, str))
        raise InputError(f"model={name} stands for hardening=[{','.join(own)}]; for other defences take model={plain} with "
                         f"hardening=[…]")


def compose(command: str, overrides: Sequence[str]) -> Any:
    """The typed settings of ``command`` (train, attack, evaluate), as its script would get them for ``overrides``.

    Raises InputError where they do not compose.
    """
    from hydra import compose as composed
    from hydra import initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra

    overrides = quoted(freed(overrides))
    try:
        if GlobalHydra.instance().is_initialized():
            return _typed(composed(command, overrides))
        register()
        with initialize_config_dir(str(runs.repository() / "conf"), version_base="1.3"):
            return _typed(composed(command, overrides))
    except (HydraException, OmegaConfBaseException) as error:
        raise InputError(explain(error)) from error


def in_sweep() -> bool:
    """Whether this process is told what to do by ``-m``."""
    return HydraConfig.initialized() and HydraConfig.get().mode.name == "MULTIRUN"


def label(overrides: Sequence[str]) -> str:
    """The part of a sweep job's folder name that tells it from its siblings.

    >>> label(["domain=pr", "seed=1", "model.lr=0.001", "trainer.devices=2"])
    'model.lr=0.001'
    """
    kept = [o.lstrip("+~") for o in overrides]
    kept = [o for o in kept if o.partition("=")[0] not in _NAMED and not o.startswith(_MACHINE) and o == masked(o)]
    text = ",".join(re.sub(r"[^\w.=+@-]+", "-", o) for o in sorted(kept))
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST - 9] + "-" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def to_dict(settings: Any) -> dict[str, Any]:
    """Settings as plain nested dicts, for ``config.yaml`` and the loggers."""
    return OmegaConf.to_container(OmegaConf.structured(settings), resolve=True)


def to_yaml(settings: Any) -> str:
    return OmegaConf.to_yaml(OmegaConf.structured(settings), resolve=True)
