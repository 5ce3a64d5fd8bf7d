"""``experiment=robustness_matrix``: defence × attack on one domain, what each defence buys, by one protocol for all.

Every victim is trained and then attacked anew (adaptive: the attack sees the defended victim), with the same seeds, texts
and query cap. Trainings and attacks are runs of ``train.py`` and ``attack.py`` with folders of their own, so that a killed
matrix goes on where it stopped, and one of more defences adds to the one before.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hardtext import disks, locks, records, runs, tracking
from hardtext.attacks import engine, ties
from hardtext.core import Attempt, InputError, Victim
from hardtext.hardening.settings import HARDENING
from hardtext.pipelines import attack, train
from hardtext.pipelines.common import folder_of, load_corpus
from hardtext.reporting import matrix_table
from hardtext.reporting.run_marks import settings_at
from hardtext.scoring import claims, robustness
from hardtext.secrecy import mask_secrets
from hardtext.victims import load_victim

if TYPE_CHECKING:
    from hardtext.config import AttackConfig, EvaluateConfig, TrainConfig

log = logging.getLogger(__name__)

PLAIN = "plain"
VARIANTS = ("adv", "hard")
"""Rows that are models of their own (``tiny_adv``, ``tiny_hard``); every other row names its defences: ``augment+output``."""


@dataclass(frozen=True)
class Job:
    """One victim of one seed: how it is trained, and by what it is attacked (by the attack's name)."""

    row: str
    seed: int
    training: TrainConfig
    attacks: Mapping[str, AttackConfig]

    @property
    def victim(self) -> Path:
        return runs.train_folder(self.training.domain.name, self.training.model.name, self.seed)


def run(config: EvaluateConfig) -> list[robustness.Row]:
    from hardtext.reporting import matrix_figures

    check(config)
    wanted, semantic = config.matrix, config.semantic
    jobs = planned(config)  # all composed before any work: what is misspelt is said now
    corpus = load_corpus(config.domain, config.seed)
    examples = corpus.split(config.split)[: config.limit]
    if not examples:
        raise InputError(f"split={config.split}: domain {corpus.domain.name} has no examples there")
    names = (corpus.domain.name, config.model.name)
    on_split = [] if config.split == "attack" else [f"split={config.split}"]
    default = runs.evaluate_folder("robustness_matrix", *names, *on_split)
    folder = folder_of(default, config.out, config.label)
    settings = {"task": "robustness_matrix", "domain": names[0], "model": names[1], "split": config.split,
                "limit": config.limit, "seed": config.seed, "semantic": claims.settings_of(semantic),
                "matrix": asdict(wanted), "victims": {job.row: made_with(job) for job in jobs}}
    with disks.disk_trouble_at(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with (locks.locked(folder), disks.disk_trouble_at(folder),
          tracking.open_run(folder, config.logger, settings, group=config.group,
                            name=f"robustness {' '.join(names)}") as diary):
        cells, trained, marks = [], [], [f"domain: {corpus.domain.stand_in}"] * bool(corpus.domain.stand_in)
        plain: dict[tuple[str, int], tuple[claims.Claim, list[Attempt]]] = {}
        for number, job in enumerate(jobs, start=1):
            log.info("victim %d of %d: %s, seed %d", number, len(jobs), job.row, job.seed)
            report = train.run(job.training)
            trained.append(robustness.Trained(job.row, job.seed, clean=report[config.split], dev=report["dev"],
                                              seconds=report.get("training_seconds"), positive=corpus.domain.positive))
            marks += report.get("adversarial", {}).get("stand_ins", ())  # of the attacks on the training set
            marks += report.get("stand_ins", ())  # of the defences
            victim = load_victim(job.victim, classes=corpus.domain.classes, device=config.device)
            for name, settings_of_attack in job.attacks.items():
                at = Path(job.row) / name / f"seed={job.seed}"
                here = folder / "cells" / at
                attempts = list(attack.run(replace(settings_of_attack, out=str(here))))
                summary = records.read_json(here / "summary.json")
                claim = measured(attempts, here, at, summary, config, folder / "claims" / f"{at},{semantic.name}.json")
                marks += claim.marks
                transfer = None
                if job.row == PLAIN:
                    plain[name, job.seed] = claim, attempts
                else:
                    transfer = transferred(*plain[name, job.seed], claim.texts, victim,
                                           folder / "claims" / f"{at},transfer.json")
                cells.append(cell(job, name, attempts, summary, claim, transfer))
        rows = robustness.rows(cells, trained, plain=PLAIN, caps=wanted.caps, seed=config.seed)
        about = matrix_table.About(
            domain=names[0], stand_in=corpus.domain.stand_in, model=names[1], split=config.split, asked=len(examples),
            whole=len(corpus.split(config.split)), attacks=tuple(wanted.attacks), seeds=tuple(wanted.seeds),
            caps=tuple(wanted.caps), semantic=semantic.name, marks=tuple(dict.fromkeys(marks)),
            chosen=chosen_by(default / "split=dev") if config.split == "attack" else None)
        matrix_table.write(folder, about, rows, cells, mask_secrets(settings))
        matrix_figures.draw(folder, about, rows)
        diary.summary({f"{row.victim}/{key}": value for row in rows for key in ("mean", "ratio", "success")
                       if (value := getattr(row, key)) is not None})
    matrix_table.show(about, rows, cells)
    log.info("written to %s", disks.shown(folder / "matrix.md"))
    return rows


def check(config: EvaluateConfig) -> None:
    """Refuse what no matrix can be made of."""
    from hardtext.config import compose, to_dict

    task = "task=robustness_matrix"
    if config.domain is None or config.model is None:
        raise InputError(f"{task}: name the domain with domain= and the plain model with model= "
                         f"(experiment=robustness_matrix takes sample and tiny)")
    if not config.model.trainable:
        raise InputError(f"model={config.model.name}: {task} trains its victims, and this model is ready as it is")
    if config.split not in ("attack", "dev"):
        raise InputError(f"split={config.split}: {task} measures on attack, or on dev to choose by")
    if config.semantic.name == "none":
        raise InputError(f"{task} measures BODEGA, which semantic=none leaves unknown: choose semantic=minilm, bleurt or "
                         f"bertscore")
    if config.victim is not None:
        raise InputError(f"victim={config.victim}: {task} trains its victims itself; name their model with model=")
    if config.hardening.names():
        raise InputError(f"hardening={list(config.hardening.names())}: the defences of {task} are its rows, for instance "
                         f"matrix.rows=[{'+'.join(config.hardening.names())}]")
    engine.check_options(limit=config.limit)
    own = compose("train", [f"model={config.model.name}", *_of_domain(config)])
    changed = runs.differences(to_dict(own)["model"], to_dict(config)["model"])
    if changed:
        key, change = next(iter(changed.items()))
        raise InputError(f"model.{key} ({change}): settings of every training of {task} go into matrix.training, for "
                         f"instance \"matrix.training=['model.{key}={change.rpartition(' ')[2]}']\"")


def planned(config: EvaluateConfig) -> list[Job]:
    """The jobs, the plain victim's first. Raises InputError for the first row, attack or setting that there is none of."""
    wanted = config.matrix
    known = dict.fromkeys([PLAIN, *map(named, wanted.rows)])
    seeds = list(dict.fromkeys(wanted.seeds))
    attacks = {(name, seed): _composed(f"matrix.attacks={name}", "attack", [f"attack={name}", f"seed={seed}"])
               for name in dict.fromkeys(wanted.attacks) for seed in seeds}
    jobs = []
    for row in known:
        for seed in seeds:
            made = training(config, row, seed)
            own = {"domain": config.domain, "model": made.model, "split": config.split, "limit": config.limit,
                   "max_queries": max(wanted.caps), "device": config.device, "logger": config.logger, "group": config.group,
                   "executor": config.executor, "overwrite": config.overwrite}
            attacked = {name: replace(settings, **own) for (name, n), settings in attacks.items() if n == seed}
            jobs.append(Job(row, seed, made, attacked))
    return jobs


def named(row: str) -> str:
    """A row's name with its defences in the order of the alphabet, as models are named. Raises InputError for no defence.

    >>> named("output+augment"), named("hard")
    ('augment+output', 'hard')
    """
    if row in (PLAIN, *VARIANTS):
        return row
    parts = sorted(set(row.split("+")))
    if unknown := [part for part in parts if part not in HARDENING]:
        raise InputError(f"matrix.rows={row}: {unknown[0]!r} is no defence; expected {PLAIN}, {', '.join(VARIANTS)}, "
                         f"{', '.join(HARDENING)}, or several of the defences as in augment+output")
    return "+".join(parts)


def training(config: EvaluateConfig, row: str, seed: int) -> TrainConfig:
    """The settings of ``train.py`` for one row of the matrix."""
    model = config.model.name
    if row in VARIANTS:
        overrides = [f"model={model}_{row}"]
    else:
        overrides = [f"model={model}"] + ([] if row == PLAIN else [f"hardening=[{row.replace('+', ',')}]"])
    settings = _composed(f"matrix.rows={row}", "train",
                         [*overrides, f"seed={seed}", *_of_domain(config), *config.matrix.training])
    settings = replace(settings, domain=config.domain, logger=config.logger, group=config.group, executor=config.executor,
                       overwrite=config.overwrite)
    # The figures of train.py's own attack are not asked for: one text keeps that step short. A victim that train.py has
    # measured on more of them is the same victim.
    before = settings_at(runs.train_folder(config.domain.name, settings.model.name, seed) / "config.yaml").get("robustness")
    names = {field.name for field in fields(settings.robustness)}
    same = before if isinstance(before, Mapping) and set(before) == names else {"limit": 1}
    return replace(settings, robustness=replace(settings.robustness, **same))


def _of_domain(config: EvaluateConfig) -> list[str]:
    """What the model configs take from the domain's."""
    keys = ("adversarial_subset", "adversarial_batch_size")
    values = {key: getattr(config.domain, key) for key in keys}
    return [f"domain.{key}={'null' if value is None else value}" for key, value in values.items()]


def _composed(which: str, command: str, overrides: Sequence[str]) -> Any:
    from hardtext.config import compose

    try:
        return compose(command, overrides)
    except InputError as error:
        raise InputError(f"{which}: {error}") from error


def made_with(job: Job) -> dict[str, Any]:
    """The settings that tell a victim from the others: its model and its defences, as composed."""
    from hardtext.config import to_dict

    settings = to_dict(job.training)
    defences = {name: value for name, value in settings["hardening"].items() if value is not None}
    return {"name": job.training.model.name, "model": settings["model"], "hardening": defences}


def measured(attempts: Sequence[Attempt], here: Path, at: Path, summary: Mapping[str, Any], config: EvaluateConfig,
             file: Path) -> claims.Claim:
    """The scores of a cell, text by text: those in ``file``, or measured and written there."""
    about = claims.header(attempts, system=at.as_posix(), source=f"cells/{at.as_posix()}/attempts.jsonl",
                          sha256=claims.digest(here / "attempts.jsonl"), semantic=config.semantic,
                          segmenter=config.segmenter, marks=summary["stand_ins"])
    claim = claims.read_claim(file, about)
    if claim is None:
        claim = claims.measure(attempts, about, config.semantic)
        records.write_json(file, claim.to_row())
    return claim


def transferred(plain: claims.Claim, attempts: Sequence[Attempt], texts: Sequence[str], victim: Victim,
                file: Path) -> np.ndarray:
    """BODEGA of the plain victim's adversarial texts against ``victim``, in the order of ``texts``: (texts,).

    Which of them move this victim's answer is kept in ``file``, since asking a slow victim again costs minutes.
    """
    asked = {"attempts": plain.sha256, "victim": victim.fingerprint}
    found = records.read_json(file) if file.is_file() else {}
    if {key: found.get(key) for key in asked} != asked:
        there = [a for a in attempts if a.status == "success"]
        found = asked | {"moved": [claims.text_key(a) for a, flip in zip(there, moved(there, victim), strict=True) if flip]}
        records.write_json(file, found)
    flipped = set(found["moved"])
    scores = {text: score for text, score in zip(plain.texts, plain.bodega, strict=True) if text in flipped}
    return np.array([scores.get(text, 0.0) for text in texts])


def moved(attempts: Sequence[Attempt], victim: Victim) -> np.ndarray:
    """Whether the victim's label of each adversarial text differs from its label of the original: bool, (attempts,)."""
    if not attempts:
        return np.zeros(0, bool)
    before, after = (ties.predicted(np.asarray(victim.probabilities(texts)))
                     for texts in ([a.original for a in attempts], [a.adversarial for a in attempts]))
    return before != after


def cell(job: Job, name: str, attempts: Sequence[Attempt], summary: Mapping[str, Any], claim: claims.Claim,
         transfer: np.ndarray | None) -> robustness.Cell:
    there = [a for a in attempts if a.status != "error"]
    right = [float(ties.predicted(np.array(a.original_probs)) == a.label) if a.original_probs else np.nan for a in there]
    return robustness.Cell(
        job.row, name, job.seed, claim.texts, claim.bodega, claim.queries, right=np.array(right), fooled=claim.success,
        single_query=summary["single_query_successes"] / len(attempts), random=summary["repeats"] > 1, transfer=transfer,
        errors=claim.errors)


def chosen_by(folder: Path) -> dict[str, Any] | None:
    """What the matrix on dev said, which the hardened preset is to be chosen by; None where there is none."""
    file = folder / "matrix.json"
    if not file.is_file():
        return None
    dev = records.read_json(file)
    if not isinstance(dev, dict) or not {"about", "rows", "settings"} <= dev.keys():
        log.warning("%s is no matrix: what was chosen on dev is not repeated here", disks.shown(file))
        return None
    return {"file": disks.shown(file), "about": dev["about"], "rows": dev["rows"], "victims": dev["settings"].get("victims")}
