"""Every probe of the registry, on texts nobody thinks of."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hardtext.probes import PROBES, Changed, ProbeSettings, Unchanged

ODD = {
    "empty": "", "blank": " \n\t\u00a0", "emoji": "🔥🔥 👩‍👩‍👧 🇺🇸", "combining marks": "e\u0301\u0301 a\u0300",
    "lone surrogates": "\ud800 Obama won 30 jobs in 2009 \udfff",
    "no letters": "123 -- !!! 5 % (7)", "no spaces": "x" * 3_000,
    "right to left": "قال الرئيس إن 5 في المئة", "NUL": "Obama\x00 beat Romney, who is not 40\x00", "quotes": "“\"‘'’”",
    "10,000 words": "In 2009 the senator said that Barack Obama is very bad, according to 40 men in Texas. " * 600,
    "blanks": " " * 20_000, "commas": " , " * 3_000, "digits": "1" * 5_000 + " 1," * 2_000,
}


def made(name, folder):
    path = folder / "pairs.csv"
    path.write_text("original,changed\na,b\n", encoding="utf-8")
    return import_module(f"hardtext.probes.{PROBES[name]}").probe(ProbeSettings(names=[name], path=str(path)))


@pytest.mark.parametrize("name", PROBES)
def test_no_text_crashes_a_probe(name, tmp_path):
    probe = made(name, tmp_path)
    for kind, text in ODD.items():
        found = probe.change(text, 1)
        assert isinstance(found, (Changed, Unchanged)), kind
        if isinstance(found, Changed):
            assert found.text != text and found.what, kind
            assert len(text) > 5_000 or found == probe.change(text, 1), kind
        else:
            assert 0 < len(found.why) <= 80, kind


@pytest.mark.parametrize("name", PROBES)
@hypothesis_settings(max_examples=30)
@given(text=st.text(max_size=60), seed=st.integers(0, 2**63))
def test_any_text(name, text, seed, tmp_path_factory):
    probe = made(name, tmp_path_factory.getbasetemp())
    found = probe.change(text, seed)
    assert isinstance(found, Unchanged) or found.text != text


@pytest.mark.parametrize("name", PROBES)
def test_says_what_it_asks(name, tmp_path):
    probe = made(name, tmp_path)
    assert probe.name == name and probe.expects in ("flip", "fake", "stay") and probe.of in ("any", "real", "fake")
    assert probe.asks.endswith("?") and probe.few_flips.endswith(".")


SCRIPT = """
from importlib import import_module
from hardtext.probes import ProbeSettings
text = "Says Gov. Scott Walker attacked John McCain. He left Austin, Texas, on March 5, 2010, with 40 percent of the workers."
for name in "number date entity roles hedging attribution casing typos prefix".split():
    print(import_module(f"hardtext.probes.{name}").probe(ProbeSettings()).change(text, 7))
"""


def test_the_same_change_in_every_process():
    outputs = {subprocess.run([sys.executable, "-c", SCRIPT], env={**os.environ, "PYTHONHASHSEED": seed}, text=True,
                              capture_output=True, check=True).stdout for seed in ("1", "2")}
    assert len(outputs) == 1 and outputs.pop().count("Changed") == 9
