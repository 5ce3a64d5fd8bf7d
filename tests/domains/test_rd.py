"""RD: hand-made threads, and the corpus in the published layout."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from hardtext.core import InputError
from hardtext.domains.rd import RDDomain


def thread(folder: Path, event: str, kind: str, number: int, *tweets: dict) -> Path:
    place = folder / event / kind / str(number)
    for index, tweet in enumerate(tweets):
        part = place / ("reactions" if index else "source-tweets")
        part.mkdir(parents=True, exist_ok=True)
        (part / f"{number}{index}.json").write_text(json.dumps(tweet))
        (part / ".hidden.json").write_text("not read")
    return place


@pytest.fixture
def raw(tmp_path) -> Path:
    folder = tmp_path / "rd"
    thread(folder, "charliehebdo", "rumours", 1, {"text": "short", "full_text": "First\ntweet &amp;lt; &gt;"},
           {"text": "re\r\nply \\n\t!"}, {"text": "x" * 300})
    thread(folder, "charliehebdo", "non-rumours", 2, {"text": "Second"})
    thread(folder, "ferguson", "rumours", 3, {"text": "Third"})
    (folder / "README").write_text("an annotation")
    (folder / ".DS_Store").write_text("")
    return folder


def test_threads_become_texts(raw, tmp_path):
    result = RDDomain().load(tmp_path, 0)
    assert sorted((e.label, e.source, e.segments[0]) for e in result.attack) == [
        (0, "https://twitter.com/twitter/status/20.json", "Second"),
        (1, "https://twitter.com/twitter/status/10.json", "First tweet < >\nre  ply \\n!\n" + "x" * 300)]
    assert [(e.label, e.segments[0]) for e in result.train] == [(1, "Third")]
    assert result.domain.classes == ("non-rumour", "rumour")


def test_a_thread_without_a_tweet(raw, tmp_path):
    (raw / "ferguson" / "non-rumours" / "9").mkdir(parents=True)
    with pytest.raises(InputError, match="ferguson/non-rumours/9: expected a thread .* found no tweet"):
        RDDomain().load(tmp_path, 0)


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"id": 1}', b'{"text": null}', b'{"text": "\xff"}', b"null"])
def test_damaged_tweets_are_named(raw, tmp_path, content):
    path = raw / "ferguson" / "rumours" / "3" / "source-tweets" / "30.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match="source-tweets/30.json: not a tweet in JSON"):
        RDDomain().load(tmp_path, 0)


def test_a_corpus_without_the_held_out_event(tmp_path):
    thread(tmp_path / "rd", "ferguson", "rumours", 3, {"text": "Third"})
    with pytest.raises(InputError, match="rd holds no corpus.*zenodo.org/records/3269768.*charliehebdo/rumours"):
        RDDomain().load(tmp_path, 0)


def test_the_published_layout(shared_data, tmp_path):
    with tarfile.open(shared_data / "rd_aug_layout" / "rd_aug_layout.tar.gz") as archive:
        archive.extractall(tmp_path / "rd", filter="data")
    result = RDDomain().load(tmp_path, 0)
    assert (len(result.train), len(result.attack), len(result.dev)) == (1497, 415, 0)
    assert not any("attack texts" in note for note in result.notes)  # 415, as published
    assert any("1,497 train texts (published: 8,694)" in note for note in result.notes)
    threads = list((tmp_path / "rd" / "rd_aug_layout").glob("charliehebdo/rumours/*"))
    assert sum(example.label for example in result.attack) == len(threads)
    assert sum(len(e.segments[0].split("\n")) for e in result.attack) == len(
        list((tmp_path / "rd" / "rd_aug_layout" / "charliehebdo").rglob("*.json")))
