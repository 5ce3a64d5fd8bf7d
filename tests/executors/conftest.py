"""A victim that workers can load, and that can be made to kill the process that reads a text."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from functools import partial

import pytest

from hardtext.core import Domain, Example
from hardtext.domains.sample import generate
from hardtext.pipelines.common import find_victim
from hardtext.victims.settings import CallableModel

BAG = '''
"""Each word has a weight drawn from a checksum. The driver is never killed."""
import os, re, signal, time, zlib
import numpy

def predict(texts):
    return numpy.array([one(text) for text in texts])

def one(text):
    time.sleep(float(os.environ.get("BAG_SLEEP", 0)))
    if os.getpid() != int(os.environ["BAG_DRIVER"]):
        if "failing" in text:
            raise OSError("the model file is gone")
        if "always" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "once" in text:
            try:
                open(os.environ["BAG_FLAG"], "x").close()
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
    words = re.findall(r"\\w+", text)
    score = sum(zlib.crc32(w.encode("utf-8", "surrogatepass")) % 2001 - 1000 for w in words) / 300 / max(1, len(words)) ** 0.5
    return 1 / (1 + numpy.exp(score)), 1 / (1 + numpy.exp(-score))
'''
DOMAIN = Domain("toy", ("credible", "fake"))


@pytest.fixture
def bag(tmp_path, monkeypatch) -> partial:
    """What a worker calls with ``device=`` for its victim."""
    folder = tmp_path / "importable"
    folder.mkdir()
    (folder / "bagmodel.py").write_text(BAG)
    monkeypatch.syspath_prepend(folder)
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    for name, value in {"PYTHONPATH": path, "BAG_DRIVER": str(os.getpid()), "BAG_FLAG": str(tmp_path / "killed")}.items():
        monkeypatch.setenv(name, value)
    return partial(find_victim, CallableModel(name="bag", target="bagmodel:predict"), DOMAIN, 0, source=None)


@pytest.fixture(scope="session")
def texts() -> list[Example]:
    """Twelve of the sample; of some lengths, a pair among them."""
    sample = generate()["attack"][:12]
    return [Example(e.id, e.segments if i % 2 else (" ".join(e.segments * (1 + i)),), e.label) for i, e in enumerate(sample)]


@pytest.fixture(scope="session")
def with_words() -> Callable[..., list[Example]]:
    """Puts a word before the text of the fourth example, another before that of the fifth, ..."""

    def change(examples: list[Example], *words: str) -> list[Example]:
        changed = list(examples)
        for place, word in enumerate(words, start=3):
            e = changed[place]
            changed[place] = Example(e.id, (f"{word} {e.segments[0]}", *e.segments[1:]), e.label)
        return changed

    return change


@pytest.fixture(scope="session")
def facts() -> Callable[..., dict[str, dict]]:
    """What attempts hold, by id, but for the time they took."""
    return lambda attempts: {a.id: {**asdict(a), "seconds": None} for a in attempts}
