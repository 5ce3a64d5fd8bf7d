"""What tells a defended victim from another."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from hardtext.core import Victim


def fingerprint(victim: Victim, *parts: Any) -> str:
    """sha256 over the victim's own fingerprint (its name, where it has none) and what was put around it."""
    inner = getattr(victim, "fingerprint", victim.name)  # a caller's own victim may have none
    return hashlib.sha256(json.dumps([inner, *parts], sort_keys=True).encode()).hexdigest()
