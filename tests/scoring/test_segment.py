from __future__ import annotations

import sys
import time
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardtext.core import InputError
from hardtext.scoring import segment
from hardtext.scoring.segment import sentences


@pytest.mark.parametrize("expected", [
    ["One sentence"],
    ["It rained.", "It poured!", "Did it?", "It did…", "Good."],
    ["Mr. and Mrs. Smith met Dr. J. R. Brown.", "They talked."],
    ["He left the U.S. Senate in Jan. 2019.", "She stayed."],
    ["He lives in the U.S.", "The others left at 5 p.m.", "Nobody stayed."],
    ['He said: "Why not?" and left.', '"Because," she said, "it rained."', '"Really?!"', "He sighed."],
    ["She lives on Main St.", "The sun set over St. Louis.", "Many fell ill.", "Doctors came in Sept. 2020."],
    ["(It was late.)", "[He slept.]", "“So did she.”", "Then it rained."],
    ["It cost $3.5 million, i.e. 2.5% of no. 7 in Fig. 3.", "He said no.", "Then he left."],
    ["Visit www.example.com or mail a.b@c.org now.", "Thanks."],
    ["Wait... what is this?", "Wait...", "Then go."],
    ["1. First point.", "2. Second point."],
    ["The U . S . Constitution clearly states that .", "Saucier said so .", "Mr . Smith did not ."],
    ["🔥 It burns.", "🔥 Again."],
    ["«C'est vrai.»", "Ça va."],
])
def test_hand_worked_texts(expected):
    assert sentences(" ".join(expected)) == expected


def test_line_ends_separate_whatever_stands_there():
    assert sentences("A headline\nthe body starts. And\r\n\r\n goes on\u2028here") == [
        "A headline", "the body starts.", "And", "goes on", "here"]


@pytest.mark.parametrize("blank", ["", "   ", "\n \n"])
def test_blank_texts_have_no_sentences(blank):
    assert sentences(blank) == []


@given(st.text(alphabet=st.sampled_from("aB1 .!?…\n\"')(“”é\u0301🔥~,")) | st.text())
def test_nothing_but_white_space_is_lost(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
    assert all(sentence == sentence.strip() != "" for sentence in sentences(text))


@pytest.mark.parametrize("unit", [".", "! ", "A. ", '."', "x", "He said. ", '. “ ', "a.b.", "e.g. "])
def test_50000_characters_take_linear_time(unit):
    text = (unit * 50_000)[:50_000]
    start = time.process_time()
    sentences(text)
    assert time.process_time() - start < 2  # measured: at most 0.05 s; quadratic: minutes


# The one door


def test_published_rules_by_domain(monkeypatch):
    monkeypatch.setattr(segment, "lambo_installed", lambda: False)
    assert [segment.resolve("auto", d, pair=False) for d in ("pr", "rd", "hn", "kaggle")] == [
        "whole", "rules", "rules", "rules"]
    assert [segment.resolve("auto", d, pair=True) for d in ("fc", "c19", "sample")] == ["pair", "rules", "pair"]
    assert segment.stand_in("rules", "hn") == "sentences by 'rules' in place of 'lambo'"
    assert segment.stand_in("whole", "pr") == segment.stand_in("rules", "kaggle") == ""
    monkeypatch.setattr(segment, "lambo_installed", lambda: True)
    assert segment.resolve("auto", "hn", pair=False) == "lambo"
    assert segment.stand_in("lambo", "hn") == ""


def test_an_explicit_choice_is_kept():
    assert segment.resolve("whole", "fc", pair=True) == "whole"


def test_an_unknown_segmenter_is_refused_with_the_choices():
    with pytest.raises(InputError, match="segmenter=punkt: expected one of auto, whole, pair, rules, lambo"):
        segment.resolve("punkt", "pr", pair=False)


def test_a_pair_is_cut_at_every_tilde_parts_keep_their_spaces():
    cut = segment.segmenter("pair")
    assert cut(("evidence", "claim")) == ["evidence ", " claim"]
    assert cut(("about ~5 km", "claim")) == ["about ", "5 km ", " claim"]
    assert cut(("the separator is gone",)) == ["the separator is gone"]


def test_whole_keeps_the_joined_text():
    assert segment.segmenter("whole")(("One. Two.", "claim")) == ["One. Two. ~ claim"]


# LAMBO comes from its authors, not from the package index; these stand-ins only have its outer shape.


@pytest.fixture
def fake_lambo(tmp_path, monkeypatch):
    def make(get):
        package = tmp_path / "lambo"
        (package / "segmenter").mkdir(parents=True)
        for name in ("__init__.py", "segmenter/__init__.py"):
            (package / name).touch()
        (package / "segmenter" / "lambo.py").touch()
        monkeypatch.syspath_prepend(str(tmp_path))
        for name in ("lambo", "lambo.segmenter"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        module = types.ModuleType("lambo.segmenter.lambo")
        module.Lambo = types.SimpleNamespace(get=get)
        monkeypatch.setitem(sys.modules, "lambo.segmenter.lambo", module)
        segment._lambo.cache_clear()

    yield make
    segment._lambo.cache_clear()


def test_lambo_gives_all_sentences_of_all_turns(fake_lambo):
    def document(text):
        as_sentence = [types.SimpleNamespace(text=part) for part in text.split("/")]
        return types.SimpleNamespace(turns=[types.SimpleNamespace(sentences=as_sentence[:2]),
                                            types.SimpleNamespace(sentences=as_sentence[2:])])

    fake_lambo(lambda language: types.SimpleNamespace(segment=document))
    assert segment.lambo_installed()
    assert segment.segmenter("lambo")(("a/b/c",)) == ["a", "b", "c"]


def test_lambo_without_its_model_is_one_line(fake_lambo):
    def get(language):
        raise OSError("no network")

    fake_lambo(get)
    with pytest.raises(InputError, match=r"segmenter=lambo: .* \(no network\); use segmenter=rules"):
        segment.segmenter("lambo")(("a",))


def test_another_package_of_that_name_does_not_count(tmp_path, monkeypatch):
    (tmp_path / "lambo").mkdir()
    (tmp_path / "lambo" / "__init__.py").write_text("raise ImportError('must not be imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "lambo", raising=False)
    assert not segment.lambo_installed()
    with pytest.raises(InputError, match="not installed"):
        segment.resolve("lambo", "hn", pair=False)
