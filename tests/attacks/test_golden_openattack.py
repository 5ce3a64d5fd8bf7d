"""BERT-ATTACK and DeepWordBug, variant ``bodega``, against what OpenAttack 2.1.1 itself made of the same 60 texts.

Same victims, same masked LM; scripts/golden_openattack.py has both and made the rows.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from hardtext.attacks import BertAttack, DeepWordBug
from hardtext.attacks.engine import run
from hardtext.core import Example
from hardtext.records import read_rows
from hardtext.text import join

FOLDER = Path(__file__).parent / "golden"
SCRIPT = Path(__file__).parents[2] / "scripts" / "golden_openattack.py"
ATTACKS = {"bert_attack": BertAttack, "deepwordbug": DeepWordBug}


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("golden_openattack", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def masked_lm(script):
    return script.masked_lm()


@pytest.fixture(scope="module", params=["bag", "tiny"])
def victim(request, script):
    return {"bag": script.Bag, "tiny": script.Tiny}[request.param]()


@pytest.fixture(scope="module")
def examples():
    return [Example(row["id"], tuple(row["segments"]), row["label"]) for row in read_rows(FOLDER / "openattack_texts.jsonl")]


@pytest.mark.parametrize("name", ATTACKS)
def test_every_text_and_every_count(name, victim, script, masked_lm, examples):
    rows = read_rows(FOLDER / f"openattack_{name}.jsonl")
    expected = {row["id"]: (row["adversarial"], row["queries"]) for row in rows if row["victim"] == victim.name}
    assert len(expected) == len(examples) == script.TEXTS
    found = {a.id: (a.adversarial and join(a.adversarial), a.queries)
             for a in run(ATTACKS[name](variant="bodega"), victim, examples, domain="sample", seed=script.SEED,
                          masked_lm=masked_lm)}
    assert found == expected


def test_rows_of_both_kinds(script, examples):
    """Rows that are all failures, or all one kind of text, would prove little."""
    assert {(len(e.segments), "\n" in e.segments[0]) for e in examples} == {(2, False), (1, True), (1, False)}
    for name in ATTACKS:
        rows = list(read_rows(FOLDER / f"openattack_{name}.jsonl"))
        for victim in ("bag", "tiny"):
            found = sum(row["adversarial"] is not None for row in rows if row["victim"] == victim)
            assert 5 <= found <= script.TEXTS - 5
