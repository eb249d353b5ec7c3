"""``puzzlesat compile``: the cover problem for other people's solvers."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE
from puzzlesat.cli.working import working
from puzzlesat.exchange.compiled import ToCompile, check_wishes, compiled
from puzzlesat.files import check_apart, check_output, new_text, write_text
from puzzlesat.formats.puzzles import instance_in


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
        write_text(map_file, jsonlib.dumps(variables, ensure_ascii=False, indent=0) + "\n")
    return DONE
