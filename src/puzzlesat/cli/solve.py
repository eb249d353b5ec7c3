"""``puzzlesat solve``: print solutions as they are found."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE
from puzzlesat.cli.output import cut_short, stays, write_csv, write_picture
from puzzlesat.cli.terminal import console, has_colours, print_picture, progress, say, say_error, stoppable, width_of
from puzzlesat.cli.working import working
from puzzlesat.counting.listing import solutions
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.draw.letters import folded
from puzzlesat.draw.text import SolutionPictures
from puzzlesat.errors import many
from puzzlesat.files import check_output
from puzzlesat.formats.cover_files import is_cover_file
from puzzlesat.formats.notation import options_by_name, solution_as_json
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.puzzle.solution_rules import in_words
from puzzlesat.solvers.run import COMPLETE, LIMIT, STOPPED, Outcome

NUMBER = "{}"
"""Where the number of the solution stands in the name of a file."""
SHEET = 200
"""Solutions on one picture; a page for thousands is what ``puzzlesat report`` makes."""

COLUMNS = ("number", "placements")
"""Of the table that ``--csv`` writes."""


def run_solve(
    name: str,
    *,
    number: int | None,
    distinct: bool,
    given: Sequence[str],
    solver: str,
    seed: int,
    bounds: Bounds,
    as_json: bool,
    svg: Path | None = None,
    png: Path | None = None,
    csv: Path | None = None,
    problem: int | str | None = None,
    rules: Mapping[str, Any] | None = None,
) -> int:
    """Print up to ``number`` solutions (None: all), and draw them; return the exit status."""
    if is_cover_file(name):
        from puzzlesat.cli.solve_cover_file import check_meant, run_solve_cover_file

        files = {"--svg": svg is not None, "--png": png is not None, "--csv": csv is not None}
        check_meant(name, {"--distinct": distinct, **files, "--problem": problem is not None} | said(rules))
        return run_solve_cover_file(name, number=number, given=given, solver=solver, seed=seed, bounds=bounds, as_json=as_json)
    check_output(svg, ".svg")
    check_output(png, ".png")
    check_output(csv, ".csv")
    out = console()
    printed = 0
    found: list[Sequence[int]] = []
    outcome: list[Outcome] = []
    with stoppable() as stop, ExitStack() as at_end, ExitStack() as until_first:
        limits, told = until_first.enter_context(working(name, bounds, None if distinct else number, stop=stop))
        limits = replace(limits, seed=None if number is None else seed)
        built = build_instance(instance_in(name, problem, rules=rules, progress=told), progress=told, memory=limits.memory)
        options = options_by_name(built, given)
        pictures = SolutionPictures(built, width_of(out))
        rows = solutions(built, solver, limits, options, distinct=distinct, progress=told, on_end=outcome.append)
        for row in at_end.enter_context(closing(rows)):
            printed += 1
            until_first.close()  # a progress line and solutions do not share a terminal
            if as_json:
                print(jsonlib.dumps({"number": printed, **solution_as_json(built, row)}, ensure_ascii=False), flush=True)
            else:
                print_solution(out, built, pictures, printed, row)
            if svg is not None or png is not None or csv is not None:
                found.append(row)
            if printed == number:
                break
    for file in (svg, png):
        if file is not None and (NUMBER in file.name or not stays(file, stopped=stop.is_set() and printed != number)):
            draw_solutions(built, [*enumerate(found, start=1)], file, as_png=file is png, say=not as_json)
    write_csv(csv, COLUMNS, rows_of(built, enumerate(found, start=1)), stopped=stop.is_set() and printed != number)
    status = outcome[0].status if outcome else LIMIT
    if printed != number and status != COMPLETE:
        why = f"{STOPPED if stop.is_set() else status} after {many(printed, 'solution')}"
        return cut_short({"instance": built.instance.name}, why, as_json=as_json)
    if printed != number and not as_json:
        where = f" with {' '.join(given)}" if given else ""
        what = "no solution" if printed == 0 else many(printed, "solution")
        say(out, f"complete: {built.instance.name}{where} has {what}{' up to symmetry' if distinct else ''}{ruled(built)}.")
    return DONE


def ruled(built: BuiltInstance) -> str:
    """Return by which rules on solutions these are counted, as the end of a sentence; nothing where there are none."""
    rules = in_words(built.puzzle.solutions)
    return f", counting only those {'; '.join(rules)}" if rules else ""


def said(rules: Mapping[str, Any] | None) -> dict[str, bool]:
    """Return the options of rules on solutions that were given, which have no meaning for a cover problem."""
    return {f"--{key.replace('_', '-')}": True for key in rules or {}}


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
    from puzzlesat.draw.flat import solution_svg, solutions_svg  # they take a twelfth of a second to load

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
