from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from hardtext.reporting.score_table import print_scores, score_markdown, score_table
from hardtext.scoring import Scores, rows_beside
from hardtext.scoring.published import SOURCE

SCORES = Scores(
    instances=416, successes=300, confusion=0.7211, semantic=0.6789, character=0.9012, bodega=0.4412, queries=80.25,
    forwards=70.0, semantic_scorer="bleurt", segmenter="whole",
    interval={"confusion": [0.68, 0.76], "semantic": [0.65, 0.70], "character": [0.89, 0.91], "bodega": [0.41, 0.47],
              "queries": [75.4, 85.6], "preserved": [0.25, 0.31], "bodega_gated": [0.11, 0.16]},
    errors=0, skipped=0, budget=0, queries_success=70.0, queries_failure=100.0, broken_pairs=0, domain="pr",
    victim="bert", attack="bert_attack", stand_ins=(), resamples=1000, seed=0, preserved=0.2781,
    bodega_gated=0.1312, preserved_limits="never checked on domain pr: one English task")


def shown(*args, width=100) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(score_table(*args))
    return console.export_text()


def both(*args):
    return shown(*args), score_markdown(*args)


def test_our_figures_with_their_bounds_above_the_published_ones():
    text, markdown = both(SCORES, rows_beside("pr", "bert"))
    assert text.index("bert_attack (this run)") < text.index("published, victim BERT") < text.index("OpenFact")
    for part in ("0.441", "0.41–0.47", "80.2", "75–86", "BERT-ATTACK (same method)", "0.43", "4097.4"):
        assert part in text
    assert ("| bert_attack (this run) | 0.441 (0.41–0.47) | 0.131 (0.11–0.16) | 0.721 (0.68–0.76) | 0.679 (0.65–0.70) | "
            in markdown)
    assert "| BERT-ATTACK (same method) | 0.43 | – | 0.70 | 0.68 | 0.90 | 80.2 |" in markdown
    assert "| OpenFact | 0.68 | – | 0.97 | 0.77 | 0.89 | – |" in markdown


@pytest.mark.parametrize("output", [0, 1])
def test_what_limits_the_comparison_stands_in_the_table(output):
    plain = " ".join(both(SCORES, rows_beside("pr", "bert"))[output].split())
    assert "stand-in" not in plain and "other victim" not in plain and SOURCE in plain

    stand_in = replace(SCORES, victim="minilm", semantic_scorer="minilm", stand_ins=("cosine in place of BLEURT-20",))
    text = " ".join(both(stand_in, rows_beside("pr", "minilm"), "generated sample")[output].split())
    for words in ("published, other victim: BERT", "stand-in: cosine in place of BLEURT-20",
                  "on pr (generated sample)", "stand-in domain: generated sample"):
        assert words in text


def test_the_gated_column_has_its_limits_beside_it():
    for text in both(SCORES):
        assert ("gated: BODEGA × preserved, the probability that a person says the meaning is kept, 0.278 (0.25–0.31) on "
                "average over successes; never checked on domain pr: one English task") in " ".join(text.split())
    nothing = replace(SCORES, preserved=None, bodega_gated=0.0, interval=SCORES.interval | {"preserved": None})
    assert "the meaning is kept; never checked" in " ".join(shown(nothing).split())


def test_errors_and_broken_pairs_are_said():
    for text in both(replace(SCORES, errors=3, broken_pairs=2)):
        text = " ".join(text.split())
        assert "3 attempts ended in an error and are left out of every figure" in text
        assert "2 successes changed the separator of the pair: no fair successes" in text


def test_unknown_figures_are_dashes():
    unknown = replace(SCORES, semantic=None, bodega=None, preserved=None, bodega_gated=None, preserved_limits="",
                      semantic_scorer="none", interval=SCORES.interval | {
                          "semantic": None, "bodega": None, "preserved": None, "bodega_gated": None})
    text, markdown = both(unknown)
    assert "| bert_attack (this run) | – | – | 0.721 (0.68–0.76) | – |" in markdown
    for output in (text, markdown):
        assert "no semantic scorer, so no semantic and no BODEGA score" in output
        assert "nothing is published for domain pr" in output
        assert "gated: " not in output
        assert "None" not in output and "nan" not in output


def test_names_from_outside_are_shown_as_they_are():
    text, markdown = both(replace(SCORES, attack="[red]x|y[/red]", victim="[bold]"))
    assert "[red]x|y[/red] (this run)" in text and "against [bold] on pr" in text
    assert "[red]x\\|y[/red] (this run)" in markdown


def test_it_fits_a_terminal_of_80_columns():
    lines = shown(SCORES, rows_beside("pr", "bert"), width=80).splitlines()
    assert max(map(len, lines)) <= 80 and not any("…" in line for line in lines)


def test_printed_on_standard_output(capsys):
    print_scores(SCORES, rows_beside("pr", "bert"))
    assert "bert_attack against bert on pr" in capsys.readouterr().out
