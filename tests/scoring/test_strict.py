from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.core import Corpus, Domain, Example, InputError
from hardtext.domains.bodega_tsv import escape, read_rows
from hardtext.scoring import load_attempts, strict
from hardtext.text import join

CORPUS = Corpus(Domain("fc", ("supported", "refuted"), pair=True),
                train=(Example("fc-train-0", ("trained on", "that"), 0),),
                attack=(Example("fc-attack-0", ("An evidence.\nMore of it.", "A claim."), 1),
                        Example("fc-attack-1", ("Other\tevidence", "c:\\new claim"), 0)))


def test_the_files_own_originals_pass(attempt):
    strict.check_originals([attempt(example.segments, id=example.id)
                            for example in (*CORPUS.attack, *CORPUS.train)], CORPUS)


def test_a_submissions_texts_pass_under_row_numbers(attempt):
    joined = join(CORPUS.attack[1].segments).replace("\t", "").replace("\n", "\\n")
    strict.check_originals([attempt(("An evidence.\nMore of it.", "A claim."), id="0"),
                            attempt(tuple(joined.rsplit(" ~ ", 1)), id="1")], CORPUS)


@pytest.mark.parametrize(("original", "id_", "why"), [
    (("An evidence.", "A claim."), "0", "no such text is there"),
    (("An evidence.\nMore of it.", "a claim."), "0", "no such text is there"),
    (("An evidence.\nMore of it.", "A claim."), "fc-attack-1", "that id has another text there"),
])
def test_foreign_originals_are_one_line(attempt, original, id_, why):
    good = attempt(CORPUS.attack[0].segments, id="fc-attack-0")
    with pytest.raises(InputError, match=f"1 of 2 originals are not those of domain=fc, the first one id {id_}, .*{why}"):
        strict.check_originals([good, attempt(original, id=id_)], CORPUS)


@pytest.mark.parametrize(("submission", "attack_set"), [
    ("submission_PR2_False_homoglyph-custom_BERT.tsv", "PR2_attack.tsv"),
    ("submission_FC_False_splitH_BERT.tsv", "FC_attack_tokenised.tsv")])
def test_the_golden_runs_attack_the_published_sets(shared_data, submission, attack_set):
    """Their texts are tokenised, those of the set for PR are not."""
    domain = Domain(*("pr", ("none", "propaganda")) if "PR2" in submission else ("fc", ("no", "yes"), (1,), True))
    rows = read_rows(shared_data / "incrediblae_attack_sets" / attack_set, domain)
    corpus = Corpus(domain, attack=tuple(Example(f"x-{i}", row.segments, row.label) for i, row in enumerate(rows)))
    attempts = load_attempts(shared_data / "incrediblae_runs" / submission)
    strict.check_originals(attempts, corpus)
    with pytest.raises(InputError, match=f"{len(attempts)} of {len(attempts)} originals"):
        strict.check_originals(attempts, Corpus(domain, attack=(Example("x-0", ("another text",), 0),)))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_survives_the_layouts(text):
    """What a BODEGA file and a submission make of a text has the reading of the text."""
    submission = text.replace("\t", "").replace("\n", "\\n")
    assert strict.reading((escape(text),)) == strict.reading((submission,)) == strict.reading((text,))


def test_claims_are_corrected_and_counted(attempt):
    attempts = [attempt("a", "b", id="1"), attempt("a", "c", id="2"), attempt("a", id="3"),
                attempt("a", "d", id="4", status="failed"), attempt("a", "e", id="5", status="budget"),
                attempt("a", status="error", error="boom", id="6")]
    assert [a.id for a in strict.to_ask(attempts)] == ["1", "2", "4", "5"]
    corrected, found = strict.recheck(attempts, {"1": True, "2": False, "4": True, "5": False}, "bilstm", most_moved=0.4)
    assert [a.status for a in corrected] == ["success", "failed", "failed", "success", "budget", "error"]
    assert (found.asked, found.confirmed, found.unconfirmed, found.flipped) == (4, 1, ("2",), ("4",))
    assert [a.status for a in attempts][1] == "success"  # the rows given are left as they are
    notes = " ".join(found.notes())
    for words in ("asked again about 4 attempts, 1 successes confirmed", "1 claimed successes not confirmed", "(ids 2)",
                  "1 failures in fact flip the victim", "(ids 4)", "differs by 0.40 from the file's"):
        assert words in notes


def test_nothing_to_say_when_the_file_is_right(attempt):
    corrected, found = strict.recheck([attempt("a", "b")], {"1": True}, "bilstm", most_moved=0.0001)
    assert len(found.notes()) == 1 and corrected == [attempt("a", "b")]
    assert found.to_row() == {"victim": "bilstm",
                              "asked": 1, "confirmed": 1, "unconfirmed": [], "flipped": [], "most_moved": 0.0001}


def test_many_ids_are_cut(attempt):
    attempts = [attempt("a", "b", id=str(i)) for i in range(9)]
    _, found = strict.recheck(attempts, dict.fromkeys(map(str, range(9)), False), "bilstm")
    assert "(ids 0, 1, 2, 3, 4 and 4 more)" in " ".join(found.notes())
