"""Pages of the documentation that can be run: each file that a page shows is written, each command is run, and its output is compared.

A page shows a file as a block with a title::

    ```toml title="soma.toml"

A reader is told to change that file by a block with the title ``soma.toml, at the end``, or ``soma.toml, below flips`` (below the line that
begins so).

Commands stand in a block of ``console``, each on a line that begins with ``$``; below it stands what the program prints, unless
it goes to a file (``> FILE``). There a line ``…`` is for any lines, and ``…`` within a line for any text. Where a file of the same name
lies beside the page, it must be the same.

Run this file with the names of pages to bring them up to date: outputs that differ, and the files and pictures that a page shows.
"""

from __future__ import annotations

import os
import re
import runpy
import shlex
import shutil
import sys
import tempfile
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from typer.testing import CliRunner

from puzzlesat.cli.main import app

ROOT = Path(__file__).parents[2]
BOOK = [
    *sorted((ROOT / "docs" / "tutorial").glob("*.md")),
    *sorted((ROOT / "docs" / "cookbook").glob("*.md")),
    *sorted((ROOT / "docs" / "guide").glob("*.md")),
    ROOT / "docs" / "certificates.md",
    ROOT / "docs" / "faq.md",
]
FENCE = re.compile(r'^```(\w+)(?: title="([^"\n]+)")?\n(.*?)^```$', re.M | re.S)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
PICTURES = (".svg", ".png")
BEGINNING = 8
"""Characters by which a line of an output is known again when it has changed."""
WIDE = "240"
"""Columns of the terminal, that no line is folded."""


@dataclass(frozen=True)
class Step:
    """A file to write, or a command to run, with what the page says of it, and where that stands in the page."""

    file: str | None
    command: str | None
    text: str
    at: tuple[int, int]


def steps(page: str) -> list[Step]:
    """Return what a page does, in its order."""
    found = []
    for fence in FENCE.finditer(page):
        kind, title, text = fence.groups()
        if kind == "console":
            for each in COMMAND.finditer(text):
                start = fence.start(3)
                found.append(Step(None, each[1], each[2], (start + each.start(2), start + each.end(2))))
        elif title:
            found.append(Step(title, None, text, fence.span(3)))
    return found


def write(title: str, text: str) -> str:
    """Write a file, or change one, as the title of its block says; return its name."""
    name, _, where = title.partition(", ")
    file = Path(name)
    if where == "at the end":
        text = file.read_text(encoding="utf-8") + "\n" + text
    elif where:
        line = re.escape(where.removeprefix("below "))
        old = file.read_text(encoding="utf-8")
        text, changed = re.subn(rf"^({line}.*\n)", lambda found: found[1] + text, old, count=1, flags=re.M)
        assert changed, f"{name} has no line that begins with {where.removeprefix('below ')}"
    file.write_text(text, encoding="utf-8")
    return name


def run(command: str) -> str:
    """Run a command of a page in this process, in the folder of this moment, and return what it does not write to a file."""
    command, _, file = command.partition(" > ")
    printed = printed_by(*shlex.split(command))
    if file:
        Path(file).write_text(printed, encoding="utf-8")
    return "" if file else printed


def printed_by(program: str, *arguments: str) -> str:
    """Run one of the two programs that pages use, and return what it prints."""
    if program == "python":
        printed = StringIO()
        with redirect_stdout(printed):
            runpy.run_path(arguments[0], run_name="__main__")
        return printed.getvalue()
    assert program == "puzzlesat", f"a page runs puzzlesat and python, not {program}"
    result = CliRunner(env={"COLUMNS": WIDE}).invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return "\n".join(line.rstrip() for line in result.output.splitlines()) + "\n" * bool(result.output)


def pattern(line: str) -> str:
    """Return the regular expression of a line of a page."""
    return r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line).replace("…", ".*") + r" *\n"


def as_said(said: str, printed: str) -> bool:
    """Whether a program printed what a page says."""
    return re.fullmatch("".join(map(pattern, said.rstrip("\n").splitlines())) + r"\s*", printed) is not None


def shortened(said: str, printed: str) -> str:
    """Return what a program printed, with … for the lines of which the page left out their like: those that begin as no line of it."""
    end = said[len(said.rstrip("\n")) :] or "\n"
    lines = said.rstrip("\n").splitlines()
    if "…" not in [line.strip() for line in lines]:
        return printed.rstrip("\n") + end
    new: list[str] = []
    for line in printed.rstrip("\n").splitlines():
        like = [old for old in lines if re.fullmatch(pattern(old), line + "\n") and old.strip() != "…"]
        if like or (line.strip() and beginning(line) in map(beginning, lines)):
            new.append(like[0] if like else line)
        elif new[-1:] != ["…"]:
            new.append("…")
    return "\n".join(new) + end


def beginning(line: str) -> str:
    """Return what a line is known by when its numbers have changed."""
    return re.sub(r"\d[\d,]*", "0", line)[:BEGINNING]


def try_page(path: Path) -> tuple[list[str], str]:
    """Run a page in the current folder; return what is not as the page says, and the page as it would be."""
    page = path.read_text(encoding="utf-8")
    wrong, new = [], []
    for step in steps(page):
        if step.file:
            name = write(step.file, step.text)
            wrong += beside(path, name)
            continue
        assert step.command is not None
        printed = run(step.command)
        if not as_said(step.text, printed):
            wrong.append(f"{path.name}: $ {step.command}\n{printed}")
            new.append((step.at, shortened(step.text, printed)))
        wrong += [each for name in re.findall(r"[\w.-]+\.\w+", step.command) if name.endswith(PICTURES) for each in beside(path, name)]
    for (start, end), printed in reversed(new):
        page = page[:start] + printed + page[end:]
    return wrong, page


def beside(path: Path, name: str) -> list[str]:
    """Say whether a file that was made differs from the one of that name that lies beside the page, if one does."""
    kept = path.parent / name
    if kept.exists() and kept.read_bytes() != Path(name).read_bytes():
        return [f"{path.name}: {name} is not what lies beside the page; run python docs/site/pages.py {path.relative_to(ROOT)}"]
    return []


def pictures_shown(page: str) -> set[str]:
    """Return the files beside the page that it shows or links."""
    return set(re.findall(r"\]\(([\w-]+\.(?:svg|png|toml|xcc|py))\)", page))


def bring_up_to_date(path: Path) -> None:
    """Write what the program prints and draws into a page and beside it."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        wrong, page = try_page(path)
        for name in pictures_shown(page):
            shutil.copyfile(name, path.parent / name)
        os.chdir(here)
    path.write_text(page, encoding="utf-8")
    print(path.name, *wrong or ["is up to date"], sep="\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        bring_up_to_date(Path(name).resolve())
