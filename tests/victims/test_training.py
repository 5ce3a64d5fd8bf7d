"""Training: it learns, its schedule counts real steps, and a killed run ends as one that was left alone."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
import pytorch_lightning as pl
import torch

from hardtext.core import Domain, Example, InputError
from hardtext.victims import BiLSTM, Encoder
from hardtext.victims.data import labelled, loader
from hardtext.victims.losses import Loss
from hardtext.victims.module import VictimModule
from hardtext.victims.training import entropy, fit

TWO = Domain("toy", ("credible", "fake"))


class Watch(pl.Callback):
    """Notes the learning rate and the mode at each step."""

    def __init__(self) -> None:
        self.rates, self.training, self.epochs = [], [], []

    def on_train_batch_start(self, trainer, module, batch, index) -> None:
        self.rates.append(trainer.optimizers[0].param_groups[0]["lr"])
        self.training.append(all(m.training for m in module.net.modules()))
        self.epochs.append(trainer.current_epoch)


@pytest.fixture
def settings(bert_folder) -> Encoder:
    return Encoder(path=str(bert_folder), max_length=64, lr=1e-3, batch_size=8, epochs=3)


@pytest.fixture
def train(settings, toy_examples, tmp_path):
    """A short training with changes to the plan; gives the module and what was watched."""

    def run(folder="run", examples=24, dev=10, seed=0, domain=TWO, trainer=None, **plan):
        watch = Watch()
        module = fit(settings.module(domain, 0), toy_examples(examples), toy_examples(dev, start=500),
                     folder=tmp_path / folder, plan=replace(settings.plan, **plan), seed=seed, trainer=trainer,
                     callbacks=[watch])
        return module, watch

    return run


def weights(module: VictimModule) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in module.net.parameters()])


@pytest.mark.parametrize("make", [
    lambda body: Encoder(path=body, max_length=64, lr=3e-3, batch_size=8, epochs=12),
    lambda body: BiLSTM(tokenizer=body, max_length=64, lr=1e-2, batch_size=8, epochs=6),
    lambda body: BiLSTM(tokenizer=body, max_length=64, lr=1e-2, batch_size=8, epochs=6, padding="legacy"),
], ids=["encoder", "bilstm", "legacy"])
def test_learns_what_can_be_read_off(make, bert_folder, toy_examples, tmp_path):
    made = make(str(bert_folder))
    module = made.module(TWO, 0)
    fit(module, toy_examples(60), toy_examples(20, start=500), folder=tmp_path, plan=made.plan, seed=0)
    results = pl.Trainer(logger=False, enable_progress_bar=False, accelerator="cpu").test(
        module, loader(labelled(toy_examples(20, start=700), module.tokens, 2), 8, None), verbose=False)[0]
    assert results["test/accuracy"] == 1.0 and results["test/auroc"] == 1.0 and results["test/loss"] < 0.3


def test_linear_schedule_ends_at_zero_after_the_real_steps(train):
    _, watch = train(examples=20)  # 3 batches an epoch, the last one short
    assert watch.rates == pytest.approx([1e-3 * (9 - step) / 9 for step in range(9)])
    assert all(watch.training)  # dropout is on, though pretrained weights come in eval mode


def test_warm_up_and_accumulated_steps(train):
    _, watch = train(examples=32, warmup=0.5, epochs=4, trainer={"accumulate_grad_batches": 2})
    per_step = watch.rates[::2]  # 16 batches make 8 steps
    assert per_step == pytest.approx([1e-3 * r for r in (0, .25, .5, .75, 1, .75, .5, .25)])


def test_constant_schedule_and_adam(train):
    module, watch = train(schedule="constant", optimizer="adam", epochs=1)
    assert watch.rates == [1e-3] * 3
    assert type(module.trainer.optimizers[0]) is torch.optim.Adam


def test_decay_spares_biases_and_norms(train):
    module, _ = train(weight_decay=0.1, epochs=1)
    decayed, others = module.trainer.optimizers[0].param_groups
    assert (decayed["weight_decay"], others["weight_decay"]) == (0.1, 0.0)
    assert all(p.ndim > 1 for p in decayed["params"]) and all(p.ndim == 1 for p in others["params"])


def test_same_seed_same_weights(train):
    one, two, other = (weights(train(folder, seed=seed, epochs=2)[0])
                       for folder, seed in (("a", 0), ("b", 0), ("c", 1)))
    assert torch.equal(one, two) and not torch.equal(one, other)


def test_finished_training_is_not_repeated(train):
    first, _ = train()
    again, watch = train()
    assert watch.rates == [] and torch.equal(weights(first), weights(again))


def test_a_folder_is_for_one_training(train):
    train(epochs=1)
    with pytest.raises(InputError, match=r"other settings \(epochs was 1, now 2\): set them back, or remove"):
        train(epochs=2)
    with pytest.raises(InputError, match="seed was 0, now 1"):
        train(epochs=1, seed=1)
    with pytest.raises(InputError, match="train was '24 examples, .* now '25 examples"):
        train(epochs=1, examples=25)


def test_a_folder_is_for_one_loss(settings, toy_examples, tmp_path):
    def run(loss):
        fit(settings.module(TWO, 0), toy_examples(16), [], folder=tmp_path, plan=replace(settings.plan, epochs=1), seed=0,
            loss=loss)

    run(Loss(label_smoothing=0.1))
    for other in (None, Loss(label_smoothing=0.2)):  # the plain loss leaves no record of its own
        with pytest.raises(InputError, match=r"other settings \(loss was \{'label_smoothing': 0.1"):
            run(other)
    run(Loss(label_smoothing=0.1))


def test_the_loss_is_what_is_minimised(settings, toy_examples, tmp_path):
    """Adversarial rows with the wrong label that weigh a thousand times as much turn the answers round."""
    train = toy_examples(24)
    made = [replace(e, id=e.id + "+adv", label=1 - e.label) for e in train]
    accuracies = []
    for weight in (1e-3, 1e3):
        module = fit(settings.module(TWO, 0), [*train, *made], toy_examples(20, start=500), folder=tmp_path / str(weight),
                     plan=replace(settings.plan, epochs=12, lr=3e-3), seed=0, loss=Loss(adversarial_weight=weight),
                     origins={e.id: e.id.removesuffix("+adv") for e in made})
        accuracies.append(module.trainer.callback_metrics["dev/accuracy"].item())
    assert accuracies[0] > 0.8 and accuracies[1] < 0.2


def test_a_folder_without_checkpoint_is_free(train, tmp_path):
    train(epochs=1)
    (tmp_path / "run" / "last.ckpt").unlink()
    _, watch = train(epochs=2)
    assert watch.epochs == [0] * 3 + [1] * 3


class Runs:
    """Unpickling it makes a folder, as a hostile checkpoint would do worse."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def flipped(path: Path) -> None:
    """One bit of the largest tensor is another: nothing that PyTorch would notice."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


DAMAGES = {"flipped": flipped, "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
           "empty": lambda path: path.write_bytes(b""), "missing": Path.unlink,
           "hostile": lambda path: torch.save({"state_dict": Runs(path.parent / "ran")}, path)}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_named_and_the_one_before_it_used(train, tmp_path, caplog, damage):
    whole, _ = train("whole", epochs=3, keep="best")
    train("run", epochs=3, keep="best")
    last = tmp_path / "run" / "last.ckpt"
    DAMAGES[damage](last)
    again, watch = train("run", epochs=3, keep="best")
    assert watch.epochs == [2] * 3, "the last epoch alone is run again"
    assert torch.equal(weights(again), weights(whole)) and not (tmp_path / "run" / "ran").exists()
    named = [said for said in caplog.messages if f"{last} is damaged (" in said and "the one before it" in said]
    assert len(named) == (damage != "missing")


def test_where_no_checkpoint_is_whole_training_starts_again(train, tmp_path, caplog):
    whole, _ = train(epochs=2)
    for name in ("last.ckpt", "previous.ckpt"):
        flipped(tmp_path / "run" / name)
    again, watch = train(epochs=2)
    assert watch.epochs == [0] * 3 + [1] * 3 and torch.equal(weights(again), weights(whole))
    assert "going on from the start" in caplog.text


def test_a_damaged_best_checkpoint_or_record_is_one_line(train, tmp_path):
    train(epochs=1, keep="best")
    flipped(tmp_path / "run" / "best.ckpt")
    with pytest.raises(InputError, match=r"best\.ckpt is damaged \(.*remove the folder .* trains this phase anew"):
        train(epochs=1, keep="best")
    (tmp_path / "run" / "training.json").write_text("{")
    with pytest.raises(InputError, match=r"training\.json: not JSON .*: remove the folder .* to train this phase anew"):
        train(epochs=1, keep="best")


def test_best_weights_are_kept_on_request(train, tmp_path):
    """The rate is so high that the score goes up and down; the two choices of weights then differ."""
    last, _ = train("last", lr=0.05, epochs=4)
    best, _ = train("best", lr=0.05, epochs=4, keep="best")
    stored = torch.load(tmp_path / "best" / "best.ckpt", weights_only=True)
    assert torch.equal(best.net.classifier.weight, stored["state_dict"]["net.classifier.weight"])
    assert "optimizer_states" not in stored
    if stored["epoch"] != 3:
        assert not torch.equal(weights(last), weights(best))


def test_checkpoint_loads_with_weights_only(train, tmp_path):
    module, _ = train(epochs=1)
    loaded = VictimModule.load_from_checkpoint(tmp_path / "run" / "last.ckpt", weights_only=True)
    assert torch.equal(weights(module), weights(loaded)) and loaded.domain == TWO


def test_more_than_two_classes_are_chosen_by_macro_f1(train, tmp_path):
    three = Domain("three", ("a", "b", "c"), positive=(0,))
    module, _ = train(domain=three, epochs=1)
    assert module.monitored == "dev/macro_f1" and (tmp_path / "run" / "best.ckpt").is_file()
    assert 0 <= module.trainer.callback_metrics["dev/macro_f1"] <= 1


def test_dev_of_one_class_or_none(toy_examples, settings, tmp_path):
    one_class = [e for e in toy_examples(20) if e.label == 0]
    for folder, dev in (("one", one_class), ("none", [])):
        module = fit(settings.module(TWO, 0), toy_examples(16), dev, folder=tmp_path / folder,
                     plan=replace(settings.plan, epochs=1), seed=0)
        assert "dev/auroc" not in module.trainer.callback_metrics


@pytest.mark.parametrize(("change", "words"), [
    ({"examples": 0}, "no training examples"),
    ({"dev": 0, "keep": "best"}, "model.keep=best: there are no dev examples"),
    ({"trainer": {"max_epochs": 3}}, "trainer.max_epochs=3: not here; it is set by model.epochs"),
    ({"trainer": {"logger": True}}, "trainer.logger=True"),
])
def test_bad_calls_are_refused(train, change, words):
    with pytest.raises(InputError, match=words):
        train(**change)


def test_loss_that_is_not_finite_stops(settings, toy_examples, tmp_path):
    module = settings.module(TWO, 0)
    module.net.classifier.weight.data[0, 0] = float("inf")
    with pytest.raises(InputError, match=r"the loss is (nan|inf) in epoch 1, .*model.lr=0.001"):
        fit(module, toy_examples(16), toy_examples(8), folder=tmp_path, plan=settings.plan, seed=0)
    assert not (tmp_path / "last.ckpt").exists() and not (tmp_path / "best.ckpt").exists()


def test_truncated_texts_are_counted(settings, toy_examples, tmp_path, caplog):
    long = replace(toy_examples(1)[0], id="long", segments=("the " * 100,))
    with caplog.at_level(logging.INFO):
        fit(settings.module(TWO, 0), [*toy_examples(15), long], [], folder=tmp_path,
            plan=replace(settings.plan, epochs=1), seed=0)
    assert "1 of 16 texts are longer than 64 word pieces" in caplog.text and "epoch 1/1: loss" in caplog.text


def test_trainer_options_and_loggers_reach_lightning(settings, toy_examples, tmp_path):
    from pytorch_lightning.loggers import CSVLogger

    logger = CSVLogger(tmp_path / "logs")
    module = fit(settings.module(TWO, 0), toy_examples(40), toy_examples(8), folder=tmp_path / "run",
                 plan=settings.plan, seed=0, loggers=[logger],
                 trainer={"limit_train_batches": 2, "accelerator": "cpu", "log_every_n_steps": 1})
    assert module.trainer.global_step == 6
    logged = Path(logger.log_dir, "metrics.csv").read_text().splitlines()
    assert {"dev/f1", "dev/ece", "train/loss", "train/loss_epoch"} <= set(logged[0].split(","))


KILLED = """
import os, signal, sys
import pytorch_lightning as pl
sys.path.insert(0, {tests!r})
from conftest import make_examples
from hardtext.core import Domain
from hardtext.victims import Encoder
from hardtext.victims.training import entropy, fit

class Slow(pl.Callback):
    def on_train_batch_end(self, trainer, module, outputs, batch, index):
        if trainer.current_epoch == 2 and index == 1:
            open({flag!r}, "w").close()
            signal.pause()  # killed here, in the middle of the third epoch

s = Encoder(path={body!r}, max_length=64, lr=1e-3, batch_size=8, epochs=4)
fit(s.module(Domain("toy", ("credible", "fake")), 0), make_examples(24), make_examples(10, start=500),
    folder={folder!r}, plan=s.plan, seed=0, callbacks=[Slow()])
"""


def test_killed_run_resumes_to_the_same_weights(train, bert_folder, tmp_path):
    flag = tmp_path / "in-epoch-3"
    code = KILLED.format(tests=str(Path(__file__).parent), flag=str(flag), body=str(bert_folder),
                         folder=str(tmp_path / "killed"))
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 240
    while not flag.exists():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stderr.close()

    resumed, watch = train("killed", epochs=4)
    assert watch.epochs == [2] * 3 + [3] * 3  # the epoch that was cut short is run again, the finished ones are not
    whole, _ = train("whole", epochs=4)
    assert torch.equal(weights(resumed), weights(whole))


@dataclass
class Deaf:
    """A disturbance under which nothing can be learnt; ``asked``: the epochs in which it took part."""

    name: str = "deaf"

    asked: ClassVar[set[int]] = set()
    epoch: ClassVar[int] = 0

    def loss(self, net, batch, judge):
        self.asked.add(Deaf.epoch)
        return judge(net(input_ids=batch.ids, attention_mask=batch.mask).logits * 0)


class Stop(pl.Callback):
    """Ends the training at the start of an epoch, as a kill would."""

    def __init__(self, at: int | None) -> None:
        self.at = at

    def on_train_epoch_start(self, trainer, module) -> None:
        Deaf.epoch = trainer.current_epoch
        if trainer.current_epoch == self.at:
            raise KeyboardInterrupt


@pytest.mark.parametrize("stopped", [1, 2])
def test_an_epoch_that_learns_nothing_is_followed_by_one_without_disturbance(settings, toy_examples, tmp_path, stopped):
    def go(folder: str, at: int | None = None) -> VictimModule:
        return fit(settings.module(TWO, 0), toy_examples(64), toy_examples(10, start=500), folder=tmp_path / folder,
                   plan=replace(settings.plan, epochs=4, lr=1e-2), seed=0, callbacks=[Stop(at)],
                   loss=Loss(perturbation=Deaf()))

    Deaf.asked.clear()
    whole = go("whole")
    disturbed = set(Deaf.asked)
    assert 0 in disturbed and 1 not in disturbed and disturbed & {2, 3}  # and again, once it had learnt something
    Deaf.asked.clear()
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        go("stopped", stopped)
    assert torch.equal(weights(go("stopped")), weights(whole)) and Deaf.asked == disturbed


def test_the_entropy_of_labels():
    assert entropy([Example(str(i), ("a",), int(i == 0)) for i in range(4)]) == pytest.approx(0.5623, abs=1e-4)
    assert entropy([Example("1", ("a",), 1)]) == 0


TWO_PROCESSES = """
import sys
import pytorch_lightning as pl
sys.path.insert(0, {tests!r})
from conftest import make_examples
from hardtext.core import Domain
from hardtext.victims import BiLSTM
from hardtext.victims.training import entropy, fit

class Seen(pl.Callback):
    def on_train_batch_end(self, trainer, module, outputs, batch, index):
        print(f"texts {{trainer.global_rank}} {{len(batch.labels)}}\\n", end="", flush=True)

s = BiLSTM(tokenizer={body!r}, max_length=64, lr=1e-2, batch_size=8, epochs=4)
module = fit(s.module(Domain("toy", ("credible", "fake")), 0), make_examples(64), make_examples(20, start=500),
             folder={folder!r}, plan=s.plan, seed=0, callbacks=[Seen()],
             trainer={{"accelerator": "cpu", "devices": 2, "strategy": "ddp"}})
total = sum(p.detach().double().abs().sum().item() for p in module.net.parameters())
accuracy = module.trainer.callback_metrics["dev/accuracy"].item()
print(f"end {{module.global_rank}} {{total!r}} {{accuracy}}\\n", end="", flush=True)
"""


@pytest.mark.slow
def test_two_processes_share_the_work_and_agree(bert_folder, tmp_path):
    script = tmp_path / "two.py"  # Lightning starts the script again for the second process
    script.write_text(TWO_PROCESSES.format(tests=str(Path(__file__).parent), body=str(bert_folder),
                                           folder=str(tmp_path / "run")))
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    lines = [line.split() for line in result.stdout.splitlines()]
    seen = {rank: sum(int(n) for kind, r, n, *_ in lines if (kind, r) == ("texts", rank)) for rank in "01"}
    assert seen == {"0": 128, "1": 128}  # half of 64 texts, four times
    ends = {rank: rest for kind, rank, *rest in lines if kind == "end"}
    assert ends["0"] == ends["1"] and float(ends["0"][1]) == 1.0


@pytest.mark.parametrize("option", [{"precision": "foo"}, {"strategy": "foo"}, {"callbacks": 3}, {"devices": 9999}])
def test_an_option_the_trainer_refuses_leaves_no_trace(train, tmp_path, option):
    with pytest.raises(InputError, match=rf"trainer\.{next(iter(option))}"):
        train(trainer={"accelerator": "cpu", **option})
    assert not (tmp_path / "run" / "training.json").exists()
