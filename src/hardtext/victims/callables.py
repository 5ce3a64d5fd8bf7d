"""Victims that are functions: plain Python ones, and HTTP endpoints."""

from __future__ import annotations

import hashlib
import importlib
import logging
import os
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from hardtext import secrecy
from hardtext.core import InputError, Segments, listed
from hardtext.text import join

log = logging.getLogger(__name__)

SUM_TOLERANCE = 1e-3
FIRST_WAIT_SECONDS = 0.5  # before the first retry; doubled each time
RETRIED = (429, 500, 502, 503, 504)


class CallableVictim:
    """A function from a list of strings to class probabilities, as a victim.

    The function may return lists, a NumPy array or a tensor; a pair reaches it joined by " ~ ". It is called with at
    most ``batch_size`` strings. Without ``classes`` it is asked once, for a blank text, to count them.
    """

    def __init__(self, function: Callable[[list[str]], Any], *, name: str, classes: Sequence[str] | None = None,
                 batch_size: int = 64, identity: str | None = None) -> None:
        self.name, self._function, self._batch_size = name, function, batch_size
        if classes is None:
            answer = _to_numpy(function([" "]), name)
            if answer.ndim != 2 or answer.shape[1] < 2:
                raise InputError(f"victim {name}: expected probabilities of shape (1, classes) for one text, "
                                 f"got {answer.shape}")
            classes = [str(i) for i in range(answer.shape[1])]
        self.classes = tuple(classes)
        self.fingerprint = hashlib.sha256((identity or name).encode()).hexdigest()

    def probabilities(self, texts: Sequence[Segments | str]) -> np.ndarray:
        """Class probabilities, float64 (len(texts), classes). An answer of another shape, or rows that are not
        probabilities, are an InputError; an exception of the function propagates."""
        strings = [text if isinstance(text, str) else join(text) for text in listed(texts)]
        parts = [self._ask(strings[i : i + self._batch_size]) for i in range(0, len(strings), self._batch_size)]
        return np.concatenate(parts) if parts else np.empty((0, len(self.classes)))

    def _ask(self, strings: list[str]) -> np.ndarray:
        answer = _to_numpy(self._function(strings), self.name)
        expected = (len(strings), len(self.classes))
        if answer.shape != expected:
            raise InputError(f"victim {self.name}: expected probabilities of shape {expected} "
                             f"(texts, classes {', '.join(self.classes)}), got {answer.shape}")
        bad = ~(np.isfinite(answer).all(axis=1) & (answer >= 0).all(axis=1)
                & (np.abs(answer.sum(axis=1) - 1) <= SUM_TOLERANCE))
        if bad.any():
            raise InputError(f"victim {self.name}: expected probabilities (0 or more, sum 1), "
                             f"got {answer[bad][0].tolist()}")
        return answer


def _to_numpy(answer: Any, name: str) -> np.ndarray:
    import torch

    if isinstance(answer, torch.Tensor):
        answer = answer.detach().float().cpu().numpy()
    try:
        return np.asarray(answer, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"victim {name}: expected rows of numbers of equal length, got {type(answer).__name__} "
                         f"({error})") from error


def import_function(target: str) -> Callable[[list[str]], Any]:
    """The function that ``module:function`` names."""
    module_name, colon, attribute = target.partition(":")
    if not (module_name and colon and attribute):
        raise InputError(f"model.target={target}: expected module:function, for example my_model:predict")
    try:
        function = getattr(importlib.import_module(module_name), attribute)
    except ModuleNotFoundError as error:
        raise InputError(f"model.target={target}: {error} (is its folder in PYTHONPATH?)") from error
    except AttributeError as error:
        raise InputError(f"model.target={target}: {error}") from error
    if not callable(function):
        raise InputError(f"model.target={target}: that is a {type(function).__name__}, not a function")
    return function


class Endpoint:
    """POSTs ``{"texts": [...]}`` as JSON and returns the ``probabilities`` of the answer.

    Tries again, waiting longer each time, when the connection fails, the time is over, or the server says 429 or 5xx.
    The bearer token is read from the environment variable ``token_env`` for each request; it is never kept or logged, and
    where a server repeats it, it is blotted out. What an address holds of that kind is not shown either.
    """

    def __init__(self, url: str, *, token_env: str = "", timeout: float = 60.0, retries: int = 4) -> None:
        import requests

        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"model.url={secrecy.scrubbed(url)}: expected an http or https address")
        if parts.username or parts.password:
            raise InputError("model.url holds a user name or password, which would end up in files: put a token in an "
                             "environment variable and set model.token_env to its name")
        if token_env and token_env not in os.environ:
            raise InputError(f"model.token_env={token_env}: there is no such environment variable")
        self._url, self._token_env, self._timeout, self._retries = url, token_env, timeout, retries
        self._shown = f"model.url={secrecy.scrubbed(url)}"
        self._session = requests.Session()

    def __call__(self, texts: list[str]) -> Any:
        import requests

        token = secrecy.key_in(self._token_env, option="model.token_env") if self._token_env else ""

        def authorised(request: requests.PreparedRequest) -> requests.PreparedRequest:
            if token:
                request.headers["Authorization"] = f"Bearer {token}"
            return request  # given as auth even without a token: requests would look for one in ~/.netrc

        wait = FIRST_WAIT_SECONDS
        for tries_left in range(self._retries, -1, -1):
            try:
                response = self._session.post(self._url, json={"texts": texts}, auth=authorised, timeout=self._timeout)
                if response.status_code not in RETRIED:
                    return self._read(response, token)
                trouble = f"the server answered {response.status_code}"
            except requests.Timeout:
                trouble = f"no answer within {self._timeout:g} s"
            except requests.ConnectionError as error:
                trouble = f"connection failed ({type(error).__name__})"
            except requests.RequestException as error:  # its words may repeat the request, and the request the token
                trouble, tries_left = f"the request cannot be sent ({type(error).__name__})", -1
            if tries_left < 0:
                raise InputError(f"{self._shown}: {trouble}")
            if tries_left:
                log.warning("%s: %s; trying again in %.1f s", self._shown, trouble, wait)
                time.sleep(wait)
                wait *= 2
        raise InputError(f"{self._shown}: {trouble}, {self._retries + 1} times; is the endpoint up?")

    def _read(self, response: Any, token: str) -> Any:
        said = " ".join(secrecy.blotted(response.text, token).split())[:120]
        if response.status_code != 200:
            raise InputError(f"{self._shown}: the server answered {response.status_code} {said}")
        try:
            return response.json()["probabilities"]
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{self._shown}: expected JSON {{\"probabilities\": [[...], ...]}}, got {said}") from None
