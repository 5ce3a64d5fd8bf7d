"""The tables of train.py: what stands in them, worked by hand."""

from __future__ import annotations

import io

from rich.console import Console

from hardtext.core import STATUSES
from hardtext.reporting import attack_table, train_table

CLASSES = ("real", "fake")
METRICS = {"texts": 10, "accuracy": 0.8, "f1": 0.75, "macro_f1": 0.78, "precision": None, "recall": 0.6, "auroc": 0.9,
           "ece": 0.1, "confusion": [[5, 1], [1, 3]]}
ROBUST = {"instances": 4, "clean_accuracy": 0.75, "robust_accuracy": 0.25, "confusion": 0.5, "bodega": 0.4,
          "semantic": None, "character": 0.9, "queries": 12.34,
          "interval": {"confusion": [0.1, 0.9], "bodega": None, "queries": [10.0, 14.0]}}


def text(table) -> str:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(table)
    return console.export_text()


def test_the_majority_class_and_its_share():
    assert train_table.majority(METRICS, CLASSES) == ("real", 0.6)


def test_a_clean_table_says_what_a_constant_answer_would_reach():
    shown = text(train_table.clean_table(METRICS, CLASSES))
    assert "accuracy of always answering real" in shown and "0.600" in shown
    assert "–" in shown  # the precision, which is not defined here


def test_the_published_accuracy_stands_below_our_own():
    lines = text(train_table.clean_table(METRICS, CLASSES, 0.575, "published: BERT-base, somebody")).splitlines()
    rows = [line.split("│")[1:3] for line in lines if line.count("│") == 3]
    assert [[cell.strip() for cell in row] for row in rows[:2]] == [["accuracy", "0.800"], ["accuracy, published", "0.575"]]
    assert "published: BERT-base, somebody" in " ".join(" ".join(lines).split())
    shown = text(train_table.before_after_table({"clean": METRICS, "robust": ROBUST}, {"clean": METRICS, "robust": ROBUST},
                                                CLASSES, "a note", 0.294))
    assert "(accuracy, published)" in shown and shown.count("0.294") == 2
    assert "published" not in text(train_table.clean_table(METRICS, CLASSES))


def test_before_and_after_with_the_direction_that_is_better():
    better = ROBUST | {"robust_accuracy": 0.5, "confusion": 0.25}
    shown = text(train_table.before_after_table({"clean": METRICS, "robust": ROBUST}, {"clean": METRICS, "robust": better},
                                                CLASSES, "a note"))
    rows = {line.split("│")[1].strip(): line for line in shown.splitlines() if line.count("│") > 4}
    assert "0.250" in rows["accuracy under attack"] and "+0.250" in rows["accuracy under attack"]
    assert "higher" in rows["accuracy under attack"] and "lower" in rows["attack success (confusion)"]
    assert "-0.250" in rows["attack success (confusion)"]
    assert "0.100–0.900" in shown and "12.3" in rows["queries per text"] and "attacked, 4 texts" in shown
    assert "a note" in shown


def test_names_that_look_like_styles_are_shown_as_they_are(capsys):
    odd = ("[real]", "fa[/b]ke")
    metrics = METRICS | {"confusion": [[1, 0], [4, 5]]}
    train_table.show("[b]tiny on [/x]", train_table.clean_table(METRICS, odd, caption="[i]published[/]"))
    train_table.show("t", train_table.before_after_table({"clean": metrics, "robust": ROBUST},
                                                         {"clean": metrics, "robust": ROBUST}, odd, "[/]"))
    attack_table.print_summary("pwws against [/x]", dict.fromkeys((*STATUSES, "attempts", "queries", "forwards",
                                                                   "queries_per_example", "single_query_successes"), 0),
                               notes="[/y]")
    shown = capsys.readouterr().out
    assert all(words in shown for words in ("[b]tiny on [/x]", "[real]", "[i]published[/]", "fa[/b]ke",
                                            "pwws against [/x]", "[/y]"))
