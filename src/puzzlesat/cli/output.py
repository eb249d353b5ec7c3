"""Write files and print messages about them, for several commands.

If solvers disagree, the differences are written to a file, with the commands that reproduce them.
"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from puzzlesat import counting, formats, pictures, puzzles
from puzzlesat.base import is_plain, write_file
from puzzlesat.cli.exit_status import STOPPED_EARLY, status_after
from puzzlesat.cli.terminal import print_json, say_error
from puzzlesat.solvers import SOLVERS, family, lists


def cut_short(named: Mapping[str, str], why: str, *, as_json: bool) -> int:
    """Print why a command ended early on standard error and, with ``as_json``, as JSON in place of the answer; return the exit status."""
    if as_json:
        print_json({**named, "complete": False, "why": why})
    say_error(f"puzzlesat: {why}")
    return STOPPED_EARLY


def stays(file: Path, *, stopped: bool) -> bool:
    """Return True, and print so, if a file must not be overwritten: partial results of an interrupted command replace no existing file."""
    if not (stopped and is_plain(file) and file.exists()):
        return False
    say_error(f"puzzlesat: {file} is unchanged: after an interruption, results are written to new files only")
    return True


def with_size(file: Path) -> str:
    """Return the name of a file and its size, if it has one."""
    return f"{file}, {file.stat().st_size:,} bytes" if is_plain(file) else f"{file}"


def write_csv(file: Path | None, columns: Sequence[str], rows: Iterable[Mapping[str, object]], *, stopped: bool) -> None:
    """Write a table to ``file``, if it is not None and ``stays`` allows it."""
    if file is not None and not stays(file, stopped=stopped):
        write_file(file, formats.csv_lines(columns, rows))


def write_picture(svg: str, file: Path, *, as_png: bool) -> None:
    """Write a picture to a file."""
    if not as_png:
        write_file(file, svg)
        return
    write_file(file, pictures.png(svg))


def write_pictures(svg: Path | None, png: Path | None, draw: Callable[[], str], *, stopped: bool = False, says: bool = True) -> None:
    """Write a picture to one or two files, if they are named; with ``says`` print their names."""
    for file in (svg, png):
        if file is not None and not stays(file, stopped=stopped):
            write_picture(draw(), file, as_png=file is png)
            if says:
                print(f"picture: {file}")


def say_unfinished(why: str | None, file: Path | None) -> None:
    """Print why a run is not complete, if there is a reason, and how to resume it if a file keeps its results."""
    if why is not None:
        more = f"; run the same command again to resume from {file}" if file is not None else ""
        say_error(f"puzzlesat: {why}{more}")


def status_of(report: counting.Report | counting.CoverReport) -> int:
    """Return the exit status for a report."""
    failed = report.begun and counting.Judgement(report).fails if isinstance(report, counting.Report) else report.agree is False
    return status_after(failed, report.finished)


def say_disagreements(report: counting.Report) -> None:
    """Write disagreements of solvers to a file in the current folder, with the commands that reproduce them, and print its name."""
    if not report.disagreements:
        return
    instance = report.instance
    path = Path(f"disagreement-{instance.name}.json")
    record = {
        "instance": str(instance.path),
        "text": instance.path.read_text(encoding="utf-8", errors="replace") if instance.path else None,
        "disagreements": [asdict(d) for d in report.disagreements],
        "commands": list(dict.fromkeys(_again(instance, d, s) for d in report.disagreements for s in _listers(report, d))),
    }
    try:
        write_file(path, jsonlib.dumps(record, indent=1, ensure_ascii=False))
    except OSError as error:  # the disagreement must be reported all the same
        say_error(f"puzzlesat: {error.filename}: {error.strerror}")
    else:
        say_error(f"puzzlesat: the differences are written to {path}")


def _listers(report: counting.Report, difference: counting.Disagreement) -> list[str]:
    """Return the solvers whose lists of solutions reproduce a disagreement."""
    return [name for name in (report.lister, difference.solver) if family(name) in SOLVERS and lists(name)]


def _again(instance: puzzles.Instance, difference: counting.Disagreement, solver: str) -> str:
    with_options = "".join(f" --with '{name}'" for name in difference.prefix)
    number = None if instance.path is None else formats.number_of(instance.path, instance.name)
    which = "" if number is None else f" --problem {number}"
    return f"puzzlesat solve {instance.path or instance.name} --all --json --solver {solver}{which}{with_options}"
