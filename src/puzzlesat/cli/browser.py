"""The commands whose answer is a page: ``puzzlesat report``, ``puzzlesat studio`` and ``puzzlesat site``."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import webbrowser
import zlib
from base64 import urlsafe_b64encode
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

from puzzlesat.base import VERSION, NotSupportedError, PuzzleError, check_output, is_file, write_file
from puzzlesat.cli.command import Call
from puzzlesat.cli.count import say_disagreements, status_of
from puzzlesat.cli.defaults import REPORT_LISTING_SECONDS, REPORT_SOLUTIONS
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY, worse
from puzzlesat.cli.output import with_size
from puzzlesat.cli.terminal import console, say, say_error, stoppable
from puzzlesat.counting import ApartOptions, count
from puzzlesat.disassembly import no_turns
from puzzlesat.formats import raw_tables_in
from puzzlesat.pages import Site, contents_of, page
from puzzlesat.puzzles import kind_of_table


def run_report(call: Call, turns: Fraction | None) -> int:
    """Count, list the solutions or prove that there is none, and write the page; return the exit status.

    ``turns`` is the bevel of the pieces if they may be turned, else None.
    """
    output, plan = call["output"], call.plan()
    check_output(output, ".html", ".htm")
    before = output.is_file()
    with call.working(call["puzzle"]) as (limits, told):
        instance = call.instance(told)
        if turns is not None and (why := no_turns(instance.puzzle)) is not None:
            raise NotSupportedError(why)
        report = count(instance, replace(plan, limits=limits), told)
        if not report.begun:
            say_error(f"puzzlesat: {report.sentence}; no page is written")
            return STOPPED_EARLY
        command = _command(call, turns)
        contents = contents_of(report, call["most"], limits, REPORT_LISTING_SECONDS, told, turns=turns, command=command)
        report, interrupted = contents.report, contents.interrupted
        write_file(output, page(contents, VERSION))
    say_disagreements(report)
    for contradiction in report.confirmation.contradictions:
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


LIBRARIES = ("starlette", "uvicorn")


def run_studio(puzzle: str | None, *, port: int | None, browser: bool) -> int:
    """Serve the page until Ctrl-C; return the exit status."""
    if missing := [name for name in LIBRARIES if find_spec(name) is None]:
        raise PuzzleError(f'the studio needs {" and ".join(missing)}: pip install "puzzlesat[studio]"')
    from puzzlesat.pages import serve

    view = "play"
    if puzzle is not None:
        tables = raw_tables_in(puzzle)  # report an unreadable file before the page opens
        view = "draw" if [kind_of_table(table) for _, table, _ in tables] == ["grid"] else view
    named = Path(puzzle).resolve() if puzzle is not None and is_file(puzzle) else None

    def begun(address: str) -> None:
        address += _state(puzzle, named, view)
        out = console()
        print(address, flush=True)
        say(out, "The studio is at this address, for this machine alone; end it with Ctrl-C.")
        if browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with stoppable() as stop:
        serve(port, named, begun, stop)
    return DONE


def _state(puzzle: str | None, named: Path | None, view: str) -> str:
    """Return the fragment of the address with the puzzle to open, in the encoding of the page."""
    if puzzle is None:
        return ""
    state = json.dumps({"name": puzzle if named is None else named.name, "view": view}, ensure_ascii=False)
    packed = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return "#p=" + urlsafe_b64encode(packed.compress(state.encode()) + packed.flush()).rstrip(b"=").decode("ascii")


def say_site(made: Site) -> int:
    """Print what was written, and which puzzles could not be; return the exit status."""
    for name, why in made.left_out:
        say_error(f"puzzlesat: {name} is left out: {why}")
    if made.why is not None:
        say_error(f"puzzlesat: {made.why}")
    if made.puzzles:
        say(console(), made.sentence)
    return DONE if made.complete else STOPPED_EARLY
