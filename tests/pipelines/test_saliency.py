"""``task=saliency``: rows and views on disk, going on after a kill, attacks' originals, and what is refused."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy
import pytest

from hardtext import records, runs
from hardtext.config import EvaluateConfig
from hardtext.core import Domain, Example, InputError
from hardtext.domains import DOMAINS
from hardtext.pipelines import saliency
from hardtext.reporting.saliency import rows
from hardtext.saliency import Attribution, SaliencySettings
from hardtext.scoring import semantic_from_name
from hardtext.tracking import LoggerSettings
from hardtext.victims import MODELS

ROOT = Path(__file__).resolve().parents[2]
FILES = ("saliency.jsonl", "saliency.json", "saliency.md", "saliency.html", "words.csv", "figures/corpus.png",
         "figures/corpus.pdf", "figures/sentences.png", "figures/sentences.pdf")
VICTIM = ("import os, time\n"
          "def classify(texts):\n"
          "    time.sleep(float(os.environ.get('PAUSE', 0)))\n"
          "    return [[1 - p, p] for p in (0.1 + 0.5 * ('very' in t) + 0.3 * ('bad' in t) for t in texts)]\n")
TEXTS = ["a very bad day", "a good day", "very good", "bad", "so bad and very bad", "nothing here", "😀😀", "!?",
         "x\u0301y ok", "a bad and very long " + "road " * 600, "שלום very עולם"]


@pytest.fixture
def told(tmp_path, monkeypatch):
    """The victim's module and a CSV of texts, and the story told about them."""
    (tmp_path / "told.py").write_text(VICTIM)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("HARDTEXT_RUNS", str(tmp_path / "runs"))
    lines = [f'{i},"{text}",{"fake" if "very" in text else "real"},attack' for i, text in enumerate(TEXTS)]
    lines += [f"t{i},word {i},{'fake' if i % 2 else 'real'},{'train' if i < 8 else 'dev'}" for i in range(12)]
    (tmp_path / "texts.csv").write_text("id,text,label,split\n" + "\n".join(lines) + "\n", encoding="utf-8")

    def tell(**values):
        given = {"target": values.pop("target", "positive"), "attempts": values.pop("of", None),
                 "lexicon": values.pop("lexicon", "default"), "steps": values.pop("steps", 50)}
        domain = DOMAINS["file"](name="file", path=str(tmp_path / "texts.csv"), id="id", split_column="split")
        return saliency.run(EvaluateConfig(**{
            "task": "saliency", "method": "occlusion", "domain": domain, "out": str(tmp_path / "out"),
            "model": MODELS["callable"](name="callable", target="told:classify"), "semantic": semantic_from_name("none"),
            "saliency": SaliencySettings(**given), "logger": LoggerSettings(wandb=False), **values}))

    tell.folder = tmp_path
    return tell


@pytest.fixture
def rows_only(monkeypatch):
    """Figures take a second each."""
    monkeypatch.setattr(saliency, "write", lambda *arguments: None)


def test_everything_is_written_and_true_to_the_victim(told, capsys):
    found = told()
    out = told.folder / "out"
    assert all((out / name).stat().st_size for name in FILES)
    assert runs.read_status(out)["state"] == "done"
    made = {row.id: row for row in rows.read(out / rows.FILE)}
    assert [row.id for row in found.rows] == [str(i) for i in range(len(TEXTS))]
    values = {word.text: value for word, value in made["0"].words()}
    assert values["very"] > values["bad"] > 0 == values["day"]  # what the victim looks at, and in that order
    assert made["0"].target == 1 and made["0"].probs == [0.1, 0.9] and made["0"].comprehensiveness > 0
    summary = json.loads((out / "saliency.json").read_text())
    assert summary["texts"] == len(TEXTS) and summary["intensifiers"]["all texts"]["with_intensifier"] == 5
    assert {"very", "bad"} == {word["word"] for word in summary["extremes"][:2]}
    assert "most extreme words" in capsys.readouterr().out


def test_a_second_run_is_left_alone_and_another_lexicon_makes_new_views_only(told, monkeypatch):
    told()
    before = (told.folder / "out" / rows.FILE).read_bytes()
    monkeypatch.setattr(saliency, "explained", None)  # nothing is explained again
    assert len(told().rows) == len(TEXTS)
    told(lexicon="published")
    assert json.loads((told.folder / "out/saliency.json").read_text())["lexicon"] == "published"
    assert (told.folder / "out" / rows.FILE).read_bytes() == before


def test_a_longer_run_goes_on_with_a_shorter_one(told, rows_only):
    told(limit=3)
    told()
    longer = (told.folder / "out" / rows.FILE).read_bytes()
    told(out=str(told.folder / "fresh"))
    assert longer == (told.folder / "fresh" / rows.FILE).read_bytes()


def test_other_settings_or_fewer_texts_are_refused(told, rows_only):
    told(limit=5)
    with pytest.raises(InputError, match=r"another config \(saliency.target: positive → real\): overwrite=true"):
        told(limit=5, target="real")
    with pytest.raises(InputError, match="holds 5 texts and limit=2 asks for 2: leave the limit out"):
        told(limit=2)
    with pytest.raises(InputError, match="another config .*saliency.target"):  # not the limit
        told(limit=2, target="real")
    with pytest.raises(InputError, match="another config .*split: attack → dev"):
        told(split="dev", limit=2)
    assert runs.read_status(told.folder / "out")["state"] == "done"  # as it was
    assert {row.target for row in told(limit=5, target="real", overwrite=True).rows} == {0}


def test_texts_that_have_changed_since_are_refused(told, rows_only):
    told(limit=5)
    file = told.folder / "texts.csv"
    file.write_text(file.read_text(encoding="utf-8").replace("a good day", "a great day"), encoding="utf-8")
    with pytest.raises(InputError, match="holds text '1', which is not, or no longer, among"):
        told(limit=5)


def test_damaged_rows_are_refused_with_the_remedy(told, rows_only):
    told(limit=3)
    file = told.folder / "out" / rows.FILE
    whole = file.read_bytes()
    file.write_bytes(b"{broken}\n" + whole)
    with pytest.raises(InputError, match="saliency.jsonl, line 1: not JSON .*overwrite=true"):
        told(limit=3)
    told(limit=3, overwrite=True)
    assert file.read_bytes() == whole


def test_a_gap_without_end_is_null(told):
    made = Attribution(("a b",), 1, ((0, 0, 1, 0.5), (0, 2, 3, -0.5)), 0.0, (3,), math.inf)
    row = saliency._row(Example("1", ("a b",), 0), made, numpy.array([0.4, 0.6]), "integrated_gradients", "x", {})
    assert row.gap is None and '"gap": null' in records.dumps(row.to_row())


def test_kill_and_go_on(told, monkeypatch):
    """A process is killed in the middle, half a line is left behind; the same command ends in the same files."""
    monkeypatch.setattr(saliency, "TEXTS_AT_ONCE", {"occlusion": 2})
    program = ("import sys\nfrom pathlib import Path\nfrom tests_story import tell\ntell()\n")
    story = told.folder / "tests_story.py"
    story.write_text(
        "from hardtext.config import EvaluateConfig\nfrom hardtext.domains import DOMAINS\n"
        "from hardtext.pipelines import saliency\nfrom hardtext.scoring import semantic_from_name\n"
        "from hardtext.tracking import LoggerSettings\nfrom hardtext.victims import MODELS\n"
        "saliency.TEXTS_AT_ONCE = {'occlusion': 2}\n"
        "def tell():\n"
        f"    saliency.run(EvaluateConfig(task='saliency', method='occlusion', out={str(told.folder / 'out')!r},\n"
        f"        domain=DOMAINS['file'](name='file', path={str(told.folder / 'texts.csv')!r}, id='id',\n"
        "            split_column='split'),\n"
        "        model=MODELS['callable'](name='callable', target='told:classify'), semantic=semantic_from_name('none'),\n"
        "        logger=LoggerSettings(wandb=False)))\n")
    paths = os.pathsep.join([str(told.folder), str(ROOT / "src")])
    process = subprocess.Popen([sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": paths, "PAUSE": "0.2"},
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    file = told.folder / "out" / rows.FILE
    until = time.monotonic() + 90
    while not (file.is_file() and file.read_text(encoding="utf-8").count("\n") >= 3):
        assert process.poll() is None and time.monotonic() < until, process.stderr.read().decode()[-2000:]
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = len(list(records.read_rows(file)))
    assert 3 <= kept < len(TEXTS)
    with file.open("a", encoding="utf-8") as half:
        half.write('{"id": "half')
    told()
    told(out=str(told.folder / "fresh"))
    for name in FILES:
        assert (told.folder / "out" / name).read_bytes() == (told.folder / "fresh" / name).read_bytes(), name


def attempts_of(folder: Path, changed: dict[str, str], **values) -> Path:
    lines = [{"id": id, "domain": "file", "victim": "callable", "attack": "mine", "label": 1, "original": [TEXTS[int(id)]],
              "adversarial": [new] if new else None, "status": "success" if new else "failed", "original_probs": None,
              "adversarial_probs": None, "queries": 1, "forwards": 1, "seconds": 0.0, "seed": 0, "error": None} | values
             for id, new in changed.items()]
    records.write_rows(folder / "attempts.jsonl", lines)
    records.write_json(folder / "summary.json", {"stand_ins": ["masked LM: a small one"]})
    return folder / "attempts.jsonl"


def test_an_attack_that_changes_what_the_victim_looks_at(told):
    source = attempts_of(told.folder / "mine", {"0": "a vary bad day", "4": "so bad and vary bad", "1": "", "2": "vary good"})
    found = told(of=str(source), out=None)
    assert [row.id for row in found.rows] == ["0", "4", "2"] and found.agreement.means["auc"] == 1.0
    folder = next((told.folder / "runs/evaluate/saliency/file/callable/occlusion").iterdir())
    assert "attack=mine" in folder.name and (folder / "figures/attack.png").is_file()
    assert "stand-in: masked LM: a small one" in (folder / "saliency.md").read_text()
    told(of=str(source), out=str(told.folder / "first"), limit=2)
    assert "limit: the first 2 of 3 successes of the attack only" in (told.folder / "first/saliency.md").read_text()


def test_an_attack_without_success_and_one_on_another_domain_are_refused(told):
    with pytest.raises(InputError, match="no success, so there is no text to explain"):
        told(of=str(attempts_of(told.folder / "a", {"1": ""})))
    with pytest.raises(InputError, match="of domain pr, but domain=file"):
        told(of=str(attempts_of(told.folder / "b", {"0": "x"}, domain="pr")))
    assert not (told.folder / "out").exists()


@pytest.mark.parametrize(("values", "words"), [
    ({"method": "gradients"}, "method=gradients: expected one of gradient_x_input, integrated_gradients, occlusion"),
    ({"method": "gradient_x_input"}, "method=gradient_x_input: it needs gradients"),
    ({"method": "integrated_gradients"}, "weights of victim .* not in this process"),
    ({"target": "fakes"}, "saliency.target=fakes: expected positive, predicted, label, or one of the classes"),
    ({"split": "test"}, "split=test: expected one of train, dev, attack"), ({"limit": 0}, "limit=0: expected 1 or more"),
    ({"steps": 1_000_000_000}, "saliency.steps=1000000000: expected 1 to 10,000"),
    ({"steps": 0}, "saliency.steps=0: expected 1 to 10,000"),
    ({"lexicon": "mine"}, "saliency.lexicon=mine"), ({"model": None}, "needs a victim"), ({"domain": None}, "needs domain="),
    ({"model": MODELS["bilstm"](name="bilstm")}, "no victim at .*: make it with python train.py")])
def test_bad_settings_are_refused_before_anything_is_written(told, values, words):
    with pytest.raises(InputError, match=words):
        told(**values)
    assert not (told.folder / "out").exists()


SIX = Domain("liar6", ("a", "b", "c"), positive=(0, 2))
PROBS = numpy.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]])
EXAMPLES = [Example("1", ("x",), 1), Example("2", ("y",), 2)]


@pytest.mark.parametrize(("target", "expected"), [("positive", [2, 0]), ("predicted", [1, 0]), ("label", [1, 2]),
                                                  ("b", [1, 1])])
def test_targets(target, expected):
    assert saliency.targets_of(target, SIX, EXAMPLES, PROBS) == expected


def test_a_text_without_a_label_has_no_label_to_explain():
    with pytest.raises(InputError, match="text '3' has no label"):
        saliency.targets_of("label", SIX, [Example("3", ("x",), -1)], PROBS[:1])


def test_pairs_are_explained_side_by_side(told, rows_only):
    path = told.folder / "pairs.csv"
    path.write_text("a,b,label,split\n" + "".join(
        f"some evidence {i},{'a very bad claim' if i % 2 else ('' if i == 10 else 'a claim')},{'fake' if i % 2 else 'real'},"
        f"{('train', 'dev', 'attack')[i // 4]}\n" for i in range(12)))
    domain = DOMAINS["file"](name="file", path=str(path), text="a", text_pair="b", split_column="split")
    found = told(domain=domain)
    assert len(found.rows) == 3  # the pair with an empty side was left out by the domain, which says so
    assert all(len(s.sides) == 2 for s in found.sentences)
    strong = next(s for s in found.sentences if "very" in s.row.segments[1])
    assert strong.sides[0].share == 0 and strong.sides[1].share == 1
