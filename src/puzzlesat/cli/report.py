"""``puzzlesat report``: one page of HTML with all that is known of a puzzle and its solutions."""

from __future__ import annotations

import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

from puzzlesat.base import check_output, write_file
from puzzlesat.cli.count_each import counted, status_of
from puzzlesat.cli.defaults import REPORT_LISTING_SECONDS, REPORT_SOLUTIONS
from puzzlesat.cli.exit_status import STOPPED_EARLY, worse
from puzzlesat.cli.output import with_size, write_disagreements
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import console, say, say_error
from puzzlesat.cli.working import working
from puzzlesat.counting import ApartOptions, confirmation
from puzzlesat.disassembly import check_turns
from puzzlesat.formats import instance_in
from puzzlesat.pages import contents_of, page
from puzzlesat.version import VERSION


def run_report(
    name: str, output: Path, switches: Switches, most: int, problem: int | str | None = None, *, turns: Fraction | None = None
) -> int:
    """Count, list, prove where there is none, and write the page; return the exit status. ``turns``: the bevel, if pieces may be turned."""
    check_output(output, ".html", ".htm")
    before = output.is_file()
    with working(name, switches.bounds) as (limits, told):
        instance = instance_in(name, problem, progress=told)
        if turns is not None:
            check_turns(instance.puzzle)
        report = counted(instance, switches, limits, told)
        if not report.begun:
            say_error(f"puzzlesat: {report.sentence}; no page is written")
            return STOPPED_EARLY
        command = _command(name, output, switches, most, problem, turns)
        contents = contents_of(report, most, limits, REPORT_LISTING_SECONDS, told, turns=turns, command=command)
        report, interrupted = contents.report, contents.interrupted
        write_file(output, page(contents, VERSION))
    for path in write_disagreements(report):
        say_error(f"puzzlesat: the differences are written to {path}")
    for contradiction in confirmation(report).contradictions:
        say_error(f"puzzlesat: {contradiction}")
    if interrupted:
        replaced = "; it replaced the earlier page" if before else ""
        say_error(f"puzzlesat: interrupted: {output} is incomplete and says so{replaced}")
    say(console(), report.sentence)
    say(console(), f"{with_size(output)}. {contents.about_list}")
    return worse(status_of(report), STOPPED_EARLY) if interrupted else status_of(report)


def _command(name: str, output: Path, switches: Switches, most: int, problem: int | str | None, turns: Fraction | None) -> str:
    """The command that makes the page again, for the shell of this system."""
    words = ["puzzlesat", "report", name, "-o", output.name]
    words += ["--problem", str(problem)] if problem is not None else []
    words += ApartOptions(turns=turns).turn_options.split()
    words += ["--solver", switches.solver] if switches.solver else []
    words += ["--budget", f"{switches.budget:g}"] if switches.budget is not None else []
    words += ["--most", str(most)] if most != REPORT_SOLUTIONS else []
    words += ["--time", f"{switches.time:g}"] if switches.time is not None else []
    words += ["--memory", f"{switches.memory:g}"] if switches.memory is not None else []
    words += ["--cpu"] if switches.cpu else []
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
