"""``task=score``: the BODEGA score of one run."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from hardtext import disks, records, runs, scoring, tracking
from hardtext.core import Attempt, Domain, InputError, Victim
from hardtext.pipelines.common import folder_of, load_corpus, named_victim, victim_at
from hardtext.reporting import run_marks, score_table
from hardtext.results import result_folder
from hardtext.scoring import claims, segment, strict
from hardtext.scoring.scores import check
from hardtext.scoring.summary import read_summary

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

TRACKED = ("instances", "successes", "confusion", "semantic", "character", "bodega", "preserved", "bodega_gated", "queries")
"""The scores that the tracker gets."""
FILES = ("scores.json", "scores.md")


def run(config: EvaluateConfig) -> scoring.Scores:
    """``task=score``: the BODEGA score of one run's attempts, the published rows of its domain and victim beside it."""
    if not config.attempts:
        raise InputError("task=score needs attempts=<attempts.jsonl | attack folder | submission .tsv>")
    segment.check(config.segmenter)
    source = Path(config.attempts).expanduser()
    attempts = scoring.load_attempts(source, config.domain.name if config.domain else None)
    file = source / "attempts.jsonl" if source.is_dir() else source
    digest, summary = claims.digest(file), read_summary(source)
    segmenter = check(attempts, segmenter=config.segmenter)
    if any(attempt.adversarial for attempt in attempts):
        config.semantic.check_weights()
    stand_in, found = summary.domain_stand_in, None
    notes = run_marks.marks_of(file, attempts)
    if config.strict:
        domain, attempts, found = ask_again(config, attempts)
        stand_in = stand_in or domain.stand_in
        notes += found.notes()
    first = attempts[0]
    folder = folder_of(default_folder(source, first, config.semantic.name, found), config.out, config.label)
    made_from = {"task": "score", "attempts": str(file.resolve()), "domain": first.domain, "victim": first.victim,
                 "attack": first.attack, "scorer": claims.settings_of(config.semantic), "segmenter": segmenter,
                 "strict": found.victim if found else None, "seed": config.seed}
    with result_folder(folder, made_from, FILES, overwrite=config.overwrite):
        log.info("scoring %d attempts of %s against %s on %s (semantic scorer %s)", len(attempts), first.attack,
                 first.victim, first.domain, config.semantic.name)
        scores = scoring.score(attempts, semantic=config.semantic, segmenter=segmenter, seed=config.seed)
        scores = replace(scores, stand_ins=(*scores.stand_ins, *summary.stand_ins))
        published = scoring.rows_beside(scores.domain, scores.victim)
        name = f"score {scores.domain} {scores.victim} {scores.attack}"
        row = scores.to_row() | {"attempts": str(source.resolve()), "attempts_sha256": digest,
                                 "domain_stand_in": stand_in, "strict": found.to_row() if found else None, "notes": notes}
        with (disks.disk_trouble_at(folder),
              tracking.open_run(folder, config.logger, made_from, name=name, group=config.group) as diary):
            diary.summary({name: getattr(scores, name) for name in TRACKED})
            diary.attempts("attempts", attempts)
            records.write_json(folder / "scores.json", row)
            records.write_text(folder / "scores.md", score_table.score_markdown(scores, published, stand_in)
                               + "".join(f"- {note}\n" for note in notes))
    score_table.print_scores(scores, published, stand_in)
    for note in notes:
        print(note)
    log.info("written to %s", disks.shown(folder / "scores.json"))
    return scores


def default_folder(source: Path, first: Attempt, scorer: str, found: strict.Recheck | None) -> Path:
    """Where the scores lie: named by the scenario, the run and the scorer; those of strict=true beside the others."""
    folder = runs.evaluate_folder("score", first.domain or "unknown", first.victim or "unknown", first.attack or "unknown",
                                  place(source, first.seed), scorer)
    return folder.with_name(f"{folder.name},strict={runs.component(found.victim)}") if found else folder


def place(source: Path, seed: int) -> str:
    """The part of the result's folder that tells runs of one attack apart: that of the attack folder under ``runs``
    (``seed=0``, or ``seed=0,attack.variant=bodega`` of a sweep); for attempts elsewhere the path's digest too."""
    folder = (source if source.is_dir() else source.parent).resolve()
    if source.suffix == ".tsv":
        return f"seed={seed},{sha256(str(source.resolve()).encode()).hexdigest()[:8]}"
    if folder.is_relative_to(runs.runs_root().resolve() / "attack"):
        return folder.name
    return f"seed={seed},{folder.name}-{sha256(str(folder).encode()).hexdigest()[:8]}"


def ask_again(config: EvaluateConfig,
              attempts: Sequence[Attempt]) -> tuple[Domain, list[Attempt], strict.Recheck]:
    """``strict=true``: the attempts with the status that the victim gives them now, their originals checked against the
    domain."""
    from hardtext.attacks import ties

    if config.domain is None:
        raise InputError("strict=true compares the originals with the domain's: name it with domain=<domain>")
    corpus = load_corpus(config.domain, config.seed)
    strict.check_originals(attempts, corpus)
    victim = victim_of(config, corpus.domain, attempts[0])
    asked = strict.to_ask(attempts)
    log.info("asking %s again about %d attempts", victim.name, len(asked))
    if not asked:
        return corpus.domain, *strict.recheck(attempts, {}, victim.name)
    before = victim.probabilities([attempt.original for attempt in asked])
    after = victim.probabilities([attempt.adversarial for attempt in asked])
    flips = ties.predicted(before) != ties.predicted(after)
    moved = [abs(told - now) for attempt, *rows in zip(asked, before, after)
             for said, row in zip((attempt.original_probs, attempt.adversarial_probs), rows) if said
             for told, now in zip(said, row)]
    given = {attempt.id: bool(flip) for attempt, flip in zip(asked, flips)}
    return corpus.domain, *strict.recheck(attempts, given, victim.name, most_moved=float(max(moved)) if moved else None)


def victim_of(config: EvaluateConfig, domain: Domain, first: Attempt) -> Victim:
    """The victim that ``victim=`` or ``model=`` names, else the one that train.py left for the attempts' own."""
    if (named := named_victim(config, domain)) is not None:
        return named
    folder = runs.train_folder(domain.name, first.victim, first.seed) / "victim"
    if not folder.is_dir():
        raise InputError(f"strict=true: no victim at {disks.shown(folder)}; name it with victim=<folder or hub id>, or "
                         f"with model= and seed= the one that train.py left")
    return victim_at(folder, domain, device=config.device)
