"""The probes' results as Markdown, LaTeX and CSV."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os.path import commonprefix

from hardtext import spreadsheet
from hardtext.reporting import leaderboard_formats as formats
from hardtext.reporting.annotation.marked import readable
from hardtext.reporting.probes import tables
from hardtext.reporting.probes.results import Report, Shown
from hardtext.scoring.answers import Answer

BEFORE, WIDTH = 80, 320  # characters of a text shown: before the first change, and in all


def markdown(report: Report, figures: Sequence[str] = ()) -> str:
    """All sheets, the figures (paths beside the file), and the worst and the typical texts of each probe."""
    parts = [formats.markdown(tables.sheets(report))]
    parts += [f"![{words}]({path})\n" for path, words in zip(figures, ("% flip", "ΔProb"))]
    for result in report.results:
        for words, shown in (("most confident wrong behaviour", result.worst),
                             ("typical texts (median ΔProb)", result.typical)):
            if shown:
                parts.append(f"### {result.question.title}: {words}\n\n" + "".join(map(_example, shown)))
    return "\n".join(parts)


def _example(shown: Shown) -> str:
    before, after = around(shown.original[-1], shown.changed[-1])
    said = shown.said if shown.said == shown.said_after else f"{shown.said} → {shown.said_after}"
    what = f"; {plain(shown.what)}" if shown.what else ""
    return (f"- {plain(shown.id)}, gold {plain(shown.label)}, predicted {plain(said)} ({shown.sure:.2f}), "
            f"ΔProb {tables.signed(shown.shift)}{what}\n  - {plain(before) or '(empty)'}\n  - {plain(after) or '(empty)'}\n")


def around(original: str, changed: str) -> tuple[str, str]:
    """Both texts from a little before their first difference on, cut to ``WIDTH`` characters.

    >>> around("It is so.", "It is not so.")
    ('It is so.', 'It is not so.')
    """
    start = max(0, len(commonprefix([original, changed])) - BEFORE)

    def cut(text: str) -> str:
        return ("…" if start else "") + text[start : start + WIDTH] + ("…" if len(text) > start + WIDTH else "")

    return cut(original), cut(changed)


_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_MARKS = str.maketrans({mark: "\\" + mark for mark in "\\|*_<>`[]#"})


def plain(text: str) -> str:
    """A text of any kind on one line of Markdown, its marks harmless, what cannot be written as an escape; what would turn
    the direction of the line is named ("<U+202E>")."""
    text = _DIRECTIONS.sub(lambda mark: f"<U+{ord(mark[0]):04X}>", readable(text))
    return " ".join(text.split()).translate(_MARKS)


_SIGNS = str.maketrans({"→": r"$\to$", "Δ": r"$\Delta$", "−": "$-$", "…": r"\dots{}"})


def latex(report: Report) -> str:
    """The sheets as ``table`` environments; needs the package booktabs."""
    return formats.latex(tables.sheets(report)).translate(_SIGNS)


def results_csv(reports: Sequence[Report]) -> str:
    """One row a probe and group ("all", "gold class …", "confidence …"); empty where there is no number."""
    rows = []
    for report in reports:
        for result in report.results:
            about = {"domain": report.domain, "domain_stand_in": report.domain_stand_in, "victim": report.victim,
                     "seed": report.seed, "probe": result.question.name, "rules": result.question.rules or "",
                     "expects": result.question.expects, "capped": report.capped,
                     "reading": " ".join(report.reading), "truncated": result.truncated}
            other = result.published
            whole = {"p": "" if result.p is None else result.p, "p_holm": "" if result.p_holm is None else result.p_holm,
                     **result.directions, "published_label_flip": other.label_flip if other else "",
                     "published_delta_prob": other.delta_prob if other else ""}
            rows.append(about | tables.flat("all", result.overall) | whole)
            rows += [about | tables.flat(f"{group.by} {group.name}", group.behaviour) for group in result.groups]
    return spreadsheet.table(rows)


def pairs_csv(answers: Sequence[Answer], classes: Sequence[str]) -> str:
    """The texts that were changed, one row each, for reading in a spreadsheet."""
    rows = [{"id": answer.id, "number": answer.number, "probe": answer.probe, "rules": answer.rules or "",
             "label": classes[answer.label],
             "first_segment": answer.original[0] if len(answer.original) == 2 else "", "original": answer.original[-1],
             "changed": answer.changed[-1], "what": answer.what or "", "expects": answer.expects, "flipped": answer.flipped,
             **{f"p_{name}": value for name, value in zip(classes, answer.original_probs)},
             **{f"p_{name}_changed": value for name, value in zip(classes, answer.changed_probs or ())}}
            for answer in answers if answer.changed is not None]
    return spreadsheet.table([{name: readable(value) if isinstance(value, str) else value for name, value in row.items()}
                              for row in rows])
