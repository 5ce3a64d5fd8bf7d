"""The views of saliency: words over a corpus, intensifiers, what an attack changed, which texts to show."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from hardtext import records, text
from hardtext.core import Attempt, Domain, InputError
from hardtext.reporting.saliency import adverbs, changed, colours, corpus, sentences, tables, views
from hardtext.reporting.saliency.rows import Explained

CLASSES = ("real", "fake")


def explained(*segments: str, values=(), id="1", label=0, target=1, prediction=0, probs=(0.75, 0.25), read=None,
              **more) -> Explained:
    """A row whose words and marks have ``values`` in order, 0 where those end."""
    found = text.words(segments)
    values = [*values, *[0.0] * len(found)]
    pieces = tuple((w.segment, w.start, w.end, float(v)) for w, v in zip(found, values))
    return Explained(id, "gradient_x_input", target, label, prediction, list(probs), segments, pieces, 0.5,
                     read or tuple(map(len, segments)), **more)


def success(original, adversarial, id="1") -> Attempt:
    return Attempt(id, "pr", "bilstm", "mine", 0, original, adversarial, "success", None, None, 1, 1, 0.0, 0)


def about(**changes) -> views.About:
    return views.About(**{"domain": Domain("liar2", CLASSES), "victim": "bilstm", "method": "gradient_x_input",
                          "lexicon": "default", "target": "positive", "min_count": 1, "seed": 0} | changes)


# The corpus


def test_words_by_hand():
    """"won" stands in two texts, three times: 1, 3 and 5; mean 3, sd 2."""
    rows = [explained("Won, won.", values=[1, 9, 3]), explained("He WON", values=[-2, 5], id="2", label=1, target=0)]
    won, he = corpus.word_saliency(rows)
    assert (won.word, won.texts, won.occurrences, won.mean, won.sd) == ("won", 2, 3, 3.0, 2.0)
    assert won.labels == {0: (1, 2.0), 1: (1, 5.0)} and won.targets == {1: (1, 2.0), 0: (1, 5.0)}
    assert (he.word, he.texts, he.mean) == ("he", 1, -2.0) and math.isnan(he.sd)


def test_the_most_extreme_words_come_first():
    rows = [explained("a b c d", values=[1, -3, 2, 0])]
    assert [w.word for w in corpus.extremes(corpus.word_saliency(rows), 3)] == ["b", "c", "a"]


def word(name, texts, mean) -> corpus.WordSaliency:
    return corpus.WordSaliency(name, texts, texts, mean, math.nan)


def test_the_trend_finds_a_power_law_and_is_not_pulled_by_outliers():
    drawn = numpy.random.default_rng(0)
    words = [word(f"{f}-{i}", f, sign * f**-0.5 * drawn.uniform(0.9, 1.1)) for f in (1, 2, 4, 8, 16, 32) for i in range(40)
             for sign in (1, -1)]
    clean = corpus.trend(words)
    assert clean.slope == pytest.approx(-0.5, abs=0.03) and clean.frequency.tolist() == pytest.approx([1, 2, 4, 8, 16, 32])
    pulled = corpus.trend([*words, *[word(f"x{i}", 32, 1000.0) for i in range(5)]])
    assert pulled.slope == pytest.approx(-0.5, abs=0.05) and pulled.median[-1] < 0.3
    assert (clean.low < clean.median).all() and (clean.median < clean.high).all()


def test_bins_hold_enough_words_and_every_word():
    words = [word(str(i), f, 0.1) for i, f in enumerate([1] * 50 + [2] * 5 + [3] * 16 + [9] * 4)]
    bins = corpus._bins(numpy.array([w.texts for w in words], float))
    assert [len(part) for part in bins] == [50, 25]  # 2, 3 make a bin, 9 is too small for one
    assert sorted(i for part in bins for i in part) == list(range(75))


@pytest.mark.parametrize("words", [[], [word("a", 1, 0.0)], [word("a", 1, 0.5), word("b", 3, -0.5)]])
def test_a_trend_of_next_to_nothing(words):
    found = corpus.trend(words)
    assert len(found.frequency) == min(1, len(words)) and math.isnan(found.slope)


# Intensifiers


def test_shares_by_hand():
    """|1| + |−3| of 1 + 3 + 2 + 4 on "very" and "totally"; 2 of 4 words. The mark's 100 counts for nothing."""
    rows = [explained("Very totally bad day!", values=[1, -3, 2, 4, 100])]
    share = adverbs.share(rows, adverbs.lexicon("published"), 0)
    assert (share.attribution, share.words, share.ratio) == (0.4, 0.5, 0.8)
    assert share.with_intensifier == 1 and share.attribution_interval is None and share.ratio_interval is None


def test_shares_by_class_and_their_interval():
    rows = [explained("very bad", values=[1, 1 + i % 3], id=str(i), label=i % 2) for i in range(40)]
    found = adverbs.shares(rows, frozenset({"very"}), (*CLASSES, "unused"), 0)
    assert list(found) == ["all texts", "gold: real", "gold: fake"] and found["gold: fake"].texts == 20
    low, high = found["all texts"].attribution_interval
    assert low < found["all texts"].attribution < high and high - low < 0.1


def test_few_texts_have_no_interval_and_are_called_few():
    rows = [explained("very bad", values=[1, 1 + i % 3], id=str(i)) for i in range(9)]
    rows += [explained("so it is", values=[1, 1, 1], id=f"other {i}") for i in range(50)]
    few, enough = (adverbs.share(part, frozenset({"very"}), 0) for part in (rows, [*rows, explained("very")]))
    assert few.ratio is not None and few.ratio_interval is None and few.attribution_interval is None
    assert tables.ratio(few).endswith(" (few texts)") and tables.held(few).endswith(" (few texts)")
    assert enough.ratio_interval is not None and "few" not in tables.ratio(enough)
    assert tables.held(adverbs.share(rows, frozenset({"none"}), 0)) == "0.00%"


@pytest.mark.parametrize("rows", [[], [explained("")], [explained("very bad", values=[0, 0])] * 3])
def test_shares_of_nothing(rows):
    share = adverbs.share(rows, frozenset({"very"}), 0)
    assert share.attribution is None and share.attribution_interval is None


def test_an_unknown_lexicon_is_refused():
    with pytest.raises(InputError, match="saliency.lexicon=mine: expected one of default, published"):
        adverbs.lexicon("mine")


# What an attack changed


def test_agreement_by_hand():
    """Words by |value|: bad 4, is 3, man 2, the 1. "bad" and "the" changed: the top 2 hold one of two; pairs of changed
    and kept word in order: bad beats is and man, the beats none: 2 of 4."""
    row = explained("the bad man is", values=[1, -4, 2, 3])
    attempt = success(row.segments, ("one poor man is",))
    text_ = changed.compare(row, changed.changed_words(attempt))
    assert (text_.words, text_.changed, text_.measures["top"], text_.measures["chance"]) == (4, 2, 0.5, 0.5)
    assert text_.measures["auc"] == 0.5 and text_.measures["gain"] == 0.0
    assert sorted(text_.ranks) == [0.0, 1.0]


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=30))
def test_measures_equal_the_libraries(pairs):
    values, hits = zip(*pairs)
    row = explained(" ".join("w" for _ in values), values=values)
    found = changed.compare(row, {(0, 2 * i) for i, hit in enumerate(hits) if hit})
    if len(set(hits)) == 1 or len(set(values)) == 1:
        assert found is None
        return
    assert found.measures["auc"] == pytest.approx(roc_auc_score(hits, values))
    assert found.measures["point_biserial"] == pytest.approx(stats.pointbiserialr(hits, values)[0])
    assert found.measures["spearman"] == pytest.approx(stats.spearmanr(hits, values)[0])
    assert found.measures["chance"] == pytest.approx(  # the mean of the hypergeometric distribution, over k
        stats.hypergeom(len(hits), sum(hits), sum(hits)).mean() / sum(hits))
    assert 0 <= found.measures["top"] <= 1


def test_ties_at_the_edge_of_the_top_count_by_their_share():
    row = explained("a b c d", values=[5, 1, 1, 1])
    assert changed.compare(row, {(0, 0), (0, 2)}).measures["top"] == pytest.approx((1 + 1 / 3) / 2)


def test_agreement_over_texts_says_what_it_leaves_out():
    good = [explained("the bad man is", values=[1, 9, 2, 3], id=str(i)) for i in range(10)]
    attempts = {row.id: success(row.segments, ("the poor man is",), row.id) for row in good}
    pair = explained("some evidence", "a claim", values=[1, 2, 3, 4], id="p")
    attempts["p"] = success(pair.segments, ("some ~ evidence", "a claim"), "p")
    added = explained("he won", values=[1, 2], id="i")
    attempts["i"] = success(added.segments, ("he won again",), "i")
    found = changed.agreement([*good, pair, added, explained("not attacked", id="n")], attempts, 0)
    assert len(found.texts) == 10 and found.means["auc"] == 1.0 and found.means["top"] == 1.0
    assert sorted(found.left_out.values()) == [1, 1] and found.overall == 0.25
    assert found.tenths[0] == 1.0 and found.intervals["auc"] == [1.0, 1.0]
    assert changed.agreement(good[:9], attempts, 0).intervals == {}  # too few for an interval


def test_no_success_is_no_agreement():
    found = changed.agreement([], {}, 0)
    assert found.texts == [] and found.means == {} and math.isnan(found.overall)
    json.loads(records.dumps(views.summary(views.look([], about(), {}))))


# Single texts


def test_texts_are_chosen_by_their_intensifiers_and_their_mistakes():
    rows = [explained("plain text", values=[1, 1], id="plain"),
            explained("very bad", values=[0.5, 9], id="weak"), explained("totally bad", values=[-5, 9], id="strong"),
            explained("wrong", id="sure", prediction=1, probs=(0.1, 0.9)),
            explained("wrong", id="unsure", prediction=1, probs=(0.4, 0.6)),
            explained("unknown label", id="none", label=-1, prediction=1)]
    found = sentences.chosen(rows, frozenset({"very", "totally"}), CLASSES)
    assert [s.row.id for s in found] == ["strong", "weak", "sure", "unsure", "plain", "none"]
    assert found[0].reasons == ("intensifier “totally”: -5",) and found[2].reasons == ("a mistake it is sure of (90%)",)
    assert found[3].reasons == ("a mistake (60%)",)


def test_a_text_keeps_every_character_in_order():
    row = explained("  He won,\n again ", values=[1, -2], read=(12,))
    side = sentences.sentence(row).sides[0]
    assert "".join(part.text for part in side.parts) + side.unread == row.segments[0].rstrip()
    assert [(p.text, p.step) for p in side.parts if p.value is not None][:2] == [("He", 5), ("won", -10)]


def test_a_pair_is_shown_apart_on_one_scale():
    found = sentences.sentence(explained("He won", "Yes", values=[1, 1, -2]), changed=[(1, 0)])
    assert [(s.name, s.share) for s in found.sides] == [("evidence", 0.5), ("claim", 0.5)]
    assert found.limit == 2 and [p.changed for p in found.sides[1].parts] == [True]
    assert found.strongest[0] == ("Yes", -2.0)


@pytest.mark.parametrize("segments", [("",), ("", ""), ("\ud800 \x00\x1b[31m",), ("😀😀",), ("שלום עולם",),
                                      ("e\u0301" * 300,), ("!?",)])
def test_odd_texts_make_views(segments):
    found = views.look([explained(*segments, values=[1])], about())
    summary = views.summary(found)
    assert summary["texts"] == 1 and json.loads(records.dumps(summary)) == summary
    shown = "".join(part.text for part in found.sentences[0].sides[0].parts)
    assert "\x1b" not in shown and "\x00" not in shown
    shown.encode("utf-8")
    assert views.words_csv(found).startswith("word,texts,occurrences,mean,sd")


def test_what_is_not_read_is_said():
    row = explained("word " * 600, read=(50,))
    row = Explained.from_row(row.to_row() | {"pieces": row.pieces[:10]})
    side = sentences.sentence(row).sides[0]
    assert side.unread_characters == 2950 and len(side.unread) == 200


# Colours, the summary, the CSV


@pytest.mark.parametrize("theme", [colours.LIGHT, colours.DARK])
def test_text_is_readable_on_every_step(theme):
    for step in range(-colours.STEPS, colours.STEPS + 1):
        assert colours.contrast(theme.ink, theme.colour(step)) >= 4.5


@pytest.mark.parametrize("theme", [colours.LIGHT, colours.DARK])
def test_the_scale_is_centred_and_grows_to_both_sides(theme):
    assert theme.colour(0) == theme.middle
    for side in (1, -1):
        away = [colours.contrast(theme.middle, theme.colour(side * step)) for step in range(colours.STEPS + 1)]
        assert away == sorted(away) and away[-1] > 1.5


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_steps_keep_their_sign_and_their_bounds(value, limit):
    step = colours.step(value, limit)
    assert -colours.STEPS <= step <= colours.STEPS and step * value >= 0 and colours.step(-value, limit) == -step


def test_the_csv_has_a_column_for_each_class():
    rows = [explained("won", values=[1], target=0), explained("won", values=[3], id="2", label=1, target=1)]
    table = list(csv.DictReader(io.StringIO(views.words_csv(views.look(rows, about())))))
    assert table == [{"word": "won", "texts": "2", "occurrences": "2", "mean": "2", "sd": "1.41421",
                      "texts label=real": "1", "mean label=real": "1", "texts label=fake": "1", "mean label=fake": "3",
                      "texts target=real": "1", "mean target=real": "1", "texts target=fake": "1", "mean target=fake": "3"}]


def test_the_summary_counts_and_averages():
    rows = [explained("won it", values=[1, 1], read=(3,), gap=0.02, comprehensiveness=0.5, comprehensiveness_random=0.1),
            explained("lost", values=[-2], id="2", prediction=1, gap=0.04, comprehensiveness=0.3,
                      comprehensiveness_random=0.1)]
    found = views.summary(views.look(rows, about(stand_ins=("domain: generated",))))
    assert (found["texts"], found["truncated"], found["accuracy"], found["gap"]) == (2, 1, 0.5, pytest.approx(0.03))
    assert found["comprehensiveness"] == pytest.approx(0.4) and found["sufficiency"] is None
    assert found["special_share"] == pytest.approx(1 / 5) and found["stand_ins"] == ["domain: generated"]


@pytest.mark.parametrize(("target", "positive", "words"), [
    ("positive", (1,), "the class fake"), ("predicted", (1,), "predicts"), ("real", (1,), "the class real"),
    ("positive", (0, 1), r"likeliest of the non-credible classes \(real, fake\)"), ("label", (1,), "gold")])
def test_what_is_explained_in_words(target, positive, words):
    import re

    assert re.search(words, about(target=target, domain=Domain("liar2", CLASSES, positive)).explained)
