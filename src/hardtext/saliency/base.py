"""What a saliency method says: how much each piece of a text adds to the victim's answer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from hardtext.core import Piece, Segments, Span, Transparent, Victim, Windowed
from hardtext.text import Word, words

METHODS = ("gradient_x_input", "integrated_gradients", "occlusion")
MOST_STEPS = 10_000  # of integrated gradients: a text of 100 pieces then takes minutes; more adds nothing in float32


@dataclass
class SaliencySettings:
    """``task=saliency saliency.target=… ``: what is explained and how well it is looked at."""

    target: str = "positive"  # whose logit: positive (the non-credible class), predicted, label, or a class's name
    steps: int = 50  # integrated gradients: points of the integral, 1 to 10,000
    checks: bool = True  # comprehensiveness and sufficiency (they ask the victim again), completeness
    lexicon: str = "default"  # adverb view: the intensifiers of probe=intensity, default or published
    min_count: int = 2  # corpus view: words of fewer texts are left out of the extremes
    attempts: Optional[str] = None  # an attack's folder: did it change the words the victim relied on?


@dataclass(frozen=True, slots=True)
class Attribution:
    """How much each piece of one text adds to the logit of class ``target``.

    ``pieces`` are the sub-words the victim read, in reading order; ``special`` is the sum over the pieces that stand for no
    characters ([CLS], [SEP]). ``read`` says how many characters of each segment the victim reads (less than all of them
    where the text was truncated). ``gap``: of integrated gradients, |sum of all values − (logit of the text − logit of the
    baseline)| as a share of |logit of the text − logit of the baseline|, and 0 where the two differ by less than 1e-5, which
    is rounding; infinite where only the logits are equal, None for other methods. Of occlusion the pieces are whole words
    and marks, and ``special`` is 0.
    """

    segments: Segments
    target: int
    pieces: tuple[Piece, ...]
    special: float
    read: tuple[int, ...]
    gap: float | None = None

    @property
    def truncated(self) -> bool:
        return any(n < len(segment.rstrip()) for n, segment in zip(self.read, self.segments))

    def words(self) -> tuple[Piece, ...]:
        """Sub-word values summed to the words and marks of ``text.words``, by character offsets, in reading order.

        Words the victim did not read are left out; which words a piece belongs to, see ``owners``.
        """
        found = read_words(self.segments, self.read)
        sums = [0.0] * len(found)
        for (*_, value), shares in zip(self.pieces, owners([piece[:3] for piece in self.pieces], found), strict=True):
            for word, share in shares:
                sums[word] += share * value
        return tuple((word.segment, word.start, word.end, value) for word, value in zip(found, sums, strict=True))


def owners(spans: Sequence[Span | None], words: Sequence[Word]) -> list[list[tuple[int, float]]]:
    """For each piece, the words it belongs to and its share in each, by the number of its characters in each.

    A piece without any character of a word (some tokenizers mark the start of a word by one) belongs to the next word of
    its segment; there is none behind the last word, and none for a special piece.
    """
    ends = [(word.segment, word.end) for word in words]
    found = []
    for span in spans:
        shares: list[tuple[int, int]] = []
        if span is not None:
            segment, start, end = span
            i = first = bisect_right(ends, (segment, start))
            while i < len(words) and words[i].segment == segment and words[i].start < end:
                shares.append((i, min(end, words[i].end) - max(start, words[i].start)))
                i += 1
            if not sum(n for _, n in shares):
                shares = [(first, 1)] if first < len(words) and words[first].segment == segment else []
        characters = sum(n for _, n in shares)
        found.append([(word, n / characters) for word, n in shares])
    return found


def read_words(segments: Segments, read: Sequence[int]) -> list[Word]:
    """The words and marks that the victim reads, the last perhaps in part."""
    return [word for word in words(segments) if word.start < read[word.segment]]


def characters_read(victim: Victim | Transparent, texts: Sequence[Segments]) -> list[tuple[int, ...]]:
    """How many characters of each segment of each text the victim reads: all, where it does not say."""
    if isinstance(victim, Windowed):
        return [victim.window(text) for text in texts]
    return [tuple(map(len, text)) for text in texts]
