"""``puzzlesat compile``: the cover problem for other people's solvers."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import replace
from pathlib import Path

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE
from puzzlesat.cli.output import check_apart, check_output, told_lines
from puzzlesat.cli.working import working
from puzzlesat.cover.instance import build_instance
from puzzlesat.cover.reduce import reduce
from puzzlesat.errors import PuzzleError, near_match
from puzzlesat.files import new_text, write_text
from puzzlesat.formats.cover_files import cover_lines
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.formats.table import written
from puzzlesat.proof.conditions import found_conditions
from puzzlesat.solvers.cnf import AT_MOST_ONE
from puzzlesat.solvers.run import Clock
from puzzlesat.solvers.strategy import COLOURING_SECONDS
from puzzlesat.solvers.tile_choice import tile_to_break


def run_compile(
    name: str, format: str, output: Path | None, map_file: Path | None, symmetry: bool, reduction: bool, parity: bool,
    colouring: bool, encoding: str | None, bounds: Bounds, problem_number: int | str | None = None,
) -> int:  # fmt: skip
    """Write the problem in a format; return the exit status."""
    formats = {f.name: f for f in written("cover problem")}
    if format not in formats:
        raise PuzzleError(f"there is no format {format!r}{near_match(format, formats)}")
    if encoding is not None and format != "cnf":
        raise PuzzleError(f"--encoding is for --format cnf, not for {format}; leave it out")
    if encoding is not None and encoding not in AT_MOST_ONE:
        raise PuzzleError(f"there is no encoding {encoding!r}{near_match(encoding, AT_MOST_ONE)}")
    check_output(output)
    check_output(map_file)
    check_apart(name, output, map_file)
    with working(name, bounds) as (limits, told):
        built = build_instance(instance_in(name, problem_number), progress=told, memory=limits.memory)
        problem = built.problem if parity else built.problem.without_implied()
        if colouring:
            left = Clock(limits).left
            found = found_conditions(built, COLOURING_SECONDS if left is None else min(left, COLOURING_SECONDS))
            problem = replace(problem, conditions=(*problem.conditions, *found))
        broken_on = tile_to_break(problem, built.instance.break_on) if symmetry else None
        problem = reduce(problem, symmetry=symmetry, dead=reduction, break_on=broken_on, progress=told).problem
        lines = told_lines(cover_lines(problem, formats[format], encoding), told)
        if output is None:
            sys.stdout.writelines(f"{line}\n" for line in lines)
        else:
            with new_text(output) as file:
                file.writelines(f"{line}\n" for line in lines)
    if map_file is not None:
        variables = {str(v): option for v, option in enumerate(problem.options, start=1)}
        write_text(map_file, jsonlib.dumps(variables, ensure_ascii=False, indent=0) + "\n")
    return DONE
