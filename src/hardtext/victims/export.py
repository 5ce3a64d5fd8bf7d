"""A trained victim as a folder: safetensors, config, tokenizer, and what hardtext must know to load it again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hardtext.core import Domain, InputError
from hardtext.records import read_json, write_json, write_text
from hardtext.victims.bilstm import legacy_padding
from hardtext.victims.defended.settings import Defence, from_record, to_record
from hardtext.victims.module import VictimModule

RECORD = "hardtext.json"
WORDS = "words.txt"
FORMAT = 1
_LIBRARIES = ("hardtext", "torch", "transformers", "tokenizers", "pytorch-lightning")


def save_victim(module: VictimModule, folder: Path, domain: Domain, name: str,
                defences: Mapping[str, Defence] | None = None, own: Iterable[str] = ()) -> Path:
    """Write the victim folder in one step: a reader or a kill finds the old one, the new one or none, never half.

    The folder loads with ``load_victim``, and with transformers' ``AutoModelForSequenceClassification`` and
    ``AutoTokenizer`` (a BiLSTM once ``hardtext.victims.bilstm`` is imported). ``hardtext.json`` holds the family,
    the domain, the maximum length, the padding, the versions of the libraries, and the ``defences`` that act when the
    victim is asked; ``words.txt`` the words of ``own`` that its canonicalisation knows.
    """
    folder = Path(folder)
    words = sorted(set(own)) if defences and "canonicalise" in defences else None
    folder.parent.mkdir(parents=True, exist_ok=True)
    new, old = (folder.with_name(f".{folder.name}.{os.getpid()}.{word}") for word in ("new", "old"))
    for left in (new, old):
        shutil.rmtree(left, ignore_errors=True)
    module.net.save_pretrained(new)  # safetensors
    module.tokens.tokenizer.save_pretrained(new)
    write_json(new / RECORD, {
        "format": FORMAT,
        "name": name,
        "family": module.net.config.model_type,
        "domain": asdict(domain),
        "max_length": module.hparams.max_length,
        "padding": "legacy" if legacy_padding(module.net) else "packed",
        **({"defences": to_record(defences)} if defences else {}),
        **({} if words is None else {"words": len(words)}),
        "versions": {library: version(library) for library in _LIBRARIES},
    })
    if words is not None:
        write_text(new / WORDS, "".join(f"{word}\n" for word in words))
    if folder.exists():
        os.rename(folder, old)
    os.rename(new, folder)
    shutil.rmtree(old, ignore_errors=True)
    return folder


def read_record(folder: Path) -> dict[str, Any]:
    """What ``save_victim`` noted beside the weights: the victim's ``name`` and ``max_length``, at least."""
    record = read_json(folder / RECORD)
    if not (isinstance(record, dict) and isinstance(record.get("name"), str)
            and isinstance(record.get("max_length"), int) and record["max_length"] > 0):
        raise InputError(f"{folder / RECORD}: damaged (expected a name and a max_length); train the victim again")
    return record


def read_defences(folder: Path) -> tuple[dict[str, Defence], list[str]]:
    """The defences of a saved victim, and the words of its own that its canonicalisation knows."""
    record = read_record(folder)
    defences = from_record(record.get("defences", {}), str(folder / RECORD))
    if "canonicalise" not in defences:
        return defences, []
    try:
        words = (folder / WORDS).read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError):
        words = None
    if words is None or len(words) != record.get("words"):
        raise InputError(f"{folder / WORDS}: missing or damaged; it belongs to the victim's canonicalisation. Copy the whole "
                         f"folder, or train the victim again")
    return defences, words
