import pytest

from hardtext.lexicon.intensifiers import DEFAULT, IN_CONTEXT, PUBLISHED


def test_the_published_list_has_the_34_words_of_the_notebooks():
    assert len(PUBLISHED) == 34
    assert {"absolutely", "very", "really", "barely", "hardly", "exclusively"} <= PUBLISHED


def test_the_default_list_only_strengthens():
    assert PUBLISHED - DEFAULT == {"barely", "hardly", "exclusively", "overwhelmingly", "unusually"}
    assert len(DEFAULT) > 3 * len(PUBLISHED)
    assert not DEFAULT & {"almost", "slightly", "somewhat", "kind", "less", "only", "just", "too", "not", "never"}
    assert not DEFAULT & IN_CONTEXT
    assert not (DEFAULT | IN_CONTEXT) & {"pretty", "quite", "unusually", "overwhelmingly"}


def test_words_are_single_and_lower_case():
    assert all(word.isascii() and word.isalpha() and word.islower() for word in DEFAULT | PUBLISHED | IN_CONTEXT)


def test_vader_boosters_that_strengthen_are_in_the_default_list():
    vader = pytest.importorskip("vaderSentiment.vaderSentiment")
    adverbs = {w for w, gain in vader.BOOSTER_DICT.items() if gain > 0 and w.endswith("ly")}
    assert adverbs and adverbs - DEFAULT == {"unusually"}
