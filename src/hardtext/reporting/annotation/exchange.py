"""The door: tasks out in any of the formats, judgements in from any of them."""

from __future__ import annotations

import csv
import io
import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from hardtext import records
from hardtext.core import InputError
from hardtext.reporting.annotation import guidelines, label_studio, table_file, teamware
from hardtext.reporting.annotation.draw import Task
from hardtext.scoring.agreement import Judged

FORMATS = ("label_studio", "teamware", "csv")
KEY = "key.csv"
"""Which system made which pair, for those who evaluate: no annotator should see this file."""
_KEY_COLUMNS = ("id", "system", "domain", "victim", "attempt", "stand_in")
_EXPECTED = ("a JSON export of Label Studio, a JSON, JSON-lines, CSV or zip export of Teamware, or a CSV with columns "
             "annotator1_stance, annotator1_confidence, …")
_MAX_CHARACTERS = 500_000_000


def write_tasks(folder: Path, drawn: Sequence[Task], form: str) -> list[Path]:
    """Write what one tool imports, with the guidelines and the key, into ``folder``; the files, most important first."""
    if form not in FORMATS:
        raise InputError(f"format={form}: expected one of {', '.join(FORMATS)}")
    files: dict[str, str] = {}
    if form == "label_studio":
        files["tasks.json"] = _json(label_studio.tasks(drawn))
        files["labeling_config.xml"] = label_studio.config()
    elif form == "teamware":
        documents = teamware.documents(drawn)
        preview = {"id": "0", "html": documents[0]["html"]}
        files["documents.json"] = _json(documents)
        files["project.json"] = _json(teamware.project("Does the changed text still mean the same?", preview))
    else:
        files["tasks.csv"] = table_file.sheet(drawn)
    files["guidelines.md"] = guidelines.markdown()
    files["guidelines.html"] = guidelines.page()
    files[KEY] = key(drawn)
    for name, text in files.items():
        records.write_text(folder / name, text)
    return [folder / name for name in files]


def key(drawn: Sequence[Task]) -> str:
    """The content of ``key.csv``."""
    return table_file.to_csv([{name: getattr(task, name) for name in _KEY_COLUMNS} for task in drawn], _KEY_COLUMNS)


def holds_another_draw(folder: Path, drawn: Sequence[Task]) -> bool:
    """Whether ``folder`` has the key of other tasks, on which annotators may be at work."""
    file = folder / KEY
    return file.is_file() and file.read_text(encoding="utf-8", errors="surrogatepass") != key(drawn)


def _json(rows: Any) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def read_judged(source: Path) -> list[Judged]:
    """The pairs with their judgements from a file that the annotators' tool exported, in any of the formats.

    Where the file does not say which system made a pair, ``key.csv`` beside it does. Raises InputError for a file of
    another kind, one without any judgement, and one that holds a pair twice.
    """
    if not source.is_file():
        raise InputError(f"annotations={source}: no such file; expected {_EXPECTED}")
    pairs = [pair for where, text in _texts(source) for pair in _read(where, text)]
    seen: set[str] = set()
    for pair in pairs:
        if pair.id in seen:
            raise InputError(f"{source}: the pair {pair.id} stands there twice")
        seen.add(pair.id)
    if not any(pair.judgements for pair in pairs):
        raise InputError(f"{source}: holds no judgement; are the annotations submitted?")
    return _with_systems(pairs, source.parent / KEY)


def _texts(source: Path) -> list[tuple[str, str]]:
    """The file's name and text; of a zip, those of its members."""
    if source.suffix != ".zip":
        return [(str(source), _decoded(str(source), source.read_bytes()))]
    try:
        with ZipFile(source) as archive:
            members = [m for m in archive.infolist() if m.filename.endswith((".json", ".jsonl", ".csv"))]
            if sum(member.file_size for member in members) > _MAX_CHARACTERS:
                raise InputError(f"{source}: unpacks to more than {_MAX_CHARACTERS} bytes")
            return [(f"{source}/{m.filename}", _decoded(f"{source}/{m.filename}", archive.read(m))) for m in members]
    except (BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError) as error:  # damaged, encrypted, exotic
        raise InputError(f"{source}: no zip file that can be read here ({error})") from error


def _decoded(where: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")  # spreadsheets write a byte-order mark
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8 text (byte {error.start})") from error


def _read(where: str, text: str) -> list[Judged]:
    suffix = Path(where).suffix
    if suffix == ".csv":
        return _read_csv(where, text)
    if suffix not in (".json", ".jsonl"):
        raise InputError(f"{where}: expected {_EXPECTED}")
    try:
        rows = [json.loads(line) for line in text.split("\n") if line.strip()] if suffix == ".jsonl" else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({error})") from error
    if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
        if all(isinstance(row.get("annotations"), list) for row in rows):
            return label_studio.judged(rows, where)
        if all("annotation_sets" in row for row in rows):
            return teamware.judged_json(rows, where)
    raise InputError(f"{where}: expected {_EXPECTED}")


def _read_csv(where: str, text: str) -> list[Judged]:
    csv.field_size_limit(_MAX_CHARACTERS)  # the reader's own limit, 131,072, is less than a long text with its marks
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        names = reader.fieldnames or ()
        rows = list(reader)
    except csv.Error as error:
        raise InputError(f"{where}: not a CSV file ({error})") from error
    if bad := next((n for n, row in enumerate(rows, 1) if None in row or None in row.values()), None):
        raise InputError(f"{where}, row {bad}: expected {len(names)} cells, as in the header")
    if rows and table_file.is_table(names):
        return table_file.judged(rows, where)
    if rows and teamware.is_table(names):
        return teamware.judged_table(rows, where)
    raise InputError(f"{where}: expected {_EXPECTED}; its columns are {', '.join(names)[:200] or 'missing'}")


def _with_systems(pairs: Sequence[Judged], file: Path) -> list[Judged]:
    if all(pair.system for pair in pairs) or not file.is_file():
        return list(pairs)
    rows = csv.DictReader(io.StringIO(_decoded(str(file), file.read_bytes()), newline=""))
    made = {row.get("id"): (row.get("system") or "", row.get("stand_in") or "") for row in rows}
    found = [(pair, *made.get(pair.id, ("", ""))) for pair in pairs]
    return [pair if pair.system else replace(pair, system=system, stand_in=words) for pair, system, words in found]
