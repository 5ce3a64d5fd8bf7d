"""``task=annotate``: a draw of each system's successes as tasks for people, for the tool they work with."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from hardtext import disks, records, runs, scoring, tracking
from hardtext.core import Attempt, InputError
from hardtext.pipelines.common import folder_of
from hardtext.reporting import annotation
from hardtext.reporting.annotation.agreement_table import drawn_table
from hardtext.results import result_folder
from hardtext.scoring import claims
from hardtext.scoring.summary import read_summary

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)


def run(config: EvaluateConfig) -> list[annotation.Task]:
    if not config.attempts:
        raise InputError("task=annotate needs attempts=<attempts.jsonl | attack folder | folder of them | submission "
                         ".tsv>, or several, separated by commas")
    if config.format not in annotation.FORMATS:
        raise InputError(f"format={config.format}: expected one of {', '.join(annotation.FORMATS)}")
    found, copies = read(sources(config.attempts), config.domain.name if config.domain else None)
    for words in copies:
        log.warning("left out: %s", words)
    stand_ins = {path: _stand_in(path) for path in found}
    systems: dict[str, list[Attempt]] = {}
    said: dict[str, str] = {}
    for path, name in annotation.system_names(found, stand_ins).items():
        systems.setdefault(name, []).extend(found[path])
        said[name] = "; ".join(dict.fromkeys(words for words in (said.get(name, ""), stand_ins[path]) if words))
    drawn = annotation.draw(systems, config.per_system, config.seed, said)
    strata = _strata(systems, drawn, said)
    counts = Counter(task.system for task in drawn)
    folder = folder_of(runs.evaluate_folder("annotate", config.format, f"seed={config.seed}"), config.out, config.label)
    files = annotation.task_files(drawn, config.format)
    settings = {"task": "annotate", "attempts": config.attempts, "format": config.format,
                "per_system": config.per_system, "seed": config.seed}
    # two formats of one draw may share a folder; that it is one draw is told by what the files hold
    with result_folder(folder, {"task": "annotate"}, [*annotation.WRITTEN, "drawn.json"],
                            overwrite=config.overwrite) as folder:
        if not config.overwrite and (others := annotation.in_the_way(folder, files)):
            raise InputError(f"{disks.shown(folder)} holds another draw, or answers to this one ({', '.join(others)} would "
                             f"be written over): choose another seed or out=<folder>, or replace it with overwrite=true")
        for name in systems:
            if counts[name] < config.per_system:
                log.warning("%s: %d successes, fewer than per_system=%d", name, counts[name], config.per_system)
        with (disks.disk_trouble_at(folder),
              tracking.open_run(folder, config.logger, settings, name=f"annotate {config.format}",
                                group=config.group) as diary):
            annotation.write_tasks(folder, files, overwrite=config.overwrite)
            diary.summary({"systems": len(counts), "tasks": len(drawn)})
            records.write_json(folder / "drawn.json", settings | {"tasks": len(drawn), "strata": strata, "left_out": copies})
    console = Console()
    console.print(drawn_table(strata, f"{len(drawn)} pairs to judge, of {len(counts)} systems"))
    console.print(Text(f"keep {annotation.KEY} from the annotators: it says which system made which pair"))
    log.info("written to %s: %s, drawn.json", disks.shown(folder), ", ".join(files))
    return drawn


def sources(value: str) -> list[Path]:
    """The attempts files that ``attempts=`` names: a path, a folder tree, or several, separated by commas.

    A path may hold commas itself: the longest piece that exists is taken. Raises InputError for what does not exist,
    and for a folder without attempts.
    """
    found: list[Path] = []
    rest = value.split(",")
    while rest:
        for end in range(len(rest), 0, -1):
            path = Path(",".join(rest[:end]).strip()).expanduser()
            if path.exists():
                break
        else:
            raise InputError(f"attempts={rest[0]}: no such file or folder")
        found += _inside(path)
        rest = rest[end:]
    return list(dict.fromkeys(found))


def read(paths: Sequence[Path], domain: str | None) -> tuple[dict[Path, list[Attempt]], list[str]]:
    """The attempts of each file, and in words which files are copies of another and left out: their pairs would be
    judged twice."""
    found: dict[Path, list[Attempt]] = {}
    seen: dict[tuple[str, str, str], Path] = {}
    copies = []
    for path in paths:
        attempts = scoring.load_attempts(path.parent if path.name == "attempts.jsonl" else path, domain)
        run = (claims.digest(path), attempts[0].domain, attempts[0].victim)
        if run in seen:
            copies.append(f"{disks.shown(path)} (a copy of {disks.shown(seen[run])})")
        else:
            found[path], seen[run] = attempts, path
    return found, copies


def _inside(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = [path / "attempts.jsonl"] if (path / "attempts.jsonl").is_file() else records.files_below(path, "attempts.jsonl")
    if not files:
        raise InputError(f"attempts={path}: no attempts.jsonl in this folder or below it")
    return [file for file in files if file.stat().st_size] or files  # a run that has just begun has none yet


def _stand_in(path: Path) -> str:
    """What stands in for what in the run that a file of attempts belongs to, in words."""
    return "; ".join(read_summary(path).marks)


def _strata(systems: Mapping[str, Sequence[Attempt]], drawn: Sequence[annotation.Task],
            stand_ins: Mapping[str, str]) -> list[dict[str, Any]]:
    """One row for each system, domain and victim: how many successes there are and how many were drawn."""
    successes = Counter((name, row.domain, row.victim) for name, rows in systems.items()
                        for row in rows if row.status == "success")
    counts = Counter((task.system, task.domain, task.victim) for task in drawn)
    names = sorted({(name, row.domain, row.victim) for name, rows in systems.items() for row in rows})
    return [{"system": system, "domain": domain, "victim": victim, "successes": successes[system, domain, victim],
             "drawn": counts[system, domain, victim], "stand_in": stand_ins[system]}
            for system, domain, victim in names]
