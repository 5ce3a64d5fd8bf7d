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
    ("p.csv", "id,changed\n1,b\n", r"line 1: expected the columns original and changed, found id, changed"),
    ("p.csv", "original,changed\n", r"no pair in the file"),
    ("p.csv", "", r"found an empty file"),
    ("p.csv", "original,changed,expected\na,b,real\n", r"line 2: expected holds 'real', not one of flip, fake, stay"),
    ("p.csv", "original,changed,expected\na,b,flip\na,b,stay\n", r"line 3: a second pair of 'a' .* expects something else"),
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


def test_semicolons_capitals_and_tabs_in_a_csv(tmp_path):
    assert load(write(tmp_path, "a.csv", "Original;Changed\nso, it is;so\n")).change("so, it is", 0).text == "so"
    assert load(write(tmp_path, "b.csv", "ORIGINAL\tchanged\na\tb\n")).change("a", 0).text == "b"
    assert load(write(tmp_path, "c.jsonl", json.dumps({"Original": "a", "Changed": "b"}))).change("a", 0).text == "b"


def test_half_a_character_is_made_readable(tmp_path):
    pairs = load(write(tmp_path, "p.jsonl", json.dumps({"original": "a \ud800", "changed": "b \udfff"})))
    assert pairs.change("a \ufffd", 0).text == pairs.change("a \ud800", 0).text == "b \ufffd"


def test_several_versions_of_an_original(tmp_path):
    first = load(write(tmp_path, "p.csv", "original,changed,expected\na,b,flip\na,c,stay\na,b,flip\na,a,\n")).change("a", 0)
    assert [(one.text, one.expects) for one in (first, *first.others)] == [("b", "flip"), ("c", "stay")]


def test_pairs_about_no_text_of_the_split(tmp_path):
    pairs = load(write(tmp_path, "p.csv", "original,changed\na,b\na,c\nx  y,z\nq,r\n"))
    assert pairs.strangers(["a", "x y", "q", "other"], "split attack of pr") == ""
    assert pairs.strangers(["a", "x y"], "split attack of pr") == (
        "probe=file: 1 of 4 pairs name no text of the split attack of pr and were not asked about (the first: 'q')")
    with pytest.raises(InputError, match="none of its 4 originals is a text of the split attack of pr"):
        pairs.strangers(["other"], "split attack of pr")
