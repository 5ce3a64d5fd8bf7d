"""A victim that reads every text rewritten: put back as it was (``canonicalise``), synonyms as one word (``encode``)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import cached_property

import numpy as np

from hardtext.core import Segments, Victim, listed
from hardtext.victims.defended.identity import fingerprint
from hardtext.victims.defended.settings import Canonicalise, Encode

CACHED = 20_000  # an attack asks about many texts that share most of their words, and about some of them twice


class Rewriting:
    """``victim`` reading every segment through the defence ``name`` with these settings.

    ``learnt``: what the defence took from the training texts, in any order.
    """

    def __init__(self, victim: Victim, name: str, settings: Canonicalise | Encode, learnt: Iterable[str] = ()) -> None:
        learnt = sorted(set(learnt))
        self.victim, self.name, self.classes = victim, victim.name, victim.classes
        self.rewrite = settings.rewriter(learnt)
        self._identity = (name, asdict(settings), hashlib.sha256(json.dumps(learnt).encode()).hexdigest())
        self._read: dict[str, str] = {}

    @cached_property
    def fingerprint(self) -> str:
        """Equal ones answer alike."""
        return fingerprint(self.victim, *self._identity)

    def probabilities(self, texts: Sequence[Segments | str]) -> np.ndarray:
        """As the victim's own, of the rewritten texts."""
        return self.victim.probabilities([(self.read(text),) if isinstance(text, str) else tuple(map(self.read, text))
                                          for text in listed(texts)])

    def read(self, segment: str) -> str:
        """A segment as the victim inside reads it."""
        if (found := self._read.get(segment)) is None:
            if len(self._read) >= CACHED:
                self._read.clear()
            found = self._read[segment] = self.rewrite(segment)
        return found
