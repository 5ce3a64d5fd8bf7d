"""How much each piece of a text adds to the victim's answer, by any method."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hardtext.core import InputError, Segments, Transparent, Victim
from hardtext.saliency.base import METHODS, MOST_STEPS, Attribution
from hardtext.saliency.gradients import gradient_x_input, integrated_gradients
from hardtext.saliency.occlusion import occlusion

TEXTS_AT_ONCE = {"gradient_x_input": 1024, "integrated_gradients": 64, "occlusion": 64}  # sorted by length, then batched


def explain(victim: Victim, texts: Sequence[Segments], *, method: str = "gradient_x_input", target: Sequence[int],
            steps: int = 50, batch_tokens: int | None = None) -> Iterator[Attribution]:
    """What each text's pieces add to the logit of its class ``target`` (an index into ``victim.classes``), in the order
    of ``texts``.

    ``method``:

    - ``gradient_x_input``: the gradient of the logit with respect to the pieces' embeddings times the embeddings, summed
      over the embedding's dimensions (Shrikumar et al. 2016; Denil et al. 2014).
    - ``integrated_gradients``: that gradient along the line from a baseline to the text (Sundararajan et al. 2017), at
      ``steps`` points, more where the sum misses the difference of the logits by over 1 %. The baseline is the text with
      every piece but the special ones blanked ([MASK], a BiLSTM's pad).
    - ``occlusion``: the logit of the text less its logit without the word (Zeiler & Fergus 2014; Li et al. 2016), the
      word's pieces blanked; the pieces are then whole words and marks. A victim that is a function has no logits and no
      pieces: there the log-odds of the class, the word deleted from the text.

    ``batch_tokens`` bounds texts × longest text of a batch. Raises InputError for an unknown method, a target that is no
    class, steps below 1 or above ``MOST_STEPS``, and a gradient method on a victim without weights here.
    """
    if method not in METHODS:
        raise InputError(f"method={method}: expected one of {', '.join(METHODS)}")
    if len(target) != len(texts):
        raise InputError(f"target: expected one class for each of the {len(texts)} texts, got {len(target)}")
    if wrong := [t for t in target if not 0 <= t < len(victim.classes)]:
        raise InputError(f"target={wrong[0]}: expected the index of a class, 0 to {len(victim.classes) - 1} "
                         f"({', '.join(victim.classes)})")
    if not 1 <= steps <= MOST_STEPS:
        raise InputError(f"saliency.steps={steps}: expected 1 to {MOST_STEPS:,}")
    return _in_parts(_method(victim, method, steps, batch_tokens), texts, target, TEXTS_AT_ONCE[method])


def _in_parts(attribute: Callable[[Sequence[Segments], Sequence[int]], list[Attribution]], texts: Sequence[Segments],
              target: Sequence[int], size: int) -> Iterator[Attribution]:
    for i in range(0, len(texts), size):
        yield from attribute(texts[i : i + size], target[i : i + size])


def _method(victim: Victim, method: str, steps: int,
            batch_tokens: int | None) -> Callable[[Sequence[Segments], Sequence[int]], list[Attribution]]:
    if method == "occlusion":
        return lambda texts, target: occlusion(victim, texts, target, batch_tokens)
    if not isinstance(victim, Transparent):
        raise InputError(f"method={method}: it needs gradients, and the weights of victim {victim.name} are not in this "
                         f"process, or stand behind defences that act on its texts or answers; method=occlusion asks for "
                         f"its probabilities alone")
    if method == "gradient_x_input":
        return lambda texts, target: gradient_x_input(victim, texts, target, batch_tokens)
    return lambda texts, target: integrated_gradients(victim, texts, target, steps, batch_tokens)
