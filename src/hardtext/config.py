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
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn, Optional

from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException, OverrideParseException
from omegaconf import MISSING, DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from hardtext import disks, runs
from hardtext.attacks import ATTACKS, Attack
from hardtext.core import InputError
from hardtext.domains import DOMAINS, DomainSettings
from hardtext.executors import EXECUTORS, ExecutorSettings
from hardtext.hardening.settings import HARDENING, HardeningSettings
from hardtext.probes import ProbeSettings
from hardtext.saliency.base import SaliencySettings
from hardtext.scoring import SEMANTIC, SemanticSettings
from hardtext.secrecy import scrubbed
from hardtext.sweeping import SWEEPS, SweepSettings, jobs
from hardtext.sweeping.space import masked
from hardtext.tracking import LoggerSettings
from hardtext.victims import MODELS, ModelSettings

log = logging.getLogger(__name__)


@dataclass
class Robustness:
    """How ``train.py`` measures an adversarially trained victim before and after."""

    split: str = "attack"  # dev: where figures are to choose by, in a sweep
    limit: Optional[int] = None  # attack only the first N of the split; null: all
    max_queries: Optional[int] = None


@dataclass
class Command:
    """What every command takes."""

    seed: int = 0
    out: Optional[str] = None  # another folder than the one under runs/
    overwrite: bool = False  # start again although the folder holds a run with other settings
    logger: LoggerSettings = field(default_factory=LoggerSettings)
    hardening: HardeningSettings = field(default_factory=HardeningSettings)  # the defences of the victim
    label: str = ""  # set by a sweep: what tells this job's folder from its siblings'
    group: Optional[str] = None  # set by a sweep: the W&B group of its jobs
    trial: Optional[str] = None  # set by a sweep: where a training asks whether it may stop early
    sweep: Optional[SweepSettings] = None  # what -m does
    trust_remote_code: bool = False  # run the Python code that victim= or model=pretrained brings along


@dataclass
class TrainConfig(Command):
    domain: DomainSettings = MISSING
    model: ModelSettings = MISSING
    semantic: SemanticSettings = MISSING
    trainer: dict[str, Any] = field(default_factory=dict)  # given to pl.Trainer as it is
    robustness: Robustness = field(default_factory=Robustness)
    executor: Optional[ExecutorSettings] = None  # who attacks; null: this process alone


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
    executor: Optional[ExecutorSettings] = None  # who attacks; null: this process alone
    device: str = "auto"
    backend: str = "torch"  # or onnx: ONNX Runtime on the CPU, where it is installed


@dataclass
class Matrix:
    """``experiment=robustness_matrix``: which victims are attacked, by what and how hard."""

    rows: list[str] = field(default_factory=lambda: [  # the plain victim besides; several defences: augment+output
        "adv", "canonicalise", "encode", "augment", "embedding", "smooth", "output", "hard"])
    attacks: list[str] = field(default_factory=lambda: ["bert_attack", "deepwordbug", "pwws", "genetic", "homoglyph_search",
                                                        "turquaz"])
    seeds: list[int] = field(default_factory=lambda: [0, 1])
    caps: list[int] = field(default_factory=lambda: [100, 500])  # queries a text; attacks run with the largest
    training: list[str] = field(default_factory=list)  # overrides of every training: ['model.epochs=1']

    def __post_init__(self) -> None:
        for key in ("attacks", "seeds", "caps"):
            setattr(self, key, list(dict.fromkeys(getattr(self, key))))  # said twice is said once, in tables too
            if not getattr(self, key):
                raise InputError(f"matrix.{key}=[]: expected at least one")
        if min(self.caps) < 1:
            raise InputError(f"matrix.caps={self.caps}: expected numbers of queries of 1 or more")


@dataclass
class Detect:
    """``task=detect``: how suspicious texts are told from clean ones."""

    masked_lm: str = "bundled"  # rates how usual a text is: bundled, bundled:tiny, a folder or a hub id
    clean: int = 400  # clean texts of the domain, the first N of dev that no attempt started from, for false alarms

    def __post_init__(self) -> None:
        if self.clean < 2:
            raise InputError(f"detect.clean={self.clean}: expected 2 texts or more, one to fit with and one to test on")


@dataclass
class Export:
    """``task=export``: what the model card says besides the figures, and where the folder goes."""

    matrix: Optional[str] = None  # a robustness matrix that holds the victim; null: those under runs/
    license: Optional[str] = None  # as the hub writes it: mit, apache-2.0, cc-by-nc-4.0, other, ...
    language: Optional[str] = None  # en, pl, ...; null: en for the corpora that come with hardtext
    datasets: list[str] = field(default_factory=list)  # hub ids of the training corpus
    push: Optional[str] = None  # <who>/<name>: upload there; the token is HF_TOKEN's, or that of hf auth login
    private: bool = True  # a repository that is made for it can be read by its owner alone

    def __post_init__(self) -> None:
        for key, value in {"license": self.license, "language": self.language, "push": self.push,
                           **{f"datasets[{n}]": value for n, value in enumerate(self.datasets)}}.items():
            if value is not None and not re.fullmatch(r"[\w./-]+", value, re.ASCII):
                raise InputError(f"export.{key}={value!r:.60}: expected letters, digits and . _ / -")


@dataclass
class EvaluateConfig(Command):
    task: str = MISSING
    attempts: Optional[str] = None  # an attempts.jsonl, an attack folder, a folder of them, or a submission .tsv
    runs: Optional[str] = None  # a folder of runs; null: where runs lie
    domain: Optional[DomainSettings] = None
    model: Optional[ModelSettings] = None  # strict: the victim to ask again
    victim: Optional[str] = None  # strict: its folder or hub id; null: what train.py left for domain, model and seed
    device: str = "auto"
    executor: Optional[ExecutorSettings] = None  # task=robustness_matrix: who attacks; null: this process alone
    semantic: SemanticSettings = MISSING
    segmenter: str = "auto"
    strict: bool = False  # task=score: ask the victim again, and check the originals against the domain
    per_system: int = 100  # task=annotate: successes drawn from each system
    format: str = "label_studio"  # task=annotate: label_studio, teamware or csv
    annotations: Optional[str] = None  # task=agreement: what the annotators returned
    split: str = "attack"  # whose texts a task asks the victim about
    limit: Optional[int] = None  # the first N of them
    probe: ProbeSettings = field(default_factory=ProbeSettings)
    method: str = "gradient_x_input"  # task=saliency: or integrated_gradients, occlusion
    saliency: SaliencySettings = field(default_factory=SaliencySettings)
    matrix: Matrix = field(default_factory=Matrix)  # task=robustness_matrix
    detect: Detect = field(default_factory=Detect)  # task=detect
    export: Export = field(default_factory=Export)  # task=export


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
    if _in_sweep():
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


def _in_sweep() -> bool:
    return HydraConfig.initialized() and HydraConfig.get().mode.name == "MULTIRUN"


_INTERNAL = {"hydra", "label", "group", "trial"}
_NAMED = {"domain", "model", "hardening", "attack", "seed", "task", "semantic", "logger", "experiment", "overwrite",
          "domain.path", "out", "device", "backend", "victim", "group", "trial", "sweep", "executor", "trust_remote_code",
          "probe.names", "method"}
_MACHINE = ("trainer.accelerator", "trainer.devices", "trainer.num_nodes", "trainer.strategy", "trainer.enable_", "logger.",
            "sweep.", "executor.")
_LONGEST = 120  # characters of a label; a folder's name ends at 255 bytes


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


def run_job(story: Callable[[Any], object], config: DictConfig) -> None:
    """Tell one job's story. Bad input, files that cannot be read among it, ends the program here, before Hydra prints its
    own lines about it; a sweep goes on, whatever becomes of the job, since it is written down."""
    if _in_sweep() and jobs.is_job(folder := Path(HydraConfig.get().runtime.output_dir)):
        jobs.run(folder, lambda: story(build(config)))
        return
    try:
        story(build(config))
    except InputError as error:
        _refuse(str(error))
    except OSError as error:
        if (trouble := disks.path_trouble(error)) is None:
            _break_off()
        _refuse(trouble)
    except Exception:  # here already, since Hydra would repeat the command line with the secrets that it may hold
        _break_off()


def to_dict(settings: Any) -> dict[str, Any]:
    """Settings as plain nested dicts, for ``config.yaml`` and the loggers."""
    return OmegaConf.to_container(OmegaConf.structured(settings), resolve=True)


def to_yaml(settings: Any) -> str:
    return OmegaConf.to_yaml(OmegaConf.structured(settings), resolve=True)


def run_command(main: Callable[[], None]) -> None:
    """Run a ``@hydra.main`` function as a program: a config that does not compose ends in one line and exit code 2.

    Anything unexpected keeps its traceback (without secrets) and exit code 1.
    """
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # let errors reach us instead of being printed by Hydra
    sys.argv[1:] = quoted(freed(sys.argv[1:]))
    if stranger := foreign_experiment(Path(sys.argv[0]).stem, sys.argv[1:]):
        _refuse(stranger)
    if stranger := unknown_home(sys.argv[1:]):
        _refuse(stranger)
    try:
        main()
    except InputError as error:  # of a sweep
        _refuse(str(error))
    except (HydraException, OmegaConfBaseException) as error:
        _refuse(explain(error))
    except ValueError as error:  # what Hydra makes of trainer=null
        if not str(error).startswith("Config group override must be"):
            raise
        _refuse(f"{' '.join(sys.argv[1:])}: null is none of the choices of a part (trainer, model, domain, ...)")
    except AssertionError as error:  # what OmegaConf makes of a setting of a part that is null
        if not (str(error).startswith("Unexpected type for root") and (reason := _of_nothing(sys.argv[1:]))):
            raise
        _refuse(reason)
    except KeyboardInterrupt:
        print("\ninterrupted; the same command goes on where this one stopped", file=sys.stderr)
        sys.exit(130)
    except Exception:  # unforeseen: its traceback is printed without secrets, and the exit code is 1
        _break_off()


def _of_nothing(arguments: Sequence[str]) -> str:
    """Which of the settings are those of a part that was not chosen; "" where none is."""
    for argument in arguments:
        part, _, rest = argument.lstrip("+~").partition("=")[0].partition(".")
        if part == "executor" and rest:
            return f"{argument}: there is no executor to set this of; name one with executor=process or executor=ray"
        if part in ("domain", "model") and rest:  # evaluate.py has neither unless it is named
            return f"{argument}: there is no {part} to set this of; name one with {part}="
        if part == "hardening" and (name := rest.partition(".")[0]) in HARDENING:
            return f"{argument}: hardening.{name} is not in use; choose it first with hardening=[{name}]"
    return ""


def freed(arguments: Sequence[str]) -> list[str]:
    """Three liberties that Hydra does not take: -m may stand anywhere, the keys of some settings are free, and several
    probes are named with commas between them (never a sweep).

    ``trainer`` has no schema, since its keys are Lightning's to define (the training refuses those that are not);
    those of ``model.labels`` are a model's labels, those of ``hardening.augment.attacks`` are attacks, and those of
    ``sweep.objective`` a command's figures.

    >>> freed(["model=tiny", "-m", "trainer.precision=16-mixed", "seed=0,1"])
    ['-m', 'model=tiny', '++trainer.precision=16-mixed', 'seed=0,1']
    >>> freed(["probe=negation,party"])
    ['probe.names=[negation,party]']
    """
    arguments = ["executor=none" if a == "executor=null" else a for a in arguments]  # Hydra: null is no choice of a group
    arguments = [f"probe.names=[{a.removeprefix('probe=').strip('[]')}]" if a.startswith("probe=") else a for a in arguments]
    flags = [a for a in arguments if a in _MULTIRUN]
    others = ["++" + a if a.startswith(_FREE) else a for a in arguments if a not in _MULTIRUN]
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
_FREE = ("trainer.", "model.labels=", "hardening.augment.attacks", "sweep.objective", "sweep.params")
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


def _refuse(message: str) -> NoReturn:
    print(f"error: {scrubbed(' '.join(message.split()))}", file=sys.stderr)
    sys.exit(2)


def _break_off() -> NoReturn:
    """End with the traceback of the exception at hand, without what must not be shown."""
    print(scrubbed(traceback.format_exc()), file=sys.stderr, end="")
    sys.exit(1)


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
        hint = "; python -m pip install -r requirements-sweep.txt brings joblib and submitit_slurm"
        return (f"{group}={choice}: no such choice; choose one of {', '.join(options.split())}"
                f"{hint if group == 'hydra/launcher' else ''}")
    if found := re.search(r"Could not load 'hardening/([^']+)'", text):  # of a list Hydra does not say the choices
        return f"hardening=[{found.group(1)}]: no such defence; choose some of {', '.join(HARDENING)}"
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
