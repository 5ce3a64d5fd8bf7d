from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.core import Attempt, InputError
from hardtext.records import write_json, write_rows
from hardtext.scoring import load_attempts, read_submission, score, write_submission
from hardtext.scoring.submission import HALF_LINE, notes
from hardtext.text import join

HEADER = "succeeded\tnum_queries\toriginal_text\tmodified_text\t\n"
GOOD = HEADER + "True\t23\tIt is bad.\tIt is b ad.\t\nFalse\t7\tSo\\nwhat\tATTACK_UNSUCCESSFUL\t\n"


@pytest.fixture
def tsv(tmp_path):
    def write(content: str | bytes, name: str = "mine.tsv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_reads_the_layout(tsv):
    first, second = read_submission(tsv(GOOD), "pr")
    assert (first.id, first.status, first.queries) == ("0", "success", 23)
    assert (first.original, first.adversarial) == (("It is bad.",), ("It is b ad.",))
    assert (second.status, second.original, second.adversarial) == ("failed", ("So\nwhat",), None)
    assert (first.domain, first.attack, first.victim) == ("pr", "mine", "unnamed victim")


def test_the_official_file_name_says_domain_attack_and_victim(tsv):
    attempts = load_attempts(tsv(GOOD, "submission_PR2_False_homoglyph_custom_BERT.tsv"))
    assert {(a.domain, a.attack, a.victim) for a in attempts} == {("pr", "homoglyph_custom", "BERT")}


def test_pairs_become_segments_and_damaged_ones_keep_their_joined_text(tsv):
    path = tsv(HEADER + "True\t1\tev ~ claim\tev~claim\t\nTrue\t1\tx y ~ claim\tx y ~ c ~ laim\t\n")
    first, second = read_submission(path, "fc")
    assert (first.original, first.adversarial) == (("ev", "claim"), ("ev~claim",))
    assert (second.original, join(second.adversarial)) == (("x y", "claim"), "x y ~ c ~ laim")


def test_of_a_domain_of_ones_own_the_texts_say_whether_they_are_pairs(tsv):
    assert len(read_submission(tsv(HEADER + "False\t1\ta ~ b\tATTACK_UNSUCCESSFUL\t\n"), "file")[0].original) == 2
    assert len(read_submission(tsv(GOOD), "file")[0].original) == 1


def test_unusual_separators_inside_a_text_are_text(tsv):
    path = tsv(HEADER + 'True\t1\tone\u2028two\x0b"\x85\tone "three\t\n')
    assert read_submission(path, "pr")[0].original == ('one\u2028two\x0b"\x85',)


def test_windows_line_ends_throughout_are_fine(tsv):
    assert read_submission(tsv(GOOD.replace("\n", "\r\n")), "pr") == read_submission(tsv(GOOD), "pr")


FAILED = "\tATTACK_UNSUCCESSFUL\t\n"


@pytest.mark.parametrize(("content", "domain", "message"), [
    (HEADER + "True\t23\tmissing a column\t\n", "pr", r"line 2: expected 4 columns, each followed by a tab, found 3 tabs"),
    (HEADER + "True\t23\ta\tb\tc\t\n", "pr", r"line 2: expected 4 columns, each followed by a tab, found 5 tabs"),
    (HEADER + "True\t23\ta\tb\n", "pr", r"line 2: .* found 3 tabs"),
    (GOOD + "\n", "pr", r"line 4: .* found 0 tabs"),
    ("True\t23\ta\tb\t\n", "pr", r"line 1: expected the header succeeded, num_queries, .* found 'True"),
    (HEADER, "pr", "holds a header but no rows"),
    ("", "pr", "is empty"),
    (GOOD.replace("\n", "\r\n", 1), "pr", r"mixed line ends \(1 \\r\\n, 2 \\n, 0 \\r\)"),
    (GOOD.replace("bad.", "bad.\r"), "pr", r"mixed line ends \(0 \\r\\n, 3 \\n, 1 \\r\)"),
    ("\ufeff" + GOOD, "pr", "starts with a byte-order mark"),
    (GOOD.encode("utf-16"), "pr", "starts with a byte-order mark"),
    (GOOD.encode() + b"\xff", "pr", r"not UTF-8 text \(byte 121\)"),
    (HEADER + "yes\t23\ta\tb\t\n", "pr", "line 2: succeeded is 'yes', expected True or False"),
    (HEADER + "True\t2.5\ta\tb\t\n", "pr", "line 2: num_queries is '2.5', expected a whole number"),
    (HEADER + "True\t2\ta" + FAILED, "pr", "line 2: succeeded is True but the modified text is 'ATTACK_UNSUCCESSFUL'"),
    (HEADER + "False\t2\ta\tb\t\n", "pr", "line 2: succeeded is False but the modified text is 'b'"),
    (HEADER + "False\t2\ta ~ b" + FAILED + "False\t2\ta" + FAILED, "fc", r"line 3: domain=fc holds pairs .* another"),
    (HEADER + "False\t2\ta ~ b" + FAILED + "False\t2\tc ~ d" + FAILED, "hn", "domain=hn holds single texts, .* another"),
    (HEADER + "False\t2\ta ~ b" + FAILED + "False\t2\ta ~ b ~ c" + FAILED + "False\t1\tx" + FAILED, "c19",
     r"line 3: domain=c19 holds pairs joined by one ' ~ ', but this text has 2 of them: 'a ~ b ~ c' \(and 1 more lines\)"),
    (HEADER + "False\t2\ta ~ b" + FAILED + "False\t2\ta ~ b ~ c" + FAILED, "mine", "line 3: .* 2 of them"),
    (HEADER + "True\t2\ta\ta\t\n", "pr", "line 2: succeeded is True but the modified text is the original"),
    (GOOD, None, "say which with domain=<domain>"),
])
def test_anything_wrong_is_one_clear_line_and_nothing_is_scored(tsv, content, domain, message):
    path = tsv(content)
    with pytest.raises(InputError, match=message) as caught:
        load_attempts(path, domain)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)


def test_a_name_of_another_domain_is_refused(tsv):
    with pytest.raises(InputError, match="by its name a submission for domain fc, but domain=pr was asked for"):
        load_attempts(tsv(GOOD, "submission_FC_True_x_BERT.tsv"), "pr")


# Writing


def test_written_and_read_back_scores_the_same(attempt, tmp_path):
    attempts = [attempt(("a\nb", "c d"), ("a\nb", "c e"), id="0", domain="fc"),
                attempt(("x ~y", "z"), ("x ~y", "q"), id="1", domain="fc"),
                attempt(("e", "f"), id="2", domain="fc", status="skipped", queries=0)]
    write_submission(attempts, tmp_path / "s.tsv")
    back = load_attempts(tmp_path / "s.tsv", "fc")
    assert [(a.original, a.adversarial, a.queries) for a in back] == [
        (a.original, a.adversarial, a.queries) for a in attempts]
    ours, theirs = (score(rows, semantic="none") for rows in (attempts, back))
    assert (ours.confusion, ours.character, ours.queries) == (theirs.confusion, theirs.character, theirs.queries)


def test_single_texts_of_which_some_look_like_pairs_are_counted(tsv):
    attempts = read_submission(tsv(HEADER + "False\t2\ta" + FAILED + "False\t2\ta ~ b" + FAILED), "mine")
    assert [len(attempt.original) for attempt in attempts] == [1, 1]
    assert notes(attempts) == ["1 of 2 texts hold ' ~ ', as pairs do (the first: row 1, counted from 0); all are taken for "
                               "single texts"]
    assert notes(attempts[:1]) == [] == notes(read_submission(tsv(HEADER + "False\t2\ta ~ b" + FAILED), "fc"))


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\\")).filter(
    lambda text: text != "ATTACK_UNSUCCESSFUL" and " ~ " not in f"~ {text}")


@given(st.lists(st.tuples(TEXT, st.none() | TEXT).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=5))
def test_any_text_without_tabs_survives_the_round_trip(tmp_path_factory, rows):
    attempts = [Attempt(id=str(i), domain="file", victim="v", attack="a", label=0, original=("one", old),
                        adversarial=None if new is None else ("one", new), status="failed" if new is None else "success",
                        original_probs=None, adversarial_probs=None, queries=i, forwards=0, seconds=0.0, seed=0)
                for i, (old, new) in enumerate(rows)]
    path = tmp_path_factory.mktemp("round") / "s.tsv"
    write_submission(attempts, path)
    joined = [(join(a.original), a.adversarial and join(a.adversarial)) for a in attempts]
    assert [(join(a.original), a.adversarial and join(a.adversarial)) for a in load_attempts(path, "file")] == joined


def test_what_the_layout_cannot_say_is_refused_and_nothing_is_written(attempt, tmp_path):
    path = tmp_path / "s.tsv"
    with pytest.raises(InputError, match=r"attempt 1: an error \(gone\)"):
        write_submission([attempt(status="error", error="gone")], path)
    with pytest.raises(InputError, match=r"attempt 1: its text holds '\\t'"):
        write_submission([attempt("a\tb")], path)
    with pytest.raises(InputError, match="attempt 1: its pair holds ' ~ ' inside a segment"):
        write_submission([attempt(("a ~ b", "c"))], path)
    assert not path.exists()


def test_a_backslash_before_an_n_is_warned_of(attempt, tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        write_submission([attempt("C:\\new")], tmp_path / "s.tsv")
    assert "1 texts hold a backslash before an n" in caplog.text


# Our own rows


def test_reads_attempts_jsonl_and_its_folder(attempt, tmp_path, caplog):
    attempts = [attempt("a", "b", id="x"), attempt(id="y", status="budget")]
    write_rows(tmp_path / "attempts.jsonl", [a.to_row() for a in attempts])
    assert load_attempts(tmp_path / "attempts.jsonl") == load_attempts(tmp_path, "pr") == attempts
    assert not caplog.records
    write_json(tmp_path / "status.json", {"state": "running"})
    assert load_attempts(tmp_path) == attempts
    assert "the run is not finished (state: running)" in caplog.text


def test_a_half_written_last_line_is_said_once(attempt, tmp_path, caplog):
    path = tmp_path / "attempts.jsonl"
    write_rows(path, [attempt(id="1").to_row(), attempt("naïve", id="2").to_row()])
    whole = path.read_bytes()
    cut = whole.index("ï".encode()) + 1  # in the middle of a character
    path.write_bytes(whole[:cut])
    assert [a.id for a in load_attempts(tmp_path)] == ["1"]
    assert [record.getMessage() for record in caplog.records] == [f"{path}: {HALF_LINE}"]
    caplog.clear()
    assert load_attempts(path, quiet=True) and not caplog.records
    path.write_bytes(whole[:-1])  # a whole row that lacks only its line end
    assert [a.id for a in load_attempts(path)] == ["1", "2"] and not caplog.records


@pytest.mark.parametrize(("rows", "domain", "message"), [
    ([{"id": "x"}], None, "row 1: not an attempt: missing adversarial"),
    (["same", "same"], None, "row 2: id 'same' stands there twice"),
    (["x"], "hn", "row 1: of domain pr, but domain=hn was asked for"),
    ([], None, "holds no attempts"),
])
def test_a_damaged_attempts_file_is_one_clear_line(attempt, tmp_path, rows, domain, message):
    path = tmp_path / "attempts.jsonl"
    write_rows(path, [row if isinstance(row, dict) else attempt(id=row).to_row() for row in rows])
    with pytest.raises(InputError, match=message):
        load_attempts(path, domain)


def test_a_missing_or_foreign_file_is_one_clear_line(tmp_path):
    with pytest.raises(InputError, match=r"attempts=.*nowhere: no such file or folder"):
        load_attempts(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"attempts.jsonl: no such file or folder"):
        load_attempts(tmp_path)
    (tmp_path / "table.csv").touch()
    with pytest.raises(InputError, match="expected attempts.jsonl, an attack folder or a submission .tsv"):
        load_attempts(tmp_path / "table.csv")


@pytest.mark.parametrize("original", ["", "  ", "\\n"])
def test_a_success_on_an_empty_text_is_refused(tsv, original):
    with pytest.raises(InputError, match="line 2: succeeded is True but the original text is empty"):
        read_submission(tsv(HEADER + f"True\t2\t{original}\tnew\t\n"), "pr")
    assert read_submission(tsv(HEADER + f"False\t2\t{original}\tATTACK_UNSUCCESSFUL\t\n"), "pr")[0].status == "failed"


@pytest.mark.parametrize("field", ["domain", "victim", "attack", "seed"])
def test_rows_of_several_runs_name_their_file(tmp_path, attempt, field):
    rows = [attempt(id=str(i), **{field: i if field == "seed" else f"{field}{i}"}).to_row() for i in range(2)]
    write_rows(tmp_path / "attempts.jsonl", rows)
    with pytest.raises(InputError, match=rf"attempts.jsonl: attempts of several runs \({field}: "):
        load_attempts(tmp_path)
