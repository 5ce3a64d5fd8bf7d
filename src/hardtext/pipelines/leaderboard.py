"""``task=leaderboard``: every attack run below a folder beside the published results."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import yaml
from rich.console import Console

from hardtext import records, runs, scoring, tracking
from hardtext.core import Attempt, InputError
from hardtext.pipelines.common import folder_of
from hardtext.reporting import leaderboard_formats as formats
from hardtext.reporting.leaderboard_sheets import sheets
from hardtext.scoring import SemanticSettings, board, claims, segment, submission
from hardtext.scoring.claims import Claim
from hardtext.scoring.summary import read_summary

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)


def run(config: EvaluateConfig) -> board.Board:
    """Score what has not been scored, as one claim a run; then make the tables, which depend on the claims alone."""
    if config.semantic.name == "none":
        raise InputError("task=leaderboard ranks by BODEGA, which semantic=none leaves unknown: choose semantic=bleurt, "
                         "minilm or bertscore")
    segment.check(config.segmenter)
    root = Path(config.runs).expanduser() if config.runs else runs.runs_root()
    sources = find(root)
    folder = folder_of(runs.evaluate_folder("leaderboard"), config.out, config.label)
    settings = {"task": "leaderboard", "scorer": claims.settings_of(config.semantic), "segmenter": config.segmenter,
                "seed": config.seed}
    with runs.disk_trouble_at(folder):
        found, left_out = collect(config, root, sources, folder / "claims")
    made = board.build(found, seed=config.seed)
    with (runs.disk_trouble_at(folder),
          tracking.open_run(folder, config.logger, settings, name="leaderboard", group=config.group) as diary):
        diary.summary({f"{cell.domain}/{cell.victim}/{cell.system}/bodega": cell.bodega for cell in made.cells})
        tables = sheets(made, left_out)
        records.write_json(folder / "leaderboard.json", formats.board_json(made, settings=settings, left_out=left_out))
        records.write_text(folder / "leaderboard.md", formats.markdown(tables))
        records.write_text(folder / "leaderboard.tex", formats.latex(tables))
        records.write_text(folder / "leaderboard.csv", formats.scores_csv(made))
        records.write_text(folder / "comparisons.csv", formats.comparisons_csv(made))
    console = Console()
    for table in tables:
        console.print(formats.rich_table(table), "")
    log.info("written to %s", runs.shown(folder))
    return made


def find(root: Path) -> list[Path]:
    """The attempts below a folder: ``attempts.jsonl`` of attack runs and submissions named the official way."""
    if not root.is_dir():
        raise InputError(f"runs={root}: no such folder")
    found = sorted([*root.rglob("attempts.jsonl"), *root.rglob("submission_*.tsv")])
    if not found:
        raise InputError(f"runs={root}: holds no attempts.jsonl; make one with python attack.py, or name a folder of runs")
    return found


def collect(config: EvaluateConfig, root: Path, sources: Sequence[Path],
            folder: Path) -> tuple[list[Claim], list[str]]:
    """The claim of every source, measured where ``folder`` holds none with the same header; and what was left out."""
    headers: dict[Path, claims.Header] = {}
    left_out = []
    seen: dict[str, str] = {}
    for path in sources:
        name = path.relative_to(root).as_posix()
        if not path.stat().st_size or (path.suffix == ".jsonl" and next(records.read_rows(path), None) is None):
            left_out.append(f"{name} (empty so far)")
            continue
        sha256 = claims.digest(path)
        if sha256 in seen:
            left_out.append(f"{name} (a copy of {seen[sha256]})")
            continue
        seen[sha256] = name
        attempts = read(path)
        if all(attempt.status == "error" for attempt in attempts):
            left_out.append(f"{name} (all {len(attempts)} attempts are errors)")
            continue
        headers[path] = claims.header(attempts, system=system_of(path, attempts[0].attack), source=name, sha256=sha256,
                                      semantic=config.semantic, segmenter=config.segmenter, marks=marks_of(path, attempts))
    for words in left_out:
        log.warning("left out: %s", words)
    return [claim_of(path, about, config.semantic, folder) for path, about in told_apart(headers).items()], left_out


def read(path: Path, *, quiet: bool = False) -> list[Attempt]:
    return scoring.load_attempts(path if path.suffix == ".tsv" else path.parent, quiet=quiet)


def system_of(path: Path, attack: str) -> str:
    """An attack's name, with what its folder's name adds: the label of a sweep's job, or a folder named by ``out=``.

    >>> system_of(Path("pr/bert/bae/seed=0/attempts.jsonl"), "bae"), system_of(Path("mine/attempts.jsonl"), "bae")
    ('bae', 'bae [mine]')
    >>> system_of(Path("pr/bert/bae/seed=0,attack.k=9/attempts.jsonl"), "bae")
    'bae [attack.k=9]'
    >>> system_of(Path("bert/bae-slow/attempts.jsonl"), "bae")
    'bae [slow]'
    """
    if path.suffix == ".tsv":
        return attack
    extra = re.sub(r"^seed=\d+,?", "", path.parent.name)
    extra = extra.removeprefix(attack).lstrip("-_,. ")
    return f"{attack} [{extra}]" if extra else attack


def marks_of(path: Path, attempts: Sequence[Attempt]) -> list[str]:
    """What the run's own files say stands in, was capped or was left out."""
    if path.suffix == ".tsv":
        return submission.notes(attempts)
    marks = [*read_summary(path).marks, *([submission.HALF_LINE] if records.half_line(path) else [])]
    status = runs.read_status(path.parent)
    if status and status["state"] != "done":
        marks.append(f"the first {len(attempts)} texts of a run that is not finished")
    config = settings_at(path.parent / "config.yaml")
    if config.get("split", "attack") != "attack":
        marks.append(f"texts of the {config['split']} split")
    if config.get("limit") == len(attempts):  # with fewer attempts than the limit, the split had no more
        marks.append(f"the first {len(attempts)} texts only")
    for key in ("max_queries", "max_seconds"):
        if config.get(key) is not None:
            marks.append(f"{key}={config[key]}")
    return marks


def settings_at(file: Path) -> dict[str, Any]:
    """The settings a run was made with; empty where it left none."""
    if not file.is_file():
        return {}
    try:
        settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: not YAML ({type(error).__name__}), so what this run was made with is unknown") from error
    if not isinstance(settings, dict):
        raise InputError(f"{file}: expected the settings of a run, got a {type(settings).__name__}")
    return settings


def told_apart(headers: Mapping[Path, claims.Header]) -> dict[Path, claims.Header]:
    """The headers with the folder added to the system's name where several runs would share it and the seed."""
    names = {path: (about.domain, about.victim, about.system, about.seed) for path, about in headers.items()}
    times = Counter(names.values())
    return {path: about if times[names[path]] == 1 else
            replace(about, system=f"{about.attack} [{PurePosixPath(about.source).parent}]")
            for path, about in headers.items()}


def claim_of(path: Path, about: claims.Header, semantic: SemanticSettings, folder: Path) -> Claim:
    """The claim with this header: the one in the folder, or measured and written there."""
    file = folder.joinpath(*map(runs.component, (about.domain, about.victim, about.system)),
                           f"seed={about.seed},{semantic.name}.json")
    claim = claims.read_claim(file, about)
    if claim is None:
        log.info("measuring %s", about.source)
        claim = claims.measure(read(path, quiet=True), about, semantic)  # collect has read it
        records.write_json(file, claim.to_row())
    return claim
