"""HN: hand-made XML, and the public converter's files byte for byte."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from hardtext.core import InputError
from hardtext.domains import bodega_tsv
from hardtext.domains.hn import HNDomain
from hardtext.domains.rows import Row, Splits

TRAIN, TEST = "training-bypublisher-20181122", "test-bypublisher-20181212"


def corpus(folder: Path, numbers: dict[str, range] | None = None, body: str = "", by: str = "publisher") -> Path:
    for part, articles in (numbers or {TRAIN: range(30), TEST: range(5)}).items():
        truth = "".join(f'<article id="{n:07d}" hyperpartisan="{"true" if n % 2 else "false"}" labeled-by="{by}" '
                        f'url="http://a?x={n}&amp;y"/>\n' for n in articles)
        texts = "".join(f'<article id="{n:07d}" published-at="2017-09-10" title="Title {n}">\n{body or n}</article>\n'
                        for n in articles)
        for kind, content in (("ground-truth", truth), ("articles", texts)):
            (folder / f"{kind}-{part}.xml").write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n<articles>\n{content}'
                                                       "</articles>", encoding="utf-8")
    return folder


def test_every_tenth_training_article_and_all_test_articles(tmp_path):
    result = HNDomain(path=str(corpus(tmp_path))).load(tmp_path, 0)
    assert {example.segments[0] for example in result.train} == {"Title 0\n\n0", "Title 10\n\n10", "Title 20\n\n20"}
    assert sorted((example.source, example.label) for example in result.attack) == [
        (f"http://a?x={n}&y", n % 2) for n in range(5)]
    assert result.domain.classes == ("mainstream", "hyperpartisan") and result.domain.stand_in == ""
    assert any("3 train texts (published: 60,235), 5 attack texts (published: 400)" in note for note in result.notes)


def test_the_body_loses_its_markup_and_nothing_else(tmp_path):
    body = '<p>One\t <a href="x" type="external">two</a>\n&amp; C:\\new <q>“thrée”</q></p><!-- gone --> four &#128293;'
    result = HNDomain(path=str(corpus(tmp_path, body=body))).load(tmp_path, 0)
    assert result.train[0].segments[0].split("\n", 1)[1] == "\nOne two\n& C:\\new “thrée” four 🔥"


def test_an_article_without_title_or_address(tmp_path):
    folder = corpus(tmp_path)
    path = folder / f"articles-{TEST}.xml"
    path.write_text("<articles>" + "".join(f'<article id="{n}">b</article>' for n in range(3)) + "</articles>")
    (folder / f"ground-truth-{TEST}.xml").write_text(
        "<articles>" + "".join(f'<article id="{n}" hyperpartisan="True"/>' for n in range(3)) + "</articles>")
    assert {(e.segments, e.source, e.label) for e in HNDomain(path=str(folder)).load(tmp_path, 0).attack} == {
        (("\nb",), "", 1)}


@pytest.mark.parametrize(("name", "content", "message"), [
    (f"articles-{TEST}.xml", "<articles>\n<article id='1'>\n<p></article>", f"articles-{TEST}.xml, line 3: not well-formed"),
    (f"articles-{TRAIN}.xml", "", f"articles-{TRAIN}.xml, line 1: not well-formed XML"),
    (f"ground-truth-{TRAIN}.xml", "<articles><article id='x'/></articles>", "an article has id='x', expected a number"),
    (f"ground-truth-{TEST}.xml", "<articles><article id='0'/></articles>", "article 0 has hyperpartisan='', expected"),
    (f"articles-{TEST}.xml", "<articles/>", f"articles-{TEST}.xml: lacks 5 articles .*, 0000000 among them"),
])
def test_damaged_files(tmp_path, name, content, message):
    (corpus(tmp_path) / name).write_text(content)
    with pytest.raises(InputError, match=message):
        HNDomain(path=str(tmp_path)).load(tmp_path, 0)


def test_a_broken_byte_is_an_xml_error_with_its_line(tmp_path):
    (corpus(tmp_path) / f"articles-{TEST}.xml").write_bytes(b"<articles>\n\xff</articles>")
    with pytest.raises(InputError, match="line 2: not well-formed XML"):
        HNDomain(path=str(tmp_path)).load(tmp_path, 0)


def test_a_file_is_never_whole_in_memory(tmp_path):
    corpus(tmp_path, {TRAIN: range(1, 400), TEST: range(3)}, body="<p>" + "word " * 5000 + "</p>")  # 10 MB
    settings = HNDomain(path=str(tmp_path))
    tracemalloc.start()
    try:
        settings.load(tmp_path, 0)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000  # the 42 articles kept hold 1 MB
    finally:
        tracemalloc.stop()


def test_by_article_files_are_named_a_stand_in_also_when_read_again(tmp_path):
    (tmp_path / "raw").mkdir()
    settings = HNDomain(path=str(corpus(tmp_path / "raw", by="article")))
    first, again = settings.load(tmp_path, 0), settings.load(tmp_path, 0)
    assert first.domain.stand_in == "by-article files in place of the by-publisher ones"
    assert again == first


def test_the_public_converters_files_byte_for_byte(shared_data, tmp_path):
    raw = tmp_path / "raw"
    raw.mkdir()
    for part in (TRAIN, TEST):
        for kind in ("articles", "ground-truth"):
            (raw / f"{kind}-{part}.xml").symlink_to(
                shared_data / "hyperpartisan_byarticle" / f"{kind}-training-byarticle-20181122.xml")
    result = HNDomain(path=str(raw)).load(tmp_path, 0)
    rows = {split: [Row(example.label, example.source, example.segments) for example in result.split(split)]
            for split in ("train", "attack", "dev")}
    bodega_tsv.write_set(tmp_path / "out", Splits(**rows))
    for split in rows:
        official = shared_data / "bodega_golden" / "HN_from_byarticle" / f"{split}.tsv"
        assert (tmp_path / "out" / f"{split}.tsv").read_bytes() == official.read_bytes()
    [kept] = (tmp_path / "hn").iterdir()
    for split in rows:
        assert (kept / f"{split}.tsv").read_bytes() == (tmp_path / "out" / f"{split}.tsv").read_bytes()
    assert HNDomain(path=str(raw)).load(tmp_path, 0) == result
