"""What the three stories share: the corpus with its notes said, and the victim a command names."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import MISSING, Field, fields
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import disks, records, runs
from hardtext.attacks import Attack
from hardtext.attacks.base import MaskedLMAttack
from hardtext.core import Attempt, Corpus, Domain, Example, InputError, Victim
from hardtext.domains import DomainSettings
from hardtext.victims import ModelSettings, load_victim

if TYPE_CHECKING:
    from hardtext.attacks.masked_lm import MaskedLM
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

ALIKE = ("logger", "overwrite", "out", "label", "group", "trial", "sweep", "trust_remote_code", "model.trust_remote_code")
"""Settings that do not change what a run makes."""


def data_root() -> Path:
    """``HARDTEXT_DATA``, else ``data/`` beside ``runs/``."""
    if folder := os.environ.get("HARDTEXT_DATA"):
        return Path(folder).expanduser()
    return runs.repository() / "data"


def load_corpus(domain: DomainSettings, seed: int) -> Corpus:
    corpus = domain.load(data_root(), seed)
    for note in corpus.notes:
        log.info("%s", note)
    return corpus


def digest_of_texts(examples: Sequence[Example]) -> str:
    """Of texts and labels, so that equal data are known as such wherever they lie."""
    digest = sha256()
    for example in examples:
        digest.update(records.dumps([example.id, example.segments, example.label]).encode("utf-8") + b"\n")
    return digest.hexdigest()[:12]


def find_victim(model: ModelSettings, domain: Domain, seed: int, *, source: str | None, device: str,
                backend: str = "torch", trust_remote_code: bool = False) -> Victim:
    """The victim that ``victim=`` names, the ready one that ``model=`` stands for, or the one that train.py left."""
    options = {"device": device, "backend": backend}
    if source is not None:
        return victim_at(source, domain, name=model.name, trust_remote_code=trust_remote_code, **options)
    if not model.trainable:
        return model.victim(domain, **options)
    folder = runs.train_folder(domain.name, model.name, seed) / "victim"
    if not folder.is_dir():
        raise InputError(f"no victim at {disks.shown(folder)}: make it with "
                         f"python train.py domain={domain.name} {chosen(model)} seed={seed}, or name one with victim=")
    return victim_at(folder, domain, name=model.name, **options)


def named_victim(config: EvaluateConfig, domain: Domain) -> Victim | None:
    """The victim that ``model=`` (and ``victim=``) or ``victim=`` alone names; None where neither does."""
    options = {"device": config.device, "trust_remote_code": config.trust_remote_code}
    if config.model is not None:
        return find_victim(config.model, domain, config.seed, source=config.victim, **options)
    return None if config.victim is None else victim_at(config.victim, domain, **options)


def victim_at(source: str | Path, domain: Domain, **options: Any) -> Victim:
    """The victim in a folder or on the hub, for this domain; ``options`` are those of ``load_victim``.

    Raises InputError where ``train.py`` made it for a domain with other classes.
    """
    from hardtext.victims.export import RECORD, read_record
    from hardtext.victims.labels import match

    folder = Path(source).expanduser()
    folder = folder / "victim" if (folder / "victim").is_dir() else folder
    trained = read_record(folder).get("domain") if (folder / RECORD).is_file() else None
    if isinstance(trained, dict) and isinstance(trained.get("classes"), list):
        theirs = [str(name) for name in trained["classes"]]
        try:
            match(theirs, domain.classes)
        except InputError as error:
            raise InputError(f"victim={disks.shown(folder)}: trained for domain {trained.get('name')} ({', '.join(theirs)}), "
                             f"but domain={domain.name} has {', '.join(domain.classes)}; choose a victim of that "
                             f"domain") from error
    return check_classes(load_victim(source, classes=domain.classes, **options), domain)


def chosen(model: ModelSettings) -> str:
    """How a command line names a model whose name holds its defences.

    "tiny+canonicalise+output" is ``model=tiny hardening=[canonicalise,output]``.
    """
    name, *defences = model.name.split("+")
    return f"model={name}" + (f" hardening=[{','.join(defences)}]" if defences else "")


def masked_lm_of(attack: Attack) -> MaskedLM | None:
    """The masked LM an attack asks for candidates; loaded once for all the runs of a command. None where it asks none."""
    if not isinstance(attack, MaskedLMAttack):
        return None
    from hardtext.attacks.masked_lm import load_masked_lm

    return load_masked_lm(attack.masked_lm)


def summary_of(attempts: Sequence[Attempt], attack: Attack, masked_lm: MaskedLM | None, domain: Domain,
               wall_seconds: float, victim: Victim) -> dict[str, Any]:
    """What ``summary.json`` holds: counts and costs, and everything in the run that stands in for something else.

    ``wall_seconds`` is this process's share: of a resumed run it holds the last part only. ``minutes_at_rate``: how long
    the queries take a client, where ``victim`` answers a client so often a minute (``per_minute``).
    """
    from hardtext.attacks.rows import summarise
    from hardtext.victims.defended.coarse import minutes_at_rate, rate_of

    summary = {"attack": attack.name, "settings": changed(attack), "domain": domain.name, **summarise(attempts),
               "wall_seconds": round(wall_seconds, 1),
               "domain_stand_in": domain.stand_in, "stand_ins": attack.stand_ins()}
    if (rate := rate_of(victim)) is not None:
        summary |= {"per_minute": rate, "minutes_at_rate": minutes_at_rate(summary["queries"], rate)}
    if masked_lm is not None:
        summary["masked_lm"] = masked_lm.name
        summary["stand_ins"] += [f"masked LM: {masked_lm.stand_in}"] if masked_lm.stand_in else []
    return summary


def changed(attack: Attack) -> dict[str, Any]:
    """The settings of an attack that are not its defaults, and the choices (variant, version, recipe) it has."""
    choices = ("variant", "version", "recipe")
    return {f.name: value for f in fields(attack) if (value := getattr(attack, f.name)) != "" and f.name != "name"
            and (f.name in choices or value != _default(f))}


def _default(field: Field) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def check_classes(victim: Victim, domain: Domain) -> Victim:
    if tuple(victim.classes) != tuple(domain.classes):
        raise InputError(f"the victim's classes are {', '.join(victim.classes)}; "
                         f"domain {domain.name} has {', '.join(domain.classes)}")
    return victim


def folder_of(default: Path, out: str | None, label: str) -> Path:
    """``out`` where it is set, else the folder named by the choices; ``label`` tells a sweep's jobs apart."""
    if out is not None:
        return folder_at(out)
    return default.with_name(default.name + "," + label) if label else default


def folder_at(out: str) -> Path:
    """The folder that ``out=`` names. Raises InputError where it names none: an empty path is the working folder."""
    if not out.strip():
        raise InputError("out= is empty: name a folder, or leave it away")
    return Path(out).expanduser()


def folder_for_runs(task: str, root: Path) -> Path:
    """Where the result of a task about a whole folder of runs lies: one place for all runs, another for each other
    folder."""
    root = root.resolve()
    if root == runs.runs_root().resolve():
        return runs.evaluate_folder(task)
    return runs.evaluate_folder(task, f"{root.name[:60]}-{sha256(os.fsencode(root)).hexdigest()[:8]}")
