"""Where a text quotes somebody."""

from __future__ import annotations

import re

_QUOTED = re.compile(
    r'(?<!")"+[^"]*[^"\s][^"]*"+'  # CSV files double their marks
    r"|“[^“”]*”|``.*?''"
    r"|(?<!\w)['‘](?!\d)(?:[^'’‘\n]|(?<=\w)['’](?=\w))+['’](?!\w)")  # an apostrophe inside a word closes nothing


def quotations(text: str) -> list[tuple[int, int]]:
    """Start and end of each quotation, its marks included. A mark that nothing closes opens nothing.

    >>> text = "He said “don’t” and 'no, I can't' to the dogs' owner"
    >>> [text[start:end] for start, end in quotations(text)]
    ['“don’t”', "'no, I can't'"]
    """
    return [match.span() for match in _QUOTED.finditer(text)]


def unwrapped(text: str) -> tuple[int, int]:
    """Where the text inside lies, if the whole text is one quotation; else the whole text.

    >>> text = '"He won."'
    >>> text[slice(*unwrapped(text))]
    'He won.'
    """
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if (start, end) not in quotations(text):
        return 0, len(text)
    marks = "\"'“”‘’`"
    while start < end and text[start] in marks:
        start += 1
    while end > start and text[end - 1] in marks:
        end -= 1
    return start, end
