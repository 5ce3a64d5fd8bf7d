"""Changes that ask a question: does the classifier understand? Text → text, with the behaviour to expect."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from hardtext.core import InputError
from hardtext.probes.base import Changed, Probe, ProbeSettings, Unchanged

__all__ = ["PROBES", "Changed", "Probe", "ProbeSettings", "Unchanged", "probes"]

PROBES = {
    "negation": "negation", "party": "party", "intensity": "intensity",
    "number": "number", "date": "date", "entity": "entity", "roles": "roles", "hedging": "hedging",
    "attribution": "attribution", "casing": "casing", "typos": "typos", "prefix": "prefix", "file": "file",
}
"""The module of each probe, in this folder; its ``probe(settings)`` gives the Probe."""


def probes(settings: ProbeSettings) -> list[Probe]:
    """The probes that ``probe=`` names. Raises InputError for an unknown one, or one named twice."""
    names = list(settings.names)
    if not names or len(set(names)) < len(names) or not set(names) <= PROBES.keys():
        raise InputError(f"probe={','.join(names)}: expected one or more of {', '.join(PROBES)}, each once")
    makers: list[Callable[[ProbeSettings], Probe]] = [import_module(f"hardtext.probes.{PROBES[n]}").probe for n in names]
    return [maker(settings) for maker in makers]
