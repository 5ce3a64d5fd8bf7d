"""``task=report``: one self-contained page about a folder of runs."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardtext import records, runs, tracking
from hardtext.pipelines.common import folder_of
from hardtext.reporting.report import measuring, page, reading, scenario

if TYPE_CHECKING:
    from hardtext.config import EvaluateConfig

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Report:
    """Where the page lies, and what report.json holds of it."""

    path: Path
    rows: list[dict[str, Any]]


def run(config: EvaluateConfig) -> Report:
    """``report.html`` and ``report.json`` about the attack and training runs below ``runs=`` (by default all of them)."""
    root = Path(config.runs).expanduser() if config.runs else runs.runs_root()
    attacks, trains = reading.read_attacks(root), reading.read_trains(root)
    measuring.check(attacks, config.semantic, config.segmenter)
    log.info("%d attack runs with %d attempts below %s", len(attacks), sum(len(run.attempts) for run in attacks),
             runs.shown(root))
    found = scenario.scenarios(attacks, measuring.measure(attacks, config.semantic, config.seed, config.segmenter), root)
    made = datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC")
    html = page.render(found, trains, config.semantic.name, made)

    folder = folder_of(runs.evaluate_folder("report"), config.out, config.label)
    rows = [section.row() for section in found]
    with (runs.disk_trouble_at(folder),
          tracking.open_run(folder, config.logger, {"task": "report", "runs": str(root)}, name="report",
                            group=config.group) as diary):
        diary.summary({"runs": len(rows), "attempts": sum(row["attempts"] for row in rows)})
        records.write_json(folder / "report.json", {"runs": rows, "versions": page.versions(), "made": made})
        records.write_text(folder / "report.html", html)
    log.info("written to %s (%.1f MB); open it in a browser", runs.shown(folder / "report.html"),
             len(html.encode("utf-8")) / 1e6)
    return Report(folder / "report.html", rows)
