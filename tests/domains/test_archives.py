"""Unpacking: all or nothing, and never outside the folder."""

from __future__ import annotations

import io
import random
import tarfile
import zipfile
from contextlib import nullcontext
from pathlib import Path

import pytest

from hardtext.core import InputError
from hardtext.domains.archives import unpack


def pack(path: Path, files: dict[str, str]) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
    else:
        with tarfile.open(path, "w:gz") as archive:
            for name, content in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content.encode()))
    return path


@pytest.mark.parametrize("suffix", [".zip", ".tgz"])
def test_the_files_lie_beside_the_archive(tmp_path, suffix):
    archive = pack(tmp_path / f"datasets-v2{suffix}", {"datasets/a.txt": "a", "b.txt": "b"})
    folder = unpack(archive)
    assert folder == tmp_path / "datasets-v2"
    assert (folder / "datasets" / "a.txt").read_text() == "a" and (folder / "b.txt").read_text() == "b"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["datasets-v2", f"datasets-v2{suffix}"]


def test_what_is_unpacked_stays(tmp_path):
    archive = pack(tmp_path / "a.zip", {"x": "old"})
    (unpack(archive) / "x").write_text("new")
    assert (unpack(archive) / "x").read_text() == "new"


@pytest.mark.parametrize("suffix", [".zip", ".tgz"])
@pytest.mark.parametrize("keep", [0, 10, 0.5, 0.9])
def test_a_damaged_archive_leaves_nothing(tmp_path, suffix, keep):
    noise = "".join(random.Random(0).choices("abcdefgh", k=20_000))  # does not compress to nothing
    archive = pack(tmp_path / f"a{suffix}", {"x": noise, "y": noise})
    content = archive.read_bytes()
    archive.write_bytes(content[:int(keep * len(content)) if keep < 1 else keep])
    with pytest.raises(InputError, match=rf"a\{suffix}: cannot be unpacked .* delete it to download it again"):
        unpack(archive)
    assert [path.name for path in tmp_path.iterdir()] == [f"a{suffix}"]


@pytest.mark.parametrize("kind", ["above", "absolute"])
def test_nothing_is_written_elsewhere(tmp_path, kind):
    inner, absolute = tmp_path / "inner", tmp_path / "out.txt"
    inner.mkdir()
    name = "../out.txt" if kind == "above" else str(absolute)
    unpack(pack(inner / "a.zip", {name: "x"}))
    with pytest.raises(InputError, match="cannot be unpacked") if name.startswith("..") else nullcontext():
        unpack(pack(inner / "b.tgz", {name: "x"}))
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]
    assert not absolute.exists()

