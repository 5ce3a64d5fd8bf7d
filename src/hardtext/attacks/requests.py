"""What an attack may ask for while it runs. It yields one request at a time and is sent the answer.

A new kind of request is a dataclass here and a service that answers it (``services.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from hardtext.core import Segments


class LazyTexts(Sequence[Segments]):
    """``count`` texts of which each is built when it is read.

    The leave-one-out texts of a long document are as many as its words, each as long as the document:
    held all at once they would take gigabytes.
    """

    def __init__(self, count: int, build: Callable[[int], Segments]) -> None:
        self._count, self._build = count, build

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self._build(i) for i in range(*index.indices(self._count))]
        if not 0 <= index < self._count:
            raise IndexError(index)
        return self._build(index)


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """Class probabilities of ``texts``. The answer is a float array, (texts, classes).

    With ``until_flip=label`` the texts are asked one by one, in order, up to the first whose predicted class
    (``ties.predicted``) is not ``label``: the answer holds the rows up to that one, itself included, and only they
    count as queries. (The engine may send a few more at once to fill the victim's batches; the attack never sees those.)
    ``probe``: the texts only measure (a word is taken out); they are no candidates for the best text so far.
    """

    texts: Sequence[Segments]
    until_flip: int | None = None
    probe: bool = False


@dataclass(frozen=True, slots=True)
class Repeat:
    """Class probabilities of one text, asked ``times`` times and never from memory: for victims that answer by chance.
    Counts as one query. The answer is a float array, (times, classes)."""

    text: Segments
    times: int


@dataclass(frozen=True, slots=True)
class Propose:
    """The masked LM's best ``k`` pieces at every piece of some words of a text, from one pass over the unmasked text.

    ``wanted`` are the positions in ``words`` to answer for; with ``whole`` only those that are a single piece.
    The answer is a list with one entry a word: a list with one ``(pieces, logits)`` for each piece of that word,
    best first; pieces in WordPiece spelling whatever the vocabulary (a piece inside a word begins with "##").
    The entry of a word that is not wanted, has no pieces or reaches past the window the masked LM sees is empty.
    """

    words: tuple[str, ...]
    k: int
    wanted: tuple[int, ...]
    whole: bool = False


Context = tuple[tuple[str, ...], tuple[str, ...]]
"""The words before and after a mask."""

SEEN_WORDS = 510  # on each side of a mask: no masked LM here sees more pieces, and a word has at least one


def around(words: Sequence[str], start: int, end: int) -> Context:
    """The context of a mask in place of ``words[start:end]`` (before word ``start`` where the range is empty)."""
    return tuple(words[max(0, start - SEEN_WORDS):start]), tuple(words[end:end + SEEN_WORDS])


@dataclass(frozen=True, slots=True)
class Fill:
    """The masked LM's best ``k`` pieces for one mask in each of ``contexts``.

    The answer is a list with one ``(pieces, log-probabilities)`` a context, best first, in WordPiece spelling as in
    ``Propose``. Of a long context the masked LM sees a window with the mask in the middle.
    """

    contexts: tuple[Context, ...]
    k: int


@dataclass(frozen=True, slots=True)
class Similar:
    """How alike the two texts of each pair are: cosine of sentence embeddings. The answer is a float array, (pairs,)."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Meaning:
    """The semantic score that BODEGA would give each of ``texts`` as a change of ``original``, by the attack's own
    semantic scorer. The answer is a float array, (texts,)."""

    original: Segments
    texts: tuple[Segments, ...]


@dataclass(frozen=True, slots=True)
class Gradient:
    """How strongly the log-probability of ``label`` reacts to each piece of a text (one query, one forward).

    The answer is a list of ``(segment, start, end, norm)``: where the piece stands, and the L2 norm of the gradient
    with respect to its embedding. Only victims whose weights are in this process can answer.
    """

    segments: Segments
    label: int


@dataclass(frozen=True, slots=True)
class Perplexity:
    """Perplexity of texts made of pieces (as ``Propose`` spells them), each piece scored at its own unmasked place
    without any text around. The answer is a float array, (texts,)."""

    texts: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A language model behind an OpenAI-compatible address. ``key_env`` names the environment variable that holds the
    key, which itself is kept nowhere. ``model`` empty, or ``temperature`` or ``max_tokens`` None: not sent."""

    base_url: str
    model: str = ""
    key_env: str = "OPENAI_API_KEY"
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float = 60.0
    retries: int = 4
    concurrency: int = 8


@dataclass(frozen=True, slots=True)
class Complete:
    """What a language model answers to each of ``prompts``, each asked by itself with its seed (None: without one).

    The answer is a list of strings, (prompts,). A completion that was cut off at ``max_tokens`` is an empty string.
    """

    endpoint: Endpoint
    prompts: tuple[str, ...]
    seeds: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Credit:
    """Not asked of anyone: names the member of an ensemble whose text will be the result. The answer is True."""

    member: str


class OutOfBudget(Exception):
    """Raised by an attack that shares out its queries, when they ended before it found anything (status ``budget``)."""


Request = Score | Repeat | Propose | Fill | Perplexity | Similar | Meaning | Gradient | Complete | Credit
Steps = Generator[Request, Any, Segments | None]
"""A running attack: yields requests, is sent the answers, returns the adversarial text or None."""

Answered = tuple[list[str], numpy.ndarray]
"""The masked LM's pieces for one place with their logits (``Propose``) or log-probabilities (``Fill``), best first."""

Proposals = list[list[Answered]]
"""The answer to ``Propose``."""
