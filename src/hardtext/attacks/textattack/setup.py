"""Imports TextAttack without what its import does besides: downloads, changes of the environment, chatter."""

from __future__ import annotations

import logging
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from hardtext.lexicon.function_words import NLTK_ENGLISH

_DONE = "post_install_check_3"  # the file by which TextAttack 0.3.11 remembers that it has downloaded its extras
_CHANGED = ("TA_CACHE_DIR", "TFHUB_CACHE_DIR", "PYTORCH_TRANSFORMERS_CACHE", "HF_HOME", "XDG_CACHE_HOME",
            "TOKENIZERS_PARALLELISM")
_CHATTY = ("textattack.shared.utils.install", "jieba")


@lru_cache(maxsize=1)
def import_textattack() -> ModuleType:
    """The package (the first import takes 6 to 30 seconds).

    Where it was never set up on this machine it gets a cache folder in which the downloads of its first import count as
    done, and a list of English stop words if NLTK has none. The environment and the loggers are left as they were.
    """
    import datasets  # noqa: F401  reads HF_HOME when it is imported, which must not be TextAttack's
    import nltk
    import transformers  # noqa: F401  likewise

    folder = _folder()
    try:
        nltk.data.find("corpora/stopwords")
    except LookupError:
        words = folder / "nltk_data" / "corpora" / "stopwords" / "english"
        words.parent.mkdir(parents=True, exist_ok=True)
        words.write_text("\n".join(sorted(NLTK_ENGLISH)) + "\n", encoding="utf-8")
        nltk.data.path.append(str(folder / "nltk_data"))
    before = {name: os.environ.get(name) for name in _CHANGED}
    loggers = [entry for entry in logging.root.manager.loggerDict.values()
               if isinstance(entry, logging.Logger) and not entry.disabled]
    set_up = (Path("~/.cache/textattack").expanduser() / _DONE).exists()
    if not set_up and "TA_CACHE_DIR" not in os.environ:
        (folder / _DONE).touch()
        os.environ["TA_CACHE_DIR"] = str(folder)
    try:
        import textattack
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    for logger in loggers:
        logger.disabled = False  # TextAttack configures logging as if it were alone
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.ERROR)
    return textattack


def _folder() -> Path:
    """A folder of our own that stays, or one for this process where the home cannot be written."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "hardtext" / "textattack"
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="hardtext-textattack-"))
    return cache
