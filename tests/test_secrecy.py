"""Keys, tokens and passwords: masked in configs, scrubbed from messages, log lines and tracebacks."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hardtext import secrecy
from hardtext.core import InputError

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("text", [
    "http://me:HUSH@host/v1", "https://HUSH@host", "https://h/v1?key=HUSH&n=1", "https://h/?n=1&api_key=HUSH",
    "https://h/?access_token=HUSH", "https://s3/x?X-Amz-Signature=HUSH&X-Amz-Credential=HUSH", "https://h/?sig=HUSH#a",
    "attack.api_key=HUSH: no such setting", "('token=HUSH',)", "Invalid header value: b'Bearer HUSH-0123'",
    "authorization: Basic HUSH0123456=="])
def test_what_looks_like_a_secret_is_not_shown(text):
    assert "HUSH" not in secrecy.scrubbed(text) and secrecy.MASK in secrecy.scrubbed(text)


@pytest.mark.parametrize("text", [
    "model.token_env=MY_TOKEN: there is no such environment variable", "batch_tokens=4096", "domain.key_column=id",
    "https://huggingface.co/org/model?n=1", "basic training of a bearer certificate", "a monkey=1 turkey=2",
    "attack.key_env=OPENAI_API_KEY: the key was refused (401 from http://localhost:8000/v1)", "me@host.org"])
def test_everything_else_is(text):
    assert secrecy.scrubbed(text) == text == secrecy.mask_secrets({"x": text})["x"]


def test_values_of_secret_variables_are_not_shown(monkeypatch):
    monkeypatch.setenv("ACME_API_KEY", "HUSH-value")
    monkeypatch.setenv("HF_TOKEN", "short")
    monkeypatch.setenv("ACME_URL", "http://host/long")
    assert secrecy.scrubbed("no HUSH-value, short, http://host/long") == "no ***, short, http://host/long"


def test_a_key_that_no_header_can_hold_is_refused_without_repeating_it(monkeypatch):
    monkeypatch.setenv("ACME", " HUSH \n")
    assert secrecy.key_in("ACME", option="x") == "HUSH" and secrecy.key_in("ACME_2", option="x") == ""
    monkeypatch.setenv("ACME", "HUSH\nmore")
    with pytest.raises(InputError, match="model.token_env=ACME: .*cannot be a key") as caught:
        secrecy.key_in("ACME", option="model.token_env")
    assert "HUSH" not in str(caught.value)


def test_log_lines_and_their_tracebacks_are_scrubbed():
    try:
        raise ValueError("GET http://h/?api_key=HUSH")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "at %s", ("http://me:HUSH@h",), sys.exc_info())
    text = secrecy.Formatter("%(message)s").format(record)
    assert text.startswith("at http://***@h\nTraceback") and "api_key=***" in text and "HUSH" not in text


COMMANDS = {
    "a line of refusal": ("def classify(texts):\n    raise OSError(13, 'no HUSH-0123', 'http://me:HUSH@h')\n", 2),
    "a traceback": ("def classify(texts):\n    raise ValueError('Bearer HUSH-0123 http://h?api_key=HUSH')\n", 1),
    "a log line": ("import logging\ndef classify(texts):\n    logging.getLogger('hardtext').warning('http://me:HUSH@h')\n"
                   "    raise SystemExit(3)\n", 3)}


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[] if kind == "a traceback" else pytest.mark.slow)
                                  for kind in COMMANDS])
def test_a_command_shows_and_keeps_no_secret(tmp_path, kind):
    """A victim that says its secrets as it fails; they are on no stream and in no file of the run."""
    code, expected = COMMANDS[kind]
    (tmp_path / "telltale.py").write_text(code)
    environment = os.environ | {"HARDTEXT_RUNS": str(tmp_path / "runs"), "HARDTEXT_DATA": str(tmp_path / "data"),
                                "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
                                "ACME_TOKEN": "HUSH-0123", "WANDB_MODE": "offline"}
    done = subprocess.run([sys.executable, "train.py", "model=callable", "model.target=telltale:classify",
                           "logger.tags=['http://me:HUSH@h']"], cwd=ROOT, env=environment, capture_output=True, text=True,
                          timeout=240)
    assert done.returncode == expected, done.stderr
    shown = done.stdout + "".join(line for line in done.stderr.splitlines() if not line.lstrip().startswith("raise "))
    assert "HUSH" not in shown and secrecy.MASK in shown
    kept = [file for file in (tmp_path / "runs").rglob("*") if file.is_file()]
    assert any(file.name == "status.json" for file in kept) and any("wandb" in file.parts for file in kept)
    assert [file for file in kept if b"HUSH" in file.read_bytes()] == []
