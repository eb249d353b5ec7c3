"""``puzzlesat solve``: print all or some solutions of a puzzle or a cover problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from puzzlesat.base import Clock, Limits, Outcome, Progress, PuzzleError, many, near_match, shown
from puzzlesat.cli.command import Call
from puzzlesat.cli.exit_status import DONE
from puzzlesat.cli.output import cut_short, stays, write_csv, write_picture
from puzzlesat.cli.terminal import console, has_colours, print_json, print_picture, progress, say, say_error, stoppable, width_of
from puzzlesat.counting import Pick, number_solutions, solutions
from puzzlesat.formats import exact_cover, is_cover_file, solution_as_json
from puzzlesat.pictures import SolutionPictures, folded
from puzzlesat.puzzles import BuiltInstance, CoverProblem, build_instance

NUMBER = "{}"
"""Placeholder for the number of a solution in the name of a file."""
SHEET = 200
"""Maximum number of solutions in one picture; ``puzzlesat report`` makes a page for thousands."""

COLUMNS = ("number", "placements")
"""Columns of the table that ``--csv`` writes."""


def files_of(call: Call) -> dict[str, bool]:
    """Return the options for files, each with True if the user gave it."""
    return {f"--{name}": call[name] is not None for name in ("svg", "png", "csv")}


@dataclass(frozen=True)
class _SolutionSource:
    """A puzzle or a cover problem, with functions that print its solutions."""

    name: str
    problem: CoverProblem
    given: Sequence[int]
    as_json: Callable[[tuple[int, ...]], dict[str, Any]]
    show: Callable[[int, tuple[int, ...]], None]
    built: BuiltInstance | None = None

    @property
    def named(self) -> dict[str, str]:
        """The name with its JSON key."""
        return {"cover" if self.built is None else "instance": self.name}

    @property
    def ruled(self) -> str:
        """The rules on solutions, as the end of a sentence; empty if there are no rules."""
        rules = [] if self.built is None else self.built.puzzle.solutions.in_words()
        return f", counting only those {'; '.join(rules)}" if rules else ""

    def write(self, call: Call, found: Sequence[tuple[int, Sequence[int]]], *, stopped: bool, drawn: bool = False) -> None:
        """Write the pictures and the table of numbered solutions of a puzzle. Cover problems have neither."""
        if self.built is None:
            return
        for file in (call["svg"], call["png"]):
            if file is not None and (NUMBER in file.name or not stays(file, stopped=stopped)):
                draw_solutions(self.built, found, file, as_png=file is call["png"], say=not call["json"], drawn=drawn)
        rows = ({"number": number, "placements": " ".join(self.problem.options[o] for o in row)} for number, row in found)
        write_csv(call["csv"], COLUMNS, rows, stopped=stopped)


def run_solve(call: Call, number: int | None, seed: int, solver: str, rules: Mapping[str, Any]) -> int:
    """Print up to ``number`` solutions (None: all), and draw them if files are named; return the exit status."""
    name, distinct, given, as_json = call["puzzle"], call["distinct"], call["given"] or [], call["json"]
    printed = 0
    found: list[tuple[int, Sequence[int]]] = []
    outcome: list[Outcome] = []
    _check_meant(call, rules, distinct=distinct)
    with stoppable() as stop, ExitStack() as at_end, ExitStack() as until_first:
        limits, told = until_first.enter_context(call.working(name, solutions=None if distinct else number, stop=stop))
        limits = replace(limits, seed=None if number is None else seed)
        source = _source(call, given, rules, limits, told)
        whole = source.built or source.problem
        rows = solutions(whole, solver, limits, source.given, distinct=distinct, progress=told, on_end=outcome.append)
        for row in at_end.enter_context(closing(rows)):
            printed += 1
            until_first.close()  # a progress line and solutions do not share a terminal
            if as_json:
                print_json({"number": printed, **source.as_json(row)})
            else:
                source.show(printed, row)
            if any(files_of(call).values()):
                found.append((printed, row))
            if printed == number:
                break
    source.write(call, found, stopped=stop.is_set() and printed != number)
    status = outcome[0].status if outcome else "limit reached"
    if printed != number and status != "complete":
        why = f"{'interrupted' if stop.is_set() else status} after {many(printed, 'solution')}"
        return cut_short(source.named, why, as_json=as_json)
    if printed != number and not as_json:
        where = f" with {('; ' if source.built is None else ' ').join(given)}" if given else ""
        what = "no solution" if printed == 0 else many(printed, "solution")
        say(console(), f"complete: {source.name}{where} has {what}{' up to symmetry' if distinct else ''}{source.ruled}.")
    return DONE


def print_solution(out: Console, built: BuiltInstance, pictures: SolutionPictures, number: int, row: Sequence[int]) -> None:
    """Print a solution: the names of its placements, and a picture."""
    first, *names = (f"solution {number} ", *(built.problem.options[o] for o in row))
    heading = folded([first, *names], width_of(out), gap=" ", indent="  ")
    out.print(Text(first, style="bold").append(heading.removeprefix(first), style="not bold"), soft_wrap=True, end="")
    print_picture(out, pictures.text(row) if has_colours(out) else pictures.plain(row), "draw it with --svg FILE or --png FILE")
    print(flush=True)


def draw_solutions(
    built: BuiltInstance, found: Sequence[tuple[int, Sequence[int]]], file: Path, *, as_png: bool, say: bool, drawn: bool = False
) -> None:
    """Write numbered solutions as one picture, or as one file each if the name has a placeholder.

    The placeholder becomes the number of the solution. Solutions ``drawn`` at random may repeat, so they are numbered in order of drawing.
    """
    if not found:
        say_error(f"puzzlesat: {file} is not written: there is no solution to draw")
        return
    from puzzlesat.pictures import solution_svg, solutions_svg  # imported here, for they load in a twelfth of a second

    rows = [row for _, row in found]
    titles = [built.instance.title] if len(found) == 1 else [f"solution {number}" for number, _ in found]
    with progress(f"drawing {file}"):
        if NUMBER in file.name:
            for draw, ((number, row), title) in enumerate(zip(found, titles, strict=True), start=1):
                each = file.with_name(file.name.replace(NUMBER, str(draw if drawn else number)))
                write_picture(solution_svg(built, row, title=title), each, as_png=as_png)
        else:
            write_picture(solutions_svg(built, rows[:SHEET], titles[:SHEET]), file, as_png=as_png)
    if len(found) > SHEET and NUMBER not in file.name:
        more = f"for a picture of each write {file.stem}-{NUMBER}{file.suffix}, for one page of all use puzzlesat report"
        say_error(f"puzzlesat: {file} shows the first {SHEET} of {len(found):,} solutions; {more}")
    elif say:
        print(f"{'pictures' if NUMBER in file.name else 'picture'}: {file}")


def _check_meant(call: Call, rules: Mapping[str, Any], *, distinct: bool) -> None:
    """Raise PuzzleError if an option for puzzles is used with a cover problem."""
    said = {"--distinct": distinct, **files_of(call), "--problem": call.problem is not None}
    said |= {f"--{key.replace('_', '-')}": True for key in rules}
    if is_cover_file(call["puzzle"]) and (wrong := [option for option, given in said.items() if given]):
        raise PuzzleError(f"{wrong[0]} is for puzzles; {call['puzzle']} has no form and no tiles; remove it")


def print_options(number: int, names: Sequence[str]) -> None:
    """Print a solution as the names of its options."""
    print("\n".join([f"solution {number}", *(f"  {option}" for option in names)]), flush=True)


def options_of(name: str, problem: CoverProblem, given: Sequence[str]) -> list[int]:
    """Return the indices of the options that solutions must contain, by name."""
    number = {option: i for i, option in enumerate(problem.options)}
    if wrong := [option for option in given if option not in number]:
        raise PuzzleError(*(f"{shown(option)!r} is not an option of {name}{near_match(option, number)}" for option in wrong))
    return [number[option] for option in given]


def run_solve_numbered(call: Call, pick: Pick, solver: str | None, rules: Mapping[str, Any]) -> int:
    """Print solutions by their numbers or at random, and draw them if files are named; return the exit status."""
    name, given, as_json = call["puzzle"], call["given"] or [], call["json"]
    _check_meant(call, rules, distinct=pick.distinct)
    shown: list[tuple[int, tuple[int, ...]]] = []
    with stoppable() as stop:
        with call.working(name, stop=stop) as (limits, told):
            source = _source(call, given, rules, limits, told)
            numbered = number_solutions(source.built or source.problem, solver, limits, source.given, told)
        clock = Clock(limits)
        if not numbered.outcome.complete:
            why = f"{'interrupted' if stop.is_set() else numbered.outcome.status} before the solutions were counted"
            return cut_short(source.named, why, as_json=as_json)
        beside = {"of": numbered.count} | ({"seed": pick.seed} if pick.random else {})
        status, printed = None, 0
        for number, row in numbered.picked(pick, source.name):
            if (status := clock.verdict(-1)) is not None:
                break
            printed += 1
            if any(files_of(call).values()):
                shown.append((number, row))
            if as_json:
                print_json({"number": number, **beside, **source.as_json(row)})
            else:
                source.show(number, row)
    source.write(call, shown, stopped=status == "interrupted", drawn=pick.random is not None)
    if status is not None:
        return cut_short(source.named, f"{status} after {many(printed, 'solution')}", as_json=as_json)
    if not as_json:
        where = f" with {' '.join(given)}" if given else ""
        have = f"{many(numbered.count, 'solution')}, counted only once" if numbered.count else "no solution"
        drawn = f"; drawn{' up to symmetry' if pick.distinct else ''} with --seed {pick.seed}" if printed and pick.random else ""
        say(console(), f"complete: {source.name}{where} has {have}{drawn}{source.ruled}.")
    return DONE


def _source(call: Call, given: Sequence[str], rules: Mapping[str, Any], limits: Limits, told: Progress) -> _SolutionSource:
    if is_cover_file(call["puzzle"]):
        return _cover_file(call["puzzle"], given)
    built = build_instance(call.instance(told, rules=rules), progress=told, memory=limits.memory)
    out = console()
    return _SolutionSource(
        built.instance.name,
        built.problem,
        built.options_by_name(given),
        partial(solution_as_json, built),
        partial(print_solution, out, built, SolutionPictures(built, width_of(out))),
        built,
    )


def _cover_file(name: str, given: Sequence[str]) -> _SolutionSource:
    problem = exact_cover(Path(name)).problem

    def names(row: tuple[int, ...]) -> list[str]:
        return [problem.options[o] for o in row]

    return _SolutionSource(
        name,
        problem,
        options_of(name, problem, given),
        lambda row: {"cover": name, "options": names(row)},
        lambda number, row: print_options(number, names(row)),
    )
