"""CSV files: no cell runs as a formula, and no other module writes one."""

from __future__ import annotations

import ast
import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext import spreadsheet
from hardtext.reporting import sweep_table

ROOT = Path(__file__).resolve().parents[1]


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "＠x", "-", "=",
                                  "-inf", "+nan", "-1.2.3", "=cmd|' /C calc'!A0"])
def test_a_formula_gets_an_apostrophe(text):
    assert spreadsheet.cell(text) == "'" + text and spreadsheet.plain("'" + text) == text


@pytest.mark.parametrize("text", ["", "a=1", " =1", "-1", "+0.5", "-1e-05", "-.5", "'=1", "–1", "1-2"])
def test_everything_else_stays_as_it_is(text):
    assert spreadsheet.cell(text) == text


@given(st.lists(st.lists(st.text() | st.none() | st.integers() | st.floats(allow_nan=False), min_size=2, max_size=2)))
def test_any_rows_are_read_back_and_none_holds_a_formula(rows):
    found = read(spreadsheet.lines(rows))
    assert len(found) == len(rows)
    for row, cells in zip(rows, found, strict=True):
        for value, cell in zip(row, cells, strict=True):
            assert not cell.startswith(("=", "@", "\t", "\r", "\n"))
            assert not cell.startswith(("-", "+")) or cell[1].isdigit() or cell[1] == "."
            if isinstance(value, str):
                assert spreadsheet.plain(cell) == spreadsheet.readable(value) or value.startswith("'")


def test_names_of_columns_are_cells_too():
    assert read(spreadsheet.table([{"=a": "=b", "n": -1}, {"n": 2, "more": True}])) == [
        ["'=a", "n", "more"], ["'=b", "-1", ""], ["", "2", "True"]]
    assert read(spreadsheet.table([], ["=a"])) == [["'=a"]]


def test_a_table_of_hostile_values_holds_no_formula():
    row = {"number": 0, "state": "failed", "values": {"@v": "=1+1"}, "objective": -1.5, "figures": {"+f": 2.0},
           "seconds": 1.0, "error": "-cmd|x", "error_file": "=x"}
    found = read(sweep_table.to_csv(sweep_table.Sheet([row], ["@v"], ["+f"], "+f")))
    assert found == [["job", "state", "'@v", "objective", "'+f", "seconds", "error", "error_file"],
                     ["0", "failed", "'=1+1", "-1.5", "2.0", "1.0", "'-cmd|x", "'=x"]]


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("*.py")), ids=lambda p: p.name)
def test_no_other_module_writes_csv(path):
    if path.name == "spreadsheet.py":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "csv":
            assert node.attr not in ("writer", "DictWriter"), f"{path}:{node.lineno}: write it with hardtext.spreadsheet"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "to_csv":
            own = isinstance(node.func.value, ast.Name) and node.func.value.id == "sweep_table"
            assert own, f"{path}:{node.lineno}: pandas writes formulas as they are; write it with hardtext.spreadsheet"
