"""Text in CSV files, which people open in spreadsheets."""

from __future__ import annotations

from hardtext.text import readable


def cell(text: str) -> str:
    """A text that a spreadsheet would run as a formula, with an apostrophe before it; lone surrogates made readable.

    >>> cell("=1+1"), cell("so = so")
    ("'=1+1", 'so = so')
    """
    text = readable(text)
    return "'" + text if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
