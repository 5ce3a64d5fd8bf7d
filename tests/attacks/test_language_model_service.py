"""Against a real HTTP server on this machine, as a service, inside the engine and through the command."""

from __future__ import annotations

import email.utils
import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time
import zlib
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hardtext.attacks import language_model_service
from hardtext.attacks.engine import run
from hardtext.attacks.language_model_service import Completing, CompletionError
from hardtext.attacks.requests import Complete, Endpoint
from hardtext.attacks.rewrite import Rewrite
from hardtext.attacks.services import Task
from hardtext.core import Example, InputError

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-l3akDetector-0123456789abcdef"
VARIABLE = "HARDTEXT_TEST_KEY"


def completion(text, reason="stop"):
    return 200, {}, json.dumps({"object": "chat.completion", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}]})


def error(status, message="no", headers=None, **details):
    return status, headers or {}, json.dumps({"error": {"message": message, **details}})


class Server:
    """``reply(request, headers, number)`` → (status, headers, body), asked for each POST; a body of None drops the
    connection."""

    def __init__(self, reply):
        self.requests, self.headers, self.paths, self.times = [], [], [], []
        self.active = self.busiest = 0
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer.lock:
                    outer.active += 1
                    outer.busiest = max(outer.busiest, outer.active)
                    number = len(outer.requests)
                    outer.requests.append(sent)
                    outer.headers.append(dict(self.headers))
                    outer.paths.append(self.path)
                    outer.times.append(time.monotonic())
                try:
                    status, headers, body = reply(sent, self.headers, number)
                    with outer.lock:  # before the client can know, and ask again
                        outer.active -= 1
                    if body is None:
                        self.connection.shutdown(socket.SHUT_RDWR)
                        return
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    body = body if isinstance(body, bytes) else body.encode()
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass  # the client has given up

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def serve():
    servers = []

    def start(reply):
        servers.append(Server(reply))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(language_model_service, "FIRST_WAIT_SECONDS", 0.01)
    monkeypatch.delenv(VARIABLE, raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def endpoint(server, **settings):
    return Endpoint(**{"base_url": server if isinstance(server, str) else server.url, "model": "small", "key_env": VARIABLE,
                       "timeout": 5.0, "retries": 2, **settings})


def ask(where, *prompts, service=None):
    """The task of one example after a round."""
    task = Task(request=Complete(where, prompts or ("Hello",), tuple(range(len(prompts or ("Hello",))))))
    (service or Completing()).serve([task])
    return task


def refused(where, *words):
    with pytest.raises(InputError) as caught:
        ask(where)
    message = str(caught.value)
    assert all(w in message for w in words) and "\n" not in message, message
    return message


# ---- what is sent and received

def test_each_prompt_is_one_chat_with_its_seed_and_answers_come_back_in_order(serve, monkeypatch):
    monkeypatch.setenv(VARIABLE, f" {KEY}\n")
    server = serve(lambda sent, headers, n: completion("re: " + sent["messages"][0]["content"]))
    task = ask(endpoint(server, temperature=0.5, max_tokens=9), "a", "b", "c")
    assert task.answer == ["re: a", "re: b", "re: c"] and task.failure is None and task.seconds > 0
    assert sorted(server.requests, key=lambda r: r["seed"]) == [
        {"model": "small", "messages": [{"role": "user", "content": p}], "seed": i, "temperature": 0.5, "max_tokens": 9}
        for i, p in enumerate("abc")]
    assert {h["Authorization"] for h in server.headers} == {f"Bearer {KEY}"}
    assert set(server.paths) == {"/v1/chat/completions"}


def test_what_is_not_set_is_not_sent(serve, monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password mine\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    server = serve(lambda *_: completion("x"))
    task = Task(request=Complete(endpoint(server, model=""), ("a",), (None,)))
    Completing().serve([task])
    assert server.requests == [{"messages": [{"role": "user", "content": "a"}]}]
    assert "Authorization" not in server.headers[0]


@pytest.mark.parametrize("address", ["{}/", "{}/chat/completions", "{}/chat/completions/"])
def test_the_address_may_be_given_in_full(serve, address):
    server = serve(lambda *_: completion("x"))
    assert ask(endpoint(address.format(server.url))).answer == ["x"]
    assert server.paths == ["/v1/chat/completions"]


def test_an_answer_that_was_cut_off_is_empty(serve):
    assert ask(endpoint(serve(lambda *_: completion("Half a", reason="length")))).answer == [""]


def test_prompts_of_many_examples_are_asked_at_once_and_never_more_than_allowed(serve):
    def slow(*_):
        time.sleep(0.1)
        return completion("x")

    server = serve(slow)
    where = endpoint(server, concurrency=6)
    tasks = [Task(request=Complete(where, ("a", "b"), (0, 1))) for _ in range(6)]
    Completing().serve(tasks)
    assert server.busiest == 6
    assert all(t.answer == ["x", "x"] for t in tasks)
    server.busiest = 0
    Completing().serve([Task(request=Complete(replace(where, concurrency=1), ("a", "b", "c"), (0, 1, 2)))])
    assert server.busiest == 1


def test_no_thread_is_left_behind(serve):
    server = serve(lambda *_: completion("x"))
    before = {t.name for t in threading.enumerate()}
    ask(endpoint(server), *"abcdefgh")
    with pytest.raises(InputError):
        ask(endpoint(serve(lambda *_: error(401))), *"abcdefgh")
    left = {t.name for t in threading.enumerate()} - before
    assert not [name for name in left if name.startswith("ThreadPool")]


# ---- retries

def test_a_busy_server_is_asked_again_no_earlier_than_it_says(serve):
    server = serve(lambda sent, headers, n: completion("x") if n else error(429, headers={"Retry-After": "0.4"}))
    assert ask(endpoint(server)).answer == ["x"]
    first, second = server.times
    assert 0.4 <= second - first < 2


def test_retry_after_may_be_a_date():
    later = email.utils.formatdate(time.time() + 100, usegmt=True)
    assert 95 < language_model_service._seconds(later) <= 100
    assert [language_model_service._seconds(s) for s in ("3", "", None, "soon", "-1", "nan")] == [3, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_server_that_recovers(serve, status):
    server = serve(lambda sent, headers, n: completion("x") if n == 2 else error(status))
    assert ask(endpoint(server)).answer == ["x"]
    assert len(server.requests) == 3


def test_waits_grow(serve, monkeypatch):
    monkeypatch.setattr(language_model_service, "FIRST_WAIT_SECONDS", 0.1)
    server = serve(lambda *_: error(500))
    task = ask(endpoint(server, retries=2))
    assert isinstance(task.failure, CompletionError) and "500" in str(task.failure) and "3 times" in str(task.failure)
    a, b, c = server.times
    assert b - a >= 0.1 and c - b >= 0.2


@pytest.mark.parametrize("broken", [
    (200, {}, "{not json"), (200, {}, "[]"), (200, {}, "{}"), (200, {}, '{"choices": []}'), (200, {}, ""),
    (200, {}, '{"choices": [{"message": {"content": null}}]}'), (200, {}, '{"choices": [{"message": null}]}'),
    (200, {}, '{"choices": [7]}'), (200, {}, None), (200, {}, "<html>gateway</html>"), (200, {}, b"\xff{"),
])
def test_an_answer_that_makes_no_sense_is_asked_again_and_fails_its_example_alone(serve, broken):
    server = serve(lambda sent, headers, n: completion("x") if sent["messages"][0]["content"] != "bad" else broken)
    where = endpoint(server, retries=1)
    tasks = [Task(request=Complete(where, prompts, (0, 1))) for prompts in (("a", "b"), ("c", "bad"), ("d", "e"))]
    Completing().serve(tasks)
    assert [t.answer for t in tasks] == [["x", "x"], None, ["x", "x"]]
    assert isinstance(tasks[1].failure, CompletionError) and "2 times" in str(tasks[1].failure)
    assert [r["messages"][0]["content"] for r in server.requests].count("bad") == 2


def test_a_server_that_does_not_answer_in_time(serve):
    release = threading.Event()
    server = serve(lambda *_: (release.wait(5), completion("late"))[1])
    started = time.monotonic()
    task = ask(endpoint(server, timeout=0.2, retries=1))
    release.set()
    assert time.monotonic() - started < 2
    assert "no answer within 0.2 s (2 times)" in str(task.failure)


@pytest.mark.parametrize("reply", [completion("", reason="content_filter"), error(400, "policy", code="content_filter"),
                                   error(422, "bad words"), error(403, "flagged")])
def test_a_content_filter_fails_its_example_at_once(serve, reply):
    server = serve(lambda *_: reply)
    task = ask(endpoint(server))
    assert isinstance(task.failure, CompletionError) and len(server.requests) == 1


# ---- what ends the run

def closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_port_where_nothing_listens_is_reported_at_once(monkeypatch):
    monkeypatch.setattr(language_model_service, "FIRST_WAIT_SECONDS", 60)
    started = time.monotonic()
    url = f"http://127.0.0.1:{closed_port()}/v1"
    refused(endpoint(url), f"attack.base_url={url}", "no connection", "start the server")
    assert time.monotonic() - started < 3


def test_a_host_that_does_not_exist():
    refused(endpoint("http://no-such-host.invalid/v1"), "attack.base_url=http://no-such-host.invalid/v1", "no connection")


def test_a_server_without_tls_behind_https(serve):
    server = serve(lambda *_: completion("x"))
    refused(endpoint(server.url.replace("http:", "https:")), "attack.base_url=https:", "secure connection")


def test_a_server_that_dies_ends_the_run_after_the_retries(serve):
    server = serve(lambda *_: completion("x"))
    service, where = Completing(), endpoint(server)
    assert ask(where, service=service).answer == ["x"]
    server.close()
    with pytest.raises(InputError, match="no connection"):
        ask(where, service=service)


@pytest.mark.parametrize(("reply", "words"), [
    (error(401, "bad key"), [f"attack.key_env={VARIABLE}", "401", "bad key", "is needed"]),
    (error(404, "model not found"), ["attack.model=small", "404", "model not found"]),
    ((404, {}, "<h1>nothing here</h1>"), ["attack.model=small", "attack.base_url", "/v1"]),
    ((308, {"Location": "https://elsewhere"}, ""), ["attack.base_url", "308"]),
    (error(402), ["no credit left"]),
    (error(429, code="insufficient_quota"), ["no credit left", "429"]),
    (error(429, headers={"Retry-After": "86400"}), ["86400 s"]),
    (error(400, "use another", param="max_tokens"), ["attack.max_tokens", "attack.max_tokens=null"]),
    (error(400, "unknown", param="seed"), ["attack.send_seed=false"]),
    (error(400, "you must name a model", param="model"), ["attack.model", "set another value"]),
])
def test_what_every_prompt_would_meet_ends_the_run(serve, reply, words):
    server = serve(lambda *_: reply)
    refused(endpoint(server), *words)
    assert len(server.requests) == 1


def test_a_wrong_key_is_told_from_a_missing_one(serve, monkeypatch):
    monkeypatch.setenv(VARIABLE, KEY)
    server = serve(lambda sent, headers, n: error(401, f"Incorrect API key provided: {headers['Authorization']}"))
    message = refused(endpoint(server), "was refused", "Bearer ***")
    assert KEY not in message


def test_an_address_that_no_request_can_be_sent_to():
    refused(endpoint("http://*bad/v1"), "attack.base_url=http://*bad/v1", "InvalidURL")


# ---- the key

def echoing(sent, headers, n):
    """Repeats the key wherever it can."""
    secret = headers.get("Authorization", "")
    content = sent["messages"][0]["content"]
    if "broken" in content:
        return 200, {"X-Echo": secret}, f"not json {secret}"
    if "odd" in content:
        return error(400, f"what is {secret}?", {"X-Echo": secret})
    if "reset" in content:
        return 200, {}, None
    return completion(f"The state of {secret} lied")


def test_the_key_is_in_no_answer_failure_log_or_repr(serve, monkeypatch, caplog, capfd):
    monkeypatch.setenv(VARIABLE, KEY)
    caplog.set_level(logging.DEBUG)
    server = serve(echoing)
    where, service = endpoint(server, retries=1), Completing()
    tasks = [ask(where, word, service=service) for word in ("plain", "broken", "odd", "reset")]
    assert all(h["Authorization"] == f"Bearer {KEY}" for h in server.headers)
    assert tasks[0].answer == ["The state of Bearer *** lied"]
    for task in tasks[1:]:
        failure = task.failure
        assert isinstance(failure, CompletionError)
        chain = [failure]
        while (earlier := chain[-1].__cause__ or chain[-1].__context__) is not None:
            chain.append(earlier)
        assert not any(KEY in repr(e) + str(e) for e in chain)
        assert not any(getattr(e, "request", None) for e in chain), "an exception that holds the request holds the key"
    said = capfd.readouterr()
    everything = "".join([repr(tasks), repr(where), repr(service), repr(vars(service)), caplog.text, said.out, said.err])
    assert KEY not in everything and "trying again" in caplog.text


def test_a_key_that_cannot_be_one_is_refused_without_repeating_it(serve, monkeypatch):
    monkeypatch.setenv(VARIABLE, f"{KEY}\n second line")
    server = serve(lambda *_: completion("x"))
    assert KEY not in refused(endpoint(server), f"attack.key_env={VARIABLE}")
    assert not server.requests


def test_a_placeholder_for_a_key_is_not_blotted_out_of_texts(serve, monkeypatch):
    monkeypatch.setenv(VARIABLE, "none")
    assert ask(endpoint(serve(lambda *_: completion("none of it")))).answer == ["none of it"]


# ---- in the engine

def deterministic(sent, headers, n):
    """Swaps words for others by the prompt and the seed; later requests answer sooner."""
    time.sleep(0.002 * (zlib.crc32(json.dumps(sent).encode()) % 5))
    prompt, seed = sent["messages"][0]["content"], sent["seed"]
    words = prompt.rpartition("\n\n")[2].split(" ")
    if len(words) < 2:
        words = [*words, "said"]
    for i in range(0, len(words), 2):
        words[i] = ["war", "tax", "peace", "lie"][zlib.crc32(f"{prompt}{seed}{i}".encode()) % 4]
    return completion("Here is the text: " + " ".join(words))


def settings(server, **changes):
    return Rewrite(**{"base_url": server.url, "key_env": VARIABLE, "timeout": 5.0, **changes})


def attempts(attack, victim, examples, **options):
    return {a.id: replace(a, seconds=0) for a in run(attack, victim, examples, domain="d", seed=3, **options)}


TEXTS = ["Good news: the state won a war on tax.", "The party said no to peace in our city", "A lie is a lie.",
         ("the evidence ~ of it", "the state lied to the man and the woman"), "vote", "!!!", "",
         "Iran said that the law is a lie ~ and no man voted"]


@pytest.mark.parametrize("changes", [{}, {"pick": "closest"}, {"segments": "both"}, {"variant": "pieces"},
                                     {"variant": "pieces", "pick": "closest", "segments": "both"}], ids=str)
def test_an_attempt_never_depends_on_how_it_was_run(serve, bag_victim, changes):
    server = serve(deterministic)
    examples = [Example(str(i), t, 0) for i, t in enumerate(TEXTS)]
    together = attempts(settings(server, **changes), bag_victim(), examples)
    alone = {}
    for e in reversed(examples):
        alone |= attempts(settings(server, concurrency=1, **changes), bag_victim(), [e], in_flight=1)
    assert together == alone
    statuses = [a.status for a in together.values()]
    assert "success" in statuses and "error" not in statuses and statuses.count("skipped") == 2


HOSTILE = {
    "emoji": "🔥 x", "one word": "vote", "Fake": "Fake", "separators": "tax ~ war ~ law ~ ~ peace", "long": "tax lie " * 5000,
    "right to left": "قال الرئيس إن الضرائب", "combining": "e\u0301a\u0308 n\u0303o\u0308", "surrogate": "a \ud83d text",
    "long words": "antidisestablishmentarianism hydroxychloroquine", "zero": "null\x00byte tax",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("variant", ["hardtext", "pieces"])
def test_hostile_texts_end_cleanly(serve, bag_victim, text, variant):
    server = serve(deterministic)
    for segments in ((text,), (text, "the claim of a state")):
        attack = settings(server, variant=variant, segments="both", per_prompt=1, max_tokens=None)
        [a] = attempts(attack, bag_victim(), [Example("1", segments, 0)], max_queries=40).values()
        assert a.status in ("success", "failed", "budget") and a.error is None


def test_one_example_that_cannot_be_completed_is_an_error_and_the_others_go_on(serve, bag_victim, monkeypatch):
    monkeypatch.setenv(VARIABLE, KEY)

    def reply(sent, headers, n):
        if "Iran" in sent["messages"][0]["content"]:
            return error(400, f"flagged; key {headers['Authorization']}")
        return deterministic(sent, headers, n)

    found = attempts(settings(serve(reply)), bag_victim(), [Example("1", "Iran lied", 0), Example("2", "A lie is a lie.", 0)])
    assert found["1"].status == "error" and "flagged" in found["1"].error and KEY not in found["1"].error
    assert found["2"].status in ("success", "failed")


# ---- through the command

VICTIM = """
import zlib

def predict(texts):
    rows = []
    for text in texts:
        words = text.split()
        score = sum(zlib.crc32(w.encode()) % 201 - 100 for w in words) / (100 * max(1, len(words)))
        rows.append([0.5 + score / 2, 0.5 - score / 2])
    return rows
"""


def command(tmp_path, *overrides, key=KEY):
    (tmp_path / "own_victim.py").write_text(VICTIM)
    environment = {k: v for k, v in os.environ.items() if k.lower() not in ("http_proxy", "all_proxy")}
    environment |= {"HARDTEXT_RUNS": str(tmp_path / "runs"), "PYTHONPATH": str(tmp_path), VARIABLE: key}
    return subprocess.run([sys.executable, "attack.py", "domain=sample", "model=callable", "model.target=own_victim:predict",
                           "attack=rewrite", f"attack.key_env={VARIABLE}", "logger=csv", "limit=6", *overrides], cwd=ROOT,
                          capture_output=True, text=True, timeout=120, env=environment)


def written(folder):
    return {path.relative_to(folder): path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file()}


def test_the_command(serve, tmp_path):
    """Successes and an error, and the key in no file or output."""
    def reply(sent, headers, n):
        if n == 0:  # the first request; its example gets an error
            return error(400, f"flagged: {headers['Authorization']}", {"X-Echo": headers["Authorization"]})
        return completion(headers["Authorization"] + " " + json.loads(deterministic(sent, headers, n)[2])["choices"][0][
            "message"]["content"].removeprefix("Here is the text: "))

    server = serve(reply)
    done = command(tmp_path, f"attack.base_url={server.url}", "attack.concurrency=1", "attack.model=m")
    assert done.returncode == 0, done.stderr
    files = written(tmp_path / "runs")
    (rows,) = [body for path, body in files.items() if path.name == "attempts.jsonl"]
    statuses = [json.loads(line)["status"] for line in rows.splitlines()]
    assert len(statuses) == 6 and statuses.count("error") == 1 and "success" in statuses
    assert {h["Authorization"] for h in server.headers} == {f"Bearer {KEY}"}
    assert not [path for path, body in files.items() if KEY in body]
    assert KEY not in done.stdout + done.stderr
    assert any(server.url in body for path, body in files.items() if path.name == "config.yaml")


@pytest.mark.slow
def test_the_command_gives_the_same_rows_again(serve, tmp_path):
    """Two processes, with two hash seeds."""
    server = serve(deterministic)
    rows = []
    for out in ("one", "two"):
        done = command(tmp_path, f"attack.base_url={server.url}", f"out={tmp_path / out}", "attack.variant=pieces")
        assert done.returncode == 0, done.stderr
        rows.append([{**json.loads(line), "seconds": 0} for line in
                     (tmp_path / out / "attempts.jsonl").read_text().splitlines()])
    assert rows[0] == rows[1] and "success" in [row["status"] for row in rows[0]]


@pytest.mark.parametrize(("overrides", "words"), [
    ([], ["attack.base_url", "http://localhost:8000/v1"]),
    (["attack.base_url=http://127.0.0.1:{port}/v1"], ["attack.base_url=http://127.0.0.1:", "no connection"]),
    (["attack.base_url=http://localhost/v1", "attack.prompts=[sing]"], ["attack.prompts=sing", "paraphrase"]),
])
def test_the_command_refuses_in_one_line(tmp_path, overrides, words):
    done = command(tmp_path, *[o.format(port=closed_port()) for o in overrides])
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    line = done.stderr.strip().splitlines()[-1]
    assert line.startswith("error: ") and all(w in line for w in words)
