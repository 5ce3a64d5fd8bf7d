"""From the rows of ``task=probes`` to the results of each probe. A function of the rows alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy

from hardtext.attacks import ties
from hardtext.core import Domain, Segments
from hardtext.scoring import flips
from hardtext.scoring.answers import Answer
from hardtext.scoring.published import probes as published

LEAST_FOR_THIRDS = 30  # texts: ten a third


@dataclass(frozen=True)
class Question:
    """A probe as its table needs it: see ``hardtext.probes.Probe``. ``rules``: None where it has no choice of them."""

    name: str
    rules: str | None
    expects: str
    asks: str
    few_flips: str
    source: str

    @property
    def title(self) -> str:
        return f"{self.name} ({self.rules})" if self.rules else self.name


@dataclass(frozen=True)
class Group:
    """The behaviour on some of the texts. ``by``: "gold class" or "confidence"."""

    by: str
    name: str
    behaviour: flips.Behaviour


@dataclass(frozen=True)
class Shown:
    """One text for reading. ``sure``: the probability of the class predicted for the changed text."""

    id: str
    label: str
    original: Segments
    changed: Segments
    what: str | None
    said: str
    said_after: str
    sure: float
    shift: float


@dataclass(frozen=True)
class Result:
    """What one probe found. ``why``: how many texts it did not ask about, by reason, the most frequent first.
    ``expects``: what it expects, and of how many texts (only your own pairs expect several things).
    ``p``: of the paired test that the mean shift is 0; ``p_holm``: corrected for the probes beside it.
    ``truncated``: how many of the texts asked about are longer than the victim reads.
    ``shifts``: the single differences behind ΔProb, for the figure."""

    question: Question
    why: dict[str, int]
    expects: dict[str, int]
    truncated: int
    overall: flips.Behaviour
    p: float | None
    p_holm: float | None
    directions: dict[str, int]
    movements: list[list[int]]
    groups: tuple[Group, ...]
    worst: tuple[Shown, ...]
    typical: tuple[Shown, ...]
    shifts: tuple[float, ...]
    published: published.PublishedProbe | None

    @property
    def texts(self) -> int:
        return self.overall.flipped.of

    def to_row(self) -> dict[str, Any]:
        """JSON-ready; null where there is no number."""
        row = asdict(self)
        del row["shifts"]
        return {"probe": self.question.name, "texts": self.texts} | row


@dataclass(frozen=True)
class Accuracy:
    """How often the victim gets the originals right, how often always answering ``majority`` would, and what is
    published for this domain."""

    right: flips.Share
    majority: str
    majority_share: float
    published: float | None


@dataclass(frozen=True)
class Report:
    """All probes of one victim on one domain. ``model``: its name among ours; ``warnings``: what is odd about it.
    ``reading``: the settings of the domain that are not the default ones ("domain.content=both"); ``capped``: where not
    the whole split was asked about, how much of it ("first 200 of 1,283 texts")."""

    domain: str
    domain_stand_in: str
    classes: tuple[str, ...]
    positive: tuple[int, ...]
    victim: str
    model: str
    split: str
    seed: int
    accuracy: Accuracy
    results: tuple[Result, ...]
    warnings: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()
    capped: str = ""

    @property
    def title(self) -> str:
        return f"{self.victim} on {self.where}"

    @property
    def where(self) -> str:
        stand_in = f" ({self.domain_stand_in})" if self.domain_stand_in else ""
        return ", ".join((self.domain + stand_in, *self.reading, *filter(None, [self.capped])))

    def to_row(self) -> dict[str, Any]:
        row = {field.name: getattr(self, field.name) for field in fields(self)}
        row |= {"accuracy": asdict(self.accuracy), "results": [result.to_row() for result in self.results],
                "published_source": published.SOURCE}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}


def report(answers: Sequence[Answer], questions: Sequence[Question], domain: Domain, *, model: str, split: str, seed: int,
           warnings: Sequence[str] = (), reading: Sequence[str] = (), capped: str = "") -> Report:
    """The report about answers of one run (at least one), by probe in the order of ``questions``."""
    first = answers[0]
    found = [_result([answer for answer in answers if answer.probe == question.name], question, domain, seed)
             for question in questions]
    corrected = flips.holm([result.p for result in found])
    results = tuple(Result(**{field.name: getattr(result, field.name) for field in fields(result)} | {"p_holm": p})
                    for result, p in zip(found, corrected, strict=True))
    return Report(domain=domain.name, domain_stand_in=domain.stand_in, classes=domain.classes, positive=domain.positive,
                  victim=first.victim, model=model, split=split, seed=seed,
                  accuracy=_accuracy(list({answer.id: answer for answer in answers}.values()), domain), results=results,
                  warnings=tuple(warnings), reading=tuple(reading), capped=capped)


def _accuracy(answers: Sequence[Answer], domain: Domain) -> Accuracy:
    labels = numpy.array([answer.label for answer in answers])
    said = ties.predicted(numpy.array([answer.original_probs for answer in answers]))
    most, count = Counter(labels.tolist()).most_common(1)[0]
    return Accuracy(flips.Share.of_flags(said == labels), domain.classes[most], count / len(labels),
                    published.published_accuracy(domain.name))


def _result(answers: Sequence[Answer], question: Question, domain: Domain, seed: int) -> Result:
    asked = [answer for answer in answers if answer.changed is not None]
    why = Counter(answer.why for answer in answers if answer.changed is None)
    pairs = pairs_of(asked, domain)
    return Result(
        question=question, why={str(words): count for words, count in why.most_common()},
        expects=dict(Counter(answer.expects for answer in asked).most_common()),
        truncated=sum(bool(answer.truncated) for answer in asked),
        overall=flips.behaviour(pairs, seed), p=flips.sign_flip_p(pairs.shift, seed), p_holm=None,
        directions=flips.directions(pairs), movements=flips.movements(pairs).tolist(),
        groups=tuple(_groups(pairs, domain, seed)),
        worst=tuple(_shown(asked[i], pairs, i, domain) for i in flips.worst(pairs)),
        typical=tuple(_shown(asked[i], pairs, i, domain) for i in flips.typical(pairs)),
        shifts=tuple(pairs.shift.tolist()), published=published.published_probe(domain.name, question.name))


def pairs_of(asked: Sequence[Answer], domain: Domain) -> flips.Pairs:
    """The arrays of the statistics; ``asked`` are answers with a changed text, possibly none."""
    shape = (len(asked), len(domain.classes))
    before = numpy.array([answer.original_probs for answer in asked], dtype=float).reshape(shape)
    after = numpy.array([answer.changed_probs for answer in asked], dtype=float).reshape(shape)
    return flips.Pairs(label=numpy.array([answer.label for answer in asked], dtype=int), before=before, after=after,
                       said=ties.predicted(before), said_after=ties.predicted(after),
                       expects=numpy.array([answer.expects for answer in asked], dtype=object),
                       positive=tuple(domain.positive))


def _groups(pairs: flips.Pairs, domain: Domain, seed: int) -> list[Group]:
    """By gold class, and by how sure the victim was of its answer to the original (thirds, of enough texts); empty groups
    left out."""
    groups = [Group("gold class", name, flips.behaviour(pairs.where(pairs.label == index), seed))
              for index, name in enumerate(domain.classes) if (pairs.label == index).any()]
    if len(pairs) < LEAST_FOR_THIRDS:
        return groups
    return groups + [Group("confidence", f"{low:.3f}–{high:.3f}", flips.behaviour(pairs.where(chosen), seed))
                     for low, high, chosen in flips.thirds(pairs.confidence)]


def _shown(answer: Answer, pairs: flips.Pairs, index: int, domain: Domain) -> Shown:
    after = int(pairs.said_after[index])
    version = f" ({answer.number} of {answer.of})" if answer.of > 1 else ""
    return Shown(id=answer.id + version, label=domain.classes[answer.label], original=answer.original,
                 changed=answer.changed or (), what=answer.what, said=domain.classes[int(pairs.said[index])],
                 said_after=domain.classes[after], sure=float(pairs.after[index, after]),
                 shift=float(pairs.shift[index]))
