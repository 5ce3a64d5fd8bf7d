"""What defences take from the training texts."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hardtext.hardening.learning import codes, learnt, stand_ins
from hardtext.hardening.settings import Augment, HardeningSettings
from hardtext.lexicon import wordnet
from hardtext.lexicon.encoding import Encoder, encodable, encoding
from hardtext.victims.defended.settings import Canonicalise, Encode, Output

TEXTS = [("Savage rulers told brutal lies", "zorgs"), ("The zorgs said: brutal, brutal!",), ("",)]


def test_each_defence_takes_its_own():
    found = learnt(HardeningSettings(canonicalise=Canonicalise(), encode=Encode(), output=Output()), TEXTS)
    assert list(found) == ["canonicalise", "encode"]
    assert found["canonicalise"] == ["brutal", "zorgs"]
    assert {"savage brutal", "stated said"} & set(found["encode"])
    assert found["encode"] == sorted(found["encode"]) and not any(line.startswith("brutal ") for line in found["encode"])


def test_nothing_is_taken_for_defences_that_rewrite_nothing():
    def never():
        raise RuntimeError("the texts are not read")
        yield

    assert learnt(HardeningSettings(output=Output(), augment=Augment()), never()) == {}


def test_without_chains_words_are_only_read_as_words_they_are_synonyms_of():
    counts = Counter({"government": 9, "said": 8, "brutal": 5, "savage": 1, "angry": 3, "irate": 1})
    table = codes(Encode(), counts, set())
    assert table["savage"] == "brutal" and table["regime"] == "government" and len(table) > 10_000
    for word in ("savage", "stated", "told", "regime"):
        code = table[word]
        assert table.get(code) is None  # what it is read as stands for itself
        assert code in wordnet.synonyms(word) or word in wordnet.synonyms(code)
    assert len(codes(Encode(chains=True), counts, set())) > len(table)


def test_names_numbers_dates_and_opposites_are_told_apart():
    """Whoever reads them as one word misses what a false claim is about."""
    texts = [("Democrats and Republicans met in Iran.", "Savage democrats, brutal republicans: Iran, Israel. Iraq")] * 3
    for settings in (Encode(), Encode(vectors="bundled")):
        more = [("a brutal, savage, rich and poor lie",)] * 9
        lines = learnt(HardeningSettings(encode=settings), [*texts, *more])["encode"]
        read = Encoder(dict(line.split() for line in lines))
        assert read("a savage lie") == read("a brutal lie")
        for one, other in (("Iran", "Israel"), ("million", "billion"), ("July", "August"), ("rich", "poor"),
                           ("never", "ne'er"), ("Monday", "Tuesday"), ("three", "four"), ("Republicans", "Iran")):
            assert read(one) != read(other), (one, other)


def test_settings_say_what_a_synonym_is(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text("brutal 1 0 0\nsavage 0.9 0.4 0\ncruel 0.6 0.8 0\nkind 0 0 1\n")
    counts = Counter({"brutal": 5, "savage": 2})

    def read(**settings):
        return codes(Encode(vectors=str(file), **settings), counts, set())

    assert read() == {"savage": "brutal", "cruel": "brutal"} and read(cosine=0.9) == {"savage": "brutal"}
    assert read(neighbours=1) == {"savage": "brutal"}  # cruel's is savage, which does not stand for itself
    assert read(neighbours=1, chains=True) == {"savage": "brutal", "cruel": "brutal"}
    assert codes(Encode(vectors=str(file)), counts, {"savage"}) == {"cruel": "brutal"}


WORDS = st.lists(st.sampled_from(["aaa", "bbb", "ccc", "ddd", "eee", "the", "x9"]), max_size=8)


@given(WORDS, WORDS, st.dictionaries(st.sampled_from(["aaa", "bbb", "ccc", "ddd"]), WORDS), st.booleans())
def test_reading_twice_is_reading_once(training, others, synonyms, chains):
    table = encoding(Counter(training), others, lambda word: [(other, 0.5) for other in synonyms.get(word, ())], chains)
    assert all(table.get(code) is None and encodable(word) and encodable(code) for word, code in table.items())
    read = Encoder(table)
    text = " ".join(["Aaa", *training, *others, "— BBB!"])
    assert read(read(text)) == read(text)


@given(st.text())
def test_odd_text_is_read(text):
    read = Encoder({"hoax": "lie"})
    assert read(text + " hoax") == read(text) + " lie" or "hoax" in text.lower() or text[-1:].isalnum()


def test_the_stand_in_is_named():
    assert stand_ins(HardeningSettings(encode=Encode(vectors="bundled"))) == [
        "encode: counter-fitted MiniLM word vectors in place of Mrkšić et al.'s"]
    for settings in (HardeningSettings(encode=Encode(vectors="vectors.txt")), HardeningSettings(encode=Encode()),
                     HardeningSettings()):
        assert stand_ins(settings) == []
