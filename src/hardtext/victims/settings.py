"""Settings of the models: the config schemas. Nothing heavy is imported until a model is built."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Optional

from hardtext import secrecy
from hardtext.core import Domain, InputError, Victim
from hardtext.weights import resolve

if TYPE_CHECKING:
    from hardtext.victims.module import VictimModule

log = logging.getLogger(__name__)

OPTIMIZERS = ("adamw", "adam")
SCHEDULES = ("linear", "constant")
KEEP = ("last", "best")
PADDINGS = ("packed", "legacy")


def one_of(key: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"{key}={value}: expected one of {', '.join(choices)}")


@dataclass
class TrainingPlan:
    """How one phase of training goes.

    ``schedule``: "linear" falls to zero at the last step, "constant" stays; ``warmup`` is the share of all steps
    over which the rate rises from zero first. ``batch_size`` is per process. ``keep`` names the weights that are left
    in the module at the end: those of the last epoch, or of the one with the best score on the dev split.
    """

    optimizer: str = "adamw"
    lr: float = 5e-5
    schedule: str = "linear"
    warmup: float = 0.0
    weight_decay: float = 0.0
    batch_size: int = 16
    epochs: int = 5
    keep: str = "last"

    def __post_init__(self) -> None:
        one_of("model.optimizer", self.optimizer, OPTIMIZERS)
        one_of("model.schedule", self.schedule, SCHEDULES)
        one_of("model.keep", self.keep, KEEP)
        if not 0 < self.lr < inf:
            raise InputError(f"model.lr={self.lr}: expected a number above 0")
        if not 0 <= self.warmup < 1:
            raise InputError(f"model.warmup={self.warmup}: expected a share of the steps, from 0 up to but not 1")
        if not 0 <= self.weight_decay < inf:
            raise InputError(f"model.weight_decay={self.weight_decay}: expected 0 or more")
        for key in ("batch_size", "epochs"):
            if getattr(self, key) < 1:
                raise InputError(f"model.{key}={getattr(self, key)}: expected 1 or more")


@dataclass
class ModelSettings(ABC):
    """A model that can be attacked: one we train (``TrainedModel``) or one that is ready (``ReadyModel``)."""

    name: str
    trainable: ClassVar[bool]

    def sources(self) -> dict[str, str]:
        """The pretrained weights it needs, by the setting that names them (for ``hardtext.weights.resolve``)."""
        return {}


@dataclass
class TrainedModel(ModelSettings):
    """A model that ``train.py`` makes. Subclasses hold the fields of a TrainingPlan as well: that of the clean phase.

    ``adversary``: an attack (its settings, see ``hardtext.attacks``). Where there is one, the training set is attacked
    after the clean phase, and training goes on by the plan ``adversarial`` on the training set together with the
    texts that fooled the victim. The defaults of that plan are the published recipe's. ``hardened``: the name stands for
    a model with its defences; the names of other models are followed by those of their defences (``tiny+augment``).
    """

    adversary: Any = None
    adversarial: TrainingPlan = field(default_factory=lambda: TrainingPlan(
        optimizer="adam", lr=2e-5, schedule="constant", batch_size=32, epochs=1))
    hardened: bool = False
    trainable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _ = self.plan  # checked now, before any work
        if self.adversary is not None and not is_dataclass(self.adversary):
            raise InputError(f"model.adversary={self.adversary}: model={self.name} has no adversary to set this of; "
                             f"choose one with attack@model.adversary=bert_attack, or a model that has one")

    @property
    def plan(self) -> TrainingPlan:
        """The plan of the clean phase; ``dataclasses.replace`` makes that of another phase."""
        return TrainingPlan(**{one.name: getattr(self, one.name) for one in fields(TrainingPlan)})

    @abstractmethod
    def module(self, domain: Domain, seed: int) -> VictimModule:
        """The untrained module: pretrained weights where there are any, the rest drawn from ``seed``."""


@dataclass
class ReadyModel(ModelSettings):
    """A model that is only attacked and evaluated."""

    trainable: ClassVar[bool] = False

    @abstractmethod
    def victim(self, domain: Domain, device: str = "auto", backend: str = "torch") -> Victim:
        """The victim, its classes in the order of ``domain.classes``."""


@dataclass
class BiLSTM(TrainedModel):
    """BODEGA's recurrent victim (Przybyła et al. 2023): one bidirectional LSTM over word pieces.

    ``padding="packed"``: a text's probability never depends on its batch. ``padding="legacy"``: as published, pads
    run through the LSTM and one list of texts is one batch, so it does.
    """

    name: str = "bilstm"
    tokenizer: str = "bundled:minilm"
    embedding: int = 32
    hidden: int = 128
    padding: str = "packed"
    max_length: int = 512
    optimizer: str = "adam"
    lr: float = 1e-3
    schedule: str = "constant"
    warmup: float = 0.0
    weight_decay: float = 0.0
    batch_size: int = 32
    epochs: int = 10
    keep: str = "last"

    def __post_init__(self) -> None:
        one_of("model.padding", self.padding, PADDINGS)
        for key in ("embedding", "hidden", "max_length"):
            if getattr(self, key) < (8 if key == "max_length" else 1):
                raise InputError(f"model.{key}={getattr(self, key)}: too small")
        super().__post_init__()

    def sources(self) -> dict[str, str]:
        return {"model.tokenizer": self.tokenizer}

    def module(self, domain: Domain, seed: int) -> VictimModule:
        from hardtext.victims.bilstm import BiLSTMConfig
        from hardtext.victims.module import VictimModule, drawn_from
        from hardtext.victims.tokens import load_tokenizer

        tokenizer = load_tokenizer(self.tokenizer, option="model.tokenizer")
        network = BiLSTMConfig(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id,
                               embedding_size=self.embedding, hidden_size=self.hidden, padding=self.padding,
                               **class_names(domain.classes))
        with drawn_from(seed):
            return VictimModule(network.to_dict(), self.tokenizer, self.max_length, asdict(domain))


@dataclass
class Encoder(TrainedModel):
    """A pretrained transformer with a fresh classification head. The defaults are BODEGA's BERT (Przybyła et al. 2023).

    ``path``: ``bundled:minilm``, ``bundled:tiny``, a folder, or a hub id.
    """

    name: str = "encoder"
    path: str = "bert-base-uncased"
    max_length: int = 512
    optimizer: str = "adamw"
    lr: float = 5e-5
    schedule: str = "linear"
    warmup: float = 0.0
    weight_decay: float = 0.0
    batch_size: int = 16
    epochs: int = 5
    keep: str = "last"

    def __post_init__(self) -> None:
        if self.max_length < 8:
            raise InputError(f"model.max_length={self.max_length}: too small")
        super().__post_init__()

    def sources(self) -> dict[str, str]:
        return {"model.path": self.path}

    def module(self, domain: Domain, seed: int) -> VictimModule:
        folder = resolve(self.path, option="model.path")

        from hardtext.victims.encoder import load_config
        from hardtext.victims.module import VictimModule, drawn_from
        from hardtext.victims.tokens import capacity, load_tokenizer

        network = load_config(folder, option="model.path", **class_names(domain.classes))
        tokenizer = load_tokenizer(self.path, option="model.path")
        with drawn_from(seed):
            return VictimModule(network.to_dict(), self.path, capacity(network, tokenizer, self.max_length),
                                asdict(domain), weights=folder)


@dataclass
class Pretrained(ReadyModel):
    """Any Hugging Face sequence classifier, attacked as it is.

    Its labels are matched with the domain's classes by name, or by ``labels`` (name in the model → class of the
    domain; several may go to one class, then their probabilities are added). ``trust_remote_code``: run the Python code
    that the model brings along; it follows the command's own ``trust_remote_code``.
    """

    name: str = "pretrained"
    path: str = ""
    trust_remote_code: bool = False
    labels: dict[str, str] = field(default_factory=dict)
    max_length: Optional[int] = None

    def victim(self, domain: Domain, device: str = "auto", backend: str = "torch") -> Victim:
        from hardtext.victims.local import load_local

        if not self.path:
            raise InputError("model.path is empty: set it to a folder or hub id of a Hugging Face sequence classifier")
        folder = resolve(self.path, option="model.path", trust_remote_code=self.trust_remote_code)
        return load_local(folder, name=self.name, device=device, classes=domain.classes, labels=self.labels,
                          max_length=self.max_length, backend=backend, trust_remote_code=self.trust_remote_code)


@dataclass
class CallableModel(ReadyModel):
    """A Python function or an HTTP endpoint that takes texts and returns class probabilities, (n, classes).

    ``target``: ``module:function``; the function gets a list of strings (a pair joined by " ~ ") and returns lists,
    a NumPy array or a tensor. ``url``: an address that takes ``{"texts": [...]}`` and answers
    ``{"probabilities": [[...], ...]}``. The columns stand in the order of the domain's classes.
    ``token_env`` names the environment variable that holds a bearer token; the token itself is never written down.
    """

    name: str = "callable"
    target: str = ""
    url: str = ""
    token_env: str = ""
    batch_size: int = 64
    timeout: float = 60.0
    retries: int = 4

    def __post_init__(self) -> None:
        if self.target and self.url:
            raise InputError("model.target and model.url are both set: a callable model has one of them")
        if self.batch_size < 1:
            raise InputError(f"model.batch_size={self.batch_size}: expected 1 or more")
        if not self.timeout > 0 or self.retries < 0:
            raise InputError(f"model.timeout={self.timeout}, model.retries={self.retries}: "
                             "expected a timeout above 0 and 0 or more retries")

    def victim(self, domain: Domain, device: str = "auto", backend: str = "torch") -> Victim:
        from hardtext.victims.callables import CallableVictim, Endpoint, import_function

        if backend != "torch":
            raise InputError(f"backend={backend}: model=callable computes in its own way; leave backend out")
        if self.url:
            function = Endpoint(self.url, token_env=self.token_env, timeout=self.timeout, retries=self.retries)
            identity = secrecy.scrubbed(self.url)  # another key is the same victim
        elif self.target:
            function, identity = import_function(self.target), self.target
        else:
            raise InputError("model=callable needs model.target=<module:function> or model.url=<http address>")
        log.info("%s: column %s", self.name, ", column ".join(f"{i} = {c}" for i, c in enumerate(domain.classes)))
        return CallableVictim(function, name=self.name, classes=domain.classes, batch_size=self.batch_size,
                              identity=identity)


def class_names(classes: tuple[str, ...]) -> dict[str, dict]:
    """The two label tables of a Hugging Face config."""
    return {"id2label": dict(enumerate(classes)), "label2id": {name: i for i, name in enumerate(classes)}}
