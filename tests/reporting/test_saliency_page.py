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
from hardtext.reporting.leaderboard_sheets import Line, Sheet
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
    for name, draw in {"corpus": figures.corpus, "sentences": figures.sentences, "attack": figures.attack}.items():
        first = figures.save(draw(found), tmp_path / "one" / name)
        second = figures.save(draw(found), tmp_path / "two" / name)
        assert [path.name for path in first] == [f"{name}.png", f"{name}.pdf"]
        assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]
        assert first[0].read_bytes().startswith(b"\x89PNG") and first[1].read_bytes().startswith(b"%PDF")


def test_figures_of_nothing(tmp_path):
    about = views.About(Domain("x", ("a", "b")), "v", "occlusion", "positive", "default", 2, 0)
    empty = views.look([explained("")], about, {})
    figures.save(figures.corpus(empty), tmp_path / "corpus")
    figures.save(figures.sentences(empty), tmp_path / "sentences")
    figures.save(figures.attack(empty), tmp_path / "attack")
    assert page.render(empty, b"", b"") and markdown(tables.sheets(empty))


def test_wrapped_lines_hold_every_word_and_fit():
    side = views.sentences.sentence(explained("Some words, and a few " * 30, values=range(200))).sides[0]
    lines = figures._wrapped(side)
    assert " ".join("".join(cell[0] for cell in line) for line in lines).split() == ("Some words, and a few " * 30).split()
    assert max(sum(len(cell[0]) for cell in line) for line in lines) <= figures.LINE_CHARACTERS


def test_lines_break_at_white_space_only():
    side = views.sentences.sentence(explained("In 110,000 years (or so). " * 12, values=range(99))).sides[0]
    broken = ["".join(cell[0] for cell in line) for line in figures._wrapped(side)]
    assert len(broken) > 3 and " ".join(broken) == ("In 110,000 years (or so). " * 12).rstrip()


def test_a_space_stands_behind_the_name_of_a_side():
    sides = views.sentences.sentence(explained("Angers is a town.", "", values=[1])).sides
    first, second = ("".join(cell[0] for cell in figures._wrapped(side)[0]) for side in sides)
    assert first == "evidence (100%): Angers is a town." and second == "claim (0%): (an empty text)"


def drawn(figure) -> str:
    return " ".join(" ".join(label.get_text() for label in figure.axes[0].texts).split())


def test_the_picture_of_sentences_says_what_its_colours_mean(found):
    words = drawn(figures.sentences(replace(found, about=replace(found.about, victim="mine"))))
    for part in ("Gradient × Input of mine", "(generated)", "Orange", "raise the logit of the class [b]fake", "blue",
                 "lower it", "Special pieces"):
        assert part in words
    occluded = replace(found, sentences=[replace(s, row=replace(s.row, special=0.0)) for s in found.sentences])
    assert "pecial pieces" not in drawn(figures.sentences(occluded))


def test_an_axis_label_of_six_classes_fits():
    classes = ("pants-fire", "false", "barely-true", "half-true", "mostly-true", "true")
    about = views.About(Domain("liar6", classes, positive=(0, 1, 2)), "v", "occlusion", "positive", "default", 1, 0)
    figure = figures.corpus(views.look([explained("won it", values=[1, 2])], about))
    figure.draw_without_rendering()
    label, whole = figure.axes[0].yaxis.label.get_window_extent(), figure.bbox
    assert whole.y0 <= label.y0 and label.y1 <= whole.y1 and "□" not in figure.axes[0].get_ylabel()


def test_a_label_that_is_not_right_beside_its_point_has_a_line():
    words = " ".join(f"word{i}" for i in range(12))
    about = views.About(Domain("x", ("a", "b")), "v", "occlusion", "positive", "default", 1, 0)
    figure = figures.corpus(views.look([explained(words, values=[5 + i * 0.01 for i in range(12)])], about))
    figure.draw_without_rendering()
    axes, lines = figure.axes[0], 0
    for label in axes.texts:
        box, (x, y) = Text.get_window_extent(label), axes.transData.transform(label.xy)
        beside = bool(abs((box.y0 + box.y1) / 2 - y) < 4 and min(abs(box.x0 - x), abs(box.x1 - x)) < 12)
        assert beside is (label.arrow_patch is None), label.get_text()
        lines += not beside
    assert lines  # so many do not fit beside


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


def printed(*shown) -> list[str]:
    console = Console(file=io.StringIO(), width=80)
    for each in shown:
        console.print(each)
    return console.file.getvalue().splitlines()


def test_tables_keep_their_words_and_numbers_at_80_columns():
    classes = ("pants-fire", "false", "barely-true", "half-true", "mostly-true", "true")
    long = "internationalisation unconstitutional"
    rows = [explained(long, values=[-1.234, 12.5], id=str(i), label=i % 6) for i in range(24)]
    about = views.About(Domain("liar6", classes, positive=(0, 1, 2)), "v", "occlusion", "positive", "default", 1, 0)
    attempts = {"0": Attempt("0", "x", "v", "mine", 0, rows[0].segments, (long[:-1],), "success", None, None, 1, 1, 0.0, 0)}
    for sheet in tables.sheets(views.look(rows, about, attempts), narrow=True):
        whole = " ".join(" ".join(printed(rich_table(sheet))).split())
        words = [word for text_ in (*sheet.columns, *(line.cells[0] for line in sheet.lines)) for word in text_.split()]
        for words_or_number in [*words, *(cell for line in sheet.lines for cell in line.cells[1:])]:
            assert words_or_number in whole


def test_a_columns_heading_is_wrapped_between_words():
    """Of a probes table that is too wide: "expected" stays whole, its cells are wrapped, and so is a long heading."""
    sheet = Sheet("t", ("probe", "expected", "n", "as expected in all", "if right", "→ fake", "→ real", "within"),
                  (Line(("swap of subject and object", "becomes fake", "1283", "12.3\n(10.0–15.0)", "12.3\n(10.0–15.0)", "12",
                         "13", "14")),), words=2)
    lines = printed(rich_table(sheet))
    tokens = " ".join(lines).split()
    assert max(map(len, lines)) <= 80 and any("→ fake" in line for line in lines)
    for word in ("probe", "expected", "becomes", "fake", "subject", "object", "1283", "(10.0–15.0)", "within", "right"):
        assert word in tokens


def test_marks_are_quoted_among_the_strongest(found):
    text_ = tables.terminal(views.sentences.sentence(explained("He, too", values=[1, -3, 0])), ("a", "b")).plain
    assert "strongest: “,” -3, “He” +1, “too” 0" in text_


def test_a_text_that_nothing_moves_has_no_signed_zeros():
    row = replace(explained("He won"), special=-0.0)
    assert "scale 0 … 0 … 0; special pieces 0" in tables.terminal(views.sentences.sentence(row), ("a", "b")).plain


def test_what_a_limit_left_out_is_said_everywhere(found):
    some = replace(found, about=replace(found.about, available=328))
    said = "limit: the first 4 of 328 successes of the attack only"
    assert markdown(tables.sheets(some)).count(said) == 4 and page.render(some, b"", b"").count(said) == 5
    for draw in (figures.corpus, figures.sentences, figures.attack):
        figure = draw(some)
        words = [*(label.get_text() for label in figure.axes[0].texts), figure.get_supxlabel()]
        assert any(said in (part or "") for part in words)
    assert "the first 4 of 328 texts" in page.render(some, b"") and views.summary(some)["of_texts"] == 328
    assert "limit:" not in markdown(tables.sheets(replace(some, about=replace(found.about, available=4))))


def test_the_page_fits_a_narrow_screen(found):
    """The column of the classes goes below its row, and a figure keeps a readable size and scrolls."""
    html = page.render(found, b"png", b"png")
    assert html.count('<table role="table" class="folds">') == 1 and html.count('<figure class="scroll"') == 2
    assert ".folds tr > :nth-child(6) { grid-column: 1 / -1;" in html and "min-width: 48rem" in html


def test_markdown_names_the_stand_in_under_every_table(found):
    written = markdown(tables.sheets(found))
    assert written.count("### ") == 4 and written.count("- stand-in: domain: generated") == 4


def test_checks_stand_beside_those_of_random_words(found):
    row = explained("won", values=[1], comprehensiveness=0.5, comprehensiveness_random=0.125, sufficiency=0.25, gap=0.004)
    about = views.About(Domain("x", ("a", "b")), "v", "integrated_gradients", "positive", "default", 1, 0)
    cells = dict(line.cells for line in tables.overview(views.look([row], about)).lines)
    assert cells["comprehensiveness, mean"] == "+0.5 (random words +0.125)" and cells["sufficiency, mean"] == "+0.25"
    assert cells["completeness gap, mean"] == "0.40%"
