"""Texts to word-piece ids, and ids to padded batches. The hot path of every attack: no Python work per token."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoTokenizer, PretrainedConfig, PreTrainedTokenizerBase

from hardtext.core import InputError, Segments, Span, listed
from hardtext.weights import resolve

log = logging.getLogger(__name__)

CHUNK = 2048  # texts
PIECE_CHARACTERS = 16  # of a text of one segment, this many a piece are read first; hardly any text has longer pieces
FALLBACK_LENGTH = 512  # for a model that names no limit of its own

_ROBERTA_LIKE = ("roberta", "xlm-roberta", "camembert", "xlm-roberta-xl", "roberta-prelayernorm", "longformer", "mpnet")
_SPLIT_AT_SPACES = ("BertPreTokenizer", "ByteLevel")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Batch(NamedTuple):
    """Padded texts. ``ids``, ``mask`` (True where a text is; None where none is padded) and ``types`` (segment of a
    pair; None where all are 0): (texts, width); ``labels``: (texts,). In adversarial training ``adversarial``: (texts,),
    True for the texts that an attack made, and ``originals``: what those were made from, in their order (None where the
    batch holds none)."""

    ids: torch.Tensor
    mask: torch.Tensor | None
    types: torch.Tensor | None = None
    labels: torch.Tensor | None = None
    adversarial: torch.Tensor | None = None
    originals: Batch | None = None


@dataclass(frozen=True)
class TokenTable:
    """The pieces of many texts, end to end. ``truncated`` counts the texts that were cut at the maximum length."""

    ids: np.ndarray  # (pieces,) int32
    types: np.ndarray | None  # (pieces,) int32: 0 in the first segment, 1 in the second; None where all are 0
    starts: np.ndarray  # (texts,)
    lengths: np.ndarray  # (texts,)
    pad_id: int
    truncated: int

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(self, rows: np.ndarray) -> Batch:
        """The texts ``rows``, padded on the right to the longest of them."""
        lengths = self.lengths[rows, None]
        columns = np.arange(lengths.max())
        mask = columns < lengths
        places = np.where(mask, self.starts[rows, None] + columns, 0)
        ids = np.where(mask, self.ids[places], self.pad_id)
        types = None if self.types is None else np.where(mask, self.types[places], 0)
        return Batch(torch.from_numpy(ids), None if mask.all() else torch.from_numpy(mask),
                     None if types is None else torch.from_numpy(types))


class Tokeniser:
    """Tokenises texts, pairs as the tokenizer joins pairs, cut at ``max_length`` pieces (the longer side first)."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, max_length: int) -> None:
        self.tokenizer, self.max_length = tokenizer, max_length
        self.pad_id = next((i for i in (tokenizer.pad_token_id, tokenizer.eos_token_id) if i is not None), 0)
        self._takes_types = "token_type_ids" in tokenizer.model_input_names
        self._rust = None
        if tokenizer.is_fast:  # our own copy: the settings of the caller's stay as they are
            self._rust = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
            self._rust.no_padding()
            self._rust.enable_truncation(max_length, strategy="longest_first")
        # Whether what stands before a space is cut into the same pieces whatever follows it.
        self._splits_at_spaces = tokenizer.is_fast and type(self._rust.pre_tokenizer).__name__ in _SPLIT_AT_SPACES

    def __call__(self, texts: Sequence[Segments | str]) -> TokenTable:
        inputs = [self._start(text if isinstance(text, str) else text[0]) if isinstance(text, str) or len(text) == 1
                  else tuple(text) for text in listed(texts)]
        wants_types = self._takes_types and any(isinstance(text, tuple) for text in inputs)
        ids, types, lengths, truncated = [], [], [], 0
        chunks = [inputs[i : i + CHUNK] for i in range(0, len(inputs), CHUNK)] or [[]]
        for chunk in chunks:  # lists of Python numbers are kept for one chunk only
            part_ids, part_types, part_truncated = self._encode(chunk, wants_types)
            part_lengths = np.fromiter(map(len, part_ids), np.int64, len(part_ids))
            total = int(part_lengths.sum())
            ids.append(np.fromiter(chain.from_iterable(part_ids), np.int32, total))
            types.append(np.fromiter(chain.from_iterable(part_types), np.int32))
            lengths.append(part_lengths)
            truncated += part_truncated
        lengths = np.concatenate(lengths)
        return TokenTable(np.concatenate(ids), np.concatenate(types) if wants_types else None,
                          np.cumsum(lengths) - lengths, lengths, self.pad_id, truncated)

    def _start(self, text: str) -> str:
        """As much of a text of one segment as can matter: its pieces behind ``max_length`` are never read."""
        enough = self.max_length * PIECE_CHARACTERS
        if len(text) <= 2 * enough or not self._splits_at_spaces or (space := text.rfind(" ", 0, enough)) < 0:
            return text
        start = text[:space]
        try:
            return start if self._rust.encode(start).overflowing else text
        except TypeError:  # a lone surrogate
            return text

    def spans(self, segments: Segments) -> list[Span | None]:
        """Where each piece of a text stands, (segment, start, end) in characters; None for a special piece.

        Of a tokenizer that exists in Python only, a piece stands where its word (up to the next space) does. Raises
        InputError where that cannot be told either.
        """
        if self._rust is None:
            return self._spans_of_words(segments) or [None]
        encoding = self._rust.encode(*map(_clean, segments))
        return [None if sequence is None or special else (sequence, *offsets) for sequence, offsets, special
                in zip(encoding.sequence_ids, encoding.offsets, encoding.special_tokens_mask, strict=True)] or [None]

    def _spans_of_words(self, segments: Segments) -> list[Span | None]:
        texts = [_clean(segment) for segment in segments]
        places: list[list[Span]] = []
        for number, text in enumerate(texts):
            words = [(m, self.tokenizer.tokenize(m.group())) for m in re.finditer(r"\S+", text)]
            if [piece for _, pieces in words for piece in pieces] != self.tokenizer.tokenize(text):
                raise InputError(f"the tokenizer {type(self.tokenizer).__name__} does not tell where its pieces stand; "
                                 f"take a model with a fast tokenizer")
            places.append([(number, m.start(), m.end()) for m, pieces in words for _ in pieces])
        special = self.tokenizer(*texts, truncation="longest_first", max_length=self.max_length,
                                 return_special_tokens_mask=True)["special_tokens_mask"]
        while sum(map(len, places)) > special.count(0):  # the longer side is cut, the second of two equals
            max(reversed(places), key=len).pop()
        left = chain.from_iterable(places)
        return [None if one else next(left) for one in special]

    def window(self, segments: Segments) -> tuple[int, ...]:
        """How many characters of each segment are read before the maximum length cuts it off."""
        lengths = tuple(map(len, segments))
        if sum(lengths) <= self.max_length - 8:  # no piece is shorter than a character
            return lengths
        if self._rust is None:
            return self._window_slowly(segments)
        encoding = self._rust.encode(*map(_clean, segments))
        if not encoding.overflowing:
            return lengths
        ends = [0] * len(segments)
        for sequence, (_, end) in zip(encoding.sequence_ids, encoding.offsets, strict=True):
            if sequence is not None:
                ends[sequence] = max(ends[sequence], end)
        return tuple(ends)

    def _window_slowly(self, segments: Segments) -> tuple[int, ...]:
        lengths = tuple(map(len, segments))
        if not self._encode_slowly([segments[0] if len(segments) == 1 else tuple(segments)], False)[2]:
            return lengths
        try:
            spans = self.spans(segments)
        except InputError:  # it does not tell
            return lengths
        return tuple(max((span[2] for span in spans if span and span[0] == i), default=0) for i in range(len(segments)))

    def identity(self) -> str:
        """A text that differs where two tokenisers differ."""
        if self._rust is not None:
            return self._rust.to_str()
        return json.dumps([type(self.tokenizer).__name__, self.max_length, sorted(self.tokenizer.get_vocab().items())])

    def _encode(self, inputs: list[str | tuple[str, str]], wants_types: bool):
        """Piece ids and types (none unless wanted) of each text, and the number of texts that were cut."""
        if self._rust is None:
            return self._encode_slowly(inputs, wants_types)
        try:
            encodings = self._rust.encode_batch_fast(inputs)
        except TypeError:  # a lone surrogate: no tokenizer takes it
            encodings = self._rust.encode_batch_fast([_clean(text) for text in inputs])
        truncated = sum(1 for e in encodings if len(e) >= self.max_length and e.overflowing)
        ids = [e.ids or [self.pad_id] for e in encodings]  # without special pieces an empty text has none
        return ids, [e.type_ids or [0] for e in encodings] if wants_types else [], truncated

    def _encode_slowly(self, inputs: list[str | tuple[str, str]], wants_types: bool):
        """For the few tokenizers that exist in Python only."""
        texts = [(cleaned,) if isinstance(cleaned, str) else cleaned for cleaned in map(_clean, inputs)]
        encodings = [self.tokenizer(*text, truncation="longest_first", max_length=self.max_length) for text in texts]
        truncated = sum(1 for text, e in zip(texts, encodings, strict=True) if len(e["input_ids"]) >= self.max_length
                        and len(self.tokenizer(*text, verbose=False)["input_ids"]) > self.max_length)
        ids = [list(e["input_ids"]) or [self.pad_id] for e in encodings]
        return ids, [list(e["token_type_ids"]) or [0] for e in encodings] if wants_types else [], truncated


def _clean(text: str | tuple[str, str]) -> str | tuple[str, str]:
    if isinstance(text, str):
        return _SURROGATE.sub("\ufffd", text)
    return _SURROGATE.sub("\ufffd", text[0]), _SURROGATE.sub("\ufffd", text[1])


def load_tokenizer(source: str, *, option: str, trust_remote_code: bool = False) -> PreTrainedTokenizerBase:
    """The tokenizer of a model folder, bundled encoder or hub id. Raises InputError where there is none."""
    folder = resolve(source, option=option, trust_remote_code=trust_remote_code or None)
    try:
        return AutoTokenizer.from_pretrained(folder, trust_remote_code=trust_remote_code)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ImportError) as error:
        raise InputError(f"{option}={source}: no usable tokenizer there ({one_line(error)})") from error


def capacity(config: PretrainedConfig, tokenizer: PreTrainedTokenizerBase, wanted: int | None) -> int:
    """How many pieces of a text the model reads: ``wanted``, but never more than it can."""
    limits = [tokenizer.model_max_length]
    if (positions := getattr(config, "max_position_embeddings", None)) is not None:  # not every architecture has any
        if config.model_type in _ROBERTA_LIKE:  # these start to count positions behind the pad id
            positions -= config.pad_token_id + 1
        limits.append(positions)
    limit = min(limits)
    if limit > 100_000:  # "no limit", as tokenizers say it
        return wanted or FALLBACK_LENGTH
    if wanted is not None and wanted > limit:
        log.warning("max_length=%d: this model reads %d pieces at most; using that", wanted, limit)
    return min(wanted or limit, limit)


def one_line(error: Exception) -> str:
    """The start of an exception's message, on one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__
