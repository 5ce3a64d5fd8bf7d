"""LIAR: both readings of the quotes, both label maps, two classes and six."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hardtext.core import InputError
from hardtext.domains.liar import SIX, Liar2Domain, Liar6Domain


def line(label: str, statement: str) -> str:
    return "\t".join(["1.json", label, statement, "subject", "some-speaker", *"abcdefghi"]) + "\n"


@pytest.fixture
def raw(tmp_path) -> Path:
    for name in ("train", "valid", "test"):
        (tmp_path / f"{name}.tsv").write_text("".join(line(label, f"{name} {label}") for label in SIX))
    return tmp_path


def labels(examples) -> dict[str, int]:
    return {example.segments[0].split(" ", 1)[1]: example.label for example in examples}


def test_six_classes_by_name_and_their_own_splits_in_order(raw):
    result = Liar6Domain(path=str(raw)).load(raw, 0)
    assert result.domain.classes == SIX
    assert {SIX[index] for index in result.domain.positive} == {"pants-fire", "false", "barely-true"}
    for split, name in (("train", "train"), ("dev", "valid"), ("attack", "test")):
        assert [e.segments for e in result.split(split)] == [(f"{name} {label}",) for label in SIX]
        assert [SIX[e.label] for e in result.split(split)] == list(SIX)
    assert result.attack[0].source == "some-speaker"


def test_two_classes_as_in_the_paper(raw):
    result = Liar2Domain(path=str(raw)).load(raw, 0)
    fake = {"pants-fire", "false", "barely-true"}
    assert result.domain.classes == ("real", "fake")
    for split in ("train", "dev", "attack"):
        assert labels(result.split(split)) == {name: int(name in fake) for name in SIX}


def test_two_classes_as_in_the_notebooks_whose_test_map_differs(raw):
    result = Liar2Domain(path=str(raw), labels="notebook").load(raw, 0)
    seen = {name: int(name in {"barely-true", "false", "half-true"}) for name in SIX}
    assert labels(result.train) == labels(result.dev) == seen
    assert labels(result.attack) == {name: int(name in {"barely-true", "false", "pants-fire"}) for name in SIX}


def test_default_quoting_runs_statements_together(raw):
    (raw / "test.tsv").write_text(line("true", '"Open quote') + line("false", "in between") + line("true", 'closed"'))
    assert len(Liar2Domain(path=str(raw)).load(raw, 0).attack) == 3
    [example] = Liar2Domain(path=str(raw), quoting="default").load(raw, 0).attack
    assert example.segments[0].startswith("Open quote\tsubject") and example.segments[0].endswith("closed")


@pytest.mark.parametrize(("content", "message"), [
    (line("true", "a") + line("mostly-false", "b"), "test.tsv, line 2: label 'mostly-false', expected one of pants-fire"),
    ("1.json\ttrue\n", "test.tsv, line 1: expected 14 tab-separated columns .* found 2"),
])
def test_damaged_files(raw, content, message):
    (raw / "test.tsv").write_text(content)
    for settings in (Liar2Domain, Liar6Domain):
        with pytest.raises(InputError, match=message):
            settings(path=str(raw)).load(raw, 0)


def test_unknown_settings_are_refused():
    with pytest.raises(InputError, match="domain.quoting=csv: expected one of none, default"):
        Liar6Domain(quoting="csv")
    with pytest.raises(InputError, match="domain.labels=both: expected one of paper, notebook"):
        Liar2Domain(labels="both")


@pytest.mark.parametrize(("quoting", "sizes"), [("none", (10269, 1284, 1283)), ("default", (10240, 1284, 1267))])
@pytest.mark.parametrize("settings", [Liar2Domain, Liar6Domain])
def test_the_corpus_in_both_readings(shared_data, tmp_path, settings, quoting, sizes):
    result = settings(path=str(shared_data / "liar"), quoting=quoting).load(tmp_path, 0)
    assert (len(result.train), len(result.dev), len(result.attack)) == sizes
    assert bool(result.notes) == (quoting == "default")
    assert Counter(e.label for e in result.train).keys() == set(range(len(result.domain.classes)))


def test_default_quoting_is_what_pandas_reads(shared_data, tmp_path):
    pandas = pytest.importorskip("pandas")
    result = Liar6Domain(path=str(shared_data / "liar"), quoting="default").load(tmp_path, 0)
    for split, name in (("train", "train"), ("dev", "valid"), ("attack", "test")):
        frame = pandas.read_csv(shared_data / "liar" / f"{name}.tsv", sep="\t", header=None)
        assert [(SIX[e.label], e.segments[0]) for e in result.split(split)] == list(zip(frame[1], frame[2]))
