"""``puzzlesat solve`` of a cover problem: its solutions as the names of their options."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE
from puzzlesat.cli.output import cut_short
from puzzlesat.cli.terminal import stoppable
from puzzlesat.cli.working import working
from puzzlesat.counting.puzzleless import puzzleless_solutions
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.errors import PuzzleError, many, near_match, shown
from puzzlesat.formats.cover_files import read_cover_file
from puzzlesat.solvers.run import COMPLETE, LIMIT, STOPPED, Outcome


def run_solve_cover_file(
    name: str, *, number: int | None, given: Sequence[str], solver: str, seed: int, bounds: Bounds, as_json: bool
) -> int:
    """Print up to ``number`` solutions (None: all), an option a line; return the exit status."""
    printed = 0
    outcome: list[Outcome] = []
    with stoppable() as stop, ExitStack() as at_end, ExitStack() as until_first:
        limits, told = until_first.enter_context(working(name, bounds, number, stop=stop))
        limits = replace(limits, seed=None if number is None else seed)
        problem = read_cover_file(Path(name))
        options = options_of(name, problem, given)
        found = puzzleless_solutions(problem, solver, limits, options, progress=told, on_end=outcome.append)
        for row in at_end.enter_context(closing(found)):
            printed += 1
            until_first.close()  # a progress line and solutions do not share a terminal
            names = [problem.options[o] for o in row]
            if as_json:
                print(jsonlib.dumps({"number": printed, "cover": name, "options": names}, ensure_ascii=False), flush=True)
            else:
                print_options(printed, names)
            if printed == number:
                return DONE
        if outcome and outcome[0].status == COMPLETE:
            if not as_json:
                where = f" with {'; '.join(given)}" if given else ""
                what = "no solution" if printed == 0 else many(printed, "solution")
                print(f"complete: {name}{where} has {what}.")
            return DONE
        status = STOPPED if stop.is_set() else outcome[0].status if outcome else LIMIT
    return cut_short({"cover": name}, f"{status} after {many(printed, 'solution')}", as_json=as_json)


def check_meant(name: str, options: Mapping[str, bool]) -> None:
    """Raise PuzzleError for an option of puzzles that was said for a file of a cover problem."""
    if wrong := [option for option, said in options.items() if said]:
        raise PuzzleError(f"{wrong[0]} is for puzzles; {name} has no form and no tiles; remove it")


def print_options(number: int, names: Sequence[str]) -> None:
    """Print a solution as the names of its options."""
    print("\n".join([f"solution {number}", *(f"  {option}" for option in names)]), flush=True)


def options_of(name: str, problem: CoverProblem, given: Sequence[str]) -> list[int]:
    """The options that solutions must contain, by their names."""
    number = {option: i for i, option in enumerate(problem.options)}
    if wrong := [option for option in given if option not in number]:
        raise PuzzleError(*(f"{shown(option)!r} is not an option of {name}{near_match(option, number)}" for option in wrong))
    return [number[option] for option in given]
