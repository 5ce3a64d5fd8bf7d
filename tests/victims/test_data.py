"""Batches for training: every text once, little padding, seeded, dealt out to processes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from transformers import AutoTokenizer

from hardtext.core import InputError
from hardtext.victims import data
from hardtext.victims.data import LengthBatches, labelled, loader
from hardtext.victims.tokens import Tokeniser

LENGTHS = np.random.default_rng(0).lognormal(3, 0.7, 1003).astype(int) + 3


def padding(batches) -> float:
    """Padded size over real size."""
    return sum(len(b) * LENGTHS[b].max() for b in batches) / LENGTHS.sum()


def test_every_text_once_and_full_batches():
    batches = list(LengthBatches(LENGTHS, 16, seed=0))
    assert len(batches) == len(LengthBatches(LENGTHS, 16, seed=0)) == 63
    assert sorted(np.concatenate(batches)) == list(range(1003))
    assert sorted(len(b) for b in batches) == [11] + [16] * 62


def test_like_lengths_together():
    sampler = LengthBatches(LENGTHS, 16, seed=0)
    assert padding(sampler) < 1.15 < 1.6 < padding(LengthBatches(LENGTHS, 16, seed=0, pool=1))
    widths = [LENGTHS[b].max() for b in sampler]
    assert widths != sorted(widths) and widths != sorted(widths, reverse=True)  # no curriculum by length


def test_order_depends_on_seed_and_epoch_alone():
    def order(seed, epoch):
        sampler = LengthBatches(LENGTHS, 16, seed)
        sampler.set_epoch(epoch)
        return np.concatenate(list(sampler)).tolist()

    assert order(0, 0) == order(0, 0)
    assert len({tuple(order(s, e)) for s in (0, 1) for e in (0, 1)}) == 4


@pytest.mark.parametrize("world", [2, 3, 64])
def test_processes_share_the_batches(world, monkeypatch):
    shares = []
    for rank in range(world):
        monkeypatch.setattr(data, "_processes", lambda rank=rank: (rank, world))
        sampler = LengthBatches(LENGTHS, 16, seed=0)
        shares.append(list(sampler))
        assert len(shares[-1]) == len(sampler)
    assert len({len(share) for share in shares}) == 1
    seen = np.concatenate([b for share in shares for b in share])
    assert set(seen) == set(range(1003)) and len(seen) < 1003 + 16 * world


def test_without_a_seed_all_rows_longest_first():
    batches = list(LengthBatches(LENGTHS, 16, seed=None))
    flat = np.concatenate(batches)
    assert sorted(flat) == list(range(1003)) and (np.diff(LENGTHS[flat]) <= 0).all()
    assert np.concatenate(list(LengthBatches(LENGTHS, 16, None, pool=1))).tolist() == list(range(1003))


def test_loader_gives_padded_labelled_batches(bert_folder, toy_examples):
    examples = toy_examples(21)
    split = labelled(examples, Tokeniser(AutoTokenizer.from_pretrained(bert_folder), 64), 2)
    batches = list(loader(split, 4, seed=3))
    assert sum(len(b.labels) for b in batches) == 21
    texts = {tuple(split.table.batch(np.array([i])).ids[0].tolist()): e.label for i, e in enumerate(examples)}
    for batch in batches:
        for row, label in zip(batch.ids.tolist(), batch.labels.tolist(), strict=True):
            assert texts[tuple(i for i in row if i)] == label


def test_label_out_of_range_is_refused(bert_folder, toy_examples):
    tokens = Tokeniser(AutoTokenizer.from_pretrained(bert_folder), 64)
    with pytest.raises(InputError, match="example 't0': label 2, expected 0 to 1"):
        labelled([replace(toy_examples(1)[0], label=2)], tokens, 2)
