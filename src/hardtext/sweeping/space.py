"""What a sweep varies. A value is the text that an override gives a setting (``1e-05``, ``bilstm``, ``[a,b]``)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hardtext.core import InputError
from hardtext.secrecy import mask_secrets

Values = dict[str, str]
"""Setting → the text of its value."""


@dataclass(frozen=True)
class Choice:
    """One of some values."""

    values: tuple[str, ...]

    def first(self) -> str:
        return self.values[0]

    def text(self, value: str | int | float) -> str:
        return str(value)

    def value(self, text: str) -> str | None:
        return text if text in self.values else None


@dataclass(frozen=True)
class Interval:
    """A number from ``low`` to ``high``, both included."""

    low: float
    high: float
    integer: bool = False
    log: bool = False

    def first(self) -> str:
        return self.text(self.low)

    def text(self, value: str | int | float) -> str:
        return str(int(value)) if self.integer else str(float(value))

    def value(self, text: str) -> int | float | None:
        """The number of a text; None where it is no value of this interval."""
        try:
            number = int(text) if self.integer else float(text)
        except ValueError:
            return None
        return number if self.low <= number <= self.high else None


Space = dict[str, Choice | Interval]


def grid(space: Mapping[str, Choice | Interval]) -> Iterator[Values]:
    """Every combination, the last setting varying fastest.

    >>> [list(point.values()) for point in grid({"lr": Choice(("1", "2")), "seed": Choice(("0",))})]
    [['1', '0'], ['2', '0']]
    """
    for name, part in space.items():
        if isinstance(part, Interval):
            raise InputError(f"{shown(name)}: an interval has no values to go through; name them ({shown(name)}=1,2), "
                             f"or use sweep=optuna")
    for point in itertools.product(*(part.values for part in space.values())):
        yield dict(zip(space, point, strict=True))


def point_of(space: Mapping[str, Choice | Interval], values: Values) -> dict[str, str | int | float] | None:
    """The values of a point of this space as Optuna knows them; None where it is none."""
    if values.keys() != space.keys():
        return None
    point = {name: part.value(values[name]) for name, part in space.items()}
    return None if None in point.values() else point


def masked(override: str) -> str:
    """An override as it may be written down: without a secret in its value.

    >>> masked("attack.api_key=abc"), masked("model.lr=1")
    ('attack.api_key=***', 'model.lr=1')
    """
    key, equals, value = override.partition("=")
    (shown_value,) = mask_secrets({key.rpartition(".")[2]: value}).values()
    return f"{key}{equals}{shown_value}"


def shown(name: str) -> str:
    """A setting without Hydra's mark of an added one."""
    return name.lstrip("+")
