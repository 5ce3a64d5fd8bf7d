"""Kaggle Fake News: contents, labels, empty texts, the split."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardtext.core import InputError
from hardtext.domains.kaggle import KaggleDomain

HEADER = "id,title,author,text,label\n"


def corpus(folder: Path, rows: str, name: str = "train.csv") -> Path:
    path = folder / name
    path.write_text(HEADER + rows)
    return path


def everything(result) -> list:
    return sorted((e.label, e.segments[0], e.source) for split in ("train", "attack", "dev") for e in result.split(split))


@pytest.mark.parametrize(("content", "expected", "dropped"), [
    ("title", [(0, "T1", "Ann"), (1, "T3", "")], 2),
    ("body", [(0, "B1\nmore", "Ann"), (1, "B2", "Bob")], 2),
    ("both", [(0, "T1\nB1\nmore", "Ann"), (1, "B2", "Bob"), (1, "T3", "")], 1),
])
def test_contents_and_rows_without_text(tmp_path, content, expected, dropped):
    path = corpus(tmp_path, '1,T1,Ann,"B1\nmore",0\n2,,Bob,B2,1\n3,T3,, ,fake\n4,,,,1\n')
    result = KaggleDomain(path=str(tmp_path), content=content).load(tmp_path, 0)
    assert everything(result) == expected
    assert any(f"dropped {dropped} rows without any" in note for note in result.notes)
    assert result.domain.classes == ("real", "fake") and result.domain.stand_in == ""
    assert everything(KaggleDomain(path=str(path), content=content).load(tmp_path, 0)) == expected


def test_labels_by_number_or_name(tmp_path):
    corpus(tmp_path, "1,a,,,0\n2,b,,,1\n3,c,,,Real\n4,d,,,FAKE\n5,e,,,reliable\n6,f,,,unreliable\n")
    assert [label for label, *_ in sorted(everything(KaggleDomain(path=str(tmp_path)).load(tmp_path, 0)),
                                          key=lambda row: row[1])] == [0, 1, 0, 1, 0, 1]
    corpus(tmp_path, "1,a,,,2\n")
    with pytest.raises(InputError, match="train.csv, line 2: label '2', expected one of 0, real, reliable, 1, fake"):
        KaggleDomain(path=str(tmp_path)).load(tmp_path, 0)


def test_seventy_percent_to_train_on_whatever_the_seed(tmp_path):
    corpus(tmp_path, "".join(f"{n},t{n},,,{n % 2}\n" for n in range(20242)))
    first, second = (KaggleDomain(path=str(tmp_path)).load(tmp_path, seed) for seed in (0, 1))
    assert first == second
    assert (len(first.train), len(first.attack), len(first.dev)) == (14169, 405, 5668)  # 14,169 + 6,073 as published
    assert first.notes == ()
    assert {e.segments for e in first.train}.isdisjoint(e.segments for e in first.attack + first.dev)


@pytest.mark.parametrize(("rows", "message"), [
    ("1,a,0\n", r"line 2: expected 5 fields \(id, title, author, text, label\), found 3"),
    ("1,a,b\rc,d,0\n", "line 2: not a table row"),
])
def test_damaged_rows(tmp_path, rows, message):
    corpus(tmp_path, rows)
    with pytest.raises(InputError, match=message):
        KaggleDomain(path=str(tmp_path)).load(tmp_path, 0)


def test_a_missing_column_is_named_where_it_is_needed(tmp_path):
    (tmp_path / "train.csv").write_text("title,label\na,0\n")
    assert len(everything(KaggleDomain(path=str(tmp_path)).load(tmp_path, 0))) == 1
    with pytest.raises(InputError, match="line 1: no column text; expected the columns text, label"):
        KaggleDomain(path=str(tmp_path), content="body").load(tmp_path, 0)


def test_an_unknown_content_is_refused():
    with pytest.raises(InputError, match="domain.content=text: expected one of title, body, both"):
        KaggleDomain(content="text")


@pytest.mark.parametrize(("content", "size", "dropped"), [("title", 422, 0), ("body", 420, 2), ("both", 422, 0)])
def test_the_stand_in_is_named_and_its_empty_texts_counted(shared_data, tmp_path, content, size, dropped):
    path = shared_data / "fakenews_small" / "fakenewsnet_old.csv"
    result = KaggleDomain(path=str(path), content=content).load(tmp_path, 0)
    assert len(everything(result)) == size
    assert result.domain.stand_in == "fakenewsnet_old.csv in place of Kaggle's train.csv"
    assert any("dropped 2 rows without any text" in note for note in result.notes) == bool(dropped)
