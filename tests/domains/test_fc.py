"""FC: a hand-made FEVER, and the public converter's rows as a set."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hardtext.core import InputError
from hardtext.domains import bodega_tsv
from hardtext.domains.fc import FCDomain

PAGES = [
    {"id": "Soul_Food_-LRB-film-RRB-", "lines": "0\tSoul Food is a film .\tfilm\tFilm\n1\tIt -LRB- 1997 -RRB- ran .\n2\t"},
    {"id": "", "lines": "0\tnobody's page"},
    {"id": "Empty", "lines": ""},
    {"id": "Cafe\u0301", "lines": "0\tA cafe\u0301 .\nnot numbered\n7\n²\tx\n3\tTea \\n and milk ."},
]


def claim(label: str, text: str, *groups: list[tuple[str | None, int | None]]) -> dict:
    return {"id": 1, "label": label, "claim": text,
            "evidence": [[[1, 2, title, number] for title, number in group] for group in groups]}


CLAIMS = [
    claim("SUPPORTS", "Soul Food ran.", [("Soul_Food_-LRB-film-RRB-", 0), ("Soul_Food_-LRB-film-RRB-", 1),
                                         ("Caf\u00e9", 0)], [("Caf\u00e9", 3)], [("Cafe\u0301", 3)]),
    claim("REFUTES", "Nothing -LRB-ran-RRB-.", [("Soul_Food_-LRB-film-RRB-", 2)], [("Lost_page", 0)],
          [("Caf\u00e9", 0), ("Caf\u00e9", 99), ("Caf\u00e9", 3)]),
    claim("NOT ENOUGH INFO", "Who knows.", [(None, None)]),
]


def corpus(folder: Path, claims: list[dict] = CLAIMS, pages: list[dict] = PAGES) -> Path:
    (folder / "wiki-pages" / "wiki-pages").mkdir(parents=True)
    for name, rows in (("train.jsonl", []), ("shared_task_dev.jsonl", claims),
                       ("wiki-pages/wiki-pages/wiki-001.jsonl", pages[:2]),
                       ("wiki-pages/wiki-pages/wiki-002.jsonl", pages[2:])):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def raw(tmp_path) -> Path:
    (tmp_path / "raw").mkdir()
    return corpus(tmp_path / "raw")


def test_one_row_for_each_distinct_evidence_set(raw, tmp_path):
    result = FCDomain(path=str(raw)).load(tmp_path, 0)
    assert sorted((e.label, e.source, e.segments) for e in result.attack) == [
        (0, "Wikipedia:Café", ("Café. Tea \\n and milk .", "Soul Food ran.")),
        (0, "Wikipedia:Soul_Food_(film)/Café",
         ("Soul Food (film). Soul Food is a film . It ( 1997 ) ran . Café. A café .", "Soul Food ran.")),
        (1, "Wikipedia:Café", ("Café. A café .", "Nothing -LRB-ran-RRB-.")),
        (1, "Wikipedia:Soul_Food_(film)", ("Soul Food (film). ", "Nothing -LRB-ran-RRB-.")),
    ]
    assert result.domain.pair and result.domain.classes == ("supported", "refuted")
    assert any("found 2 of the 109 wiki-pages files" in note for note in result.notes)
    assert any("2 evidence sentences are not in the wiki-pages files" in note for note in result.notes)
    assert any("order of the files" in note for note in result.notes)


def test_pages_right_under_wiki_pages_and_the_last_of_two_with_one_title(tmp_path):
    folder = corpus(tmp_path, [claim("SUPPORTS", "c", [("A", 0)], [("A", 1)])],
                    [{"id": "A", "lines": "0\told\n1\tgone"}, {"id": "B", "lines": "0\tx"}, {"id": "A", "lines": "0\tnew"}])
    for path in (folder / "wiki-pages" / "wiki-pages").iterdir():
        path.rename(folder / "wiki-pages" / path.name)
    result = FCDomain(path=str(folder)).load(tmp_path, 0)
    assert [example.segments[0] for example in result.attack] == ["A. new"]


def test_a_lone_surrogate_and_a_tab_do_not_reach_the_corpus(tmp_path):
    folder = corpus(tmp_path, [claim("SUPPORTS", "a\tb \ud83d", [("A", 0)])], [{"id": "A", "lines": "0\tx\udc00"}])
    [example] = FCDomain(path=str(folder)).load(tmp_path, 0).attack
    assert example.segments == ("A. x\ufffd", "ab \ufffd")
    assert FCDomain(path=str(folder)).load(tmp_path, 0).attack == (example,)


@pytest.mark.parametrize(("name", "line", "message"), [
    ("train.jsonl", "{", "train.jsonl, line 2: not JSON"),
    ("train.jsonl", '{"label": "SUPPORTS", "claim": "c"}', "line 2: not a FEVER claim; expected label, claim and evidence"),
    ("train.jsonl", '{"label": ["SUPPORTS"], "claim": "c", "evidence": []}', "line 2: not a FEVER claim"),
    ("train.jsonl", '{"label": "REFUTES", "claim": "c", "evidence": [[[1, 2, null, null]]]}', "line 2: not a FEVER claim"),
    ("train.jsonl", '{"label": "REFUTES", "claim": "c", "evidence": [[["A", 0]]]}', "line 2: not a FEVER claim"),
    ("wiki-pages/wiki-pages/wiki-001.jsonl", '{"id": "A"}', "wiki-001.jsonl, line 4: not a FEVER wiki page"),
    ("wiki-pages/wiki-pages/wiki-001.jsonl", "[]", "wiki-001.jsonl, line 4: expected a JSON object"),
])
def test_damaged_files(raw, tmp_path, name, line, message):
    with open(raw / name, "a", encoding="utf-8") as file:
        file.write("\n" + line + "\n")
    with pytest.raises(InputError, match=message):
        FCDomain(path=str(raw)).load(tmp_path, 0)
    assert not list((tmp_path / "fc").iterdir())  # nothing half-converted is kept


def test_missing_pages_are_asked_for_by_name(raw, tmp_path):
    for path in (raw / "wiki-pages" / "wiki-pages").iterdir():
        path.unlink()
    with pytest.raises(InputError, match=r"lacks wiki-pages/wiki-001.jsonl … wiki-109.jsonl\. .*fever.ai.*CC BY-SA 3.0"):
        FCDomain(path=str(raw)).load(tmp_path, 0)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_hash_seed_does_not_matter(tmp_path, seed):
    claims = [claim("REFUTES", f"c{n}", *([("A", k)] for k in range(5))) for n in range(200)]
    folder = corpus(tmp_path, claims, [{"id": "A", "lines": "\n".join(f"{k}\ts{k}" for k in range(5))}])
    script = ("import sys, pathlib; from hardtext.domains import DOMAINS\n"
              "c = DOMAINS['fc'](path=sys.argv[1]).load(pathlib.Path(sys.argv[1]), 0)\n"
              "print([(e.id, e.segments) for s in ('attack', 'dev') for e in c.split(s)])")
    output = subprocess.run([sys.executable, "-c", script, str(folder)], env=os.environ | {"PYTHONHASHSEED": seed},
                            capture_output=True, text=True, check=True).stdout
    here = FCDomain(path=str(folder)).load(tmp_path / "elsewhere", 0)
    assert output.strip() == str([(e.id, e.segments) for s in ("attack", "dev") for e in here.split(s)])
    assert len(here.attack) == len(here.dev) == 500


def test_the_public_converters_rows_as_a_set(shared_data, tmp_path):
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "train.jsonl").touch()
    for name in ("shared_task_dev.jsonl", "wiki-pages"):
        (raw / name).symlink_to(shared_data / "fever_mini" / name)
    FCDomain(path=str(raw)).load(tmp_path, 0)
    [kept] = (tmp_path / "fc").iterdir()
    official = shared_data / "bodega_golden" / "FC_from_mini"
    for name in ("train.tsv", "attack.tsv", "dev.tsv"):
        assert sorted((kept / name).read_bytes().split(b"\n")) == sorted((official / name).read_bytes().split(b"\n"))
    assert len(bodega_tsv.read_rows(kept / "attack.tsv", FCDomain.meaning)) == 130
