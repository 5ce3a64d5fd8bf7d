"""Every choice in conf/ composes to typed settings; a typo is refused before any work, with the choices."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from hardtext import config
from hardtext.attacks import ATTACKS, Attack
from hardtext.config import commands
from hardtext.config.overrides import foreign_experiment, quoted, unknown_home
from hardtext.domains import DOMAINS
from hardtext.scoring import SEMANTIC
from hardtext.victims import MODELS, TrainingPlan

ROOT = Path(__file__).resolve().parents[1]
CONF = ROOT / "conf"

config.register()


def choices(group: str) -> list[str]:
    return sorted(path.stem for path in (CONF / group).glob("*.yaml"))


def composed(command: str, *overrides: str):
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return OmegaConf.to_object(compose(command, list(overrides)))


def refused(script: str, *overrides: str) -> str:
    """The one line a command refuses its overrides with."""
    done = subprocess.run([sys.executable, script, "logger=csv", *overrides], cwd=ROOT, capture_output=True, text=True,
                          timeout=60, env=os.environ | {"HARDTEXT_RUNS": "/nonexistent/runs"})
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr and not done.stdout
    (line,) = [line for line in done.stderr.splitlines() if line]
    assert line.startswith("error: ")
    return line


@pytest.mark.parametrize(("domain", "model"), [(domain, "tiny_adv") for domain in choices("domain")]
                         + [("fc", model) for model in choices("model")])
def test_every_domain_and_model_compose(domain, model):
    settings = composed("train", f"domain={domain}", f"model={model}")
    assert (settings.domain.name, settings.model.name) == (domain, model)
    assert type(settings.domain) is DOMAINS[domain]
    assert type(settings.model) in MODELS.values()


@pytest.mark.parametrize("attack", choices("attack"))
def test_every_attack_composes(attack):
    needed = ["attack.base_url=http://localhost:8000/v1"] if attack == "rewrite" else []
    assert type(composed("attack", f"attack={attack}", *needed).attack) is ATTACKS[attack]


@pytest.mark.parametrize("semantic", choices("semantic"))
def test_every_semantic_scorer_composes(semantic):
    assert type(composed("evaluate", f"semantic={semantic}").semantic) is SEMANTIC[semantic]


@pytest.mark.parametrize("experiment", choices("experiment"))
def test_every_experiment_composes_with_the_command_of_its_header(experiment):
    header = (CONF / "experiment" / f"{experiment}.yaml").read_text(encoding="utf-8")
    (command,) = set(re.findall(rf"^#   python (\w+)\.py (?:-m )?experiment={experiment}\b", header, re.M))
    settings = composed(command, f"experiment={experiment}")
    if command == "evaluate":
        assert settings.task == experiment  # and not the command's own default
    assert foreign_experiment(command, [f"experiment={experiment}"]) is None


@pytest.mark.parametrize(("script", "experiment", "owner"), [
    ("evaluate.py", "quick", "train.py"), ("attack.py", "fake_news_benchmark", "evaluate.py")])
def test_an_experiment_of_another_command_is_refused_with_the_command(script, experiment, owner):
    assert f"python {owner} experiment={experiment}" in refused(script, f"experiment={experiment}")


def test_the_benchmark_sets_its_task_and_the_command_line_its_domain():
    settings = composed("evaluate", "experiment=fake_news_benchmark")
    assert (settings.task, settings.domain.name, settings.model.name) == ("fake_news_benchmark", "liar2", "minilm")
    settings = composed("evaluate", "experiment=fake_news_benchmark", "domain=kaggle", "model=bilstm", "limit=5")
    assert (settings.domain.name, settings.model.name, settings.limit) == ("kaggle", "bilstm", 5)


def test_every_registered_part_has_a_config_file():
    assert choices("attack") == sorted(ATTACKS)
    assert choices("domain") == sorted(DOMAINS)
    assert choices("semantic") == sorted(SEMANTIC)


def test_the_published_recipe():
    model = composed("train", "domain=fc", "model=roberta_adv").model
    assert (model.path, model.optimizer, model.lr, model.schedule, model.epochs, model.batch_size) == (
        "roberta-base", "adam", 2e-5, "constant", 1, 32)
    assert model.adversary.name == "bert_attack" and model.adversary.subset is None
    assert model.adversarial == TrainingPlan(optimizer="adam", lr=2e-5, schedule="constant", batch_size=32, epochs=1)
    assert composed("train", "domain=pr", "model=roberta_adv").model.adversarial.batch_size == 64
    assert composed("train", "domain=hn", "model=roberta_adv").model.adversary.subset == 6000


def test_another_adversary_takes_the_place_of_bert_attack():
    model = composed("train", "domain=hn", "model=roberta_adv", "attack@model.adversary=deepwordbug").model
    assert isinstance(model.adversary, Attack)
    assert (model.adversary.name, model.adversary.subset) == ("deepwordbug", 6000)


def test_the_published_bilstm():
    model = composed("train", "model=bilstm").model
    assert (model.embedding, model.hidden, model.optimizer, model.lr, model.batch_size, model.epochs, model.padding) == (
        32, 128, "adam", 1e-3, 32, 10, "packed")


@pytest.mark.parametrize(("override", "expected"), [
    ("modle=tiny", ["modle", "did you mean model?"]),
    ("model.lrr=1", ["model.lrr", "did you mean lr?", "batch_size", "epochs"]),
    ("domain=zz", ["domain=zz", "c19, fc, file, hn, kaggle"]),
    ("domain.qouting=none", ["domain.qouting", "no such setting"]),
    ("model.adversary.varient=paper", ["model.adversary.varient", "did you mean variant?"]),
    ("attack@model.adversary=textfoolr", ["textfoolr", "bert_attack"]),
    ("model.epochs=many", ["model.epochs", "many"]),
    ("model.epochs=0", ["model.epochs=0", "1 or more"]),
    ("trainer=fast", ["trainer=fast", "default"]),
    ("model.lr=[1", ["[1"]),
])
def test_a_typo_on_the_command_line_is_refused(override, expected):
    line = refused("train.py", override)
    for words in expected:
        assert words in line


def test_a_wrong_key_inside_an_experiment_file_is_refused(tmp_path):
    (tmp_path / "experiment").mkdir()
    (tmp_path / "experiment" / "mine.yaml").write_text("# @package _global_\nmodel:\n  lrr: 1.0e-4\n")
    line = refused("train.py", "experiment=mine", "--config-dir", str(tmp_path))
    assert "model.lrr" in line and "did you mean lr?" in line


@pytest.mark.parametrize(("script", "override", "expected"), [
    ("evaluate.py", "task=scoer", ["task=scoer", "score"]),
    ("evaluate.py", "semantic=blurt", ["semantic=blurt", "bleurt, minilm, none"]),
    ("attack.py", "attack=bert", ["attack=bert", "bert_attack"]),
    ("attack.py", "max_querys=3", ["max_querys", "did you mean max_queries?"]),
])
def test_the_other_commands_refuse_typos_too(script, override, expected):
    line = refused(script, override)
    for words in expected:
        assert words in line


def test_a_sweep_job_is_named_by_what_it_changes():
    assert config.label(["domain=pr", "seed=1", "model=tiny"]) == ""
    assert config.label(["model.lr=0.001", "domain=pr", "+model.epochs=2"]) == "model.epochs=2,model.lr=0.001"
    assert "/" not in config.label(["attack.masked_lm=/a/b"])


@pytest.mark.parametrize("path", ["runs/seed=0", "/data/it's here", "a b/(c) [d]/é,x=1", "plain/path.csv", "-odd=1"])
def test_paths_survive_the_override_grammar(path):
    from hydra.core.override_parser.overrides_parser import OverridesParser

    (argument,) = quoted([f"attempts={path}"])
    assert OverridesParser.create().parse_override(argument).value() == path


@pytest.mark.parametrize(("overrides", "expected"), [
    (["attempts=~no-such-user/x"], "~no-such-user is nobody's home folder here; a folder of that name is ./~no-such-user/x"),
    (["label=a[b"], """label=a[b: not a setting as Hydra writes them; .*label='"a\\[b"'"""),
    (["nonsense"], "nonsense: expected key=value"),
    ([f"attempts={'x' * 300}"], "x…: File name too long; choose a shorter name"),
])
def test_what_no_path_can_be_is_one_line(overrides, expected):
    assert re.search(expected.replace("label=a[b:", r"label=a\[b:"), refused("evaluate.py", "task=score", *overrides))


def test_a_home_folder_is_a_path(monkeypatch):
    assert quoted(["attempts=~/x"]) == ["attempts='~/x'"]  # Hydra's grammar has no ~ at the beginning
    monkeypatch.setenv("HOME", "/home/me")
    assert unknown_home(["attempts='~/x'", "label=~nobody-here", "runs=a~b"]) is None
    assert "~nobody-here is nobody's" in unknown_home(["semantic.path=~nobody-here/x"])


@pytest.mark.parametrize(("number", "ends"), [(errno.EACCES, True), (errno.EISDIR, True), (errno.ENOENT, False),
                                              (errno.EPIPE, False), (None, False)])
def test_unreadable_files_end_in_one_line_and_nothing_else_does(monkeypatch, capsys, number, ends):
    error = OSError("torn") if number is None else OSError(number, os.strerror(number), "/data/key.csv")
    monkeypatch.setattr(commands, "build", lambda settings: settings)

    def story(settings):
        raise error

    with pytest.raises(SystemExit) as caught:
        config.run_job(story, None)
    said = capsys.readouterr().err
    assert caught.value.code == (2 if ends else 1) and ("Traceback" in said) != ends
    if ends:
        assert said.startswith(f"error: /data/key.csv: {os.strerror(number)}; ")