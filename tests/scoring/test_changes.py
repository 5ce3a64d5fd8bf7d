from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hardtext import text
from hardtext.scoring.changes import changed_share, changed_words


def test_hand_worked():
    assert changed_share(("a b c d",), ("w x y z",)) == 1.0
    assert changed_share(("a b c d",), ("a x c d",)) == 0.25
    assert changed_words(("the cat sat",), ("oh the cat sat",)) == 1
    assert changed_words(("a b", "c d"), ("a x", "c d e")) == 2
    assert changed_share(("",), ("",)) == 0.0
    assert changed_share(("",), ("new",)) == 1.0


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_distance(a, b):
    share = changed_share((a,), (b,))
    assert 0 <= share <= 1 and share == changed_share((b,), (a,))
    assert (share == 0) == ([w.text for w in text.words(a)] == [w.text for w in text.words(b)])
