"""Hydra's and OmegaConf's errors in words that say what to do."""

from __future__ import annotations

import difflib
import re

from hydra.errors import OverrideParseException
from omegaconf import DictConfig
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from hardtext.core import InputError
from hardtext.hardening.settings import HARDENING

_INTERNAL = {"hydra", "label", "group", "trial"}


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
        hint = " (detecting attacked texts is python evaluate.py task=detect)" if found.group(1) == "detect" else ""
        return f"hardening=[{found.group(1)}]: no such defence; choose some of {', '.join(HARDENING)}{hint}"
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
