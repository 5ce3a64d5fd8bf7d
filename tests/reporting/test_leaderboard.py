from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy
import pytest
from rich.console import Console

from hardtext.reporting import leaderboard_formats as formats
from hardtext.reporting.leaderboard_sheets import Line, Sheet, sheets
from hardtext.scoring import board
from hardtext.scoring.claims import Claim
from hardtext.scoring.published import SOURCE


def claim(scores, *, victim="bilstm", domain="pr", system="bert_attack", marks=(), queries=10.0, **values) -> Claim:
    scores = numpy.array(scores)
    return Claim(**{
        "domain": domain, "victim": victim, "system": system, "attack": system.partition(" [")[0], "seed": 0,
        "source": f"{victim}/{system}", "sha256": "", "scorer": {"name": "minilm"}, "segmenter": "whole",
        "marks": tuple(marks), "errors": 0, "broken_pairs": 0, "texts": tuple(map(str, range(len(scores)))),
        "success": scores > 0, "semantic": scores, "character": numpy.ones(len(scores)),
        "queries": numpy.broadcast_to(queries, len(scores))} | values)


SCORES = numpy.random.default_rng(0).uniform(0.3, 0.9, 50)
COSINE = "cosine in place of BLEURT-20"
MADE = board.build([claim(SCORES, marks=[COSINE]), claim(SCORES / 2, system="deepwordbug [slow]", marks=[COSINE], errors=3),
                    claim(SCORES, domain="sample", marks=[COSINE, "domain: generated sample"], queries=70.0)],
                   resamples=200)


def printed(made=MADE, width=80, left_out=()) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    for sheet in sheets(made, left_out):
        console.print(formats.rich_table(sheet))
    return console.export_text()


def everywhere(made=MADE, left_out=()):
    return [" ".join(text.split()) for text in (printed(made, 200, left_out), formats.markdown(sheets(made, left_out)),
                                                formats.latex(sheets(made, left_out)))]


@pytest.mark.parametrize("output", range(3))
def test_every_output_says_what_limits_it(output):
    text = everywhere(left_out=["x/attempts.jsonl (empty so far)"])[output]
    for words in ("Table 4. BODEGA against BiLSTM", "Table 6. BODEGA against RoBERTa-adv", "1 of 15", "0.7453", "0.2680",
                  "ours, mean of 1 of 5: PR", "ours, mean of 1 of 15: BiLSTM on PR", COSINE,
                  "domain: generated sample", "3 attempts ended in an error", "x/attempts.jsonl (empty so far)"):
        assert words in text
    assert "Przybyła" in text and SOURCE.partition(" (")[0] in text


def test_published_and_ours_stand_in_one_table():
    markdown = formats.markdown(sheets(MADE))
    assert "| 1 | TextTrojaners | 0.70 | 0.76 | 0.83 | 0.91 | 0.72 | 0.784 |  |  |" in markdown
    mean = MADE.cells[0].bodega
    assert f"| 1 | bert\\_attack (a) | {mean:.3f} | – | – | – | – | {mean:.3f} | " in markdown
    assert "bert\\_attack follows BERT-ATTACK" in markdown and "| 0.530 |" in markdown


def test_the_best_within_a_cap_is_emphasised():
    queries = next(s for s in sheets(MADE) if s.columns[0] == "system" and "≤ 50" in s.columns)
    best = {line.cells[0]: {queries.columns[i] for i in line.best} for line in queries.lines if line.cells}
    assert best == {"bert_attack (a)": {"≤ 50", "≤ 100", "≤ 500"}, "deepwordbug [slow] (a)": set(),
                    "bert_attack (a, b)": {"≤ 100", "≤ 500"}}
    assert "**" in formats.markdown([queries]) and "\\textbf" in formats.latex([queries])


def test_it_fits_80_columns_and_hides_nothing():
    lines = printed().splitlines()
    assert max(map(len, lines)) <= 80 and not any("…" in line for line in lines)


def test_without_runs_the_published_tables_stand_alone():
    tables = sheets(board.build([]))
    assert [table.title.partition(".")[0] for table in tables] == ["Table 4", "Table 5", "Table 6", "Table 7"]
    assert not any("ours" in note for table in tables for note in table.notes)


def test_names_from_outside_cannot_break_a_table():
    hostile = "a|b & c_d\n# {x} \\end{tabular} [red] <script> 100%"
    sheet = Sheet("t", ("name", "n"), (Line((hostile, "1")),), (hostile,))
    (row,) = [line for line in formats.markdown([sheet]).splitlines() if "script" in line and line.startswith("|")]
    assert row.replace("\\|", "").count("|") == 3 and "\\<script\\>" in row
    tex = formats.latex([sheet])
    assert tex.count("\\end{tabular}") == 1
    for words in (r"\& c\_d \# \{x\} \textbackslash{}end\{tabular\}", r"100\%"):
        assert words in tex
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(formats.rich_table(sheet))
    assert "[red] <script>" in console.export_text()


def test_csv_and_json_hold_the_numbers_of_the_tables():
    rows = list(csv.DictReader(io.StringIO(formats.scores_csv(MADE))))
    assert len(rows) == 120 + 3
    cell = MADE.cells[0]
    (ours,) = [row for row in rows if row["source"] == "ours" and row["system"] == "bert_attack" and row["domain"] == "pr"]
    assert float(ours["bodega"]) == cell.bodega and float(ours["low"]) == cell.bounds[0] and ours["marks"] == COSINE
    assert float(ours["within_50"]) == cell.within[50]

    pairs = list(csv.DictReader(io.StringIO(formats.comparisons_csv(MADE))))
    assert [(row["first"], row["second"]) for row in pairs] == [("bert_attack", "deepwordbug [slow]")]

    everything = json.loads(json.dumps(formats.board_json(MADE, settings={"seed": 0}, left_out=[]), allow_nan=False))
    assert len(everything["cells"]) == 3 and len(everything["overall"]) == 8 + 2
    assert everything["overall"][8]["cells"] == [{"domain": "PR", "victim": "BiLSTM", "bodega": cell.bodega}]
    assert everything["comparisons"][0]["difference"] == pytest.approx(cell.bodega / 2)


def test_a_cell_without_a_success_has_dashes():
    nothing = replace(claim([0.0, 0.0]), semantic=numpy.full(2, numpy.nan), character=numpy.full(2, numpy.nan))
    markdown = formats.markdown(sheets(board.build([nothing], resamples=50)))
    assert "| bert\\_attack | 2 | 0.000 | 0.00–0.00 | 0.000 | – | – |" in markdown and "nan" not in markdown


def test_a_median_between_two_counts_is_not_rounded():
    made = board.build([claim(SCORES[:4], queries=numpy.array([11.0, 12.0, 13.0, 14.0])),
                        claim(SCORES[:4], system="pwws", queries=12.0)], resamples=200)
    table = next(s for s in sheets(made) if s.columns[0] == "system" and "median" in s.columns)
    shown = {line.cells[0]: line.cells[1:4] for line in table.lines if line.cells}
    assert shown == {"bert_attack": ("12.5", "12.5", "13.8"), "pwws": ("12.0", "12", "12")}


def test_it_says_why_interval_and_corrected_p_may_differ():
    assert all("an interval may leave out 0 where p (Holm) is above 0.05" in text.replace("\\", "") for text in everywhere())
