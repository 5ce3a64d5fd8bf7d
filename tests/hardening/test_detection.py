"""What gives an attacked text away."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hardtext.core import InputError
from hardtext.hardening import detection
from hardtext.hardening.detection import SCORES, VICTIM_SCORES, Detector, Scorer
from hardtext.saliency.reaction import reactions

CLEAN = ("The minister said that the government lied about the budget, and nobody believed the minister.",)


class Lengths:
    """A masked LM to which long pieces are unusual."""

    name, mask, window = "lengths", "[MASK]", 4

    def pieces(self, words):
        return [[word] if word.strip("\x00") else [] for word in words]

    def topk(self, texts, k, positions=None, log_probabilities=False):
        raise AssertionError("perplexity is all that is asked of it")

    def perplexity(self, texts):
        return np.array([np.exp(np.mean([len(piece) for piece in text[: self.window]])) for text in texts])


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return Scorer(Lengths(), detection.counted([CLEAN, CLEAN, ("Zyrgl voted.",), ("Zyrgl won.",)]))


def scores(scorer: Scorer, *segments: str) -> dict[str, float]:
    return dict(zip(SCORES, scorer.scores([segments])[0], strict=True))


def test_clean_text_is_not_suspicious(scorer):
    found = scores(scorer, *CLEAN)
    assert [found[name] for name in ("foreign", "characters", "torn", "misspelt")] == [0, 0, 0, 0]


class Tipped:
    """A victim to which one word decides."""

    name, classes, fingerprint = "tipped", ("true", "fake"), "tipped"

    def probabilities(self, texts):
        return np.array([[0.2, 0.8] if "lied" in " ".join(text) else [0.6, 0.4] for text in texts])


def test_a_victim_adds_what_its_answers_tell(scorer):
    asked = Scorer(Lengths(), scorer._counts, Tipped())
    assert asked.names == (*SCORES, *VICTIM_SCORES)
    table = asked.scores([("The minister lied.",), ("The minister quaffed.",), ("The zebra lied lied.",), ("",)])
    assert (table[:, :len(SCORES)] == scorer.scores([("The minister lied.",), ("The minister quaffed.",),
                                                     ("The zebra lied lied.",), ("",)])).all()
    reaction, shift = table[:, len(SCORES):].T
    odds = np.log([0.8 / 0.2, 0.6 / 0.4])  # of either answer; a margin of log-odds between two classes is twice that
    # without "lied" the answer tips; no word tips the second; one of two words the third hangs on is not enough
    assert reaction == pytest.approx([2 * odds[1], -2 * odds[1], -2 * odds[0], -2 * odds[1]])
    lied, mean = (asked._surprise("lied"), np.mean([asked._surprise(w) for w in ("the", "minister", "lied")]))
    assert shift == pytest.approx([lied - mean, 0, 0, 0])


def test_long_texts_are_not_all_taken_apart_at_once(scorer, monkeypatch):
    most = []
    monkeypatch.setattr(detection, "reactions", lambda victim, texts: most.append(len(texts)) or reactions(victim, texts))
    asked = Scorer(Lengths(), scorer._counts, Tipped())
    texts = [(f"The minister lied {n} times.",) for n in range(20)] + [("word " * 10_000,), ("lied",), ("🔥 ~ [MASK]", "")]
    together = asked.scores(texts)
    assert max(most) <= 8 and sum(most) == 23
    assert together == pytest.approx(np.concatenate([asked.scores([text]) for text in texts])) and np.isfinite(together).all()


@pytest.mark.parametrize(("written", "raised"), [
    ("The minister said that the gоvernment lied.", {"foreign", "characters"}),  # a Cyrillic o
    ("The min\u200bister said that the government lied.", {"foreign", "characters"}),
    ("The minister said that the go vernment lied.", {"torn"}),
    ("The minister said that the goverment lied.", {"misspelt"}),
    ("The minister said that Zyrgl lied.", set()),  # a word of the domain's texts
    ("Москва – столица России. Ελλάδα. 東京2020 naïve café", set()),
])
def test_each_score_sees_its_own_kind_of_change(scorer, written, raised):
    found = scores(scorer, written)
    assert {name for name in ("foreign", "characters", "torn", "misspelt") if found[name] > 0} == raised


def test_shares_by_hand(scorer):
    found = scores(scorer, "The gоvernment said the goverment lied")
    assert found["foreign"] == pytest.approx(1 / 6) and found["misspelt"] == pytest.approx(1 / 6)
    assert found["characters"] == pytest.approx(1 / 38)
    assert found["perplexity"] == pytest.approx((3 + 10 + 4 + 3) / 4)  # the window holds four pieces


def test_rare_words_surprise(scorer):
    counts = detection.counted([CLEAN, CLEAN, ("Zyrgl voted.",), ("Zyrgl won.",)])
    assert counts["the"] == 8 and counts["zyrgl"] == 2
    total, kinds = sum(counts.values()), len(counts) + 1
    the, zebra = -np.log(9 / (total + kinds)), -np.log(1 / (total + kinds))
    assert scores(scorer, "The zebra")["rarity"] == pytest.approx((the + zebra) / 2)


def test_a_pair_is_read_as_one_text(scorer):
    assert scores(scorer, "The gоvernment lied", "a goverment")["foreign"] == pytest.approx(1 / 5)


@settings(max_examples=60)
@given(st.lists(st.text(st.characters(codec=None)), min_size=1, max_size=2))
@example([""])
@example(["", ""])
@example(["\ud800 lone \udfff"])
@example(["\x00\x00"])
@example(["🔥👩‍👩‍👧 !!!"])
@example(["مرحبا بالعالم ‏שלום"])
@example(["a" + "\u0301" * 50])
@example(["wοrd gо verment " * 3000])
def test_odd_texts_have_finite_scores(scorer, segments):
    table = scorer.scores([tuple(segments)])
    assert table.shape == (1, len(SCORES)) and np.isfinite(table).all() and (table >= 0).all()


def test_no_texts_have_no_scores(scorer):
    assert scorer.scores([]).shape == (0, len(SCORES))


def test_the_masked_lm_itself_takes_odd_texts():
    from hardtext.attacks.masked_lm import load_masked_lm

    real = Scorer(load_masked_lm("bundled:tiny", "cpu"), {})
    found = real._perplexities([("",), ("\x00",), ("\ud800",), ("🔥",), ("مرحبا",), ("word " * 10_000,), CLEAN])
    assert np.isfinite(found).all() and found[0] == 0 and found[-1] > 0


def test_the_combination_is_scikit_learns_and_survives_json():
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(0)
    clean = rng.normal(size=(60, len(SCORES)))
    attacked = rng.normal(size=(20, len(SCORES))) + [1.0, 0, 0.5, 0, 0, 0]
    clean[:, 3] = attacked[:, 3] = 2.0  # never varies
    detector = detection.fit(tuple(SCORES), attacked, clean)
    table = np.concatenate([attacked, clean])
    expected = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=1000)).fit(
        table, [1] * 20 + [0] * 60).predict_proba(table)[:, 1]
    assert detector(table) == pytest.approx(expected, abs=1e-6)
    again = Detector.from_row(json.loads(json.dumps(detector.to_row())))
    assert again == detector and (again(table) == detector(table)).all()
    assert detector(np.full((1, len(SCORES)), 1e12)) in ([0.0], [1.0])  # no overflow


@pytest.mark.parametrize("row", [{}, [], {"names": ["a"], "centre": [], "scale": [1], "weights": [1], "bias": 0}])
def test_a_damaged_detector_is_refused(row):
    with pytest.raises(InputError, match="not a detector"):
        Detector.from_row(row)
