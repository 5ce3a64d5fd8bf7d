"""The robustness matrix as files."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from hardtext.reporting import matrix_figures, matrix_table
from hardtext.scoring import robustness
from hardtext.scoring.robustness import Cell, Trained

TEXTS = tuple("abcdef")
FILES = ("matrix.json", "matrix.md", "matrix.csv", "matrix.tex")


def cell(victim, attack, scale, **values):
    bodega = np.array([0.9, 0.8, 0.0, 0.0, 0.7, 0.4]) * scale
    return Cell(victim, attack, 0, TEXTS, bodega, np.array([5.0, 90, 500, 500, 120, 300]), right=np.ones(6),
                fooled=bodega > 0, single_query=0.8, **values)


@pytest.fixture(scope="module")
def made():
    cells = [cell(victim, attack, scale, random=victim == "smooth", errors=int(victim == "smooth"),
                  transfer=None if victim == "plain" else np.full(6, 0.25))
             for victim, scale in (("plain", 1.0), ("smooth", 0.5)) for attack in ("bert_attack", "deepwordbug")]
    metrics = {"texts": 60, "accuracy": 0.8, "f1": 0.8, "precision": 0.8, "recall": 0.8, "confusion": [[24, 6], [6, 24]]}
    trained = [Trained("plain", 0, metrics, metrics, 10.0), Trained("smooth", 0, metrics | {"f1": 0.7}, metrics, 15.0)]
    rows = robustness.rows(cells, trained, plain="plain", caps=(100, 500))
    about = matrix_table.About(
        domain="sample", stand_in="generated sample", model="tiny", split="attack", asked=6, whole=60,
        attacks=("bert_attack", "deepwordbug"), seeds=(0,), caps=(100, 500), semantic="minilm",
        marks=("domain: generated sample", "MiniLM in place of BLEURT-20", "masked LM: a 50 % smaller_one"))
    return about, rows, cells


SETTINGS = {"task": "robustness_matrix", "victims": {
    "plain": {"name": "tiny", "hardening": {}}, "smooth": {"name": "tiny+smooth", "hardening": {"smooth": {"rate": 0.3}}}}}


@pytest.fixture(scope="module")
def written(made, tmp_path_factory):
    about, rows, cells = made
    folder = tmp_path_factory.mktemp("matrix")
    matrix_table.write(folder, about, rows, cells, SETTINGS)
    return folder


def test_every_file_names_the_stand_ins_and_the_warnings(written):
    for name in FILES:
        text = (written / name).read_text(encoding="utf-8")
        for words in ("generated sample", "MiniLM in place of BLEURT-20", "answers by chance", "10.0 points lower"):
            assert words in text, (name, words)


def test_each_sheet_names_the_stand_ins(made):
    for sheet in matrix_table.sheets(*made):
        assert "generated sample" in sheet.title
        assert "stand-in: MiniLM in place of BLEURT-20" in sheet.notes
        assert all(len(line.cells) == len(sheet.columns) for line in sheet.lines)


def test_json_holds_numbers_beside_what_they_were_made_with(written):
    found = json.loads((written / "matrix.json").read_text(encoding="utf-8"))
    plain, smooth = found["rows"]
    assert plain["mean"] == pytest.approx(2.8 / 6) and smooth["ratio"] == pytest.approx(0.5)
    assert plain["capped"]["100"] == pytest.approx(1.7 / 6) and smooth["cost"] == 1.5
    assert smooth["made_with"]["hardening"] == {"smooth": {"rate": 0.3}} and smooth["random"]
    assert [(c["victim"], c["attack"]) for c in found["cells"]] == [(v, a) for v in ("plain", "smooth")
                                                                    for a in ("bert_attack", "deepwordbug")]
    assert found["about"]["split"] == "attack" and found["chosen_by"] is None


def test_csv_holds_a_line_a_victim_and_a_line_a_cell(written):
    lines = list(csv.DictReader(io.StringIO((written / "matrix.csv").read_text(encoding="utf-8"))))
    assert [(line["victim"], line["attack"]) for line in lines] == [
        ("plain", ""), ("smooth", ""), ("plain", "bert_attack"), ("plain", "deepwordbug"), ("smooth", "bert_attack"),
        ("smooth", "deepwordbug")]
    assert float(lines[0]["mean"]) == pytest.approx(float(lines[0]["bodega_500"])) == pytest.approx(2.8 / 6)
    assert lines[0]["ratio_low"] == "" and float(lines[1]["ratio_low"]) == pytest.approx(0.5)
    assert lines[2]["transfer"] == "" and float(lines[4]["transfer"]) == 0.25


def test_the_tables_read_as_written(made, written, capsys):
    text = (written / "matrix.md").read_text(encoding="utf-8")
    for line in ("### Robustness of tiny on sample (generated sample), attack split, 6 texts",
                 "| plain | 0.467 |", "- 2 attempts ended in an error; their texts are left out of every victim's figures",
                 "- the first 6 of 60 texts of the split only", "| smooth | 0.667 | 0.800 | 0.333 |",
                 "| victim | bert_attack | deepwordbug |"):
        assert line in text
    latex = (written / "matrix.tex").read_text(encoding="utf-8")
    assert r"bert\_attack" in latex and r"50 \% smaller\_one" in latex and latex.count(r"\begin{tabular}") == 4
    matrix_table.show(*made)
    assert "generated sample" in capsys.readouterr().out


def test_figures_on_dev_are_to_choose_by_and_those_on_attack_repeat_what_chose(made):
    about, rows, cells = made
    dev = matrix_table.sheets(replace(about, split="dev"), rows, cells)[0]
    assert "dev split: to choose by, not to report" in dev.notes
    chosen = matrix_table.sheets(replace(about, chosen={"file": "split=dev/matrix.json"}), rows, cells)[0]
    assert any("the matrix on dev, to choose by: split=dev/matrix.json" in note for note in chosen.notes)


def test_a_name_that_is_a_formula_is_no_formula_in_csv(made):
    about, rows, cells = made
    lines = list(csv.DictReader(io.StringIO(matrix_table.to_csv(replace(about, domain="=1+1"), rows, cells))))
    assert {line["domain"] for line in lines} == {"'=1+1"}


def test_figures_are_drawn_alike_each_time(made, tmp_path):
    about, rows, _ = made
    files = matrix_figures.draw(tmp_path, about, rows)
    assert [file.name for file in files] == ["matrix.png", "matrix.svg", "matrix_bars.png", "matrix_bars.svg"]
    svg = {file: file.read_bytes() for file in files if file.suffix == ".svg"}
    assert all(file.stat().st_size > 5_000 for file in files)
    matrix_figures.draw(tmp_path, about, rows)
    assert all(file.read_bytes() == content for file, content in svg.items())


def test_a_row_without_numbers_is_drawn_too(made):
    about, rows, _ = made
    unknown = {"accuracy": None, "f1": None}
    blank = replace(rows[1], interval=None, clean=unknown, clean_interval=unknown, by_attack={})
    plot = matrix_figures.heat_map(about, [rows[0], blank]).axes[0]
    assert [text.get_text() for text in plot.texts] == ["0.47", "0.47", "0.47", "–", "–", "0.23"]
    left, right = matrix_figures.bars(about, [rows[0], blank]).axes
    assert [text.get_text() for text in left.texts] == ["0.467", "0.233"] and [t.get_text() for t in right.texts] == ["0.800"]
