"""How well attacked texts are detected, as tables and files: ``detect.json``, ``detect.md``, ``detect.csv``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from hardtext import records, spreadsheet
from hardtext.reporting import leaderboard_formats as formats
from hardtext.reporting.leaderboard_sheets import Line, Sheet
from hardtext.scoring.detection import FALSE_ALARMS, Judged

VIEWS = {"originals": "their originals", "clean": "clean texts"}
Views = Mapping[str, Mapping[str, Judged]]
"""By score and by view."""


@dataclass(frozen=True)
class About:
    """``asked``: the victim whose answers were looked at, "" for none. ``fitted``, ``tested``: how many texts of each kind
    (adversarial, originals, clean) are in either half. ``marks``: what stands in for something else, in words."""

    domain: str
    stand_in: str
    victims: tuple[str, ...]
    attacks: tuple[str, ...]
    masked_lm: str
    asked: str
    seed: int
    fitted: Mapping[str, int]
    tested: Mapping[str, int]
    marks: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{self.domain}{f' ({self.stand_in})' if self.stand_in else ''}, attacks on {', '.join(self.victims)}"


def sheets(about: About, judged: Views, by_attack: Mapping[str, Mapping[str, float]],
           thresholds: Mapping[float, Mapping[str, Any]]) -> list[Sheet]:
    """Against the originals, against clean text, attack by attack, and the detector at work."""
    marks = [f"stand-in: {words}" for words in about.marks]
    tested = about.tested
    tables = []
    for view, words in VIEWS.items():
        lines = [Line((name, f"{one.auc:.3f}", _interval(one.interval),
                       *(cell for rate in FALSE_ALARMS for cell in (f"{one.caught[rate]:.3f}",
                                                                   _interval(one.caught_interval[rate])))))
                 for name, views in judged.items() for one in [views[view]]]
        tables.append(Sheet(
            f"Detection on {about.title}: adversarial texts against {words}",
            ("score", "AUC", "95 %", *(cell for rate in FALSE_ALARMS for cell in (f"at {rate:.0%}", "95 %"))), tuple(lines),
            (f"{tested['adversarial']} adversarial and {tested[view]} clean texts; together: the scores combined on the "
             f"other half of the originals ({about.fitted['adversarial']} adversarial texts, "
             f"{about.fitted['originals']} originals, {about.fitted['clean']} clean texts)",
             "at N %: the share caught where at most N % of these clean texts are flagged; 95 %: bootstrap over originals",
             f"perplexity by {about.masked_lm}{f'; reaction and saliency shift of {about.asked}' if about.asked else ''}",
            *marks)))
    names = list(judged)
    tables.append(Sheet(f"AUC of each attack against clean texts: {about.title}", ("attack", *names),
                        tuple(Line((f"{attack} ({values['texts']})", *(f"{values[name]:.2f}" for name in names)))
                              for attack, values in by_attack.items()),
                        ("in brackets: adversarial texts", *marks)))
    tables.append(Sheet(f"The detector at work: {about.title}", ("allowed", "caught", *(f"flagged, {v}" for v in VIEWS)),
                        tuple(Line((f"{rate:.0%}", f"{one['caught']:.3f}",
                                    *(f"{one['false_alarms'][view]:.3f}" for view in VIEWS)))
                              for rate, one in thresholds.items()),
                        ("its threshold is the one that so many clean texts and originals of the first half exceed", *marks)))
    return tables


def write(folder: Path, about: About, judged: Views, by_attack: Mapping[str, Mapping[str, float]],
          thresholds: Mapping[float, Mapping[str, Any]], detector: Mapping[str, Any],
          settings: Mapping[str, Any]) -> dict[str, Any]:
    """The three files; returns what ``detect.json`` holds."""
    report = {"about": asdict(about),
              "scores": {name: {view: _json(one) for view, one in views.items()} for name, views in judged.items()},
              "by_attack": {attack: dict(values) for attack, values in by_attack.items()},
              "at_work": {str(rate): dict(one) for rate, one in thresholds.items()},
              "detector": dict(detector), "settings": dict(settings)}
    records.write_json(folder / "detect.json", report)
    records.write_text(folder / "detect.md", formats.markdown(sheets(about, judged, by_attack, thresholds)))
    records.write_text(folder / "detect.csv", to_csv(about, judged))
    return report


def show(about: About, judged: Views, by_attack: Mapping[str, Mapping[str, float]],
         thresholds: Mapping[float, Mapping[str, Any]]) -> None:
    console = Console()
    for sheet in sheets(about, judged, by_attack, thresholds):
        console.print(formats.rich_table(sheet), "")


def to_csv(about: About, judged: Views) -> str:
    """One line a score and view."""
    lines = []
    for name, views in judged.items():
        for view, one in views.items():
            line = {"domain": about.domain, "stand_ins": "; ".join(about.marks), "score": name, "against": view,
                    "auc": one.auc, **_bounds("auc", one.interval)}
            for rate in FALSE_ALARMS:
                line |= {f"caught_at_{rate}": one.caught[rate], **_bounds(f"caught_at_{rate}", one.caught_interval[rate])}
            lines.append(line)
    return spreadsheet.table(lines)


def _json(one: Judged) -> dict[str, Any]:
    row = asdict(one)
    return row | {key: {str(rate): value for rate, value in row[key].items()} for key in ("caught", "caught_interval")}


def _bounds(name: str, bounds: Sequence[float] | None) -> dict[str, Any]:
    low, high = bounds or ("", "")
    return {f"{name}_low": low, f"{name}_high": high}


def _interval(bounds: Sequence[float] | None) -> str:
    return "" if bounds is None else f"{bounds[0]:.2f}–{bounds[1]:.2f}"
