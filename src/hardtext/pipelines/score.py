"""``task=score``: the BODEGA score of one run."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import records, runs, scoring, tracking
from hardtext.core import InputError
from hardtext.pipelines.common import folder_of
from hardtext.reporting import score_table

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)


def run(config: EvaluateConfig) -> scoring.Scores:
    """``task=score``: the BODEGA score of one run's attempts, the published rows of its domain and victim beside it."""
    if config.attempts is None:
        raise InputError("task=score needs attempts=<attempts.jsonl | attack folder | submission .tsv>")
    source = Path(config.attempts).expanduser()
    attempts = scoring.load_attempts(source, config.domain.name if config.domain else None)
    log.info("scoring %d attempts of %s against %s on %s (semantic scorer %s)", len(attempts), attempts[0].attack,
             attempts[0].victim, attempts[0].domain, config.semantic.name)
    scores = scoring.score(attempts, semantic=config.semantic, segmenter=config.segmenter, seed=config.seed)
    published = scoring.rows_beside(scores.domain, scores.victim)
    summary = attack_summary(source)
    stand_in = summary.get("domain_stand_in", "")
    scores = replace(scores, stand_ins=(*scores.stand_ins, *summary.get("stand_ins", ())))

    default = runs.evaluate_folder("score", scores.domain or "unknown", scores.victim or "unknown",
                                   scores.attack or "unknown", f"seed={attempts[0].seed}", scores.semantic_scorer)
    folder = folder_of(default, config.out, config.label)
    name = f"score {scores.domain} {scores.victim} {scores.attack}"
    settings = {"task": "score", "attempts": str(source)}
    with (runs.disk_trouble_at(folder),
          tracking.open_run(folder, config.logger, settings, name=name, group=config.group) as diary):
        diary.summary({name: getattr(scores, name) for name in
                       ("instances", "successes", "confusion", "semantic", "character", "bodega", "queries")})
        diary.attempts("attempts", attempts)
        records.write_json(folder / "scores.json", scores.to_row() | {"domain_stand_in": stand_in})
        records.write_text(folder / "scores.md", score_table.score_markdown(scores, published, stand_in))
    score_table.print_scores(scores, published, stand_in)
    log.info("written to %s", runs.shown(folder / "scores.json"))
    return scores


def attack_summary(source: Path) -> dict[str, Any]:
    """The ``summary.json`` of the run the attempts come from: what stands in for what. Empty where there is none."""
    file = (source if source.is_dir() else source.parent) / "summary.json"
    if source.suffix == ".tsv" or not file.is_file():
        return {}
    summary = records.read_json(file)
    if not isinstance(summary, dict):
        raise InputError(f"{file}: expected the summary of an attack run, got a {type(summary).__name__}")
    return summary

