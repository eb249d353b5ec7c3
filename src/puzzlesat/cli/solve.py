"""``puzzlesat solve``: print solutions as they are found.

``puzzlesat solve`` of a cover problem: its solutions as the names of their options.

``puzzlesat solve --nth`` and ``--random``: some solutions out of many, without listing the others.
"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from puzzlesat.cli.terminal import console, has_colours, print_picture, progress, say, say_error, stoppable, width_of
from puzzlesat.counting import Pick, number_solutions, solutions
from puzzlesat.formats import exact_cover, is_cover_file, solution_as_json
from puzzlesat.pictures import SolutionPictures, folded
from puzzlesat.puzzles import BuiltInstance, CoverProblem, build_instance

NUMBER = "{}"
"""Where the number of the solution stands in the name of a file."""
SHEET = 200
"""Solutions on one picture; a page for thousands is what ``puzzlesat report`` makes."""

COLUMNS = ("number", "placements")
"""Of the table that ``--csv`` writes."""


@dataclass(frozen=True)
class Output:
    """Where solutions go besides the terminal, and whether it gets JSON."""

    as_json: bool = False
    svg: Path | None = None
    png: Path | None = None
    csv: Path | None = None

    @property
    def files(self) -> dict[str, bool]:
        """The options that were given."""
        return {"--svg": self.svg is not None, "--png": self.png is not None, "--csv": self.csv is not None}


def run_solve(call: Call, number: int | None, seed: int, solver: str, rules: Mapping[str, Any], output: Output) -> int:
    """Print up to ``number`` solutions (None: all), and draw them; return the exit status."""
    name, distinct, given, as_json = call["puzzle"], call["distinct"], call["given"] or [], output.as_json
    if is_cover_file(name):
        check_meant(name, {"--distinct": distinct, **output.files, "--problem": call.problem is not None} | said(rules))
        return run_solve_cover_file(call, number, given, solver, seed, as_json=as_json)
    out = console()
    printed = 0
    found: list[Sequence[int]] = []
    outcome: list[Outcome] = []
    with stoppable() as stop, ExitStack() as at_end, ExitStack() as until_first:
        limits, told = until_first.enter_context(call.working(name, solutions=None if distinct else number, stop=stop))
        limits = replace(limits, seed=None if number is None else seed)
        built = build_instance(call.instance(told, rules=rules), progress=told, memory=limits.memory)
        options = built.options_by_name(given)
        pictures = SolutionPictures(built, width_of(out))
        rows = solutions(built, solver, limits, options, distinct=distinct, progress=told, on_end=outcome.append)
        for row in at_end.enter_context(closing(rows)):
            printed += 1
            until_first.close()  # a progress line and solutions do not share a terminal
            if as_json:
                print(jsonlib.dumps({"number": printed, **solution_as_json(built, row)}, ensure_ascii=False), flush=True)
            else:
                print_solution(out, built, pictures, printed, row)
            if any(output.files.values()):
                found.append(row)
            if printed == number:
                break
    for file in (output.svg, output.png):
        if file is not None and (NUMBER in file.name or not stays(file, stopped=stop.is_set() and printed != number)):
            draw_solutions(built, [*enumerate(found, start=1)], file, as_png=file is output.png, say=not as_json)
    write_csv(output.csv, COLUMNS, rows_of(built, enumerate(found, start=1)), stopped=stop.is_set() and printed != number)
    status = outcome[0].status if outcome else "limit reached"
    if printed != number and status != "complete":
        why = f"{'interrupted' if stop.is_set() else status} after {many(printed, 'solution')}"
        return cut_short({"instance": built.instance.name}, why, as_json=as_json)
    if printed != number and not as_json:
        where = f" with {' '.join(given)}" if given else ""
        what = "no solution" if printed == 0 else many(printed, "solution")
        say(out, f"complete: {built.instance.name}{where} has {what}{' up to symmetry' if distinct else ''}{ruled(built)}.")
    return DONE


def ruled(built: BuiltInstance) -> str:
    """Return by which rules on solutions these are counted, as the end of a sentence; nothing where there are none."""
    rules = built.puzzle.solutions.in_words()
    return f", counting only those {'; '.join(rules)}" if rules else ""


def said(rules: Mapping[str, Any]) -> dict[str, bool]:
    """Return the options of rules on solutions that were given, which have no meaning for a cover problem."""
    return {f"--{key.replace('_', '-')}": True for key in rules}


def rows_of(built: BuiltInstance, found: Iterable[tuple[int, Sequence[int]]]) -> Iterator[dict[str, object]]:
    """Yield what stands in the columns of a table of solutions, each with its number."""
    for number, row in found:
        yield {"number": number, "placements": " ".join(built.problem.options[o] for o in row)}


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
    """Write solutions, each with its number, as one picture, or each to a file of its own where the name has a place for a number.

    That is the solution's, or, where they were ``drawn`` at random, that of the draw: a solution may come twice.
    """
    if not found:
        say_error(f"puzzlesat: {file} is not written: there is no solution to draw")
        return
    from puzzlesat.pictures import solution_svg, solutions_svg  # they take a twelfth of a second to load

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


def run_solve_cover_file(call: Call, number: int | None, given: Sequence[str], solver: str, seed: int, *, as_json: bool) -> int:
    """Print up to ``number`` solutions (None: all), an option a line; return the exit status."""
    name = call["puzzle"]
    printed = 0
    outcome: list[Outcome] = []
    with stoppable() as stop, ExitStack() as at_end, ExitStack() as until_first:
        limits, told = until_first.enter_context(call.working(name, solutions=number, stop=stop))
        limits = replace(limits, seed=None if number is None else seed)
        problem = exact_cover(Path(name)).problem
        options = options_of(name, problem, given)
        found = solutions(problem, solver, limits, options, progress=told, on_end=outcome.append)
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
        if outcome and outcome[0].status == "complete":
            if not as_json:
                where = f" with {'; '.join(given)}" if given else ""
                what = "no solution" if printed == 0 else many(printed, "solution")
                print(f"complete: {name}{where} has {what}.")
            return DONE
        status = "interrupted" if stop.is_set() else outcome[0].status if outcome else "limit reached"
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


@dataclass(frozen=True)
class _SolutionSource:
    """What has solutions, and how they are shown."""

    name: str
    problem: CoverProblem
    given: Sequence[int]
    as_json: Callable[[tuple[int, ...]], dict[str, Any]]
    show: Callable[[int, tuple[int, ...]], None]
    built: BuiltInstance | None = None

    @property
    def named(self) -> dict[str, str]:
        """What it is, as JSON has it."""
        return {"cover" if self.built is None else "instance": self.name}


def run_solve_numbered(call: Call, pick: Pick, solver: str | None, rules: Mapping[str, Any], output: Output) -> int:
    """Print the solutions that are wanted, and draw them; return the exit status."""
    name, given, as_json = call["puzzle"], call["given"] or [], output.as_json
    if is_cover_file(name):
        check_meant(name, {"--distinct": pick.distinct, **output.files, "--problem": call.problem is not None} | said(rules))
    shown: list[tuple[int, tuple[int, ...]]] = []
    with stoppable() as stop:
        with call.working(name, stop=stop) as (limits, told):
            source = _cover_file(name, given) if is_cover_file(name) else _puzzle(call, given, rules, limits, told)
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
            if any(output.files.values()):
                shown.append((number, row))
            if as_json:
                print(jsonlib.dumps({"number": number, **beside, **source.as_json(row)}, ensure_ascii=False), flush=True)
            else:
                source.show(number, row)
    if source.built is not None:
        write_csv(output.csv, COLUMNS, rows_of(source.built, shown), stopped=status == "interrupted")
        for file in (output.svg, output.png):
            if file is not None and (NUMBER in file.name or not stays(file, stopped=status == "interrupted")):
                draw_solutions(source.built, shown, file, as_png=file is output.png, say=not as_json, drawn=pick.random is not None)
    if status is not None:
        return cut_short(source.named, f"{status} after {many(printed, 'solution')}", as_json=as_json)
    if not as_json:
        where = f" with {' '.join(given)}" if given else ""
        have = f"{many(numbered.count, 'solution')}, counted only once" if numbered.count else "no solution"
        drawn = f"; drawn{' up to symmetry' if pick.distinct else ''} with --seed {pick.seed}" if printed and pick.random else ""
        by_rules = ruled(source.built) if source.built is not None else ""
        say(console(), f"complete: {source.name}{where} has {have}{drawn}{by_rules}.")
    return DONE


def _puzzle(call: Call, given: Sequence[str], rules: Mapping[str, Any], limits: Limits, told: Progress) -> _SolutionSource:
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
