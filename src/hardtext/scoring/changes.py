"""How many words an attack changed. Pure functions."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from hardtext import text
from hardtext.core import Segments


def changed_words(original: Segments, adversarial: Segments) -> int:
    """The least number of words and marks to replace, insert or delete, segment by segment.

    >>> changed_words(("the cat sat",), ("oh the cat sat",))
    1
    """
    return sum(Levenshtein.distance([w.text for w in text.words(old)], [w.text for w in text.words(new)])
               for old, new in zip(original, adversarial, strict=True))


def changed_share(original: Segments, adversarial: Segments) -> float:
    """``changed_words`` of the words and marks in the longer of the two texts: 0 to 1; 0 for two texts without any.

    >>> changed_share(("a b c d",), ("a x c d",)), changed_share(("a b c d",), ("w x y z",))
    (0.25, 1.0)
    """
    longer = max(len(text.words(original)), len(text.words(adversarial)))
    return changed_words(original, adversarial) / longer if longer else 0.0
