"""The TSV layout of BODEGA (Przybyła, Shvets, Saggion 2023).

UTF-8, no header, one text a line: ``label TAB source TAB text``, or ``label TAB source TAB evidence TAB claim`` for a
pair. The label is the index of the class (1: non-credible). In texts a backslash is written as two, a line end as
``\\n``, and tabs are deleted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from hardtext.core import Domain, InputError
from hardtext.domains.rows import Row, Splits
from hardtext.domains.text_files import lines

_ESCAPE = re.compile(r"\\([\\nt])")
_MEANING = {"\\": "\\", "n": "\n", "t": "\t"}
_SURROGATE = re.compile("[\ud800-\udfff]")


def escape(text: str) -> str:
    r"""The text as the file holds it, byte for byte as the public converters write it.

    >>> print(escape("a\tb\nc:\\new"))
    ab\nc:\\new
    """
    return text.replace("\t", "").replace("\\", "\\\\").replace("\n", "\\n")


def unescape(text: str) -> str:
    r"""The inverse of ``escape``, read from left to right, so that a literal backslash before an n survives (undoing
    one escape after the other over the whole text, as the public reader does, turns it into a line end).

    >>> unescape(r"ab\nc:\\new") == "ab\nc:\\new"
    True
    """
    return _ESCAPE.sub(lambda match: _MEANING[match[1]], text)


def row(label: int, source: str, *texts: str) -> Row:
    """A row whose texts stay as they are when written and read again: tabs are deleted as ``escape`` does, and lone
    surrogates, which JSON can hold but UTF-8 cannot, become U+FFFD."""
    texts = tuple(_SURROGATE.sub("\ufffd", text.replace("\t", "")) for text in texts)
    return Row(label, _SURROGATE.sub("\ufffd", _one_field(source)), texts)


def _one_field(source: str) -> str:
    """A source is written without escapes, so it loses what would end its field."""
    return source.replace("\t", "").replace("\n", " ")


def read_rows(path: Path, domain: Domain) -> list[Row]:
    """The rows of one file. Blank lines are passed over, and so is a carriage return before a line end.

    Raises InputError naming file, line and the expected columns.
    """
    columns = ("label", "source", "evidence", "claim") if domain.pair else ("label", "source", "text")
    labels = {str(index): index for index in range(len(domain.classes))}
    rows = []
    for number, line in lines(path):
        line = line.removesuffix("\n").removesuffix("\r")
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) != len(columns):
            raise InputError(f"{path}, line {number}: expected {len(columns)} tab-separated columns "
                             f"({', '.join(columns)}), found {len(fields)}")
        if fields[0] not in labels:
            meaning = ", ".join(f"{index} ({name})" for index, name in enumerate(domain.classes))
            raise InputError(f"{path}, line {number}: label {fields[0][:40]!r}, expected {meaning} in the first of the "
                             f"columns {', '.join(columns)}")
        rows.append(Row(labels[fields[0]], fields[1], tuple(unescape(field) for field in fields[2:])))
    return rows


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Replace the file in one step."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with open(temporary, "w", encoding="utf-8", newline="\n") as file:
        file.writelines("\t".join([str(label), _one_field(source), *map(escape, segments)]) + "\n"
                        for label, source, segments in rows)
    os.replace(temporary, path)


def is_set(folder: Path) -> bool:
    """Whether the folder holds a converted set. ``dev.tsv`` may be missing (C19 has no such texts)."""
    return (folder / "train.tsv").is_file() and (folder / "attack.tsv").is_file()


def read_set(folder: Path, domain: Domain) -> Splits:
    dev = folder / "dev.tsv"
    return Splits(train=read_rows(folder / "train.tsv", domain), attack=read_rows(folder / "attack.tsv", domain),
                  dev=read_rows(dev, domain) if dev.is_file() else [])


def write_set(folder: Path, splits: Splits) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("train", "attack", "dev"):
        write_rows(folder / f"{name}.tsv", getattr(splits, name))
