"""``puzzlesat solve``: print solutions as they are found."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing

from rich.text import Text

from puzzlesat.cli.count import DONE, STOPPED_EARLY
from puzzlesat.cli.terminal import console, progress, stoppable
from puzzlesat.cover.build import build
from puzzlesat.draw.text import SolutionPictures
from puzzlesat.formats.notation import options_by_name, solution_as_json
from puzzlesat.puzzle.load import load_puzzle
from puzzlesat.solutions import solutions
from puzzlesat.solvers.run import COMPLETE, LIMIT, STOPPED, Limits, Outcome


def run_solve(
    name: str, number: int | None, distinct: bool, given: Sequence[str], solver: str, seconds: float | None, as_json: bool
) -> int:
    """Print up to ``number`` solutions (None: all); return the exit status."""
    built = build(load_puzzle(name))
    options = options_by_name(built, given)
    out = console()
    pictures = SolutionPictures(built)
    printed = 0
    outcome: list[Outcome] = []
    with stoppable() as stop, ExitStack() as at_end, ExitStack() as until_first:
        announce = until_first.enter_context(progress(built.puzzle.name))
        limits = Limits(None if distinct else number, seconds, stop)
        rows = solutions(built, solver, limits, options, distinct=distinct, announce=announce, on_end=outcome.append)
        for row in at_end.enter_context(closing(rows)):
            printed += 1
            until_first.close()  # a progress line and solutions do not share a terminal
            if as_json:
                print(jsonlib.dumps({"number": printed, **solution_as_json(built, row)}, ensure_ascii=False), flush=True)
            else:
                names = " ".join(built.problem.options[o] for o in row)
                if out.is_terminal:
                    out.print(Text(f"solution {printed}  ", style="bold").append(names, style="not bold"), soft_wrap=True)
                    out.print(pictures.text(row), soft_wrap=True)
                else:
                    print(f"solution {printed}  {names}\n{pictures.plain(row)}", flush=True)
            if printed == number:
                break
    if printed == number:
        return DONE
    if outcome and outcome[0].status == COMPLETE:
        if not as_json:
            where = f" with {' '.join(given)}" if given else ""
            what = "no solution" if printed == 0 else f"{printed} solution{'s' if printed > 1 else ''}"
            out.print(f"complete: {built.puzzle.name}{where} has {what}{' up to symmetry' if distinct else ''}.")
        return DONE
    status = STOPPED if stop.is_set() else outcome[0].status if outcome else LIMIT
    print(f"puzzlesat: {status} after {printed} solutions", file=sys.stderr)
    return STOPPED_EARLY
