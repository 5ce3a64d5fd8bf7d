"""What a saliency method says: how much each piece of a text adds to the victim's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from hardtext.core import InputError, Piece, Segments
from hardtext.text import words

METHODS = ("gradient_x_input", "integrated_gradients", "occlusion")


@dataclass
class SaliencySettings:
    """``task=saliency saliency.target=… ``: what is explained and how well it is looked at."""

    target: str = "positive"  # whose logit: positive (the non-credible class), predicted, label, or a class's name
    steps: int = 50  # integrated gradients: points of the integral
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
    baseline)| as a share of |logit of the text − logit of the baseline|; None for other methods.
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

        A piece that covers several words is shared among them by the number of its characters in each. Words the victim
        did not read are left out.
        """
        raise NotImplementedError
