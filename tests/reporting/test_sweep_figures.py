"""The figures of a sweep."""

from __future__ import annotations

import pytest

from hardtext.reporting.sweep_figures import axis, best_so_far, draw
from hardtext.reporting.sweep_table import Sheet, short, to_markdown


def row(number, objective, state="done", **values):
    return {"number": number, "state": state, "values": values, "objective": objective, "figures": {}, "seconds": 1.0,
            "error": None, "error_file": None}


def test_numbers_stand_in_proportion_and_words_evenly():
    assert axis("n", ["1", "3", "2"]).heights == {"1": 0, "3": 1, "2": 0.5}
    assert axis("lr", ["1e-4", "1e-2", "1e-3"], log_scale=True).heights["1e-3"] == pytest.approx(0.5)
    assert axis("model", ["tiny", "bilstm", "tiny", "bert"]).heights == {"tiny": 0, "bilstm": 0.5, "bert": 1}
    assert axis("one", ["5", "5"]).heights == {"5": 0.5}
    assert axis("odd", ["nan", "1"]).heights == {"nan": 0, "1": 1}
    assert axis("zero", ["0", "1"], log_scale=True).heights == {"0": 0, "1": 1}  # no logarithm of 0


def test_a_log_axis_is_labelled_at_even_distances_of_the_logarithm():
    texts = [str(10.0 ** -n) for n in range(7)]
    assert [text for _, text in axis("lr", texts, log_scale=True).ticks] == ["1e-06", "3.16e-05", "0.001", "0.0316", "1"]


def test_the_best_so_far_never_rises():
    assert best_so_far([None, 2.0, 3.0, None, 1.0]) == [None, 2.0, 2.0, 2.0, 1.0]
    assert best_so_far([]) == []


def test_both_figures_are_drawn_the_same_way_twice(tmp_path):
    rows = [row(0, 0.5, lr="0.1", model="a|b"), row(1, None, "pruned", lr="0.01", model="$x_"),
            row(2, 0.25, lr="0.001", model="\U0001f600"), row(3, None, "failed", lr="0.5", model="tiny")]
    files = draw(tmp_path, rows, {"lr": True, "model": False}, "dev/error")
    assert {file.name for file in files} == {"parallel_coordinates.png", "parallel_coordinates.svg", "best_so_far.png",
                                             "best_so_far.svg"}
    before = [file.read_bytes() for file in files if file.suffix == ".svg"]
    draw(tmp_path, rows, {"lr": True, "model": False}, "dev/error")
    assert [file.read_bytes() for file in files if file.suffix == ".svg"] == before
    assert before[0].startswith(b"<?xml") and (tmp_path / "best_so_far.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("rows", "varied", "names"), [
    ([row(0, None, "failed", a="1")], {"a": False}, {"parallel_coordinates"}),
    ([row(0, 0.5)], {}, {"best_so_far"}), ([row(0, 0.5, a="x")], {"a": True}, {"parallel_coordinates", "best_so_far"}),
    ([], {"a": False}, set())])
def test_what_cannot_be_drawn_is_left_out(tmp_path, rows, varied, names):
    assert {file.stem for file in draw(tmp_path, rows, varied, "dev/error")} == names


def test_a_markdown_cell_keeps_its_bar():
    job = row(0, 0.5, a="x|y") | {"figures": {"dev/error": 0.5}}
    text = to_markdown(Sheet([job], ["a"], ["dev/error"], "dev/error"))
    assert "| 0 | done | x\\|y | 0.5000 | 1.0 |" in text and "Best: job 0." in text
    text = to_markdown(Sheet([job], ["a"], ["dev/error", "f1"], "dev/error - f1"))
    assert "| dev/error | f1 | objective |" in text and "| 0.5000 | – | 0.5000 |" in text


def test_long_numbers_are_shown_in_four_digits():
    assert [short(text) for text in ("0.00123456789", "12", "a-long-word-of-some-kind")] == [
        "0.001235", "12", "a-long-word-of-some-kind"]
