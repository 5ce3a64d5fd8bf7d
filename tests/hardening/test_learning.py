"""What defences take from the training texts."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hardtext.attacks.vectors import load_vectors
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
    counts, vectors = Counter({"government": 9, "said": 8, "brutal": 5, "savage": 1, "angry": 3, "irate": 1}), load_vectors()
    settings = Encode()
    table = codes(settings, counts)
    assert table["savage"] == "brutal" and table["regime"] == "government"
    for word in ("savage", "stated", "told", "regime"):
        code = table[word]
        assert table.get(code) is None  # what it is read as stands for itself
        near = {*(w for w, c in vectors.neighbours(word, 10) if c >= vectors.threshold), *wordnet.synonyms(word)}
        back = {*(w for w, c in vectors.neighbours(code, 10) if c >= vectors.threshold), *wordnet.synonyms(code)}
        assert code in near or word in back
    assert len(table) > len(codes(Encode(wordnet=False), counts)) > 1000


def test_settings_say_what_a_synonym_is(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text("brutal 1 0 0\nsavage 0.9 0.4 0\ncruel 0.6 0.8 0\nkind 0 0 1\n")
    counts = Counter({"brutal": 5, "savage": 2})

    def read(**settings):
        return codes(Encode(vectors=str(file), wordnet=False, **settings), counts)

    assert read() == {"savage": "brutal", "cruel": "brutal"} and read(cosine=0.9) == {"savage": "brutal"}
    assert read(neighbours=1) == {"savage": "brutal"}  # cruel's is savage, which does not stand for itself
    assert read(neighbours=1, chains=True) == {"savage": "brutal", "cruel": "brutal"}


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
    assert stand_ins(HardeningSettings(encode=Encode())) == [
        "encode: counter-fitted MiniLM word vectors in place of Mrkšić et al.'s"]
    assert stand_ins(HardeningSettings(encode=Encode(vectors="vectors.txt"))) == stand_ins(HardeningSettings()) == []
