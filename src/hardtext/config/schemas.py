"""What each command can be told: its settings, their types and what they are where nobody says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Optional

from omegaconf import MISSING

from hardtext.attacks import Attack
from hardtext.core import InputError
from hardtext.domains import DomainSettings
from hardtext.executors import ExecutorSettings
from hardtext.hardening.settings import HardeningSettings
from hardtext.probes import ProbeSettings
from hardtext.saliency.base import SaliencySettings
from hardtext.scoring import SemanticSettings
from hardtext.sweeping import SweepSettings
from hardtext.tracking import LoggerSettings
from hardtext.victims import ModelSettings


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
class Certify:
    """``task=certify``: how many copies of a text its certificate rests on, and how often it may be wrong."""

    copies: int = 200
    alpha: float = 0.05  # 1 − confidence, for each text by itself

    def __post_init__(self) -> None:
        if not 1 <= self.copies <= 100_000:
            raise InputError(f"certify.copies={self.copies}: expected 1 to 100,000")
        if not 0 < self.alpha < 1:
            raise InputError(f"certify.alpha={self.alpha}: expected a probability above 0 and below 1, such as 0.05")


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
    certify: Certify = field(default_factory=Certify)  # task=certify
    export: Export = field(default_factory=Export)  # task=export
