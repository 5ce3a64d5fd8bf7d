"""A folder to the Hugging Face hub; what stands in the way is said before any work, in one line.

The token comes from ``HF_TOKEN`` or from ``hf auth login``, never from a setting, and is never written or logged.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from hardtext.core import InputError
from hardtext.weights import HUB_TIMEOUT_SECONDS

OPTION = "export.push"


def check(repository: str) -> None:
    """Raise InputError where nothing could be uploaded to ``repository`` ("who/name"): in seconds."""
    from huggingface_hub import constants, get_token
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    said = f"{OPTION}={repository}"
    try:
        validate_repo_id(repository)
    except HFValidationError as error:
        raise InputError(f"{said}: no hub id; expected <who>/<name> of letters, digits, '-', '_' and '.'") from error
    advice = f"leave {OPTION} away to make the folder alone, which can be uploaded from elsewhere"
    if constants.HF_HUB_OFFLINE:
        raise InputError(f"{said}: HF_HUB_OFFLINE is set, so nothing can be uploaded; unset it where the hub can be reached, "
                         f"or {advice}")
    if get_token() is None:
        raise InputError(f"{said}: the hub asks for a login; set HF_TOKEN to a token that may write, or log in with "
                         f"hf auth login, or {advice}")
    address = urlsplit(constants.ENDPOINT)
    if any(os.environ.get(name) for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")):
        return  # behind a proxy a direct connection says nothing
    try:
        port = address.port or (80 if address.scheme == "http" else 443)
        socket.create_connection((address.hostname, port), HUB_TIMEOUT_SECONDS).close()
    except OSError as error:
        raise InputError(f"{said}: the hub cannot be reached ({error}); run the same command where it can, or set "
                         f"HF_ENDPOINT to a mirror that takes uploads, or {advice}") from error


def push(folder: Path, names: Sequence[str], repository: str, *, private: bool, message: str) -> str:
    """Upload these files of ``folder`` as one commit, into a new repository where there is none; its address.

    Files of the repository with other names stay. Raises InputError where the hub refuses.
    """
    from huggingface_hub import HfApi, get_token

    try:
        api = HfApi()
        address = api.create_repo(repository, private=private, exist_ok=True, repo_type="model")
        api.upload_folder(repo_id=repository, folder_path=folder, allow_patterns=list(names), commit_message=message)
    except Exception as error:  # every kind of network trouble and refusal, said in one line
        said = str(error).strip() or type(error).__name__
        words = said.splitlines()[0].replace(get_token() or "\0", "***")
        raise InputError(f"{OPTION}={repository}: the upload failed ({type(error).__name__}: {words}); the folder is at "
                         f"{folder}, and the same command tries again") from error
    return str(address)
