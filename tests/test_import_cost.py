"""Importing the library and asking for help stay cheap."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("torch", "transformers", "textattack", "pytorch_lightning", "wandb", "pandas", "sklearn", "tensorflow", "nltk",
         "captum", "sentence_transformers", "bleurt_pytorch", "matplotlib", "datasets")


def run(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("module", ["hardtext", "hardtext.config", "hardtext.attacks", "hardtext.victims",
                                    "hardtext.domains", "hardtext.scoring", "hardtext.tracking", "hardtext.runs"])
def test_import_brings_nothing_heavy(module):
    code = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = run("-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("script", ["train.py", "attack.py", "evaluate.py"])
def test_help_needs_none_of_the_heavy_packages(script, tmp_path):
    # a finder that refuses them stands for a machine where they are not installed
    code = (f"import sys, runpy\n"
            f"class Refuse:\n"
            f"    def find_spec(self, name, path=None, target=None):\n"
            f"        if name.split('.')[0] in {HEAVY!r}: raise ImportError(name)\n"
            f"sys.meta_path.insert(0, Refuse())\n"
            f"sys.argv = ['{script}', '--help']\n"
            f"runpy.run_path('{script}', run_name='__main__')\n")
    done = run("-c", code)
    assert done.returncode == 0, done.stderr
    assert "domain" in done.stdout and "sample" in done.stdout
