"""Rows and small files: damage of every kind is one line that names the file."""

from __future__ import annotations

import os

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


ROW = Attempt("1", "sample", "v", "a", 0, ("a b",), ("a x",), "success", [0.9, 0.1], [0.1, 0.9], 3, 3, 0.1, 0).to_row()
FAILED = ROW | {"status": "failed", "adversarial": None, "adversarial_probs": None}


@pytest.mark.parametrize("change, words", [
    ({"adversarial": ["a b"]}, "a success whose adversarial text is the original"),
    ({"adversarial": ["a", "x"]}, "adversarial has 2 segments, original 1"),
    ({"original_probs": [0.9, 0.2]}, r"original_probs holds \[0.9, 0.2\], expected probabilities"),
    ({"adversarial_probs": [1.2, -0.2]}, "adversarial_probs holds .* expected probabilities"),
    ({"adversarial_probs": [0.1, 0.2, 0.7]}, "original_probs has 2 classes, adversarial_probs 3"),
    ({"adversarial_probs": None}, "a success with the probabilities of only one"),
    ({"original_probs": None}, "a success with the probabilities of only one"),
    ({"original_probs": []}, "expected probabilities"),
    ({"original_probs": [float("nan"), 0.5]}, "expected probabilities"),
    ({"original_probs": [10**400, 0]}, "expected probabilities"),
    ({"original_probs": [True, False]}, "must be a list of numbers"),
    ({"original_probs": "0.9"}, "must be a list of numbers"),
    ({"adversarial": None, "status": "failed"}, "adversarial_probs without an adversarial text"),
    ({"seconds": -1.0}, "seconds holds -1.0"),
    ({"seconds": float("nan")}, "seconds holds nan"),
    ({"label": True}, "label holds True"),
    ({"error": 5}, "error holds 5"),
])
def test_an_attempt_that_cannot_be_is_refused(change, words):
    with pytest.raises(InputError, match=f"^not an attempt: .*{words}"):
        Attempt.from_row(ROW | change)


@pytest.mark.parametrize("row", [
    ROW | {"original_probs": None, "adversarial_probs": None},  # a submission's
    ROW | {"original_probs": [0.3333, 0.6664], "adversarial_probs": [1, 0]},  # an endpoint's, rounded
    ROW | {"status": "failed"},  # what strict finds out
    ROW | {"status": "failed", "adversarial_probs": None},
    FAILED, FAILED | {"status": "skipped", "original_probs": None}, FAILED | {"status": "budget", "original_probs": None},
    FAILED | {"status": "error", "error": "ValueError: x"}, FAILED | {"original": [""]},
    ROW | {"original": ["", ""], "adversarial": ["", "x"]}])
def test_what_attacks_leave_is_read(row):
    assert Attempt.from_row(row).to_row() == row


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_what_python_takes_for_numbers_is_no_json(tmp_path, number):
    (tmp_path / "a").write_text(f'{{"x": [1.5, {number}]}}\n')
    with pytest.raises(InputError, match=f"line 1: not JSON \\({number} is no JSON number"):
        list(records.read_rows(tmp_path / "a"))
    with pytest.raises(InputError, match="is no JSON number"):
        records.read_json(tmp_path / "a")


@pytest.mark.parametrize("rest, half", [(b"", False), (b'{"b": 2}', False), (b'{"b": 2', True), (b'{"b": "\xc3', True),
                                        (b"\0\0\0", True), (b"  ", False), (b'{"b": NaN}', True)])
def test_a_half_written_last_line_is_known(tmp_path, rest, half):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a": 1}\n' + rest)
    assert records.half_line(path) == half
    rows = list(records.read_rows(path))
    assert rows == [{"a": 1}] + ([{"b": 2}] if rest.startswith(b"{") and not half else [])
    assert not records.half_line(tmp_path / "absent")


def test_damage_before_the_last_line_is_refused(tmp_path):
    path = tmp_path / "rows.jsonl"
    for line, words in ((b'{"b": 2', "line 2: not JSON"), (b'{"b": "\xc3"}', "line 2: not UTF-8 text"),
                        (b"\0", "line 2: not JSON")):
        path.write_bytes(b'{"a": 1}\n' + line + b'\n{"c": 3}\n')
        with pytest.raises(InputError, match=words):
            list(records.read_rows(path))


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\n{"a": 2}')
    assert list(records.read_rows(path)) == [{"a": 1}, {"a": 2}] and not records.half_line(path)
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert list(records.read_rows(path)) == [{"a": 1}] == [records.read_json(path)] and not records.half_line(path)


def test_utf_16_is_named(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n', encoding="utf-16")
    for read in (records.read_json, records.read_text, lambda file: list(records.read_rows(file))):
        with pytest.raises(InputError, match="rows.jsonl: is UTF-16 text; save it as UTF-8"):
            read(path)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_only_plain_files_are_read(tmp_path, make):
    path = tmp_path / "rows.jsonl"
    make(path)
    for read in (records.read_json, records.half_line, lambda file: list(records.read_rows(file))):
        with pytest.raises(InputError, match="rows.jsonl: (not a plain file|Is a directory)"):
            read(path)


def test_files_below(tmp_path, monkeypatch):
    for name in ("b/attempts.jsonl", "a/c/attempts.jsonl", "submission_x.tsv", "a/other.tsv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "d/attempts.jsonl").mkdir(parents=True)
    found = records.files_below(tmp_path, "attempts.jsonl", "submission_*.tsv")
    assert [path.relative_to(tmp_path).as_posix() for path in found] == ["a/c/attempts.jsonl", "b/attempts.jsonl",
                                                                         "submission_x.tsv"]
    scan = os.scandir

    def closed(path):  # permissions do not stop root
        if str(path).endswith("/c"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(InputError, match="cannot read .*/a/c: Permission denied; make it readable"):
        records.files_below(tmp_path, "attempts.jsonl")


@pytest.mark.parametrize(("label", "probs", "words"), [
    (99, [0.1, 0.9], "label holds 99, but original_probs has 2 classes"), (2, [0.1, 0.9], "label holds 2"),
    (-2, None, "label holds -2"), (-1, [0.1, 0.9], None), (1, [0.1, 0.9], None), (7, None, None)])
def test_a_label_is_the_index_of_a_class(label, probs, words):
    attempt = Attempt("1", "pr", "bert", "bae", label, ("a",), None, "failed", probs, None, 1, 1, 0.1, 0)
    if words is None:
        assert Attempt.from_row(attempt.to_row()) == attempt
    else:
        with pytest.raises(InputError, match=words):
            Attempt.from_row(attempt.to_row())


def test_damaged_lines_are_taken_out_named_and_kept_beside(tmp_path, caplog):
    path = tmp_path / "a.jsonl"
    assert records.mend(path) == [] and not path.exists()
    path.write_bytes(b'{"a": 1}\n{"a": \n\xff\n{"a": 2}\n[]\n{"a"')
    before = path.read_bytes()
    with pytest.raises(InputError, match="line 2: not JSON"):
        list(records.read_rows(path))
    rows, damaged = records.sound_rows(path)
    assert rows == [{"a": 1}, {"a": 2}] and [str(e).partition(", ")[2][:6] for e in damaged] == ["line 2", "line 3", "line 5"]
    assert path.read_bytes() == before
    assert records.mend(path) == rows == list(records.read_rows(path))
    assert path.with_name("a.jsonl.damaged").read_bytes() == before.removesuffix(b'{"a"')
    (said,) = caplog.messages
    assert "a.jsonl, line 2: not JSON" in said and "(and 2 more lines)" in said and "a.jsonl.damaged" in said
    assert records.mend(path) == rows and len(caplog.messages) == 1, "a whole file is left alone"
