"""The words of a command line as they are typed, before Hydra reads them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from hardtext import runs
from hardtext.hardening.settings import HARDENING

_MULTIRUN = ("-m", "--multirun")
_FREE = ("trainer.", "model.labels=", "hardening.augment.attacks", "sweep.objective", "sweep.params")
_PATHS = ("attempts", "victim", "out", "runs", "annotations")
_PLAIN = re.compile(r"[\w./@%+:?*-]*")  # what Hydra's grammar takes unquoted, and never as anything else than a string


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


def of_nothing(arguments: Sequence[str]) -> str:
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
