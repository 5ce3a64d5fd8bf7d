"""``task=saliency``: which words made a victim's decisions, text by text and over a corpus."""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from hardtext import disks, records, runs, scoring, tracking
from hardtext.core import Attempt, Domain, Example, InputError, Victim
from hardtext.pipelines.common import ALIKE, folder_of, load_corpus, named_victim
from hardtext.pipelines.score import place
from hardtext.progress import progress
from hardtext.reporting.leaderboard_formats import markdown, rich_table
from hardtext.reporting.saliency import adverbs, rows, tables, views
from hardtext.reporting.saliency.rows import Explained
from hardtext.saliency import METHODS, MOST_STEPS, Attribution, explain, faithfulness, shuffled
from hardtext.scoring.summary import read_summary

if TYPE_CHECKING:
    import numpy

    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

TEXTS_AT_ONCE = {"gradient_x_input": 128, "integrated_gradients": 32, "occlusion": 32}
"""Texts whose rows are made and kept together: a kill loses no more. The cut does not depend on how often a run was
stopped, since the last digits of a value depend on the batch it was computed in."""
RESULT = ("task", "domain", "model", "victim", "split", "limit", "seed", "method", "saliency", "attempts", "device")
VIEWS_ONLY = ("limit", "saliency.lexicon", "saliency.min_count")
"""Settings that leave the rows as they are."""
PRINTED = 4  # texts in the terminal


@dataclass(frozen=True)
class Texts:
    """What is explained: examples of a split, or the originals of an attack's successes (``attempts``, by id). ``all``:
    what ``examples`` are the first of, by the limit."""

    all: Sequence[Example]
    attempts: dict[str, Attempt] | None = None
    attack: str = ""
    place: str = ""  # of the result's folder
    stand_ins: tuple[str, ...] = ()
    limit: int | None = None

    @property
    def examples(self) -> Sequence[Example]:
        return self.all[: self.limit]


def run(config: EvaluateConfig) -> views.Views:
    """``saliency.jsonl``, a line for each text, and the views made from it: saliency.json, .md, .html, words.csv, figures."""
    check(config)
    corpus = load_corpus(config.domain, config.seed)
    domain = corpus.domain
    source = config.saliency.attempts or config.attempts
    texts = of_attack(Path(source).expanduser(), domain, config) if source else Texts(
        corpus.split(config.split),
        place=f"seed={config.seed}" + (f",split={config.split}" if config.split != "attack" else ""))
    texts = replace(texts, limit=config.limit)
    if not texts.examples:
        raise InputError(f"attempts={source}: it holds no success, so there is no text to explain" if source else
                         f"split={config.split}: domain {domain.name} has no examples there")
    victim = named_victim(config, domain)
    explain(victim, [], method=config.method, target=[], steps=config.saliency.steps)  # refuses now what it would later
    targets_of(config.saliency.target, domain, [], None)

    from hardtext.config import to_dict

    name = config.model.name if config.model is not None else victim.name
    folder = folder_of(runs.evaluate_folder("saliency", domain.name, name, config.method, texts.place), config.out,
                       config.label)
    settings = {key: value for key, value in to_dict(config).items() if key in RESULT}
    settings |= {"victim_fingerprint": victim.fingerprint}
    digest = digest_of(config, victim)
    file = folder / rows.FILE
    if not config.overwrite:
        runs.refuse_other_config(folder, settings, (*ALIKE, "device", *VIEWS_ONLY))
        kept(file, texts, domain, digest)
    with runs.RunFolder.open(folder, settings, ignore=(*ALIKE, "device"), extend=VIEWS_ONLY,
                             overwrite=config.overwrite) as job:
        if not job.done:
            if config.overwrite:
                file.unlink(missing_ok=True)
            explain_to_file(file, victim, domain, texts, config, digest)
        about = views.About(domain, victim.name, config.method, config.saliency.target, config.saliency.lexicon,
                            config.saliency.min_count, config.seed, stand_ins_of(domain, texts), texts.attack,
                            len(texts.all))
        found = views.look(rows.read(file), about, texts.attempts)
        if job.done:
            log.info("%s: done before; overwrite=true explains again", disks.shown(folder))
        else:
            with tracking.open_run(folder, config.logger, settings, group=config.group,
                                   name=f"saliency {domain.name} {name} {config.method}") as diary:
                write(folder, found, diary)
    show(found)
    log.info("written to %s; open saliency.html in a browser", disks.shown(folder))
    return found


def check(config: EvaluateConfig) -> None:
    if config.method not in METHODS:
        raise InputError(f"method={config.method}: expected one of {', '.join(METHODS)}")
    if not 1 <= config.saliency.steps <= MOST_STEPS:
        raise InputError(f"saliency.steps={config.saliency.steps}: expected 1 to {MOST_STEPS:,}")
    adverbs.lexicon(config.saliency.lexicon)
    if config.saliency.min_count < 1:
        raise InputError(f"saliency.min_count={config.saliency.min_count}: expected 1 or more texts")
    if config.limit is not None and config.limit < 1:
        raise InputError(f"limit={config.limit}: expected 1 or more texts")
    if config.domain is None:
        raise InputError("task=saliency needs domain=<domain>, and model=<model> or victim=<folder or hub id>")
    if config.model is None and config.victim is None:
        raise InputError("task=saliency needs a victim: model=<model> for the one that train.py left, or "
                         "victim=<folder or hub id>")


def of_attack(source: Path, domain: Domain, config: EvaluateConfig) -> Texts:
    """The originals of an attack's successes. Raises InputError for attempts on another domain."""
    attempts = scoring.load_attempts(source, domain.name)
    found = {attempt.id: attempt for attempt in attempts if attempt.status == "success"}
    attack = attempts[0].attack
    return Texts([Example(id, attempt.original, attempt.label) for id, attempt in found.items()], found, attack,
                 f"{place(source, config.seed)},attack={attack}", read_summary(source).stand_ins)


def stand_ins_of(domain: Domain, texts: Texts) -> tuple[str, ...]:
    return tuple(f"domain: {words}" for words in [domain.stand_in] if words) + texts.stand_ins


def targets_of(target: str, domain: Domain, examples: Sequence[Example], probs: numpy.ndarray | None) -> list[int]:
    """The class to explain for each text; ``probs`` is (texts, classes).

    ``positive`` is the non-credible class; where there are several (LIAR-6), the one that the victim finds likeliest for
    the text. Raises InputError for a target that is neither that, ``predicted``, ``label`` nor a class.
    """
    if target not in ("positive", "predicted", "label", *domain.classes):
        raise InputError(f"saliency.target={target}: expected positive, predicted, label, or one of the classes "
                         f"{', '.join(domain.classes)}")
    if not examples:
        return []
    if target == "positive":
        return [max(domain.positive, key=lambda index: row[index]) for row in probs]
    if target == "predicted":
        return [int(row.argmax()) for row in probs]
    if target == "label":
        if unlabelled := [e.id for e in examples if not 0 <= e.label < len(domain.classes)]:
            raise InputError(f"saliency.target=label: text {unlabelled[0]!r} has no label; take positive or predicted")
        return [example.label for example in examples]
    return [domain.classes.index(target)] * len(examples)


def digest_of(config: EvaluateConfig, victim: Victim) -> str:
    """Of everything that the values of a row depend on, beside its text."""
    steps = config.saliency.steps if config.method == "integrated_gradients" else None
    seed = config.seed if config.saliency.checks else None  # of the random words
    parts = [victim.fingerprint, config.method, config.saliency.target, steps, config.saliency.checks, seed]
    return hashlib.sha256(records.dumps(parts).encode("utf-8")).hexdigest()[:12]


def kept(file: Path, texts: Texts, domain: Domain, digest: str) -> dict[str, Explained]:
    """The rows that a former run left, by id. Raises InputError where they are damaged, or of other settings or texts."""
    asked, known = ({example.id: example.segments for example in part} for part in (texts.examples, texts.all))
    if len(known) < len(texts.all):
        raise InputError("the texts' ids must be unique, and some are repeated")
    found = {row.id: row for row in rows.read(file)} if file.exists() else {}
    again = "overwrite=true starts again, or choose another seed or out=<folder>"
    for row in found.values():
        if row.settings != digest or len(row.probs) != len(domain.classes):
            raise InputError(f"{disks.shown(file)} holds rows made with other settings or another victim: {again}")
        if known.get(row.id) != row.segments:
            raise InputError(f"{disks.shown(file)} holds text {row.id!r}, which is not, or no longer, among the "
                             f"{len(known):,} texts to choose from: {again}")
        if row.id not in asked:
            raise InputError(f"{disks.shown(file)} holds {len(found):,} texts and limit={texts.limit} asks for "
                             f"{len(asked):,}: leave the limit out, or set overwrite=true or out=<folder>")
    return found


def explain_to_file(file: Path, victim: Victim, domain: Domain, texts: Texts, config: EvaluateConfig,
                    digest: str) -> None:
    """A row for each text, in the order of the texts once all are there; rows of a killed run are kept."""
    size, examples = TEXTS_AT_ONCE[config.method], texts.examples
    records.repair(file)
    found = kept(file, texts, domain, digest)
    with records.RowWriter(file) as writer, progress(f"saliency ({config.method})", len(examples), len(found)) as bar:
        for start in range(0, len(examples), size):
            part = examples[start : start + size]
            if all(example.id in found for example in part):
                continue
            for row in explained(victim, domain, part, config, digest):
                if row.id not in found:
                    writer.append(row.to_row())
                    bar.advance()
                found[row.id] = row
    records.write_rows(file, (found[example.id].to_row() for example in examples))


def explained(victim: Victim, domain: Domain, examples: Sequence[Example], config: EvaluateConfig,
              digest: str) -> list[Explained]:
    """The rows of some texts."""
    texts = [example.segments for example in examples]
    probs = victim.probabilities(texts)
    targets = targets_of(config.saliency.target, domain, examples, probs)
    made = list(explain(victim, texts, method=config.method, target=targets, steps=config.saliency.steps))
    checks = [{}] * len(made)
    if config.saliency.checks:
        chance = faithfulness(victim, shuffled(made, config.seed))
        checks = [_checks(*own, *other) for own, other in zip(faithfulness(victim, made).tolist(), chance.tolist())]
    return [_row(example, attribution, row, config.method, digest, check)
            for example, attribution, row, check in zip(examples, made, probs, checks, strict=True)]


def _checks(comprehensiveness: float, sufficiency: float, comprehensiveness_random: float,
            sufficiency_random: float) -> dict[str, float | None]:
    values = {"comprehensiveness": comprehensiveness, "sufficiency": sufficiency,
              "comprehensiveness_random": comprehensiveness_random, "sufficiency_random": sufficiency_random}
    return {name: None if value != value else _digits(value) for name, value in values.items()}  # nan: a text without words


def _row(example: Example, made: Attribution, probs: numpy.ndarray, method: str, digest: str,
         checks: dict[str, Any]) -> Explained:
    return Explained(
        example.id, method, made.target, example.label, int(probs.argmax()), [round(float(p), 6) for p in probs],
        example.segments, tuple((s, a, b, _digits(value)) for s, a, b, value in made.words()), _digits(made.special),
        tuple(made.read), _digits(made.gap) if made.gap is not None and math.isfinite(made.gap) else None,
        settings=digest, **checks)


def _digits(value: float) -> float:
    return float(f"{value:.6g}")


def write(folder: Path, found: views.Views, diary: tracking.Run) -> None:
    """Everything that is made from the rows."""
    from hardtext.reporting.saliency import figures, page

    summary = views.summary(found)
    pictures = {"corpus": figures.corpus(found),
                "sentences": figures.sentences(found)}
    if found.agreement is not None:
        pictures["attack"] = figures.attack(found)
    saved = {name: figures.save(figure, folder / "figures" / name)[0].read_bytes() for name, figure in pictures.items()}
    records.write_text(folder / "saliency.html", page.render(found, saved["corpus"], saved.get("attack", b"")))
    records.write_text(folder / "words.csv", views.words_csv(found))
    records.write_text(folder / "saliency.md", markdown(tables.sheets(found)))
    records.write_json(folder / "saliency.json", summary)
    for name in saved:
        diary.image(name, folder / "figures" / f"{name}.png")
    diary.summary({key: value for key, value in summary.items() if isinstance(value, (int, float))})
    diary.table("extremes", ["word", "texts", "occurrences", "mean", "sd"],
                [[word.word, word.texts, word.occurrences, word.mean, word.sd] for word in found.extremes])


def show(found: views.Views) -> None:
    console = Console()
    for sentence in found.sentences[:PRINTED]:
        console.print(tables.terminal(sentence, found.about.domain.classes))
    for sheet in tables.sheets(found, narrow=True):
        console.print(rich_table(sheet))
