"""Two texts as HTML with their differences marked: whole words, and inside similar words the characters.

All of it is escaped: a text that holds tags is shown, not run. Needs no outside file; marks differ in shape as well as
in colour, so that they are seen in print and by the colour-blind.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import regex

from hardtext import text
from hardtext.reporting import diff

_WORD = "background:{0};border-radius:2px"
_CHARACTERS = "background:{0};font-weight:bold;text-decoration:underline"
_SIDES = ((_WORD.format("#ffe3e0"), _CHARACTERS.format("#ffb3ab")),  # of the original
          (_WORD.format("#dff3e0"), _CHARACTERS.format("#9bdba0")))  # of the adversarial text
_BLOCK = "white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate;color:#111;background:#fff;padding:.3em"

Span = tuple[str, int]
"""A piece of text and how it is marked: 0 not at all, 1 in a changed word, 2 changed characters."""


def marked(original: str, adversarial: str, headings: tuple[str, str] = ("Original text", "Changed text")) -> str:
    """The two texts below each other as one piece of HTML, what was changed marked in both."""
    blocks = []
    for heading, spans, styles in zip(headings, differences(original, adversarial), _SIDES, strict=True):
        body = "".join(_html(piece, level, styles) for piece, level in spans)
        blocks.append(f'<p style="margin:.8em 0 .2em"><b>{escape(heading)}</b></p>'
                      f'<div dir="auto" style="{_BLOCK}">{body}</div>')
    return "".join(blocks)


def differences(original: str, adversarial: str) -> tuple[list[Span], list[Span]]:
    """Both texts in pieces; the pieces of each, joined, are that text.

    >>> differences("a dancer sat", "a dencer sat down")[1]
    [('a ', 0), ('d', 1), ('e', 2), ('ncer', 1), (' sat', 0), (' down', 2)]
    """
    before: list[Span] = []
    after: list[Span] = []
    place = 0
    for change in diff.changes(original, adversarial):
        length = change if isinstance(change, int) else change[0]
        old = original[place : place + length]
        place += length
        if isinstance(change, int):
            _add(before, old, 0)
            _add(after, old, 0)
        else:
            _within(old, change[2] if len(change) == 3 else [change], before, after)
    return before, after


def _within(word: str, steps: Sequence[diff.Change], before: list[Span], after: list[Span]) -> None:
    """A word that became another one."""
    place = 0
    for step in steps:
        length = step if isinstance(step, int) else step[0]
        old = word[place : place + length]
        place += length
        _add(before, old, 1 if isinstance(step, int) else 2)
        _add(after, *(old, 1) if isinstance(step, int) else (step[1], 2))


def _add(spans: list[Span], piece: str, level: int) -> None:
    if not piece:
        return
    if spans and spans[-1][1] == level:
        spans[-1] = (spans[-1][0] + piece, level)
    else:
        spans.append((piece, level))


def _html(piece: str, level: int, styles: tuple[str, str]) -> str:
    if level == 0:
        return escape(readable(piece))
    shown = "".join(_visible(character) for character in piece) if level == 2 else escape(readable(piece))
    return f'<span style="{styles[level - 1]}">{shown}</span>'


_HIDDEN = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{C}\p{Z}\u2800--[ \n\t]]", regex.V1)


def _visible(character: str) -> str:
    """A changed character; one that cannot be seen is named by its code point."""
    if character == "\n":
        return "<small>[↵]</small>\n"
    if _HIDDEN.match(character):
        return f"<small>[U+{ord(character):04X}]</small>"
    return escape(character)


_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"}


def readable(value: str) -> str:
    """The text as every tool can store and show it: pictures (U+2400 …) for control characters, which databases and
    XML refuse, and U+FFFD for half characters. A text without either stays as it is."""
    return text.readable(value).translate(_CONTROLS)
