"""Canonicalisation: honest text of any script stays, tampering is undone, and doing it twice changes nothing."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hardtext.lexicon import homoglyphs
from hardtext.lexicon.canonical import STEPS, Canonicaliser, compatible, seen

LINES = (Path(__file__).parent / "multilingual.txt").read_text(encoding="utf-8").splitlines()
WORD_WITH = dict(zip("abcdefghijklmnopqrstuvwxyz", (
    "water public because under people after government other citizen project market police company country money people "
    "request report system water country government power taxes money citizen").split()))


@pytest.fixture(scope="module")
def canonical() -> Canonicaliser:
    return Canonicaliser()


@pytest.mark.parametrize("line", LINES)
def test_honest_text_stays_as_it_is(canonical, line):
    assert canonical(line) == line


def test_only_compatible_latin_and_composition_change(canonical):
    assert canonical("Roses cost ３００ yen, or so says ＮＨＫ.") == "Roses cost 300 yen, or so says NHK."
    assert canonical("cafe\u0301 с и\u0306од") == "café с йод"


@pytest.mark.parametrize("letter", WORD_WITH)
def test_every_look_alike_within_a_word_is_put_back(canonical, letter):
    word = WORD_WITH[letter]
    left = {c for c in homoglyphs.of(letter)
            if canonical(f"The {word.replace(letter, c, 1)} of this is here.") != f"The {word} of this is here."}
    assert left <= {"ſ"}  # drawn like f, but a historical s


@pytest.mark.parametrize(("tampered", "meant"), [
    ("The gov\u200bern\u2060ment l\u00adied.", "The government lied."),
    ("Ꭲhe U.Ѕ. said the woman’ѕ wοrd is gοod.", "The U.S. said the woman’s word is good."),
    ("Bеyoncé is in the news with Trumρ.", "Beyoncé is in the news with Trump."),
    ("the \u202etnemnrevog\u202c said", "the government said"),
    ("th1s is n0t the m0ney", "this is not the money"),
    ("They siIently aIso teII the story, and lt is old.", "They silently also tell the story, and It is old."),
    ("the 1CE and the UNlON of this", "the ICE and the UNION of this"),
    ("the bes t pro found p o l l of the med ia", "the best profound poll of the media"),
    ("ᛁn the end ꓲt is Iegal, l’ve whеn lо ve", "In the end It is legal, I’ve when love"),
    ("the bes\u00a0t of them", "the best of them"),
    ("the AIR FO RCE of the country", "the AIR FORCE of the country"),
    ("the presi dent's men", "the president's men"),
    ("the goverment’s wonderfull pepole are with this", "the government’s wonderful people are with this"),
    ("The Goverment of the country", "The Government of the country"),
    ("e\u0301\u0302\u0303\u0304vil", "evil"),
    ("𝕥𝕙𝕖 ｎｅｗｓ of the day", "the news of the day"),
])
def test_tampering_is_undone(canonical, tampered, meant):
    assert canonical(tampered) == unicodedata.normalize("NFC", meant)


@pytest.mark.parametrize("text", [
    "See https://goverment.example/artcle?q=beleive and www.wonderfull.example for the rest of this.",
    "Write to jhon.smiht@exmaple.org or look at goverment.example for the rest.",
    "The #goverment and @wonderfull_man and read_artcle.py of the week",
    "THE GOVERMENT IS WONDERFULL and the NAOT too",  # somebody shouting, an acronym
    "Farage and Hina of the Zwiebel family",  # another first letter, or too far off
    "a part of the red hat, no one can not, in to the far away",
    "policy,holder and some w\nhere of the thing",
    "x∨y or h∪k is the sum of it, and 2l of milk for $5 in B2B",
])
def test_what_is_not_spelled_over(canonical, text):
    assert canonical(text) == text


def test_words_of_ones_own_are_known():
    text = "the brexiters and the awans of this"
    assert Canonicaliser()(text) != text
    assert Canonicaliser(["Brexiters", "awans"])(text) == text
    assert Canonicaliser(["awans"])("the aw ans of this") == "the awans of this"


def test_steps_are_taken_one_by_one():
    text = "the \u200bgоvеrnment ｓaid the bes t wonderfull thing"
    alone = {step: Canonicaliser(steps=[step])(text) for step in STEPS}
    assert alone == {
        "unseen": "the gоvеrnment ｓaid the bes t wonderfull thing",
        "compatible": "the \u200bgоvеrnment said the bes t wonderfull thing",
        "lookalikes": "the \u200bgovernment said the bes t wonderfull thing",
        "split": "the \u200bgоvеrnment ｓaid the best wonderfull thing",
        "spelling": "the \u200bgоvеrnment ｓaid the bes t wonderful thing"}
    assert Canonicaliser(steps=reversed(STEPS)).steps == STEPS


ALPHABET = st.one_of(
    st.characters(),
    st.sampled_from("aeI1l|$0’' \n\u200b\u200c\u200d\u202e\u202c\u200f\ufe0f\u0301аеосіαоνͺ∪⍳🏴👩1️⃣א"),
    st.sampled_from([g for letter in "aeiosv" for g in homoglyphs.of(letter)]))
PIECES = st.sampled_from(
    "the of go vern ment goverment bes t p o l l wonderfull med ia Trump NAT O аnd siIent th1s lt".split())


@hypothesis_settings(max_examples=400)
@given(st.one_of(st.text(ALPHABET, max_size=40), st.lists(PIECES, max_size=12).map(" ".join)))
@example("")
@example("\ud800 \x00")
@example("👩\u200d")
@example("\u202e\u202e ab\u202c cd")
def test_twice_is_once(canonical, text):
    once = canonical(text)
    assert canonical(once) == once


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800" * 3, "\u0301" * 50, "!!!", "🔥", "of t " * 10_000,
                                  "\u202e" * 2_000])
def test_odd_text_is_read(canonical, text):
    assert isinstance(canonical(text), str)


def test_unseen_characters_stay_where_they_are_seen():
    for text in ("👩\u200d👧", "می\u200cخواهم", "क्\u200dष", "❤\ufe0f", "1\ufe0f\u20e3", "abc \u200fשלום\u200f",
                 "🏴\U000e0067\U000e0062\U000e007f", "ល្អ\u200bណាស់", "ᠠ\u180b"):
        assert seen(text) == text
    for text in ("a\u200db", "а\u200cб", "a\ufe0fb", "x\U000e0061y", "a\u200fb", "a\u200b b"):
        assert seen(text) == homoglyphs.UNSEEN.sub("", text)


def test_signs_that_tokenizers_know_stay():
    assert compatible("… ½ ™ № ² H₂O ℃ ﷼ カ ｶ ำ ㅋㅋ ， “”") == "… ½ ™ № ² H₂O ℃ ﷼ カ ｶ ำ ㅋㅋ ， “”"
    assert compatible("ﬁ Ⅳ ⓐ １ 𝐛 ℎ") == "fi IV a 1 b h"
