"""Functions and HTTP endpoints as victims; the endpoint is a real server in this process."""

from __future__ import annotations

import json
import logging
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
import torch

from hardtext.core import Domain, InputError, Victim
from hardtext.victims import CallableModel, callables, load_victim

DOMAIN = Domain("toy", ("credible", "fake"))


def lengths(texts: list[str]) -> np.ndarray:
    """Longer is faker."""
    fake = np.array([min(len(t), 100) / 100 for t in texts])
    return np.stack([1 - fake, fake], axis=1)


@pytest.mark.parametrize("convert", [lambda p: p, lambda p: p.tolist(), torch.tensor, lambda p: list(map(tuple, p)),
                                     lambda p: torch.tensor(p, requires_grad=True),
                                     lambda p: torch.tensor(p, dtype=torch.bfloat16).float()])
def test_lists_arrays_and_tensors(convert):
    victim = load_victim(lambda texts: convert(lengths(texts)), classes=DOMAIN.classes)
    p = victim.probabilities([("x" * 25,), ("ab", "cd"), ("",)])
    assert isinstance(victim, Victim) and p.shape == (3, 2) and np.isfinite(p).all()
    assert p[:2, 1] == pytest.approx([0.25, 0.07], abs=2e-3)  # the pair reaches the function as "ab ~ cd"
    assert victim.probabilities([]).shape == (0, 2)


def test_a_pair_is_joined_and_batches_are_bounded():
    seen = []

    def function(texts):
        seen.append(list(texts))
        return lengths(texts)

    victim = callables.CallableVictim(function, name="f", classes=DOMAIN.classes, batch_size=7)
    victim.probabilities([("evidence", "claim")] * 20)
    assert [len(s) for s in seen] == [7, 7, 6] and seen[0][0] == "evidence ~ claim"


def test_classes_are_counted_where_not_given():
    assert load_victim(lengths).classes == ("0", "1") and load_victim(lengths).name == "lengths"
    assert load_victim(lengths, name="mine").name == "mine"
    with pytest.raises(InputError, match=r"shape \(1, classes\)"):
        load_victim(lambda texts: [0.5] * len(texts))


@pytest.mark.parametrize(("answer", "words"), [
    ([[0.5, 0.5, 0.0]], r"expected probabilities of shape \(1, 2\) .*got \(1, 3\)"),
    ([0.5], r"got \(1,\)"),
    ([[0.5, 0.5]] * 2, r"got \(2, 2\)"),
    ([[0.5, 0.6]], r"sum 1\), got \[0.5, 0.6\]"),
    ([[1.5, -0.5]], "0 or more"),
    ([[float("nan"), 1.0]], "nan"),
    ([["a", "b"]], "rows of numbers"),
    ([[0.5, 0.5], [1.0]], "rows of numbers"),
    (None, "shape|rows of numbers"),
])
def test_bad_answers_are_refused(answer, words):
    victim = load_victim(lambda texts: answer, classes=DOMAIN.classes)
    with pytest.raises(InputError, match=words):
        victim.probabilities([("a text",)])


def test_rows_may_be_off_by_a_thousandth():
    victim = load_victim(lambda texts: [[0.5, 0.5009]], classes=DOMAIN.classes)
    assert victim.probabilities([("a",)]).tolist() == [[0.5, 0.5009]]


def test_an_exception_of_the_function_propagates():
    def broken(texts):
        raise ZeroDivisionError("in the user's code")

    with pytest.raises(ZeroDivisionError):
        load_victim(broken, classes=DOMAIN.classes).probabilities([("a",)])


def test_target_by_name(tmp_path, monkeypatch):
    (tmp_path / "their_model.py").write_text("NUMBER = 3\ndef predict(texts):\n    return [[0.25, 0.75]] * len(texts)")
    monkeypatch.syspath_prepend(tmp_path)
    victim = CallableModel(target="their_model:predict").victim(DOMAIN)
    assert victim.probabilities([("a",)]).tolist() == [[0.25, 0.75]] and victim.classes == DOMAIN.classes
    for target, words in [("their_model", "expected module:function"), ("their_model:absent", "absent"),
                          ("their_model:NUMBER", "a int, not a function"), ("no_such_module:f", "PYTHONPATH")]:
        with pytest.raises(InputError, match=words):
            CallableModel(target=target).victim(DOMAIN)
    sys.modules.pop("their_model")


class Server(ThreadingHTTPServer):
    """Answers with ``lengths``; ``plan`` holds statuses to answer with first."""

    def __init__(self) -> None:
        self.plan, self.seen, self.tokens, self.echo = [], [], [], False
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/predict"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["texts"]
        self.server.seen.append(texts)
        self.server.tokens.append(self.headers.get("Authorization"))
        status = self.server.plan.pop(0) if self.server.plan else 200
        told = self.headers.get("Authorization") if self.server.echo else "no such thing"
        answer = {"probabilities": lengths(texts).tolist()}
        body = told.encode() if status != 200 or self.server.echo else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args) -> None:
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(callables, "FIRST_WAIT_SECONDS", 0.01)
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_endpoint_in_batches_with_any_text(server):
    victim = CallableModel(url=server.url, batch_size=2).victim(DOMAIN)
    texts = [("ab",), ("🔥", "x"), ("lone \ud800",), ("",), ("z" * 50,)]
    p = victim.probabilities(texts)
    assert p[:, 1] == pytest.approx([0.02, 0.05, 0.06, 0, 0.5])
    assert [len(s) for s in server.seen] == [2, 2, 1] and server.tokens == [None] * 3


def test_endpoint_is_asked_again_after_trouble(server, caplog):
    server.plan = [503, 429, 500]
    victim = CallableModel(url=server.url, retries=3).victim(DOMAIN)
    assert victim.probabilities([("ab",)])[0, 1] == pytest.approx(0.02)
    assert len(server.seen) == 4 and "503" in caplog.text


def test_endpoint_gives_up_with_one_line(server):
    server.plan = [503] * 9
    victim = CallableModel(url=server.url, retries=2).victim(DOMAIN)
    with pytest.raises(InputError, match=r"answered 503, 3 times; is the endpoint up\?") as caught:
        victim.probabilities([("ab",)])
    assert len(server.seen) == 3 and "\n" not in str(caught.value)


def test_endpoint_errors_that_waiting_does_not_mend(server):
    server.plan = [404]
    victim = CallableModel(url=server.url).victim(DOMAIN)
    with pytest.raises(InputError, match="answered 404 no such thing"):
        victim.probabilities([("ab",)])
    assert len(server.seen) == 1


def test_nobody_listens(server):
    url = server.url
    server.shutdown()
    server.server_close()
    with pytest.raises(InputError, match="connection failed .* 2 times"):
        CallableModel(url=url, retries=1).victim(DOMAIN).probabilities([("ab",)])


def test_token_comes_from_the_environment_and_is_never_shown(server, monkeypatch, caplog):
    with pytest.raises(InputError, match="MY_TOKEN: there is no such environment variable"):
        CallableModel(url=server.url, token_env="MY_TOKEN").victim(DOMAIN)
    monkeypatch.setenv("MY_TOKEN", "s3cret-value")
    server.plan = [500] * 9
    victim = CallableModel(url=server.url, token_env="MY_TOKEN", retries=1).victim(DOMAIN)
    with caplog.at_level(logging.DEBUG), pytest.raises(InputError) as caught:
        victim.probabilities([("ab",)])
    assert server.tokens == ["Bearer s3cret-value"] * 2
    assert "s3cret" not in caplog.text + str(caught.value) + repr(vars(victim)) + repr(vars(victim._function))


@pytest.mark.parametrize("status", [200, 400])
def test_a_server_that_repeats_the_token_is_blotted_out(server, monkeypatch, status):
    monkeypatch.setenv("MY_TOKEN", "s3cret-value")
    server.plan, server.echo = [status], True
    with pytest.raises(InputError, match=r"Bearer \*\*\*") as caught:
        CallableModel(url=server.url, token_env="MY_TOKEN").victim(DOMAIN).probabilities([("ab",)])
    assert "s3cret" not in str(caught.value) and caught.value.__cause__ is None


def test_a_token_that_cannot_be_one_is_refused_and_not_repeated(server, monkeypatch):
    """An HTTP library would say it in its error."""
    monkeypatch.setenv("MY_TOKEN", "s3cret\nvalue")
    with pytest.raises(InputError, match="model.token_env=MY_TOKEN: .* cannot be a key") as caught:
        CallableModel(url=server.url, token_env="MY_TOKEN").victim(DOMAIN).probabilities([("ab",)])
    assert "s3cret" not in str(caught.value) and not server.seen


def test_what_an_address_holds_is_sent_and_not_shown(server, caplog):
    """The victim is the same with another key."""
    server.plan = [500] * 2
    victim = CallableModel(url=server.url + "?api_key=s3cret", retries=1).victim(DOMAIN)
    with pytest.raises(InputError, match=r"\?api_key=\*\*\*: the server answered 500, 2 times") as caught:
        victim.probabilities([("ab",)])
    assert "s3cret" not in str(caught.value) + caplog.text and "trying again" in caplog.text
    assert victim.fingerprint == CallableModel(url=server.url + "?api_key=other").victim(DOMAIN).fingerprint


def test_an_address_that_no_request_can_be_sent_to_is_one_line():
    victim = CallableModel(url="http://*bad/?token=s3cret").victim(DOMAIN)
    with pytest.raises(InputError, match=r"token=\*\*\*: the request cannot be sent \(InvalidURL\)"):
        victim.probabilities([("ab",)])


@pytest.mark.parametrize(("url", "words"), [("ftp://host/x", "http or https"), ("host:8000", "http or https"),
                                            ("http://user:secret@host/x", "model.token_env")])
def test_bad_addresses(url, words):
    with pytest.raises(InputError, match=words) as caught:
        CallableModel(url=url).victim(DOMAIN)
    assert "secret" not in str(caught.value)
