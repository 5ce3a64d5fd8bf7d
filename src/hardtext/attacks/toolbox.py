"""The services of a run, each made, and its model loaded, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hardtext.attacks.base import Attack
from hardtext.attacks.language_model_service import Completing
from hardtext.attacks.masked_lm_service import Filling, MaskedLM, Proposing, Rating
from hardtext.attacks.requests import Complete, Credit, Fill, Gradient, Meaning, Perplexity, Propose, Repeat, Score, Similar
from hardtext.attacks.services import Crediting, Service, Stats
from hardtext.attacks.similarity_service import Comparing, Encoder, Judging
from hardtext.attacks.victim_service import Cache, Repeating, Scoring, Sensing
from hardtext.core import Victim
from hardtext.scoring.semantic import SemanticSettings, semantic_from_name


class Toolbox:
    """``masked_lm``, ``encoder``, ``semantic``: ones already loaded; otherwise those that the attack's settings name, and
    the bundled encoder."""

    def __init__(self, attack: Attack, victim: Victim, *, domain: str, cache: Cache | None, max_queries: int | None,
                 speculate: int, stats: Stats, masked_lm: MaskedLM | None, encoder: Encoder | None,
                 semantic: SemanticSettings | None) -> None:
        self.scoring = Scoring(victim, cache=cache, max_queries=max_queries, speculate=speculate, stats=stats)
        self._attack, self._domain, self._stats = attack, domain, stats
        self._masked_lm, self._encoder, self._semantic = masked_lm, encoder, semantic
        self._services: dict[type, Service] = {Score: self.scoring}
        self._makers: dict[type, Callable[[], Service]] = {
            Propose: lambda: Proposing(self._mlm(), stats),
            Fill: lambda: Filling(self._mlm(), stats),
            Perplexity: lambda: Rating(self._mlm(), stats),
            Repeat: lambda: Repeating(self.scoring, max_queries),
            Similar: self._comparing,
            Meaning: self._judging,
            Gradient: lambda: Sensing(victim, max_queries, stats),
            Complete: Completing,
            Credit: Crediting,
        }

    def service(self, kind: type) -> Service:
        if kind not in self._services:
            if kind not in self._makers:
                raise TypeError(f"attack {self._attack.name} yielded {kind.__name__}, which nobody answers here")
            self._services[kind] = self._makers[kind]()
        return self._services[kind]

    def _mlm(self) -> MaskedLM:
        if self._masked_lm is None:
            from hardtext.attacks.masked_lm import load_masked_lm

            self._masked_lm = load_masked_lm(self._setting("masked_lm"))
        return self._masked_lm

    def _comparing(self) -> Service:
        if self._encoder is None:
            from hardtext.scoring.minilm import Encoder as MiniLM

            self._encoder = MiniLM()
        return Comparing(self._encoder, self._stats)

    def _judging(self) -> Service:
        if self._semantic is None:
            self._semantic = semantic_from_name(self._setting("semantic"))
        return Judging(self._semantic, self._domain, self._stats)

    def _setting(self, name: str) -> Any:
        try:
            return getattr(self._attack, name)
        except AttributeError:
            raise TypeError(f"attack {self._attack.name} asks for what its settings do not name: {name}") from None
