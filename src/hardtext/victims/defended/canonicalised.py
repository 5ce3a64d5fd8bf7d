"""Input clean-up before the tokenizer: the text is read as it was before its characters were tampered with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import cached_property

import numpy as np

from hardtext.core import Segments, Victim
from hardtext.victims.defended.identity import fingerprint
from hardtext.victims.defended.settings import Canonicalise

CACHED = 20_000  # an attack asks about many texts that share most of their words, and about some of them twice


class Canonicalised:
    """``victim`` reading every segment through a ``Canonicaliser``."""

    def __init__(self, victim: Victim, settings: Canonicalise, own: Iterable[str] = ()) -> None:
        own = sorted(set(own))
        self.victim, self.name, self.classes = victim, victim.name, victim.classes
        self.clean = settings.cleaner(own)
        self._identity = ("canonicalise", asdict(settings), hashlib.sha256(json.dumps(own).encode()).hexdigest())
        self._cleaned: dict[str, str] = {}

    @cached_property
    def fingerprint(self) -> str:
        """Equal ones answer alike."""
        return fingerprint(self.victim, *self._identity)

    def probabilities(self, texts: Sequence[Segments | str]) -> np.ndarray:
        """As the victim's own, of the cleaned texts."""
        return self.victim.probabilities([(self._read(text),) if isinstance(text, str) else tuple(map(self._read, text))
                                          for text in texts])

    def _read(self, segment: str) -> str:
        if (found := self._cleaned.get(segment)) is None:
            if len(self._cleaned) >= CACHED:
                self._cleaned.clear()
            found = self._cleaned[segment] = self.clean(segment)
        return found
