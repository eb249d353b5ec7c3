"""``puzzlesat report``: write a puzzle, its counts and its solutions as one page of HTML."""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

from puzzlesat.base import VERSION, check_output, write_file
from puzzlesat.cli.command import Call
from puzzlesat.cli.count import say_disagreements, status_of
from puzzlesat.cli.defaults import REPORT_LISTING_SECONDS, REPORT_SOLUTIONS
from puzzlesat.cli.exit_status import STOPPED_EARLY, worse
from puzzlesat.cli.output import with_size
from puzzlesat.cli.terminal import console, say, say_error
from puzzlesat.counting import ApartOptions, confirmation, count
from puzzlesat.disassembly import check_turns
from puzzlesat.pages import contents_of, page


def run_report(call: Call, turns: Fraction | None) -> int:
    """Count, list the solutions or prove that there is none, and write the page; return the exit status.

    ``turns`` is the bevel of the pieces if they may be turned, else None.
    """
    output, plan = call["output"], call.plan()
    check_output(output, ".html", ".htm")
    before = output.is_file()
    with call.working(call["puzzle"]) as (limits, told):
        instance = call.instance(told)
        if turns is not None:
            check_turns(instance.puzzle)
        report = count(instance, replace(plan, limits=limits), told)
        if not report.begun:
            say_error(f"puzzlesat: {report.sentence}; no page is written")
            return STOPPED_EARLY
        command = _command(call, turns)
        contents = contents_of(report, call["most"], limits, REPORT_LISTING_SECONDS, told, turns=turns, command=command)
        report, interrupted = contents.report, contents.interrupted
        write_file(output, page(contents, VERSION))
    say_disagreements(report)
    for contradiction in confirmation(report).contradictions:
        say_error(f"puzzlesat: {contradiction}")
    if interrupted:
        replaced = "; it replaced the earlier page" if before else ""
        say_error(f"puzzlesat: interrupted: {output} is incomplete and says so{replaced}")
    say(console(), report.sentence)
    say(console(), f"{with_size(output)}. {contents.about_list}")
    return worse(status_of(report), STOPPED_EARLY) if interrupted else status_of(report)


def _command(call: Call, turns: Fraction | None) -> str:
    """Return the command that makes the page again, quoted for the shell of this system."""
    words = ["puzzlesat", "report", call["puzzle"], "-o", call["output"].name]
    words += ["--problem", call.problem] if call.problem is not None else []
    words += ApartOptions(turns=turns).turn_options.split()
    words += ["--solver", call["solver"]] if call["solver"] else []
    words += ["--budget", f"{call['budget']:g}"] if call["budget"] is not None else []
    words += ["--most", str(call["most"])] if call["most"] != REPORT_SOLUTIONS else []
    words += ["--time", f"{call['seconds']:g}"] if call["seconds"] is not None else []
    words += ["--memory", f"{call['memory']:g}"] if call["memory"] is not None else []
    words += ["--cpu"] if call["cpu"] else []
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
