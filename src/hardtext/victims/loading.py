"""One door to every victim."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from hardtext.core import InputError, Victim
from hardtext.weights import resolve


def load_victim(source: str | Path | Victim | Callable[[list[str]], Any], *, name: str | None = None,
                device: str = "auto", classes: Sequence[str] | None = None, batch_tokens: int | None = None,
                backend: str = "torch", without: Collection[str] = ()) -> Victim:
    """The victim that ``source`` names.

    ``source``: a folder that ``train.py`` made (or the run folder above it), a folder or hub id of any Hugging Face
    sequence classifier, a function from a list of strings to probabilities (n, classes), or a victim, given back as is.
    ``classes``: the domain's class names; a model's labels are brought into their order by name, a function's columns
    are taken to be in it. ``batch_tokens``: how many tokens a batch may hold (found by itself where None).
    ``backend``: ``torch``, or ``onnx`` for ONNX Runtime on the CPU (of models in a folder or from the hub).
    A folder that holds defences gives the defended victim; ``without`` names those to leave out (to train against one
    whose answers are not yet made coarse, say). Raises InputError where there is no victim.
    """
    if isinstance(source, Victim):
        return source
    if not isinstance(source, str | Path):
        from hardtext.victims.callables import CallableVictim

        if not callable(source):
            raise InputError(f"a victim is a folder, a hub id or a function, got {type(source).__name__}")
        return CallableVictim(source, name=name or getattr(source, "__name__", "callable"), classes=classes)

    folder = Path(source).expanduser()
    if (folder / "victim").is_dir():
        folder = folder / "victim"
    if folder.is_dir() and not (folder / "config.json").is_file():
        raise InputError(f"victim={source}: no victim in this folder (expected config.json in it or in victim/ below)")
    folder = resolve(str(folder) if folder.is_dir() else str(source), option="victim")

    from hardtext.victims.defended.settings import apply
    from hardtext.victims.export import RECORD, read_defences, read_record
    from hardtext.victims.local import load_local

    ours = (folder / RECORD).is_file()
    if name is None:
        name = read_record(folder)["name"] if ours else Path(source).name
    victim = load_local(folder, name=name, device=device, classes=classes, batch_tokens=batch_tokens, backend=backend)
    if not ours:
        return victim
    defences, learnt = read_defences(folder)
    return apply(victim, {key: defence for key, defence in defences.items() if key not in without}, learnt)
