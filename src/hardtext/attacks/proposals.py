"""What the masked LM would put in the place of words, from one pass over each unmasked segment."""

from __future__ import annotations

from collections.abc import Collection, Generator

from hardtext import text
from hardtext.attacks.requests import Answered, Proposals, Propose
from hardtext.core import Segments


def proposed(segments: Segments, wanted: Collection[text.Word],
             k: int) -> Generator[Propose, Proposals, dict[text.Word, list[Answered]]]:
    """The best ``k`` pieces for each word of ``wanted``, in reading order; an empty list for a word of several pieces or
    behind the masked LM's window."""
    found: dict[text.Word, list[Answered]] = {}
    everything, asked = text.words(segments), frozenset(wanted)
    for segment in range(len(segments)):
        here = [w for w in everything if w.segment == segment]
        places = tuple(i for i, w in enumerate(here) if w in asked)
        if places:
            answer = yield Propose(tuple(w.text for w in here), k, places, whole=True)
            found.update((here[i], answer[i]) for i in places)
    return found
