"""``attack.py``: a victim, a corpus, an attack → ``attempts.jsonl``, one line per attacked text."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import disks, records, runs, scoring, tracking
from hardtext.attacks import choose, engine
from hardtext.core import Attempt, Domain, Example, InputError, Victim
from hardtext.executors import runner
from hardtext.pipelines.common import ALIKE, changed, find_victim, folder_of, load_corpus, masked_lm_of, summary_of
from hardtext.reporting import attack_table

if TYPE_CHECKING:
    from hardtext.config import AttackConfig

log = logging.getLogger(__name__)

NOTE = ("skipped: nothing to attack in the text; budget: stopped at max_queries or max_seconds; "
        "forwards exceed queries where texts are sent ahead")


def run(config: AttackConfig) -> Sequence[Attempt]:
    from hardtext.config import to_dict

    engine.check_options(max_queries=config.max_queries, repeats=config.repeats, limit=config.limit,
                         max_seconds=config.max_seconds)
    corpus = load_corpus(config.domain, config.seed)
    domain = corpus.domain
    examples = choose(corpus.split(config.split), config.attack.subset, config.seed)
    if config.limit is not None:
        examples = examples[: config.limit]
    if not examples:
        raise InputError(f"split={config.split}: domain {domain.name} has no examples there")
    victim = find_victim(config.model, domain, config.seed, source=config.victim, device=config.device,
                         backend=config.backend, trust_remote_code=config.trust_remote_code)

    default = runs.attack_folder(domain.name, config.model.name, config.attack.name, config.seed)
    folder = folder_of(default, config.out, config.label)
    there = len(records.sound_rows(rows)[0]) if (rows := folder / "attempts.jsonl").is_file() else 0
    if there > len(examples) and not config.overwrite:
        raise InputError(f"{disks.shown(folder)} holds {there} attempts already and limit={config.limit} asks for "
                         f"{len(examples)}: leave the limit out, or set overwrite=true or out=<folder>")
    settings = to_dict(config) | {"victim_fingerprint": victim.fingerprint}
    with runs.RunFolder.open(folder, settings, ignore=(*ALIKE, "device", "executor"), extend=("limit",),
                             overwrite=config.overwrite) as folder_run:
        if folder_run.done:
            log.info("%s: done before; overwrite=true attacks again", disks.shown(folder))
            attempts = scoring.load_attempts(folder)
            summary = records.read_json(folder / "summary.json")
        else:
            attempts, summary = attack(config, victim, domain, examples, folder, settings)
    notes = [NOTE, *(f"stand-in: {words}" for words in summary["stand_ins"]),
             *(f"warning: {words}" for words in summary["victim_warnings"])]
    where = domain.name + (f" ({domain.stand_in})" if domain.stand_in else "")
    settings = ", ".join(f"{key}={value}" for key, value in changed(config.attack).items()
                         if isinstance(value, (str, int, float)))
    title = config.attack.name + (f" ({settings})" if settings else "")
    attack_table.print_summary(f"{title} against {victim.name} on {where}", summary, notes="\n".join(notes))
    log.info("score it with: python evaluate.py task=score attempts=%s", disks.shown(folder))
    return attempts


def attack(config: AttackConfig, victim: Victim, domain: Domain, examples: Sequence[Example], folder: Path,
           settings: Mapping[str, Any]) -> tuple[list[Attempt], dict[str, Any]]:
    """Attack the examples into the folder's ``attempts.jsonl``, where rows of a killed run are kept."""
    from hardtext.attacks import sanity
    from hardtext.attacks.rows import attack_to_file

    masked_lm = masked_lm_of(config.attack)
    found = sanity.check(victim, examples, config.seed)
    for warning in found.warnings:
        log.warning("victim %s: %s", victim.name, warning)
    repeats = config.repeats or (sanity.REPEATS if found.random else 1)
    load = partial(find_victim, config.model, domain, config.seed, source=config.victim, backend=config.backend,
                   trust_remote_code=config.trust_remote_code)
    device = "cpu" if config.backend == "onnx" else config.device
    with tracking.open_run(folder, config.logger, settings, group=config.group,
                           name=f"attack {domain.name} {config.model.name} {config.attack.name}") as diary:
        started = time.perf_counter()
        attempts = attack_to_file(folder / "attempts.jsonl", config.attack, victim, examples, domain=domain.name,
                                  seed=config.seed, max_queries=config.max_queries, max_seconds=config.max_seconds,
                                  repeats=repeats, masked_lm=masked_lm, run=runner(config.executor, load, device))
        summary = summary_of(attempts, config.attack, masked_lm, domain, time.perf_counter() - started, victim)
        summary |= {"victim": victim.name, "max_queries": config.max_queries, "max_seconds": config.max_seconds,
                    "backend": config.backend, "executor": config.executor.name if config.executor else None,
                    "repeats": repeats, "victim_warnings": list(found.warnings)}
        records.write_json(folder / "summary.json", summary)
        diary.log({key: value for key, value in summary.items() if isinstance(value, (int, float))})
        diary.attempts("attempts", attempts)
    return attempts, summary
