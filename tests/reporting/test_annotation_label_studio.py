"""A real Label Studio: our project and tasks in through its API, annotations by two people, its export read back.

Label Studio's pinned packages do not go with ours, so it lives in an environment of its own:

    python -m venv ls && ls/bin/pip install -r requirements-label-studio.txt
    HARDTEXT_LABEL_STUDIO=ls/bin/label-studio python -m pytest -m slow tests/reporting/test_annotation_label_studio.py
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from hardtext.core import Attempt
from hardtext.records import write_json, write_rows
from hardtext.scoring.agreement import LABELS, cohen_kappa

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "0123456789abcdef0123456789abcdef01234567"
TEXTS = ("<script>alert(1)</script> said \"no\" & 'yes'", "]]></View><!-- &amp; &#0;", "שלום \u202eabc", "👨‍👩‍👧 cafe\u0301",
         "one\ntwo\u2028three\tfour", "{{html}} $html", "s3://bucket/key", "a plain text")

pytestmark = pytest.mark.slow


class LabelStudio:
    """The API of a running server."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.session = requests.Session()
        self.session.trust_env = False  # no proxy stands between this machine and itself
        self.session.headers["Authorization"] = f"Token {TOKEN}"

    def __call__(self, method: str, path: str, **arguments):
        answer = self.session.request(method, f"{self.address}/api/{path}", timeout=60, **arguments)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json()


@pytest.fixture(scope="module")
def label_studio(tmp_path_factory):
    command = shutil.which(os.environ.get("HARDTEXT_LABEL_STUDIO", "label-studio"))
    if command is None:
        pytest.skip("no label-studio command here: install requirements-label-studio.txt in an environment of its own "
                    "and name its command with HARDTEXT_LABEL_STUDIO=<path>")
    folder = tmp_path_factory.mktemp("label_studio")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
        "HOME": str(folder), "LABEL_STUDIO_BASE_DATA_DIR": str(folder / "data"), "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false", "SENTRY_DSN": "", "FRONTEND_SENTRY_DSN": ""}
    with open(folder / "server.log", "w") as output:
        server = subprocess.Popen(
            [command, "start", "--no-browser", "--port", str(port), "--internal-host", "127.0.0.1",
             "--data-dir", str(folder / "data"), "--username", "admin@example.org", "--password", "hardtext-test",
             "--user-token", TOKEN, "--enable-legacy-api-token"],
            stdout=output, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
    try:
        yield LabelStudio(wait_until_up(server, f"http://127.0.0.1:{port}", folder / "server.log"))
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def wait_until_up(server: subprocess.Popen, address: str, log: Path, seconds: int = 420) -> str:
    """The first start makes a database, which takes minutes on a slow machine."""
    session = requests.Session()
    session.trust_env = False
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if session.get(f"{address}/health", timeout=10).ok:
                return address
        except requests.RequestException:
            time.sleep(1)
    pytest.fail(f"Label Studio did not start:\n{log.read_text(errors='replace')[-3000:]}")


def evaluate(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "evaluate.py", "logger=csv", *arguments], cwd=ROOT, capture_output=True,
                          text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-3000:]


def write_attempts(folder: Path, attack: str) -> None:
    write_rows(folder / attack / "attempts.jsonl", (
        Attempt(id=str(n), domain="pr", victim="bert", attack=attack, label=1, original=(text,),
                adversarial=(f"{text} by {attack}",), status="success", original_probs=[0.1, 0.9],
                adversarial_probs=[0.9, 0.1], queries=3, forwards=3, seconds=0.1, seed=0).to_row()
        for n, text in enumerate(TEXTS)))
    write_json(folder / attack / "summary.json", {"stand_ins": []})


def test_tasks_go_in_and_judgements_come_out(label_studio, tmp_path):
    for attack in ("homoglyph_search", "beam_attack"):
        write_attempts(tmp_path / "runs", attack)
    evaluate("task=annotate", f"attempts={tmp_path / 'runs'}", "format=label_studio", f"out={tmp_path / 'out'}")
    tasks = json.loads((tmp_path / "out" / "tasks.json").read_text(encoding="utf-8"))
    assert len(tasks) == 2 * len(TEXTS)

    config = (tmp_path / "out" / "labeling_config.xml").read_text(encoding="utf-8")
    project = label_studio("POST", "projects/", json={
        "title": "hardtext", "label_config": config, "show_instruction": True, "maximum_annotations": 2,
        "expert_instruction": (tmp_path / "out" / "guidelines.html").read_text(encoding="utf-8")})["id"]
    with open(tmp_path / "out" / "tasks.json", "rb") as file:
        imported = label_studio("POST", f"projects/{project}/import",
                                files={"file": ("tasks.json", file, "application/json")})
    assert imported["task_count"] == len(tasks)

    # Two people: the first says that the look-alikes are kept and the rest is changed; the second differs on one pair.
    people = [label_studio("POST", "users/", json={"email": f"{name}@example.org", "username": name,
                                                   "password": "hardtext-test"})["id"] for name in ("one", "two")]
    stored = label_studio("GET", "tasks/", params={"project": project, "page_size": 100, "fields": "all"})["tasks"]
    systems = {task["data"]["id"]: task["meta"]["system"] for task in tasks}
    labels = []
    for n, task in enumerate(stored):
        label = 0 if systems[task["data"]["id"]] == "homoglyph_search" else 1
        given = (label, 2 if n == 0 else label)
        labels.append(given)
        for person, answer in zip(people, given):
            label_studio("POST", f"tasks/{task['id']}/annotations/", json={"completed_by": person, "result": [
                {"from_name": "meaning", "to_name": "pair", "type": "choices", "value": {"choices": [LABELS[answer]]}},
                {"from_name": "confidence", "to_name": "pair", "type": "rating", "value": {"rating": 1 + n % 5}}]})
    exported = label_studio("GET", f"projects/{project}/export", params={"exportType": "JSON"})
    assert {row["data"]["id"]: row["data"] for row in exported} == {task["data"]["id"]: task["data"] for task in tasks}
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "export.json").write_text(json.dumps(exported), encoding="utf-8")

    evaluate("task=agreement", f"annotations={tmp_path / 'elsewhere' / 'export.json'}", f"out={tmp_path / 'agreement'}")
    result = json.loads((tmp_path / "agreement" / "agreement.json").read_text(encoding="utf-8"))
    assert result["pairs"] == len(tasks) and result["judgements"] == 2 * len(tasks)
    assert result["annotators"] == [str(person) for person in people]
    assert result["cohen_kappa"] == pytest.approx(cohen_kappa(labels))
    assert result["how"]["unresolved"] == 1 and result["how"]["unanimous"] == len(tasks) - 1
    ranking = {row["system"]: row for row in result["ranking"]}
    assert [row["system"] for row in result["ranking"]] == ["homoglyph_search", "beam_attack"]
    assert ranking["homoglyph_search"]["share"] == 1.0 and ranking["beam_attack"]["share"] == 0.0
    assert ranking["homoglyph_search"]["published_team"] == "SINAI" and ranking["beam_attack"]["published_share"] == 0.07
