"""The TSV layout: its bytes, what survives them, and what is said about damage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.core import Domain, InputError
from hardtext.domains import bodega_tsv
from hardtext.domains.rows import Row, Splits

SINGLE = Domain("pr", ("none", "propaganda"))
PAIR = Domain("fc", ("supported", "refuted"), pair=True)

text = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\t"))


@pytest.mark.parametrize(("plain", "written"), [
    ("a\nb", r"a\nb"),
    (r"a\nb", r"a\\nb"),  # a literal backslash and n, as in a Windows path
    ("C:\\new\\table", r"C:\\new\\table"),
    ("\\\n", r"\\\n"),
    ("\\", r"\\"),
    ("", ""),
])
def test_escapes_both_ways(plain, written):
    assert bodega_tsv.escape(plain) == written
    assert bodega_tsv.unescape(written) == plain


def test_tabs_are_deleted_on_writing_and_understood_on_reading():
    assert bodega_tsv.escape("a\tb") == "ab"
    assert bodega_tsv.unescape(r"a\tb") == "a\tb"


def test_an_unknown_escape_stays_as_it_is():
    assert bodega_tsv.unescape(r"100\% \x \\") == "100\\% \\x \\"
    assert bodega_tsv.unescape("ends with \\") == "ends with \\"


@given(text)
def test_unescape_undoes_escape(plain):
    assert bodega_tsv.unescape(bodega_tsv.escape(plain)) == plain


@given(st.lists(st.tuples(st.integers(0, 1), text.filter(lambda s: "\n" not in s), text, text)))
def test_rows_read_as_written(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("tsv") / "train.tsv"
    rows = [Row(label, source, (evidence, claim.rstrip("\r"))) for label, source, evidence, claim in rows]
    bodega_tsv.write_rows(path, rows)
    assert bodega_tsv.read_rows(path, PAIR) == rows


def test_the_bytes_of_a_file(tmp_path):
    path = tmp_path / "attack.tsv"
    bodega_tsv.write_rows(path, [Row(1, "http://a\tb\n", ("Tab\there,\nback\\slash",)), Row(0, "", ("é 🔥",))])
    assert path.read_bytes() == "1\thttp://ab \tTabhere,\\nback\\\\slash\n0\t\té 🔥\n".encode()
    assert [p.name for p in tmp_path.iterdir()] == ["attack.tsv"]


def test_row_is_what_a_file_would_give_back(tmp_path):
    rows = [bodega_tsv.row(1, "so\turce", "a\tb \ud83d\n", "c")]
    assert rows[0].segments == ("ab \ufffd\n", "c")
    bodega_tsv.write_rows(tmp_path / "train.tsv", rows)
    assert bodega_tsv.read_rows(tmp_path / "train.tsv", PAIR) == rows


@pytest.mark.parametrize(("content", "rows"), [
    (b"\xef\xbb\xbf0\ts\ta\n", [Row(0, "s", ("a",))]),  # a byte order mark
    (b"0\ts\ta\r\n1\ts\tb\r\n", [Row(0, "s", ("a",)), Row(1, "s", ("b",))]),
    (b"0\ts\ta\n\n1\ts\tb", [Row(0, "s", ("a",)), Row(1, "s", ("b",))]),  # blank line, no last line end
    (b"0\ts\ta\x00b\rc\x0bd\xe2\x80\xa8e\n", [Row(0, "s", ("a\0b\rc\x0bd\u2028e",))]),
    (b"0\t\t\n", [Row(0, "", ("",))]),
    (b"", []),
    (b"0\ts\t" + b"x" * 1_000_000 + b"\n", [Row(0, "s", ("x" * 1_000_000,))]),
])
def test_oddities_that_are_read(tmp_path, content, rows):
    path = tmp_path / "train.tsv"
    path.write_bytes(content)
    assert bodega_tsv.read_rows(path, SINGLE) == rows


@pytest.mark.parametrize(("content", "domain", "message"), [
    (b"0\ts\ta\n0\ts\n", SINGLE, r"train.tsv, line 2: expected 3 tab-separated columns \(label, source, text\), found 2"),
    (b"0\ts\ta\n", PAIR, r"line 1: expected 4 tab-separated columns \(label, source, evidence, claim\), found 3"),
    (b"0\ts\ta\tb\n", SINGLE, r"line 1: expected 3 .* found 4"),
    (b"fake\ts\ta\n", SINGLE, r"line 1: label 'fake', expected 0 \(none\), 1 \(propaganda\)"),
    (b"2\ts\ta\n", SINGLE, r"line 1: label '2'"),
    (b"label\tsource\ttext\n", SINGLE, r"line 1: label 'label'"),
    (b"0\ts\ta\n0\ts\t\xff\n", SINGLE, r"line 2: not UTF-8 text \(byte 5 of the line\)"),
])
def test_damage_is_named_with_file_and_line(tmp_path, content, domain, message):
    path = tmp_path / "train.tsv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        bodega_tsv.read_rows(path, domain)
    assert "\n" not in str(caught.value)


def test_a_set_without_development_texts(tmp_path):
    splits = Splits([Row(0, "", ("a",))], [Row(1, "", ("b",))], [])
    assert not bodega_tsv.is_set(tmp_path)
    bodega_tsv.write_set(tmp_path, splits)
    (tmp_path / "dev.tsv").unlink()
    assert bodega_tsv.is_set(tmp_path)
    assert bodega_tsv.read_set(tmp_path, SINGLE) == splits


@pytest.mark.parametrize(("folder", "domain", "sizes"), [
    ("PR2_from_ptc_v2", SINGLE, (12675, 416, 3320)),
    ("HN_from_byarticle", SINGLE, (65, 645, 0)),
    ("FC_from_mini", PAIR, (0, 130, 0)),
])
def test_official_files_come_out_as_they_went_in(shared_data, tmp_path, folder, domain, sizes):
    official = shared_data / "bodega_golden" / folder
    splits = bodega_tsv.read_set(official, domain)
    assert (len(splits.train), len(splits.attack), len(splits.dev)) == sizes
    bodega_tsv.write_set(tmp_path, splits)
    for name in ("train.tsv", "attack.tsv", "dev.tsv"):
        assert (tmp_path / name).read_bytes() == (official / name).read_bytes()
