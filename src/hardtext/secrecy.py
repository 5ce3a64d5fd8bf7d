"""What must not be written down: keys, tokens and passwords, in configs, messages and logs.

Settings name the environment variable that holds a secret, never the secret itself. This page is for what slips through:
an address with a password in it, a key given as a setting, a library that repeats a header in its error.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from typing import Any

from hardtext.core import InputError

MASK = "***"
SHORTEST = 8  # a shorter "key" ("none", "EMPTY") is a placeholder, and may be a word of a text

_WORDS = r"(?:(?:api|access|auth|private|secret)[_-]?key|token|secret|password|passwd|credentials?|authorization)"
_SETTING = re.compile(rf"^key$|(^|[_-]){_WORDS}$", re.IGNORECASE)
_VARIABLE = re.compile(r"(key|token|secret|password|passwd|credentials?)$", re.IGNORECASE)
_IN_TEXT = (
    re.compile(r"(?<=://)[^/@\s]+(?=@)"),  # http://name:password@host
    re.compile(r"(?i)(?<=[?&])(?P<before>(?:[\w.-]*(?:key|sig|signature|credential|auth)|pwd|code)=)[^&#\s'\"]+"),
    re.compile(rf"(?i)(?P<before>{_WORDS}=)[^&#\s'\",;)]+"),  # in an address or as a setting
    re.compile(r"(?i)(?P<before>\b(?:bearer|basic)\s+)(?=[^\s'\"]*[\d_+/=.-])[^\s'\",;]{8,}"),  # a word of a text is no token
)


def mask_secrets(config: Mapping[str, Any]) -> dict[str, Any]:
    """A plain copy of a config (dicts, lists, numbers, strings) whose secrets are ``***``.

    A secret is a string under a key such as token, api_key or password, or what an address holds of that kind.

    >>> mask_secrets({"api_key": "abc", "batch_tokens": 4096, "url": "http://me:pw@host/v1"})
    {'api_key': '***', 'batch_tokens': 4096, 'url': 'http://***@host/v1'}
    """

    def plain(value: Any, secret: bool) -> Any:
        if isinstance(value, Mapping):
            return {str(k): plain(v, bool(_SETTING.search(str(k)))) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(v, secret) for v in value]
        if value is None or isinstance(value, (bool, int, float)):
            return value
        return MASK if secret and value else _without_shapes(str(value))

    return plain(config, False)


def scrubbed(message: str) -> str:
    """A message as it may be shown and kept: without what looks like a secret, and without the values of the environment
    variables whose names do (``…_KEY``, ``…_TOKEN``, ``…_PASSWORD``).

    >>> scrubbed("GET https://me:pw@host/v1?api_key=abc&n=1 failed; attack.token=abc")
    'GET https://***@host/v1?api_key=***&n=1 failed; attack.token=***'
    """
    for name, value in os.environ.items():
        if _VARIABLE.search(name):
            message = blotted(message, value)
    return _without_shapes(message)


def _without_shapes(text: str) -> str:
    for shape in _IN_TEXT:
        text = shape.sub(lambda match: match.groupdict().get("before", "") + MASK, text)
    return text


def blotted(text: str, key: str) -> str:
    """``text`` with ``***`` for ``key``, where a server or a library repeats it."""
    return text.replace(key, MASK) if len(key) >= SHORTEST else text


def key_in(variable: str, *, option: str) -> str:
    """The key that an environment variable holds; "" where it is not set. ``option``: the setting that names the variable.

    Raises InputError, without repeating it, for what no header can hold: an HTTP library would show it in its error.
    """
    key = os.environ.get(variable, "").strip()
    if not all("!" <= c <= "~" for c in key):
        raise InputError(f"{option}={variable}: what that variable holds has a blank or a letter outside ASCII in it and "
                         f"cannot be a key; set it again")
    return key


class Formatter(logging.Formatter):
    """Log lines, tracebacks among them, as ``scrubbed`` has them; named in conf/hydra/job_logging."""

    def format(self, record: logging.LogRecord) -> str:
        return scrubbed(super().format(record))
