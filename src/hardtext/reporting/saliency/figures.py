"""The views as figures (matplotlib, without a screen): corpus, sentences, attack; each as PNG and PDF."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from hardtext.reporting.saliency import colours
from hardtext.reporting.saliency.changed import Agreement
from hardtext.reporting.saliency.corpus import WordSaliency
from hardtext.reporting.saliency.sentences import Sentence, Side
from hardtext.reporting.saliency.tables import verdict
from hardtext.reporting.saliency.views import Views

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREY, INK = "#0072b2", "#c25100", "#8a919c", "#1b1d21"  # after Okabe and Ito
DPI = 150
FONT = 10  # points
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
    axes.set_title(_drawable(_shortened(views.about.title, 100)) + some, loc="left", fontsize=10.5, parse_math=False)
    slope = f"; median |mean| ∝ frequency to the {views.trend.slope:+.2f}" if numpy.isfinite(views.trend.slope) else ""
    axes.set_xlabel(f"texts that hold the word (log scale{slope})", parse_math=False)
    axes.set_ylabel("mean value; above 0: toward " + _drawable(_shortened(views.about.explained, 60)), parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    _notes(figure, views.about.stand_ins)
    place = dict(zip((word.word for word in words), spread.tolist()))
    _name_words(axes, [(place[word.word], word.mean, word.word) for word in views.extremes[:labelled]])
    return figure


def _spread(words: Sequence[WordSaliency]) -> numpy.ndarray:
    """Document frequencies, each within a tenth of its own: (words,)."""
    golden = 0.6180339887  # multiples of it, modulo 1, lie evenly
    place = numpy.arange(len(words)) * golden % 1 * 2 - 1
    return numpy.array([word.texts for word in words], float) * numpy.exp(0.1 * place)


def _name_words(axes: Axes, points: Sequence[tuple[float, float, str]]) -> None:
    """A label beside each point, at the nearest place that is free, with a thin line where that is not beside it."""
    if not points:
        return
    figure = axes.figure
    figure.draw_without_rendering()  # settles the layout, so that points and pixels are known
    height = 8.5 / 72 * figure.dpi * 1.25
    box = axes.get_window_extent()
    inverse = axes.transData.inverted()
    dots = axes.transData.transform([(x, y) for x, y, _ in points])
    taken = [(x - 3, y - 3, x + 3, y + 3) for x, y in dots]
    for (x, y, word), (px, py) in sorted(zip(points, dots.tolist()), key=lambda pair: -abs(pair[0][1])):
        word = _drawable(_shortened(word, 24))
        width = height * 0.5 * len(word) + 4
        for dx, dy in _moves():
            left = px + 6 + dx * height if dx >= 0 else px - 6 - width + (dx + 1) * height
            middle = py + (dy if y > 0 else -dy) * height
            place = (left, middle - height / 2, left + width, middle + height / 2)
            inside = box.x0 < place[0] and place[2] < box.x1 and box.y0 < place[1] and place[3] < box.y1
            if inside and not any(_overlap(place, other) for other in taken):
                taken.append(place)
                break
        else:
            continue  # no room; the table has it
        thread = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2,
                  "relpos": (0 if dx >= 0 else 1, 0.5)}
        label = axes.annotate(word, (x, y), xytext=inverse.transform((left, middle)), textcoords="data", va="center",
                              ha="left", fontsize=8.5, color=INK, zorder=5, parse_math=False,
                              arrowprops=thread if dx not in (0, -1) or abs(dy) > 0.5 else None)
        label.set_in_layout(False)  # or the layout would change under the labels


@lru_cache
def _moves() -> tuple[tuple[float, float], ...]:
    """(right, outward) in lines of text, the nearest first; moves toward zero or to the left count double."""
    grid = [(dx, dy / 2) for dx in range(-30, 30) for dy in range(-40, 40)]
    return tuple(sorted(grid, key=lambda move: math.hypot(*(part * (2 if part < 0 else 1) for part in move))))


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def sentences(shown: Sequence[Sentence], classes: Sequence[str], stand_ins: Sequence[str] = ()) -> Figure:
    """Texts as heat maps, wrapped, one below another, each with its own scale."""
    blocks = [_lines(sentence, classes) for sentence in shown]
    notes = [f"stand-in: {words}" for words in stand_ins]
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


def _lines(sentence: Sentence, classes: Sequence[str]) -> list[list[_Cell]]:
    """A heading, the wrapped segments, and the scale."""
    heading, reasons = f"{sentence.name} · {verdict(sentence, classes)}", "; ".join(sentence.reasons)
    lines: list[list[_Cell]] = [[(_shortened(words, LINE_CHARACTERS), None, bold, False)]
                                for words, bold in ((heading, True), (reasons, False)) if words]
    for side in sentence.sides:
        wrapped = _wrapped(side)
        lines += wrapped[:MOST_LINES]
        if len(wrapped) > MOST_LINES:
            lines.append([(f"… and {len(wrapped) - MOST_LINES} more lines, in saliency.html", None, False, False)])
        if side.unread_characters:
            lines.append([(f"[not read by the victim: {side.unread_characters:,} more characters]", None, False, False)])
    steps = range(-colours.STEPS, colours.STEPS + 1, 2)
    lines.append([(f"−{sentence.limit:.3g} ", None, False, False), *((" ", step, False, False) for step in steps),
                  (f" +{sentence.limit:.3g}   special pieces {sentence.row.special:+.3g}", None, False, False)])
    return lines


def _wrapped(side: Side) -> list[list[_Cell]]:
    lines: list[list[_Cell]] = [[]]
    room = LINE_CHARACTERS
    parts = [(f"{side.name} ({side.share:.0%}): ", None, False)] if side.name else []
    parts += [(part.text, part.step, part.changed) for part in side.parts]
    for words, step, changed in parts:
        words = " ".join(words.split()) or " "
        while words:
            if len(words) > room + (len(words) == 1) and room < LINE_CHARACTERS:  # a last mark may stand out
                lines.append([])
                room = LINE_CHARACTERS
                words = words.lstrip()
                continue
            cut = max(room, 1)
            piece, words = words[:cut], words[cut:]
            if piece.strip() or lines[-1]:
                lines[-1].append((piece, step, False, changed))
                room -= len(piece)
    return [line for line in lines if line] or [[("(an empty text)", None, False, False)]]


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


def attack(found: Agreement, title: str, stand_ins: Sequence[str] = ()) -> Figure:
    """How often words were changed by how salient they are, and how well the two agree text by text."""
    figure = _figure(9.5, 3.9)
    left, right = figure.subplots(1, 2)
    figure.suptitle(_drawable(_shortened(title, 110)), fontsize=10.5, x=0.01, ha="left", parse_math=False)
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
    _notes(figure, stand_ins)
    return figure


def _notes(figure: Figure, stand_ins: Sequence[str]) -> None:
    if stand_ins:
        figure.supxlabel("\n".join(_drawable(f"stand-in: {words}") for words in stand_ins), fontsize=8.5, x=0.01, ha="left",
                         parse_math=False)


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
