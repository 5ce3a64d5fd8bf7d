"""The views of saliency as page, figures, Markdown and terminal output: whole, safe, and the same every time."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from matplotlib.text import Text
from rich.console import Console

from hardtext import text
from hardtext.core import Attempt, Domain
from hardtext.reporting.leaderboard_formats import markdown, rich_table
from hardtext.reporting.saliency import figures, page, tables, views
from hardtext.reporting.saliency.rows import Explained

HOSTILE = "Lima \u200bis \u202eа</script><img src=x onerror=alert(1)> [/b] $x_$ \\frac | 😀 漢字 \x00\x1b[31m & \"'\ud800"


def explained(*segments: str, values=(), id="1", label=0, target=1, prediction=0, probs=(0.75, 0.25), read=None,
              **more) -> Explained:
    """A row whose words and marks have ``values`` in order, 0 where those end."""
    found = text.words(segments)
    values = [*values, *[0.0] * len(found)]
    pieces = tuple((w.segment, w.start, w.end, float(v)) for w, v in zip(found, values))
    return Explained(id, "gradient_x_input", target, label, prediction, list(probs), segments, pieces, 0.5,
                     read or tuple(map(len, segments)), **more)


@pytest.fixture(scope="module")
def found() -> views.Views:
    long = explained("word " * 300, values=[1] * 300, id="long", read=(300,), label=1)
    rows = [explained("He very surely won the great race again.", "He won.",
                      values=[1, -2, 3, 0.5, 0, -1, 2, 0, 0, 2.5], id="a"),
            explained(HOSTILE, values=range(-9, 9), id=HOSTILE, prediction=1, label=-1),
            explained("", id="empty"), replace(long, pieces=long.pieces[:60])]
    altered = ("He very surely lost the great race again.", "He won.")
    attempts = {"a": Attempt("a", "x", "v", "mine", 0, rows[0].segments, altered, "success", None, None, 1, 1, 0.0, 0)}
    about = views.About(Domain("x", ("re|al", "[b]fake"), stand_in="generated"), HOSTILE, "gradient_x_input", "positive",
                        "default", 1, 0, ("domain: generated", HOSTILE), HOSTILE)
    return views.look(rows, about, attempts)


def test_the_page_is_whole_and_safe(found):
    html = page.render(found, b"png", b"png")
    assert "<img src=x" not in html and "\x00" not in html.replace(HOSTILE, "") and "</script>" not in html
    assert not re.search(r"(?:src|href)=[\"'](?!data:|#)", html)  # nothing from outside
    assert not re.search(r"style=|<script|onclick", html)
    assert html.count("<article") == len(found.sentences) and '<html lang="en">' in html
    assert "evidence, 79%" in html and "claim, 21%" in html and "not read: 1,200 more characters" in html
    for words in found.about.stand_ins[:1]:
        assert html.count(words) >= 4  # in the note and under every table
    html.encode("utf-8")


def test_every_step_of_the_page_has_a_rule_in_both_themes(found):
    html = page.render(found, b"")
    for name in set(re.findall(r'<mark class="(\w+)', html)) - {"zero"}:
        assert html.count(f".text mark.{name} {{") == 2
    assert "changed" in re.findall(r'<mark class="([^"]*)"[^>]*>won<', html)[0]


def test_figures_are_drawn_and_the_same_every_time(found, tmp_path):
    classes, stand_ins = found.about.domain.classes, found.about.stand_ins
    for name, draw in {"corpus": lambda: figures.corpus(found),
                       "sentences": lambda: figures.sentences(found.sentences, classes, stand_ins),
                       "attack": lambda: figures.attack(found.agreement, found.about.title, stand_ins)}.items():
        first = figures.save(draw(), tmp_path / "one" / name)
        second = figures.save(draw(), tmp_path / "two" / name)
        assert [path.name for path in first] == [f"{name}.png", f"{name}.pdf"]
        assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]
        assert first[0].read_bytes().startswith(b"\x89PNG") and first[1].read_bytes().startswith(b"%PDF")


def test_figures_of_nothing(tmp_path):
    about = views.About(Domain("x", ("a", "b")), "v", "occlusion", "positive", "default", 2, 0)
    empty = views.look([explained("")], about, {})
    figures.save(figures.corpus(empty), tmp_path / "corpus")
    figures.save(figures.sentences(empty.sentences, ("a", "b")), tmp_path / "sentences")
    figures.save(figures.attack(empty.agreement, "nothing"), tmp_path / "attack")
    assert page.render(empty, b"", b"") and markdown(tables.sheets(empty))


def test_wrapped_lines_hold_every_word_and_fit():
    side = views.sentences.sentence(explained("Some words, and a few " * 30, values=range(200))).sides[0]
    lines = figures._wrapped(side)
    assert " ".join("".join(cell[0] for cell in line) for line in lines).split() == ("Some words, and a few " * 30).split()
    assert max(sum(len(cell[0]) for cell in line) for line in lines) <= figures.LINE_CHARACTERS + 1


def test_a_word_longer_than_a_line_is_cut_not_lost():
    side = views.sentences.sentence(explained("x" * 250, values=[1])).sides[0]
    assert "".join(cell[0] for line in figures._wrapped(side) for cell in line) == "x" * 250


def test_labels_do_not_lie_on_one_another():
    words, values = " ".join(f"word{i}" for i in range(40)), [5 + i * 0.01 for i in range(40)]
    rows = [explained(words, values=values, id=str(n)) for n in range(3)]
    about = views.About(Domain("x", ("a", "b")), "v", "occlusion", "positive", "default", 1, 0)
    figure = figures.corpus(views.look(rows, about))
    figure.draw_without_rendering()
    boxes = [Text.get_window_extent(label) for label in figure.axes[0].texts]
    assert len(boxes) == 30
    inside = figure.axes[0].get_window_extent()
    assert all(inside.contains(*box.min) and inside.contains(*box.max) for box in boxes)
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_tables_and_texts_for_the_terminal(found):
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="truecolor")
    for sheet in tables.sheets(found):
        console.print(rich_table(sheet))
    for sentence in found.sentences:
        console.print(tables.terminal(sentence, found.about.domain.classes))
    written = console.file.getvalue()
    assert "\x1b[31m" not in written and "\x00" not in written
    assert "stand-in: domain: generated" in written and "48;2;" in written  # a coloured ground


def test_markdown_names_the_stand_in_under_every_table(found):
    written = markdown(tables.sheets(found))
    assert written.count("### ") == 4 and written.count("- stand-in: domain: generated") == 4


def test_checks_stand_beside_those_of_random_words(found):
    row = explained("won", values=[1], comprehensiveness=0.5, comprehensiveness_random=0.125, sufficiency=0.25, gap=0.004)
    about = views.About(Domain("x", ("a", "b")), "v", "integrated_gradients", "positive", "default", 1, 0)
    cells = dict(line.cells for line in tables.overview(views.look([row], about)).lines)
    assert cells["comprehensiveness, mean"] == "+0.5 (random words +0.125)" and cells["sufficiency, mean"] == "+0.25"
    assert cells["completeness gap, mean"] == "0.40%"
