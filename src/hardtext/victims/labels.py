"""A model's labels and a domain's classes: matched by name, never by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hardtext.core import InputError


def match(labels: Sequence[str], classes: Sequence[str], by_hand: Mapping[str, str] | None = None) -> np.ndarray:
    """The 0/1 matrix (labels, classes) that takes a model's probabilities to the domain's.

    Names are equal when they differ only in case, spaces, hyphens and underscores. ``by_hand`` gives the class of a
    label whose name is another; several labels may go to one class. Raises InputError, showing both lists, where a
    label has no class, or a class no label.
    """
    by_hand = dict(by_hand or {})
    if unknown := [name for name in by_hand if name not in labels]:
        raise InputError(f"model.labels: the model has no label {_list(unknown)}; it has {_list(labels)}")
    if unknown := [name for name in by_hand.values() if name not in classes]:
        raise InputError(f"model.labels: the domain has no class {_list(unknown)}; it has {_list(classes)}")
    places: dict[str, list[int]] = {}
    for index, name in enumerate(classes):
        places.setdefault(_plain(name), []).append(index)
    matrix = np.zeros((len(labels), len(classes)), np.float32)
    for row, label in enumerate(labels):
        found = [list(classes).index(by_hand[label])] if label in by_hand else places.get(_plain(label), [])
        if len(found) == 1:
            matrix[row, found[0]] = 1
    if not (matrix.sum(axis=1) == 1).all() or not (matrix.sum(axis=0) > 0).all():
        raise InputError(f"the model's labels ({_list(labels)}) do not match the domain's classes ({_list(classes)}): "
                         f"say which is which by model=pretrained model.labels={{{labels[0]}: {classes[0]}, ...}}")
    return matrix


def _plain(name: str) -> str:
    return "".join(c for c in name.casefold() if c not in " -_")


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)
