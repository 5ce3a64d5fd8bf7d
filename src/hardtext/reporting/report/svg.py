"""Small figures as inline SVG: histograms and step curves. The page's style gives the colours, by class.

Everything that is not a number comes in through ``Markup.format``, which escapes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from markupsafe import Markup

WIDTH, HEIGHT = 360, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 12, 12, 40
_INNER_WIDTH, _INNER_HEIGHT = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM


def histogram(edges: Sequence[float], series: Sequence[tuple[str, Sequence[int]]], *, label: str, words: str,
              log_scale: bool = False) -> Markup:
    """Stacked bars. ``series``: (style class, counts of the bins), from the bottom up. ``label``: of the x axis.
    ``words``: the figure in words, for those who do not see it."""
    place = _scale(edges[0], edges[-1], log_scale)
    totals = [sum(column) for column in zip(*(counts for _, counts in series))]
    most = max([1, *totals])
    parts = _axes(place, ticks(edges[0], edges[-1], log_scale), [0, most / 2, most] if most % 2 == 0 else [0, most],
                  most, label, "{:.0f}")
    heights = [0] * len(totals)
    for style, counts in series:
        for index, ((start, end), count) in enumerate(zip(pairwise(edges), counts)):
            if count:
                heights[index] += count
                parts.append(Markup('<rect class="bar {}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
                    style, place(start) + 0.5, _y(heights[index] / most), max(1.0, place(end) - place(start) - 1),
                    count / most * _INNER_HEIGHT))
    return _figure(parts, words)


def curves(most: float, lines: Sequence[tuple[str, Sequence[tuple[float, float]]]], *, label: str, words: str) -> Markup:
    """Step curves of a share over queries (log scale, 1 to ``most``). ``lines``: (style class, (queries, share) steps)."""
    place = _scale(1, max(most, 2), True)
    parts = _axes(place, ticks(1, max(most, 2), True), [0, 0.5, 1], 1, label, "{:.0%}")
    for style, steps in lines:
        path = [f"M{place(1):.1f} {_y(0):.1f}"]
        for queries, share in steps:
            path.append(f"H{place(queries):.1f}V{_y(share):.1f}")
        path.append(f"H{place(max(most, 2)):.1f}")
        parts.append(Markup('<path class="curve {}" d="{}"/>').format(style, "".join(path)))
    return _figure(parts, words)


def ticks(low: float, high: float, log_scale: bool) -> list[float]:
    """Round values for an axis.

    >>> ticks(1, 1200, True), ticks(0.8, 1, False)
    ([1, 10, 100, 1000], [0.8, 0.85, 0.9, 0.95, 1.0])
    """
    if log_scale:
        powers = [10**p for p in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
        return powers if len(powers) > 1 else [low, *(v for v in (2, 5, 10) if low < v <= high)]
    return [round(low + (high - low) * i / 4, 3) for i in range(5)]


def _scale(low: float, high: float, log_scale: bool) -> Callable[[float], float]:
    def place(value: float) -> float:
        value = min(max(value, low), high)
        share = math.log(value / low) / math.log(high / low) if log_scale else (value - low) / (high - low)
        return _LEFT + share * _INNER_WIDTH

    return place


def _y(share: float) -> float:
    return _TOP + (1 - share) * _INNER_HEIGHT


def _axes(place: Callable[[float], float], x_ticks: Sequence[float], y_ticks: Sequence[float], y_most: float,
          label: str, y_format: str) -> list[Markup]:
    parts = []
    for value in y_ticks:
        y = _y(value / y_most)
        parts.append(Markup('<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>'
                            '<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(
            _LEFT, WIDTH - _RIGHT, y, y, _LEFT - 5, y + 4, y_format.format(value)))
    for value in x_ticks:
        parts.append(Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
            place(value), HEIGHT - _BOTTOM + 16, f"{value:,.0f}" if value >= 1.5 or value == 1 else f"{value:g}"))
    parts.append(Markup('<text class="axis" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
        _LEFT + _INNER_WIDTH / 2, HEIGHT - 6, label))
    return parts


def _figure(parts: Sequence[Markup], words: str) -> Markup:
    return Markup('<svg class="figure" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, HEIGHT, words, Markup("").join(parts))
