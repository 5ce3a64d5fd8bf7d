"""Attempts from files: our own rows, and the shared task's submission layout (CheckThat! 2024, task 6), both ways.

A submission is tab-separated UTF-8 text. Its header and every row end with a tab:

    succeeded    num_queries    original_text    modified_text

A failed attack holds ATTACK_UNSUCCESSFUL as its modified text; a line end in a text is written as a backslash and an n,
and nothing else is escaped; a pair is joined by ' ~ '.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from pathlib import Path

from hardtext.core import Attempt, InputError, Segments
from hardtext.records import half_line, open_plain, read_json, read_rows, write_text
from hardtext.text import SEPARATOR, join, separator_count

log = logging.getLogger(__name__)

COLUMNS = ("succeeded", "num_queries", "original_text", "modified_text")
UNSUCCESSFUL = "ATTACK_UNSUCCESSFUL"

HALF_LINE = "the last line of the attempts is half-written, as a kill leaves it, and is left out"
"""What is said of attempts for which ``records.half_line`` is true."""

_HEADER = "\t".join(COLUMNS) + "\t"
_FILE_NAME = re.compile(r"submission_(?P<task>PR2|FC|RD|HN|C19)_(?:True|False)_(?P<attack>.+)_(?P<victim>[^_]+)")
_PAIRS = {"pr": False, "fc": True, "rd": False, "hn": False, "c19": True, "sample": True,
          "liar2": False, "liar6": False, "kaggle": False}  # other domains: what the texts look like


def load_attempts(source: Path | str, domain: str | None = None, *, quiet: bool = False) -> list[Attempt]:
    """The attempts of an ``attempts.jsonl`` file, of an attack folder or of a submission ``.tsv``, in file order.

    ``domain``: needed for a submission that is not named the official way; otherwise it must be the file's own.
    ``quiet``: nothing is logged, for who reads a file twice.
    Raises InputError, and gives no attempt at all, for anything wrong with the file.
    """
    source = Path(source).expanduser()
    if source.is_dir():
        if not quiet:
            _warn_if_unfinished(source)
        source = source / "attempts.jsonl"
    if not source.exists():
        raise InputError(f"attempts={source}: no such file or folder")
    if source.suffix == ".tsv":
        return read_submission(source, domain)
    if source.suffix != ".jsonl":
        raise InputError(f"attempts={source}: expected attempts.jsonl, an attack folder or a submission .tsv")
    attempts = _read_own(source, domain)
    if not quiet and half_line(source):
        log.warning("%s: %s", source, HALF_LINE)
    return attempts


def _warn_if_unfinished(folder: Path) -> None:
    status = folder / "status.json"
    found = read_json(status) if status.is_file() else None
    state = found.get("state") if isinstance(found, dict) else None
    if state not in (None, "done"):
        log.warning("%s: the run is not finished (state: %s); these are its attempts so far", folder, state)


def _read_own(path: Path, domain: str | None) -> list[Attempt]:
    attempts: list[Attempt] = []
    seen: set[str] = set()
    for number, row in enumerate(read_rows(path), 1):
        try:
            attempt = Attempt.from_row(row)
        except InputError as error:
            raise InputError(f"{path}, row {number}: {error}") from error
        if attempt.id in seen:
            raise InputError(f"{path}, row {number}: id {attempt.id!r} stands there twice")
        if domain is not None and attempt.domain != domain:
            raise InputError(f"{path}, row {number}: of domain {attempt.domain}, but domain={domain} was asked for")
        seen.add(attempt.id)
        attempts.append(attempt)
    if not attempts:
        raise InputError(f"{path}: holds no attempts")
    for field in ("domain", "victim", "attack", "seed"):
        if len(values := sorted({str(getattr(attempt, field)) for attempt in attempts})) > 1:
            raise InputError(f"{path}: attempts of several runs ({field}: {', '.join(values)}); give each run a file of "
                             f"its own")
    return attempts


def read_submission(path: Path, domain: str | None = None) -> list[Attempt]:
    """The attempts of a submission file, with row numbers from 0 as ids.

    The layout holds no labels, probabilities, forwards or seeds: label −1, None, 0 and 0 stand for them. The domain,
    attack and victim come from a file name of the official form, ``submission_<task>_<targeted>_<attack>_<victim>``;
    ``domain`` is needed where the name says nothing, and must agree where it does.
    Raises InputError for any deviation from the layout, and where the texts are not of the domain's kind
    (pairs or single texts).
    """
    named = _FILE_NAME.fullmatch(path.stem)
    task = named["task"].lower().removesuffix("2") if named else None
    if domain is None and task is None:
        raise InputError(f"{path}: a submission file does not hold its domain; say which with domain=<domain>")
    if domain is not None and task is not None and task != domain:
        raise InputError(f"{path}: by its name a submission for domain {task}, but domain={domain} was asked for")
    domain = domain or task

    rows = _rows(path)
    pair = _check_kind(path, domain, [original for _, original, _ in rows])
    attack, victim = (named["attack"], named["victim"]) if named else (path.stem, "unnamed victim")
    return [Attempt(id=str(index), domain=domain, victim=victim, attack=attack, label=-1,
                    original=_segments(original, pair),
                    adversarial=None if modified is None else _segments(modified, pair),
                    status="failed" if modified is None else "success",
                    original_probs=None, adversarial_probs=None, queries=queries, forwards=0, seconds=0.0, seed=0)
            for index, (queries, original, modified) in enumerate(rows)]


def write_submission(attempts: Sequence[Attempt], path: Path) -> None:
    """Write attempts in the shared task's layout; skipped and budget attempts become failed rows.

    Raises InputError, and writes nothing, for what the layout cannot say: an error (it is no failed attack), a pair that
    could not be cut again, and a tab or carriage return inside a text.
    """
    lines = [_HEADER]
    ambiguous = 0
    for attempt in attempts:
        if attempt.status == "error":
            raise InputError(f"attempt {attempt.id}: an error ({attempt.error}); a submission can only say success or "
                             f"failed, so attack it again or leave it out")
        original = join(attempt.original)
        if len(attempt.original) == 2 and separator_count(attempt.original) != 1:
            raise InputError(f"attempt {attempt.id}: its pair holds {SEPARATOR!r} inside a segment, so that a submission's "
                             f"reader could not tell where to cut it: leave it out")
        modified = join(attempt.adversarial) if attempt.status == "success" else UNSUCCESSFUL
        for text in (original, modified):
            if found := re.search(r"[\t\r]", text):
                raise InputError(f"attempt {attempt.id}: its text holds {found[0]!r}, which a submission cannot hold")
            ambiguous += "\\n" in text
        fields = (str(attempt.status == "success"), str(attempt.queries), original, modified)
        lines.append("\t".join(field.replace("\n", "\\n") for field in fields) + "\t")
    if ambiguous:
        log.warning("%s: %d texts hold a backslash before an n, which every reader of this layout takes for a line end",
                    path, ambiguous)
    write_text(path, "\n".join(lines) + "\n")


def _rows(path: Path) -> list[tuple[int, str, str | None]]:
    """(queries, original, modified or None) of each row; the whole file is checked before any is given."""
    lines = _lines(path)
    if lines[0] != _HEADER:
        raise InputError(f"{path}, line 1: expected the header {', '.join(COLUMNS)} (tab-separated, ending in a tab), "
                         f"found {lines[0][:80]!r}")
    if len(lines) == 1:
        raise InputError(f"{path}: holds a header but no rows")
    return [_row(f"{path}, line {number}", line) for number, line in enumerate(lines[1:], 2)]


def _lines(path: Path) -> list[str]:
    """The lines of a text file, which may end in \\n or in \\r\\n, all alike."""
    with open_plain(path) as file:
        data = file.read()
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{path}: starts with a byte-order mark; save it as UTF-8 without one (a submission has none)")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start})") from error
    if not text.strip():
        raise InputError(f"{path}: is empty")
    carriage, pairs, feeds = text.count("\r"), text.count("\r\n"), text.count("\n")
    if carriage != pairs or pairs not in (0, feeds):
        raise InputError(f"{path}: mixed line ends ({pairs} \\r\\n, {feeds - pairs} \\n, {carriage - pairs} \\r); "
                         f"save it with one kind")
    end = "\r\n" if pairs else "\n"
    return text.removesuffix(end).split(end)


def _row(where: str, line: str) -> tuple[int, str, str | None]:
    fields = line.split("\t")
    if len(fields) != len(COLUMNS) + 1 or fields[-1]:
        raise InputError(f"{where}: expected {len(COLUMNS)} columns, each followed by a tab, found "
                         f"{len(fields) - 1} tabs in {line[:60]!r}")
    succeeded, queries, original, modified = fields[:-1]
    if succeeded not in ("True", "False"):
        raise InputError(f"{where}: succeeded is {succeeded!r}, expected True or False")
    if not re.fullmatch(r"[0-9]{1,15}", queries):
        raise InputError(f"{where}: num_queries is {queries[:60]!r}, expected a whole number of at most 15 digits")
    if (succeeded == "True") == (modified == UNSUCCESSFUL):
        raise InputError(f"{where}: succeeded is {succeeded} but the modified text is {modified[:60]!r}")
    if not original.replace("\\n", "\n").strip() and succeeded == "True":
        raise InputError(f"{where}: succeeded is True but the original text is empty")
    if modified == original:
        raise InputError(f"{where}: succeeded is True but the modified text is the original")
    unescaped = None if modified == UNSUCCESSFUL else modified.replace("\\n", "\n")
    return int(queries), original.replace("\\n", "\n"), unescaped


def _check_kind(path: Path, domain: str, originals: Sequence[str]) -> bool:
    """Whether the rows are pairs; refused where that does not go with the domain."""
    separators = [separator_count((text,)) for text in originals]
    looks_paired = min(separators) >= 1
    pair = _PAIRS.get(domain, looks_paired)
    if pair and (odd := [index for index, count in enumerate(separators) if count != 1]):
        held = f"{separators[odd[0]]} of them" if separators[odd[0]] else "none"
        raise InputError(f"{path}, line {odd[0] + 2}: domain={domain} holds pairs joined by one {SEPARATOR!r}, but this "
                         f"text has {held}: {originals[odd[0]][:60]!r}{_and_more(odd)}; are these rows of another "
                         f"domain?")
    if looks_paired and not pair:
        raise InputError(f"{path}: domain={domain} holds single texts, but every text here is a pair joined by "
                         f"{SEPARATOR!r}; are these rows of another domain?")
    return pair


def _and_more(lines: Sequence[int]) -> str:
    return f" (and {len(lines) - 1} more lines)" if len(lines) > 1 else ""


def notes(attempts: Sequence[Attempt]) -> list[str]:
    """What a reader of a submission's scores must know of its texts: single texts that may be pairs."""
    odd = [attempt for attempt in attempts if len(attempt.original) == 1 and separator_count(attempt.original)]
    if not odd:
        return []
    return [f"{len(odd)} of {len(attempts)} texts hold {SEPARATOR!r}, as pairs do (the first: row {odd[0].id}, counted "
            f"from 0); all are taken for single texts"]


def _segments(text: str, pair: bool) -> Segments:
    """A text as segments whose joined form is that text: scores depend on the joined form only, so an adversarial pair
    whose separator is damaged or doubled is kept as it is."""
    return tuple(text.rsplit(SEPARATOR, 1)) if pair else (text,)
