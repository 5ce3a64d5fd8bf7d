"""Code and pickles that come with weights: never run, unless the user trusts the code."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from hardtext import load_victim
from hardtext.attacks.masked_lm import load_masked_lm
from hardtext.core import Domain, InputError
from hardtext.victims import BiLSTM, Encoder, Pretrained
from hardtext.weights import resolve

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = Domain("toy", ("credible", "fake"))
CODE = '''
import os
from pathlib import Path
Path(os.environ["RAN"]).write_text("yes")

import torch
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

class CountingConfig(PretrainedConfig):
    model_type = "counting"
    def __init__(self, vocab_size=64, pad_token_id=0, **kwargs):
        super().__init__(pad_token_id=pad_token_id, **kwargs)
        self.vocab_size = vocab_size

class CountingModel(PreTrainedModel):
    """Fake as far as the text is long."""
    config_class = CountingConfig
    def __init__(self, config):
        super().__init__(config)
        self.embedding = torch.nn.Embedding(config.vocab_size, 2)
    def get_input_embeddings(self):
        return self.embedding
    def forward(self, input_ids=None, attention_mask=None, **kwargs):
        summed = (self.embedding(input_ids) * attention_mask[..., None]).sum(1)
        return SequenceClassifierOutput(logits=summed)
'''
MAP = {"AutoConfig": "counting.CountingConfig", "AutoModelForSequenceClassification": "counting.CountingModel"}


@pytest.fixture
def with_code(bert_folder, tmp_path, monkeypatch) -> Path:
    """A classifier whose network is Python code in its own folder, which writes a file when it is run."""
    from safetensors.torch import save_file
    from transformers import AutoTokenizer

    monkeypatch.setenv("RAN", str(tmp_path / "ran"))
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    folder = tmp_path / "theirs"
    tokenizer = AutoTokenizer.from_pretrained(bert_folder)
    tokenizer.save_pretrained(folder)
    (folder / "counting.py").write_text(CODE)
    config = {"model_type": "counting", "auto_map": MAP, "architectures": ["CountingModel"], "vocab_size": len(tokenizer),
              "id2label": {"0": "credible", "1": "fake"}, "label2id": {"credible": 0, "fake": 1}}
    (folder / "config.json").write_text(json.dumps(config))
    weight = torch.tensor([0.0, 0.1]).repeat(len(tokenizer), 1)
    save_file({"embedding.weight": weight}, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


REFUSED = r"brings its own Python code along \(config.json: AutoConfig, .*\), which is not run; read that code, then set " \
          r"trust_remote_code=true to run it"


def test_code_is_refused_in_one_line_and_not_run(with_code, tmp_path):
    for load in (lambda: load_victim(with_code), lambda: Pretrained(path=str(with_code)).victim(DOMAIN)):
        with pytest.raises(InputError, match=REFUSED) as caught:
            load()
        assert "\n" not in str(caught.value) and not (tmp_path / "ran").exists()


def test_trusted_code_is_run(with_code, tmp_path):
    victims = [load_victim(with_code, trust_remote_code=True),
               Pretrained(path=str(with_code), trust_remote_code=True).victim(DOMAIN)]
    assert (tmp_path / "ran").exists()
    for victim in victims:
        short, long = victim.probabilities([("hoax",), ("hoax hoax hoax",)])
        assert short[1] == pytest.approx(1 / (1 + np.exp(-0.1 * 3)), abs=1e-6)  # [CLS] hoax [SEP]
        assert long[1] == pytest.approx(1 / (1 + np.exp(-0.1 * 5)), abs=1e-6)


@pytest.mark.parametrize("make", [
    lambda folder: Encoder(path=folder).module(DOMAIN, 0), lambda folder: BiLSTM(tokenizer=folder).module(DOMAIN, 0),
    load_masked_lm, lambda folder: resolve(folder, option="semantic.path")])
def test_where_no_setting_allows_code_another_model_is_asked_for(with_code, tmp_path, make):
    with pytest.raises(InputError, match="which is not run; here only models that need no code of their own are taken"):
        make(str(with_code))
    assert not (tmp_path / "ran").exists()


def test_code_of_a_tokenizer_is_code_too(classifier_folder, tmp_path):
    file = classifier_folder / "tokenizer_config.json"
    before = file.read_text()
    try:
        file.write_text(json.dumps(json.loads(before) | {"auto_map": {"AutoTokenizer": ["x.Slow", None]}}))
        with pytest.raises(InputError, match=r"\(tokenizer_config.json: AutoTokenizer\).*trust_remote_code=true"):
            load_victim(classifier_folder)
    finally:
        file.write_text(before)


def test_code_is_downloaded_only_where_it_is_trusted(with_code, monkeypatch):
    """Also where the model was cached before without its code."""
    import huggingface_hub
    from huggingface_hub import constants

    asked = []

    def snapshot_download(source, *, allow_patterns, local_files_only=False, **options):
        asked.append((local_files_only, "*.py" in allow_patterns))
        return str(with_code)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nobody is asked: the door to the hub is a stand-in
    with pytest.raises(InputError, match="set trust_remote_code=true"):
        resolve("org/model", option="victim", trust_remote_code=False)
    assert asked == [(True, False)]
    assert resolve("org/model", option="victim", trust_remote_code=True) == with_code
    assert asked[1:] == [(True, True)]
    (with_code / "counting.py").unlink()
    resolve("org/model", option="victim", trust_remote_code=True)
    assert asked[2:] == [(True, True), (False, True)]


@pytest.mark.slow
def test_the_command_refuses_and_runs_it(with_code, tmp_path):
    environment = os.environ | {"HARDTEXT_RUNS": str(tmp_path / "runs"), "HARDTEXT_DATA": str(tmp_path / "data")}
    config = json.loads((with_code / "config.json").read_text())
    (with_code / "config.json").write_text(json.dumps(config | {"id2label": {"0": "supported", "1": "refuted"}, "label2id": {
        "supported": 0, "refuted": 1}}))
    command = [sys.executable, "attack.py", "logger=csv", "attack=deepwordbug", "limit=2", "max_queries=5"]
    for choice in ([f"victim={with_code}"], ["model=pretrained", f"model.path={with_code}"]):
        refused = subprocess.run([*command, *choice], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240)
        assert refused.returncode == 2 and "set trust_remote_code=true" in refused.stderr.splitlines()[-1]
        assert "Traceback" not in refused.stderr and not (tmp_path / "ran").exists()
    done = subprocess.run([*command, *choice, "trust_remote_code=true"], cwd=ROOT, env=environment, capture_output=True,
                          text=True, timeout=240)
    assert done.returncode == 0 and (tmp_path / "ran").exists(), done.stderr[-2000:]
    rows = tmp_path / "runs/attack/sample/pretrained/deepwordbug/seed=0/attempts.jsonl"
    assert rows.read_text().count("\n") == 2


class Runs:
    """Unpickling it calls a function, as a hostile file of weights would."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_a_pickle_among_weights_is_not_run(classifier_folder, tmp_path):
    import shutil

    folder, ran = tmp_path / "theirs", tmp_path / "ran"
    shutil.copytree(classifier_folder, folder)
    (folder / "model.safetensors").unlink()
    pickle.loads(pickle.dumps(Runs(ran)))
    assert ran.exists(), "the pickle is harmless, so the test would show nothing"
    ran.unlink()
    torch.save({"classifier.weight": Runs(ran)}, folder / "pytorch_model.bin")
    with pytest.raises(InputError, match="no sequence classifier can be loaded there"):
        load_victim(folder)
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Runs(ran)))
    with pytest.raises(InputError, match="no sequence classifier can be loaded there"):
        load_victim(folder)
    assert not ran.exists()
