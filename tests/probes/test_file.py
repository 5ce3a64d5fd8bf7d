from __future__ import annotations

import json

import pytest

from hardtext.core import InputError
from hardtext.probes import Changed, ProbeSettings, Unchanged
from hardtext.probes.file import probe


def load(path):
    return probe(ProbeSettings(names=["file"], path=str(path)))


def write(folder, name, content):
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_a_csv_with_a_bom_quotes_and_line_ends(tmp_path):
    path = write(tmp_path, "pairs.csv", '\ufefforiginal,changed,expected,what,id\n'
                                        '"It is, so.","It is\nnot so.",flip,negated,7\nOne,Two,,,8\n')
    pairs = load(path)
    assert pairs.change("It is,  so.\n", 0) == Changed("It is\nnot so.", "negated", "flip")
    assert pairs.change("One", 5) == Changed("Two", "own pair", None)
    assert pairs.change("Three", 0) == Unchanged("not in the file")


def test_json_lines_and_tsv(tmp_path):
    row = {"original": "ab\u0000c 🔥", "changed": "x", "expected": "FAKE"}
    assert load(write(tmp_path, "p.jsonl", json.dumps(row) + "\n\n")).change(row["original"], 0).expects == "fake"
    assert load(write(tmp_path, "p.tsv", "changed\toriginal\nb\ta\n")).change("a", 0).text == "b"


def test_a_pair_of_equal_texts_asks_nothing(tmp_path):
    assert isinstance(load(write(tmp_path, "p.csv", "original,changed\na,a\n")).change("a", 0), Unchanged)


@pytest.mark.parametrize(("name", "content", "message"), [
    ("p.csv", "original,changed\na,b\nc,\n", r"line 3: nothing in changed; a pair needs both"),
    ("p.csv", "original,changed\n ,b\n", r"line 2: nothing in original"),
    ("p.csv", "original,changed\na\n", r"line 2: expected 2 fields"),
    ("p.csv", "id,changed\n1,b\n", r"no column original"),
    ("p.csv", "original,changed\n", r"no pair in the file"),
    ("p.csv", "", r"no column"),
    ("p.csv", "original,changed,expected\na,b,real\n", r"line 2: expected holds 'real', not one of flip, fake, stay"),
    ("p.csv", "original,changed\na,b\na,c\n", r"line 3: a second, different pair for 'a'"),
    ("p.jsonl", '{"original": "a"}\n', r"line 1: nothing in changed"),
    ("p.jsonl", '{"original": "a", "changed": 5}\n', r"line 1: changed holds a int"),
    ("p.jsonl", '{"original": "a", \n', r"line 1: not JSON"),
    ("p.txt", "x", r"ends in \.csv, \.tsv, \.jsonl"),
])
def test_a_bad_file_is_one_line(tmp_path, name, content, message):
    with pytest.raises(InputError, match=message) as caught:
        load(write(tmp_path, name, content))
    assert "\n" not in str(caught.value)


def test_no_path_no_file_no_utf8(tmp_path):
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    with pytest.raises(InputError, match="needs probe.path="):
        probe(ProbeSettings(names=["file"]))
    with pytest.raises(InputError, match="cannot read"):
        load(tmp_path / "none.csv")
    with pytest.raises(InputError, match="cannot read"):
        load(folder)
    (tmp_path / "latin.csv").write_bytes("original,changed\né,b\n".encode("latin-1"))
    with pytest.raises(InputError, match="line 2: not UTF-8"):
        load(tmp_path / "latin.csv")
