"""What an attack changed, word by word and within the words. Pure functions.

A change list tells one segment: a number n keeps n code points; [n, new] takes n code points away and puts ``new`` in
their place; [n, new, inner] says with a change list of its own what differs between the two, where they are alike.
"""

from __future__ import annotations

import regex
from rapidfuzz.distance import Levenshtein

Change = int | list
ALIKE = 0.5
"""Least similarity of two words whose characters are worth comparing: below, which of them agree says nothing."""
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
        olds, news = old[old_start:old_end], new[new_start:new_end]
        if tag == "equal":
            result.append(len("".join(olds)))
        elif tag == "replace":  # as many tokens by as many
            result += map(_replaced, olds, news)
        else:
            result.append([len("".join(olds)), "".join(news)])
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
    """A word that became another one."""
    if max(len(before), len(after)) > _LONGEST_INNER:
        return [len(before), after]
    olds, news = _characters(before), _characters(after)
    if Levenshtein.normalized_similarity(olds, news) < ALIKE:
        return [len(before), after]
    inner: list[Change] = []
    for tag, old_start, old_end, new_start, new_end in Levenshtein.opcodes(olds, news):
        gone = len("".join(olds[old_start:old_end]))
        inner.append(gone if tag == "equal" else [gone, "".join(news[new_start:new_end])])
    return [len(before), after, inner]


def _tokens(segment: str) -> list[str]:
    """Words, marks and runs of space; joined they are the segment. Unseen characters belong to the word they hide in."""
    return regex.findall(r"\s+|[\w\p{M}\p{Cf}]+|.", segment, regex.DOTALL)


def _characters(word: str) -> list[str]:
    """What a reader takes for one character: a letter with its combining marks, an emoji of several code points."""
    return regex.findall(r"\X", word)
