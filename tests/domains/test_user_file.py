"""The user's own files: every kind of table, what is read from it, and one clear line for each kind of damage."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from hardtext.core import SPLITS, InputError
from hardtext.domains.user_file import FileDomain

ROWS = [(f"text {number} about something", ("fake", "real")[number % 2]) for number in range(40)]


def load(path, **settings):
    return FileDomain(path=str(path), **settings).load(Path("unused"), seed=0)


def everything(corpus):
    return [example for split in SPLITS for example in corpus.split(split)]


def write_csv(path, rows, header=("text", "label"), **kind):
    with open(path, "w", encoding=kind.pop("encoding", "utf-8"), newline="") as file:
        csv.writer(file, **kind).writerows([header, *rows])
    return path


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def refused(path, *words, **settings):
    """The message: one line that holds the words."""
    with pytest.raises(InputError) as caught:
        load(path, **settings)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert str(word) in message
    return message


# kinds of files


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "ndjson", "parquet"])
def test_every_kind_of_file_gives_the_same_corpus(tmp_path, suffix):
    path = tmp_path / f"mine.{suffix}"
    if suffix in ("csv", "tsv"):
        write_csv(path, ROWS, delimiter={"csv": ",", "tsv": "\t"}[suffix])
    elif suffix == "parquet":
        pyarrow.parquet.write_table(pyarrow.table({"text": [t for t, _ in ROWS], "label": [c for _, c in ROWS]}), path)
    else:
        write_jsonl(path, [{"text": text, "label": name} for text, name in ROWS])
    corpus = load(path)
    assert corpus.domain.classes == ("real", "fake") and corpus.domain.positive == (1,)
    assert (len(corpus.train), len(corpus.dev), len(corpus.attack)) == (28, 4, 8)
    assert {(e.segments[0], corpus.domain.classes[e.label]) for e in everything(corpus)} == set(ROWS)
    assert corpus == load(write_csv(tmp_path / "same.csv", ROWS))


def test_cells_with_line_ends_quotes_and_the_words_for_nothing(tmp_path):
    texts = ["two\nlines, and a \"quote\"", "NA", "null", "nan", "None", "007", "1e5", " kept as it is "]
    corpus = load(write_csv(tmp_path / "t.csv", [(text, "ab"[n % 2]) for n, text in enumerate(texts)]), positive="a")
    assert sorted(e.segments[0] for e in everything(corpus)) == sorted(texts)


def test_pairs_ids_and_other_columns(tmp_path):
    rows = [(f"id{n}", f"evidence {n}", f"claim {n}", ("SUPPORTS", "REFUTES")[n % 2], "x") for n in range(20)]
    corpus = load(write_csv(tmp_path / "t.csv", rows, header=("key", "evidence", "claim", "verdict", "more")),
                  text="evidence", text_pair="claim", label="verdict", id="key")
    assert corpus.domain.pair and corpus.domain.classes == ("SUPPORTS", "REFUTES")
    by_id = {e.id: e for e in everything(corpus)}
    assert by_id["id7"].segments == ("evidence 7", "claim 7") and by_id["id7"].label == 1


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig"])
def test_encodings(tmp_path, encoding):
    rows = [(f"café {n}", ("fake", "real")[n % 2]) for n in range(10)]
    path = write_csv(tmp_path / "t.csv", rows, encoding=encoding)
    corpus = load(path) if encoding == "utf-8-sig" else load(path, encoding=encoding)
    assert {e.segments[0] for e in everything(corpus)} == {text for text, _ in rows}


def test_delimiter_and_quoting(tmp_path):
    path = write_csv(tmp_path / "t.csv", ROWS, delimiter="|")
    assert len(everything(load(path, delimiter="|"))) == 40
    raw = tmp_path / "raw.tsv"
    raw.write_text("text\tlabel\n" + "".join(f'"open {text}\t{name}\n' for text, name in ROWS))
    assert len(everything(load(raw, quoting="none", delimiter="tab"))) == 40
    refused(raw, raw, "domain.quoting=none")


# labels


@pytest.mark.parametrize("first, second, classes", [
    ([True, "True", "true "], [False, "FALSE", "false"], ("True", "False")),
    ([1, 1.0, "1", "1.0", " 1 "], [0, 0.0, "0", "0.0", "0.00"], ("0", "1")),
    (["Fake", "fake", " FAKE"], ["real", "Real", "REAL "], ("real", "Fake")),
])
def test_spellings_of_a_label_are_one_class(tmp_path, first, second, classes):
    rows = [{"text": f"text {n} {k}", "label": label} for k in range(4)
            for n, label in enumerate([value for pair in zip(first, second, strict=True) for value in pair])]
    corpus = load(write_jsonl(tmp_path / "t.jsonl", rows))
    assert tuple(c.casefold() for c in corpus.domain.classes) == tuple(c.casefold() for c in classes)
    assert Counter(e.label for e in everything(corpus)) == {0: 4 * len(first), 1: 4 * len(first)}


@pytest.mark.parametrize("names, column, settings, classes, positive", [
    (("fake", "real"), "label", {}, ("real", "fake"), (1,)),
    (("0", "1"), "label", {}, ("0", "1"), (1,)),
    (("0", "1"), "label", {"positive": "0"}, ("1", "0"), (1,)),
    (("true", "false"), "label", {}, ("true", "false"), (1,)),
    (("true", "false"), "is_fake", {}, ("false", "true"), (1,)),
    (("yes", "no"), "rumour", {}, ("no", "yes"), (1,)),
    (("a", "b", "c"), "label", {"positive": " C , a"}, ("b", "a", "c"), (1, 2)),
    (("true", "half-true", "false", "pants-fire"), "label", {}, ("half-true", "true", "false", "pants-fire"), (2, 3)),
])
def test_which_class_is_not_credible(tmp_path, names, column, settings, classes, positive):
    rows = [(f"text {n}", names[n % len(names)]) for n in range(12 * len(names))]
    corpus = load(write_csv(tmp_path / "t.csv", rows, header=("text", column)), label=column, **settings)
    assert corpus.domain.classes == classes and corpus.domain.positive == positive
    assert any("not credible" in note for note in corpus.notes) is ("positive" not in settings)
    assert {(e.segments[0], corpus.domain.classes[e.label]) for e in everything(corpus)} == set(rows)


def test_a_class_that_nobody_can_guess(tmp_path):
    path = write_csv(tmp_path / "t.csv", [(f"t {n}", ("left", "right")[n % 2]) for n in range(20)])
    refused(path, "domain.positive", "left, right")
    refused(path, "domain.positive=up", "left, right", positive="up")
    refused(path, "domain.positive=left,right", "not all", positive="left,right")


# rows


def test_rows_without_text_or_label_are_dropped_and_counted(tmp_path):
    rows = [*ROWS, ("", "fake"), ("  \n", "real"), ("lost", ""), ("lost too", " ")]
    corpus = load(write_csv(tmp_path / "t.csv", rows))
    assert len(everything(corpus)) == 40
    assert any("2 without a text and 2 without a label of 44 rows" in note for note in corpus.notes)
    missing = [{"text": t, "label": c} for t, c in ROWS] + [{"label": "fake"}, {"text": "lost", "label": None},
                                                            {"text": float("nan"), "label": "real"}]
    corpus = load(write_jsonl(tmp_path / "t.jsonl", missing))
    assert any("2 without a text and 1 without a label of 43 rows" in note for note in corpus.notes)


def test_half_characters_are_replaced(tmp_path):
    rows = [{"text": f"cut \ud83d off {n}", "label": n % 2} for n in range(10)]
    corpus = load(write_jsonl(tmp_path / "t.jsonl", rows))
    assert all("cut \ufffd off" in e.segments[0] for e in everything(corpus))
    assert any("10 rows" in note for note in corpus.notes)


# splits


def test_equal_texts_stay_in_one_split(tmp_path):
    rows = [(f"Text  {n // 4}" if n % 2 else f"text {n // 4} ", ("fake", "real")[n // 4 % 2]) for n in range(400)]
    corpus = load(write_csv(tmp_path / "t.csv", rows))
    found = [{" ".join(e.segments[0].lower().split()) for e in corpus.split(split)} for split in SPLITS]
    assert not found[0] & found[1] and not found[0] & found[2] and not found[1] & found[2]
    assert len(corpus.attack) == 80 and len(corpus.dev) == 40
    assert Counter(e.label for e in corpus.attack) == {0: 40, 1: 40}


def test_rows_of_one_group_stay_in_one_split(tmp_path):
    rows = [(f"text {n}", n % 2, f"author {n % 30 if n % 7 else ''}") for n in range(300)]
    corpus = load(write_csv(tmp_path / "t.csv", rows, header=("text", "label", "author")), group="author")
    author = {text: by for text, _, by in rows}
    found = [{author[e.segments[0]] for e in corpus.split(split)} for split in SPLITS]
    assert not found[0] & found[1] and not found[0] & found[2] and not found[1] & found[2]


def test_the_attack_split_has_400_texts_at_most_and_no_run_seed_moves_it(tmp_path):
    path = write_csv(tmp_path / "t.csv", [(f"text {n}", n % 2) for n in range(3000)])
    corpus = load(path)
    assert (len(corpus.train), len(corpus.dev), len(corpus.attack)) == (2300, 300, 400)
    assert FileDomain(path=str(path)).load(Path(), seed=7) == corpus
    assert {e.id for e in load(path, split_seed=1).attack} != {e.id for e in corpus.attack}
    assert {e.label for e in corpus.attack[:20]} == {0, 1}  # mixed, so that a limit takes both


def test_a_folder_with_files_of_its_own(tmp_path):
    for name, part in (("Train", ROWS[:20]), ("validation", ROWS[20:30]), ("test", ROWS[30:])):
        write_csv(tmp_path / f"{name}.csv", part)
    (tmp_path / "README.md").write_text("not data")
    corpus = load(tmp_path)
    assert [[e.segments[0] for e in corpus.split(s)] for s in SPLITS] == [
        [text for text, _ in part] for part in (ROWS[:20], ROWS[20:30], ROWS[30:])]
    assert len({e.id for e in everything(corpus)}) == 40
    write_csv(tmp_path / "dev.csv", ROWS)
    refused(tmp_path, "both dev.csv and validation.csv")


def test_a_folder_without_a_training_file(tmp_path):
    write_csv(tmp_path / "Constraint_Train.csv", ROWS)
    refused(tmp_path, "no train file", "domain.dev_path=")


def test_missing_splits_are_drawn_and_texts_in_two_given_files_are_told(tmp_path):
    train = write_csv(tmp_path / "a.csv", ROWS[:30])
    dev = write_csv(tmp_path / "b.csv", ROWS[25:])
    corpus = load(train, dev_path=str(dev))
    assert (len(corpus.train), len(corpus.dev), len(corpus.attack)) == (24, 15, 6)
    trained = {e.segments for e in corpus.train}
    leaked = sum(e.segments in trained for e in corpus.dev)
    assert leaked > 0 and any(f"{leaked} of the 15 given" in note for note in corpus.notes)


def test_a_column_with_the_splits(tmp_path):
    rows = [(text, name, ("Train", "training", "val", "test")[n // 2 % 4]) for n, (text, name) in enumerate(ROWS)]
    path = write_csv(tmp_path / "t.csv", rows, header=("text", "label", "part"))
    corpus = load(path, split_column="part")
    assert (len(corpus.train), len(corpus.dev), len(corpus.attack)) == (20, 10, 10)
    refused(path, "domain.split_column=part", split_column="part", dev_path=str(path))
    write_csv(path, [*rows, ("text", "fake", "holdout")], header=("text", "label", "part"))
    refused(path, "row 41", "'holdout'", "train, training, dev", split_column="part")


# damage


def test_paths_that_lead_nowhere(tmp_path):
    with pytest.raises(InputError, match="domain.path=<your file or folder>"):
        FileDomain().load(Path(), 0)
    refused(tmp_path / "no.csv", "no.csv: no such file")
    path = write_csv(tmp_path / "t.csv", ROWS)
    refused(path, "no.csv", attack_path=str(tmp_path / "no.csv"))
    (tmp_path / "t.docx").write_bytes(b"x")
    refused(tmp_path / "t.docx", ".csv, .tsv, .jsonl")


@pytest.mark.parametrize(("mark", "typed"), [(";", """domain.delimiter='";"'"""), ("\t", "domain.delimiter=tab"),
                                            ("|", "'\"|\"'")])
def test_columns_that_something_else_separates_are_answered_with_how_to_say_so(tmp_path, mark, typed):
    path = tmp_path / "t.csv"
    path.write_text(mark.join(("id", "text", "label")) + "\n" + mark.join("abc") + "\n")
    refused(path, "reads as one column", typed)


def test_unknown_columns_are_answered_with_those_there_are(tmp_path):
    path = write_csv(tmp_path / "t.csv", ROWS, header=("tweet", "class"))
    refused(path, path, "no column 'text'", "tweet, class", "domain.text=")
    refused(path, "no column 'label'", text="tweet")
    refused(write_jsonl(tmp_path / "t.jsonl", [{"a": 1}, {"b": 2}]), "no column 'text'", "a, b")
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "t.parquet")
    refused(tmp_path / "t.parquet", "no column 'text'", "it has a")
    refused(write_csv(tmp_path / "odd.csv", [], header=("two\nlines", *["x" * 50] * 9)), "it has two lines, xxx", " …:")
    refused(write_csv(tmp_path / "twice.csv", [], header=("text", "label", "text")), "2 columns are called 'text'")


@pytest.mark.parametrize("content", ["", " \n\n", "text,label\n"])
def test_empty_files(tmp_path, content):
    (tmp_path / "t.csv").write_text(content)
    refused(tmp_path / "t.csv", tmp_path / "t.csv")


def test_too_few_rows_or_classes(tmp_path):
    refused(write_csv(tmp_path / "one.csv", [(f"t {n}", "fake") for n in range(9)]), "at least two classes", "'fake'")
    refused(write_csv(tmp_path / "few.csv", [*ROWS, ("a", "other"), ("A ", "other")]), "class other has 1 different",
            "at least 3")
    refused(write_csv(tmp_path / "many.csv", [(text, text) for text, _ in ROWS] + [(f"x {n}", n) for n in range(20)]),
            "60 different values")


def test_a_class_without_training_rows(tmp_path):
    train = write_csv(tmp_path / "train.csv", ROWS)
    attack = write_csv(tmp_path / "test.csv", [("new", "satire")])
    refused(train, "no training row of class satire", attack_path=str(attack))


def test_damaged_tables(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('text,label\n"two\nlines",fake\nno, quotes,fake\n')
    refused(path, "line 4", "3 cells where the header has 2")
    path.write_text('text,label\n"never closed,fake\nmore,real\n')
    refused(path, path, "domain.quoting=none")
    path.write_bytes("text,label\ncafé,fake\n".encode("latin-1"))
    refused(path, "line 2", "not utf-8 text", "domain.encoding")
    path = tmp_path / "t.jsonl"
    path.write_text('{"text": "a", "label": 1}\n{"text": \n')
    refused(path, "line 2", "not JSON")
    path.write_text('[{"text": "a", "label": 1}]')
    refused(path, "line 1", "one JSON object a line")
    write_jsonl(path, [{"text": ["a", "b"], "label": 1}])
    refused(path, "row 1", "column text holds a list")
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 not really")
    refused(path, "not a readable Parquet file")


def test_ids_must_be_there_and_differ(tmp_path):
    rows = [(f"{n % 39}", text, name) for n, (text, name) in enumerate(ROWS)]
    refused(write_csv(tmp_path / "t.csv", rows, header=("id", "text", "label")), "2 rows have the id '0'", id="id")
    rows[6] = (" ", "text", "fake")
    refused(write_csv(tmp_path / "t.csv", rows, header=("id", "text", "label")), "row 7", "domain.id", id="id")


@pytest.mark.parametrize("setting, word", [
    ({"quoting": "all"}, "default, none"),
    ({"dev_fraction": 0.6, "attack_fraction": 0.5}, "sum is below 1"),
    ({"dev_fraction": 0.0}, "above 0"),
    ({"attack_size": 0}, "at least 1"),
    ({"delimiter": "::"}, "one character"),
    ({"encoding": "utf-9"}, "unknown encoding"),
])
def test_settings_out_of_range(setting, word):
    with pytest.raises(InputError, match=word):
        FileDomain(**setting)


# real files


def test_fake_news_with_empty_texts(shared_data):
    corpus = load(shared_data / "fakenews_small" / "fakenewsnet_old.csv")
    assert len(everything(corpus)) == 420 and len(corpus.attack) == 84
    assert corpus.domain.classes == ("0", "1") and Counter(e.label for e in corpus.attack) == {0: 42, 1: 42}
    assert any("2 without a text of 422 rows" in note for note in corpus.notes)
    titles = load(shared_data / "fakenews_small" / "fakenewsnet_old.csv", text="title", id="id")
    assert len(everything(titles)) == 422


def test_covid_tweets_in_three_oddly_named_files(shared_data):
    folder = shared_data / "covid_constraint2021"
    corpus = load(folder / "Constraint_Train.csv", text="tweet", dev_path=str(folder / "Constraint_Val.csv"),
                  attack_path=str(folder / "english_test_with_labels.csv"))
    assert (len(corpus.train), len(corpus.dev), len(corpus.attack)) == (6420, 2140, 2140)
    assert corpus.domain.classes == ("real", "fake") and len({e.id for e in everything(corpus)}) == 10700
    assert sum(e.label for e in corpus.train) == 3060


@pytest.mark.parametrize(("name", "data", "options", "words"), [
    ("hex.csv", b"text,label\na,fake\n", {"encoding": "hex"}, "not hex text"),
    ("undefined.csv", b"text,label\na,fake\n", {"encoding": "undefined"}, "not undefined text"),
    ("nul.csv", b"text,label\na,fake\n", {"encoding": "utf\0"}, "unknown encoding"),
    ("digits.jsonl", b'{"text": "a", "label": ' + b"1" * 5000 + b"}\n", {}, "line 1: not JSON"),
    ("deep.jsonl", b"[" * 100_000, {}, "line 1: not JSON"),
    ("n" * 300 + ".csv", None, {}, "no such file"),
])
def test_what_python_itself_stumbles_over_is_one_line(tmp_path, name, data, options, words):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=words):
        FileDomain(path=str(tmp_path / name), **options).load(tmp_path, 0)


def test_labels_of_many_digits_and_of_broken_characters_are_classes(tmp_path):
    rows = [{"text": f"text {i}", "label": ("9" * 5000, "fake\ud800")[i % 2]} for i in range(20)]
    (tmp_path / "odd.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = FileDomain(path=str(tmp_path / "odd.jsonl"), positive="fake\ufffd").load(tmp_path, 0)
    assert corpus.domain.classes == ("9" * 5000, "fake\ufffd")
