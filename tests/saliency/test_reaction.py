"""Margins without each word, against asking for every shortened text by hand."""

from __future__ import annotations

import numpy as np
import pytest

from hardtext.saliency.reaction import reactions


class Votes:
    """Three classes: so many logits each as its words stand in the text."""

    name, classes, fingerprint = "votes", ("a", "b", "c"), "votes"

    def probabilities(self, texts):
        counts = np.array([[" ".join(text).split().count(name) for name in self.classes] for text in texts], float)
        powers = np.exp(counts)
        return powers / powers.sum(axis=1, keepdims=True)


def odds(text: str, answer: int) -> float:
    (row,) = Votes().probabilities([(text,)])
    logits = np.log(row) - np.log1p(-row)
    return logits[answer] - np.delete(logits, answer).max()


def test_margins_are_those_of_the_shortened_texts():
    first, second, empty = reactions(Votes(), [("a a b",), ("c", "b c"), ("",)])
    assert first.margin == pytest.approx(odds("a a b", 0)) and second.margin == pytest.approx(odds("c b c", 2))
    assert first.without == pytest.approx([odds("a b", 0), odds("a b", 0), odds("a a", 0)])
    assert second.without == pytest.approx([odds("b c", 2), odds("c c", 2), odds("c b", 2)])
    assert [w.text for w in second.words] == ["c", "b", "c"] and second.words[1].segment == 1
    assert empty.words == () and empty.margin == pytest.approx(0) and empty.without.shape == (0,)
    assert reactions(Votes(), []) == []


def test_a_net_is_asked_for_its_logits(victim, texts):
    """The pieces of a word give way to a blank one; padding by longer texts moves nothing."""
    for text, one in zip(texts, reactions(victim, texts), strict=True):
        (alone,) = reactions(victim, [text])
        assert one.margin >= 0 and alone.margin == pytest.approx(one.margin, abs=1e-4)
        assert alone.without == pytest.approx(one.without, abs=1e-4) and len(one.words) == len(one.without)
        first, second = victim.probabilities([text])[0]
        assert one.margin == pytest.approx(abs(np.log(first / second)), abs=1e-3)
