"""Rows and small files: damage of every kind is one line that names the file."""

from __future__ import annotations

import pytest

from hardtext import records
from hardtext.core import Attempt, InputError


@pytest.mark.parametrize("text", ["{", "1" * 5000, "[" * 100_000], ids=["half", "digits", "deep"])
def test_what_is_not_json_is_refused(tmp_path, text):
    (tmp_path / "a").write_text(text + "\n")
    with pytest.raises(InputError, match="not JSON"):
        records.read_json(tmp_path / "a")
    with pytest.raises(InputError, match="line 1: not JSON"):
        list(records.read_rows(tmp_path / "a"))


@pytest.mark.parametrize("change", [{"queries": "many"}, {"original": None}, {"original": []}, {"adversarial": None},
                                    {"original": ["a", "b", "c"]}, {"domain": 5}, {"id": [1]}, {"seed": "x"}])
def test_a_row_with_values_of_another_kind_is_no_attempt(change):
    row = Attempt("1", "sample", "v", "a", 0, ("a b",), ("a x",), "success", [0.9, 0.1], [0.1, 0.9], 3, 3, 0.1, 0).to_row()
    assert Attempt.from_row(row).to_row() == row
    with pytest.raises(InputError, match="not an attempt"):
        Attempt.from_row(row | change)
