"""Gradient × Input and integrated gradients, through captum."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hardtext.core import Inside, Segments, Span, Transparent
from hardtext.saliency.base import Attribution, characters_read

if TYPE_CHECKING:
    import numpy
    import torch

log = logging.getLogger(__name__)

WANTED_GAP = 0.01
MOST_DOUBLINGS = 3  # 50 steps, 100, 200, 400
NOISE = 1e-5  # logits: differences below this are rounding in float32, not a gap


def gradient_x_input(victim: Transparent, texts: Sequence[Segments], target: Sequence[int],
                     batch_tokens: int | None = None) -> list[Attribution]:
    """See ``attribute.explain``."""
    import numpy
    import torch
    from captum.attr import InputXGradient

    inside: Inside = victim.inside()
    classes = torch.tensor(list(target))

    def work(batch: Any, places: numpy.ndarray) -> list[list[float]]:
        method = InputXGradient(lambda vectors: inside.logits(batch, vectors))
        found = method.attribute(inside.vectors(batch).requires_grad_(), target=classes[places].to(batch.ids.device))
        return found.sum(dim=2).tolist()

    values = inside.in_batches(inside.table(texts), numpy.arange(len(texts)), work, gradients=True,
                               batch_tokens=batch_tokens)
    return [_attribution(text, t, inside.spans(text), row, n) for text, t, row, n
            in zip(texts, target, values, characters_read(victim, texts), strict=True)]


def integrated_gradients(victim: Transparent, texts: Sequence[Segments], target: Sequence[int], steps: int,
                         batch_tokens: int | None = None) -> list[Attribution]:
    """See ``attribute.explain``. Texts whose gap is over 1 % are computed again with twice the steps, three times at
    most; a gap that stays is said in the log."""
    import numpy

    inside: Inside = victim.inside()
    table, spans = inside.table(texts), [inside.spans(text) for text in texts]
    found: list[tuple[list[float], float]] = [([], float("inf"))] * len(texts)
    rows = numpy.arange(len(texts))
    for doubling in range(MOST_DOUBLINGS + 1):
        for row, answer in zip(rows.tolist(), _integrate(inside, table, rows, spans, target, steps << doubling,
                                                         batch_tokens), strict=True):
            if answer[1] < found[row][1] or not doubling:
                found[row] = answer
        rows = numpy.array([row for row in rows if found[row][1] > WANTED_GAP], dtype=int)
        if not len(rows):
            break
    else:
        log.warning("integrated gradients: %d of %d texts keep a completeness gap over %.0f %% at %d steps (largest %.1f %%)",
                    len(rows), len(texts), 100 * WANTED_GAP, steps << MOST_DOUBLINGS,
                    100 * max(found[row][1] for row in rows))
    return [_attribution(text, t, where, values, n, gap) for text, t, where, (values, gap), n
            in zip(texts, target, spans, found, characters_read(victim, texts), strict=True)]


def _integrate(inside: Inside, table: Any, rows: numpy.ndarray, spans: Sequence[Sequence[Span | None]],
               target: Sequence[int], steps: int, batch_tokens: int | None) -> list[tuple[list[float], float]]:
    """(value of each piece, gap) of each row."""
    import torch
    from captum.attr import IntegratedGradients

    classes = torch.tensor(list(target))

    def forward(vectors: torch.Tensor, batch: Any, *fields: torch.Tensor | None) -> torch.Tensor:
        return inside.logits(batch._replace(ids=fields[0], mask=fields[1], types=fields[2]), vectors)

    def work(batch: Any, places: numpy.ndarray) -> list[tuple[list[float], float]]:
        own = rows[places]
        width = batch.ids.shape[1]
        blanked = torch.tensor([[i < len(spans[r]) and spans[r][i] is not None for i in range(width)] for r in own],
                               device=batch.ids.device)
        vectors = inside.vectors(batch)
        baseline = torch.where(blanked[:, :, None], inside.blank_vector(), vectors)
        wanted = classes[own].to(batch.ids.device)
        values = IntegratedGradients(forward).attribute(
            vectors, baseline, target=wanted, n_steps=steps, method="gausslegendre",
            additional_forward_args=(batch, batch.ids, batch.mask, batch.types),
            internal_batch_size=max(len(own), (batch_tokens or inside.gradient_tokens) // width)).sum(dim=2)
        with torch.no_grad():
            ends = [inside.logits(batch, v).gather(1, wanted[:, None])[:, 0] for v in (vectors, baseline)]
        change = ends[0] - ends[1]
        misses = (values.sum(dim=1) - change).abs()
        gaps = torch.where(misses < NOISE, 0, misses / change.abs())
        return list(zip(values.tolist(), gaps.tolist(), strict=True))

    return inside.in_batches(table, rows, work, gradients=True, times=steps, batch_tokens=batch_tokens)


def _attribution(segments: Segments, target: int, spans: Sequence[Span | None], values: Sequence[float],
                 read: tuple[int, ...], gap: float | None = None) -> Attribution:
    """``values``: of the text's pieces and of the pads behind them, which hold nothing."""
    pieces = tuple((*span, value) for span, value in zip(spans, values) if span is not None)
    special = sum(value for span, value in zip(spans, values) if span is None)
    return Attribution(segments, int(target), pieces, float(special), read, gap)
