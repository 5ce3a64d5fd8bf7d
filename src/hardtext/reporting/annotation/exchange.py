"""The door: tasks out in any of the formats, judgements in from any of them."""

from __future__ import annotations

import codecs
import csv
import io
import json
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from hardtext import records, spreadsheet
from hardtext.core import InputError
from hardtext.reporting.annotation import guidelines, label_studio, table_file, teamware
from hardtext.reporting.annotation.answers import shown
from hardtext.reporting.annotation.draw import Task
from hardtext.scoring.agreement import Judged

FORMATS = ("label_studio", "teamware", "csv")
KEY = "key.csv"
"""Which system made which pair, for those who evaluate: no annotator should see this file."""
_KEY_COLUMNS = ("id", "system", "domain", "victim", "attempt", "stand_in")
WRITTEN = ("tasks.json", "labeling_config.xml", "documents.json", "project.json", "tasks.csv", "guidelines.md",
           "guidelines.html", KEY)
"""Every name that ``task_files`` gives, whatever the format."""
_EXPECTED = ("a JSON export of Label Studio, a JSON, JSON-lines, CSV or zip export of Teamware, or a CSV with columns "
             "annotator1_stance, annotator1_confidence, …")
_MAX_CHARACTERS = 500_000_000
_SEPARATORS = (",", ";", "\t")
"""Of a CSV; spreadsheets write a semicolon where the comma is the decimal mark."""


def task_files(drawn: Sequence[Task], form: str) -> dict[str, str]:
    """What one tool imports, with the guidelines and the key: text by file name, the most important first."""
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
    return files | {"guidelines.md": guidelines.markdown(), "guidelines.html": guidelines.page(), KEY: key(drawn)}


def key(drawn: Sequence[Task]) -> str:
    """The content of ``key.csv``."""
    return spreadsheet.table([{name: getattr(task, name) for name in _KEY_COLUMNS} for task in drawn], _KEY_COLUMNS)


def in_the_way(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Which of these files ``folder`` has with another content: another draw, or a sheet that is filled in."""
    return [name for name, text in files.items()
            if (folder / name).is_file() and (folder / name).read_bytes() != text.encode("utf-8", "surrogatepass")]


def write_tasks(folder: Path, files: Mapping[str, str], *, overwrite: bool = False) -> None:
    """Write what ``task_files`` made into ``folder``. ``overwrite``: take away what an earlier draw left there for
    another tool; files of other names stay."""
    if overwrite:
        for name in WRITTEN:
            if name not in files:
                (folder / name).unlink(missing_ok=True)
    for name, text in files.items():
        records.write_text(folder / name, text)


def _json(rows: Any) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def read_judged(source: Path) -> list[Judged]:
    """The pairs with their judgements from a file that the annotators' tool exported, in any of the formats.

    Where the file does not say which system made a pair, ``key.csv`` beside it does. Raises InputError for a file of
    another kind, one without any judgement, and one that holds a pair twice.
    """
    if not source.is_file():
        what = "a folder" if source.is_dir() else "not a plain file" if source.exists() else "no such file"
        raise InputError(f"annotations={source}: {what}; expected {_EXPECTED}")
    pairs = [pair for where, text in _texts(source) for pair in _read(where, text)]
    seen: set[str] = set()
    for pair in pairs:
        if pair.id in seen:
            raise InputError(f"{source}: the pair {pair.id[:60]} stands there twice")
        seen.add(pair.id)
    if not any(pair.judgements for pair in pairs):
        raise InputError(f"{source}: holds no judgement; are the annotations submitted?")
    return _with_systems(pairs, source.parent / KEY)


def _texts(source: Path) -> list[tuple[str, str]]:
    """The file's name and text; of a zip, those of its members."""
    if source.suffix != ".zip":
        return [(str(source), _decoded(str(source), _bytes(source)))]
    try:
        with ZipFile(source) as archive:
            members = [m for m in archive.infolist() if m.filename.endswith((".json", ".jsonl", ".csv"))]
            if sum(member.file_size for member in members) > _MAX_CHARACTERS:
                raise InputError(f"{source}: unpacks to more than {_MAX_CHARACTERS} bytes")
            return [(f"{source}/{m.filename}", _decoded(f"{source}/{m.filename}", archive.read(m))) for m in members]
    except (BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError) as error:  # damaged, encrypted, exotic
        raise InputError(f"{source}: no zip file that can be read here ({error})") from error


def _bytes(file: Path) -> bytes:
    with records.open_plain(file) as opened:
        return opened.read()


def _decoded(where: str, data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{where}: UTF-16 text, as some spreadsheets save it; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")  # spreadsheets write a byte-order mark
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8 text (byte {error.start}); save it as UTF-8") from error


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
    if rows == []:  # a part of a zip
        return []
    reader = _json_reader(rows) if isinstance(rows, list) else None
    if reader is None:
        raise InputError(f"{where}: expected {_EXPECTED}")
    if bad := next((n for n, row in enumerate(rows, 1) if not isinstance(row, dict)), None):
        raise InputError(f"{where}, entry {bad}: is {shown(rows[bad - 1])}; expected a task or document")
    return reader(rows, where)


def _json_reader(rows: Sequence[Any]) -> Callable[[Sequence[Mapping[str, Any]], str], list[Judged]] | None:
    names = {name for row in rows if isinstance(row, dict) for name in row}
    if "annotation_sets" in names:
        return teamware.judged_json
    return label_studio.judged if "annotations" in names else None


def _read_csv(where: str, text: str) -> list[Judged]:
    names, rows = _table(where, text)
    if rows and teamware.is_table(names):
        return teamware.judged_table(rows, where)
    if rows and table_file.is_table(names):
        return table_file.judged(rows, where)
    raise InputError(f"{where}: expected {_EXPECTED}; its columns are {', '.join(names)[:200] or 'missing'}")


def _table(where: str, text: str) -> tuple[list[str], list[dict[str, str]]]:
    """The columns and rows of a CSV file, whichever of ``_SEPARATORS`` stands in its first line most often."""
    csv.field_size_limit(_MAX_CHARACTERS)  # the reader's own limit, 131,072, is less than a long text with its marks
    first = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=first.count)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
        names = list(reader.fieldnames or ())
        rows = list(reader)
    except csv.Error as error:
        raise InputError(f"{where}: not a CSV file ({error})") from error
    if twice := next((name for name, count in Counter(names).items() if name and count > 1), None):
        raise InputError(f"{where}: there are two columns {shown(twice)}")
    if bad := next((n for n, row in enumerate(rows, 1) if None in row or None in row.values()), None):
        raise InputError(f"{where}, row {bad}: expected {len(names)} cells separated by {separator!r}, as in the header")
    return names, rows


def drawn_ids(source: Path, pairs: Sequence[Judged]) -> list[str]:
    """The ids of all pairs of the draw that the annotations in ``source`` are of, from the key beside them; none where no
    key of that draw is there. ``pairs``: what ``read_judged`` has read, and the key with it where it was needed."""
    file = source.parent / KEY
    try:
        ids = list(_key_rows(file)) if file.is_file() else []
    except InputError:  # read_judged would have refused it, had these pairs needed a key
        return []
    return ids if {pair.id for pair in pairs} <= set(ids) else []


def _key_rows(file: Path) -> dict[str, tuple[str, str]]:
    """(system, stand_in) of each pair, by id."""
    names, rows = _table(str(file), _decoded(str(file), _bytes(file)))
    if not {"id", "system"} <= set(names):
        raise InputError(f"{file}: expected the key of task=annotate with columns {', '.join(_KEY_COLUMNS)}; its columns "
                         f"are {', '.join(names)[:200] or 'missing'}")
    plain = spreadsheet.plain
    return {plain(row["id"]): (plain(row["system"]), plain(row.get("stand_in") or "")) for row in rows if row["system"]}


def _with_systems(pairs: Sequence[Judged], file: Path) -> list[Judged]:
    """The pairs with their systems from the key, where they name none. A key of another draw is refused, since a pair
    whose system is unknown would be missing from the ranking."""
    if all(pair.system for pair in pairs) or not file.is_file():
        return list(pairs)
    made = _key_rows(file)
    missing = [pair.id for pair in pairs if not pair.system and pair.id not in made]
    if missing:
        raise InputError(f"{file}: {len(missing)} of the {len(pairs)} pairs are not in it (the first: {missing[0][:60]}); "
                         f"put the key of this draw beside the annotations, or none")
    return [pair if pair.system else replace(pair, system=made[pair.id][0], stand_in=made[pair.id][1]) for pair in pairs]
