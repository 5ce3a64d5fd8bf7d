"""Config keys and types: the schemas of the three commands, and the way from Hydra's config to plain objects.

The only library file that imports hydra and omegaconf. A settings dataclass of a part (a domain, a model,
an attack, a semantic scorer) is its own schema: it is registered here under ``schema/<group>/<name>``, the YAML
files in ``conf/`` fill in values, and ``build`` gives the instance back. A misspelt key is therefore refused
when the config is composed, before any work.
"""

from __future__ import annotations

import difflib
import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException, OverrideParseException
from omegaconf import MISSING, DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from hardtext import runs
from hardtext.attacks import ATTACKS, Attack
from hardtext.core import InputError
from hardtext.domains import DOMAINS, DomainSettings
from hardtext.probes import ProbeSettings
from hardtext.saliency.base import SaliencySettings
from hardtext.scoring import SEMANTIC, SemanticSettings
from hardtext.tracking import LoggerSettings
from hardtext.victims import MODELS, ModelSettings

log = logging.getLogger(__name__)


@dataclass
class Robustness:
    """How ``train.py`` measures an adversarially trained victim before and after."""

    limit: Optional[int] = None  # attack only the first N of the attack split; null: all
    max_queries: Optional[int] = None


@dataclass
class Command:
    """What every command takes."""

    seed: int = 0
    out: Optional[str] = None  # another folder than the one under runs/
    overwrite: bool = False  # start again although the folder holds a run with other settings
    logger: LoggerSettings = field(default_factory=LoggerSettings)
    label: str = ""  # set by a sweep: what tells this job's folder from its siblings'
    group: Optional[str] = None  # set by a sweep: the W&B group of its jobs


@dataclass
class TrainConfig(Command):
    domain: DomainSettings = MISSING
    model: ModelSettings = MISSING
    semantic: SemanticSettings = MISSING
    trainer: dict[str, Any] = field(default_factory=dict)  # given to pl.Trainer as it is
    robustness: Robustness = field(default_factory=Robustness)


@dataclass
class AttackConfig(Command):
    domain: DomainSettings = MISSING
    model: ModelSettings = MISSING
    attack: Attack = MISSING
    victim: Optional[str] = None  # a victim folder, a Hugging Face folder or a hub id; null: what train.py left
    split: str = "attack"
    limit: Optional[int] = None
    max_queries: Optional[int] = None
    max_seconds: Optional[float] = None
    repeats: Optional[int] = None  # queries behind each success; null: 1, or 5 for a victim that answers by chance
    device: str = "auto"
    backend: str = "torch"  # or onnx: ONNX Runtime on the CPU, where it is installed


@dataclass
class EvaluateConfig(Command):
    task: str = MISSING
    attempts: Optional[str] = None  # an attempts.jsonl, an attack folder, a folder of them, or a submission .tsv
    runs: Optional[str] = None  # a folder of runs; null: where runs lie
    domain: Optional[DomainSettings] = None
    model: Optional[ModelSettings] = None  # strict: the victim to ask again
    victim: Optional[str] = None  # strict: its folder or hub id; null: what train.py left for domain, model and seed
    device: str = "auto"
    semantic: SemanticSettings = MISSING
    segmenter: str = "auto"
    strict: bool = False  # task=score: ask the victim again, and check the originals against the domain
    per_system: int = 100  # task=annotate: successes drawn from each system
    format: str = "label_studio"  # task=annotate: label_studio, teamware or csv
    annotations: Optional[str] = None  # task=agreement: what the annotators returned
    split: str = "attack"  # task=probes, task=saliency: whose texts
    limit: Optional[int] = None  # the first N of them
    probe: ProbeSettings = field(default_factory=ProbeSettings)
    method: str = "gradient_x_input"  # task=saliency: or integrated_gradients, occlusion
    saliency: SaliencySettings = field(default_factory=SaliencySettings)


def register() -> None:
    """Put every schema into Hydra's store, and the run root into OmegaConf's resolvers."""
    store = ConfigStore.instance()
    for name, schema in {"train": TrainConfig, "attack": AttackConfig, "evaluate": EvaluateConfig}.items():
        store.store(group="schema", name=name, node=schema)
    for group, registry in {"domain": DOMAINS, "model": MODELS, "attack": ATTACKS, "semantic": SEMANTIC}.items():
        for name, schema in registry.items():
            store.store(group=f"schema/{group}", name=name, node=schema)
    store.store(group="schema", name="logger", node=LoggerSettings)
    OmegaConf.register_new_resolver("runs", lambda: str(runs.runs_root()), replace=True)


def build(config: DictConfig) -> Any:
    """The typed settings of one job (a TrainConfig, an AttackConfig, …), interpolations resolved, checks run.

    In a multirun a job that changes more than the choices that already name its folder
    (domain, model, attack, seed) gets those changes added to the folder's name, so that jobs never share one.
    """
    settings = OmegaConf.to_object(config)
    if HydraConfig.initialized() and HydraConfig.get().mode.name == "MULTIRUN":
        settings.label = label(HydraConfig.get().overrides.task)
        settings.group = settings.group or HydraConfig.get().job.name + " sweep"
    return settings


_INTERNAL = {"hydra", "label", "group"}
_NAMED = {"domain", "model", "attack", "seed", "task", "semantic", "logger", "experiment", "overwrite", "domain.path",
          "out", "device", "backend", "victim", "probe.names", "method"}


def label(overrides: Sequence[str]) -> str:
    """The part of a sweep job's folder name that tells it from its siblings.

    >>> label(["domain=pr", "seed=1", "model.lr=0.001", "trainer.max_epochs=2"])
    'model.lr=0.001'
    """
    kept = [o.lstrip("+~") for o in overrides]
    kept = [o for o in kept if o.partition("=")[0] not in _NAMED and not o.startswith(("trainer.", "logger."))]
    return ",".join(re.sub(r"[^\w.=+@-]+", "-", o) for o in sorted(kept))


def run_job(story: Callable[[Any], object], config: DictConfig) -> None:
    """Tell one job's story. Bad input, files that cannot be read among it, ends the program here, before Hydra prints its
    own lines about it."""
    try:
        story(build(config))
    except InputError as error:
        _refuse(str(error))
    except OSError as error:
        if (trouble := runs.path_trouble(error)) is None:
            raise
        _refuse(trouble)


def to_dict(settings: Any) -> dict[str, Any]:
    """Settings as plain nested dicts, for ``config.yaml`` and the loggers."""
    return OmegaConf.to_container(OmegaConf.structured(settings), resolve=True)


def to_yaml(settings: Any) -> str:
    return OmegaConf.to_yaml(OmegaConf.structured(settings), resolve=True)


def run_command(main: Callable[[], None]) -> None:
    """Run a ``@hydra.main`` function as a program: a config that does not compose ends in one line and exit code 2.

    Anything unexpected keeps its traceback and exit code 1.
    """
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # let errors reach us instead of being printed by Hydra
    sys.argv[1:] = quoted(freed(sys.argv[1:]))
    if stranger := foreign_experiment(Path(sys.argv[0]).stem, sys.argv[1:]):
        _refuse(stranger)
    if stranger := unknown_home(sys.argv[1:]):
        _refuse(stranger)
    try:
        main()
    except (HydraException, OmegaConfBaseException) as error:
        _refuse(explain(error))
    except ValueError as error:  # what Hydra makes of trainer=null
        if not str(error).startswith("Config group override must be"):
            raise
        _refuse(f"{' '.join(sys.argv[1:])}: null is none of the choices of a part (trainer, model, domain, ...)")
    except KeyboardInterrupt:
        print("\ninterrupted; the same command goes on where this one stopped", file=sys.stderr)
        sys.exit(130)


def freed(arguments: Sequence[str]) -> list[str]:
    """Three liberties that Hydra does not take: -m may stand anywhere, the keys of two settings are free, and several
    probes are named with commas between them (never a sweep).

    ``trainer`` has no schema, since its keys are Lightning's to define (the training refuses those that are not), and
    those of ``model.labels`` are a model's labels.

    >>> freed(["model=tiny", "-m", "trainer.precision=16-mixed", "seed=0,1"])
    ['-m', 'model=tiny', '++trainer.precision=16-mixed', 'seed=0,1']
    >>> freed(["probe=negation,party"])
    ['probe.names=[negation,party]']
    """
    arguments = [f"probe.names=[{a.removeprefix('probe=').strip('[]')}]" if a.startswith("probe=") else a for a in arguments]
    flags = [a for a in arguments if a in _MULTIRUN]
    others = ["++" + a if a.startswith(("trainer.", "model.labels=")) else a for a in arguments if a not in _MULTIRUN]
    return flags + others


def foreign_experiment(command: str, arguments: Sequence[str]) -> str | None:
    """What to say of an ``experiment=`` that belongs to another command; None where each is this command's.

    An experiment's header says how to run it ("#   python train.py experiment=quick"). Of one whose header names no
    command, nothing is known.
    """
    chosen = [argument.partition("=")[2] for argument in arguments if argument.startswith("experiment=")]
    for name in ",".join(chosen).split(","):
        file = runs.repository() / "conf" / "experiment" / f"{name}.yaml"
        if not (re.fullmatch(r"\w+", name) and file.is_file()):
            continue
        lines = re.findall(rf"^#\s+python (\w+)\.py\b.*\bexperiment={name}\b", file.read_text(encoding="utf-8"), re.M)
        if lines and command not in lines:
            return f"experiment={name} belongs to another command: python {lines[0]}.py experiment={name}"
    return None


_MULTIRUN = ("-m", "--multirun")
_PATHS = ("attempts", "victim", "out", "runs", "annotations")
_PLAIN = re.compile(r"[\w./@%+:?*-]*")  # what Hydra's grammar takes unquoted, and never as anything else than a string


def quoted(arguments: Sequence[str]) -> list[str]:
    """Put the paths among the overrides in quotes, since Hydra's grammar would stumble over "seed=0" or a bracket in one.

    >>> quoted(["attempts=runs/attack/pr/bert/bert_attack/seed=0", "model.lr=1e-4", "-m"])
    ["attempts='runs/attack/pr/bert/bert_attack/seed=0'", 'model.lr=1e-4', '-m']
    """
    sweep = any(argument in _MULTIRUN for argument in arguments)
    result = []
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not (equals and _is_path(key)) or _PLAIN.fullmatch(value) or value[:1] in "'\"[{$":
            result.append(argument)
            continue
        values = value.split(",") if sweep else [value]
        result.append(key + "=" + ",".join("'" + v.replace("'", "\\'") + "'" for v in values))
    return result


def _is_path(key: str) -> bool:
    name = key.lstrip("+~").rpartition(".")[2]
    return name in _PATHS or name.endswith("path")


def unknown_home(arguments: Sequence[str]) -> str | None:
    """What to say of a path below the home folder of nobody (``~typo/x``); None where each has one."""
    for argument in arguments:
        key, _, value = argument.partition("=")
        value = value.strip("'\"")
        if _is_path(key) and value.startswith("~") and os.path.expanduser(value) == value:
            return (f"{argument}: {value.partition('/')[0]} is nobody's home folder here; a folder of that name is "
                    f"./{value}")
    return None


def _refuse(message: str) -> None:
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(2)


def explain(error: Exception) -> str:
    """Hydra's and OmegaConf's errors about the user's config in one line, with the choices."""
    causes = [error]
    while (earlier := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(earlier)
    for cause in reversed(causes):
        if isinstance(cause, InputError):
            return str(cause)
        if isinstance(cause, (ConfigAttributeError, ConfigKeyError)) and cause.full_key:
            return _unknown_key(cause)
        if isinstance(cause, OmegaConfBaseException) and cause.full_key:
            return f"{cause.full_key}: {str(cause.msg or cause).splitlines()[0]}"
    text = str(error)
    if isinstance(error, OverrideParseException):
        key, equals, value = error.override.partition("=")
        if not equals:
            return f"{error.override}: expected key=value"
        return f"""{error.override}: not a setting as Hydra writes them; put a value with signs of its own in two pairs """ \
               f"""of quotes: {key}='"{value}"'"""
    if found := re.search(r"(?:Could not find|Could not load) '([^']+)/([^'/]+)'.*?Available options in '[^']+':(.*?)"
                          r"(?:Config search path|$)", text, re.S):
        group, choice, options = found.groups()
        return f"{group}={choice}: no such choice; choose one of {', '.join(options.split())}"
    return text.strip().splitlines()[0] if text.strip() else type(error).__name__


def _unknown_key(error: OmegaConfBaseException) -> str:
    key = str(error.full_key)
    parent = error.parent_node
    names = [str(k) for k in parent.keys()] if isinstance(parent, DictConfig) and not parent._is_none() else []
    names = [n for n in names if n not in _INTERNAL]
    close = difflib.get_close_matches(key.rpartition(".")[2], names, n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    choices = f"; the settings here are {', '.join(sorted(names))}" if names else ""
    return f"{key}: no such setting{hint}{choices}"
