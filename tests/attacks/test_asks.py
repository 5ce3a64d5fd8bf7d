"""What users of comparable toolkits keep asking for, each as a small test. Numbers are those of TextAttack's tracker
unless another is named. What concerns the TextAttack recipes themselves is in ``test_textattack.py``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import hardtext
from hardtext.attacks import ATTACKS, DeepWordBug
from hardtext.attacks.engine import run
from hardtext.attacks.rows import attack_to_file
from hardtext.core import Example
from hardtext.victims.callables import CallableVictim

ROOT = Path(__file__).resolve().parents[2]


def toy(texts):
    """Fake if it says so; each other word counts a little, so that every word can be ranked."""
    scores = np.array([sum(1.5 if w == "lie" else (len(w) % 5 - 2) / 20 for w in t.split()) for t in texts])
    fake = 1 / (1 + np.exp(-scores))
    return np.stack([1 - fake, fake], axis=1)


def examples(*texts):
    return [Example(str(i), t, 0) for i, t in enumerate(texts)]


def test_586_words_of_many_pieces_stay_bounded(models):
    """bert-attack took hours on one example: candidates for words of several pieces were a full product."""
    text = "antidisestablishmentarianism hydroxychloroquine"

    class Steady:
        name, classes = "steady", ("0", "1")

        def probabilities(self, texts):
            return np.tile([0.9, 0.1], (len(texts), 1))

    for variant in ("hardtext", "bodega", "paper", "textattack"):
        [a] = run(ATTACKS["bert_attack"](variant=variant), Steady(), examples(text), domain="d", seed=0, **models)
        assert a.status == "failed" and a.queries <= 2 * 48 + 4, variant


def test_696_a_budget_stops_and_is_recorded(models):
    class Slow:
        name, classes = "slow", ("0", "1")

        def probabilities(self, texts):
            import time

            time.sleep(0.01 * len(texts))
            return np.tile([0.9, 0.1], (len(texts), 1))

    text = "the state said that a war on tax is a lie " * 5
    for name in ("deepwordbug", "genetic", "pwws"):
        by_queries, by_time = ATTACKS[name](), ATTACKS[name]()
        [a] = run(by_queries, Slow(), examples(text), domain="d", seed=0, max_queries=8, **models)
        [b] = run(by_time, Slow(), examples(text), domain="d", seed=0, max_seconds=0.1, **models)
        assert (a.status, b.status) == ("budget", "budget") and a.queries <= 8 and b.seconds < 5, name


@pytest.mark.parametrize("kind", [list, np.asarray, lambda rows: torch.tensor(rows, dtype=torch.float32)],
                         ids=["list", "numpy", "tensor"])
def test_231_a_victim_returns_what_it_likes(kind):
    [a] = hardtext.attack(lambda texts: kind(toy(texts).tolist()), ["a lie on tax"], attack="deepwordbug")
    assert a.status == "success"


def test_735_the_batch_size_is_kept():
    sizes = []

    def spy(texts):
        sizes.append(len(texts))
        return toy(texts)

    victim = CallableVictim(spy, name="toy", classes=("0", "1"), batch_size=7)
    list(run(DeepWordBug(), victim, examples(*["the state said a lie about tax and war"] * 9), domain="d", seed=0))
    assert max(sizes) == 7


def test_366_texts_without_words_do_not_stop_a_run(models):
    texts = ["a lie on tax", "", "   ", "!!!", "🔥", "a war is a lie"]
    for name in ("bert_attack", "deepwordbug", "textfooler", "pwws"):
        found = list(run(ATTACKS[name](), CallableVictim(toy, name="toy", classes=("0", "1")), examples(*texts), domain="d",
                         seed=0, **models))
        status = [a.status for a in sorted(found, key=lambda a: int(a.id))]
        assert status[1:5] == ["skipped"] * 4 and "skipped" not in (status[0], status[5])


def test_97_a_resumed_run_is_an_uninterrupted_one(tmp_path):
    victim = CallableVictim(toy, name="toy", classes=("0", "1"))
    six = examples(*[f"the state number {i} said a lie" for i in range(6)])
    whole = attack_to_file(tmp_path / "whole.jsonl", DeepWordBug(), victim, six, domain="d", seed=0)
    lines = (tmp_path / "whole.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "cut.jsonl").write_text("".join(lines[:3]) + lines[3][:20])
    resumed = attack_to_file(tmp_path / "cut.jsonl", DeepWordBug(), victim, six, domain="d", seed=0)
    assert [{**a.to_row(), "seconds": 0} for a in resumed] == [{**a.to_row(), "seconds": 0} for a in whole]


def test_457_no_dropout_during_an_attack(tmp_path):
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    from hardtext.victims.local import LocalVictim

    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefgh",
                                                   *(f"##{c}" for c in "abcdefgh")]))
    net = BertForSequenceClassification(BertConfig(vocab_size=21, hidden_size=8, num_hidden_layers=1,
                                                   num_attention_heads=1, intermediate_size=8))
    victim = LocalVictim(net, BertTokenizerFast(str(tmp_path / "vocab.txt")), name="b", classes=("0", "1"), max_length=32)
    modes = []
    net.register_forward_pre_hook(lambda module, _: modes.append(module.training))
    net.classifier.register_forward_pre_hook(lambda module, _: modes.append(module.training))
    net.train()
    list(run(DeepWordBug(), victim, examples("bad deed", "a bad cage"), domain="d", seed=0))
    assert modes and not any(modes) and net.training


def test_nlpaug_171_only_the_replaced_span_differs(models):
    text = "Many older U.S. adults don't  vote -- \"why?\"\n"
    for name in ("bert_attack", "textfooler", "pwws", "bae", "deepwordbug", "glota"):
        attack = ATTACKS[name]()
        for seed in range(4):
            [a] = run(attack, CallableVictim(toy, name="toy", classes=("0", "1")), examples(text + " a lie"), domain="d",
                      seed=seed, **models)
            if a.status == "success":
                for piece in ("U.S.", "don't  ", ' -- "', '?"\n'):
                    assert piece in a.adversarial[0], (name, a.adversarial)


def test_723_words_are_stable():
    from hardtext import text

    segment = "'CCC' slovakia_slota well-known e.g. 3.5%"
    found = text.words(segment)
    assert [w.text for w in found] == ["'", "CCC", "'", "slovakia_slota", "well-known", "e.g.", "3.5", "%"]
    rebuilt, end = "", 0
    for word in found:
        rebuilt, end = rebuilt + segment[end:word.start] + word.text, word.end
    assert rebuilt + segment[end:] == segment


def test_713_nothing_to_change_is_said(models, caplog):
    attack = ATTACKS["pwws"]()
    list(run(attack, CallableVictim(toy, name="toy", classes=("0", "1")), examples("Zxqv wvutz", "qqqz zzzq"), domain="d",
             seed=0, **models))
    assert "pwws found nothing to change in any of 2 texts" in caplog.text


def test_640_no_tensorflow_and_no_network_to_import_and_ask_for_help():
    code = ("import sys, socket\n"
            "class Refuse:\n"
            "    def find_spec(self, name, path=None, target=None):\n"
            "        if name.split('.')[0] in ('tensorflow', 'tensorflow_hub', 'textattack'): raise ImportError(name)\n"
            "sys.meta_path.insert(0, Refuse())\n"
            "def refuse(*a, **k): raise OSError('no network')\n"
            "socket.socket.connect = socket.create_connection = refuse\n"
            "import hardtext.attacks, hardtext.attacks.engine\n"
            "sys.argv = ['attack.py', '--help']\n"
            "import runpy; runpy.run_path('attack.py', run_name='__main__')\n")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "textattack" in done.stdout  # listed among the choices without being imported
