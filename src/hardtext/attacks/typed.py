"""Settings given from Python, checked as a config file's are: by the types of their fields."""

from __future__ import annotations

import math
import types
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from hardtext.core import InputError

_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def check(settings: Any, prefix: str) -> None:
    """Refuse values of another type than their field's. A dict for a nested settings object becomes that object."""
    hints = _hints(type(settings))
    for field in fields(settings):
        value, kind, key = getattr(settings, field.name), hints[field.name], f"{prefix}.{field.name}"
        optional = get_origin(kind) in (Union, types.UnionType)
        if optional:
            if value is None:
                continue
            [kind] = [a for a in get_args(kind) if a is not type(None)]
        if is_dataclass(kind) and isinstance(value, dict):
            try:
                setattr(settings, field.name, kind(**value))
            except TypeError as error:
                raise InputError(f"{key}={value}: expected some of "
                                 f"{', '.join(f.name for f in fields(kind))} ({error})") from error
        elif not _fits(value, kind):
            raise InputError(f"{key}={value!r:.80}: expected {_words(kind)}{' or null' if optional else ''}")


@lru_cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _fits(value: Any, kind: Any) -> bool:
    if get_origin(kind) is list:
        return isinstance(value, list) and all(_fits(v, get_args(kind)[0]) for v in value)
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind)


def _words(kind: Any) -> str:
    if get_origin(kind) is list:
        return f"a list, each {_words(get_args(kind)[0])}"
    if is_dataclass(kind):
        return f"{kind.__name__} settings or a dict of them"
    return _WORDS[kind]
