"""Rows of saliency: there and back, damaged ones refused, and found again for the report."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext import records, text
from hardtext.core import Attempt, InputError
from hardtext.reporting.saliency import rows
from hardtext.reporting.saliency.rows import Explained


def explained(*segments: str, values=(), id="1", label=0, target=1, prediction=0, probs=(0.75, 0.25), read=None,
              **more) -> Explained:
    """A row whose words and marks have ``values`` in order, 0 where those end."""
    found = text.words(segments)
    values = [*values, *[0.0] * len(found)]
    pieces = tuple((w.segment, w.start, w.end, float(v)) for w, v in zip(found, values))
    return Explained(id, "gradient_x_input", target, label, prediction, list(probs), segments, pieces, 0.5,
                     read or tuple(map(len, segments)), **more)


@given(st.lists(st.text(), min_size=1, max_size=2), st.lists(st.floats(-9, 9), max_size=20))
def test_a_row_comes_back_from_json(segments, values):
    row = explained(*segments, values=values, gap=0.01, comprehensiveness=0.5)
    assert Explained.from_row(json.loads(records.dumps(row.to_row()))) == row


def test_words_are_words_and_marks_are_marks():
    row = explained("He won, again.", values=[1, -2, 3, 4, 5])
    assert [(w.text, v) for w, v in row.words()] == [("He", 1), ("won", -2), ("again", 4)]
    assert [w.text for w, _ in row.words_and_marks()] == ["He", "won", ",", "again", "."]


@pytest.mark.parametrize(("read", "truncated"), [((9,), False), ((8,), False), ((5,), True)])
def test_truncated_only_where_something_is_lost(read, truncated):
    assert explained("He won.  ", read=read).truncated is (truncated or read[0] < 7)


@pytest.mark.parametrize(("change", "words"), [
    ({"pieces": [[0, 0, 99, 1.0]]}, "outside the text '1'"), ({"pieces": [[1, 0, 1, 1.0]]}, "outside the text"),
    ({"pieces": [[0, 0]]}, r"\[segment, start, end, value\]"), ({"read": None}, "expected segments, read and pieces"),
    ({"other": 1}, "unknown other"), ({"read": []}, "read has 0 numbers for 1 segments"),
    ({"id": 3}, "id is '3'"), ({"probs": "high"}, "probs is 'high'"), ({"probs": [None]}, r"probs is '\[None\]'"),
    ({"prediction": 2}, "to be classes, which the 2 numbers"), ({"target": -1}, "to be classes"),
    ({"label": None}, "label is 'None'"), ({"gap": "0"}, "gap is '0'")])
def test_a_damaged_row_is_named(tmp_path, change, words):
    file = tmp_path / rows.FILE
    good = explained("He won.").to_row()
    records.write_rows(file, [good, good | change])
    with pytest.raises(InputError, match=f"line 2: .*{words}.*; overwrite=true with the same command"):
        rows.read(file)


@pytest.mark.parametrize("line", [b"{broken}\n", b"[1]\n", b"\xff\n"])
def test_a_line_that_is_no_row_is_named_with_its_remedy(tmp_path, line):
    (tmp_path / rows.FILE).write_bytes(line)
    with pytest.raises(InputError, match="line 1: .*; overwrite=true with the same command"):
        rows.read(tmp_path / rows.FILE)


def test_a_row_without_a_key_is_refused():
    row = explained("He won.").to_row()
    del row["target"]
    with pytest.raises(InputError, match="missing or unknown target"):
        Explained.from_row(row)


def attempt(id, original, adversarial=None, **changes) -> Attempt:
    return Attempt(**{"id": id, "domain": "pr", "victim": "org/model", "attack": "mine", "label": 0, "original": original,
                      "adversarial": adversarial, "status": "success" if adversarial else "failed", "original_probs": None,
                      "adversarial_probs": None, "queries": 1, "forwards": 1, "seconds": 0.0, "seed": 0} | changes)


def test_the_report_finds_the_rows_of_an_attacks_originals(tmp_path, monkeypatch):
    monkeypatch.setenv("HARDTEXT_RUNS", str(tmp_path))
    same, other = explained("He won.", values=[2], id="a"), explained("He lost.", id="b")
    folder = tmp_path / "evaluate/saliency/pr/org--model/occlusion"
    records.write_rows(folder / "seed=0" / rows.FILE, [replace(same, pieces=()).to_row(), other.to_row()])
    records.write_rows(folder / "seed=1" / rows.FILE, [same.to_row()])
    elsewhere = tmp_path / "evaluate/saliency/hn/org--model/x/seed=0"
    records.write_rows(elsewhere / rows.FILE, [explained("She won.", id="c").to_row()])
    attempts = [attempt("a", ("He won.",)), attempt("b", ("He won.",)), attempt("c", ("She won.",))]
    assert rows.of_attempts(attempts) == {"a": list(same.pieces)}  # b has another text, c lies in another domain
    assert rows.of_attempts([]) == {}
