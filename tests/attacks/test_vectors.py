"""Word vectors: look-ups by hand on a small set, files, and what the bundled set must do."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy
import pytest

from hardtext.attacks import vectors as module
from hardtext.attacks.vectors import Vectors, load_vectors
from hardtext.core import InputError

SMALL = Vectors(["good", "fine", "bad", "nice", "Iran"], [[2, 0], [1, 1], [-3, 0], [3, 3], [0, 5]], "small", 0.5)


def test_neighbours_by_hand():
    root = round(math.sqrt(0.5), 6)
    assert SMALL.neighbours("good", 4) == [("fine", root), ("nice", root), ("Iran", 0.0), ("bad", -1.0)]  # a tie: set order
    assert SMALL.neighbours("good", 1) == [("fine", root)]  # after a longer list was asked, and before a longer one
    assert SMALL.neighbours("good", 99) == SMALL.neighbours("good", 4)
    assert SMALL.neighbours("good", 0) == []


def test_cosine_by_hand():
    assert SMALL.cosine("good", "bad") == -1.0 and SMALL.cosine("good", "good") == 1.0
    assert SMALL.cosine("fine", "nice") == 1.0 and SMALL.cosine("good", "Iran") == 0.0


def test_words_without_a_vector():
    for word in ("", "zzzqx", "🔥", "\ud800", "good fine", "a" * 100_000):
        assert SMALL.neighbours(word, 5) == [] and SMALL.cosine(word, "good") is None
        assert SMALL.cosine("good", word) is None and word not in SMALL


def test_words_are_found_in_any_case():
    assert SMALL.neighbours("GOOD", 2) == SMALL.neighbours("good", 2) and "Good" in SMALL
    assert SMALL.cosine("Iran", "iran") is None  # written so in the set, and the set has no other


def test_a_zero_vector_is_near_nothing():
    zero = Vectors(["a", "b"], [[0, 0], [1, 0]], "zero", 0.5)
    assert zero.cosine("a", "b") == 0.0 and zero.neighbours("b", 1) == [("a", 0.0)]


def test_a_file_in_the_published_format(tmp_path):
    file = tmp_path / "counter-fitted-vectors.txt"
    file.write_text("good 2 0\nfine 1.0 1e0\nbad -3 0\ngood 9 9\n", "utf-8")
    found = load_vectors(str(file))
    assert found.words == ("good", "fine", "bad") and found.name == file.name  # the first of two rows counts
    assert found.threshold == 0.5 and found.stand_in == ""  # the file is what it is
    assert found.neighbours("good", 1) == [("fine", round(math.sqrt(0.5), 6))]


def test_a_leading_count_is_skipped(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text("2 3\ngood 1 0 0\nbad 0 1 0\n", "utf-8")
    assert load_vectors(str(file)).words == ("good", "bad")


@pytest.mark.parametrize("content, words", [
    (b"", "the file is empty"),
    (b"2 3\n", "the file is empty"),
    (b"good 1 2\nbad 1\n", "line 2 has 1 numbers where the lines before have 2"),
    (b"good 1 2\nbad 1 2 3\n", "line 2 has 3 numbers where the lines before have 2"),
    (b"good 1 2\n\nbad 1 2\n", "line 2: expected a word and its numbers"),
    (b"good\nbad\n", "line 1: expected a word and its numbers"),
    (b"good one two\n", "line 1: expected a word and its numbers"),
    (b"good 1 nan\n", "line 1: expected a word and its numbers"),
    (b"good 1 inf\n", "line 1: expected a word and its numbers"),
    (b"good\t1\t2\n", "line 1: expected a word and its numbers"),
    (b"\xff\xfe\x00", "not a text file in UTF-8"),
])
def test_a_wrong_file_is_refused_in_one_line(tmp_path, content, words):
    file = tmp_path / "wrong.txt"
    file.write_bytes(content)
    with pytest.raises(InputError, match=words) as refused:
        load_vectors(str(file), option="attack.vectors")
    assert str(refused.value).startswith(f"attack.vectors={file}: ") and "\n" not in str(refused.value)


def test_a_missing_file_or_a_folder_is_refused(tmp_path):
    for source in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(InputError, match="attack.vectors=.*: no such file; expected bundled, or a text file"):
            load_vectors(str(source))


# The bundled set.


def test_bundled_set():
    found = load_vectors("bundled")
    assert found is load_vectors("bundled") and found.name == "bundled" and "in place of" in found.stand_in
    assert 20_000 <= len(found.words) == len(set(found.words)) and found.threshold == module.THRESHOLD
    assert all(w.isascii() and w.isalpha() and w.islower() for w in found.words)
    assert module.BUNDLED.stat().st_size < 4_000_000


@pytest.mark.parametrize("word, synonym, antonym", [
    ("cheap", "inexpensive", "expensive"), ("fake", "bogus", "genuine"), ("increase", "gain", "decrease"),
    ("large", "big", "small"), ("hard", "difficult", "easy"), ("rich", "wealthy", "poor"), ("rose", "climbed", "fell"),
])
def test_bundled_synonyms_are_near_and_antonyms_are_not(word, synonym, antonym):
    found = load_vectors("bundled")
    assert found.cosine(word, synonym) > found.threshold > found.cosine(word, antonym)
    assert antonym not in [n for n, _ in found.neighbours(word, 50)]


def test_bundled_report_is_of_this_set():
    report = json.loads((module.BUNDLED.parent / "vectors.json").read_text("utf-8"))
    found = load_vectors("bundled")
    assert report["words"] == len(found.words)
    assert report["threshold"]["value"] == found.threshold
    assert report["after"]["synonyms in 10"] > report["before"]["synonyms in 10"]
    assert report["after"]["antonyms in 10"] < report["before"]["antonyms in 10"]


def test_bundled_neighbours_are_ordered_and_exact():
    found = load_vectors("bundled")
    near = found.neighbours("senator", 50)
    assert len(near) == 50 and "senator" not in [w for w, _ in near]
    assert [c for _, c in near] == sorted((c for _, c in near), reverse=True)
    assert all(found.cosine("senator", w) == c for w, c in near)
    reordered = Vectors(found.words, numpy.asfortranarray(found._matrix), "again", 0.5)
    assert reordered.neighbours("senator", 50) == near


def test_loading_needs_no_torch():
    code = ("import sys; from hardtext.attacks.vectors import load_vectors; load_vectors('bundled').neighbours('good', 5)\n"
            "print([m for m in ('torch', 'transformers', 'sklearn') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_looking_up_all_at_once_gives_what_one_by_one_gives():
    numbers = numpy.random.default_rng(0).integers(-20, 20, (700, 8))
    numbers[10:40] = numbers[9]  # many ties
    words = [f"w{i}" for i in range(700)]
    one, all_at_once = (Vectors(words, numbers, "v", 0.5) for _ in range(2))
    all_at_once.look_up(12)
    assert all(one.neighbours(word, 12) == all_at_once._nearest[word] for word in words)
