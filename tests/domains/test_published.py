"""What the published corpora share, on a corpus made for the purpose, and the registry."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import zipfile
from dataclasses import dataclass, fields, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from hardtext.core import Domain, InputError
from hardtext.domains import DOMAINS, bodega_tsv
from hardtext.domains.download import Remote
from hardtext.domains.published import Converted, PublishedDomain, Source
from hardtext.domains.published_sizes import Sizes
from hardtext.domains.rows import Row, Splits
from hardtext.domains.text_files import lines

PUBLISHED = ("hn", "pr", "fc", "rd", "c19", "liar2", "liar6", "kaggle")


@dataclass
class Letters(PublishedDomain):
    """Each line of letters.txt is a text; the last is attacked."""

    name: str = "letters"
    upper: bool = False

    meaning: ClassVar[Domain] = Domain("letters", ("vowel", "consonant"))
    source: ClassVar[Source] = Source("the letters", "https://example.org/letters", "CC0",
                                      {"letters.txt": "letters.txt", "more-*.txt": "more-<number>.txt"},
                                      Sizes(2, 1, 0, "a paper"))
    keeps_conversion: ClassVar[bool] = True
    conversions: ClassVar[list[bool]] = []

    def convert(self, raw):
        self.conversions.append(self.upper)
        rows = [Row(0, "", ((line.upper() if self.upper else line).strip(),)) for _, line in lines(raw["letters.txt"][0])]
        return Converted(Splits(rows[:-1], rows[-1:], []), ("a note",), "a sample")


@pytest.fixture
def raw(tmp_path) -> Path:
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "letters.txt").write_text("a\nb\nc\n")
    (folder / "more-1.txt").write_text("")
    Letters.conversions.clear()
    return folder


def test_ids_name_the_corpus_the_split_and_the_place(raw, tmp_path):
    result = Letters(path=str(raw)).load(tmp_path, 0)
    assert [(e.id, e.split, e.segments) for e in result.train + result.attack] == [
        ("letters-train-1", "train", ("a",)), ("letters-train-2", "train", ("b",)), ("letters-attack-1", "attack", ("c",))]
    assert result.domain == Domain("letters", ("vowel", "consonant"), stand_in="a sample")
    assert result.notes == ("letters: a note",)


def test_a_conversion_is_kept_for_the_same_settings_and_files(raw, tmp_path):
    first = Letters(path=str(raw)).load(tmp_path, 0)
    assert Letters(path=str(raw), adversarial_batch_size=7).load(tmp_path, 5) == first
    assert Letters.conversions == [False]
    assert Letters(path=str(raw), upper=True).load(tmp_path, 0).train[0].segments == ("A",)
    assert Letters.conversions == [False, True]
    (raw / "letters.txt").write_text("x\ny\nz\n!\n")
    assert len(Letters(path=str(raw)).load(tmp_path, 0).train) == 3
    assert Letters.conversions == [False, True, False]
    kept = list((tmp_path / "letters").iterdir())
    assert len(kept) == 3 and all(bodega_tsv.is_set(folder) for folder in kept)


def test_a_conversion_that_breaks_off_leaves_nothing(raw, tmp_path, monkeypatch):
    def full(path, rows):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(bodega_tsv, "write_rows", full)
        with pytest.raises(OSError, match="No space left"):
            Letters(path=str(raw)).load(tmp_path, 0)
    assert not list((tmp_path / "letters").iterdir())
    assert len(Letters(path=str(raw)).load(tmp_path, 0).train) == 2


def test_two_conversions_at_once(raw, tmp_path):
    """The slower one finds the other's set in place and leaves it."""
    class Slow(Letters):
        def convert(self, raw):
            Letters(path=self.path, name=self.name).load(tmp_path, 0)
            return super().convert(raw)

    Slow.__name__ = "Letters"
    result = Slow(path=str(raw)).load(tmp_path, 0)
    assert len(result.train) == 2
    [kept] = (tmp_path / "letters").iterdir()
    assert bodega_tsv.is_set(kept)


def test_a_converted_set_goes_before_the_raw_files(raw, tmp_path):
    bodega_tsv.write_set(raw, Splits([Row(1, "s", ("given",))], [Row(0, "", ("\\n",))], []))
    result = Letters(path=str(raw)).load(tmp_path, 0)
    assert [(e.segments, e.label, e.source) for e in result.train] == [(("given",), 1, "s")]
    assert "holds a converted set" in result.notes[0]
    assert "1 train texts (published: 2)" in result.notes[1] and "a paper" in result.notes[1]
    assert not Letters.conversions


def test_files_one_folder_deeper(raw, tmp_path):
    (tmp_path / "letters").mkdir()
    raw.rename(tmp_path / "letters" / "unpacked")
    assert len(Letters().load(tmp_path, 0).train) == 2


def test_missing_files_are_asked_for_in_one_line(raw, tmp_path):
    with pytest.raises(InputError) as caught:
        Letters().load(tmp_path, 0)
    message = str(caught.value)
    for words in (str(tmp_path / "letters"), "holds no corpus", "https://example.org/letters", "CC0", "letters.txt",
                  "more-<number>.txt", "domain.path="):
        assert words in message
    assert "\n" not in message
    (raw / "letters.txt").unlink()
    with pytest.raises(InputError, match=r"lacks letters.txt\."):
        Letters(path=str(raw)).load(tmp_path, 0)


@pytest.fixture
def address():
    """The letters as a zip file with a folder of its own and a file beside it, on the loopback interface."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("v1/letters.txt", "a\nb\nc\n")
    files = {"/letters.zip": packed.getvalue(), "/more-1.txt": b"more"}
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            body = files.get(self.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()


def at(address: str, *names: str) -> type[Letters]:
    @dataclass
    class Fetched(Letters):
        source: ClassVar[Source] = replace(Letters.source, addresses=tuple(
            Remote(f"{address}/{name}", name) for name in names))

    return Fetched


def test_missing_files_are_fetched_and_unpacked_once(raw, tmp_path, address):
    host, asked = address
    settings = at(host, "letters.zip", "more-1.txt")
    with pytest.raises(InputError, match="or let domain.download=true fetch them"):
        settings().load(tmp_path, 0)
    assert not asked
    for _ in range(2):
        assert len(settings(download=True).load(tmp_path, 0).train) == 2
    assert sorted(asked) == ["/letters.zip", "/more-1.txt"]
    assert len(settings(download=True, path=str(raw)).load(tmp_path, 0).train) == 2
    assert len(asked) == 2


def test_a_download_that_fails_or_brings_something_else(tmp_path, address):
    host, _ = address
    with pytest.raises(InputError, match="cannot download .*lost.zip"):
        at(host, "lost.zip")(download=True).load(tmp_path, 0)
    with pytest.raises(InputError, match=r"letters lacks letters.txt\. (?!.*download=true)"):
        at(host, "more-1.txt")(download=True).load(tmp_path, 0)


@pytest.mark.parametrize("name", ["rd", "c19", "kaggle"])
def test_a_corpus_without_an_open_address_says_so(name):
    with pytest.raises(InputError, match=f"domain.download=true: no stable open address of {name} is known; get .* from"):
        DOMAINS[name](download=True)


@pytest.mark.parametrize("name", ["hn", "pr", "fc", "liar2", "liar6"])
def test_a_corpus_with_open_addresses_takes_them_from_its_own_page(name):
    settings = DOMAINS[name](download=True)
    host = settings.source.page.split("/")[2]
    assert {remote.url.split("/")[2] for remote in settings.source.addresses} == {host}


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_corpus_says_where_it_is_to_be_had(tmp_path, name):
    with pytest.raises(InputError, match=rf"^domain={name}: .*{name} holds no corpus\. Get .* from https://.* \(.+\)"):
        DOMAINS[name]().load(tmp_path, 0)
    assert not list(tmp_path.iterdir())


def test_a_data_root_that_cannot_be_written(raw, tmp_path):
    (tmp_path / "root").write_text("a file")
    with pytest.raises(InputError, match="cannot write the converted set to .*HARDTEXT_DATA"):
        Letters(path=str(raw)).load(tmp_path / "root", 0)


def test_the_registry():
    assert tuple(DOMAINS) == ("sample", *PUBLISHED, "file")
    for name, settings in DOMAINS.items():
        assert {field.name: field.default for field in fields(settings)}["name"] == name


@pytest.mark.parametrize("name", PUBLISHED)
def test_settings_are_a_config_schema(name):
    omegaconf = pytest.importorskip("omegaconf")
    schema = omegaconf.OmegaConf.structured(DOMAINS[name])
    schema.path, schema.adversarial_subset = "somewhere", 3
    settings = omegaconf.OmegaConf.to_object(schema)
    assert settings == DOMAINS[name](path="somewhere", adversarial_subset=3)
    with pytest.raises(omegaconf.errors.OmegaConfBaseException):
        schema.paht = "x"


@pytest.mark.parametrize(("key", "value"), [("adversarial_batch_size", 0), ("adversarial_subset", -1)])
def test_impossible_settings_are_refused(key, value):
    with pytest.raises(InputError, match=f"domain.{key}={value}: expected a whole number of at least 1"):
        Letters(**{key: value})


def test_importing_the_registry_is_cheap():
    script = ("import sys, hardtext.domains\n"
              "print([m for m in ('torch', 'transformers', 'pandas', 'numpy', 'pooch', 'omegaconf') if m in sys.modules])")
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ)
    assert output.stdout.strip() == "[]"
