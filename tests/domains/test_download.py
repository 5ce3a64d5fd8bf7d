"""Downloads against a real server on this machine: broken, continued, checked, refused."""

from __future__ import annotations

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hardtext.core import InputError
from hardtext.domains import download
from hardtext.domains.download import Remote, fetch

CONTENT = bytes(range(256)) * 2000  # 512,000 bytes, unlike in every block


class Server(ThreadingHTTPServer):
    """Serves ``files``; breaks the connection after ``breaks[0]`` bytes of an answer, once for each entry."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {"/a.bin": CONTENT}
        self.breaks: list[int] = []
        self.tag = '"v1"'
        self.ranges = True
        self.seen: list[tuple[str, str]] = []  # path and Range of each request

    def url(self, path="/a.bin"):
        return f"http://127.0.0.1:{self.server_port}{path}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *args):
        pass

    def do_GET(self):
        wanted = self.headers.get("Range", "")
        self.server.seen.append((self.path, wanted))
        if self.path.startswith("/answers/"):
            self.send_error(int(self.path.rsplit("/", 1)[1]))
            return
        content, start = self.server.files[self.path], 0
        if wanted and self.server.ranges and self.headers.get("If-Range") == self.server.tag:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            if start >= len(content):
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        self.send_header("ETag", self.server.tag)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        stop = self.server.breaks.pop(0) if self.server.breaks else None
        self.wfile.write(content[start:] if stop is None else content[start : start + stop])


@pytest.fixture
def server():
    with Server() as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(download, "WAIT_SECONDS", 0.0)


def sha256(content=CONTENT):
    return hashlib.sha256(content).hexdigest()


def refused(remote, folder, *words):
    with pytest.raises(InputError) as caught:
        fetch([remote], folder)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert str(word) in message


def test_files_are_fetched_once_and_their_checksums_kept(server, tmp_path, capfd):
    server.files["/b"] = b"b"
    files = [Remote(server.url(), "a.bin", sha256()), Remote(server.url("/b"), "inside/b.txt")]
    folder = tmp_path / "new" / "data"
    paths = fetch(files, folder)
    assert paths == [folder / "a.bin", folder / "inside" / "b.txt"]
    assert paths[0].read_bytes() == CONTENT and paths[1].read_bytes() == b"b"
    assert json.loads((folder / "checksums.json").read_text()) == {
        "a.bin": {"sha256": sha256(), "url": server.url()},
        "inside/b.txt": {"sha256": sha256(b"b"), "url": server.url("/b")}}
    assert sorted(p.name for p in folder.rglob("*") if p.is_file()) == ["a.bin", "b.txt", "checksums.json"]
    assert fetch(files, folder) == paths and len(server.seen) == 2
    assert capfd.readouterr() == ("", "")


def test_a_broken_download_is_continued_at_once(server, tmp_path):
    server.breaks = [3 * download.BLOCK, download.BLOCK]
    [path] = fetch([Remote(server.url(), "a.bin", sha256())], tmp_path)
    assert path.read_bytes() == CONTENT
    assert [wanted for _, wanted in server.seen] == ["", "bytes=196608-", "bytes=262144-"]


def test_a_broken_download_is_continued_by_the_next_run(server, tmp_path):
    server.breaks = [3 * download.BLOCK, 0, 0, 0]
    remote = Remote(server.url(), "a.bin", sha256())
    refused(remote, tmp_path, "keeps breaking off", "196,608 bytes are kept: the same command continues",
            tmp_path / "a.bin")
    assert not (tmp_path / "a.bin").exists()
    [path] = fetch([remote], tmp_path)
    assert path.read_bytes() == CONTENT and server.seen[-1] == ("/a.bin", "bytes=196608-")


@pytest.mark.parametrize("change", ["the file", "no ranges", "weak tag"])
def test_a_download_that_cannot_be_continued_starts_again(server, tmp_path, change):
    if change == "weak tag":
        server.tag = 'W/"v1"'
    server.breaks = [3 * download.BLOCK, 0, 0, 0]
    remote = Remote(server.url(), "a.bin")
    refused(remote, tmp_path, "cannot download")
    if change == "the file":
        server.files["/a.bin"], server.tag = CONTENT[::-1], '"v2"'
    if change == "no ranges":
        server.ranges = False
    [path] = fetch([remote], tmp_path)
    assert path.read_bytes() == server.files["/a.bin"]


def test_bytes_beyond_the_end_are_thrown_away(server, tmp_path):
    (tmp_path / "a.bin.part").write_bytes(CONTENT + b"more")
    (tmp_path / "a.bin.part.version").write_text(server.tag)
    [path] = fetch([Remote(server.url(), "a.bin")], tmp_path)
    assert path.read_bytes() == CONTENT


def test_a_wrong_checksum(server, tmp_path):
    refused(Remote(server.url(), "a.bin", "0" * 64), tmp_path, server.url(), "0" * 64, tmp_path / "a.bin")
    assert not list(tmp_path.glob("a.bin*"))


def test_a_file_that_has_changed_is_neither_used_nor_overwritten(server, tmp_path):
    known, recorded = Remote(server.url(), "a.bin", sha256()), Remote(server.url(), "a.bin")
    fetch([known], tmp_path)
    (tmp_path / "a.bin").write_bytes(b"mine")
    refused(known, tmp_path, tmp_path / "a.bin", sha256(), "delete the file")
    refused(recorded, tmp_path, sha256(b"mine"), "checksums.json to keep it")
    assert (tmp_path / "a.bin").read_bytes() == b"mine" and len(server.seen) == 1


def test_a_recorded_checksum_also_holds_for_a_second_download(server, tmp_path):
    remote = Remote(server.url(), "a.bin")
    [path] = fetch([remote], tmp_path)
    path.unlink()
    server.files["/a.bin"] = b"something else"
    refused(remote, tmp_path, sha256(), "has changed")


@pytest.mark.parametrize("status, word, requests", [
    (404, "answers 404", 1), (403, "login or a licence", 1), (500, "answers 500", download.TRIES)])
def test_answers_that_are_no_file(server, tmp_path, status, word, requests):
    refused(Remote(server.url(f"/answers/{status}"), "a.bin"), tmp_path, word, tmp_path / "a.bin")
    assert len(server.seen) == requests and not (tmp_path / "a.bin").exists()


def test_nobody_answers(tmp_path):
    with Server() as gone:
        url = gone.url()
    refused(Remote(url, "a.bin"), tmp_path, url, "cannot be reached; is there a network?", tmp_path / "a.bin")


@pytest.mark.parametrize("url", ["ftp://host/a", "file:///etc/passwd", "a.bin", "http://", ""])
def test_addresses_that_are_refused(url):
    with pytest.raises(InputError, match="expected an http:// or https:// address"):
        Remote(url, "a.bin")


@pytest.mark.parametrize("name", ["", ".", "..", "../a", "a/../../b", "/etc/passwd", "..\\a", "C:/a", "checksums.json"])
def test_names_that_leave_the_folder_are_refused(name):
    with pytest.raises(InputError, match="expected a file name below"):
        Remote("http://host/a", name)
