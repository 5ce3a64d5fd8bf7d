import csv

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardtext.core import InputError
from hardtext.probes.base import Changed, ProbeSettings, Unchanged
from hardtext.probes.intensity import probe, published, sound

PAPER, NOTEBOOK = ("pants-fire", "false", "barely-true"), ("false", "barely-true", "half-true")


@pytest.mark.parametrize("before, after", [
    ("It is an absolutely false claim.", "It is a false claim."),
    ("She met a really old man.", "She met an old man."),
    ("Absolutely false claims spread.", "False claims spread."),
    ("A very, very bad idea.", "A bad idea."),
    ("“Totally wrong,” he said.", "“Wrong,” he said."),
    ("It is so expensive.", "It is expensive."),
    ("Spills are far more common.", "Spills are more common."),
    ("This is much better.", "This is better."),
    ("He varied greatly.", "He varied."),
    ("It is literally the worst.", "It is the worst."),
    ("Very, very, very few people vote.", "Few people vote."),
    ("He totally destroyed it.", "He destroyed it."),
    ("Totally wrong: it was wholly wrong, really bad.", "Totally wrong: it was wholly wrong, bad."),
    ("The  extremely rich   won.", "The  rich   won."),
    ("They strongly support it.", "They support it."),
    ("Very few people vote.", "Few people vote."),
    ("They, really, want it.", "They want it."),
    ("It will take literally years.", "It will take years."),
])
def test_sound_removes(before, after):
    assert sound(before).text == after


@pytest.mark.parametrize("text", [
    "He is the very man.", "I am not very happy.", "It doesnt really matter.", "They never really left.",
    "It is so bad that they left.",
    "so far", "He did very well.", "I like it very much.", "the very first meal", "Super Bowl tickets", "Uber pays more.",
    "How very odd!", "As very few know", "a pretty girl",
    "It is fully funded.", "especially in Ohio", "They did so.",
    "It is fully and completely false.", "He treats women horribly.", "Barely half voted.", "He spoke highly of her.",
    "They overwhelmingly support it.", "an unusually high number", "The odds are pretty high.", "It is quite likely.",
    "He literally said so.", "They are literally nailing it down.", "We completely funded the list.",
    "It was totally paid for.", "The bill totally bans guns.", "I really dont know.", "They really do not know.",
    "Taxes are lower now. They were much lower before.", "I get bigger crowds. I get far bigger crowds.",
    "absolutely", "https://so.example.com/very", "much-needed help", "and so on", "", " ", "Taxes are up."])
def test_sound_leaves_alone(text):
    assert isinstance(sound(text), Unchanged)


def test_what_and_why():
    assert sound("A very old, absolutely false claim.").what == "removed very, absolutely"
    assert sound("Very, very few people vote.").what == "removed Very, very"
    assert sound("Taxes are up.") == Unchanged("holds no intensifier")
    assert sound("the very man") == Unchanged("its intensifiers carry meaning")


@pytest.mark.parametrize("before, after", [
    ("It is  an absolutely false claim.", "It is an false claim."),  # no article mended, spaces joined
    ("Very old and very new", "old and new"),
    ("He barely won.", "He won."),
])
def test_published_removes(before, after):
    assert published(before).text == after


@pytest.mark.parametrize("text", ["Very old", "very, bad", "\"very old\"", "", "VERY old", "so bad"])
def test_published_needs_a_bare_lower_case_word(text):
    assert published(text) == Unchanged("holds no intensifier")


def test_published_counts_on_liar(shared_data):
    """29 test items hold an intensifier; 14 are fake under the notebooks' labels, 6 under the paper's (default quoting)."""
    with (shared_data / "liar" / "test.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    labels = [row[1] for row in rows if isinstance(published(row[2]), Changed)]
    assert len(rows) == 1267 and len(labels) == 29
    assert sum(label in NOTEBOOK for label in labels) == 14 and sum(label in PAPER for label in labels) == 6


def test_the_probe():
    made = probe(ProbeSettings())
    assert (made.name, made.expects, made.of) == ("intensity", "stay", "fake")
    assert made.change("a very old claim", 1) == made.change("a very old claim", 2) == Changed("an old claim", "removed very")
    assert probe(ProbeSettings(rules="published")).change("a very old claim", 1).text == "a old claim"
    with pytest.raises(InputError, match="probe.rules=loud: expected sound or published"):
        probe(ProbeSettings(rules="loud"))


PIECES = ["very", "absolutely ", "an ", " ", ", ", "so ", "old", ". ", "“", "-", "Really", "e\u0301", "\udc80", "\x00",
          "\U0001f600",
          "is ", "more", "\u202e", "\n", "far ", "10"]


@settings(max_examples=60)
@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join) | st.text(max_size=40))
def test_odd_texts(text):
    for rule in (sound, published):
        changed = rule(text)
        if isinstance(changed, Changed):
            assert len(changed.text) < len(text) and changed.what.startswith("removed ")
            assert "".join(changed.text.split()) != "".join(text.split())
        else:
            assert changed.why


def test_a_long_text():
    changed = sound("This is an extremely old claim. " * 300)
    assert changed.text == "This is an old claim. " * 300
