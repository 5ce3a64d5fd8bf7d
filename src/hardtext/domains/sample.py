"""The bundled ``sample`` domain: evidence and claim pairs about real places, generated, the same on every machine.

The evidence states facts about a place (``sample_facts``); the claim repeats one of them in other words (supported) or
gives a wrong value of the same kind (refuted). It stands in for a fact-checking corpus: nothing to download, a small
model learns it in a minute, and its figures say nothing about any published corpus.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import ClassVar

from hardtext import seeding
from hardtext.core import Corpus, Domain, Example, InputError
from hardtext.domains.base import DomainSettings
from hardtext.domains.rows import Row, examples
from hardtext.domains.sample_facts import Place, places
from hardtext.domains.sample_wording import CONTRASTS, WORDINGS, approximate, capitalised, claim, spoken, state

SIZES = {"train": 4000, "dev": 400, "attack": 400}
SHARES = {"attack": 0.12, "dev": 0.12, "train": 0.76}  # of the places
RELATIONS = {"city": 2, "country": 6, "county": 1, "state": 2}  # at most so many pairs about one place

DENIED = 0.06  # claims that deny a value; so the word "not" decides nothing by itself
BOUNDED = 0.10  # claims of areas and populations that compare with a bound, so that no number is repeated
CONTRASTED = 0.12  # evidence that also states the fact of another place, so that finding the value is not enough
FURTHER = (0, 1, 1, 2)  # how many further facts of the place the evidence states

NEAR_DEGREES = (5, 30)
NEAR_RATIO = (1.4, 6.0)
TRIES = 60  # draws for a wrong value: first from the same region, then from anywhere


@dataclass
class SampleDomain(DomainSettings):
    """``train`` is the number of training pairs, at most 4,000; dev and attack have 400 each."""

    name: str = "sample"
    train: int = SIZES["train"]

    meaning: ClassVar[Domain] = Domain("sample", ("supported", "refuted"), positive=(1,), pair=True,
                                       stand_in="generated sample")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 <= self.train <= SIZES["train"]:
            raise InputError(f"domain.train={self.train}: expected a number from 2 to {SIZES['train']}")

    def load(self, root: Path, seed: int) -> Corpus:
        """The corpus does not depend on ``root`` or ``seed``."""
        pairs = generate()
        return Corpus(
            domain=replace(self.meaning, name=self.name),
            train=pairs["train"][: self.train], dev=pairs["dev"], attack=pairs["attack"],
            notes=("the domain sample is generated from facts of GeoNames (geonames.org, CC BY 4.0): "
                   "its figures stand for no published corpus",))


def generate() -> dict[str, tuple[Example, ...]]:
    """The pairs of each split. A place is the subject of claims in one split only, and lends its values as wrong
    ones, or stands beside another place, only there."""
    by_kind: dict[str, list[Place]] = defaultdict(list)
    for place in places():
        by_kind[place.kind].append(place)
    members: dict[str, list[Place]] = {split: [] for split in SHARES}
    for kind, group in sorted(by_kind.items()):
        seeding.generator(0, "sample", kind).shuffle(group)
        start = 0
        for split, share in SHARES.items():
            end = start + round(share * len(group)) if split != "train" else len(group)
            members[split] += group[start:end]
            start = end
    return {split: _pairs(split, members[split]) for split in SIZES}


def _pairs(split: str, group: list[Place]) -> tuple[Example, ...]:
    """Half supported and half refuted; each relation, too, is about half and half."""
    rng = seeding.generator(0, "sample", split)
    pool = _Pool(group)
    jobs = [(place, relation) for place in group
            for relation in rng.sample(sorted(place.facts), min(RELATIONS[place.kind], len(place.facts)))]
    rng.shuffle(jobs)
    turn = {relation: rng.randrange(2) for relation in sorted(WORDINGS)}
    made: tuple[list[Row], list[Row]] = ([], [])
    for place, relation in jobs:
        label = turn[relation]
        segments = _pair(place, relation, bool(label), pool, rng)
        if segments is not None:
            turn[relation] = 1 - label
            made[label].append(Row(label, place.name, segments))
    half = SIZES[split] // 2
    if min(map(len, made)) < half:
        raise RuntimeError(f"the facts are too few for {SIZES[split]} pairs in {split}: {[len(m) for m in made]}")
    couples = zip(made[0][:half], made[1][:half], strict=True)  # in random order, yet any part of a split is balanced
    return examples([row for couple in couples for row in rng.sample(couple, 2)], "sample", split)


class _Pool:
    """The places of one split by what they can lend: a wrong value, or a place that stands beside another."""

    def __init__(self, group: list[Place]) -> None:
        self.holders: dict[tuple[str, str, str], list[Place]] = defaultdict(list)  # by kind, relation, region ("": any)
        for place in group:
            for relation in place.facts:
                self.holders[place.kind, relation, place.region].append(place)
                self.holders[place.kind, relation, ""].append(place)

    def wrong(self, place: Place, relation: str, rng: Random) -> tuple[str | int, Place] | None:
        """A value that is plausible but wrong for ``place``, and a place for which it is right. Values come as often
        as they are true elsewhere, so that a claim alone does not give itself away."""
        others = self.holders[place.kind, relation, ""]
        near = self.holders[place.kind, relation, "" if relation == "continent" else place.region]
        told = {spoken(relation, value) for value in place.facts[relation]} | {place.name}
        for attempt in range(TRIES):
            other = rng.choice(near if attempt < TRIES // 2 else others)
            value = rng.choice(other.facts[relation])
            if spoken(relation, value) not in told and _near(relation, place.facts[relation][0], value):
                return value, other
        return None


def _near(relation: str, true: str | int, value: str | int) -> bool:
    """Whether a wrong number is close enough to be plausible and far enough to be wrong after rounding."""
    if isinstance(true, str) or isinstance(value, str):
        return True
    if relation == "latitude":
        return NEAR_DEGREES[0] <= abs(abs(true) - abs(value)) <= NEAR_DEGREES[1]
    return NEAR_RATIO[0] <= max(true, value) / min(true, value) <= NEAR_RATIO[1]


def _pair(place: Place, relation: str, refuted: bool, pool: _Pool, rng: Random) -> tuple[str, str] | None:
    """Evidence and claim, or None where no wrong value is at hand."""
    offer = pool.wrong(place, relation, rng)
    if offer is None:
        return None
    wrong, other = offer
    wording = WORDINGS[relation]
    true = rng.choice(place.facts[relation])
    if wording.denials and rng.random() < DENIED:
        text = claim(wording.denials, place.name, approximate(relation, true if refuted else wrong, rng), rng)
    elif wording.above and rng.random() < BOUNDED:
        text = _bounded(place, relation, refuted, rng)
    else:
        text = claim(wording.claims, place.name, approximate(relation, wrong if refuted else true, rng), rng)
    return _evidence(place, relation, other, rng), text


def _bounded(place: Place, relation: str, refuted: bool, rng: Random) -> str:
    """More or less than a bound that is 1.4 to 3 times too low or too high."""
    value, above = place.facts[relation][0], rng.random() < 0.5
    factor = rng.uniform(1.4, 3)
    bound = round(value * factor if above == refuted else value / factor)
    wording = WORDINGS[relation]
    return claim(wording.above if above else wording.below, place.name, spoken(relation, bound), rng)


def _evidence(place: Place, relation: str, other: Place, rng: Random) -> str:
    """The fact that decides among further facts of the place; sometimes ``other`` is described before or after it."""
    further = [r for r in sorted(place.facts) if r != relation]
    told = [relation, *rng.sample(further, min(rng.choice(FURTHER), len(further)))]
    rng.shuffle(told)
    sentences = [state(place, r, place.name if i == 0 or rng.random() < 0.3 else "it", rng) for i, r in enumerate(told)]
    if rng.random() < CONTRASTED:
        before = rng.random() < 0.5
        aside = state(other, relation, other.name, rng)
        sentences.insert(0 if before else len(sentences), aside if before else rng.choice(CONTRASTS) + aside)
    return " ".join(map(capitalised, sentences))
