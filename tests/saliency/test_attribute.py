"""Every method: equal to slow loops written out here, whatever shares the batch, and no text makes it fail."""

from __future__ import annotations

import logging
import math

import numpy as np
import pytest
import torch

from hardtext.core import InputError
from hardtext.saliency import METHODS, attribute, explain, gradients
from hardtext.victims import load_victim
from hardtext.victims.local import LocalVictim

ODD = [("",), ("   ",), ("\U0001f525\U0001f525 hoax",), ("a\ud800b",), ("e\u0301\u200f senate",), ("word " * 3000,),
       ("\x00",), ("\u6f22\u5b57 zzz",), ("senate", "hoax"), ("", "hoax"), ("hoax", ""), ("", ""),
       ("the " * 300, "secret " * 20)]


def sole(victim, text):
    """The ids and vectors of one text."""
    batch = victim.tokens([text]).batch(np.array([0]))
    return batch, victim.net.get_input_embeddings()(batch.ids).detach()


def logit(victim, batch, vectors, target):
    """By the network's own ``inputs_embeds``, of one text without pads."""
    types = {} if batch.types is None else {"token_type_ids": batch.types}
    return victim.net.eval()(inputs_embeds=vectors, attention_mask=torch.ones_like(batch.ids), **types).logits[0, target]


def values(a):
    return np.array([value for *_, value in a.pieces] + [a.special])


def close(a, b):
    """Equal up to the rounding of logits of this size in float32."""
    assert [p[:3] for p in a.pieces] == [p[:3] for p in b.pieces] and (a.segments, a.read) == (b.segments, b.read)
    assert np.abs(values(a) - values(b)).max() <= 2e-6 + 1e-5 * np.abs(values(b)).max()


def test_gradient_x_input_equals_a_double_loop(victim, texts):
    target = [i % 2 for i in range(len(texts))]
    spread = []
    for text, t, found in zip(texts, target, explain(victim, texts, target=target), strict=True):
        batch, vectors = sole(victim, text)
        vectors.requires_grad_()
        logit(victim, batch, vectors, t).backward()
        expected, special = [], 0.0
        for piece, span in enumerate(victim.tokens.spans(text)):
            total = 0.0
            for dimension in range(vectors.shape[2]):
                total += vectors.grad[0, piece, dimension].item() * vectors[0, piece, dimension].item()
            if span is None:
                special += total
            else:
                expected.append((*span, total))
        assert [p[:3] for p in found.pieces] == [e[:3] for e in expected]
        assert np.allclose([p[3] for p in found.pieces], [e[3] for e in expected], rtol=0, atol=1e-6)
        assert found.special == pytest.approx(special, abs=1e-6) and found.target == t and found.gap is None
        spread += [value for *_, value in expected]
    assert np.std(spread) > 1e-2  # the numbers compared are no zeros


@pytest.mark.parametrize("method", METHODS)
def test_neighbours_change_nothing(method, victim, texts):
    target = [i % 2 for i in range(len(texts))]
    together = list(explain(victim, texts, method=method, target=target, steps=8, batch_tokens=150))
    for text, t, found in zip(texts, target, together, strict=True):
        [alone] = explain(victim, [text], method=method, target=[t], steps=8)
        close(found, alone)
    assert [a.segments for a in together] == texts and [a.target for a in together] == target


def test_roberta_counts_positions_by_the_ids(make_victim):
    victim = make_victim("roberta")
    text = ("senate <pad> hoax said the budget",)  # a pad inside has no position, which inputs_embeds alone would give it
    [found], (batch, vectors) = explain(victim, [text], target=[1]), sole(victim, text)
    assert (batch.ids == 1).any()
    positions = torch.where(batch.ids == 1, 1, (batch.ids != 1).long().cumsum(1) + 1)
    vectors.requires_grad_()
    net = victim.net.eval()
    net(inputs_embeds=vectors, position_ids=positions, attention_mask=torch.ones_like(batch.ids)).logits[0, 1].backward()
    products = (vectors.grad * vectors).sum(dim=2)[0].tolist()
    assert np.allclose([p[3] for p in found.pieces], products[1:-1], rtol=0, atol=1e-6)
    vectors.grad = None
    logit(victim, batch, vectors, 1).backward()
    assert np.abs((vectors.grad * vectors).sum(dim=2)[0].numpy(force=True) - products).max() > 1e-4


@pytest.mark.parametrize("kind", ["bert", "bilstm"])
def test_integrated_gradients_equal_a_fine_sum(kind, make_victim, texts):
    victim = make_victim(kind)
    blank = {"bert": "[MASK]", "bilstm": "[PAD]"}[kind]
    assert victim.inside().blank == blank
    for text in texts[-1:]:
        [found] = explain(victim, [text], method="integrated_gradients", target=[1])
        batch, vectors = sole(victim, text)
        kept = torch.tensor([span is None for span in victim.tokens.spans(text)])[None, :, None]
        blank_vector = victim.net.get_input_embeddings().weight[victim.tokens.tokenizer.convert_tokens_to_ids(blank)]
        baseline = torch.where(kept, vectors, blank_vector.detach())
        points, sums = 200, torch.zeros_like(vectors)
        for i in range(points):  # the middle of each part of the line
            at = (baseline + (i + 0.5) / points * (vectors - baseline)).requires_grad_()
            sums += torch.autograd.grad(logit(victim, batch, at, 1), at)[0] / points
        expected = (sums * (vectors - baseline)).sum(dim=2)[0]
        assert np.allclose([p[3] for p in found.pieces], expected[~kept[0, :, 0]].tolist(), atol=2e-3)
        assert found.special == 0 and found.gap < 0.01
        change = (logit(victim, batch, vectors, 1) - logit(victim, batch, baseline, 1)).item()
        assert sum(p[3] for p in found.pieces) == pytest.approx(change, rel=0.01) and abs(change) > 0.01


def trained(victim):
    """Taught that 'hoax' is fake, with some weight on each other word of the text."""
    torch.manual_seed(0)
    optimizer = torch.optim.Adam(victim.net.train().parameters(), 0.02)
    texts = [(f"{a} {word} {b}",) for word in ("hoax", "senate") for a in ("the", "they", "said")
             for b in ("budget", "study")]
    batch = victim.tokens(texts).batch(np.arange(len(texts)))
    labels = torch.tensor([1] * 6 + [0] * 6)
    for _ in range(40):
        loss = torch.nn.functional.cross_entropy(victim.inside().logits(batch), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert (victim.probabilities(texts).argmax(1) == labels.numpy()).all()
    return texts


@pytest.mark.parametrize("kind", ["bert", "bilstm"])
def test_on_a_trained_victim_the_gap_is_small_and_the_word_is_found(kind, make_victim):
    victim = make_victim(kind)
    texts = trained(victim)
    for method in METHODS:
        found = list(explain(victim, texts[:6], method=method, target=[1] * 6))
        best = [max(a.words(), key=lambda w: w[3]) for a in found]
        named = sum(a.segments[s][start:end] == "hoax" for a, (s, start, end, _) in zip(found, best, strict=True))
        assert named >= (6 if method != "gradient_x_input" else 0), method  # a saturated logit's gradient may say otherwise
        if method == "integrated_gradients":
            assert max(a.gap for a in found) < 0.01


def test_more_steps_where_the_gap_is_wide(make_victim, texts, monkeypatch, caplog):
    victim = make_victim("bert")
    asked = []
    integrate = gradients._integrate

    def watched(inside, table, rows, spans, target, steps, batch_tokens):
        asked.append((steps, len(rows)))
        return integrate(inside, table, rows, spans, target, steps, batch_tokens)

    monkeypatch.setattr(gradients, "_integrate", watched)
    found = list(explain(victim, texts, method="integrated_gradients", target=[1] * len(texts), steps=3))
    assert asked[0] == (3, len(texts)) and [steps for steps, _ in asked] == [3, 6, 12, 24][: len(asked)]
    assert len(texts) > asked[1][1] > 0 and all(a >= b for (_, a), (_, b) in zip(asked, asked[1:]))
    with caplog.at_level(logging.WARNING):
        monkeypatch.setattr(gradients, "MOST_DOUBLINGS", 0)
        short = list(explain(victim, texts, method="integrated_gradients", target=[1] * len(texts), steps=3))
    wide = sum(a.gap > 0.01 for a in short)
    assert wide == asked[1][1] and f"{wide} of {len(texts)} texts keep a completeness gap over 1 %" in caplog.text
    assert all(a.gap <= b.gap for a, b in zip(found, short, strict=True))


@pytest.mark.parametrize("kind", ["bert", "roberta", "bilstm"])
def test_occlusion_is_the_logit_lost(kind, make_victim):
    victim = make_victim(kind)
    text = ("the shocking-secret hoax", "they zzz said")
    [found] = explain(victim, [text], method="occlusion", target=[0])
    assert [text[s][a:b] for s, a, b, _ in found.pieces] == ["the", "shocking-secret", "hoax", "they", "zzz", "said"]
    tokenizer = victim.tokens.tokenizer
    blank = tokenizer.pad_token_id if kind == "bilstm" else tokenizer.mask_token_id
    batch = victim.tokens([text]).batch(np.array([0]))
    types = {} if batch.types is None else {"token_type_ids": batch.types}
    expected = []
    for s, start, end, _ in found.pieces:
        ids = batch.ids.clone()
        for i, span in enumerate(victim.tokens.spans(text)):
            if span is not None and span[0] == s and start <= span[1] and span[2] <= end:
                ids[0, i] = blank
        assert (ids != batch.ids).sum() >= 1
        with torch.no_grad():
            whole, without = (victim.net.eval()(input_ids=x, **types).logits[0, 0].item() for x in (batch.ids, ids))
        expected.append(whole - without)
    assert np.allclose([v for *_, v in found.pieces], expected, atol=2e-6) and np.std(expected) > 1e-2
    assert found.special == 0 and found.words() == found.pieces


def test_a_function_is_asked_without_its_words():
    asked = []

    def answer(strings):
        asked.extend(strings)
        fake = np.array([0.8 if "hoax" in s else 0.2 for s in strings])
        return np.stack([1 - fake, fake], axis=1)

    victim = load_victim(answer, classes=("credible", "fake"))
    [found] = explain(victim, [("a hoax!", "said")], method="occlusion", target=[1])
    assert asked == ["a hoax! ~ said", " hoax! ~ said", "a ! ~ said", "a hoax ~ said", "a hoax! ~ "]
    log_odds = math.log(0.8 / 0.2) - math.log(0.2 / 0.8)
    assert [p[3] for p in found.words()] == pytest.approx([0, log_odds, 0, 0])
    sure = load_victim(lambda strings: [[float("a" not in s), float("a" in s)] for s in strings], classes=("b", "c"))
    [found] = explain(sure, [("a",)], method="occlusion", target=[1])
    assert found.pieces[0][3] == pytest.approx(2 * math.log((1 - 1e-7) / 1e-7))
    for method in ("gradient_x_input", "integrated_gradients"):
        with pytest.raises(InputError, match=f"method={method}: .*weights of victim answer are not .*method=occlusion"):
            explain(victim, [], method=method, target=[])


@pytest.mark.parametrize("method", METHODS)
def test_no_text_makes_it_fail(method, victim):
    found = list(explain(victim, ODD, method=method, target=[1] * len(ODD), steps=4))
    for text, a in zip(ODD, found, strict=True):
        assert a.segments == text and np.isfinite(values(a)).all() and len(a.read) == len(text)
        assert all(0 <= start < end <= len(text[s]) for s, start, end, _ in a.words())
        assert a.truncated == (len("".join(text)) > 500)
        assert all(start < a.read[s] for s, start, *_ in a.words())
        if not "".join(text).strip():
            assert not a.words() and (method != "gradient_x_input" or victim.name == "gpt2" or a.special != 0)
    assert list(explain(victim, [], method=method, target=[])) == []


def test_labels_of_the_net_become_classes(make_victim, texts):
    plain = make_victim("bert")
    turned = make_victim("bert", columns=np.array([[0, 1], [1, 0]], np.float32))
    n = len(texts)
    for a, b in zip(explain(plain, texts, target=[0] * n), explain(turned, texts, target=[1] * n), strict=True):
        assert np.allclose(values(a), values(b), atol=1e-6)
    three = make_victim("bert")
    three.net.classifier = torch.nn.Linear(16, 3)
    merged = LocalVictim(three.net, three.tokens.tokenizer, name="merged", classes=("credible", "fake"), max_length=40,
                         columns=np.array([[1, 0], [0, 1], [0, 1]], np.float32))
    batch = merged.tokens(texts).batch(np.arange(len(texts)))
    merged.net.eval()
    assert np.allclose(merged.inside().logits(batch).softmax(1).detach(), merged.probabilities(texts), atol=1e-6)


def test_the_network_is_left_as_it_was(make_victim, texts):
    victim = make_victim("bert")
    frozen = victim.net.bert.embeddings.position_embeddings.weight.requires_grad_(False)
    for method in METHODS:
        list(explain(victim, texts[:3], method=method, target=[0] * 3, steps=2))
        assert victim.net.training and not frozen.requires_grad
        assert all(p.requires_grad and p.grad is None for p in victim.net.parameters() if p is not frozen)
        assert not victim.net.get_input_embeddings()._forward_hooks
    stream = explain(victim, texts, target=[0] * len(texts))
    next(stream)
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled() and victim.net.training


def test_parts_keep_the_order(make_victim, texts, monkeypatch):
    victim = make_victim("bilstm")
    whole = list(explain(victim, texts, target=[1] * len(texts)))
    monkeypatch.setitem(attribute.TEXTS_AT_ONCE, "gradient_x_input", 5)
    for a, b in zip(explain(victim, texts, target=[1] * len(texts)), whole, strict=True):
        close(a, b)


def test_out_of_memory_halves_the_batch(make_victim, texts, monkeypatch, caplog):
    victim = make_victim("bilstm", batch_tokens=100_000)
    expected = list(explain(victim, texts, target=[1] * len(texts)))
    forward = victim.net.forward

    def small_card(input_ids, **rest):
        if input_ids.numel() > 60:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(input_ids, **rest)

    monkeypatch.setattr(victim.net, "forward", small_card)
    with caplog.at_level(logging.WARNING):
        for a, b in zip(explain(victim, texts, target=[1] * len(texts)), expected, strict=True):
            close(a, b)
    assert f"out of memory with {len(texts)} texts" in caplog.text


def test_bad_input_is_one_line(make_victim):
    victim = make_victim("bilstm")
    for options, line in (
        ({"method": "guess", "target": [0]}, "method=guess: expected one of gradient_x_input, integrated_gradients, occl"),
        ({"target": [2]}, r"target=2: expected the index of a class, 0 to 1 \(credible, fake\)"),
        ({"target": [-1]}, "target=-1"),
        ({"target": []}, "expected one class for each of the 1 texts, got 0"),
        ({"target": [0], "steps": 0}, "saliency.steps=0: expected 1 to 10,000"),
        ({"target": [0], "steps": 10_001}, "saliency.steps=10001: expected 1 to 10,000"),
    ):
        with pytest.raises(InputError, match=line):
            explain(victim, [("a",)], **options)
