"""What ``task=agreement`` says, as a table for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hardtext.scoring.agreement import LABELS
from hardtext.scoring.published import SOURCE

_SHOWN = 20
_COLUMNS = ("system", "preserved", "95 %", "pairs", "published")


def lines(result: Mapping[str, Any]) -> list[str]:
    """The agreement and the labels in words; ``result`` is the content of agreement.json."""
    said = [f"{result['pairs']} pairs, {result['judgements']} judgements by {len(result['annotators'])} annotators"]
    if result["missing"]:
        said.append(f"{len(result['missing'])} of the {result['drawn']} pairs drawn are not in the file")
    if result["unjudged"]:
        said.append(f"{result['unjudged']} of the {result['pairs']} pairs have no judgement yet")
    if result["judged_once"]:
        said.append(f"{result['judged_once']} of the {result['pairs']} pairs have one judgement, and two are needed")
    kappa, first = result["cohen_kappa"], result["first_two"]
    names = " and ".join(first) if first else "two annotators"
    said.append(f"Cohen's kappa of {names}, {result['both']} pairs: {_number(kappa)}")
    said.append(f"Krippendorff's alpha (nominal), all annotators: {_number(result['krippendorff_alpha'])}")
    said.append("labels: " + ", ".join(f"{result['labels'][label]} {label}" for label in LABELS))
    said.append("settled by: " + ", ".join(f"{how} {count}" for how, count in result["how"].items()))
    if ties := result["how"]["confidence tie"]:
        said.append(f"{ties} with equal confidence: {result['tie_rule']}")
    if comparison := result["against_file"]:
        said.append(f"against the file's own labels: {comparison['equal']} of {comparison['compared']} equal")
    for row in result["no_majority"][:_SHOWN]:
        votes = ", ".join(f"{label} ({_confidence(confidence)})" for label, confidence in row["votes"])
        agreed = "" if row["file"] is None else f"; the file says {row['file']}"
        said.append(f"no majority, pair {row['id']}: {votes} → {row['label']} by {row['how']}{agreed}")
    if (rest := len(result["no_majority"]) - _SHOWN) > 0:
        said.append(f"no majority: {rest} more pairs in agreement.json")
    return said


def ranking_rows(result: Mapping[str, Any]) -> list[tuple[str, ...]]:
    rows = []
    for row in result["ranking"]:
        bounds = "–" if row["interval"] is None else "–".join(f"{bound:.1%}" for bound in row["interval"])
        pairs = str(row["resolved"]) + (f" (+{row['unresolved']} unresolved)" if row["unresolved"] else "")
        beside = "–" if row["published_team"] is None else f"{row['published_team']} {row['published_share']:.0%}"
        rows.append((row["system"], "–" if row["share"] is None else f"{row['share']:.1%}", bounds, pairs, beside))
    return rows


def notes(result: Mapping[str, Any]) -> list[str]:
    ranking = ", ".join(f"{team} {share:.0%}" for team, share in result["published_ranking"].items())
    said = [f"published human ranking: {ranking} (their annotators, texts and victims)",
            f"source: {SOURCE}"]
    said += [f"stand-in in {row['system']}: {row['stand_in']}" for row in result["ranking"] if row["stand_in"]]
    if not result["ranking"]:
        said.insert(0, "the annotations name no system, so there is no ranking of ours")
    return said


def show(result: Mapping[str, Any]) -> None:
    console = Console()
    for line in lines(result):
        console.print(Text(line))
    if result["ranking"]:
        table = Table(title="share of pairs that preserve the meaning", title_justify="left")
        for column in _COLUMNS:
            table.add_column(column, justify="left" if column in ("system", "published") else "right", overflow="fold")
        for row in ranking_rows(result):
            table.add_row(*map(Text, row))
        console.print(table)
    for note in notes(result):
        console.print(Text(note))


def markdown(result: Mapping[str, Any]) -> str:
    said = ["### Do people say that the meaning is kept?", "", *(f"- {_escape(line)}" for line in lines(result)), ""]
    if result["ranking"]:
        said += ["| " + " | ".join(_COLUMNS) + " |", "|---|---:|---:|---:|---|"]
        said += ["| " + " | ".join(map(_escape, row)) + " |" for row in ranking_rows(result)] + [""]
    return "\n".join(said + [f"- {_escape(note)}" for note in notes(result)]) + "\n"


def drawn_table(strata: Sequence[Mapping[str, Any]], title: str) -> Table:
    """What ``task=annotate`` drew: one row for each system, domain and victim."""
    table = Table(title=Text(title), title_justify="left")
    for column in ("system", "domain", "victim"):
        table.add_column(column, overflow="fold")
    for column in ("successes", "drawn"):
        table.add_column(column, justify="right")
    for row in strata:
        table.add_row(Text(row["system"]), Text(row["domain"]), Text(row["victim"]), str(row["successes"]), str(row["drawn"]))
    stand_ins = dict.fromkeys(f"{row['system']}: {row['stand_in']}" for row in strata if row["stand_in"])
    table.caption = Text("\n".join(stand_ins)) if stand_ins else None
    table.caption_justify = "left"
    return table


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.4f}"


def _confidence(value: int | None) -> str:
    return "confidence not asked" if value is None else f"confidence {value}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
