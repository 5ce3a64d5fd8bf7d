"""Reading text line by line: oddities that are read, damage that is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardtext.core import InputError
from hardtext.domains.text_files import json_lines, label, lines, records, table


def write(folder: Path, content: bytes, name: str = "file.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_lines_end_at_line_feeds_only(tmp_path):
    path = write(tmp_path, "\ufeffa\r\nb\rc\u2028d\x0be\n\nf".encode())
    assert list(lines(path)) == [(1, "a\r\n"), (2, "b\rc\u2028d\x0be\n"), (3, "\n"), (4, "f")]


def test_unreadable_files_are_named(tmp_path):
    with pytest.raises(InputError, match="cannot read .*lost.tsv: No such file"):
        list(lines(tmp_path / "lost.tsv"))
    with pytest.raises(InputError, match="cannot read .*: Is a directory"):
        list(lines(tmp_path))
    with pytest.raises(InputError, match="file.csv, line 1: not UTF-8 text"):
        list(lines(write(tmp_path, "UTF-16".encode("utf-16"))))


def test_json_lines(tmp_path):
    path = write(tmp_path, b'\xef\xbb\xbf{"a": 1}\n\n{"b": "\\ud83d"}\r\n')
    assert list(json_lines(path)) == [(1, {"a": 1}), (3, {"b": "\ud83d"})]


@pytest.mark.parametrize(("content", "message"), [
    (b'{"a": 1}\n{"a": \n', r"line 2: not JSON \(Expecting value"),
    (b'[1]\n', "line 1: expected a JSON object, got list"),
    (b'{"a": "\xff"}\n', "line 1: not UTF-8"),
])
def test_damaged_json_lines(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        list(json_lines(write(tmp_path, content)))


def test_quotes_as_marks_or_as_characters(tmp_path):
    path = write(tmp_path, b'1\t"a ""b""\nc"\td\n2\t"e\tf\n')
    assert list(records(path, "\t")) == [(2, ["1", 'a "b"\nc', "d"]), (3, ["2", "e\tf\n"])]
    assert list(records(path, "\t", quoted=False)) == [(1, ["1", '"a ""b""']), (2, ['c"', "d"]), (3, ["2", '"e', "f"])]


def test_a_table_with_a_long_field_a_null_and_line_ends_inside(tmp_path):
    long = b"x" * 200_000
    path = write(tmp_path, b'id,text\r\n1,"a\r\nb"\r\n2,' + long + b"\r\n\r\n3,n\0l\r\n")
    assert list(table(path, ("text",))) == [
        (3, {"id": "1", "text": "a\r\nb"}), (4, {"id": "2", "text": long.decode()}), (6, {"id": "3", "text": "n\0l"})]


def test_tabs_separate_the_fields_of_a_tsv(tmp_path):
    assert list(table(write(tmp_path, b"a\tb\n1,2\t3\n", "file.tsv"), ("a", "b"))) == [(2, {"a": "1,2", "b": "3"})]


@pytest.mark.parametrize(("content", "message"), [
    (b"id,body\n1,a\n", "line 1: no column text, label; expected the columns text, label, found id, body"),
    (b"", "line 1: no column text, label; .* found an empty file"),
    (b"text,label\na,0\nb\n", r"line 3: expected 2 fields \(text, label\), found 1"),
    (b"text,label\na,0\nb,c,1\n", r"line 3: expected 2 fields \(text, label\), found 3"),
    (b"text,label\na\rb,0\n", "line 2: not a table row"),
])
def test_damaged_tables(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        list(table(write(tmp_path, content), ("text", "label")))


def test_labels_by_number_or_name():
    names = {"0": 0, "real": 0, "1": 1, "fake": 1}
    assert [label(value, names, Path("f"), 1) for value in ("0", " Real", "FAKE", "1")] == [0, 0, 1, 1]
    with pytest.raises(InputError, match="f.csv, line 7: label 'maybe', expected one of 0, real, 1, fake"):
        label("maybe", names, Path("f.csv"), 7)
