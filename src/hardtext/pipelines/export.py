"""``task=export``: a victim that train.py left, as a folder to hand on: safetensors, tokenizer and a model card.

The card's figures are those of this very victim. An attack run belongs to it where the fingerprint in its config.yaml is the
victim's; one that has none (attempts from elsewhere) where the victim, asked again, gives the answers in it.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

from hardtext import disks, locks, records, runs, scoring
from hardtext.attacks import ATTACKS
from hardtext.core import SPLITS, Attempt, Domain, InputError, Victim
from hardtext.domains import DOMAINS
from hardtext.pipelines import hub_upload
from hardtext.pipelines.annotate import sources
from hardtext.pipelines.common import folder_of
from hardtext.pipelines.leaderboard import system_of
from hardtext.pipelines.train import accuracies
from hardtext.reporting.leaderboard_formats import rich_table
from hardtext.reporting.model_card import page
from hardtext.reporting.model_card.facts import Attacked, Card, InMatrix
from hardtext.reporting.model_card.limits import limits
from hardtext.reporting.model_card.sheets import sheets_of
from hardtext.reporting.model_card.training import is_local, shareable
from hardtext.reporting.report import reading
from hardtext.reporting.run_marks import settings_at, state_at
from hardtext.scoring import claims
from hardtext.scoring.summary import NO_SUMMARY
from hardtext.victims import load_victim
from hardtext.victims.export import RECORD, read_record

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig
    from hardtext.reporting.report.reading import AttackRun

log = logging.getLogger(__name__)

KEPT = (".safetensors", ".json", ".txt")
"""Endings of the files that are exported."""
CARD, OURS = "README.md", "export.json"
WIDE = 160  # columns of the printed tables where there is no terminal
_ASKED = 100  # texts that a victim is asked again to know its attempts by
_LEAST_ASKED = 10
_ALIKE = 1e-3  # between what it said then and says now; rows are rounded, and processors differ
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


# What belongs to this victim


def attack_runs(victim: Victim, record: dict[str, Any], domain: Domain,
                config: EvaluateConfig) -> list[tuple[AttackRun, str]]:
    """The attack runs against this very victim, each with how that is known; the others are left out with a warning.

    Those that ``attempts=`` names, or all below ``runs=``. Raises InputError where none of the named ones is.
    """
    named = config.attempts is not None
    root = Path(config.runs).expanduser() if config.runs else runs.runs_root()
    if config.runs and not root.is_dir():
        raise InputError(f"runs={root}: no such folder")
    files = sources(config.attempts) if named else records.files_below(root, "attempts.jsonl") if root.is_dir() else []
    found: dict[str, tuple[AttackRun, str]] = {}
    foreign = 0
    for file in files:
        told = settings_at(file.parent / "config.yaml").get("victim_fingerprint")
        if told is None and not named:
            continue  # nothing there says whom it attacked, and nobody said that it was this victim
        if told not in (None, victim.fingerprint):
            foreign += 1
            continue
        if (state := state_at(file.parent)) not in ("", "done"):
            log.warning("left out: %s: the attack is not finished (%s)", disks.shown(file), state)
            continue
        one = attack_run(file)
        if one is None:
            continue
        why = "" if told else unlike(victim, record, one.attempts)
        if why:
            log.warning("left out: %s: %s", disks.shown(file), why)
            continue
        known = ("by the fingerprint that attack.py noted" if told else
                 "by its answers: asked again about the texts, it gave those in the attempts")
        found.setdefault(claims.digest(file), (one, known))
    if foreign:
        log.warning("left out: %d attack runs against other victims, or with backend=onnx (their fingerprint is another)",
                    foreign)
    if named and not found:
        raise InputError(f"attempts={config.attempts}: none of these attack runs is known to be against this victim; attack "
                         f"it with python attack.py victim=<its folder>, or leave attempts away")
    if not found:
        log.warning("no attack run against this victim: the card says that its robustness is unknown")
    return list(found.values())


def attack_run(file: Path) -> AttackRun | None:
    """One attack run; None where nothing in it can be scored."""
    runs_there, _ = reading.read_attacks(file.parent) if next(records.read_rows(file), None) else ([], ())
    for one in runs_there:
        if one.folder == file.parent and any(attempt.status != "error" for attempt in one.attempts):
            return one
    log.warning("left out: %s: it holds no attempt that is no error", disks.shown(file))
    return None


def unlike(victim: Victim, record: dict[str, Any], attempts: Sequence[Attempt]) -> str:
    """Why these attempts cannot be known to be against this victim; "" where asking it again gives the same answers."""
    if blurred := [name for name in ("smooth", "output") if name in record.get("defences", {})]:
        return (f"nothing notes the fingerprint of its victim, and a victim with {blurred[0]} cannot be told by its answers")
    pairs = [pair for a in attempts for pair in ((a.original, a.original_probs), (a.adversarial, a.adversarial_probs))
             if all(pair)][:_ASKED]
    if len(pairs) < _LEAST_ASKED:
        return f"nothing notes the fingerprint of its victim, and it holds answers to {len(pairs)} texts only"
    now = np.asarray(victim.probabilities([text for text, _ in pairs]))
    if any(len(told) != now.shape[1] for _, told in pairs):
        return "its victim has other classes"
    apart = float(np.abs(now - np.array([told for _, told in pairs])).max())
    return f"this victim gives other answers (up to {apart:.3f} apart)" if apart > _ALIKE else ""


def measured(one: AttackRun, known_by: str, domain: Domain, config: EvaluateConfig) -> Attacked:
    """The figures of an attack run: those of task=score with the same scorer, or scored now."""
    row = next((scores for scores in one.scores if scores["semantic_scorer"] == config.semantic.name), None)
    if row is None:
        log.info("scoring %s (task=score keeps its scores for the next time)", disks.shown(one.folder))
        row = scoring.score(one.attempts, semantic=config.semantic, segmenter=config.segmenter, seed=config.seed).to_row()
    told, first = one.summary.row, one.attempts[0]
    cap, share = told.get("max_queries", "unknown"), told.get("single_query_successes")
    name = (system_of(one.folder / "attempts.jsonl", first.attack) if one.summary.missing else
            first.attack + settings_said(told.get("settings") or {}))
    said = [*one.limits, *one.victim_warnings, *([NO_SUMMARY] if one.summary.missing else [])]
    if first.domain != domain.name:
        said.append(f"texts of the domain {first.domain}")
    stand_ins = dict.fromkeys(words for words in (*one.summary.marks, *row.get("stand_ins", ())) if words != NO_SUMMARY)
    return Attacked(
        attack=name, seed=first.seed, scores=row,
        cap="none" if cap is None else str(cap), robust_accuracy=accuracies(one.attempts)["robust_accuracy"],
        repeats=told.get("repeats", 1), single_query=None if share is None else share / len(one.attempts),
        stand_ins=tuple(stand_ins),
        marks=tuple(words for words in said if not words.startswith("max_queries=")),  # which has a column of its own
        sha256=claims.digest(one.folder / "attempts.jsonl"), known_by=known_by)


def settings_said(settings: dict[str, Any]) -> str:
    """What follows an attack's name: its variant and what is not its default.

    >>> settings_said({"variant": "paper", "constraints": {"antonyms": True, "similarity": None}})
    ' (variant=paper, antonyms=True)'
    """
    constraints = settings.get("constraints")
    flat = settings | (constraints if isinstance(constraints, dict) else {})
    said = [f"{key}={value}" for key, value in flat.items() if isinstance(value, str | int | float)
            and not (isinstance(value, str) and is_local(value))]
    return f" ({', '.join(said)})" if said else ""


def matrices_of(fingerprint: str, domain: Domain, config: EvaluateConfig) -> tuple[InMatrix, ...]:
    """This victim in the matrix that ``export.matrix`` names, or in those of its domain on the attack split."""
    if config.export.matrix is not None:
        file = Path(config.export.matrix).expanduser()
        file = file / "matrix.json" if file.is_dir() else file
        if (found := in_matrix(file, fingerprint)) is None:
            raise InputError(f"export.matrix={config.export.matrix}: none of the victims attacked in it is this one")
        return (found,)
    root = runs.evaluate_folder("robustness_matrix", domain.name)
    files = records.files_below(root, "matrix.json") if root.is_dir() else []
    found = [one for file in files if (one := in_matrix(file, fingerprint)) is not None]
    return tuple(one for one in found if one.about["split"] == "attack")  # on dev one chooses


def in_matrix(file: Path, fingerprint: str) -> InMatrix | None:
    """A victim beside the plain one in a matrix.json, by the fingerprints of the attack runs beside it; None where it is
    none of its victims."""
    matrix = records.read_json(file)
    try:
        rows = {row["victim"]: row for row in matrix["rows"]}
        cells = {(cell["victim"], cell["attack"], cell["seed"]): cell for cell in matrix["cells"]}
        attacks = matrix["about"]["attacks"]
        for name, _, seed in cells:
            at = file.parent / "cells" / name / attacks[0] / f"seed={seed}" / "config.yaml"
            if settings_at(at).get("victim_fingerprint") == fingerprint:
                own = tuple((attack, cells["plain", attack, seed], cells[name, attack, seed]) for attack in attacks)
                return InMatrix(matrix["about"], name, seed, rows["plain"], rows[name], own)
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"{disks.shown(file)}: no matrix of task=robustness_matrix "
                         f"({type(error).__name__}: {error})") from error
    return None


# The folder


def place_of(folder: Path) -> Path:
    """The folder itself: a link stays one, and what it leads to is replaced."""
    try:
        place = folder.resolve()
    except RuntimeError as error:  # before Python 3.13
        raise InputError(f"out={folder}: a link that leads to itself; choose another folder") from error
    if not place.name:
        raise InputError(f"out={folder}: an export needs a folder of its own, such as out=my_model")
    return place


def check_place(folder: Path, fingerprint: str, overwrite: bool) -> None:
    """Raise InputError where the folder holds anything but an export, or the export of another victim."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    another = "choose another folder with out="
    if not (folder / OURS).is_file():
        raise InputError(f"{disks.shown(folder)} is no export of ours, and is there already: {another}")
    row = records.read_json(folder / OURS)
    names = row.get("files") if isinstance(row, dict) else None
    if not isinstance(names, list):
        raise InputError(f"{disks.shown(folder / OURS)} is damaged: {another}")
    if strangers := sorted(path.name for path in folder.iterdir() if path.name not in names):
        raise InputError(f"{disks.shown(folder)} holds {', '.join(strangers[:5])} besides an export, which would be lost: "
                         f"{another}")
    known = row.get("sha256") if isinstance(row.get("sha256"), dict) else {}
    changed = [name for name, digest in known.items() if (folder / name).is_file() and claims.digest(folder / name) != digest]
    if changed and not overwrite:
        raise InputError(f"{disks.shown(folder)}: {', '.join(changed[:5])} {'was' if len(changed) == 1 else 'were'} changed "
                         f"since the export, which would be lost: {another}, or overwrite=true replaces it")
    if row.get("fingerprint") != fingerprint and not overwrite:
        raise InputError(f"{disks.shown(folder)} holds the export of another victim: {another}, or overwrite=true replaces "
                         f"it")


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A folder that takes the place of this one at the end: a kill or an error leaves what was there before.

    It is made in a hidden one beside it, which one process holds at a time; the next export there clears what a killed
    one left.
    """
    aside = folder.with_name(f".{folder.name}.hardtext")
    new, old = aside / "new", aside / "old"
    with disks.disk_trouble_at(folder):
        with disks.disk_trouble_at(folder.parent):
            aside.mkdir(parents=True, exist_ok=True)
        with locks.locked(aside):
            try:
                if old.exists() and not folder.exists():  # killed between the two moves
                    os.rename(old, folder)
                for left in (new, old):
                    shutil.rmtree(left, ignore_errors=True)
                new.mkdir()
                yield new
                if folder.exists():
                    os.rename(folder, old)
                try:
                    os.rename(new, folder)
                except OSError:
                    if old.exists():
                        os.rename(old, folder)
                    raise
            finally:
                shutil.rmtree(aside, ignore_errors=True)


def copy(victim: Path, folder: Path) -> tuple[tuple[str, int, str], ...]:
    """Copy what belongs into an export; (name, bytes, SHA-256) of each file."""
    found = []
    for file in sorted(victim.iterdir()):
        if not file.is_file() or file.suffix not in KEPT:
            log.warning("left out: %s: an export holds %s alone", disks.shown(file), ", ".join(KEPT))
            continue
        shutil.copyfile(file, folder / file.name)  # its content; safetensors are written for their owner's eyes alone
        found.append((file.name, file.stat().st_size, claims.digest(folder / file.name)))
    return tuple(found)


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
