"""C19: the layout this project gives it."""

from __future__ import annotations

import pytest

from hardtext.core import InputError
from hardtext.domains.c19 import C19Domain


def test_claims_and_tweets(tmp_path):
    folder = tmp_path / "c19"
    folder.mkdir()
    (folder / "train.csv").write_text('id,claim,tweet,label\n1,5G spreads it,"No, it ""does not""",0\n2,x,y,Misinformation\n')
    (folder / "test.tsv").write_text("claim\ttweet\tlabel\nGarlic cures,\tEat garlic!\tother\n")
    result = C19Domain().load(tmp_path, 0)
    assert sorted((e.label, e.segments) for e in result.train) == [
        (0, ("5G spreads it", 'No, it "does not"')), (1, ("x", "y"))]
    assert [(e.id, e.label, e.segments) for e in result.attack] == [
        ("c19-attack-1", 0, ("Garlic cures,", "Eat garlic!"))]
    assert result.dev == () and result.domain.pair
    assert result.domain.classes == ("other", "misinformation")


@pytest.mark.parametrize(("content", "message"), [
    ("claim,tweet\na,b\n", "train.csv, line 1: no column label; expected the columns claim, tweet, label"),
    ("claim,tweet,label\na,b,perhaps\n", "train.csv, line 2: label 'perhaps', expected one of 0, other, 1, misinformation"),
])
def test_damaged_files(tmp_path, content, message):
    (tmp_path / "train.csv").write_text(content)
    (tmp_path / "test.csv").write_text("claim,tweet,label\n")
    with pytest.raises(InputError, match=message):
        C19Domain(path=str(tmp_path)).load(tmp_path, 0)


def test_two_files_for_one_split(tmp_path):
    for name in ("train.csv", "train.tsv", "test.csv"):
        (tmp_path / name).write_text("")
    with pytest.raises(InputError, match="train.csv and train.tsv are both there; keep one"):
        C19Domain(path=str(tmp_path)).load(tmp_path, 0)
