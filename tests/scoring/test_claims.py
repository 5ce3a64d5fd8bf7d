from __future__ import annotations

import json

import numpy
import pytest

from hardtext.core import InputError
from hardtext.scoring import claims, score
from hardtext.scoring.semantic import SemanticSettings


class Stub(SemanticSettings):
    """Scores 0.5 everywhere, but 1.4 for a reference that holds "high"."""

    stand_in = ""

    def _score_distinct(self, pairs):
        return numpy.array([1.4 if "high" in reference else 0.5 for reference, _ in pairs])


@pytest.fixture
def run(attempt):
    return [attempt("high hope", "high hopes", id="1", queries=7), attempt("low", id="2", queries=9),
            attempt("low aim", "low arm", id="3"), attempt("x", id="4", status="error", error="boom")]


def claimed(run, **values):
    about = claims.header(run, **{"system": "bert_attack", "source": "a/attempts.jsonl", "sha256": "00",
                                  "semantic": Stub("stub"), **values})
    return about, claims.measure(run, about, Stub("stub"))


def test_it_holds_what_score_averages(run):
    about, claim = claimed(run, marks=["a stand-in"])
    scores = score(run, semantic=Stub("stub"))
    assert claim.success.tolist() == [True, False, True] and claim.errors == 1
    assert claim.bodega.mean() == pytest.approx(scores.bodega)
    assert numpy.nanmean(claim.semantic) == scores.semantic == 0.75
    assert numpy.nanmean(claim.character) == scores.character
    assert claim.queries.tolist() == [7, 9, 10]
    assert (about.segmenter, about.marks) == ("whole", ("a stand-in",))


def test_read_again_from_its_file(run, tmp_path):
    about, claim = claimed(run)
    file = tmp_path / "claim.json"
    file.write_text(json.dumps(claim.to_row()))
    again = claims.read_claim(file, about)
    assert again.to_row() == claim.to_row()
    assert again.bodega.tolist() == claim.bodega.tolist()


@pytest.mark.parametrize("change", [{"sha256": "01"}, {"semantic": Stub("other")}, {"system": "x"}, {"marks": ["new"]},
                                    {"segmenter": "rules"}, {"source": "b"}])
def test_not_used_for_other_attempts_or_another_scorer(run, tmp_path, change):
    _, claim = claimed(run)
    (tmp_path / "claim.json").write_text(json.dumps(claim.to_row()))
    assert claims.read_claim(tmp_path / "claim.json", claimed(run, **change)[0]) is None


@pytest.mark.parametrize("text", ["{}", "[]", "no json", '{"semantic": "x"}'])
def test_a_damaged_file_is_measured_again(run, tmp_path, text):
    about, _ = claimed(run)
    (tmp_path / "claim.json").write_text(text)
    assert claims.read_claim(tmp_path / "claim.json", about) is None
    assert claims.read_claim(tmp_path / "absent.json", about) is None


def test_settings_that_change_no_score_do_not_count():
    from hardtext.scoring import semantic_from_name

    first, second = (claims.settings_of(semantic_from_name("bleurt", batch_size=size)) for size in (1, 16))
    assert first == second and first["path"] == "lucadiliello/BLEURT-20"


def test_equal_ids_of_other_texts_are_told_apart(attempt):
    keys = [claims.text_key(attempt(text, id="1")) for text in ("a", "b", ("a", "b"), "a ~ b", "a")]
    assert keys[0] == keys[4] and len(set(keys)) == 3  # a pair and its joined form are the same text


def test_runs_are_not_mixed(run, attempt):
    with pytest.raises(InputError, match=r"attempts of several runs \(seed: 0, 1\)"):
        claimed([*run, attempt(id="9", seed=1)])
    with pytest.raises(InputError, match="all 1 attempts are errors, the first one: boom"):
        claimed(run[-1:])


def test_the_digest_is_of_the_bytes(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert claims.digest(tmp_path / "a").startswith("ba7816bf8f01cfea")


def refused(tmp_path, row, about, caplog) -> str:
    """What is said of a claim file, which is not used."""
    caplog.clear()
    (tmp_path / "claim.json").write_text(json.dumps(row))
    assert claims.read_claim(tmp_path / "claim.json", about) is None
    (record,) = caplog.records
    assert "\n" not in record.getMessage() and str(tmp_path / "claim.json") in record.getMessage()
    return record.getMessage()


@pytest.mark.parametrize("change", [{"semantic": [0.9, None, 0.5]}, {"success": [True, True, True]}, {"errors": 0},
                                    {"queries": [7, 9, 11]}, {"texts": ["a", "b", "c"]}, {"system": "other"},
                                    {"success": [1, 0, 1]}, {"character": [1.0]}, {"digest": "00"}, {"digest": None}])
def test_an_altered_claim_is_refused(run, tmp_path, change, caplog):
    about, claim = claimed(run)
    assert "altered since it was written" in refused(tmp_path, claim.to_row() | change, about, caplog)


def test_a_claim_without_its_digest_or_of_another_make_is_refused(run, tmp_path, caplog):
    about, claim = claimed(run)
    row = claim.to_row()
    for other in ({key: value for key, value in row.items() if key != "digest"}, row | {"extra": 1}, [], "claim"):
        assert "other fields than a claim has" in refused(tmp_path, other, about, caplog)


@pytest.mark.parametrize("change, words", [
    ({"semantic": [0.5, None]}, "3 texts, but 2 values of semantic"),
    ({"success": []}, "3 texts, but 0 values of success"),
    ({"texts": [], "success": [], "semantic": [], "character": [], "queries": []}, "it holds no text"),
    ({"texts": "abc"}, "texts: expected a list"),
    ({"queries": None}, "queries: expected a list"),
    ({"texts": ["a", "a", "b"]}, "texts"),
    ({"semantic": [1.2, None, 0.5]}, "semantic"), ({"semantic": [-0.1, None, 0.5]}, "semantic"),
    ({"semantic": [None, None, 0.5]}, "semantic"), ({"semantic": [0.5, 0.5, 0.5]}, "semantic"),
    ({"character": [True, None, 0.5]}, "character"), ({"character": ["1", None, 0.5]}, "character"),
    ({"success": [1, 0, 1]}, "success"), ({"queries": [1, -2, 3]}, "queries"), ({"queries": [1, None, 3]}, "queries"),
    ({"errors": -1}, "errors, broken_pairs"), ({"broken_pairs": 0.5}, "errors, broken_pairs"), ({"marks": [1]}, "marks"),
])
def test_columns_that_are_no_measurement_are_refused_whatever_their_digest(run, tmp_path, change, words, caplog):
    about, claim = claimed(run)
    row = claim.to_row() | change
    del row["digest"]
    assert words in refused(tmp_path, row | {"digest": claims._digest(row)}, about, caplog)
