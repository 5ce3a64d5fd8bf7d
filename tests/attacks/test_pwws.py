from __future__ import annotations

import numpy as np
import pytest

from hardtext.attacks.constraints import Constraints
from hardtext.attacks.punct_tokens import synonyms
from hardtext.attacks.pwws import PWWS, _softmax
from hardtext.attacks.requests import Similar
from hardtext.core import InputError
from hardtext.lexicon import wordnet


def texts(request):
    return [t[0] for t in request.texts]


def test_by_hand(play):
    """H = softmax(saliency) x best drop. senator has no synonym and is never asked about; purchased matters most, but its
    synonym takes so little that quick comes first."""
    assert wordnet.synonyms("purchased") == ["bought"] and wordnet.synonyms("senator") == []
    quick = wordnet.synonyms("quick")
    best = quick[1]
    text = "The senator  PURCHASED quick."

    def probability(segments):
        [t] = segments
        if "[UNK]" in t:
            return 0.4 if "[UNK] quick" in t else 0.8
        return 0.9 - 0.05 * ("BOUGHT" in t) - 0.3 * (f" {best}." in t) - 0.1 * (f" {quick[0]}." in t) - 0.2 * (
            "BOUGHT" in t and best in t)

    result, requests = play(PWWS(), text, probability)
    masked, asked, turns = requests
    assert masked.probe and texts(masked) == ["The senator  [UNK] quick.", "The senator  PURCHASED [UNK]."]
    assert texts(asked) == ["The senator  BOUGHT quick.", *(f"The senator  PURCHASED {s}." for s in quick)]
    # 0.05 exp(0.5) < 0.3 exp(0.1)
    assert texts(turns) == [f"The senator  PURCHASED {best}.", f"The senator  BOUGHT {best}."]
    assert turns.until_flip == 0 and result == (texts(turns)[1],)


def test_saliency_can_turn_the_order(play):
    """As above with drops 0.1 and 0.11, so that the saliency of 0.5 against 0.1 decides."""
    best = wordnet.synonyms("quick")[0]

    def probability(segments):
        [t] = segments
        if "[UNK]" in t:
            return 0.4 if "[UNK] quick" in t else 0.8
        return 0.9 - 0.1 * ("bought" in t) - 0.11 * (best in t)

    _, requests = play(PWWS(), "we purchased quick", probability)
    assert texts(requests[2])[0] == "we bought quick"


def test_a_word_whose_synonyms_take_nothing_stays(play):
    result, requests = play(PWWS(), "we purchased it", lambda t: 0.9)
    assert result is None and [texts(r) for r in requests] == [["we [UNK] it"], ["we bought it"]]


def test_constraints(play):
    def probability(segments):
        return 0.9 - 0.01 * len(segments[0].split("bought"))

    text = "purchased purchased purchased purchased x x x x"
    _, requests = play(PWWS(constraints=Constraints(max_changed=0.25)), text, probability)
    assert len(requests[-1].texts) == 2
    _, requests = play(PWWS(constraints=Constraints(similarity=0.5)), "purchased quick", probability,
                       similar=lambda a, b: 0.9 if "bought" in b else 0.1)
    assert isinstance(requests[0], Similar) and texts(requests[3]) == ["bought quick"]


def test_the_softmax():
    assert _softmax(np.log([1, 2, 3])) == pytest.approx([0.5, 1, 1.5])  # the mean is 1 however many words
    assert np.isfinite(_softmax(np.array([1e4, -1e4]))).all()


def test_nothing_to_change(play):
    assert play(PWWS(), "the 7 of senator", lambda t: 0.9) == (None, [])


def test_published_by_hand(play):
    """Every word asks the original anew, and every word is put in turn, changed or not."""
    text = ("The LIAR lied.",)
    [best, lied] = [synonyms("liar")[0], synonyms("lied")]

    def probability(segments):
        [t] = segments
        if "<UNK>" in t:
            return {"the <UNK> lied .": 0.5, "the liar <UNK> .": 0.8}.get(t, 0.9)
        return 0.9 - 0.3 * (best in t) - 0.2 * (f" {lied[1]} ." in t)

    result, requests = play(PWWS(variant="published"), text, probability)
    assert texts(requests[0]) == ["<UNK> liar lied .", "the <UNK> lied .", "the liar <UNK> .", "the liar lied <UNK>"]
    assert texts(requests[1]) == ["the liar lied ."]
    assert texts(requests[2]) == [f"the {best} lied .", "the liar lied .", *(f"the liar {s} ." for s in lied),
                                  "the liar lied ."]
    assert texts(requests[3]) == [f"the {best} lied .", f"the {best} {lied[1]} .", f"the {best} {lied[1]} ."]
    assert result == (f"the {best} {lied[1]} .",)


def test_published_settings():
    with pytest.raises(InputError, match="attack.constraints.stop_words=False: attack.variant=published does not use it"):
        PWWS(variant="published", constraints=Constraints(stop_words=False))
    with pytest.raises(InputError, match="attack.variant=paper: expected one of hardtext, published"):
        PWWS(variant="paper")
