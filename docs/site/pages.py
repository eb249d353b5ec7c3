"""Execution of pages of the documentation: write each file that a page shows, run each command, and compare its output.

A page shows a file as a block with a title::

    ```toml title="soma.toml"

A block with the title ``soma.toml, at the end``, or ``soma.toml, below flips``, tells the reader to change this file (here below the line
that begins with ``flips``).

Commands are in a block of ``console``, each on a line that begins with ``$``, followed by the output of the program, unless it goes to a
file (``> FILE``). In an output, a line ``…`` matches any lines, and ``…`` within a line matches any text. If a file of the same name exists
next to the page, it must have the same content.

Run this file with the names of pages to update their outputs, and the files and pictures that they show.
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
"""Number of initial characters that identify a line of an output after a change."""
WIDE = "240"
"""Columns of the terminal, wide enough to prevent line breaks."""


@dataclass(frozen=True)
class Step:
    """A step of a page: a file to write or a command to run, the text of its block, and the position of the block in the page."""

    file: str | None
    command: str | None
    text: str
    at: tuple[int, int]


def steps(page: str) -> list[Step]:
    """Return the steps of a page in order."""
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
    """Write or change a file according to the title of its block; return its name."""
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
    """Run a command of a page in this process and in the current folder; return its output, unless it goes to a file."""
    command, _, file = command.partition(" > ")
    printed = printed_by(*shlex.split(command))
    if file:
        Path(file).write_text(printed, encoding="utf-8")
    return "" if file else printed


def printed_by(program: str, *arguments: str) -> str:
    """Run one of the two programs that pages use; return its output."""
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
    """Return whether the output of a program matches a page."""
    return re.fullmatch("".join(map(pattern, said.rstrip("\n").splitlines())) + r"\s*", printed) is not None


def shortened(said: str, printed: str) -> str:
    """Return the output of a program, with … for the lines that have no similar line in the page."""
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
    """Return the identifying beginning of a line, with numbers replaced."""
    return re.sub(r"\d[\d,]*", "0", line)[:BEGINNING]


def try_page(path: Path) -> tuple[list[str], str]:
    """Run a page in the current folder; return the differences from the page, and the updated page."""
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
    """Report a difference between a generated file and the file of the same name next to the page, if it exists."""
    kept = path.parent / name
    if kept.exists() and kept.read_bytes() != Path(name).read_bytes():
        return [f"{path.name}: {name} is not what lies beside the page; run python docs/site/pages.py {path.relative_to(ROOT)}"]
    return []


def pictures_shown(page: str) -> set[str]:
    """Return the files next to the page that it shows or links."""
    return set(re.findall(r"\]\(([\w-]+\.(?:svg|png|toml|xcc|py))\)", page))


def bring_up_to_date(path: Path) -> None:
    """Update the outputs in a page, and the files next to it."""
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
