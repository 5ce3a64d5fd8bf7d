"""Asks a language model behind an OpenAI-compatible ``/chat/completions``, many prompts at once.

The key is read from the environment for each request and kept nowhere; where a server repeats it, in an error or in a
completion, it is blotted out before anything else happens to the text.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from typing import Any

import requests
import urllib3.exceptions

from hardtext import secrecy
from hardtext.attacks.requests import Endpoint
from hardtext.attacks.services import Task, share
from hardtext.core import InputError

log = logging.getLogger(__name__)

FIRST_WAIT_SECONDS = 0.5  # before the first retry; doubled each time
LONGEST_WAIT_SECONDS = 300  # a server that says Retry-After more than this ends the run, which can go on later
CONNECT_SECONDS = 5
RETRIED = (408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529)


class CompletionError(Exception):
    """One prompt that could not be completed; the others go on."""


class _Temporary(Exception):
    """Worth another try, after at least ``wait`` seconds."""

    def __init__(self, trouble: str, wait: float = 0.0) -> None:
        super().__init__(trouble)
        self.wait = wait


class _Unreachable(_Temporary):
    """No connection was made at all."""


class Completing:
    """Answers ``Complete``.

    A prompt that fails after its retries is its task's ``failure``. An endpoint that cannot be reached, does not know
    the key or the model, or refuses a setting is an InputError, since the next prompt would fare no better.
    """

    def __init__(self) -> None:
        self._answered: set[Endpoint] = set()  # those that have completed a prompt

    def serve(self, tasks: Sequence[Task]) -> None:
        started = time.perf_counter()
        for endpoint in dict.fromkeys(task.request.endpoint for task in tasks):
            self._serve(endpoint, [task for task in tasks if task.request.endpoint == endpoint])
        share(time.perf_counter() - started, tasks, [len(task.request.prompts) for task in tasks])

    def _serve(self, endpoint: Endpoint, tasks: Sequence[Task]) -> None:
        stop = threading.Event()
        with ThreadPoolExecutor(endpoint.concurrency) as pool:
            try:
                asked = [[pool.submit(self._complete, endpoint, *pair, stop)
                          for pair in zip(task.request.prompts, task.request.seeds, strict=True)] for task in tasks]
                for task, prompts in zip(tasks, asked, strict=True):
                    try:
                        task.answer = [prompt.result() for prompt in prompts]
                    except CompletionError as error:
                        task.failure = error
            except BaseException:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _complete(self, endpoint: Endpoint, prompt: str, seed: int | None, stop: threading.Event) -> str:
        """One completion, with retries."""
        wait = FIRST_WAIT_SECONDS
        for tries_left in range(endpoint.retries, -1, -1):
            try:
                answer = _ask(endpoint, prompt, seed)
                self._answered.add(endpoint)
                return answer
            except _Temporary as error:
                trouble = error
            if isinstance(trouble, _Unreachable) and (not tries_left or endpoint not in self._answered):
                raise InputError(f"attack.base_url={endpoint.base_url}: {trouble}; start the server or correct the "
                                 f"address, then run the same command again")
            if tries_left:
                pause = max(wait, trouble.wait)
                log.warning("%s: %s; trying again in %.1f s", endpoint.base_url, trouble, pause)
                if stop.wait(pause):
                    raise CompletionError("the run has ended")
                wait *= 2
        raise CompletionError(f"{trouble} ({_times(endpoint.retries + 1)})")


def _ask(endpoint: Endpoint, prompt: str, seed: int | None) -> str:
    """One HTTP request."""
    key = secrecy.key_in(endpoint.key_env, option="attack.key_env")
    sent = {"model": endpoint.model or None, "messages": [{"role": "user", "content": prompt}], "seed": seed,
            "temperature": endpoint.temperature, "max_tokens": endpoint.max_tokens}

    def authorised(request: requests.PreparedRequest) -> requests.PreparedRequest:
        if key:
            request.headers["Authorization"] = f"Bearer {key}"
        return request  # given as auth even without a key: requests would look for one in ~/.netrc

    response = trouble = None
    try:
        response = requests.post(_address(endpoint), json={k: v for k, v in sent.items() if v is not None},
                                 auth=authorised, timeout=(CONNECT_SECONDS, endpoint.timeout), allow_redirects=False)
    except requests.RequestException as error:
        trouble = _trouble(error, endpoint)
    if response is None:
        raise trouble  # here and not above: the exception there holds the request, and the request the key
    body = secrecy.blotted(response.content.decode("utf-8", "replace"), key)
    if response.status_code != 200:
        raise _refusal(endpoint, response.status_code, body, response.headers.get("Retry-After"))
    return secrecy.blotted(_content(body), key)


def _address(endpoint: Endpoint) -> str:
    return endpoint.base_url.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"


def _trouble(error: requests.RequestException, endpoint: Endpoint) -> Exception:
    """What it means that there is no answer."""
    cause = error.args[0] if error.args else None
    reason = cause.reason if isinstance(cause, urllib3.exceptions.MaxRetryError) else None
    if isinstance(error, requests.exceptions.SSLError):
        return _Unreachable("no secure connection (is the certificate valid, and the address not plain http?)")
    if isinstance(error, (requests.ConnectTimeout, requests.exceptions.ProxyError)) or isinstance(
            reason, urllib3.exceptions.NewConnectionError):
        return _Unreachable("no connection (nothing answers at that host and port)")
    if isinstance(error, requests.Timeout):
        return _Temporary(f"no answer within {endpoint.timeout:g} s")
    if isinstance(error, (requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
        return _Temporary(f"the connection broke ({type(error).__name__})")
    return InputError(f"attack.base_url={endpoint.base_url}: the request cannot be sent ({type(error).__name__})")


def _refusal(endpoint: Endpoint, status: int, body: str, retry_after: str | None) -> Exception:
    """What an answer other than 200 means for the run."""
    said = " ".join(body.split())[:120]
    details = _error(body)
    if status == 401:
        state = "was refused" if os.environ.get(endpoint.key_env) else "is needed, and the variable is not set"
        return InputError(f"attack.key_env={endpoint.key_env}: the key {state} ({status} from {endpoint.base_url}: "
                          f"{said}); set the environment variable to a valid key")
    if status == 404:
        return InputError(f"attack.model={endpoint.model}: {endpoint.base_url} knows no such model, or serves no "
                          f"chat completions there (404: {said}); set attack.model to one of its models, and "
                          f"attack.base_url to the address that ends in /v1")
    if 300 <= status < 400:
        return InputError(f"attack.base_url={endpoint.base_url}: the server sends elsewhere ({status}); set "
                          f"attack.base_url to the address it moved to")
    if status == 402 or details.get("code") == "insufficient_quota":
        return InputError(f"attack.base_url={endpoint.base_url}: no credit left ({status}: {said}); the same command "
                          f"goes on when there is")
    if details.get("param") in ("model", "seed", "temperature", "max_tokens"):
        name = "send_seed" if details["param"] == "seed" else details["param"]
        return InputError(f"attack.{name}: {endpoint.base_url} refuses it ({status}: {said}); set another value"
                          + ("" if name == "model" else f", or attack.{name}="
                             f"{'false' if name == 'send_seed' else 'null'} to send none"))
    if status not in RETRIED:
        return CompletionError(f"the server answered {status}: {said}")
    wait = _seconds(retry_after)
    if wait > LONGEST_WAIT_SECONDS:
        return InputError(f"attack.base_url={endpoint.base_url}: the server wants to be left alone for {wait:.0f} s "
                          f"({status}); the same command goes on afterwards")
    return _Temporary(f"the server answered {status}: {said}", wait)


def _error(body: str) -> dict[str, Any]:
    """The ``error`` object of an OpenAI-shaped refusal; empty where there is none."""
    try:
        answer = json.loads(body)
    except ValueError:
        return {}
    error = answer.get("error") if isinstance(answer, dict) else None
    return error if isinstance(error, dict) else {}


def _seconds(retry_after: str | None) -> float:
    """The seconds that a Retry-After header asks for, given as a number or as a date; 0 where it says neither."""
    if not retry_after:
        return 0.0
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass  # a date
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return 0.0


def _content(body: str) -> str:
    """The text of an answer; empty where it was cut off at max_tokens, since half a text is none."""
    try:
        choice = json.loads(body)["choices"][0]
        content, reason = choice["message"]["content"], choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError):
        raise _Temporary(f"not a chat completion: {' '.join(body.split())[:120]}") from None
    if reason == "content_filter":
        raise CompletionError("the server's content filter withheld the completion")
    if not isinstance(content, str):
        raise _Temporary("a completion without text")
    return "" if reason == "length" else content


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"
