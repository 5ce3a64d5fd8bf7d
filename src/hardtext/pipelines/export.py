"""``task=export``: a victim that train.py left, as a folder to hand on: safetensors, tokenizer and a model card."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from hardtext import disks, records, runs
from hardtext.attacks import ATTACKS
from hardtext.core import SPLITS, Domain, InputError
from hardtext.domains import DOMAINS
from hardtext.pipelines import hub_upload
from hardtext.pipelines.common import folder_of
from hardtext.pipelines.export_folder import CARD, OURS, check_place, copy, place_of, staged
from hardtext.pipelines.export_runs import attack_runs, matrices_of, measured
from hardtext.reporting.leaderboard_formats import rich_table
from hardtext.reporting.model_card import page
from hardtext.reporting.model_card.facts import Card
from hardtext.reporting.model_card.limits import limits
from hardtext.reporting.model_card.sheets import sheets_of
from hardtext.reporting.model_card.training import shareable
from hardtext.reporting.report import reading
from hardtext.reporting.run_marks import settings_at, state_at
from hardtext.scoring import claims
from hardtext.victims import load_victim
from hardtext.victims.export import RECORD, read_record

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

WIDE = 160  # columns of the printed tables where there is no terminal
_NO_ATTACKS = ("textattack", "auto", "rewrite")
"""Attacks that are others in one, or need somebody's language model."""


def run(config: EvaluateConfig) -> Card:
    """The folder with the card; uploaded where ``export.push`` names a repository."""
    wanted = config.export
    if wanted.push is not None:
        hub_upload.check(wanted.push)
    source = trained_at(config)
    metrics, record = metrics_of(source), read_record(source / "victim")
    domain = domain_of(record, source / "victim" / RECORD)
    if config.domain is not None and config.domain.name != domain.name:
        raise InputError(f"domain={config.domain.name}: the victim at {disks.shown(source)} was trained for {domain.name}")
    default = runs.evaluate_folder("export", domain.name, record["name"], f"seed={metrics.get('seed', config.seed)}")
    folder = place_of(folder_of(default, config.out, config.label))
    with staged(folder) as new:  # first of all, so that a place that cannot be written to costs nobody the scoring
        victim = load_victim(source, classes=domain.classes, device=config.device)
        check_place(folder, victim.fingerprint, config.overwrite)
        found = attack_runs(victim, record, domain, config)
        attacked = tuple(measured(one, known_by, domain, config) for one, known_by in found)
        matrices = matrices_of(victim.fingerprint, domain, config)
        met = {one.attempts[0].attack for one, _ in found} | {name for one in matrices for name, *_ in one.attacks}
        met |= {(metrics.get("robustness") or {}).get("attack")}
        card = Card(domain=domain, record=record, metrics=metrics, settings=settings_at(source / "config.yaml"),
                    attacked=attacked, matrices=matrices, files=copy(source / "victim", new),
                    fingerprint=victim.fingerprint,
                    untested=tuple(name for name in ATTACKS if name not in (*met, *_NO_ATTACKS)),
                    language=wanted.language or language_of(domain), license=wanted.license,
                    datasets=tuple(wanted.datasets), repository=wanted.push or "", version=version("hardtext"))
        records.write_text(new / CARD, page.render(card))
        names = [*(name for name, *_ in card.files), CARD, OURS]
        records.write_json(new / OURS, row_of(card, names, claims.digest(new / CARD)))
    show(card)
    log.info("written to %s", disks.shown(folder))
    if wanted.push is not None:
        address = hub_upload.push(folder, names, wanted.push, private=wanted.private,
                                  message=f"{record['name']} on {domain.name}, exported by hardtext")
        log.info("pushed to %s", address)
    return card


def trained_at(config: EvaluateConfig) -> Path:
    """The folder that train.py left: named by ``victim=``, or by domain, model and seed."""
    if config.victim is not None:
        folder = Path(config.victim).expanduser().absolute()
        folder = folder.parent if folder.name == "victim" else folder
        advice = "name the folder that train.py left, such as runs/train/<domain>/<model>/seed=0"
    elif config.domain is None or config.model is None:
        raise InputError("task=export needs a trained victim: victim=<folder that train.py left>, or domain=, model= and "
                         "seed= of it")
    else:
        folder = runs.train_folder(config.domain.name, config.model.name, config.seed)
        advice = "make it with python train.py, or name another with victim="
    if missing := [name for name in ("victim/config.json", "metrics.json") if not (folder / name).is_file()]:
        raise InputError(f"no trained victim at {disks.shown(folder)} (expected {missing[0]} in it): {advice}")
    if (state := state_at(folder)) not in ("", "done"):
        raise InputError(f"{disks.shown(folder)}: its training is not finished ({state}); run the same train.py command "
                         f"again")
    return folder


def metrics_of(folder: Path) -> dict[str, Any]:
    """What train.py measured."""
    trains, left_out = reading.read_trains(folder)
    for one in trains:
        examples = one.metrics.get("examples")
        if one.folder == folder and isinstance(examples, dict) and set(SPLITS) <= examples.keys():
            return one.metrics
    raise InputError(left_out[0] if left_out else
                     f"{disks.shown(folder / 'metrics.json')}: no figures of train.py; train again with overwrite=true")


def domain_of(record: dict[str, Any], file: Path) -> Domain:
    """What the labels of a victim mean, from its hardtext.json."""
    if not (isinstance(record.get("family"), str) and isinstance(record.get("versions"), dict)):
        raise InputError(f"{disks.shown(file)}: damaged (expected the family and the versions of the victim); train it again")
    try:
        values = dict(record["domain"])
        return Domain(**values | {"classes": tuple(values["classes"]), "positive": tuple(values["positive"])})
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{disks.shown(file)}: damaged (expected the domain of the victim); train it again") from error


def language_of(domain: Domain) -> str | None:
    """English for the corpora that come with hardtext; nobody knows that of a user's own."""
    return "en" if domain.stand_in or (domain.name in DOMAINS and domain.name != "file") else None


def row_of(card: Card, names: Sequence[str], card_digest: str) -> dict[str, Any]:
    """export.json: the card for programs."""
    return {"task": "export", "fingerprint": card.fingerprint, "victim": card.record["name"], "domain": card.domain.name,
            "domain_stand_in": card.domain.stand_in, "stand_ins": card.stand_ins,
            "defences": {"at_inference": card.at_inference, "in_training": shareable(card.in_training)},
            "metrics": {split: card.metrics.get(split) for split in ("dev", "attack")},
            "robustness": [one.to_row() for one in card.attacked],
            "before_and_after": card.metrics.get("robustness"), "matrices": [one.to_row() for one in card.matrices],
            "limits": limits(card), "files": list(names), "hardtext": card.version,
            "sha256": {name: digest for name, _, digest in card.files} | {CARD: card_digest}}


def show(card: Card) -> None:
    console = Console(width=None if sys.stdout.isatty() else WIDE)
    for sheet in sheets_of(card):
        console.print(rich_table(sheet), "")
    if not card.license:
        log.warning("the card names no licence: choose one with export.license=")
    if card.at_inference:
        log.warning("plain transformers loads the bare net: %s act only with hardtext.load_victim",
                    ", ".join(card.at_inference))
