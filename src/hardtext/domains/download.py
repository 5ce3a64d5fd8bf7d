"""Files from open addresses: fetched once with pooch, continued where a broken download stopped, checked ever after.

The SHA-256 of every file is kept in ``checksums.json`` beside it. A file that no longer has the known or recorded
checksum is never used and never overwritten: the user is told.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from hardtext.core import InputError
from hardtext.progress import progress
from hardtext.records import read_json, write_json, write_text

CHECKSUMS = "checksums.json"
TIMEOUT_SECONDS = (10.0, 60.0)  # to connect, between two blocks
BLOCK = 1 << 16
TRIES = 3  # in a row without a single new byte
WAIT_SECONDS = 0.5  # before the second try; twice as long before the third
MEGABYTE = 1_000_000

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Remote:
    """A file at an http(s) address; ``name`` is its path below the folder it is fetched to."""

    url: str
    name: str
    sha256: str | None = None

    def __post_init__(self) -> None:
        address = urlsplit(self.url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise InputError(f"cannot download {self.url!r}: expected an http:// or https:// address")
        path = PurePosixPath(self.name)
        if not path.name or path.is_absolute() or ".." in path.parts or "\\" in self.name or ":" in self.name \
                or path.name == CHECKSUMS:
            raise InputError(f"cannot download to {self.name!r}: expected a file name below the domain's folder")


def fetch(files: Sequence[Remote], folder: Path) -> list[Path]:
    """The local path of each file, downloaded to ``folder`` where it is not there yet.

    Raises InputError when a file cannot be fetched (what was downloaded stays and is continued next time), or when its
    checksum is neither the known one nor the one recorded the first time.
    """
    return [_fetch(remote, Path(folder)) for remote in files]


def _fetch(remote: Remote, folder: Path) -> Path:
    import pooch

    path = folder / remote.name
    recorded = read_json(folder / CHECKSUMS) if (folder / CHECKSUMS).exists() else {}
    expected = remote.sha256 or recorded.get(remote.name, {}).get("sha256")
    if path.exists():
        actual = pooch.file_hash(str(path))
        if expected and actual != expected.lower():
            raise InputError(
                f"{path}: its SHA-256 is {actual}, expected {expected}: delete the file to download it again"
                + ("" if remote.sha256 else f", or delete its entry in {folder / CHECKSUMS} to keep it as it is"))
    else:
        log.info("downloading %s to %s", remote.url, path)
        pooch.get_logger().setLevel("WARNING")  # it would print the address and the checksum again
        try:
            pooch.retrieve(remote.url, known_hash=expected, fname=remote.name, path=folder,
                           downloader=_Continued(path.with_name(path.name + ".part")))
        except ValueError as error:  # pooch's word for a wrong checksum; it has removed the file
            raise InputError(f"{remote.url} does not have the expected SHA-256 {expected}: the file there has changed, "
                             f"or it was damaged on the way. {_by_hand(remote.url, path)}") from error
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}") from error
        actual = pooch.file_hash(str(path))
    if recorded.get(remote.name, {}).get("sha256") != actual:
        write_json(folder / CHECKSUMS, {**recorded, remote.name: {"sha256": actual, "url": remote.url}})
    return path


def _by_hand(url: str, path: Path) -> str:
    return f"To do it by hand, get {url} and save it as {path}"


class _Continued:
    """A downloader for pooch that collects the file in ``<name>.part`` and continues that file after a break.

    It is continued only when the server says that its file is still the same (If-Range with a strong entity tag or the
    date of the last change, kept in ``<name>.part.version``); else it starts again.
    """

    def __init__(self, part: Path) -> None:
        self.part = part
        self.version = part.with_name(part.name + ".version")

    def __call__(self, url: str, output_file: str, pooch: object) -> None:
        import requests

        idle = 0
        while True:
            before = self._size()
            try:
                self._collect(url)
                break
            except requests.exceptions.RequestException as error:
                idle = idle + 1 if self._size() <= before else 0
                status = error.response.status_code if error.response is not None else 0
                if idle == TRIES or 400 <= status < 500:
                    raise self._failure(url, error, status) from error
                time.sleep(WAIT_SECONDS * max(1, idle))
        os.replace(self.part, output_file)
        self.version.unlink(missing_ok=True)

    def _size(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _collect(self, url: str) -> None:
        import requests

        start = self._size()
        version = self.version.read_text(encoding="utf-8") if start and self.version.exists() else ""
        headers = {"Accept-Encoding": "identity"}  # the file itself, so that byte counts mean the file's bytes
        if version:
            headers |= {"Range": f"bytes={start}-", "If-Range": version}
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT_SECONDS) as response:
            if response.status_code == 416:  # nothing after these bytes: they are not the beginning of this file
                self.part.unlink()
                raise requests.exceptions.ContentDecodingError("the server cannot continue the file")
            response.raise_for_status()
            continued = response.status_code == 206 and \
                response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
            if response.status_code == 206 and not continued:
                self.part.unlink()
                raise requests.exceptions.ContentDecodingError("the server continues the file at a wrong place")
            if not continued:
                start = 0
                write_text(self.version, _version(response.headers))
            length = response.headers.get("Content-Length")
            total = (start + int(length)) / MEGABYTE if length else None
            with open(self.part, "ab" if continued else "wb") as file, \
                    progress(f"{self.part.stem} (MB)", total, done=start / MEGABYTE) as bar:
                for block in response.iter_content(BLOCK):
                    file.write(block)
                    bar.advance(len(block) / MEGABYTE)

    def _failure(self, url: str, error: Exception, status: int) -> InputError:
        import requests.exceptions as trouble

        path = self.part.with_suffix("")
        if status in (401, 403):
            reason = f"the server answers {status}, so the file needs a login or a licence"
        elif status:
            reason = f"the server answers {status}"
        elif isinstance(error, trouble.ChunkedEncodingError):
            reason = "the connection keeps breaking off"
        elif isinstance(error, trouble.Timeout):
            reason = "the server does not answer in time"
        elif isinstance(error, trouble.ConnectionError):
            reason = "the server cannot be reached; is there a network?"
        else:
            reason = f"{type(error).__name__}, {str(error)[:150]}"
        kept = f" {self._size():,} bytes are kept: the same command continues." if self._size() else ""
        return InputError(f"cannot download {url}: {reason}.{kept} {_by_hand(url, path)}")


def _version(headers) -> str:
    """What tells one version of a remote file from the next: a strong entity tag, or the date of the last change."""
    tag = headers.get("ETag", "")
    return tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", "")
