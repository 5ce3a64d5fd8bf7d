"""``task=detect``: how well attacked texts are told from clean ones before a victim reads them.

The originals are cut into two halves, each with all that attacks made of it: on one the scores are combined, on the other
they are tried, so that no text the combination has seen, and no neighbour of one, is judged.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hardtext import disks, runs, scoring, tracking
from hardtext.attacks import engine
from hardtext.core import Attempt, Corpus, InputError, Segments
from hardtext.hardening import detection, guard
from hardtext.pipelines.annotate import sources
from hardtext.pipelines.common import folder_of, load_corpus, named_victim
from hardtext.progress import progress
from hardtext.reporting import detect_table
from hardtext.results import result_folder
from hardtext.scoring.detection import FALSE_ALARMS, Judged, judge, threshold_at
from hardtext.scoring.summary import read_summary
from hardtext.seeding import derive, generator

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

FILES = ("detect.json", "detect.md", "detect.csv", "detector.json", *(f"detect_roc.{ending}" for ending in ("png", "svg")))
TOGETHER = "together"
"""The combination of all scores."""
AT_ONCE = 256  # texts between two steps of the progress bar


@dataclass(frozen=True)
class Success:
    """What an attack made of a text."""

    attack: str
    original: Segments
    adversarial: Segments


def run(config: EvaluateConfig) -> dict[str, Any]:
    from hardtext.attacks.masked_lm import load_masked_lm
    from hardtext.reporting import detect_figures

    if config.attempts is None or config.domain is None:
        raise InputError("task=detect needs attempts=<attempts.jsonl | attack folder | folder of them>, or several separated "
                         "by commas, and domain=<domain>")
    engine.check_options(limit=config.limit)
    paths = sources(config.attempts)
    attempts = [attempt for path in paths for attempt in scoring.load_attempts(path, config.domain.name)]
    corpus = load_corpus(config.domain, config.seed)
    successes = successes_of(attempts, config.limit)
    ones, others = halves(list(dict.fromkeys(s.original for s in successes)), config.seed)
    clean_ones, clean_others = halves(clean_texts(corpus, attempts, config.detect.clean), config.seed)

    masked_lm = load_masked_lm(config.detect.masked_lm, config.device)
    marks = [f"domain: {corpus.domain.stand_in}"] * bool(corpus.domain.stand_in)
    marks += [f"masked LM: {masked_lm.stand_in}"] * bool(masked_lm.stand_in)
    marks += [words for path in paths for words in read_summary(path).stand_ins]
    victim = named_victim(config, corpus.domain)
    for name in sorted({a.victim for a in attempts} - {victim.name} if victim is not None else ()):
        log.warning("the attempts are against %s, and %s is asked about them", name, victim.name)
    victims = sorted({a.victim for a in attempts})
    asked = f",victim={victim.name}" if victim is not None else ""
    default = runs.evaluate_folder("detect", corpus.domain.name, "+".join(victims), f"seed={config.seed}{asked}")
    folder = folder_of(default, config.out, config.label)
    settings = {"task": "detect", "attempts": config.attempts, "domain": corpus.domain.name, "limit": config.limit,
                "seed": config.seed, "masked_lm": masked_lm.name, "clean": config.detect.clean,
                "victim_fingerprint": None if victim is None else victim.fingerprint}
    with (result_folder(folder, settings, FILES, overwrite=config.overwrite), disks.disk_trouble_at(folder),
          tracking.open_run(folder, config.logger, settings, group=config.group,
                            name=f"detect {corpus.domain.name}") as diary):
        counts = detection.counted(e.segments for e in corpus.train)
        scorer = detection.Scorer(masked_lm, counts, victim)
        scores = scored([*(t for s in successes for t in (s.original, s.adversarial)), *clean_ones, *clean_others], scorer)

        def table(texts: Sequence[Segments]) -> np.ndarray:
            return np.array([scores[text] for text in texts])

        fitted_on = [s for s in successes if s.original in ones]
        tested = [s for s in successes if s.original in others]
        unattacked = table([*ones, *clean_ones])
        detector = detection.fit(scorer.names, table([s.adversarial for s in fitted_on]), unattacked)
        columns = {TOGETHER: detector, **{name: _column(n) for n, name in enumerate(scorer.names)}}
        groups = [s.original for s in tested]
        against = {"originals": list(others), "clean": list(clean_others)}
        seed = derive(config.seed, "detect bootstrap")
        judged: dict[str, dict[str, Judged]] = {}
        for name, column in columns.items():
            suspicious = column(table([s.adversarial for s in tested]))
            judged[name] = {view: judge(suspicious, column(table(texts)), groups, texts, seed=seed) for view, texts in
                            against.items()}
        by_attack = {attack: {name: judge(column(table([s.adversarial for s in own])), column(table(against["clean"])),
                                          [s.original for s in own], against["clean"], resamples=0).auc
                              for name, column in columns.items()} | {"texts": len(own)}
                     for attack in dict.fromkeys(s.attack for s in tested)
                     if (own := [s for s in tested if s.attack == attack])}
        thresholds = {rate: deployed(rate, detector, unattacked, table([s.adversarial for s in tested]),
                                     {view: table(texts) for view, texts in against.items()}) for rate in FALSE_ALARMS}
        about = detect_table.About(
            domain=corpus.domain.name, stand_in=corpus.domain.stand_in, victims=tuple(victims),
            attacks=tuple(dict.fromkeys(s.attack for s in successes)), masked_lm=masked_lm.name,
            asked="" if victim is None else victim.name, seed=config.seed,
            fitted={"adversarial": len(fitted_on), "originals": len(ones), "clean": len(clean_ones)},
            tested={"adversarial": len(tested), "originals": len(others), "clean": len(clean_others)},
            marks=tuple(dict.fromkeys(marks)))
        report = detect_table.write(folder, about, judged, by_attack, thresholds, detector.to_row(), settings)
        guard.save_guard(folder, detector, {rate: one["threshold"] for rate, one in thresholds.items()}, counts,
                         config.detect.masked_lm, victim, about.marks)
        curves = {view: {name: (column(table([s.adversarial for s in tested])), column(table(texts)))
                         for name, column in columns.items()} for view, texts in against.items()}
        detect_figures.draw(folder, about, curves)
        diary.summary({f"{name}/{view}/auc": one.auc for name, views in judged.items() for view, one in views.items()})
    detect_table.show(about, judged, by_attack, thresholds)
    log.info("written to %s", disks.shown(folder / "detect.md"))
    return report


def successes_of(attempts: Sequence[Attempt], limit: int | None) -> list[Success]:
    """The distinct successes, of the first ``limit`` originals that hold any. Raises InputError for too few to judge by."""
    found = list(dict.fromkeys(Success(a.attack, a.original, a.adversarial) for a in attempts if a.status == "success"))
    originals = list(dict.fromkeys(s.original for s in found))[:limit]
    if len(originals) < 2:
        raise InputError(f"task=detect needs successes on two originals or more, to fit on one half and to test on the "
                         f"other; among {len(attempts)} attempts there are {len(originals)}")
    kept = set(originals)
    return [s for s in found if s.original in kept]


def clean_texts(corpus: Corpus, attempts: Sequence[Attempt], count: int) -> list[Segments]:
    """Texts of the domain that no attempt started from: the first ``count`` of dev, or of the attack split where the domain
    has no dev texts. Never of the training split, whose words the scores know."""
    attacked = {a.original for a in attempts}
    for split in (corpus.dev, corpus.attack):
        if len(texts := [t for t in dict.fromkeys(e.segments for e in split) if t not in attacked][:count]) > 1:
            return texts
    raise InputError(f"domain {corpus.domain.name} holds no clean texts in dev or attack besides those attacked: false "
                     f"alarms cannot be counted")


def halves(texts: Sequence[Segments], seed: int) -> tuple[dict[Segments, None], dict[Segments, None]]:
    """Distinct texts in two halves by chance, (to fit on, to test on), as ordered sets; which half a text is in depends on
    the seed and on the texts, not on their order."""
    order = sorted(dict.fromkeys(texts))
    generator(seed, "detect halves").shuffle(order)
    first = set(order[: len(order) // 2])
    return dict.fromkeys(t for t in texts if t in first), dict.fromkeys(t for t in texts if t not in first)


def scored(texts: Sequence[Segments], scorer: detection.Scorer) -> dict[Segments, np.ndarray]:
    """The scores of each distinct text."""
    distinct = list(dict.fromkeys(texts))
    found: dict[Segments, np.ndarray] = {}
    with progress("score texts", total=len(distinct)) as bar:
        for start in range(0, len(distinct), AT_ONCE):
            part = distinct[start : start + AT_ONCE]
            found.update(zip(part, scorer.scores(part), strict=True))
            bar.advance(len(part))
    return found


def deployed(rate: float, detector: detection.Detector, unattacked: np.ndarray, adversarial: np.ndarray,
             clean: dict[str, np.ndarray]) -> dict[str, Any]:
    """The threshold that ``rate`` of the clean texts of the first half exceed, and what it does on the other half."""
    threshold = threshold_at(detector(unattacked), rate)
    return {"threshold": threshold, "caught": float((detector(adversarial) > threshold).mean()),
            "false_alarms": {view: float((detector(table) > threshold).mean()) for view, table in clean.items()}}


def _column(number: int) -> Any:
    return lambda table: table[:, number]
