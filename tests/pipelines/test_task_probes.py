"""``task=probes`` and the benchmark from a corpus and a victim to the files they leave."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hardtext.config import EvaluateConfig
from hardtext.core import InputError
from hardtext.domains.kaggle import KaggleDomain
from hardtext.domains.liar import Liar2Domain
from hardtext.domains.user_file import FileDomain
from hardtext.pipelines import evaluate, fake_news_benchmark, probes, trained_on
from hardtext.probes import ProbeSettings
from hardtext.saliency.base import SaliencySettings
from hardtext.scoring import semantic_from_name
from hardtext.tracking import LoggerSettings
from hardtext.victims.settings import CallableModel

ROOT = Path(__file__).resolve().parents[2]
FILES = {"probes.jsonl", "probes.json", "probes.md", "probes.tex", "probes.csv", "pairs.csv", "config.yaml", "status.json"}
TEXTS = ["The tax is low.", "The tax is high.", "Nobody pays the tax.", "They pay the tax!", "=1+1 is 2", "😀", "A tax."] * 4


@pytest.fixture
def config(tmp_path, monkeypatch) -> EvaluateConfig:
    """Pairs of one's own about a table of one's own, and a function as the victim: fake is what holds an "s"."""
    monkeypatch.setenv("HARDTEXT_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("HARDTEXT_DATA", str(tmp_path / "data"))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "victim_by_letter.py").write_text(
        "def predict(texts):\n    return [[0.75, 0.25] if 's' not in t else [0.375, 0.625] for t in texts]\n")
    rows = [(f"{n}", text, ("real", "fake")[n % 2]) for n, text in enumerate(TEXTS)]
    for name in ("train", "attack"):
        with open(tmp_path / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("id", "text", "label"),
                                        *((f"{name}-{i}", f"{text} {i}", label) for i, text, label in rows)])
    with open(tmp_path / "own.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("original", "changed", "expected"),
                                    *((f"{text} {i}", f"{text} {i}".replace("is", "was").replace("s", "c"), "stay")
                                      for i, text, _ in rows[:20])])
    return EvaluateConfig(task="probes", domain=FileDomain(path=str(tmp_path), id="id"),
                          model=CallableModel(target="victim_by_letter:predict"), semantic=semantic_from_name("none"),
                          probe=ProbeSettings(names=["file"], path=str(tmp_path / "own.csv")),
                          logger=LoggerSettings(wandb=False))


def folder_of(config) -> Path:
    (found,) = Path(config.domain.path, "runs", "evaluate", "probes", "file", "callable").iterdir()
    return found


def test_every_file_is_there_and_says_the_same(config, capsys):
    made = evaluate.run(config)
    folder = folder_of(config)
    assert folder.name.startswith("seed=0,probe=file,probe.path=own.csv-")
    assert FILES <= {path.name for path in folder.iterdir()}
    assert {path.name for path in (folder / "figures").iterdir()} == {"flips.png", "flips.svg", "shifts.png", "shifts.svg"}
    rows = [json.loads(line) for line in (folder / "probes.jsonl").read_text().splitlines()]
    asked = [row for row in rows if row["changed"]]
    said = json.loads((folder / "probes.json").read_text())
    (result,) = said["results"]
    assert len(rows) == len(TEXTS) == said["accuracy"]["right"]["of"]
    assert result["texts"] == len(asked) > 0 and result["overall"]["flipped"]["count"] == sum(row["flipped"] for row in asked)
    assert result["overall"]["shift"]["mean"] == pytest.approx(
        sum(row["changed_probs"][1] - row["original_probs"][1] for row in asked) / len(asked))
    assert sum(result["why"].values()) == len(rows) - len(asked) and result["why"]["not in the file"] == 8
    assert said["settings"]["victim_fingerprint"] and json.loads((folder / "status.json").read_text())["state"] == "done"
    assert "%" in capsys.readouterr().out and made.results[0].texts == len(asked)


def test_a_finished_run_asks_nothing_again_and_a_larger_limit_asks_the_rest(config, monkeypatch):
    evaluate.run(replace(config, limit=10))
    folder = folder_of(config)
    first = (folder / "probes.jsonl").read_bytes()
    assert first.count(b"\n") == 10
    evaluate.run(replace(config, limit=10))
    assert (folder / "probes.jsonl").read_bytes() == first
    evaluate.run(config)
    assert (folder / "probes.jsonl").read_bytes().startswith(first)
    assert (folder / "probes.jsonl").read_bytes().count(b"\n") == len(TEXTS)
    with pytest.raises(InputError, match="holds the answers about 28 texts already and limit=10 asks about 10"):
        evaluate.run(replace(config, limit=10))
    with pytest.raises(InputError, match="another config.*probe.classes"):  # what keeps it from going on comes first
        evaluate.run(replace(config, limit=10, out=str(folder), probe=replace(config.probe, names=["file", "intensity"],
                                                                             classes="all")))
    assert json.loads((folder / "status.json").read_text())["state"] == "done"


def test_a_capped_run_says_so(config):
    made = evaluate.run(replace(config, limit=10))
    assert "first 10 of 28 texts" in made.title and "first 10 of 28 texts" in (folder_of(config) / "probes.md").read_text()
    assert not evaluate.run(replace(config, limit=28)).capped


def test_equal_data_elsewhere_are_the_same_run_and_other_data_are_not(config, tmp_path):
    evaluate.run(config)
    other = tmp_path / "moved"
    other.mkdir()
    for name in ("train.csv", "attack.csv"):
        (other / name).write_bytes((tmp_path / name).read_bytes())
    folder = folder_of(config)
    evaluate.run(replace(config, domain=replace(config.domain, path=str(other)), out=str(folder)))
    (other / "attack.csv").write_text((other / "attack.csv").read_text().replace("high", "gone"))
    with pytest.raises(InputError, match="another config.*texts:"):
        evaluate.run(replace(config, domain=replace(config.domain, path=str(other)), out=str(folder)))


def test_pairs_of_no_text_are_said_in_the_table(config, tmp_path, caplog):
    with open(tmp_path / "own.csv", "a", encoding="utf-8") as file:
        file.write("nobody wrote this,or this,stay\n")
    made = evaluate.run(config)
    assert any("1 of 21 pairs name no text of the split attack of file" in words for words in made.warnings)
    assert "1 of 21 pairs name no text" in (folder_of(config) / "probes.md").read_text()
    (tmp_path / "own.csv").write_text("original,changed\nnobody,or\n")
    with pytest.raises(InputError, match="none of its 1 originals"):
        evaluate.run(replace(config, seed=5))


def test_a_victim_trained_on_other_texts_is_said(config, tmp_path):
    victim = tmp_path / "train" / "seed=0"
    (victim / "victim").mkdir(parents=True)
    (victim / "config.yaml").write_text("domain: {name: kaggle, content: title, path: /elsewhere}\n")
    asked = replace(config, victim=str(victim / "victim"), domain=KaggleDomain(content="both"))
    words = ["the victim was trained with domain.content=title and is asked about domain.content=both"]
    assert trained_on.warnings(asked) == trained_on.warnings(replace(asked, victim=str(victim))) == words
    assert trained_on.warnings(replace(asked, domain=KaggleDomain(path="/here"))) == []
    (victim / "config.yaml").write_text("domain: {name: liar2, labels: notebook}")
    assert trained_on.warnings(replace(asked, domain=Liar2Domain()))[0].endswith("is asked about domain.labels=paper")
    (victim / "config.yaml").write_text("[")
    assert trained_on.warnings(asked) == trained_on.warnings(replace(asked, victim="some/hub-id")) == []


@pytest.mark.parametrize(("change", "words"), [
    ({"probe": ProbeSettings(names=["typos"], rules="published")}, "probe.rules=published: no probe of probe=typos reads"),
    ({"probe": ProbeSettings(names=["negation"], path="x.csv")}, "probe.path=x.csv: no probe of probe=negation"),
    ({"probe": ProbeSettings(names=["negation"], politicians="x.csv")}, "probe.politicians=x.csv"),
    ({"probe": ProbeSettings(names=["negation"], party_words=True)}, "probe.party_words=True"),
    ({"probe": ProbeSettings(names=["negation"], both_parties=True)}, "probe.both_parties=True"),
    ({"probe": ProbeSettings(names=["negation", "typos"], classes="all")}, "probe.classes=all"),
    ({"method": "foo"}, "method=foo: task=probes does not read it"), ({"attempts": "x"}, "attempts=x: task=probes"),
    ({"strict": True}, "strict=True"), ({"saliency": SaliencySettings(steps=7)}, "saliency.steps=7: task=probes"),
    ({"task": "fake_news_benchmark", "method": "occlusion"}, "method=occlusion: task=fake_news_benchmark"),
    ({"task": "fake_news_benchmark", "probe": ProbeSettings(rules="published")}, "follows both sets of rules")])
def test_settings_that_do_nothing_are_refused(config, change, words):
    with pytest.raises(InputError, match=words):
        evaluate.run(replace(config, **change))
    assert not Path(config.domain.path, "runs").exists()


def test_settings_of_one_half_of_the_benchmark_do_not_stop_the_other():
    both = ProbeSettings(names=["negation"], rules="published", party_words=True, classes="all")
    assert probes.without_idle(both) == ProbeSettings(names=["negation"], rules="published")
    assert probes.without_idle(replace(both, names=["negation", "party"])) == replace(both, names=["negation", "party"])


@pytest.mark.parametrize(("change", "part"), [
    ({"split": "train"}, "split=train"), ({"seed": 3}, "seed=3"), ({"label": "probe.classes=all"}, "probe.classes=all")])
def test_settings_that_differ_do_not_share_a_folder(config, change, part):
    before = probes.folder_of("probes", config, config.domain.load(Path(), 0).domain, "m")
    after = probes.folder_of("probes", replace(config, **change), config.domain.load(Path(), 0).domain, "m")
    assert before != after and part in after.name.split(",")


@pytest.mark.parametrize(("settings", "name"), [
    (ProbeSettings(), "seed=0"), (ProbeSettings(names=["intensity", "party", "negation"]), "seed=0"),
    (ProbeSettings(names=["party", "negation"]), "seed=0,probe=negation+party"),
    (ProbeSettings(rules="published"), "seed=0,probe.rules=published"),
    (ProbeSettings(party_words=True, classes="all"), "seed=0,probe.party_words=true,probe.classes=all")])
def test_the_folder_is_named_by_what_is_not_the_default(settings, name, config):
    liar = replace(config, domain=Liar2Domain(), probe=settings, label="probe.rules=published" * (settings.rules != "sound"))
    assert probes.folder_of("probes", liar, Liar2Domain.meaning, "bert").name == name
    notebook = replace(liar, domain=Liar2Domain(labels="notebook"))
    assert probes.folder_of("probes", notebook, Liar2Domain.meaning, "bert").name == f"{name},domain.labels=notebook"


@pytest.mark.parametrize(("change", "words"), [
    ({"domain": None}, "task=probes needs domain"), ({"model": None}, "needs domain=<domain> and model"),
    ({"limit": 0}, "limit=0"), ({"split": "test"}, "split=test: expected one of"),
    ({"probe": ProbeSettings(names=["negatoin"])}, "probe=negatoin"),
    ({"probe": ProbeSettings(rules="loose")}, "probe.rules=loose: expected one of sound, published"),
    ({"probe": ProbeSettings(classes="fake")}, "probe.classes=fake: expected one of expected, all")])
def test_bad_input_is_one_line_and_writes_nothing(config, change, words):
    with pytest.raises(InputError, match=words):
        evaluate.run(replace(config, **change))
    assert not Path(config.domain.path, "runs").exists()


def test_other_settings_in_the_same_folder_are_refused(config, tmp_path):
    evaluate.run(replace(config, out=str(tmp_path / "here")))
    with pytest.raises(InputError, match="another config.*split: attack → train"):
        evaluate.run(replace(config, out=str(tmp_path / "here"), split="train"))
    evaluate.run(replace(config, out=str(tmp_path / "here"), split="train", overwrite=True))
    assert json.loads((tmp_path / "here" / "probes.json").read_text())["split"] == "train"


def test_the_benchmark_on_one_page(config, capsys):
    """The user's own pairs in place of the three probes, so that no tagger is loaded; a function has no gradients."""
    result = evaluate.run(replace(config, task="fake_news_benchmark"))
    folder = Path(config.domain.path) / "runs" / "evaluate" / "fake_news_benchmark" / "file" / "callable"
    (folder,) = folder.iterdir()
    said = json.loads((folder / "benchmark.json").read_text())
    assert said == json.loads(json.dumps(result)) and said["skipped"] is None
    assert [(row["probe"], row["rules"]) for row in said["rows"]] == [("file", None)]  # no published rules of it
    assert said["saliency"]["left_out"]
    page = (folder / "benchmark.md").read_text()
    assert "(probes-sound/probes.md)" in page and (folder / "probes-sound" / "probes.md").is_file()
    assert "probes-published" not in page and "saliency left out" in page
    assert "Victims, accuracy in percent" in capsys.readouterr().out


def test_two_domains_come_together_on_one_page(config, tmp_path):
    for seed in (0, 1):
        evaluate.run(replace(config, task="fake_news_benchmark", seed=seed, limit=8))
    page = (tmp_path / "runs" / "evaluate" / "fake_news_benchmark" / "benchmark.md").read_text()
    assert "| file, domain.id=id, callable, first 8 of 28 texts |" in page
    assert "| file, domain.id=id, callable, seed 1, first 8 of 28 texts |" in page


def test_a_domain_without_data_is_left_out_with_the_reason(config, capsys):
    liar = replace(config, task="fake_news_benchmark", domain=Liar2Domain(), probe=ProbeSettings())
    result = evaluate.run(liar)
    assert "holds no corpus" in result["skipped"] and "liar2: left out" in capsys.readouterr().out
    with pytest.raises(InputError, match="holds no corpus"):  # named, and not there: a mistake
        evaluate.run(replace(liar, domain=Liar2Domain(path="/nonexistent")))
    folder = Path(config.domain.path) / "data" / "liar2"
    folder.mkdir(parents=True)
    (folder / "train.tsv").write_text("damaged")  # there, and not whole: a mistake too
    with pytest.raises(InputError, match="lacks"):
        evaluate.run(liar)


def test_a_folder_with_other_files_is_left_out_and_no_page_promises_what_is_not_there(config, caplog):
    caplog.set_level("INFO")
    folder = Path(config.domain.path) / "data" / "kaggle"
    folder.mkdir(parents=True)
    (folder / "fakenewsnet_old.csv").write_text("id,title,text,label\n")
    bench = replace(config, task="fake_news_benchmark", probe=ProbeSettings())
    for domain in (KaggleDomain(), Liar2Domain()):
        assert evaluate.run(replace(bench, domain=domain))["skipped"]
    root = Path(config.domain.path) / "runs" / "evaluate" / "fake_news_benchmark"
    assert "on one page" not in caplog.text and not (root / "benchmark.md").exists()
    evaluate.run(replace(config, task="fake_news_benchmark", limit=8))
    assert "1 benchmark on one page (left out for lack of data: kaggle, liar2)" in caplog.text
    page = (root / "benchmark.md").read_text()
    assert "kaggle: left out" in page and "| file, domain.id=id, callable, first 8 of 28 texts |" in page
    (root / "liar2" / "callable" / "seed=0" / "benchmark.json").write_text('{"kept": true}')  # of no version of ours
    evaluate.run(replace(config, task="fake_news_benchmark", limit=8))


def test_one_sweep_gives_each_domain_a_path_of_its_own(tmp_path):
    """As the experiment's header says: a variable of the environment a domain."""
    asked = ["-m", "experiment=fake_news_benchmark", "domain=liar2,kaggle", 'domain.path="${oc.env:DATA_${domain.name}}"',
             "logger=csv"]
    done = subprocess.run([sys.executable, "evaluate.py", *asked], cwd=ROOT, capture_output=True, text=True,
                          env=os.environ | {"DATA_liar2": "/none/liar", "DATA_kaggle": "/none/kaggle",
                                            "HARDTEXT_RUNS": str(tmp_path)})
    assert done.returncode == 1  # of a sweep whose jobs failed; each says why
    assert "domain=liar2: /none/liar holds no corpus" in done.stderr
    assert "domain=kaggle: /none/kaggle holds no corpus" in done.stderr


def test_an_earlier_result_is_kept_where_the_data_are_gone(config):
    liar = replace(config, task="fake_news_benchmark", domain=Liar2Domain())
    folder = probes.folder_of("fake_news_benchmark", liar, Liar2Domain.meaning, "callable")
    folder.mkdir(parents=True)
    (folder / "benchmark.json").write_text('{"kept": true}')
    fake_news_benchmark.run(liar)
    assert json.loads((folder / "benchmark.json").read_text()) == {"kept": True}


def test_the_commands_as_a_user_types_them(config, tmp_path):
    """A missing victim names its command; a domain without data is a line and exit code 0."""
    base = [sys.executable, "evaluate.py", "logger=csv"]
    done = subprocess.run([*base, "experiment=fake_news_benchmark", "domain=kaggle"], cwd=ROOT, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    assert "kaggle: left out, domain=kaggle:" in done.stdout
    done = subprocess.run([*base, "task=probes", "probe=negation,party", "domain=sample", "model=bilstm"], cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "python train.py domain=sample model=bilstm seed=0" in done.stderr.strip().splitlines()[-1]
