"""Forms of English verbs, from lemminflect."""

from __future__ import annotations

from functools import lru_cache

_PREFERRED = {("lie", "VBD"): "lied", ("bid", "VBD"): "bid", ("lay", "VBD"): "laid"}
"""Where the library's first form is the rarer one in the news."""


@lru_cache(maxsize=10_000)
def base_form(word: str, tag: str, guess: str = "") -> str:
    """The infinitive of a lower-case verb form of a Penn Treebank tag; ``guess`` is the parser's, kept if it can be.

    >>> base_form("won", "VBD"), base_form("knows", "VBZ"), base_form("lied", "VBD"), base_form("found", "VBD")
    ('win', 'know', 'lie', 'find')
    """
    if tag in ("VB", "VBP"):
        return {"am": "be", "are": "be", "is": "be"}.get(word, word)
    from lemminflect import getLemma

    known = list(getLemma(word, "VERB"))
    lemmas = [guess, *known] if guess in known else [*known, guess] if guess else known
    return next((lemma for lemma in lemmas if word in _forms(lemma, tag)), lemmas[-1] if lemmas else word)


@lru_cache(maxsize=10_000)
def known_verb(word: str) -> bool:
    """Whether a lower-case word is a form of a verb that the library lists.

    >>> known_verb("offered"), known_verb("wisconsins")
    (True, False)
    """
    from lemminflect import getLemma

    return bool(getLemma(word, "VERB", lemmatize_oov=False))


@lru_cache(maxsize=10_000)
def inflected(lemma: str, tag: str) -> str:
    """The form of a verb for a tag: VBD (past), VBZ (third person), VBP and VB (base).

    >>> inflected("go", "VBD"), inflected("know", "VBZ"), inflected("have", "VBZ"), inflected("cut", "VBD")
    ('went', 'knows', 'has', 'cut')
    """
    if tag in ("VB", "VBP"):
        return lemma
    return next(iter(_forms(lemma, tag)), lemma)


def _forms(lemma: str, tag: str) -> tuple[str, ...]:
    """All forms, the preferred one first."""
    from lemminflect import getInflection

    forms = tuple(getInflection(lemma, tag))
    first = _PREFERRED.get((lemma, tag))
    return (first, *forms) if first else forms
