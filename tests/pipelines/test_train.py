"""What train.py keeps and says beside its metrics."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from hardtext.core import InputError
from hardtext.pipelines.train import SECONDS, Work, show


@pytest.mark.parametrize("damage", ["[]", '{"clean": "soon"}', "{"])
def test_a_damaged_record_of_seconds_is_named(tmp_path, damage):
    (tmp_path / SECONDS).write_text(damage)
    with pytest.raises(InputError, match=SECONDS):
        _ = Work(None, None, SimpleNamespace(path=tmp_path), None)._seconds


def test_what_a_defence_was_made_with_stands_below_the_figures(tmp_path, capsys):
    metrics = {"texts": 10, "accuracy": 0.8, "f1": 0.75, "macro_f1": 0.78, "precision": None, "recall": 0.6, "auroc": 0.9,
               "ece": 0.1, "confusion": [[5, 1], [1, 3]]}
    show({"domain": "news", "domain_stand_in": "", "model": "tiny+encode", "classes": ["real", "fake"], "attack": metrics,
          "stand_ins": ["encode: other vectors"]}, tmp_path)
    assert "stand-in: encode: other vectors" in capsys.readouterr().out
