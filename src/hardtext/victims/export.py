"""A trained victim as a folder: safetensors, config, tokenizer, and what hardtext must know to load it again."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hardtext.core import Domain, InputError
from hardtext.records import read_json, read_text, write_json, write_text
from hardtext.victims.bilstm import legacy_padding
from hardtext.victims.defended.settings import Defence, from_record, to_record
from hardtext.victims.module import VictimModule

RECORD = "hardtext.json"
FORMAT = 1
_LIBRARIES = ("hardtext", "torch", "transformers", "tokenizers", "pytorch-lightning")


def save_victim(module: VictimModule, folder: Path, domain: Domain, name: str,
                defences: Mapping[str, Defence] | None = None,
                learnt: Mapping[str, Iterable[str]] | None = None) -> Path:
    """Write the victim folder in one step: a reader or a kill finds the old one, the new one or none, never half.

    The folder loads with ``load_victim``, and with transformers' ``AutoModelForSequenceClassification`` and
    ``AutoTokenizer`` (a BiLSTM once ``hardtext.victims.bilstm`` is imported). ``hardtext.json`` holds the family,
    the domain, the maximum length, the padding, the versions of the libraries, and the ``defences`` that act when the
    victim is asked. What those have ``learnt`` (by name) lies in files of their own, such as ``words.txt``.
    """
    folder, defences = Path(folder), defences or {}
    learnt = {name: sorted(set((learnt or {}).get(name, ()))) for name, defence in defences.items() if defence.LEARNT}
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
        **({"learnt": {name: len(lines) for name, lines in learnt.items()}} if learnt else {}),
        "versions": {library: version(library) for library in _LIBRARIES},
    })
    for name, lines in learnt.items():
        write_text(new / defences[name].LEARNT, "".join(f"{line}\n" for line in lines))
    if folder.exists():
        os.rename(folder, old)
    os.rename(new, folder)
    shutil.rmtree(old, ignore_errors=True)
    return folder


def read_record(folder: Path) -> dict[str, Any]:
    """What ``save_victim`` noted beside the weights: the victim's ``name`` and ``max_length``, at least."""
    record = read_json(folder / RECORD)
    if not (isinstance(record, dict) and isinstance(record.get("name"), str)
            and type(record.get("max_length")) is int and record["max_length"] > 0):
        raise InputError(f"{folder / RECORD}: damaged (expected a name and a max_length); train the victim again")
    if type(record.get("format")) is not int or record["format"] != FORMAT:
        raise InputError(f"{folder / RECORD}: format {record.get('format')!r:.40}, where this hardtext reads {FORMAT}: load "
                         f"it with the hardtext that wrote it (its versions stand there), or train the victim again")
    return record


def read_defences(folder: Path) -> tuple[dict[str, Defence], dict[str, list[str]]]:
    """The defences of a saved victim, and what they have learnt, by name."""
    record = read_record(folder)
    defences = from_record(record.get("defences", {}), str(folder / RECORD))
    counts = record.get("learnt", {})
    if not isinstance(counts, dict):
        raise InputError(f"{folder / RECORD}: damaged (learnt: expected a number of lines by name of defence); train the "
                         f"victim again")
    return defences, {name: _learnt(folder / defence.LEARNT, name, defence.LINE, counts.get(name))
                      for name, defence in defences.items() if defence.LEARNT}


def _learnt(file: Path, name: str, form: str, count: Any) -> list[str]:
    """The lines of a file, as many as were written, each of the form that it was written in, and none twice."""
    wrong = ""
    try:
        lines = read_text(file).splitlines()
        fits = [re.fullmatch(form, line) for line in lines]
    except InputError as error:
        wrong = str(error)
    else:
        if len(lines) != count:
            wrong = f"{len(lines)} lines where {RECORD} says {count}"
        elif None in fits:
            at = fits.index(None)
            wrong = f"line {at + 1}: {lines[at]!r:.60}"
        elif twice := [word for word, often in Counter(fit[1] for fit in fits).items() if often > 1]:
            wrong = f"{twice[0]!r:.60} stands there twice"
    if wrong:
        raise InputError(f"{file}: missing or damaged ({wrong}); it belongs to the victim's {name} defence. Copy the whole "
                         f"folder, or train the victim again")
    return lines
