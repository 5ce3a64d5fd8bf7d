"""The views as figures (matplotlib, without a screen): corpus, sentences, attack; each as PNG and PDF."""

from __future__ import annotations

import io
import math
import re
import textwrap
import warnings
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from hardtext.reporting.saliency import colours
from hardtext.reporting.saliency.corpus import WordSaliency
from hardtext.reporting.saliency.sentences import Sentence, Side
from hardtext.reporting.saliency.tables import ends, marks, number, verdict
from hardtext.reporting.saliency.views import Views

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREY, INK = "#0072b2", "#c25100", "#8a919c", "#1b1d21"  # after Okabe and Ito
DPI = 150
FONT, LABEL = 10, 8.5  # points: in the picture of sentences, beside the points of the corpus
LINE_CHARACTERS = 96
MOST_LINES = 9  # of one text in the picture of sentences; the page shows the whole
_METADATA = {"png": {}, "pdf": {"CreationDate": None}}  # the same rows give the same bytes


def save(figure: Figure, path: Path) -> list[Path]:
    """``path`` with the endings .png and .pdf, each written in one step."""
    written = []
    for ending, metadata in _METADATA.items():
        target = path.with_suffix(f".{ending}")
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.tmp")
        temporary.write_bytes(_bytes(figure, ending, metadata))
        temporary.replace(target)
        written.append(target)
    return written


def _bytes(figure: Figure, ending: str, metadata: dict) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # drawn as a box
        figure.savefig(buffer, format=ending, dpi=DPI, metadata=metadata)
    return buffer.getvalue()


def _figure(width: float, height: float, **options) -> Figure:
    from matplotlib.figure import Figure  # not pyplot: nothing global, no screen

    return Figure(figsize=(width, height), layout="constrained", facecolor="white", **options)


def corpus(views: Views, labelled: int = 30) -> Figure:
    """Each word's mean against document frequency (log), the trend over it, the most extreme words named. Points are moved
    sideways a little, as many words share a frequency."""
    figure = _figure(9.5, 6.2)
    axes = figure.subplots()
    words = views.plotted
    spread = _spread(words)
    mean = numpy.array([word.mean for word in words], float)
    axes.axhline(0, color=GREY, linewidth=0.8, zorder=1)
    if len(mean):
        axes.scatter(spread, mean, s=8, c=numpy.where(mean > 0, ORANGE, BLUE), alpha=0.3, linewidths=0, zorder=2,
                     rasterized=True)
        trend = views.trend
        axes.fill_between(trend.frequency, trend.low, trend.high, color=INK, alpha=0.12, linewidth=0, zorder=3,
                          label="middle 80 % of the words")
        axes.plot(trend.frequency, trend.median, color=INK, linewidth=1.6, zorder=4, label="median")
        axes.set_xscale("log")
        axes.margins(x=0.06, y=0.08)
        low, high = axes.get_xlim()
        ticks = [digit * 10**power for power in range(9) for digit in (1, 2, 5)] if high > 5 else range(1, 6)
        axes.set_xticks([tick for tick in ticks if low <= tick <= high], minor=False)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.minorticks_off()
        axes.legend(loc="lower right", frameon=False, fontsize=9)
    some = f"; words of at least {views.about.min_count} texts" if views.about.min_count > 1 else ""
    axes.set_title(_wrapped_words(views.title + some, 110), loc="left", fontsize=10.5, parse_math=False)
    slope = f"; median |mean| ∝ frequency to the {views.trend.slope:+.2f}" if numpy.isfinite(views.trend.slope) else ""
    axes.set_xlabel(f"texts that hold the word (log scale{slope})", parse_math=False)
    axes.set_ylabel(_wrapped_words("mean value; above 0: toward " + views.about.explained, 70), parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    _notes(figure, views)
    place = dict(zip((word.word for word in words), spread.tolist()))
    _name_words(axes, [(place[word.word], word.mean, word.word) for word in views.extremes[:labelled]])
    return figure


def _spread(words: Sequence[WordSaliency]) -> numpy.ndarray:
    """Document frequencies, each within a tenth of its own: (words,)."""
    golden = 0.6180339887  # multiples of it, modulo 1, lie evenly
    place = numpy.arange(len(words)) * golden % 1 * 2 - 1
    return numpy.array([word.texts for word in words], float) * numpy.exp(0.1 * place)


def _name_words(axes: Axes, points: Sequence[tuple[float, float, str]]) -> None:
    """A label beside each point, at the nearest place that is free, with a thin line where that is not right beside it.

    First those that have room right beside them; then those nearby whose line runs through no label; then the rest.
    """
    if not points:
        return
    figure = axes.figure
    figure.draw_without_rendering()  # settles the layout, so that points and pixels are known
    inverse = axes.transData.inverted()
    dots = axes.transData.transform([(x, y) for x, y, _ in points]).tolist()
    room = _Room(axes, [_around(*dot) for dot in dots])
    waiting = sorted(zip(points, dots), key=lambda pair: -abs(pair[0][1]))
    for moves, crossing in ((((0, 0), (-1, 0)), False), (_moves(16), False), (_moves(40), True)):
        left = []
        for (x, y, word), dot in waiting:
            word = _drawable(_shortened(word, 24))
            if (found := room.take(dot, word, [(dx, dy if y > 0 else -dy) for dx, dy in moves], crossing)) is None:
                left.append(((x, y, word), dot))  # without room to the end: the table has it
                continue
            end, side = found
            thread = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2,
                      "relpos": (0 if side == "left" else 1, 0.5)}
            label = axes.annotate(word, (x, y), xytext=inverse.transform(end), textcoords="data", va="center", ha=side,
                                  fontsize=LABEL, color=INK, zorder=5, parse_math=False,
                                  arrowprops=thread if len(moves) > 2 else None)
            label.set_in_layout(False)  # or the layout would change under the labels
        waiting = left


_Box = tuple[float, float, float, float]
"""left, bottom, right, top: pixels"""


class _Room:
    """What is taken of a figure's axes: by points, by labels, and by the lines between them."""

    def __init__(self, axes: Axes, points: Sequence[_Box]) -> None:
        self._box = axes.get_window_extent()
        self._height = LABEL / 72 * axes.figure.dpi * 1.25
        self._taken: list[_Box] = list(points)
        self._labels: list[_Box] = []

    def take(self, dot: Sequence[float], word: str, moves: Sequence[tuple[float, float]],
             crossing: bool) -> tuple[tuple[float, float], str] | None:
        """Where the label of a point begins, and on which side of it that is; None where no move leads to a free place.
        ``crossing``: its line may run through other labels."""
        (px, py), height = dot, self._height
        width = height * 0.5 * len(word) + 4
        for dx, dy in moves:
            side = "left" if dx >= 0 else "right"
            end = (px + 6 + dx * height if dx >= 0 else px - 6 + (dx + 1) * height, py + dy * height)
            left = end[0] if dx >= 0 else end[0] - width
            place = (left, end[1] - height / 2, left + width, end[1] + height / 2)
            line = [_around(*point) for point in numpy.linspace(end, dot, 12).tolist()]
            inside = (self._box.x0 < place[0] and place[2] < self._box.x1
                      and self._box.y0 < place[1] and place[3] < self._box.y1)
            if (inside and not any(_overlap(place, other) for other in self._taken)
                    and (crossing or not any(_overlap(part, other) for part in line for other in self._labels))):
                self._taken += [place, *line]
                self._labels.append(place)
                return end, side
        return None


@lru_cache
def _moves(most: int) -> tuple[tuple[float, float], ...]:
    """(right, outward) in lines of text, at most so many, the nearest first; moves toward zero or to the left count
    double."""
    grid = [(dx, dy / 2) for dx in range(-30, 30) for dy in range(-40, 40)]
    far = {move: math.hypot(*(part * (2 if part < 0 else 1) for part in move)) for move in grid}
    return tuple(sorted((move for move in grid if far[move] <= most), key=far.__getitem__))


def _around(x: float, y: float) -> _Box:
    return x - 3, y - 3, x + 3, y + 3


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def sentences(views: Views) -> Figure:
    """Texts as heat maps, wrapped, one below another, each with its own scale, under what the colours mean."""
    classes = views.about.domain.classes
    blocks = [_legend(views), *(_lines(sentence, classes) for sentence in views.sentences)]
    notes = marks(views)
    if any(_drawable(cell[0]) != cell[0] for lines in blocks for cells in lines for cell in cells):
        notes.append("□: a character that the font of this picture lacks; saliency.html has it")
    total = sum(len(lines) + 1 for lines in blocks) + 1 + len(notes)
    line, character = 0.245, FONT * 0.60205 / 72  # inches; a letter of DejaVu Sans Mono is 0.602 of its size wide
    width = LINE_CHARACTERS * character + 0.5
    figure = _figure(width, max(1.0, total * line + 0.2))
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(total * line + 0.2, 0)
    y = 0.1 + line
    for lines in blocks:
        for cells in lines:
            _draw_line(axes, cells, y, character, line)
            y += line
        y += line
    for words in notes:
        axes.text(0.25, y, _drawable(words), fontsize=8.5, color=INK, parse_math=False, va="center")
        y += line
    return figure


_Cell = tuple[str, int | None, bool, bool]
"""text, step (None: not part of the text), bold, underlined"""


def _said(words: str, step: int | None = None, bold: bool = False) -> _Cell:
    return words, step, bold, False


def _legend(views: Views) -> list[list[_Cell]]:
    """What the picture is of, and what its colours mean."""
    lines = _wrap([_said(views.title, bold=True)])
    lines += _wrap([_said("Orange", colours.STEPS), _said(f" words raise the logit of {views.about.explained}, "),
                    _said("blue", -colours.STEPS), _said(" ones lower it. Each text has its own scale, which ends at its "
                                                         "strongest word.")])
    if any(side.name for sentence in views.sentences for side in sentence.sides):
        lines += _wrap([_said("The percentages beside evidence and claim are of the sum of |value|.")])
    if any(sentence.row.special for sentence in views.sentences):
        lines += _wrap([_said("Special pieces, such as [CLS] and [SEP], stand for no characters; the number is what they add "
                              "together.")])
    return lines


def _lines(sentence: Sentence, classes: Sequence[str]) -> list[list[_Cell]]:
    """A heading, the wrapped segments, and the scale."""
    heading, reasons = f"{sentence.name} · {verdict(sentence, classes)}", "; ".join(sentence.reasons)
    lines = [[_said(_shortened(words, LINE_CHARACTERS), bold=bold)]
             for words, bold in ((heading, True), (reasons, False)) if words]
    for side in sentence.sides:
        wrapped = _wrapped(side)
        lines += wrapped[:MOST_LINES]
        if len(wrapped) > MOST_LINES:
            lines.append([_said(f"… and {len(wrapped) - MOST_LINES} more lines, in saliency.html")])
        if side.unread_characters:
            lines.append([_said(f"[not read by the victim: {side.unread_characters:,} more characters]")])
    steps, (low, high) = range(-colours.STEPS, colours.STEPS + 1, 2), ends(sentence.limit)
    special = f"   special pieces {number(sentence.row.special)}" if sentence.row.special else ""
    lines.append([_said(low + " "), *(_said(" ", step) for step in steps), _said(f" {high}{special}")])
    return lines


def _wrapped(side: Side) -> list[list[_Cell]]:
    name = [_said(f"{side.name} ({side.share:.0%}): ")] if side.name else []
    parts = [(part.text, part.step, False, part.changed) for part in side.parts]
    return _wrap([*name, *(parts if any(cell[0].strip() for cell in parts) else [_said("(an empty text)")])])


def _wrap(cells: Sequence[_Cell]) -> list[list[_Cell]]:
    """Lines of at most ``LINE_CHARACTERS``, broken at white space; what is longer than a line is cut. Each word stays a
    cell of its own: the width of a longer run would be rounded away from that of its letters."""
    lines: list[list[_Cell]] = [[]]
    room = LINE_CHARACTERS
    for word in _unbroken(cells):
        length = sum(len(cell[0]) for cell in word)
        if lines[-1] and length + 1 > room:
            lines.append([])
            room = LINE_CHARACTERS
        if lines[-1]:
            lines[-1].append(_said(" "))
            room -= 1
        for text, *style in word:
            while text:
                if not room:
                    lines.append([])
                    room = LINE_CHARACTERS
                lines[-1].append((text[:room], *style))
                text, room = text[room:], room - len(text[:room])
    return lines


def _unbroken(cells: Sequence[_Cell]) -> list[list[_Cell]]:
    """What stands between white space: of "in 110,000 years" the three words, whatever cells "110,000" is made of."""
    words: list[list[_Cell]] = [[]]
    for text, *style in cells:
        for piece in re.split(r"(\s+)", text):
            if piece.isspace():
                words.append([])
            elif piece:
                words[-1].append((piece, *style))
    return [word for word in words if word]


def _draw_line(axes: Axes, cells: Sequence[_Cell], y: float, character: float, line: float) -> None:
    from matplotlib.patches import Rectangle

    x = 0.25
    for words, step, bold, underlined in cells:
        width = character * len(words)
        if step:
            axes.add_patch(Rectangle((x, y - line * 0.44), width, line * 0.88, linewidth=0,
                                     facecolor=colours.hexadecimal(colours.LIGHT.colour(step))))
        if underlined:
            axes.plot([x, x + width], [y + line * 0.36] * 2, color=INK, linewidth=1.1)
        axes.text(x, y, _drawable(words), fontsize=FONT, family="DejaVu Sans Mono", color=INK, va="center_baseline",
                  parse_math=False, weight="bold" if bold else "normal")
        x += width


def attack(views: Views) -> Figure:
    """How often words were changed by how salient they are, and how well the two agree text by text."""
    found = views.agreement
    figure = _figure(9.5, 3.9)
    left, right = figure.subplots(1, 2)
    figure.suptitle(_wrapped_words(views.title, 110), fontsize=10.5, x=0.01, ha="left", parse_math=False)
    tenths = numpy.array(found.tenths) * 100
    left.bar(numpy.arange(1, len(tenths) + 1), tenths, color=ORANGE, width=0.8)
    left.axhline(found.overall * 100, color=INK, linewidth=1.2, linestyle="--", label=f"all words: {found.overall:.1%}")
    left.set(xlabel="tenth of the words by |saliency| (1: the most salient)", ylabel="words that the attack changed, %",
             xticks=range(1, len(tenths) + 1))
    auc = [text.measures["auc"] for text in found.texts]
    right.hist(auc, bins=numpy.linspace(0, 1, 21), color=BLUE)
    right.axvline(0.5, color=INK, linewidth=1.2, linestyle="--", label="chance: 0.5")
    if auc:
        right.axvline(found.means["auc"], color=ORANGE, linewidth=2, label=f"mean: {found.means['auc']:.2f}")
    right.locator_params(axis="y", integer=True)
    right.set(xlabel="AUC of |saliency| for “was changed”, per text", ylabel="texts", xlim=(0, 1))
    for axes in (left, right):
        axes.legend(frameon=False, fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
    _notes(figure, views)
    return figure


def _wrapped_words(words: str, width: int) -> str:
    return "\n".join(map(_drawable, textwrap.wrap(words, width, max_lines=2, placeholder=" …")))


def _notes(figure: Figure, views: Views) -> None:
    if notes := marks(views):
        figure.supxlabel("\n".join(map(_drawable, notes)), fontsize=8.5, x=0.01, ha="left", parse_math=False)


def _shortened(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"


def _drawable(words: str) -> str:
    """The text with a box for each character that the font cannot draw, so that widths stay true."""
    known = _characters()
    return "".join(c if ord(c) in known else "□" for c in words)


@lru_cache
def _characters() -> frozenset[int]:
    from matplotlib import font_manager

    font = font_manager.get_font(font_manager.findfont("DejaVu Sans Mono"))
    return frozenset(font.get_charmap())
