"""What the pages say is true: their Python runs and prints what stands below it, their commands compose, their links lead
somewhere, and the files that they tell a reader to write do work."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import typing
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest

import hardtext
from hardtext import config
from hardtext.config.overrides import foreign_experiment
from hardtext.pipelines.evaluate import TASKS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MARK = "<<< end of block >>>"
TIMEOUT = 900  # seconds; a busy machine is no failure

config.register()


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# Python


class Block(NamedTuple):
    language: str
    code: str
    line: int
    follows: bool  # nothing but blank lines between it and the block before

    @property
    def file(self) -> str | None:
        """The file it is meant to become: named in its first line (# src/…)."""
        found = re.match(r"# ((?:src|conf|tests)/[\w/]+\.\w+)\n", self.code)
        return found.group(1) if found else None


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found, end = [], 0
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        found.append(Block(match[1], match[2], text.count("\n", 0, match.start()) + 2, not text[end : match.start()].strip()))
        end = match.end()
    return found


def script(page: Path) -> tuple[str, list[tuple[int, str | None]]]:
    """The page's Python as one program that prints a mark after each block, and the output each should have (None: any)."""
    program, expected = [], []
    all_of_page = blocks(page)
    for block, after in zip(all_of_page, [*all_of_page[1:], None]):
        if block.language == "python" and block.file is None:
            program += [block.code, f"print({MARK!r}, flush=True)\n"]
            expected.append((block.line, after.code if after and after.language == "text" and after.follows else None))
    return "".join(program), expected


def environment(folder: Path, source: Path = ROOT) -> dict[str, str]:
    paths = [str(source / "src"), str(folder)]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "HARDTEXT_RUNS": str(folder / "runs"),
                         "HARDTEXT_DATA": str(folder / "data"), "HF_HUB_OFFLINE": "1", "COLUMNS": "120"}


@pytest.mark.parametrize("page", [page for page in PAGES[1:] if script(page)[1]], ids=name_of)
def test_the_python_of_a_page_runs_and_prints_what_it_says(page, tmp_path):
    program, expected = script(page)
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment(tmp_path), capture_output=True,
                          text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr[-3000:]
    printed = done.stdout.split(MARK + "\n")
    assert len(printed) == len(expected) + 1
    for (line, wanted), found in zip(expected, printed):
        assert wanted is None or found == wanted, f"{name_of(page)}, line {line}"


def test_the_reading_of_pages_finds_what_is_there(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n"
                    "```python\n# src/a/b.py\nx = 1\n```\nb\n```text\n2\n```\n")
    assert [(b.language, b.line, b.follows, b.file) for b in blocks(page)] == [
        ("python", 3, False, None), ("text", 7, True, None), ("python", 11, True, "src/a/b.py"), ("text", 16, False, None)]
    assert script(page) == (f"print(1)\nprint({MARK!r}, flush=True)\n", [(3, "1\n")])


def test_docstrings_of_the_public_api_run():
    assert doctest.testmod(hardtext).failed == 0 < doctest.testmod(hardtext).attempted


@pytest.mark.parametrize("name", ["attack", "load_victim", "score"])
def test_the_public_api_is_typed_and_documented(name):
    function = getattr(hardtext, name)
    hints = typing.get_type_hints(function, vars(hardtext) | {"Scores": object})
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount + function.__code__.co_kwonlyargcount]
    assert {*parameters, "return"} <= set(hints)
    assert ">>>" in function.__doc__
    assert files("hardtext").joinpath("py.typed").is_file()


def written(page: Path) -> set[str]:
    """The names of the parts (attacks, defences) whose files the page shows."""
    return {Path(block.file).stem for block in blocks(page) if block.file and block.file.startswith("conf/")}


# Commands


COMMAND = re.compile(r"(?:^|[\s(\"])python (train|attack|evaluate)\.py\b(.*)")


def commands(page: Path) -> Iterator[tuple[str, str]]:
    """(command, the rest of its line) of every command in the page: in code, and in a sentence between backticks."""
    text = re.sub(r" *\\\n\s*", " ", page.read_text(encoding="utf-8"))
    fenced = False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            if found := COMMAND.search(line):
                yield found[1], re.split(r"\s#|\s&&|;", found[2])[0]
    prose = re.sub(r"^(```.*?^```$|    .*$)", "", text, flags=re.M | re.S)
    for span in re.findall(r"`([^`]+)`", prose):
        if found := COMMAND.search(" ".join(span.split())):
            yield found[1], found[2]


def overrides(rest: str) -> list[str]:
    """The settings of a command line as one choice of each: of "a|b" and of a sweep's "a,b" the first, an x for what the
    reader fills in, and nothing for what is left out (…)."""
    rest = re.sub(r"<[^<>]*>", "x", rest).replace("\\|", "|")
    if rest.count('"') % 2:  # the end of a quotation that holds the command
        rest = rest.rstrip().removesuffix('"')
    sweep = bool(re.search(r"\s(-m|--multirun)\b", rest))
    chosen = []
    for word in shlex.split(rest):
        word = re.sub(r"^\[(\w[\w.]*=.*)\]$", r"\1", word)  # optional: [runs=<folder>]
        key, equals, value = word.partition("=")
        if not equals or "…" in word or (sweep and re.match(r"(tag|interval|choice|range)\(", value)):
            continue
        value = value.split("|")[0] if not value.startswith(("[", "{")) else value
        chosen.append(f"{key}={_first(value) if sweep else value}")
    return chosen


def _first(value: str) -> str:
    """What stands before the first comma outside brackets."""
    depth = 0
    for i, character in enumerate(value):
        depth += (character in "[{(") - (character in ")}]")
        if character == "," and depth == 0:
            return value[:i]
    return value


@pytest.mark.parametrize(("rest", "expected"), [
    (" domain=pr model=bilstm", ["domain=pr", "model=bilstm"]),
    (" domain=… attempts=<folders> [runs=<a b>]", ["attempts=x", "runs=x"]),
    (" semantic=bleurt|minilm hardening=[a,b]", ["semantic=bleurt", "hardening=[a,b]"]),
    (" -m model=tiny,bilstm 'model.lr=tag(log,interval(1,2))' 'sweep.objective={dev/error:1}'",
     ["model=tiny", "sweep.objective={dev/error:1}"]),
    (' trainer.devices=8 trainer.strategy=ddp"', ["trainer.devices=8", "trainer.strategy=ddp"]),
])
def test_a_command_line_is_read_as_one_choice_of_each(rest, expected):
    assert overrides(rest) == expected


@pytest.mark.parametrize(("page", "command", "rest"), [
    pytest.param(page, command, rest, id=f"{name_of(page)}: {command}.py{rest}"[:100])
    for page in PAGES if not written(page) for command, rest in dict.fromkeys(commands(page))])
def test_every_command_of_a_page_composes(page, command, rest):
    given = overrides(rest)
    stranger = foreign_experiment(command, given)
    assert stranger is None
    settings = config.compose(command, given)
    if command == "evaluate":
        assert settings.task in TASKS


# Links


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_somewhere(page):
    prose = re.sub(r"^```.*?^```$|^    .*?$|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{name_of(page)} links to {target}"
        assert not anchor or anchor in anchors(file), f"{name_of(page)} links to {target}"


@pytest.mark.parametrize("page", PAGES[1:], ids=name_of)
def test_the_readme_links_to_every_page(page):
    assert f"]({name_of(page)}" in PAGES[0].read_text(encoding="utf-8")


# Files that a page tells the reader to write


def tree(folder: Path, page: Path) -> Path:
    """A copy of the project in which the page was followed: its files written, its lines added."""
    for part in ("src", "conf", "scripts"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("train.py", "attack.py", "evaluate.py"):
        shutil.copy(ROOT / name, folder)
    for block in blocks(page):
        if block.language == "diff":
            add(folder, block.code)
        elif block.file:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.code, encoding="utf-8")
    return folder


def add(folder: Path, diff: str) -> None:
    """Follow a block of lines to add (+), to take out (-) and to find (a blank before them) in the file its first line
    names. A line to find or to take out must be there once below the one before it."""
    first, *changes = diff.splitlines()
    path = folder / first.removeprefix("# ")
    lines, at = path.read_text(encoding="utf-8").splitlines(), 0
    for change in changes:
        sign, line = change[:1], change[1:]
        if sign == "+":
            lines.insert(at, line)
            at += 1
        elif change.strip() != "...":
            assert line in lines[at:], f"{first}: {line!r} is not there (any more)"
            at = lines.index(line, at)
            if sign == "-":
                del lines[at]
            else:
                at += 1
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_lines_are_added_where_the_page_says(tmp_path):
    (tmp_path / "a.py").write_text("one\ntwo\nthree\n")
    add(tmp_path, "# a.py\n one\n+more\n...\n-three\n+four\n")
    assert (tmp_path / "a.py").read_text() == "one\nmore\ntwo\nfour\n"
    with pytest.raises(AssertionError, match="'five' is not there"):
        add(tmp_path, "# a.py\n five\n+six\n")


@pytest.mark.parametrize("page", [page for page in PAGES if written(page)], ids=name_of)
def test_the_files_of_a_page_work_in_the_project(page, tmp_path):
    project = tree(tmp_path / "project", page)
    given = environment(tmp_path, project)
    tests = [block.file for block in blocks(page) if block.file and block.file.startswith("tests/")]
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests],
                          cwd=project, env=given, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    lines = [(command, overrides(rest)) for command, rest in dict.fromkeys(commands(page))]
    program = f"from hardtext import config\nfor line in {lines!r}:\n    print(line, flush=True)\n    config.compose(*line)"
    done = subprocess.run([sys.executable, "-c", program], cwd=project, env=given, capture_output=True, text=True,
                          timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-2000:]
