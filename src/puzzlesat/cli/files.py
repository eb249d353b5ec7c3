"""``puzzlesat compile``: the cover problem for other people's solvers.

``puzzlesat convert``: other people's files, and ours, from one into another.

``puzzlesat validate``: everything that is wrong with a file, at once.
"""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Sequence
from pathlib import Path

from puzzlesat.base import EndedError, write_file
from puzzlesat.cli.conversion import ToCompile, Which, WrongSolutionsError, check_wishes, compiled, converted, target_of
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.findings import Checked, check_file
from puzzlesat.cli.output import check_apart, check_output, new_text, stays
from puzzlesat.cli.terminal import console, say, say_error
from puzzlesat.cli.working import Bounds, working
from puzzlesat.formats import instance_in


def run_compile(
    name: str, wanted: ToCompile, output: Path | None, map_file: Path | None, bounds: Bounds, problem_number: int | str | None = None
) -> int:
    """Write the problem in a format; return the exit status."""
    check_wishes(wanted)
    check_output(output)
    check_output(map_file)
    check_apart(name, output, map_file)
    with working(name, bounds) as (limits, told):
        problem, lines = compiled(instance_in(name, problem_number, progress=told), wanted, limits, told)
        if output is None:
            sys.stdout.writelines(f"{line}\n" for line in lines)
        else:
            with new_text(output) as file:
                file.writelines(f"{line}\n" for line in lines)
    if map_file is not None:
        variables = {str(v): option for v, option in enumerate(problem.options, start=1)}
        write_file(map_file, jsonlib.dumps(variables, ensure_ascii=False, indent=0) + "\n")
    return DONE


MOST_WRONG = 10
"""Solutions that are none, of which the first so many are told."""


def run_convert(source: str, file: Path, which: Which, bounds: Bounds, *, distinct: bool) -> int:
    """Write what ``source`` holds to ``file`` in the format of its suffix; return the exit status."""
    target = target_of(file, None, distinct=distinct)
    with working(source, bounds) as (limits, told):
        try:
            found = converted(source, target, which, limits, told, distinct=distinct)
        except WrongSolutionsError as error:
            for problem in (*error.problems[:-1][:MOST_WRONG], error.problems[-1]):
                say_error(f"puzzlesat: {problem}")
            return FAILED
    if found.why is not None:
        say_error(f"puzzlesat: {found.why}")
        if not found.files:
            stays(file, stopped=True)
        return STOPPED_EARLY
    for sentence in found.sentences:
        say(console(), sentence)
    return DONE


def run_validate(files: Sequence[Path], bounds: Bounds, *, twice: bool = False, as_json: bool = False) -> int:
    """Print what is wrong with each file, or that it is fine with the facts about its puzzle; return the exit status.

    With ``twice`` each puzzle is read by the second reader as well.
    """
    out = console()
    wrong = stopped = differs = False
    for file in files:
        try:
            with working(str(file), bounds) as (limits, told):
                checked = check_file(file, limits, told, twice=twice)
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
        one_puzzle = file.suffix == ".toml"  # files of other programs may hold several, of which one may have a solution
        unsolvable = one_puzzle and any(fact.impossible for fact in checked.facts)
        say(out, f"{file}: ok, but it has no solution" if unsolvable else f"{file}: ok")
        for note in (*(f"warning: {finding.message}" for finding in checked.of("warning")), *(fact.text for fact in checked.facts)):
            say(out, f"    {note}", style="dim", hang=6)
    return BAD_INPUT if wrong else FAILED if differs else STOPPED_EARLY if stopped else DONE


def _print_json(file: Path, why: str | None, checked: Checked = Checked(())) -> None:  # noqa: B008 - it is frozen
    """Print an object for a file: what was found in it, and facts about its puzzles."""
    found = [{"key": one.key, "message": one.message, "severity": one.severity} for one in checked.findings]
    said = [{"fact": fact.text, "impossible": fact.impossible} for fact in checked.facts]
    good = None if why is not None else not (checked.of("error") or checked.of("difference"))
    print(
        jsonlib.dumps(
            {"file": str(file), "complete": why is None, "why": why, "ok": good, "findings": found, "facts": said}, ensure_ascii=False
        )
    )
