"""PR: hand-made articles, and the public converter's files byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardtext.core import InputError
from hardtext.domains import bodega_tsv
from hardtext.domains.pr import PRDomain
from hardtext.domains.rows import Row, Splits

FIRST = "A title\n\nFear them all.\nIt rains.\r\nThey\tlie.\n"
#        0      8 9             24        34  (the carriage return does not count)


def corpus(folder: Path, labels: str = "123\t9\t23\n123\t34\t39\n", **articles: str) -> Path:
    (folder / "train-articles").mkdir()
    (folder / "train-task1-SI.labels").write_text(labels)
    for name, text in ({"article123": FIRST} | articles).items():
        (folder / "train-articles" / f"{name}.txt").write_bytes(text.encode())
    return folder


def found(corpus, split: str) -> set[tuple[int, str]]:
    return {(example.label, example.segments[0]) for example in corpus.split(split)}


def test_sentences_that_share_a_character_with_a_span_are_positive(tmp_path):
    result = PRDomain(path=str(corpus(tmp_path))).load(tmp_path, 0)
    assert found(result, "train") == {(0, "A title"), (1, "Fear them all."), (0, "It rains."), (1, "Theylie.")}
    assert {example.source for example in result.train} == {"SemEval2020T11-123"}
    assert not result.attack and not result.dev
    assert result.domain.classes == ("none", "propaganda") and not result.domain.pair


@pytest.mark.parametrize(("span", "positive"), [
    ("0\t7", {"A title"}), ("7\t9", set()), ("7\t10", {"Fear them all."}), ("22\t25", {"Fear them all.", "It rains."}),
    ("23\t24", set()), ("6\t24", {"A title", "Fear them all."}), ("400\t500", set()),
])
def test_the_borders_of_a_span(tmp_path, span, positive):
    result = PRDomain(path=str(corpus(tmp_path, f"123\t{span}\n"))).load(tmp_path, 0)
    assert {text for label, text in found(result, "train") if label} == positive


def test_articles_ending_in_4_or_9_are_the_test_part_and_those_without_spans_are_left_out(tmp_path):
    labels = "123\t0\t1\n124\t0\t1\n129\t0\t1\n"
    folder = corpus(tmp_path, labels, article124="Four", article129="Nine", article125="Unread")
    result = PRDomain(path=str(folder)).load(tmp_path, 0)
    assert found(result, "attack") == {(1, "Four"), (1, "Nine")}
    assert len(result.train) == 4


def test_the_technique_column_of_the_other_label_file_is_passed_over(tmp_path):
    folder = corpus(tmp_path, "123\tDoubt\t0\t7\n")
    assert (1, "A title") in found(PRDomain(path=str(folder)).load(tmp_path, 0), "train")


def test_a_folder_of_its_own_inside_the_archive(tmp_path):
    (tmp_path / "pr" / "datasets").mkdir(parents=True)
    corpus(tmp_path / "pr" / "datasets")
    assert len(PRDomain().load(tmp_path, 0).train) == 4


def test_the_order_changes_who_is_attacked_and_is_said(tmp_path):
    articles = {f"article{number}4": "\n".join(f"{number} {place}" for place in range(100)) for number in range(10, 20)}
    folder = corpus(tmp_path, "".join(f"{n}4\t0\t{40 * (n - 9)}\n" for n in range(10, 20)), **articles)
    results = {order: PRDomain(path=str(folder), order=order).load(tmp_path, 0)
               for order in ("positives_first", "document")}
    for order, result in results.items():
        assert any(f"order={order}" in note for note in result.notes)
        assert (len(result.attack), len(result.dev)) == (500, 500)
    attacked = [found(result, "attack") for result in results.values()]
    assert attacked[0] != attacked[1]
    assert (attacked[0] | found(results["positives_first"], "dev")) == (attacked[1] | found(results["document"], "dev"))


@pytest.mark.parametrize(("labels", "message"), [
    ("123\tfive\t9\n", r"train-task1-SI.labels, line 1: expected article number, start and end separated by tabs"),
    ("123\t1\t9\n\n123\n", "line 3: expected article number"),
    ("123\t1\t9\n777\t1\t9\n", "annotates 1 articles that train-articles lacks, article777.txt among them"),
])
def test_damaged_labels(tmp_path, labels, message):
    with pytest.raises(InputError, match=message):
        PRDomain(path=str(corpus(tmp_path, labels))).load(tmp_path, 0)


def test_an_article_in_another_encoding(tmp_path):
    folder = corpus(tmp_path)
    (folder / "train-articles" / "article123.txt").write_bytes("Café".encode("latin-1"))
    with pytest.raises(InputError, match=r"article123.txt: not UTF-8 text \(byte 4\)"):
        PRDomain(path=str(folder)).load(tmp_path, 0)


def test_an_unknown_order_is_refused():
    with pytest.raises(InputError, match="domain.order=random: expected one of positives_first, document"):
        PRDomain(order="random")


def test_the_public_converters_files_byte_for_byte(shared_data, tmp_path):
    result = PRDomain(path=str(shared_data / "semeval2020_task11")).load(tmp_path, 0)
    assert not any("published sizes" in note for note in result.notes)
    rows = {split: [Row(example.label, example.source, example.segments) for example in result.split(split)]
            for split in ("train", "attack", "dev")}
    bodega_tsv.write_set(tmp_path / "out", Splits(**rows))
    for split, size in (("train", 12675), ("attack", 416), ("dev", 3320)):
        official = shared_data / "bodega_golden" / "PR2_from_ptc_v2" / f"{split}.tsv"
        assert len(rows[split]) == size
        assert (tmp_path / "out" / f"{split}.tsv").read_bytes() == official.read_bytes()
