"""From rows to results, tables, notes and files: worked by hand."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ElementTree

import pytest
from rich.console import Console

from hardtext.core import Domain
from hardtext.reporting import leaderboard_formats
from hardtext.reporting.probes import benchmark, figures, formats, notes, results, tables
from hardtext.scoring.answers import Answer

DOMAIN = Domain("liar2", ("real", "fake"))
NEGATION = results.Question("negation", "sound", "flip", "Does it notice that a statement was negated?",
                            "Few flips mean that it does not.", "the paper")
PARTY = results.Question("party", None, "fake", "Does it notice the wrong party?", "Few flips mean nothing.", "the paper")


def answer(id, before, after, label=0, probe="negation", expects="flip", why=None, text="It is so.", changed="It is not so."):
    asked = after is not None
    return Answer(id=id, domain="liar2", victim="minilm", probe=probe, number=1, of=1, truncated=False,
                  rules="sound", label=label, original=(text,),
                  changed=(changed,) if asked else None, what="is -> is not" if asked else None, why=why, expects=expects,
                  original_probs=[1 - before, before], changed_probs=[1 - after, after] if asked else None,
                  flipped=(before > 0.5) != (after > 0.5) if asked else None, seed=0)


ANSWERS = [answer("a", 0.25, 0.75), answer("b", 0.75, 0.875, label=1), answer("c", 0.5625, 0.4375, label=0),
           answer("d", 0.125, 0.25, label=1), answer("e", 0.25, None, why="no verb"),
           *(answer(i, p, None, label, probe="party", expects="fake", why="names no politician")
             for i, p, label in (("a", 0.25, 0), ("b", 0.75, 1), ("c", 0.5625, 0), ("d", 0.125, 1), ("e", 0.25, 0)))]


@pytest.fixture
def report():
    return results.report(ANSWERS, [NEGATION, PARTY], DOMAIN, model="minilm", split="attack", seed=0)


def shown(sheet) -> str:
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(leaderboard_formats.rich_table(sheet))
    return console.export_text()


def test_the_results_by_hand(report):
    negation, party = report.results
    assert (negation.texts, negation.overall.flipped.share, negation.overall.shift.mean) == (4, 0.5, 0.15625)
    # the others' signs: of 16, those whose mean is at least as far from 0 as +.5 +.125 -.125 +.125
    assert negation.p == negation.p_holm == 0.5
    assert negation.directions == {"real_to_fake": 1, "fake_to_real": 1, "within": 0}
    assert negation.movements == [[1, 1], [1, 1]]
    assert (negation.overall.expected_of_right.count, negation.overall.expected_of_right.of) == (1, 2)  # a and b
    assert [(g.by, g.name, g.behaviour.flipped.of) for g in negation.groups[:2]] == [
        ("gold class", "real", 2), ("gold class", "fake", 2)]
    assert [shown.id for shown in negation.worst] == ["b", "d"]
    assert negation.why == {"no verb": 1} and party.why == {"names no politician": 5}
    assert (negation.published.label_flip, party.published.delta_prob) == (0.155, 0.052)
    assert (report.accuracy.right.count, report.accuracy.right.of) == (3, 5)  # all five originals, asked about or not
    assert (report.accuracy.majority, report.accuracy.majority_share, report.accuracy.published) == ("real", 0.6, 0.575)


def test_nothing_to_ask_about_gives_null_and_the_reason(report):
    text = json.dumps(report.to_row(), allow_nan=False)
    row = json.loads(text)["results"][1]
    assert (row["probe"], row["texts"], row["p"], row["overall"]["flipped"]["share"]) == ("party", 0, None, None)
    assert row["overall"]["shift"] == {"of": 0, "mean": None, "interval": None}
    assert row["worst"] == row["typical"] == row["groups"] == []
    assert "party: no text to ask about (names no politician: 5)" in shown(tables.sheets(report)[0])
    assert "| party | 0 | – | 20.0 | – | +0.052 | – |" in formats.markdown(report)


def test_the_tables_fit_eighty_columns_and_stand_beside_the_published(report):
    flips, expected, *_ = tables.sheets(report)
    text = shown(flips)
    assert all(len(line) <= 80 for line in text.splitlines()) and "negation (sound)" in text
    assert "50.0" in text and "15.5" in text and "+0.156" in text and "+0.021" in text
    cells = formats.markdown(report).splitlines()[4]
    assert cells == "| negation (sound) | 4 | 50.0 (15.0–85.0) | 15.5 | +0.156 (-0.062…+0.406) | +0.021 | 0.500 |"
    assert all(len(line) <= 80 for line in shown(expected).splitlines())


def test_the_notes_say_what_may_be_concluded(report):
    text = "\n".join(tables.sheets(report)[0].notes)
    for words in ("3 of 5 originals right, 60.0% (always answering real: 60.0%; published, BERT-base: 57.5%)",
                  "hardly better than a constant answer", "their victim is BERT-base, ours minilm",
                  "their negation and intensity follow rules=published, ours rules=sound", "Few flips mean that it does not.",
                  "only 4 texts, which agree with anything between 15% and 85% flips", "published % flip inside our interval",
                  "come without intervals"):
        assert words in text
    same = results.report(ANSWERS, [NEGATION, PARTY], DOMAIN, model="bert", split="attack", seed=0)
    assert "ours bert" not in "\n".join(notes.general(same))


def test_a_stand_in_is_named_in_every_file(tmp_path):
    stand_in = "old.csv in place of Kaggle's train.csv"
    report = results.report(ANSWERS, [NEGATION], Domain("liar2", ("real", "fake"), stand_in=stand_in), model="minilm",
                            split="attack", seed=0, warnings=("answers by chance",))
    for text in (formats.markdown(report), formats.latex(report), formats.results_csv([report]),
                 shown(tables.sheets(report)[0]), json.dumps(report.to_row(), ensure_ascii=False)):
        assert "old.csv in place" in " ".join(text.split()).replace("\\", "")
    assert "their data is the real corpus, ours a stand-in" in formats.markdown(report)
    assert "warning: answers by chance" in formats.markdown(report)
    figures.save(report, tmp_path)
    assert "old.csv in place" in (tmp_path / "flips.svg").read_text()


def test_six_classes_show_their_movements():
    domain = Domain("liar6", tuple("abcdef"), (0, 1, 2))
    row = ANSWERS[0].to_row() | {"domain": "liar6", "original_probs": [0.5, 0.1, 0.1, 0.1, 0.1, 0.1],
                                 "changed_probs": [0.1, 0.5, 0.1, 0.1, 0.1, 0.1]}
    report = results.report([Answer.from_row(row)], [NEGATION], domain, model="minilm", split="attack", seed=0)
    assert report.results[0].directions == {"real_to_fake": 0, "fake_to_real": 0, "within": 1}
    assert report.results[0].published is None and report.results[0].overall.shift.interval is None
    text = formats.markdown(report)
    assert "### Predicted classes, negation (sound)" in text and "| a | 0 | 1 | 0 | 0 | 0 | 0 |" in text
    assert "within" in text and "| 100.0 (20.7–100.0) | – |" in text


def test_pairs_of_ones_own_may_expect_several_things():
    question = results.Question("file", None, "stay", "As you expect?", "Depends.", "hardtext")
    answers = [answer("a", 0.2, 0.8, probe="file", expects="flip"), answer("b", 0.2, 0.8, probe="file", expects="stay")]
    report = results.report(answers, [question], DOMAIN, model="minilm", split="attack", seed=0)
    assert report.results[0].expects == {"flip": 1, "stay": 1}
    assert "| file | flips 1, stays 1 | 2 | 50.0" in formats.markdown(report)


def many(count, shift=0.0625):
    return [answer(str(i), 0.25, 0.25 + shift, label=i % 2) for i in range(count)]


def report_of(answers, **options):
    return results.report(answers, [NEGATION], DOMAIN, model="minilm", split="attack", seed=0, **options)


def test_few_texts_are_counted_in_words_and_not_compared():
    text = "\n".join(tables.sheets(report_of(many(1)))[0].notes)
    assert "only 1 text, which agrees with" in text and "1 of 1 original right" in text
    assert "published ΔProb not to be compared with that of 1 text" in text and "outside our interval" not in text
    text = "\n".join(tables.sheets(report_of(many(12)))[0].notes)
    assert "published ΔProb outside our interval" in text and "only 12 texts" in text


def test_thirds_by_confidence_want_enough_texts():
    assert {group.by for group in report_of(many(29)).results[0].groups} == {"gold class"}
    assert {group.by for group in report_of(many(30)).results[0].groups} == {"gold class", "confidence"}


def test_nothing_moved_has_no_sign_and_p_1():
    (result,) = (report := report_of(many(3, shift=1e-9))).results
    assert result.p == 1.0
    assert "| 0.000 (0.000…0.000) | +0.021 | 1.000 |" in formats.markdown(report)
    assert tables.signed(-0.0001) == "0.000" and tables.signed(-0.0001, (-0.0004, 0.012)) == "0.000\n(0.000…+0.012)"


def test_a_published_column_has_one_number_of_digits():
    assert tables.published_digits([0.021, -0.0001]) == 4 and tables.published_digits([0.021, 0.0]) == 3
    assert tables.signed(0.021, digits=4) == "+0.0210" and tables.signed(-0.0001, digits=4) == "-0.0001"


def test_how_much_was_read_and_asked_is_said_everywhere(tmp_path):
    answers = [Answer.from_row(a.to_row() | {"truncated": a.id < "c"}) for a in ANSWERS[:5]]
    report = report_of(answers, reading=["domain.content=both"], capped="first 5 of 1,283 texts")
    assert report.title == "minilm on liar2, domain.content=both, first 5 of 1,283 texts"
    assert "2 of 4 texts longer than the victim reads" in formats.markdown(report)
    entry = benchmark.entry(report) | {"skipped": None, "rows": [benchmark.row(report.results[0])]}
    page = benchmark.markdown([entry], {}, {})
    assert "| liar2, domain.content=both, minilm, first 5 of 1,283 texts, sound | 4 |" in page
    assert "2 longer than the victim reads" in page
    (row, *_) = csv.DictReader(io.StringIO(formats.results_csv([report])))
    assert (row["capped"], row["reading"], row["truncated"]) == ("first 5 of 1,283 texts", "domain.content=both", "2")
    figures.save(report, tmp_path)
    assert "first 5 of 1,283 texts" in " ".join(
        ElementTree.parse(tmp_path / "flips.svg").getroot().itertext()).replace("\n", " ")


def test_the_figure_of_shifts_explains_itself(report, tmp_path):
    figures.save(report, tmp_path)
    words = " ".join(ElementTree.parse(tmp_path / "shifts.svg").getroot().itertext())
    assert figures.SHIFT_BOX in words and figures.SHIFT_MEAN in words
    low, high = report.results[0].overall.shift.interval
    bars = [line.get_xdata() for line in figures.shifts_figure(report).axes[0].lines]
    assert any(list(bar) == [low, high] for bar in bars)


def test_versions_of_one_original_are_told_apart():
    rows = [Answer.from_row(answer("a", 0.2, 0.3 + n / 10).to_row() | {"number": n, "of": 2}) for n in (1, 2)]
    text = formats.markdown(report_of(rows))
    assert "a (1 of 2)" in text and "a (2 of 2)" in text
    assert [row["number"] for row in csv.DictReader(io.StringIO(formats.pairs_csv(rows, DOMAIN.classes)))] == ["1", "2"]


def test_marks_that_turn_the_line_are_named():
    assert formats.plain("a\u202eb\u2066c") == "a\\<U+202E\\>b\\<U+2066\\>c"


ODD = ["=1+1", "+a", "-b", "@c", "\tx", "a|b\n# c", "<img src=x>", "\ud800 half", "nul\x00", "שלום", "e\u0301", "😀", "",
       "word " * 10_000]


def test_odd_texts_break_no_file(tmp_path):
    answers = [answer(str(i), 0.2, 0.3, text=text, changed=text + "x") for i, text in enumerate(ODD)]
    report = results.report(answers, [NEGATION], DOMAIN, model="minilm", split="attack", seed=0)
    for text in (formats.markdown(report), formats.latex(report), formats.results_csv([report])):
        text.encode("utf-8")
    table = formats.pairs_csv(answers, DOMAIN.classes)
    rows = list(csv.DictReader(io.StringIO(table.encode("utf-8").decode("utf-8"))))
    assert len(rows) == len(ODD)
    assert [row["original"] for row in rows[:5]] == ["'=1+1", "'+a", "'-b", "'@c", "'\tx"]
    assert rows[5]["original"] == "a|b\n# c" and float(rows[0]["p_fake_changed"]) == 0.3
    text = formats.markdown(report)
    assert "<img" not in text and "\n# c" not in text


def test_numbers_below_zero_stay_numbers(report):
    rows = list(csv.DictReader(io.StringIO(formats.results_csv([report]))))
    whole, *groups, party = rows
    assert float(whole["delta_prob_low"]) < 0 and whole["published_label_flip"] == "0.155" and whole["real_to_fake"] == "1"
    assert [row["group"] for row in groups[:2]] == ["gold class real", "gold class fake"]
    assert (party["probe"], party["texts"], party["label_flip"], party["p"]) == ("party", "0", "", "")


def test_a_long_text_is_shown_around_its_change():
    original = "a" * 1000 + " is " + "b" * 1000
    before, after = formats.around(original, original.replace(" is ", " is not "))
    assert before.startswith("…aaa") and before.endswith("b…") and " is not " in after and len(after) < 330


def test_latex_is_plain(report):
    text = formats.latex(report)
    assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") == len(tables.sheets(report))
    assert text.isascii() and "$\\Delta$Prob" in text and "(-0.062\\dots{}+0.406)" in text


def test_figures_are_files_of_both_kinds_and_the_same_each_time(report, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        figures.save(report, tmp_path / name)
    assert sorted(p.name for p in (tmp_path / "one").iterdir()) == ["flips.png", "flips.svg", "shifts.png", "shifts.svg"]
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    words = " ".join(ElementTree.parse(tmp_path / "one" / "flips.svg").getroot().itertext())
    assert "negation (sound)" in words and "n = 4" in words and "published (BERT-base)" in words


def test_the_benchmarks_page_of_two_domains_and_a_skipped_one(report):
    first = benchmark.entry(report) | {"skipped": None, "rows": [benchmark.row(each) for each in report.results]}
    first = json.loads(json.dumps(first, allow_nan=False))
    second = first | {"domain": "kaggle", "domain_stand_in": "old.csv", "seed": 1}
    skipped = {"domain": "liar6", "model": "minilm", "seed": 0, "skipped": "no data"}
    text = benchmark.markdown([first, second, skipped], {"all": "probes.md"}, {"Figure 1": "a.png"})
    for words in ("### Table 3. Negation", "### Table 4. Party reversal",
                  "| liar2, minilm, sound | 4 | 50.0 (15.0–85.0) | 15.5 | +0.156 (-0.062…+0.406) | +0.021 | 0.500 |",
                  "| kaggle (stand-in), minilm, seed 1, sound | 4 |", "kaggle: stand-in data, old.csv",
                  "liar6: left out, no data",
                  "no text to ask about (names no politician: 5)", "nobody has checked", "(probes.md)", "![Figure 1](a.png)",
                  "| liar2, minilm | 5 | 60.0 (23.1–88.2) | 60.0 | 57.5 |"):
        assert words in text
