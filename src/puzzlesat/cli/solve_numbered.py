"""``puzzlesat solve --nth`` and ``--random``: some solutions out of many, without listing the others."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from puzzlesat.arrays import Rows
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE
from puzzlesat.cli.output import cut_short, stays, write_csv
from puzzlesat.cli.solve import COLUMNS, NUMBER, draw_solutions, print_solution, rows_of, ruled, said
from puzzlesat.cli.solve_cover_file import check_meant, options_of, print_options
from puzzlesat.cli.terminal import console, say, stoppable, width_of
from puzzlesat.cli.working import working
from puzzlesat.counting.numbering import Pick, Row, number_solutions, picked
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.draw.text import SolutionPictures
from puzzlesat.errors import many
from puzzlesat.files import check_output
from puzzlesat.formats.cover_files import is_cover_file, read_cover_file
from puzzlesat.formats.notation import options_by_name, solution_as_json
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.progress import Progress
from puzzlesat.recheck.cover import make_cover_recheck
from puzzlesat.recheck.geometry import make_recheck
from puzzlesat.solvers.run import STOPPED, Clock, Limits


@dataclass(frozen=True)
class _Source:
    """What has solutions, and how they are shown."""

    name: str
    problem: CoverProblem
    given: Sequence[int]
    recheck: Callable[[Rows], str | None]
    as_json: Callable[[Row], dict[str, Any]]
    show: Callable[[int, Row], None]
    built: BuiltInstance | None = None

    @property
    def named(self) -> dict[str, str]:
        """What it is, as JSON has it."""
        return {"cover" if self.built is None else "instance": self.name}


def run_solve_numbered(
    name: str,
    pick: Pick,
    *,
    given: Sequence[str],
    solver: str | None,
    bounds: Bounds,
    as_json: bool,
    svg: Path | None = None,
    png: Path | None = None,
    csv: Path | None = None,
    problem: int | str | None = None,
    rules: Mapping[str, Any] | None = None,
) -> int:
    """Print the solutions that are wanted, and draw them; return the exit status."""
    check_output(svg, ".svg")
    check_output(png, ".png")
    check_output(csv, ".csv")
    if is_cover_file(name):
        files = {"--svg": bool(svg), "--png": bool(png), "--csv": bool(csv)}
        check_meant(name, {"--distinct": pick.distinct, **files, "--problem": problem is not None} | said(rules))
    shown: list[tuple[int, Row]] = []
    with stoppable() as stop:
        with working(name, bounds, stop=stop) as (limits, told):
            source = _cover_file(name, given) if is_cover_file(name) else _puzzle(name, given, problem, rules, limits, told)
            solutions = number_solutions(source.problem, solver, limits, source.given, source.recheck, told)
        clock = Clock(limits)
        if not solutions.outcome.complete:
            why = f"{STOPPED if stop.is_set() else solutions.outcome.status} before the solutions were counted"
            return cut_short(source.named, why, as_json=as_json)
        beside = {"of": solutions.count} | ({"seed": pick.seed} if pick.random else {})
        status, printed = None, 0
        for number, row in picked(solutions, pick, source.problem, source.given, source.name):
            if (status := clock.verdict(-1)) is not None:
                break
            printed += 1
            if svg is not None or png is not None or csv is not None:
                shown.append((number, row))
            if as_json:
                print(jsonlib.dumps({"number": number, **beside, **source.as_json(row)}, ensure_ascii=False), flush=True)
            else:
                source.show(number, row)
    if source.built is not None:
        write_csv(csv, COLUMNS, rows_of(source.built, shown), stopped=status == STOPPED)
        for file in (svg, png):
            if file is not None and (NUMBER in file.name or not stays(file, stopped=status == STOPPED)):
                draw_solutions(source.built, shown, file, as_png=file is png, say=not as_json, drawn=pick.random is not None)
    if status is not None:
        return cut_short(source.named, f"{status} after {many(printed, 'solution')}", as_json=as_json)
    if not as_json:
        where = f" with {' '.join(given)}" if given else ""
        have = f"{many(solutions.count, 'solution')}, counted only once" if solutions.count else "no solution"
        drawn = f"; drawn{' up to symmetry' if pick.distinct else ''} with --seed {pick.seed}" if printed and pick.random else ""
        by_rules = ruled(source.built) if source.built is not None else ""
        say(console(), f"complete: {source.name}{where} has {have}{drawn}{by_rules}.")
    return DONE


def _puzzle(
    name: str, given: Sequence[str], number: int | str | None, rules: Mapping[str, Any] | None, limits: Limits, told: Progress
) -> _Source:
    built = build_instance(instance_in(name, number, rules=rules, progress=told), progress=told, memory=limits.memory)
    out = console()
    return _Source(
        built.instance.name,
        built.problem,
        options_by_name(built, given),
        make_recheck(built.puzzle, built.placements),
        partial(solution_as_json, built),
        partial(print_solution, out, built, SolutionPictures(built, width_of(out))),
        built,
    )


def _cover_file(name: str, given: Sequence[str]) -> _Source:
    problem = read_cover_file(Path(name))

    def names(row: Row) -> list[str]:
        return [problem.options[o] for o in row]

    return _Source(
        name,
        problem,
        options_of(name, problem, given),
        make_cover_recheck(problem),
        lambda row: {"cover": name, "options": names(row)},
        lambda number, row: print_options(number, names(row)),
    )
