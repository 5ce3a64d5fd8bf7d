"""Masked language models as attacks see them: word pieces in, the best pieces of each position out.

``load_masked_lm("bundled")`` needs no download: the low-rank adapters and the head committed beside this file
(made by scripts/train_masked_lm.py) are merged into the packaged MiniLM body. A folder or hub id is loaded as it is.

Pieces are spelled as WordPiece spells them, whatever the vocabulary: the first piece of a word is bare, the others
begin with "##" (RoBERTa's "Ġterrible" is "terrible", its "ible" is "##ible"). So does a piece that is no text by
itself (a bare space, part of a character).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hardtext.core import InputError
from hardtext.text import readable
from hardtext.weights import bundled, resolve

if TYPE_CHECKING:
    import numpy
    import torch

WEIGHTS = Path(__file__).parent / "weights"
OPTION = "attack.masked_lm"
MOST_PIECES = 510  # BERT's 512 positions less the two special tokens
BATCH_PIECES = 4096  # pieces that go through the body at once, padding included
PROJECTED_ROWS = 512  # positions whose logits over the whole vocabulary are held at once (62 MB for BERT's)
HEADS = {"bert": "cls", "roberta": "lm_head", "xlm-roberta": "lm_head", "camembert": "lm_head"}
"""Where these models keep their head, so that only the positions asked for are projected; of others, all are."""
_ROBERTA = ("roberta", "xlm-roberta", "camembert")  # count positions from padding_idx + 1
TINY_MEAN = 0.5
"""Share of its mean logits taken off bundled:tiny. With none, a few words are candidates everywhere and most logits
lie below BERT-ATTACK's threshold; with all, rare pieces win (scripts/masked_lm_quality.py shows both ends)."""
_HEAD_SHIFT = 4.0  # gelu(x + 4) is x + 4 for the hidden values met here: a head with this bias passes them through


def load_masked_lm(source: str = "bundled", device: str = "auto") -> MaskedLM:
    """A masked language model.

    ``source``: ``bundled`` (MiniLM body and a small trained head), ``bundled:tiny`` (4.4M-parameter BERT), a folder
    or a hub id.
    ``device``: ``auto`` (CUDA where there is one) or any name torch knows.
    Raises InputError where the source cannot be had, holds no safetensors, or has no masked-LM head.
    """
    from transformers import AutoTokenizer

    if source == "bundled":
        folder, stand_in = bundled("minilm"), "bundled stand-in: MiniLM body with a small trained head"
        model = minilm_masked_lm(_committed())
    elif source == "bundled:minilm":
        raise InputError(f"{OPTION}={source}: these weights have no masked-LM head; the ones with a head are "
                         f"'bundled' and 'bundled:tiny'")
    else:
        folder = resolve(source, option=OPTION)
        stand_in = "bundled stand-in: 4.4M-parameter BERT" if source.startswith("bundled:") else ""
        model = _pretrained(source, folder)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
    except (OSError, ValueError, TypeError) as error:  # what transformers raises over missing vocabulary files
        reason = str(error).splitlines()[0]
        raise InputError(f"{OPTION}={source}: no usable tokenizer in {folder} ({reason})") from error
    found = MaskedLM(model, tokenizer, name=source, stand_in=stand_in, device=device)
    if source == "bundled:tiny":
        found.subtract_mean(json.loads((WEIGHTS / "mean_sentences.json").read_text("utf-8")), TINY_MEAN)
    return found


class MaskedLM:
    """A masked language model and its tokenizer; ``stand_in`` is empty unless it replaces a real one.

    ``window``: how many pieces of a text it sees.
    """

    def __init__(self, model, tokenizer, *, name: str, stand_in: str = "", device: str = "auto") -> None:
        import torch

        self.name, self.stand_in = name, stand_in
        if tokenizer.mask_token is None:
            raise InputError(f"{OPTION}={name}: its tokenizer has no mask token, so it is no masked language model")
        self.mask: str = tokenizer.mask_token
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            self._device = torch.device(device)
            self._model = model.float().eval().to(self._device)
        except (RuntimeError, AssertionError) as error:  # torch's answers to a name or a device it does not have
            reason = str(error).splitlines()[0]
            raise InputError(f"device={device}: expected auto, cpu or a device of this machine ({reason})") from error
        self._tokenizer = tokenizer
        config = model.config
        positions = config.max_position_embeddings - (config.pad_token_id + 1 if config.model_type in _ROBERTA else 0)
        self.window = min(MOST_PIECES, min(positions, tokenizer.model_max_length) - 2)
        self._spelling = Spelling(tokenizer, config.vocab_size)

    @property
    def parts(self):
        """The transformers model and tokenizer themselves, for packages that take those."""
        return self._model, self._tokenizer

    def pieces(self, words: Sequence[str]) -> list[list[str]]:
        """The pieces of each word in its sentence: every word but the first is read with the space before it.

        A word the tokenizer drops (spaces, control characters) has none; one it cannot spell is its unknown piece.
        """
        if not words:
            return []
        texts = [readable(word if i == 0 else " " + word) for i, word in enumerate(words)]
        encoded = self._tokenizer(texts, add_special_tokens=False)["input_ids"]
        spell = self._spelling.words
        return [spell(ids[:1], first=n == 0) + spell(ids[1:]) for n, ids in enumerate(encoded)]

    def topk(self, texts: Sequence[Sequence[str]], k: int, positions: Sequence[Sequence[int]] | None = None,
             log_probabilities: bool = False) -> list[tuple[list[list[str]], numpy.ndarray]]:
        """The best ``k`` pieces at each position of texts that are given as flat lists of pieces.

        The answer of a text is ``(tokens, logits)``: ``tokens[i][j]`` the j-th best piece at position i, ``logits`` a
        float32 array, (positions, k), best first, ties in the order of the vocabulary. The model sees the first
        510 pieces between its special tokens, so a longer text has 510 positions in the answer. ``positions``
        asks for some positions of each text only, in that order; ``log_probabilities`` for these in place of logits.
        """
        if k < 1:
            raise InputError(f"k={k}: expected at least 1")
        import numpy

        k = min(k, len(self._spelling.of))
        wanted = [range(min(len(t), self.window)) for t in texts] if positions is None else positions
        for n, (text, asked) in enumerate(zip(texts, wanted, strict=True)):
            if any(not 0 <= i < min(len(text), self.window) for i in asked):
                raise InputError(f"positions of text {n}: {list(asked)} is outside its first "
                                 f"{min(len(text), self.window)} pieces")
        best = [(numpy.empty((len(asked), k), dtype=numpy.int64), numpy.empty((len(asked), k), dtype=numpy.float32))
                for asked in wanted]
        for owners, logits in self._logits(texts, wanted):
            values, ids = _topk(logits, k)
            if log_probabilities:
                values = values - logits.logsumexp(1, keepdim=True)
            for (n, row), v, i in zip(owners, values.cpu().numpy(), ids.cpu().numpy(), strict=True):
                best[n][0][row], best[n][1][row] = i, v
        return [([self._spelling.words(row, first=i == 0) for i, row in zip(asked, ids.tolist(), strict=True)], logits)
                for asked, (ids, logits) in zip(wanted, best, strict=True)]

    def perplexity(self, texts: Sequence[Sequence[str]]) -> numpy.ndarray:
        """Exponential of the mean negative log-probability of a text's pieces, each at its own unmasked place, without
        special tokens around: how the authors of BERT-ATTACK rank combinations of pieces. Float array, (texts,)."""
        import numpy
        import torch

        total, counts = numpy.zeros(len(texts)), numpy.array([min(len(t), self.window) for t in texts])
        if not all(counts):
            raise InputError("perplexity: a text without pieces has none")
        for owners, logits in self._logits(texts, [range(c) for c in counts], special=False):
            ids = logits.new_tensor([self._spelling.id(texts[n][i], first=False) for n, i in owners], dtype=torch.long)
            losses = logits.logsumexp(1) - logits.gather(1, ids[:, None])[:, 0]
            numpy.add.at(total, [n for n, _ in owners], losses.double().cpu().numpy())
        return numpy.exp(total / counts)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the weights and the vocabulary: two models with the same one give the same answers."""
        import torch

        digest = hashlib.blake2b(digest_size=16)
        for name, tensor in sorted(self._model.state_dict().items()):
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().data)
        digest.update("\n".join(self._spelling.raw).encode())
        return digest.hexdigest()

    def subtract_mean(self, sentences: Sequence[str], share: float = 1.0) -> None:
        """Take ``share`` of the mean logit of each piece over the positions of ``sentences`` off the output bias.

        A model whose logits are much the same everywhere (bundled:tiny) then shows what is particular to a position.
        """
        import torch

        texts = [[p for word in self.pieces(s.split()) for p in word] for s in sentences]
        total, count = 0.0, 0
        for owners, logits in self._logits(texts, [range(min(len(t), self.window)) for t in texts]):
            total, count = total + logits.double().sum(0), count + len(owners)
        with torch.no_grad():
            bias = self._model.get_output_embeddings().bias
            bias[: len(total)] -= (share * total / count).to(bias.dtype)

    def _logits(self, texts: Sequence[Sequence[str]], wanted: Sequence[Sequence[int]],
                special: bool = True) -> Iterator[tuple[list[tuple[int, int]], torch.Tensor]]:
        """Logits in slices: which (text, place in its ``wanted``) each row is, and the rows, (rows, vocabulary)."""
        import torch

        ids = [[self._spelling.id(p, first=special and i == 0) for i, p in enumerate(t[: self.window])] for t in texts]
        if special:
            before, after = [self._tokenizer.cls_token_id], [self._tokenizer.sep_token_id]
            ids = [before + i + after for i in ids]
        order = sorted((n for n in range(len(ids)) if len(wanted[n])), key=lambda n: (len(ids[n]), n))
        for batch in _batches(order, [len(i) for i in ids]):
            width = max(len(ids[n]) for n in batch)
            padding = self._tokenizer.pad_token_id
            input_ids = torch.tensor([ids[n] + [padding] * (width - len(ids[n])) for n in batch], device=self._device)
            lengths = torch.tensor([[len(ids[n])] for n in batch], device=self._device)
            attention = (torch.arange(width, device=self._device) < lengths).long()
            owners = [(n, row) for n in batch for row in range(len(wanted[n]))]
            rows = torch.tensor([b for b, n in enumerate(batch) for _ in wanted[n]], device=self._device)
            columns = torch.tensor([i + special for n in batch for i in wanted[n]], device=self._device)
            with torch.inference_mode():
                hidden, head = self._body(input_ids, attention)
            for start in range(0, len(owners), PROJECTED_ROWS):
                part = slice(start, start + PROJECTED_ROWS)
                with torch.inference_mode():
                    logits = head(hidden[rows[part], columns[part]])[:, : len(self._spelling.of)]
                yield owners[part], logits

    def _body(self, input_ids: torch.Tensor, attention: torch.Tensor):
        """Hidden states, (texts, length, size), and the map from them to logits."""
        if (name := HEADS.get(self._model.config.model_type)) is None:
            return self._model(input_ids=input_ids, attention_mask=attention).logits, lambda logits: logits
        hidden = self._model.base_model(input_ids=input_ids, attention_mask=attention).last_hidden_state
        return hidden, self._model.get_submodule(name)


class Spelling:
    """Between a vocabulary's own pieces and their WordPiece spelling.

    ``of`` lists the spelling of each id, ``raw`` the vocabulary's own; only pieces that the model has logits for.
    """

    def __init__(self, tokenizer, vocabulary_size: int) -> None:
        self.raw: list[str] = tokenizer.convert_ids_to_tokens(range(min(len(tokenizer), vocabulary_size)))
        special = set(tokenizer.all_special_tokens)
        # Some vocabularies hold another kind's mark as a letter (Ġ is one in Maltese): the most frequent mark decides.
        mark = max(("##", "Ġ", "▁"), key=lambda m: sum(p.startswith(m) for p in self.raw))
        if mark == "##":
            self.of = self.raw
        else:
            self.of = [p if p in special else self._wordpiece(p, mark, tokenizer) for p in self.raw]
        self._ids: dict[str, int] = {}
        for id_, piece in enumerate(self.of):
            self._ids.setdefault(piece, id_)
        self._unknown: int = tokenizer.unk_token_id if tokenizer.unk_token_id is not None else tokenizer.mask_token_id
        # In a byte-level vocabulary the first word of a text has no space before it: its first piece is the inner one.
        inner = {p.removeprefix("##"): i for p, i in self._ids.items() if p.startswith("##")}
        self._first = inner if mark == "Ġ" else {}

    @staticmethod
    def _wordpiece(piece: str, mark: str, tokenizer) -> str:
        written = tokenizer.convert_tokens_to_string([piece]).strip()
        if not written or "\ufffd" in written:  # a space, or part of a character: never a word by itself
            return "##" + piece
        return written if piece.startswith(mark) else "##" + written

    def id(self, piece: str, first: bool) -> int:
        """The id of a piece; ``first`` says that it opens the text."""
        if first and piece in self._first:
            return self._first[piece]
        return self._ids.get(piece, self._unknown)

    def words(self, ids: Sequence[int], first: bool = False) -> list[str]:
        """The spelling of ids that stand, or might stand, at one place; ``first`` says that it opens the text."""
        if first and self._first:
            return [self.of[i].removeprefix("##") for i in ids]
        return [self.of[i] for i in ids]


def minilm_masked_lm(trained: dict[str, torch.Tensor] | None = None):
    """A ``BertForMaskedLM`` of the packaged MiniLM body.

    Without ``trained`` the head is the identity and the decoder the input embeddings. ``trained`` is what the weight
    file holds: ``<module>.down`` and ``<module>.up`` are the factors of a low-rank change of the module's weight,
    (rank, in) and (out, rank); any other name replaces a parameter.
    """
    import torch
    from safetensors.torch import load_file
    from transformers import BertConfig, BertForMaskedLM

    folder = bundled("minilm")
    config = BertConfig.from_pretrained(folder, tie_word_embeddings=False)
    state = {f"bert.{name}": tensor for name, tensor in load_file(folder / "model.safetensors").items()
             if name.startswith(("embeddings.", "encoder.")) and not name.endswith("position_ids")}
    size, head = config.hidden_size, "cls.predictions."
    state |= {
        head + "transform.dense.weight": torch.eye(size),
        head + "transform.dense.bias": torch.full((size,), _HEAD_SHIFT),
        head + "transform.LayerNorm.weight": torch.ones(size),
        head + "transform.LayerNorm.bias": torch.zeros(size),
        head + "decoder.weight": state["bert.embeddings.word_embeddings.weight"].clone(),
        head + "bias": torch.zeros(config.vocab_size),
    }
    for name, tensor in (trained or {}).items():
        module, _, kind = name.rpartition(".")
        if kind == "up":
            state[module + ".weight"] = state[module + ".weight"] + tensor.float() @ trained[module + ".down"].float()
        elif kind != "down":
            state[name] = tensor.float()
    state[head + "decoder.bias"] = state[head + "bias"]  # transformers keeps the bias under both names
    model = BertForMaskedLM(config)
    model.load_state_dict(state)
    return model


def _committed() -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return load_file(WEIGHTS / "masked_lm.safetensors")


def _pretrained(source: str, folder: Path):
    from transformers import AutoModelForMaskedLM

    if not any(folder.glob("*.safetensors")):
        raise InputError(f"{OPTION}={source}: no *.safetensors in {folder}; weights are read from safetensors only")
    try:
        model, found = AutoModelForMaskedLM.from_pretrained(folder, use_safetensors=True, output_loading_info=True)
    except ValueError as error:  # transformers has no masked LM of this architecture
        raise InputError(f"{OPTION}={source}: not a masked language model ({str(error).splitlines()[0]})") from error
    if found["missing_keys"]:
        raise InputError(f"{OPTION}={source}: not a masked language model: the weights lack "
                         f"{', '.join(sorted(found['missing_keys'])[:3])}")
    return model


def _batches(order: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """``order`` (shortest text first) in batches of at most BATCH_PIECES pieces, padding included."""
    batch: list[int] = []
    for n in order:
        if batch and (len(batch) + 1) * lengths[n] > BATCH_PIECES:
            yield batch
            batch = []
        batch.append(n)
    if batch:
        yield batch


def _topk(logits: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The k largest of each row with their columns, (rows, k); equal values in the order of the columns."""
    values, ids = logits.topk(min(k + 1, logits.shape[1]))
    # topk promises nothing about ties: rows with a tie across the cut are sorted in full, the rest only within k.
    cut = (values[:, k - 1 : k] == values[:, k:]).any(1)
    values, ids = values[:, :k].clone(), ids[:, :k].clone()
    if cut.any():
        full, order = logits[cut].sort(dim=1, descending=True, stable=True)
        values[cut], ids[cut] = full[:, :k], order[:, :k]
    ids, by_id = ids.sort(dim=1)
    values, by_value = values.gather(1, by_id).sort(dim=1, descending=True, stable=True)
    return values, ids.gather(1, by_value)
