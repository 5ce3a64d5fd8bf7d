"""What annotators' tools write, cell by cell: exactly what was asked for, or one line that says where it is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hardtext import text
from hardtext.core import InputError


def choice(value: Any, allowed: Sequence[int], name: str, place: str) -> int:
    """One of the ``allowed`` numbers, as a number or as its digits; 1.7, true and " 1" are none.

    >>> choice("2", (0, 1, 2), "meaning", "row 1"), choice(2, (0, 1, 2), "meaning", "row 1")
    (2, 2)
    """
    for number in allowed:
        if (type(value) is int and value == number) or value == str(number):
            return number
    raise InputError(f"{place}: {name} is {shown(value)}; expected {', '.join(map(str, allowed[:-1]))} or {allowed[-1]}")


def identifier(value: Any, name: str, place: str) -> str:
    """What names a pair or an annotator: a text that is not blank, or a whole number."""
    if type(value) is int or (isinstance(value, str) and value.strip()):
        return text.readable(str(value))
    raise InputError(f"{place}: {name} is {shown(value)}; expected a text or a whole number")


def words(value: Any, name: str, place: str) -> str:
    """A text; '' where there is none."""
    if value is None or isinstance(value, str):
        return text.readable(value or "")
    raise InputError(f"{place}: {name} is {shown(value)}; expected a text")


def shown(value: Any) -> str:
    """A value for a message: whatever it is, a short piece of one line."""
    written = text.readable(value) if isinstance(value, str) else value
    return f"{written!r:.60}"
