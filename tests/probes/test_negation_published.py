"""The notebooks' negation: their counts on LIAR, and their artefacts."""

from __future__ import annotations

from collections import Counter

import pytest

from hardtext.domains.liar import Liar2Domain
from hardtext.probes.base import Changed, ProbeSettings, Unchanged
from hardtext.probes.negation import probe

PUBLISHED = probe(ProbeSettings(rules="published"))


def test_negatable_items_of_liar(shared_data):
    corpus = Liar2Domain(path=str(shared_data / "liar"), quoting="default").load(shared_data, 0)
    changed = [[c for c in (PUBLISHED.change(e.segments[-1], 0) for e in split) if isinstance(c, Changed)]
               for split in (corpus.train, corpus.dev, corpus.attack)]
    assert [len(split) for split in changed] == [4190, 496, 521]
    assert Counter(c.what for c in changed[2])["is -> is not"] == 319


@pytest.mark.parametrize("text, changed", [
    ("this is a test", "this not is not a test"),
    ("history is here", "history is not here"),
    ("he has lived", "he does not have lived"),
    ("shouldered", "should notered"),
    ("They did not go", "they didgo"),
    ("It isn’t so. It is.", "it is so. it is."),
    ("It isn't so, it isn't.", "it is so, it is."),
    ("He is not here", "he is here"),
    ("They didn't go", "they did go"),
    ("They doesn't have it", "they has it"),
    ("Trump shouldn\\'t go", "trump should go"),
    ("You can go", "you cannot go"), ("You can't go", "you can go"), ("You cannot go", "you can go"),
    ("They would not go", "they would go"), ("They must go", "they must not go"),
    ("He does not try, she does not go", "he tries, she does not go"),
    ("He doesn't pass", "he passes"), ("He doesn't say", "he says"), ("He doesn't go", "he goes"),
])
def test_first_rule_that_occurs_replaced_everywhere(text, changed):
    assert PUBLISHED.change(text, 0).text == changed


@pytest.mark.parametrize("text", ["They know the answer", "Republican gains", "", "😀"])
def test_no_rule(text):
    assert PUBLISHED.change(text, 0) == Unchanged("no published rule applies")
