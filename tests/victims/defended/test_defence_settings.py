"""Several defences around one victim, and their record."""

from __future__ import annotations

import pytest

from hardtext.core import InputError
from hardtext.victims.defended.settings import Canonicalise, Output, Smooth, apply, from_record, to_record

ALL = {"output": Output(digits=1, per_minute=10), "canonicalise": Canonicalise(["unseen", "split"]),
       "smooth": Smooth(kind="mask", rate=0.5, copies=3, mask="<mask>", fixed=True)}


def test_texts_are_cleaned_then_masked_and_the_answer_is_coarse(rule):
    inner = rule(lambda text: "<mask>" in text)
    victim = apply(inner, ALL)
    assert victim.probabilities([("the bes\u200b t day of it",)]).tolist() == [[0, 1]]
    assert len(inner.asked) == 3 and all(sum(w == "<mask>" for w in text[0].split()) == 2 for text in inner.asked)
    assert all("\u200b" not in text[0] and len(text[0].split()) == 5 for text in inner.asked)
    assert victim.name == "rule" and apply(inner, {}) is inner


def test_every_set_of_defences_has_its_own_fingerprint(rule):
    sets = [{}, *({name: ALL[name]} for name in ALL), ALL]
    prints = [apply(rule(len), chosen).fingerprint for chosen in sets[1:]]
    assert len(set(prints)) == len(prints)


def test_the_record_gives_the_defences_back():
    assert from_record(to_record(ALL), "x") == ALL and from_record({}, "x") == {}


@pytest.mark.parametrize(("record", "words"), [
    ([], "expected settings by name"), ({"output": 3}, "expected settings by name"),
    ({"shield": {}}, "'shield' is not known to this version"), ({"output": {"volume": 1}}, "'output' is not known"),
    ({"output": {"digits": 9}}, "damaged settings of the defence 'output'"),
    ({"output": {"digits": "many"}}, "damaged settings of the defence 'output'"),
    ({"canonicalise": {"steps": 7}}, "damaged settings of the defence 'canonicalise'")])
def test_a_damaged_record_is_one_line(record, words):
    with pytest.raises(InputError, match=f"^here: .*{words}") as caught:
        from_record(record, "here")
    assert "\n" not in str(caught.value)
