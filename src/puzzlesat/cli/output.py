"""The files that commands write, and what they say of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from puzzlesat.cli.exit_status import STOPPED_EARLY
from puzzlesat.cli.terminal import say_error
from puzzlesat.files import is_plain, new_text, size_of, write_bytes, write_text
from puzzlesat.formats.spreadsheet import csv_lines


def cut_short(named: Mapping[str, str], why: str, *, as_json: bool) -> int:
    """Say why a command has ended early, in JSON instead of what else it would print; return the exit status."""
    if as_json:
        print(json.dumps({**named, "complete": False, "why": why}, ensure_ascii=False), flush=True)
    say_error(f"puzzlesat: {why}")
    return STOPPED_EARLY


def stays(file: Path, *, stopped: bool) -> bool:
    """Tell whether a file is left as it was, and say so: what a command has when it is interrupted takes no whole file's place."""
    if not (stopped and is_plain(file) and file.exists()):
        return False
    say_error(f"puzzlesat: {file} is unchanged: after an interruption, results are written to new files only")
    return True


def with_size(file: Path) -> str:
    """Return the name of a file that was written and its size, if it has one."""
    size = size_of(file)
    return f"{file}" if size is None else f"{file}, {size:,} bytes"


def write_csv(file: Path | None, columns: Sequence[str], rows: Iterable[Mapping[str, object]], *, stopped: bool) -> None:
    """Write a table to a file, if one was named; what there is after an interruption takes no whole file's place."""
    if file is not None and not stays(file, stopped=stopped):
        with new_text(file) as text:
            text.writelines(csv_lines(columns, rows))


def write_picture(svg: str, file: Path, *, as_png: bool) -> None:
    """Write a picture to a file."""
    if not as_png:
        write_text(file, svg)
        return
    from puzzlesat.draw.png import png

    write_bytes(file, png(svg))


def say_unfinished(why: str | None, file: Path | None) -> None:
    """Say why a run is not complete, if it is not, and that it can be resumed if a file keeps what is known."""
    if why is not None:
        more = f"; run the same command again to resume from {file}" if file is not None else ""
        say_error(f"puzzlesat: {why}{more}")
