"""``task=leaderboard``: every attack run below a folder beside the published results."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from rich.console import Console

from hardtext import disks, records, runs, scoring, tracking
from hardtext.core import Attempt, InputError
from hardtext.pipelines.common import folder_for_runs, folder_of
from hardtext.reporting import leaderboard_formats as formats
from hardtext.reporting import run_marks
from hardtext.reporting.leaderboard_sheets import sheets
from hardtext.results import result_folder
from hardtext.scoring import SemanticSettings, board, claims, segment
from hardtext.scoring.claims import Claim
from hardtext.scoring.summary import read_summary

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

FILES = ("leaderboard.json", "leaderboard.md", "leaderboard.tex", "leaderboard.csv", "comparisons.csv")


def run(config: EvaluateConfig) -> board.Board:
    """Score what has not been scored, as one claim a run; then make the tables, which depend on the claims alone."""
    if config.semantic.name == "none":
        raise InputError("task=leaderboard ranks by BODEGA, which semantic=none leaves unknown: choose semantic=bleurt, "
                         "minilm or bertscore")
    segment.check(config.segmenter)
    root = Path(config.runs).expanduser() if config.runs else runs.runs_root()
    sources = find(root)
    headers, left_out = collect(config, root, sources)
    config.semantic.check_weights()
    folder = folder_of(folder_for_runs("leaderboard", root), config.out, config.label)
    settings = {"task": "leaderboard", "scorer": claims.settings_of(config.semantic), "segmenter": config.segmenter,
                "seed": config.seed}
    with result_folder(folder, settings | {"runs": str(root.resolve())}, FILES, overwrite=config.overwrite):
        found = [claim_of(path, about, config.semantic, folder / "claims") for path, about in headers.items()]
        made = board.build(found, seed=config.seed)
        tables = sheets(made, left_out)
        with (disks.disk_trouble_at(folder),
              tracking.open_run(folder, config.logger, settings, name="leaderboard", group=config.group) as diary):
            diary.summary({f"{cell.domain}/{cell.victim}/{cell.system}/bodega": cell.bodega for cell in made.cells})
            records.write_json(folder / "leaderboard.json", formats.board_json(made, settings=settings, left_out=left_out))
            records.write_text(folder / "leaderboard.md", formats.markdown(tables))
            records.write_text(folder / "leaderboard.tex", formats.latex(tables))
            records.write_text(folder / "leaderboard.csv", formats.scores_csv(made))
            records.write_text(folder / "comparisons.csv", formats.comparisons_csv(made))
    console = Console()
    for table in tables:
        console.print(formats.rich_table(table), "")
    log.info("written to %s", disks.shown(folder))
    return made


def find(root: Path) -> list[Path]:
    """The attempts below a folder: ``attempts.jsonl`` of attack runs and submissions named the official way."""
    if not root.is_dir():
        raise InputError(f"runs={root}: no such folder")
    found = records.files_below(root, "attempts.jsonl", "submission_*.tsv")
    if not found:
        raise InputError(f"runs={root}: holds no attempts.jsonl; make one with python attack.py, or name a folder of runs")
    return found


def collect(config: EvaluateConfig, root: Path, sources: Sequence[Path]) -> tuple[dict[Path, claims.Header], list[str]]:
    """The header of every source that can be ranked, and what was left out. Raises InputError where nothing is left."""
    headers: dict[Path, claims.Header] = {}
    left_out = []
    seen: dict[tuple[str, ...], str] = {}
    for path in sources:
        name = path.relative_to(root).as_posix()
        if is_empty(path):
            left_out.append(f"{name} (empty so far)")
            continue
        attempts = read(path)
        sha256 = claims.digest(path)
        # a submission's bytes hold neither its domain nor its victim: two scenarios may have equal ones
        this = sha256, attempts[0].domain, attempts[0].victim
        if this in seen:
            left_out.append(f"{name} (a copy of {seen[this]})")
            continue
        seen[this] = name
        if all(attempt.status == "error" for attempt in attempts):
            left_out.append(f"{name} (all {len(attempts)} attempts are errors)")
            continue
        headers[path] = claims.header(attempts, system=system_of(path, attempts[0].attack), source=name, sha256=sha256,
                                      semantic=config.semantic, segmenter=config.segmenter, marks=marks_of(path, attempts))
    if not headers:
        raise InputError(f"runs={root}: holds nothing to rank: {'; '.join(left_out)}; make attempts with python attack.py")
    for words in left_out:
        log.warning("left out: %s", words)
    return told_apart(headers), left_out


def is_empty(path: Path) -> bool:
    """Whether a run has not begun; a half-written first line is none yet."""
    with records.open_plain(path) as file:
        return not file.read(1) or (path.suffix == ".jsonl" and next(records.read_rows(path), None) is None)


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
    return [*read_summary(path).marks, *run_marks.marks_of(path, attempts)]


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
        with disks.disk_trouble_at(folder):
            records.write_json(file, claim.to_row())
    return claim
