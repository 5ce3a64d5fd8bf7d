"""What an attack changed, word by word and within the words. Pure functions.

A change list tells one segment: a number n keeps n code points; [n, new] takes n code points away and puts ``new`` in
their place; [n, new, inner] says with a change list of its own what differs between the two, where they are alike.
"""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from hardtext import text

Change = int | list
ALIKE = 0.5
"""Least similarity of two pieces whose characters are worth comparing one by one."""
_LONGEST_INNER = 2_000  # code points; beyond, aligning characters costs more than it tells


def changes(original: str, adversarial: str) -> list[Change]:
    """The change list from one segment to the other, by words, marks and the space between them.

    >>> changes("the bad man", "the baad man")
    [4, [3, 'baad', [2, [0, 'a'], 1]], 4]
    >>> changes("a b", "a b"), changes("", "new"), changes("so known", "so seen")
    ([3], [[0, 'new']], [3, [5, 'seen']])
    """
    old, new = _tokens(original), _tokens(adversarial)
    result: list[Change] = []
    for tag, old_start, old_end, new_start, new_end in Levenshtein.opcodes(old, new):
        before, after = "".join(old[old_start:old_end]), "".join(new[new_start:new_end])
        result.append(len(before) if tag == "equal" else _replaced(before, after))
    return result


def apply(original: str, change_list: list[Change]) -> str:
    """The other text: what the page does with a change list.

    >>> apply("the bad man", [4, [3, "baad"], 4])
    'the baad man'
    """
    parts, place = [], 0
    for change in change_list:
        if isinstance(change, int):
            parts.append(original[place : place + change])
            place += change
        else:
            parts.append(change[1])
            place += change[0]
    return "".join(parts)


def inserted(change_list: list[Change]) -> str:
    """Everything put in, for the table of characters."""
    return "".join(change[1] for change in change_list if not isinstance(change, int))


def _replaced(before: str, after: str) -> Change:
    if not before or not after or max(len(before), len(after)) > _LONGEST_INNER:
        return [len(before), after]
    if Levenshtein.normalized_similarity(before, after) < ALIKE:
        return [len(before), after]
    inner: list[Change] = [old_end - old_start if tag == "equal" else [old_end - old_start, after[new_start:new_end]]
                           for tag, old_start, old_end, new_start, new_end in Levenshtein.opcodes(before, after)]
    return [len(before), after, inner]


def _tokens(segment: str) -> list[str]:
    """Words, marks and what stands between them; joined they are the segment."""
    result, place = [], 0
    for word in text.words(segment):
        if word.start > place:
            result.append(segment[place : word.start])
        result.append(word.text)
        place = word.end
    return [*result, segment[place:]] if place < len(segment) else result
