"""The commands on files: ``puzzlesat compile``, ``puzzlesat convert`` and ``puzzlesat validate``."""

from __future__ import annotations

import sys
from pathlib import Path

from puzzlesat.base import EndedError, check_apart
from puzzlesat.cli.command import Call
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.findings import FileFindings, check_file
from puzzlesat.cli.output import cut_short, stays
from puzzlesat.cli.terminal import console, print_json, say, say_error
from puzzlesat.formats import WrongSolutionsError


def run_compile(call: Call) -> int:
    """Write a problem for other solvers, to standard output if no file is named; return the exit status."""
    if call["map"]:
        check_apart(call["puzzle"], Path(call["map"]))
    made = call(call["puzzle"])
    if not made.complete:
        return cut_short({}, made.why, as_json=False)
    sys.stdout.write(made.text)
    return DONE


MAX_WRONG = 10
"""Maximum number of wrong solutions that are listed."""


def run_convert(call: Call) -> int:
    """Convert a file, and print what was written; return the exit status."""
    output = call["output"]
    try:
        found = call(call["source"], output=output)
    except WrongSolutionsError as error:
        for problem in (*error.problems[:-1][:MAX_WRONG], error.problems[-1]):
            say_error(f"puzzlesat: {problem}")
        return FAILED
    if found.why is not None:
        say_error(f"puzzlesat: {found.why}")
        if not found.files:
            stays(output, stopped=True)
        return STOPPED_EARLY
    for sentence in found.sentences:
        say(console(), sentence)
    return DONE


def run_validate(call: Call) -> int:
    """Print the errors in each file, or facts about its puzzles if it has none; return the exit status."""
    out, as_json = console(), call["json"]
    wrong = stopped = differs = False
    for file in map(Path, call["files"]):
        try:
            with call.working(str(file)) as (limits, told):
                checked = check_file(file, limits, told, twice=call["twice"])
        except EndedError as ended:
            if as_json:
                _print_json(file, ended.words)
            else:
                say(out, f"{file}: not known: {ended.words}", style="yellow", hang=4)
            stopped = True
            if ended.status == "interrupted":
                break
            continue
        wrong |= bool(checked.of("error"))
        differs |= bool(checked.of("difference"))
        if as_json:
            _print_json(file, None, checked)
            continue
        if serious := [*checked.of("error"), *checked.of("difference")]:
            for finding in serious:
                say(out, str(finding), style="red", hang=4)
            continue
        one_puzzle = file.suffix == ".toml"  # a file of another program may hold several puzzles, some of them solvable
        unsolvable = one_puzzle and any(fact.impossible for fact in checked.facts)
        say(out, f"{file}: ok, but it has no solution" if unsolvable else f"{file}: ok")
        for note in (*(f"warning: {finding.message}" for finding in checked.of("warning")), *(fact.text for fact in checked.facts)):
            say(out, f"    {note}", style="dim", hang=6)
    return BAD_INPUT if wrong else FAILED if differs else STOPPED_EARLY if stopped else DONE


def _print_json(file: Path, why: str | None, checked: FileFindings = FileFindings(())) -> None:  # noqa: B008 - it is frozen
    """Print the findings on a file and facts about its puzzles as JSON."""
    found = [{"key": finding.key, "message": finding.message, "severity": finding.severity} for finding in checked.findings]
    facts = [{"fact": fact.text, "impossible": fact.impossible} for fact in checked.facts]
    good = None if why is not None else not (checked.of("error") or checked.of("difference"))
    print_json({"file": str(file), "complete": why is None, "why": why, "ok": good, "findings": found, "facts": facts})
