"""What a run says of itself is read in one place, and damage to it is one line."""

from __future__ import annotations

import json

import pytest

from hardtext.core import InputError
from hardtext.scoring.summary import NO_SUMMARY, Summary, read_summary


def test_from_the_folder_or_the_attempts(tmp_path):
    row = {"domain_stand_in": "generated sample", "stand_ins": ["masked LM: small"], "attempts": 3}
    (tmp_path / "summary.json").write_text(json.dumps(row))
    for source in (tmp_path, tmp_path / "attempts.jsonl"):
        found = read_summary(source)
        assert found == Summary("generated sample", ("masked LM: small",), row) and not found.missing
        assert found.marks == ("domain: generated sample", "masked LM: small")


def test_without_one_what_stood_in_is_unknown(tmp_path):
    found = read_summary(tmp_path)
    assert found.missing and found.marks == found.stand_ins == (NO_SUMMARY,) and found.row == {}
    assert read_summary(tmp_path / "submission.tsv") == Summary()  # has none, ever
    (tmp_path / "summary.json").write_text("{}")
    assert read_summary(tmp_path) == Summary()


@pytest.mark.parametrize("content, words", [
    ("[]", "expected the summary of an attack run, got a list"), ("{", "not JSON"), ('{"a": NaN}', "not JSON"),
    ('{"stand_ins": "masked LM"}', "stand_ins holds 'masked LM', expected a list of texts"),
    ('{"stand_ins": [1]}', "stand_ins holds"), ('{"stand_ins": null}', "stand_ins holds None"),
    ('{"stand_ins": {"a": 1}}', "stand_ins holds"),
    ('{"domain_stand_in": 5}', "domain_stand_in holds 5, expected a text"),
    ('{"domain_stand_in": null}', "domain_stand_in holds None"), ('{"domain_stand_in": ["x"]}', "domain_stand_in holds"),
])
def test_damage_is_one_line(tmp_path, content, words):
    (tmp_path / "summary.json").write_text(content)
    with pytest.raises(InputError, match=words) as caught:
        read_summary(tmp_path)
    assert str(caught.value).startswith(str(tmp_path / "summary.json")) and "\n" not in str(caught.value)
