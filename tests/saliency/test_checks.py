"""Comprehensiveness and sufficiency, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from hardtext.saliency import Attribution, explain, faithfulness, shuffled
from hardtext.text import words
from hardtext.victims import load_victim

WEIGHTS = {"hoax": 0.4, "secret": 0.2, "the": 0.0, "said": 0.0, "study": -0.2}


def answer(strings):
    """P(fake) = 0.5 + the weights of the words in the text."""
    fake = np.array([0.5 + sum(w for word, w in WEIGHTS.items() if word in s.split()) for s in strings])
    return np.stack([1 - fake, fake], axis=1)


VICTIM = load_victim(answer, classes=("credible", "fake"))


def ranked(text, order, target=1):
    """An attribution that names the words in this order."""
    value = {word: -float(i) for i, word in enumerate(order)}
    return Attribution((text,), target, tuple((0, w.start, w.end, value[w.text]) for w in words(text)), 0.0, (len(text),))


def test_by_hand():
    text = "the hoax said secret"  # p = 1.1 - but weights are small enough: 0.5 + 0.4 + 0.2 would pass 1
    WEIGHTS.update(hoax=0.3, secret=0.1)
    try:
        # 4 words: the top 1, 5, 10 and 20 % are one word, 50 % are two
        found = faithfulness(VICTIM, [ranked(text, ["hoax", "secret", "the", "said"]),
                                      ranked(text, ["the", "said", "secret", "hoax"]),
                                      ranked(text, ["hoax", "secret", "the", "said"], target=0)])
        assert found[0] == pytest.approx([(4 * 0.3 + 0.4) / 5, (4 * 0.1 + 0.0) / 5])
        assert found[1] == pytest.approx([0.0, 0.4])
        assert found[2] == pytest.approx(-found[0])  # for the other class every change turns round
        one = faithfulness(VICTIM, [ranked(text, ["hoax", "secret", "the", "said"])], shares=(0.75,))
        assert one[0] == pytest.approx([0.4, 0.0])
    finally:
        WEIGHTS.update(hoax=0.4, secret=0.2)


def test_texts_without_words_have_none():
    empty = Attribution(("  ",), 1, (), 0.3, (2,))
    found = faithfulness(VICTIM, [empty, ranked("the", ["the"])])
    assert np.isnan(found[0]).all() and found[1].tolist() == [0.0, 0.0]
    assert faithfulness(VICTIM, []).shape == (0, 2)


def test_a_method_that_knows_beats_a_random_order():
    texts = [("the said hoax the said the study said the",)] * 1 + [(f"the said {'the ' * n}hoax said",) for n in range(1, 9)]
    known = list(explain(VICTIM, texts, method="occlusion", target=[1] * len(texts)))
    found, chance = faithfulness(VICTIM, known), faithfulness(VICTIM, shuffled(known))
    assert (found[:, 0] > 0.39).all() and (found[:, 1] < 0.01).all()
    assert chance[:, 0].mean() < 0.3 and chance[:, 1].mean() > 0.1


def test_shuffled_is_seeded_and_keeps_the_values(make_victim, texts):
    victim = make_victim("bert")
    known = list(explain(victim, texts, target=[1] * len(texts)))
    first, again, other = shuffled(known), shuffled(known[::-1])[::-1], shuffled(known, seed=1)
    assert first == again and first != other
    for a, b in zip(first, known, strict=True):
        assert sorted(w[3] for w in a.words()) == sorted(w[3] for w in b.words()) and a.target == b.target
        assert [w[:3] for w in a.words()] == [w[:3] for w in b.words()]


@pytest.mark.parametrize("kind", ["bert", "roberta", "bilstm", "legacy"])
def test_of_a_network_the_pieces_are_blanked(kind, make_victim):
    """Against the network asked with the blank's id in the words' places."""
    victim = make_victim(kind, batch_tokens=30)
    text = ("the hoax said", "a secret zzz")
    [known] = explain(victim, [text], method="occlusion", target=[1])
    order = sorted(range(6), key=lambda i: -known.words()[i][3])
    ids, spans = victim.tokens([text]).ids.tolist(), victim.tokens.spans(text)
    blank = victim.tokens.tokenizer.convert_tokens_to_ids(victim.inside().blank)
    types = None if victim.tokens([text]).types is None else victim.tokens([text]).types.tolist()

    def p(removed):
        import torch

        places = [known.words()[i] for i in removed]
        changed = [blank if span and any(span[0] == s and a <= span[1] < b for s, a, b, _ in places) else piece
                   for piece, span in zip(ids, spans, strict=True)]
        extra = {} if types is None else {"token_type_ids": torch.tensor([types])}
        with torch.no_grad():
            return victim.net.eval()(input_ids=torch.tensor([changed]), **extra).logits.softmax(1)[0, 1].item()

    # 6 words: one word for 1, 5 and 10 %, two for 20 %, three for 50 %
    whole = p([])
    expected = [whole - (3 * p(order[:1]) + p(order[:2]) + p(order[:3])) / 5,
                whole - (3 * p(order[1:]) + p(order[2:]) + p(order[3:])) / 5]
    assert faithfulness(victim, [known])[0] == pytest.approx(expected, abs=1e-5)
    assert max(map(abs, expected)) > 1e-3
