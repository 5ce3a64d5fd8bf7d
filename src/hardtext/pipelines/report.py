"""``task=report``: one self-contained page about a folder of runs."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import disks, records, runs, tracking
from hardtext.pipelines.common import folder_for_runs, folder_of
from hardtext.reporting.report import measuring, page, reading, scenario
from hardtext.results import result_folder

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)

FILES = ("report.html", "report.json")


@dataclass(frozen=True)
class Report:
    """Where the page lies, and what report.json holds of it."""

    path: Path
    rows: list[dict[str, Any]]


def run(config: EvaluateConfig) -> Report:
    """``report.html`` and ``report.json`` about the attack and training runs below ``runs=`` (by default all of them)."""
    root = Path(config.runs).expanduser() if config.runs else runs.runs_root()
    attacks, left_out = reading.read_attacks(root)
    trains, also_left_out = reading.read_trains(root)
    left_out += also_left_out
    elsewhere, _ = reading.read_trains(runs.runs_root() / "train")
    for words in left_out:
        log.warning("left out: %s", words)
    measuring.check(attacks, config.semantic, config.segmenter)
    folder = folder_of(folder_for_runs("report", root), config.out, config.label)
    settings = {"task": "report", "runs": str(root.resolve())}
    with result_folder(folder, settings, FILES, overwrite=config.overwrite) as folder:
        log.info("%d attack runs with %d attempts below %s", len(attacks), sum(len(run.attempts) for run in attacks),
                 disks.shown(root))
        measured = measuring.measure(attacks, config.semantic, config.seed, config.segmenter)
        found = scenario.scenarios(attacks, measured, root)
        made = datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC")
        html = page.render(found, trains, config.semantic.name, made, left_out=left_out,
                           classes=reading.class_names([*trains, *elsewhere]))
        rows = [section.row() for section in found]
        with (disks.disk_trouble_at(folder),
              tracking.open_run(folder, config.logger, settings, name="report", group=config.group) as diary):
            diary.summary({"runs": len(rows), "attempts": sum(row["attempts"] for row in rows)})
            records.write_json(folder / "report.json", {"runs": rows, "left_out": left_out, "versions": page.versions(),
                                                        "made": made})
            records.write_text(folder / "report.html", html)
    log.info("written to %s (%.1f MB); open it in a browser", disks.shown(folder / "report.html"),
             len(html.encode("utf-8")) / 1e6)
    return Report(folder / "report.html", rows)
