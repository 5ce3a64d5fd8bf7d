"""``experiment=robustness_matrix``: defence × attack on one domain, what each defence buys, by one protocol for all.

Every victim is trained and then attacked anew (adaptive: the attack sees the defended victim), with the same seeds, texts
and query cap. Trainings and attacks are runs of ``train.py`` and ``attack.py`` with folders of their own, so that a killed
matrix goes on where it stopped, and one of more defences adds to the one before.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hardtext import records, runs, tracking
from hardtext.attacks import ties
from hardtext.core import Attempt, Corpus, InputError, Victim
from hardtext.pipelines import attack, train
from hardtext.pipelines.common import folder_of, load_corpus
from hardtext.scoring import measure, robustness
from hardtext.scoring.segment import resolve
from hardtext.victims import load_victim

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

PLAIN = "plain"
VARIANTS = ("adv", "hard")
"""Rows that are models of their own (``tiny_adv``, ``tiny_hard``); every other row names its defences: ``augment+output``."""


def run(config: EvaluateConfig) -> list[robustness.Row]:
    from hardtext.reporting import matrix_figures, matrix_table

    if config.domain is None or config.model is None:
        raise InputError("experiment=robustness_matrix: name the domain with domain= and the plain model with model=")
    wanted = config.matrix
    corpus = load_corpus(config.domain, config.seed)
    examples = corpus.split(config.split)[: config.limit]
    if not examples:
        raise InputError(f"split={config.split}: domain {corpus.domain.name} has no examples there")
    jobs = [(row, seed) for row in dict.fromkeys([PLAIN, *wanted.rows]) for seed in wanted.seeds]
    trainings = {job: training(config, *job) for job in jobs}  # all composed before any work: a misspelt row is said now
    default = runs.evaluate_folder("robustness_matrix", corpus.domain.name, config.model.name,
                                   *([f"split={config.split}"] if config.split != "attack" else []))
    folder = folder_of(default, config.out, config.label)
    settings = {"task": "robustness_matrix", "domain": corpus.domain.name, "model": config.model.name,
                "split": config.split, "limit": config.limit, "matrix": asdict(wanted)}
    with (runs.disk_trouble_at(folder),
          tracking.open_run(folder, config.logger, settings, group=config.group,
                            name=f"robustness {corpus.domain.name} {config.model.name}") as diary):
        cells, trained, stand_ins = [], [], set()
        for (row, seed), job in trainings.items():
            log.info("== %s, seed %d", row, seed)
            report = train.run(job)
            trained.append(clean(row, seed, report, config.split))
            victim_folder = runs.train_folder(corpus.domain.name, job.model.name, seed)
            for name in wanted.attacks:
                attempts = attacked(config, job, victim_folder, name, seed, folder / "cells" / row / name / f"seed={seed}")
                summary = records.read_json(folder / "cells" / row / name / f"seed={seed}" / "summary.json")
                stand_ins.update(summary["stand_ins"])
                cells.append(cell(row, seed, attempts, summary, config, victim_folder, corpus,
                                  folder / "cells" / PLAIN / name / f"seed={seed}"))
        rows = robustness.rows(cells, trained, plain=PLAIN, caps=wanted.caps, seed=config.seed)
        about = matrix_table.About(corpus.domain.name, corpus.domain.stand_in, config.model.name, config.split,
                                   len(examples), tuple(wanted.attacks), tuple(wanted.seeds), tuple(wanted.caps),
                                   config.semantic.name, tuple(sorted({*stand_ins, *([said] if (said := config.semantic.stand_in) else [])})))
        matrix_table.write(folder, about, rows, cells, settings)
        matrix_figures.write(folder, about, rows)
        diary.summary({f"{row.victim}/{key}": getattr(row, key) for row in rows for key in ("mean", "ratio", "success")})
    matrix_table.show(about, rows)
    log.info("written to %s", runs.shown(folder / "matrix.md"))
    return rows


def training(config: EvaluateConfig, row: str, seed: int) -> Any:
    """The settings of ``train.py`` for one row of the matrix."""
    from hardtext.config import compose

    model = config.model.name
    if row in VARIANTS:
        overrides = [f"model={model}_{row}"]
    else:
        overrides = [f"model={model}"] + ([] if row == PLAIN else [f"hardening=[{row.replace('+', ',')}]"])
    settings = compose("train", [*overrides, f"seed={seed}", *config.matrix.training])
    # The figures of train.py's own attack are not asked for; one text keeps that step short.
    return replace(settings, domain=config.domain, semantic=config.semantic, logger=config.logger,
                   robustness=replace(settings.robustness, limit=1))


def attacked(config: EvaluateConfig, job: Any, victim: Path, name: str, seed: int, folder: Path) -> Sequence[Attempt]:
    """The attempts of one attack on the defended victim."""
    from hardtext.config import compose

    settings = compose("attack", [f"attack={name}", f"seed={seed}"])
    return attack.run(replace(settings, domain=config.domain, model=job.model, victim=str(victim), split=config.split,
                              limit=config.limit, max_queries=max(config.matrix.caps), device=config.device,
                              out=str(folder), logger=config.logger))


def clean(row: str, seed: int, report: dict[str, Any], split: str) -> robustness.Trained:
    shown = "attack" if split == "attack" else "dev"
    return robustness.Trained(row, seed, clean=report[shown], dev=report["dev"], seconds=report["seconds"])


def cell(row: str, seed: int, attempts: Sequence[Attempt], summary: dict[str, Any], config: EvaluateConfig,
         victim_folder: Path, corpus: Corpus, plain_folder: Path) -> robustness.Cell:
    """What one attack did to one victim, measured; and what the plain victim's adversarial texts do to it."""
    bodega = scored(attempts, config)
    transfer = None
    if row != PLAIN:
        from hardtext.scoring import load_attempts

        plain = load_attempts(plain_folder)
        victim = load_victim(victim_folder, classes=corpus.domain.classes, device=config.device)
        transfer = scored(plain, config) * flips(plain, victim)
    return robustness.Cell(
        row, attempts[0].attack, seed, bodega, np.array([a.queries for a in attempts]),
        right=np.array([bool(a.original_probs) and int(np.argmax(a.original_probs)) == a.label for a in attempts]),
        fooled=np.array([a.status == "success" for a in attempts]), single_query=summary["single_query_successes"],
        random=summary["repeats"] > 1, transfer=transfer)


def scored(attempts: Sequence[Attempt], config: EvaluateConfig) -> np.ndarray:
    """BODEGA of each attempt, 0 where it is no success: (attempts,)."""
    pair = any(len(a.original) == 2 for a in attempts)
    columns = measure.columns(attempts, config.semantic, resolve(config.segmenter, attempts[0].domain, pair),
                              with_preserved=False)
    return np.where(columns.success, np.nan_to_num(columns.semantic) * np.nan_to_num(columns.character), 0.0)


def flips(attempts: Sequence[Attempt], victim: Victim) -> np.ndarray:
    """Whether the victim's label of each success differs from its label of the original: (attempts,)."""
    moved = np.zeros(len(attempts), bool)
    where = [i for i, a in enumerate(attempts) if a.status == "success"]
    if where:
        before = ties.predicted(victim.probabilities([attempts[i].original for i in where]))
        moved[where] = before != ties.predicted(victim.probabilities([attempts[i].adversarial for i in where]))
    return moved
