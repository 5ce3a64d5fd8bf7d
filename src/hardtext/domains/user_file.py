"""``domain=file``: the user's own labelled texts, from a CSV, TSV, JSON-lines or Parquet file or a folder of them."""

from __future__ import annotations

import codecs
import math
import os
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Optional

from hardtext import seeding
from hardtext.core import SPLITS, Corpus, Domain, Example, InputError, Segments
from hardtext.domains import user_tables
from hardtext.domains.base import DomainSettings, choice
from hardtext.domains.splitting import stratified
from hardtext.domains.user_tables import shown

SPLIT_NAMES = {"train": ("train", "training"), "dev": ("dev", "valid", "validation", "val"),
               "attack": ("attack", "test")}
NON_CREDIBLE = ("fake", "false", "refuted", "refutes", "rumour", "rumor", "propaganda", "unreliable", "misinformation",
                "disinformation", "hoax", "hyperpartisan", "non-credible", "fabricated", "misleading", "satire",
                "pants-fire", "pants on fire", "barely-true", "barely true", "mostly-false", "mostly false")
ANSWERS = (("no", "yes"), ("false", "true"), ("0", "1"))  # under a column called "fake" the second is not credible
MOST_CLASSES = 50


class Row(NamedTuple):
    id: str
    segments: Segments
    label: str
    split: str  # "" where nobody says
    group: str  # rows of one group are never divided between splits


@dataclass
class FileDomain(DomainSettings):
    """The user's table.

    ``path`` is one file, or a folder with train.csv (or .tsv, .jsonl, .parquet) and, where there are any, dev.csv (or
    valid, validation, val) and attack.csv (or test). ``dev_path`` and ``attack_path`` name those two wherever they are.
    ``text``, ``text_pair``, ``label``, ``id``, ``split_column`` and ``group`` are names of columns; ``split_column``
    holds the names of splits just listed. ``positive``: the classes that are not credible, comma-separated (null:
    guessed from their names).

    A split that is not given is drawn from the training rows, stratified by class: ``dev_fraction`` and
    ``attack_fraction`` of them, the latter at most ``attack_size``. Equal texts stay together; with ``group``, rows
    with the same value there do (one article, one evidence, one author). The draw depends on ``split_seed`` and not on
    the run's seed, so that no victim is attacked on texts that another run trained it on.
    """

    name: str = "file"
    path: Optional[str] = None
    dev_path: Optional[str] = None
    attack_path: Optional[str] = None
    text: str = "text"
    text_pair: Optional[str] = None
    label: str = "label"
    positive: Optional[str] = None
    id: Optional[str] = None
    split_column: Optional[str] = None
    group: Optional[str] = None
    encoding: str = "utf-8"
    delimiter: Optional[str] = None
    quoting: str = "default"
    dev_fraction: float = 0.1
    attack_fraction: float = 0.2
    attack_size: int = 400
    split_seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("quoting", self.quoting, ("default", "none"))
        if not (self.dev_fraction > 0 and self.attack_fraction > 0 and self.dev_fraction + self.attack_fraction < 1):
            raise InputError(f"domain.dev_fraction={self.dev_fraction}, domain.attack_fraction={self.attack_fraction}: "
                             "expected two numbers above 0 whose sum is below 1")
        if self.attack_size < 1:
            raise InputError(f"domain.attack_size={self.attack_size}: expected a whole number of at least 1")
        if self.delimiter in ("tab", "\\t"):
            self.delimiter = "\t"
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise InputError(f"domain.delimiter={self.delimiter}: expected one character, or the word tab")
        try:
            codecs.lookup(self.encoding)
        except (LookupError, ValueError) as error:
            raise InputError(f"domain.encoding={self.encoding}: unknown encoding; utf-8, utf-16, cp1252 and latin-1 "
                             "are common ones") from error

    def load(self, root: Path, seed: int) -> Corpus:
        """The corpus; it depends on neither ``root`` nor ``seed``."""
        notes: list[str] = []
        rows = [row for split, path in self._files().items() for row in self._read(path, split, notes)]
        rows = _one_spelling(rows)
        _check_ids(rows)
        classes, positive = self._classes(rows, notes)
        rows = self._divide(rows, classes, notes)
        splits: dict[str, list[Example]] = {split: [] for split in SPLITS}
        for row in rows:
            splits[row.split].append(Example(row.id, row.segments, classes.index(row.label), split=row.split))
        _check_trained(classes, [classes[example.label] for example in splits["train"]])
        return Corpus(Domain(self.name, classes, positive, pair=self.text_pair is not None),
                      notes=tuple(f"{self.name}: {note}" for note in notes),
                      **{split: tuple(examples) for split, examples in splits.items()})

    def _files(self) -> dict[str, Path]:
        """The file of each split; a lone file stands under "" and holds all of them."""
        if not self.path:
            raise InputError("domain=file needs domain.path=<your file or folder>, domain.text=<column> and "
                             "domain.label=<column>")
        path = Path(self.path).expanduser()
        if not os.path.exists(path):  # Path.exists raises on a name that is too long
            raise InputError(f"domain.path={self.path}: no such file or folder")
        files = _files_of_folder(path) if path.is_dir() else {"": path}
        for split, given in (("dev", self.dev_path), ("attack", self.attack_path)):
            if given:
                files[split] = Path(given).expanduser()
        if self.split_column and len(files) > 1:
            raise InputError(f"domain.split_column={self.split_column}: expected one file where a column names the "
                             f"splits, got {', '.join(file.name for file in files.values())}")
        return files

    def _read(self, path: Path, split: str, notes: list[str]) -> list[Row]:
        """The rows with a text and a label."""
        texts = [self.text, *filter(None, [self.text_pair])]
        columns = dict.fromkeys([*texts, self.label, *filter(None, [self.id, self.split_column, self.group])])
        layout = user_tables.Layout(self.encoding, self.delimiter, quoted=self.quoting == "default")
        rows = []
        count: Counter[str] = Counter()
        for number, values in enumerate(user_tables.read(path, columns, layout), 1):
            values = {name: _written(values[name], path, number, name) for name in columns}
            count["rows"] += 1
            segments = tuple(values[name] for name in texts)
            label = _class_name(_LONE_SURROGATE.sub("\ufffd", values[self.label]))
            if not all(segment.strip() for segment in segments):
                count["no text"] += 1
                continue
            if not label:
                count["no label"] += 1
                continue
            if any(_LONE_SURROGATE.search(segment) for segment in segments):
                count["broken"] += 1
                segments = tuple(_LONE_SURROGATE.sub("\ufffd", segment) for segment in segments)
            own = _split_name(values[self.split_column], path, number) if self.split_column else split
            group = values[self.group].strip() if self.group else ""
            rows.append(Row(self._id(values, split, path, number), segments, label, own, group or _key(segments)))
        dropped = [f"{count[reason]} without a {reason[3:]}" for reason in ("no text", "no label") if count[reason]]
        if not rows:
            raise InputError(f"{path}: no row to use ({count['rows']} rows, {', '.join(dropped) or 'none dropped'})")
        if dropped:
            notes.append(f"{path.name}: dropped {' and '.join(dropped)} of {count['rows']} rows")
        if count["broken"]:
            notes.append(f"{path.name}: replaced broken characters (lone surrogates) in {count['broken']} rows")
        return rows

    def _id(self, values: dict[str, str], split: str, path: Path, number: int) -> str:
        """The row's id in the file, or its number there (with the split, where each has its own file)."""
        if not self.id:
            return f"{split}-{number}" if split else str(number)
        if not (found := values[self.id].strip()):
            raise InputError(f"{path}, row {number}: nothing in the column {self.id} (domain.id)")
        return found

    def _classes(self, rows: list[Row], notes: list[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """The class names, credible ones first, and the places of the others."""
        names = sorted({row.label for row in rows}, key=_natural)
        if len(names) < 2:
            raise InputError(f"domain.label={self.label}: expected at least two classes, found only {names[0]!r}")
        if len(names) > MOST_CLASSES:
            raise InputError(f"domain.label={self.label}: {len(names):,} different values, such as {names[0][:40]!r}; "
                             "name the column that holds the class")
        if self.positive:
            asked = {_class_name(name).casefold() for name in self.positive.split(",")}
            chosen = {name for name in names if name.casefold() in asked}
            if len(chosen) < len(asked) or len(chosen) == len(names):
                raise InputError(f"domain.positive={self.positive}: expected some, not all, of {shown(names)}")
        else:
            chosen = _guess(names, self.label)
            if not chosen:
                raise InputError(f"domain.label={self.label}: which class is not credible? set domain.positive to "
                                 f"one or more (comma-separated) of {shown(names)}")
            notes.append(f"took {shown(sorted(chosen))} as not credible, going by its name; domain.positive "
                         f"changes that (classes: {shown(names)})")
        classes = (*(name for name in names if name not in chosen), *(name for name in names if name in chosen))
        return classes, tuple(range(len(classes) - len(chosen), len(classes)))

    def _divide(self, rows: list[Row], classes: tuple[str, ...], notes: list[str]) -> list[Row]:
        """The rows with a split each; splits that are not given are drawn."""
        given = [row for row in rows if row.split in ("dev", "attack")]
        pool = [row for row in rows if row.split not in ("dev", "attack")]
        _check_trained(classes, [row.label for row in pool])
        wanted = {"attack": min(round(self.attack_fraction * len(pool)), self.attack_size),
                  "dev": round(self.dev_fraction * len(pool))}
        sizes = {split: max(1, size) for split, size in wanted.items() if not any(r.split == split for r in given)}
        if sizes:
            groups: dict[str, set[str]] = defaultdict(set)
            for row in pool:
                groups[row.label].add(row.group)
            for name in classes:
                if len(groups[name]) <= len(sizes):
                    raise InputError(f"domain=file: class {name} has {len(groups[name])} different texts, at least "
                                     f"{len(sizes) + 1} are needed to draw {' and '.join(sizes)} beside train")
            seeding.generator(self.split_seed, "order").shuffle(pool)
            drawn = stratified([classes.index(row.label) for row in pool], [row.group for row in pool], sizes, "train",
                               self.split_seed)
            pool = [row._replace(split=split) for row, split in zip(pool, drawn, strict=True)]
            notes.append(f"drew {' and '.join(sizes)} from {len(pool)} rows (split_seed={self.split_seed}): "
                         + ", ".join(f"{split} {drawn.count(split)}" for split in ("train", *sizes)))
        else:
            pool = [row._replace(split="train") for row in pool]
        trained = {_key(row.segments) for row in pool if row.split == "train"}
        if leaked := sum(_key(row.segments) in trained for row in given):
            notes.append(f"{leaked} of the {len(given)} given dev and attack texts are training texts too")
        return pool + given


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character; no tokenizer takes it


def _files_of_folder(folder: Path) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        split = next((s for s, names in SPLIT_NAMES.items() if path.stem.lower() in names), None)
        if split and path.suffix.lower() in user_tables.SUFFIXES:
            if split in files:
                raise InputError(f"domain.path={folder}: both {files[split].name} and {path.name} could be {split}; "
                                 "name the file with domain.path=, domain.dev_path= or domain.attack_path=")
            files[split] = path
    if "train" not in files:
        raise InputError(f"domain.path={folder}: no train file ({', '.join(user_tables.SUFFIXES)}); name the file "
                         "itself, and others with domain.dev_path= and domain.attack_path=")
    return files


def _written(value: Any, path: Path, number: int, column: str) -> str:
    """A cell as text: nothing for a missing one, 1 for 1.0, true and false for booleans."""
    if value is None or isinstance(value, float) and math.isnan(value):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (list, dict, bytes)):
        raise InputError(f"{path}, row {number}: column {column} holds a {type(value).__name__}, expected text")
    return str(value)


def _class_name(written: str) -> str:
    """A label as a class name: no blanks around it, 1 for "1.0".

    >>> _class_name(" Fake"), _class_name("1.0"), _class_name("1.5")
    ('Fake', '1', '1.5')
    """
    return re.sub(r"^(-?\d+)\.0+$", r"\1", written.strip())


def _one_spelling(rows: list[Row]) -> list[Row]:
    """Labels that differ in case only are one class, spelled as it stands first."""
    first: dict[str, str] = {}
    return [row._replace(label=first.setdefault(row.label.casefold(), row.label)) for row in rows]


def _natural(name: str) -> tuple[bool, int, str]:
    """The order of class names: whole numbers by size, then words.

    >>> sorted(["real", "10", "2", "fake"], key=_natural)
    ['2', '10', 'fake', 'real']
    """
    number = re.fullmatch(r"-?\d+", name)
    return not number, float(name) if number else 0, name


def _split_name(written: str, path: Path, number: int) -> str:
    for split, names in SPLIT_NAMES.items():
        if written.strip().lower() in names:
            return split
    raise InputError(f"{path}, row {number}: split {written[:40]!r}, expected one of "
                     f"{', '.join(name for names in SPLIT_NAMES.values() for name in names)}")


def _key(segments: Segments) -> str:
    """Equal for texts that differ only in case and white space."""
    return "\n".join(" ".join(segment.split()).casefold() for segment in segments)


def _check_ids(rows: list[Row]) -> None:
    id, times = Counter(row.id for row in rows).most_common(1)[0]
    if times > 1:
        raise InputError(f"domain.id: {times} rows have the id {id!r}; ids must differ "
                         "(leave domain.id out to number the rows)")


def _check_trained(classes: tuple[str, ...], labels: list[str]) -> None:
    if missing := [name for name in classes if name not in labels]:
        raise InputError(f"domain=file: no training row of class {shown(missing)}")


def _guess(names: list[str], column: str) -> set[str]:
    """The classes that are not credible, by their names and the name of their column; none where nothing speaks for it.

    >>> _guess(["fake", "real"], "label"), _guess(["false", "true"], "label"), _guess(["false", "true"], "is_fake")
    ({'fake'}, {'false'}, {'true'})
    >>> _guess(["no", "yes"], "label")
    set()
    """
    asked = any(word in column.casefold() for word in NON_CREDIBLE)
    for no, yes in ANSWERS:
        if {name.casefold() for name in names} == {no, yes} and (asked or yes == "1"):
            return {name for name in names if name.casefold() == yes}
    found = {name for name in names if name.casefold() in NON_CREDIBLE}
    return found if len(found) < len(names) else set()
