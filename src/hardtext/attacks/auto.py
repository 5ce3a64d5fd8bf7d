"""The worst case by protocol, after AutoAttack (Croce & Hein 2020, "Reliable evaluation of adversarial robustness with
an ensemble of diverse parameter-free attacks", ICML): a fixed list of attacks against each text, the best result kept.

The protocol is fixed by its name, so that two defences are compared by the same thing:

``standard``  (default) attacks that together need few queries, cheapest first, at most 500 queries an example with the
              first prediction and the final check.
``full``      every attack of the toolkit that needs no language model behind an endpoint, cheapest first, no limit.

Of the texts that flip the prediction, the one with the best semantic × character product is the result (what BODEGA
pays, Przybyła et al. 2023; by the attack's own semantic scorer). A text that is decided is attacked again only while
there is more to win: any change costs at least one character, which bounds the product from above.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hardtext import text
from hardtext.attacks import quality, ties
from hardtext.attacks.bae import BAE
from hardtext.attacks.base import Attack, MaskedLMAttack, SemanticAttack, Target, check_choice
from hardtext.attacks.beam_attack import BeamAttack
from hardtext.attacks.bert_attack import BertAttack
from hardtext.attacks.clare import CLARE
from hardtext.attacks.deepwordbug import DeepWordBug
from hardtext.attacks.genetic import Genetic
from hardtext.attacks.glota import GloTa
from hardtext.attacks.homoglyph_rank import HomoglyphRank
from hardtext.attacks.homoglyph_search import HomoglyphSearch
from hardtext.attacks.metering import within
from hardtext.attacks.pwws import PWWS
from hardtext.attacks.requests import Credit, OutOfBudget, Steps
from hardtext.attacks.textfooler import TextFooler
from hardtext.attacks.turquaz import TurQuaz
from hardtext.core import Segments
from hardtext.scoring.normalise import for_characters

STANDARD_QUERIES = 500  # an example
FRAME = 2  # queries around every attack: the first prediction and the final check
GAIN = 0.01  # of the product: less is not worth another attack

CHEAP: tuple[Callable[[], Attack], ...] = (
    lambda: HomoglyphSearch(variant="no_memory"), HomoglyphRank, DeepWordBug, BertAttack, TextFooler)
COSTLY: tuple[Callable[[], Attack], ...] = (
    PWWS, BAE, GloTa, HomoglyphSearch, TurQuaz, BeamAttack, Genetic, CLARE)

VERSIONS = {"standard": CHEAP, "full": CHEAP + COSTLY}


@dataclass
class Auto(MaskedLMAttack, SemanticAttack):
    """Settings. ``version``: ``standard`` or ``full``; nothing else of the protocol can be changed."""

    name: str = "auto"
    version: str = "standard"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attack.version", self.version, tuple(VERSIONS))

    def stand_ins(self) -> list[str]:
        members = [words for make in VERSIONS[self.version] for words in make().stand_ins()]
        return list(dict.fromkeys([*super().stand_ins(), *members]))

    def steps(self, target: Target) -> Steps:
        members = [make() for make in VERSIONS[self.version]]
        draws = [random.Random(target.rng.getrandbits(64)) for _ in members]  # one member never shifts another's
        return _worst_case(target, members, draws, self._queries(target))

    def _queries(self, target: Target) -> int | None:
        """How many queries the members share."""
        limits = [limit for limit in (STANDARD_QUERIES if self.version == "standard" else None, target.max_queries)
                  if limit is not None]
        return min(limits) - FRAME if limits else None


def _worst_case(target: Target, members: Sequence[Attack], draws: Sequence[random.Random], left: int | None) -> Steps:
    most = 1 - 1 / (len(for_characters(text.join(target.segments))) + 1)
    best: Segments | None = None
    winner, product, stopped = "", 0.0, False
    for member, rng in zip(members, draws, strict=True):
        if best is not None and most - product <= GAIN:
            break
        found, used, cut = yield from within(member.steps(replace(target, rng=rng)), left)
        stopped = stopped or cut
        if left is not None:
            left -= used
        if found is None or text.separator_count(found) != text.separator_count(target.segments):
            continue
        [new] = yield from quality.products(target, [found])
        if best is None or ties.below(product, new):
            best, winner, product = found, label(member), new
    if best is None:
        if stopped:
            raise OutOfBudget
        return None
    yield Credit(winner)
    return best


def label(member: Attack) -> str:
    """A member by its name, and its variant where it is not the attack's default."""
    return member.name if member.variant == type(member)().variant else f"{member.name} {member.variant}"
