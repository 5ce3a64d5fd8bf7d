"""``task=certify``: how many words of a text may be changed before the vote of a smoothed victim can change, at what cost.

The certificate is about the vote over all possible copies of a text, which ``certify.copies`` of them bound with confidence;
a victim that votes over fewer may err besides. It says nothing of victims that are not smoothed.
"""

from __future__ import annotations

import logging
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from hardtext import disks, records, runs, tracking
from hardtext.attacks import engine
from hardtext.core import Corpus, Example, InputError, Victim
from hardtext.pipelines import trained_on
from hardtext.pipelines.common import digest_of_texts, find_victim, folder_of, load_corpus
from hardtext.progress import progress
from hardtext.reporting import certify_figure, certify_table
from hardtext.reporting.certify_table import About, Certified
from hardtext.victims.defended.certificates import certified
from hardtext.victims.defended.coarse import Coarse
from hardtext.victims.defended.rewriting import Rewriting
from hardtext.victims.defended.smoothed import Smoothed, maskable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

ROWS = "certified.jsonl"
_ALL = 10**12  # copies: as good as all there are


def run(config: EvaluateConfig) -> dict[str, Any]:
    """``certified.jsonl``, a line for each text, and the table and the figure made from it."""
    if config.domain is None or config.model is None:
        raise InputError("task=certify needs domain=<domain> and the smoothed victim: model=<model> hardening=[smooth]; "
                         "victim=<folder> names another folder of it")
    engine.check_options(limit=config.limit)
    corpus = load_corpus(config.domain, config.seed)
    domain, split = corpus.domain, corpus.split(config.split)
    examples = split[: config.limit]
    if not examples:
        raise InputError(f"split={config.split}: domain {domain.name} has no examples there")
    victim = smoothed_in(find_victim(config.model, domain, config.seed, source=config.victim, device=config.device,
                                     trust_remote_code=config.trust_remote_code))
    for warning in trained_on.warnings(config):
        log.warning("%s", warning)
    name = f"seed={config.seed}" + (f",split={config.split}" if config.split != "attack" else "")
    folder = folder_of(runs.evaluate_folder("certify", domain.name, config.model.name, name), config.out, config.label)
    settings = {"task": "certify", "domain": trained_on.reading(config.domain), "texts": digest_of_texts(split),
                "model": config.model.name, "victim": config.victim, "split": config.split, "limit": config.limit,
                "seed": config.seed, "copies": config.certify.copies, "alpha": config.certify.alpha,
                "victim_fingerprint": victim.fingerprint}
    with (runs.RunFolder.open(folder, settings, extend=("limit",), overwrite=config.overwrite) as job,
          tracking.open_run(folder, config.logger, settings, name=f"certify {domain.name} {config.model.name}",
                            group=config.group) as diary):
        rows = certify(folder / ROWS, examples, victim, config.certify.copies, config.certify.alpha)
        about = about_of(config, corpus, victim, examples)
        if about.hint:
            log.warning("%s", about.hint)
        made = certify_table.write(folder, about, rows, settings)
        certify_figure.draw(folder, about, rows)
        diary.summary({"certified_accuracy": made["certified"][0]["share"], "median_words": made["median_words"]})
    if job.done:
        log.info("%s: done before; overwrite=true certifies again", disks.shown(folder))
    certify_table.show(about, rows)
    log.info("written to %s", disks.shown(folder))
    return made


def smoothed_in(victim: Victim) -> Smoothed:
    """The smoothed part of a defended victim. Raises InputError where there is none, or where it reads rewritten texts."""
    if isinstance(victim, Coarse):  # the most probable class stays the most probable one
        victim = victim.victim
    if isinstance(victim, Rewriting):
        raise InputError("task=certify: the certificate counts the words that smoothing sees, and canonicalise and encode "
                         "change them first; train and certify with hardening=[smooth] alone, or with output")
    if not isinstance(victim, Smoothed):
        raise InputError("task=certify: this victim is not smoothed, so that nothing can be certified: train one with "
                         "python train.py model=<model> hardening=[smooth]")
    return victim


def about_of(config: EvaluateConfig, corpus: Corpus, victim: Smoothed, examples: Sequence[Example]) -> About:
    settings, copies = victim.settings, config.certify.copies

    def most(unanimous: int) -> int:
        votes = np.array([unanimous] + [0] * (len(victim.classes) - 1))
        return max(certified(votes, settings.untouched(e.segments), alpha=config.certify.alpha) or 0 for e in examples)

    at_best, hint = most(copies), ""
    if not at_best and most(_ALL):
        hint = f"not even a unanimous vote of {copies} copies certifies a word: raise certify.copies, or certify.alpha"
    elif not at_best and settings.kind == "mask":
        hint = (f"not even a unanimous vote of any number of copies certifies a word where {settings.rate:.0%} are masked, "
                f"since each word is shown in most copies: train with more masked, such as hardening.smooth.rate=0.7, "
                f"RanMASK's")
    elif not at_best:
        hint = "no word of these texts has synonyms alike enough to certify it"
    return About(domain=corpus.domain.name, stand_in=corpus.domain.stand_in, classes=corpus.domain.classes,
                 victim=config.model.name, kind=settings.kind, copies=copies, voters=settings.copies,
                 alpha=config.certify.alpha, split=config.split, whole=len(corpus.split(config.split)), at_best=at_best,
                 hint=hint)


def certify(file: Path, examples: Sequence[Example], victim: Smoothed, copies: int, alpha: float) -> list[Certified]:
    """A row for each text, in their order; those of a killed run are kept. Equal texts are asked about once."""
    found = kept(file, examples, victim, copies, alpha) if file.exists() else {}
    texts = {example.segments: found[example.id] for example in examples if example.id in found}
    with records.RowWriter(file) as writer, progress("certify", len(examples), len(found)) as bar:
        for example in examples:
            if example.id in found:
                continue
            if (known := texts.get(example.segments)) is None:
                start = perf_counter()
                (votes,) = victim.votes([example.segments], copies)
                radius = certified(votes, victim.settings.untouched(example.segments), alpha=alpha)
                known = Certified("", example.label, len(maskable(example.segments)), votes.tolist(), radius, copies,
                                  round(perf_counter() - start, 4))
                texts[example.segments] = known
            else:
                known = known.again()
            found[example.id] = row = known.of(example.id, example.label)
            writer.append(row.to_row())
            bar.advance()
    return [found[example.id] for example in examples]


def kept(file: Path, examples: Sequence[Example], victim: Smoothed, copies: int, alpha: float) -> dict[str, Certified]:
    """The rows that a former run left, by id; those of texts that are not asked about now are left alone. Raises InputError
    where one does not follow from its text and its votes."""
    asked = {example.id: example for example in examples}
    found = {}
    for number, values in enumerate(records.read_rows(file), 1):
        row = Certified.from_row(values)
        fits = row is not None and len(row.votes) == len(victim.classes) and sum(row.votes) == copies
        if fits and (example := asked.get(row.id)) is not None:
            radius = certified(np.array(row.votes), victim.settings.untouched(example.segments), alpha=alpha)
            fits = (row.label, row.words, row.radius) == (example.label, len(maskable(example.segments)), radius)
        if not fits:
            raise InputError(f"{disks.shown(file)}, line {number}: no row of task=certify, or a changed one; overwrite=true "
                             f"starts again")
        found[row.id] = row
    return found
