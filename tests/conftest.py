"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests run beside each other: one thread each, or all crawl

settings.register_profile("hardtext", deadline=None)  # a busy machine is no failure
settings.load_profile("hardtext")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data that cannot be published with the project; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("HARDTEXT_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the real data for tests is not on this machine (set HARDTEXT_TEST_DATA=<folder> where it is)")
    return folder
