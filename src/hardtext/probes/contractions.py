"""Auxiliary verbs and their contractions."""

from __future__ import annotations

NOT = frozenset(("not", "n't", "n’t", "n`t", "n‘t", "nt"))
"""How "not" stands in a text, as a word or at the end of one; some corpora drop apostrophes ("werent")."""

_IRREGULAR = {"ca": "can", "wo": "will", "sha": "shall"}
_SHORT = frozenset(("s", "re", "m", "ve", "ll", "d"))
_WRITTEN_OUT = {"ll": "will", "ve": "have", "d": "would"}


def contracted(token: str) -> bool:
    """Whether a word that is joined to the one before is a shortened auxiliary ("'s", or "s" where apostrophes went)."""
    return token.lower().lstrip("'’‘`") in _SHORT


def with_not(auxiliary: str, had: bool = False) -> str:
    """An auxiliary of the text with "not" after it, in full. ``had``: what "'d" stands for, else "would".

    >>> with_not("can"), with_not("Is"), with_not("’ll"), with_not("'s")
    ('cannot', 'Is not', ' will not', "'s not")
    """
    bare = auxiliary.lstrip("'’‘`").lower()
    if bare in _WRITTEN_OUT:
        full = "had" if had and bare == "d" else _WRITTEN_OUT[bare]
        return f" {full} not"
    if bare == "can":
        return auxiliary + ("NOT" if auxiliary.isupper() else "not")
    return auxiliary + (" NOT" if len(auxiliary) > 1 and auxiliary.isupper() else " not")


def without_not(auxiliary: str) -> str:
    """The auxiliary that was written before "n't".

    >>> without_not("ca"), without_not("Wo"), without_not("is")
    ('can', 'Will', 'is')
    """
    full = _IRREGULAR.get(auxiliary.lower())
    if full is None:
        return auxiliary
    return full.capitalize() if auxiliary[:1].isupper() else full
