"""The packaged WordNet table, and the scripts' reader it is made with."""

from __future__ import annotations

import gzip
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from hardtext.lexicon import wordnet
from hardtext.lexicon.wordnet import Reading

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path("/usr/share/wordnet")


@pytest.mark.parametrize("word, first", [
    ("senator", []),  # alone in its meaning
    ("president", ["chairman", "chairwoman", "chair", "chairperson", "prexy"]),
    ("purchased", ["bought"]),
    ("lies", ["dwells", "consists", "prevarications", "rests"]),  # the verb was tagged more often than the noun
    ("credible", ["believable"]),
    ("happier", ["gladder"]),  # no "felicitouser"
    ("children", ["kids", "youngsters", "minors", "shavers", "nippers", "tiddlers", "tikes", "tykes",
                  "fries", "nestlings", "babies"]),
])
def test_synonyms_by_hand(word, first):
    assert wordnet.synonyms(word)[: len(first) or None] == first


def test_synonyms_keep_the_form_and_leave_out_the_word_and_its_lemma():
    assert {"dwelt", "rested"} <= set(wordnet.synonyms("lied"))
    for word in ("lied", "good", "said", "bigger", "left", "is", "fake"):
        found = wordnet.synonyms(word)
        own = {r.lemma for r in wordnet.readings(word)} | {word}
        assert not own & set(found) and len(found) == len(set(found))
        assert all(w == w.lower() and "_" not in w for w in found)


def test_synonyms_of_one_part_of_speech():
    assert wordnet.synonyms("lies", "n") == ["prevarications"]
    assert "prevarications" not in wordnet.synonyms("lies", "v")
    assert wordnet.synonyms("senator", "v") == []


def test_the_caller_may_change_what_it_gets():
    wordnet.synonyms("credible").clear()
    assert wordnet.synonyms("credible") == ["believable"]
    assert wordnet.synonyms("Credible") == wordnet.synonyms("CREDIBLE") == ["believable"]


@pytest.mark.parametrize("word, opposite", [
    ("good", "bad"), ("bad", "good"), ("good", "evil"), ("rose", "fell"), ("humid", "dry"), ("credible", "incredible"),
    ("increase", "decrease"), ("increases", "decreased"), ("true", "false"), ("quickly", "slowly"),
    ("men", "women"),
])
def test_antonyms_in_every_form(word, opposite):
    assert opposite in wordnet.antonyms(word)


def test_antonyms_are_no_synonyms():
    assert "big" not in wordnet.antonyms("large") and "believable" not in wordnet.antonyms("credible")
    assert wordnet.antonyms("senator") == frozenset()


@pytest.mark.parametrize("word, expected", [
    ("lied", {Reading("lie", "v", "past"), Reading("lie", "v", "participle"), Reading("lied", "n", "base")}),
    ("senator", {Reading("senator", "n", "base")}),
    ("senators", {Reading("senator", "n", "plural")}),
    ("stopped", {Reading("stop", "v", "past"), Reading("stop", "v", "participle"), Reading("stopped", "a", "base")}),
    ("Bigger", {Reading("bigger", "a", "base"), Reading("big", "a", "comparative"), Reading("big", "r", "comparative")}),
    ("is", {Reading("be", "v", "third")}),
])
def test_readings_by_hand(word, expected):
    assert set(wordnet.readings(word)) == expected


@pytest.mark.parametrize("word", [
    "", "   ", "!!!", "🔥", "U.S.", "don't", "3.5", "1990s", "the", "zzzqx", "new_york", "\ud800", "e\u0301", "שלום",
    "antidisestablishmentarianistically", "a" * 100_000, "a\tn 1", "\n",
])
def test_unknown_words_have_nothing(word):
    assert not wordnet.known(word) and wordnet.readings(word) == [] and wordnet.synonyms(word) == []
    assert wordnet.antonyms(word) == frozenset() and not wordnet.same_form(word, word)


def test_same_form():
    assert wordnet.same_form("lied", "walked") and wordnet.same_form("senator", "voter")
    assert not wordnet.same_form("argued", "arguing") and not wordnet.same_form("senators", "voter")
    assert not wordnet.same_form("senator", "zzzqx")


@pytest.mark.parametrize("lemma, pos, form, expected", [
    ("deny", "v", "past", ["denied"]), ("take", "v", "third", ["takes"]), ("cut", "v", "past", ["cut"]),
    ("stop", "v", "ing", ["stopping"]), ("child", "n", "plural", ["children"]), ("church", "n", "plural", ["churches"]),
    ("large", "a", "superlative", ["largest"]), ("happy", "a", "comparative", ["happier"]),
    ("credible", "a", "comparative", []), ("good", "a", "base", ["good"]), ("good", "r", "comparative", ["better"]),
])
def test_inflect_by_hand(lemma, pos, form, expected):
    assert wordnet.inflect(lemma, pos, form) == expected


def test_regular_forms_beside_irregular_ones():
    assert set(wordnet.inflect("lie", "v", "past")) == {"lied", "lay", "lain"}


def test_lemma_names_are_those_of_wordnets_usual_readers():
    # as nltk 3.10.4 lists them over the same files, phrases left out
    assert wordnet.lemma_names("senators") == ("senator",)
    assert wordnet.lemma_names("credible") == ("credible", "believable", "credible", "credible")
    assert wordnet.lemma_names("Iran") == ("Iran", "Persia")  # its own capitals
    assert "America" in wordnet.lemma_names("U.S.")
    assert wordnet.lemma_names("zzzqx") == wordnet.lemma_names("") == ()


def test_order_does_not_depend_on_the_hash_seed():
    code = ("from hardtext.lexicon import wordnet as w\n"
            "print([(w.synonyms(x), w.readings(x), w.lemma_names(x)) for x in ('good', 'left', 'said', 'fake', 'lies')])")
    answers = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60,
                              env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "src")}).stdout for seed in ("1", "2")}
    assert len(answers) == 1


def test_the_licence_comes_with_the_table():
    notice = (wordnet.TABLE.parent / "WORDNET_LICENCE.txt").read_text("utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in notice and "AS IS" in notice


@pytest.mark.skipif(not (SOURCE / "data.noun").is_file(), reason="wordnet-base is not installed")
def test_the_table_is_what_its_script_writes(tmp_path):
    subprocess.run([sys.executable, str(ROOT / "scripts" / "wordnet_table.py"), "--output", str(tmp_path)],
                   check=True, capture_output=True, timeout=120)
    made = tmp_path / "wordnet.txt.gz"
    assert gzip.decompress(made.read_bytes()) == gzip.decompress(wordnet.TABLE.read_bytes())
    assert made.read_bytes()[4:8] == b"\0\0\0\0"  # no time in the header: the same files give the same bytes


@pytest.mark.skipif(not (SOURCE / "data.noun").is_file(), reason="wordnet-base is not installed")
def test_the_table_agrees_with_the_files():
    spec = importlib.util.spec_from_file_location("wordnet_files", ROOT / "scripts" / "wordnet.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look up their module
    spec.loader.exec_module(module)
    full, table = module.WordNet(), wordnet.table()
    for lemma, pos in full.lemmas()[::37]:
        if "_" not in lemma:
            expected = [([n for n in s.names if "_" not in n], sorted(a for a in full.antonyms(s, lemma) if "_" not in a), c)
                        for s, c in full.senses(lemma, pos)]
            assert [tuple(s) for s in table.senses(lemma, pos)] == expected
