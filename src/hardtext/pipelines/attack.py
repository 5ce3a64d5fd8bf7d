"""``attack.py``: a victim, a corpus, an attack → ``attempts.jsonl``, one line per attacked text."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hardtext import records, runs, tracking
from hardtext.attacks import choose
from hardtext.core import Attempt, InputError
from hardtext.pipelines.common import ALIKE, find_victim, folder_of, load_corpus
from hardtext.reporting import attack_table

if TYPE_CHECKING:
    from hardtext.config import AttackConfig

log = logging.getLogger(__name__)


def run(config: AttackConfig) -> Sequence[Attempt]:
    from hardtext.attacks.rows import attack_to_file, summarise
    from hardtext.config import to_dict

    corpus = load_corpus(config.domain, config.seed)
    domain = corpus.domain
    examples = choose(corpus.split(config.split), config.attack.subset, config.seed)
    if config.limit is not None:
        if config.limit < 1:
            raise InputError(f"limit={config.limit}: expected 1 or more")
        examples = examples[: config.limit]
    if not examples:
        raise InputError(f"split={config.split}: domain {domain.name} has no examples there")
    victim = find_victim(config.model, domain, config.seed, source=config.victim, device=config.device)

    default = runs.attack_folder(domain.name, config.model.name, config.attack.name, config.seed)
    folder = folder_of(default, config.out, config.label)
    settings = to_dict(config) | {"victim_fingerprint": victim.fingerprint}
    with runs.RunFolder.open(folder, settings, ignore=(*ALIKE, "device"), extend=("limit",),
                             overwrite=config.overwrite) as folder_run:
        if folder_run.done:
            log.info("%s: done before; overwrite=true attacks again", runs.shown(folder))
        with tracking.open_run(folder, config.logger, settings,
                               name=f"attack {domain.name} {config.model.name} {config.attack.name}",
                               group=config.group) as diary:
            attempts = attack_to_file(folder / "attempts.jsonl", config.attack, victim, examples, domain=domain.name,
                                      seed=config.seed, max_queries=config.max_queries, max_seconds=config.max_seconds)
            summary = summarise(attempts) | {"domain_stand_in": domain.stand_in}
            if not folder_run.done:
                records.write_json(folder / "summary.json", summary)
                diary.log({key: value for key, value in summary.items() if isinstance(value, (int, float))})
                diary.attempts("attempts", attempts)
    where = domain.name + (f" ({domain.stand_in})" if domain.stand_in else "")
    attack_table.print_summary(f"{config.attack.name} against {victim.name} on {where}", summary)
    log.info("score it with: python evaluate.py task=score attempts=%s", runs.shown(folder))
    return attempts
