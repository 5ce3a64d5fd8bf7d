"""Occlusion: the answer to the text less the answer without a word."""

from __future__ import annotations

from collections.abc import Sequence

from hardtext.core import Segments, Victim
from hardtext.saliency.base import Attribution, characters_read, read_words
from hardtext.saliency.removal import removal


def occlusion(victim: Victim, texts: Sequence[Segments], target: Sequence[int],
              batch_tokens: int | None = None) -> list[Attribution]:
    """See ``attribute.explain``. The pieces are words and marks; special pieces are never taken away (``special`` 0)."""
    read = characters_read(victim, texts)
    words = [read_words(text, n) for text, n in zip(texts, read, strict=True)]
    variants = [(i, removed) for i, own in enumerate(words) for removed in [(), *((w,) for w in range(len(own)))]]
    found = removal(victim, batch_tokens).logits(texts, words, variants)
    attributions, done = [], 0
    for text, t, n, own in zip(texts, target, read, words, strict=True):
        whole, *without = found[done : done + len(own) + 1, t].tolist()
        done += len(own) + 1
        pieces = tuple((word.segment, word.start, word.end, whole - answer)
                       for word, answer in zip(own, without, strict=True))
        attributions.append(Attribution(text, int(t), pieces, 0.0, n))
    return attributions
