"""Training batches: tokenised once, texts of like length together, order shuffled by (seed, epoch)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
import torch.distributed
from torch.utils.data import DataLoader, Dataset, Sampler

from hardtext.core import Example, InputError
from hardtext.seeding import derive
from hardtext.victims.tokens import Batch, Tokeniser, TokenTable

POOL_BATCHES = 50  # lengths are sorted within pools of this many batches: little padding, and still well shuffled


class LengthBatches(Sampler[np.ndarray]):
    """Batches of row numbers.

    With a ``seed``: a random order for each epoch, sorted by length within pools of ``pool`` batches, the batches
    shuffled again and dealt out to the processes of a distributed run (the first ones twice where they do not divide
    evenly). Without a seed: longest first, every process sees all rows. ``pool=1`` leaves lengths mixed.
    """

    def __init__(self, lengths: np.ndarray, batch_size: int, seed: int | None, pool: int = POOL_BATCHES) -> None:
        self.lengths, self.batch_size, self.seed, self.pool, self.epoch = lengths, batch_size, seed, pool, 0

    def set_epoch(self, epoch: int) -> None:
        """Called by Lightning before each epoch."""
        self.epoch = epoch

    def __len__(self) -> int:
        batches = -(-len(self.lengths) // self.batch_size)
        return batches if self.seed is None else -(-batches // _processes()[1])

    def __iter__(self) -> Iterator[np.ndarray]:
        if self.seed is None:
            order = np.argsort(-self.lengths, kind="stable") if self.pool > 1 else np.arange(len(self.lengths))
            yield from self._cut(order)
            return
        random = np.random.default_rng(derive(self.seed, "batches", self.epoch))
        order = random.permutation(len(self.lengths))
        size = self.pool * self.batch_size
        batches = []
        for start in range(0, len(order), size):
            pool = order[start : start + size]
            batches += self._cut(pool[np.argsort(self.lengths[pool], kind="stable")] if self.pool > 1 else pool)
        rank, world = _processes()
        turns = random.permutation(len(batches))
        turns = np.resize(turns, len(self) * world)
        for turn in turns[rank::world]:
            yield batches[turn]

    def _cut(self, order: np.ndarray) -> list[np.ndarray]:
        return [order[i : i + self.batch_size] for i in range(0, len(order), self.batch_size)]


def _processes() -> tuple[int, int]:
    """This process's number, and how many there are."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1


class Labelled(Dataset):
    """Tokenised texts with labels; indexed by an array of rows, gives a padded batch.

    ``origins``: for each row the row of the text it was made from by an attack, -1 where it is no adversarial one; None
    where no row is.
    """

    def __init__(self, table: TokenTable, labels: np.ndarray, origins: np.ndarray | None = None) -> None:
        self.table, self.labels, self.origins = table, torch.from_numpy(labels), origins

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, rows: np.ndarray) -> Batch:
        batch = self.table.batch(rows)._replace(labels=self.labels[rows])
        if self.origins is None:
            return batch
        made = self.origins[rows] >= 0
        originals = self.table.batch(self.origins[rows][made]) if made.any() else None
        return batch._replace(adversarial=torch.from_numpy(made), originals=originals)


def labelled(examples: Sequence[Example], tokens: Tokeniser, classes: int,
             origins: Mapping[str, str] | None = None) -> Labelled:
    """Tokenise a split. ``origins``: id of an adversarial example → id of its original, which is to be in the split too.
    Raises InputError where it is not, and for a label that is no class."""
    for example in examples:
        if not 0 <= example.label < classes:
            raise InputError(f"example {example.id!r}: label {example.label}, expected 0 to {classes - 1}")
    made_from = _rows_of(origins, examples) if origins else None
    return Labelled(tokens([e.segments for e in examples]), np.array([e.label for e in examples], np.int64), made_from)


def _rows_of(origins: Mapping[str, str], examples: Sequence[Example]) -> np.ndarray:
    """For each example the row of its original, -1 where it has none."""
    rows = {example.id: row for row, example in enumerate(examples)}
    made_from = np.full(len(examples), -1)
    for row, example in enumerate(examples):
        if (original := origins.get(example.id)) is not None:
            if original not in rows:
                raise InputError(f"adversarial example {example.id!r}: its original {original!r} is not trained on")
            made_from[row] = rows[original]
    return made_from


def loader(data: Labelled, batch_size: int, seed: int | None, *, mixed_lengths: bool = False) -> DataLoader:
    """Batches of ``data``: shuffled by ``seed``, or all rows once where it is None. ``mixed_lengths`` takes texts as
    they come (the published batching, for victims on which padding has an effect)."""
    sampler = LengthBatches(data.table.lengths, batch_size, seed, 1 if mixed_lengths else POOL_BATCHES)
    return DataLoader(data, sampler=sampler, batch_size=None)
