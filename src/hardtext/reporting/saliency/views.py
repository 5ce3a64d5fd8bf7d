"""All views of one run together, and the summary that ``saliency.json`` keeps of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy

from hardtext import spreadsheet
from hardtext.core import Attempt, Domain
from hardtext.reporting.saliency import adverbs, changed, corpus, sentences
from hardtext.reporting.saliency.rows import Explained, visible

METHOD_NAMES = {"gradient_x_input": "Gradient × Input", "integrated_gradients": "Integrated gradients",
                "occlusion": "Occlusion"}
CHECKS = ("gap", "comprehensiveness", "comprehensiveness_random", "sufficiency", "sufficiency_random")


@dataclass(frozen=True)
class About:
    """What the rows are about. ``target`` and ``lexicon``: the settings' names. ``stand_ins``: everything that stands in
    for something else, in words. ``attack``: whose successes are explained, else empty. ``available``: how many texts there
    are, of which the rows may be the first (``limit``); None: as many as there are rows. All are made fit to be shown."""

    domain: Domain
    victim: str
    method: str
    target: str
    lexicon: str
    min_count: int
    seed: int
    stand_ins: tuple[str, ...] = ()
    attack: str = ""
    available: int | None = None

    def __post_init__(self) -> None:
        domain = replace(self.domain, name=visible(self.domain.name), stand_in=visible(self.domain.stand_in),
                         classes=tuple(map(visible, self.domain.classes)))
        for key, value in {"domain": domain, "victim": visible(self.victim), "attack": visible(self.attack),
                           "target": visible(self.target), "stand_ins": tuple(map(visible, self.stand_ins))}.items():
            object.__setattr__(self, key, value)

    @property
    def title(self) -> str:
        where = self.domain.name + (f" ({self.domain.stand_in})" if self.domain.stand_in else "")
        texts = f", originals of {self.attack}" if self.attack else ""
        return f"{METHOD_NAMES[self.method]} of {self.victim} on {where}{texts}"

    @property
    def explained(self) -> str:
        """Whose logit a positive value raises, in words."""
        positive = [self.domain.classes[index] for index in self.domain.positive]
        if self.target == "positive" and len(positive) > 1:
            return f"the likeliest of the non-credible classes ({', '.join(positive)}) of each text"
        return {"positive": f"the class {positive[0]}" if positive else "", "predicted": "the class that the victim predicts",
                "label": "the text's own (gold) class"}.get(self.target) or f"the class {self.target}"


@dataclass(frozen=True)
class Views:
    """``plotted``: the words of at least ``min_count`` texts, which the extremes and the trend are of."""

    about: About
    rows: Sequence[Explained]
    words: list[corpus.WordSaliency]
    plotted: list[corpus.WordSaliency]
    extremes: list[corpus.WordSaliency]
    trend: corpus.Trend
    shares: dict[str, adverbs.Share]
    sentences: list[sentences.Sentence]
    agreement: changed.Agreement | None

    @property
    def capped(self) -> bool:
        """Whether the rows are the first of more texts."""
        return self.about.available is not None and len(self.rows) < self.about.available

    @property
    def count(self) -> str:
        """How many texts there are rows of: ``1,283``, or of how many these are the first."""
        return f"{len(self.rows):,}" + (f" of {self.about.available:,}" if self.capped else "")

    @property
    def title(self) -> str:
        return self.about.title + (f", the first {self.count} texts" if self.capped else "")


def look(rows: Sequence[Explained], about: About, attempts: Mapping[str, Attempt] | None = None) -> Views:
    """Every view of the rows; ``attempts``: an attack's successes by id, whose originals the rows explain."""
    words = corpus.word_saliency(rows)
    lexicon = adverbs.lexicon(about.lexicon)
    altered = {id: changed.changed_words(attempt) for id, attempt in (attempts or {}).items()
               if not changed.is_broken(attempt.original, attempt.adversarial)}
    plotted = [word for word in words if word.texts >= about.min_count]
    return Views(about, rows, words, plotted, corpus.extremes(plotted), corpus.trend(plotted),
                 adverbs.shares(rows, lexicon, about.domain.classes, about.seed),
                 sentences.chosen(rows, lexicon, about.domain.classes, altered),
                 None if attempts is None else changed.agreement(rows, attempts, about.seed))


def summary(views: Views) -> dict[str, Any]:
    """What ``saliency.json`` holds beside the settings; nan as null."""
    rows, about = views.rows, views.about
    known = [row for row in rows if 0 <= row.label < len(about.domain.classes)]
    return _plain({
        "domain": about.domain.name, "domain_stand_in": about.domain.stand_in, "victim": about.victim, "method": about.method,
        "target": about.target, "explained": about.explained, "attack": about.attack or None, "stand_ins": about.stand_ins,
        "texts": len(rows), "of_texts": len(rows) if about.available is None else about.available,
        "truncated": sum(row.truncated for row in rows),
        "without_words": sum(not row.pieces for row in rows),
        "accuracy": sum(row.prediction == row.label for row in known) / len(known) if known else None,
        **{name: _mean([getattr(row, name) for row in rows]) for name in CHECKS},
        "special_share": special_share(rows),
        "words": len(views.words), "trend_slope": views.trend.slope,
        "extremes": [asdict(word) for word in views.extremes],
        "lexicon": about.lexicon, "intensifiers": {name: asdict(share) for name, share in views.shares.items()},
        "changed_words": None if views.agreement is None else _agreement(views.agreement)})


def special_share(rows: Sequence[Explained]) -> float | None:
    """Of the sum of |value|, what lies on special pieces ([CLS], [SEP]): over all texts together."""
    special = sum(abs(row.special) for row in rows)
    total = special + sum(abs(value) for row in rows for *_, value in row.pieces)
    return special / total if total else None


def _agreement(found: changed.Agreement) -> dict[str, Any]:
    return {"texts": len(found.texts), "left_out": found.left_out, "means": found.means, "intervals": found.intervals,
            "changed_share_by_tenth": found.tenths, "changed_share": found.overall,
            "each": [{"id": text.id, "words": text.words, "changed": text.changed, **text.measures} for text in found.texts]}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(numpy.mean(known)) if known else None


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def words_csv(views: Views) -> str:
    """Every word as CSV: word, texts, occurrences, mean, sd; then texts and mean by gold class, and by explained class
    where there are several."""
    classes = views.about.domain.classes
    labels = sorted({label for word in views.words for label in word.labels})
    targets = sorted({target for word in views.words for target in word.targets})
    groups = [("labels", f"label={_name(label, classes)}", label) for label in labels]
    groups += [("targets", f"target={_name(target, classes)}", target) for target in targets if len(targets) > 1]
    rows: list[list[object]] = [["word", "texts", "occurrences", "mean", "sd",
                                 *(f"{what} {name}" for _, name, _ in groups for what in ("texts", "mean"))]]
    for word in views.words:
        found = {"labels": word.labels, "targets": word.targets}
        cells = [cell for kind, _, key in groups for cell in found[kind].get(key, (0, None))]
        rows.append([word.word, word.texts, word.occurrences,
                     *("" if cell is None else cell if isinstance(cell, int) else _digits(cell)
                       for cell in (word.mean, word.sd, *cells))])
    return spreadsheet.lines(rows)


def _digits(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6g}"


def _name(index: int, classes: Sequence[str]) -> str:
    return classes[index] if 0 <= index < len(classes) else "unknown"
