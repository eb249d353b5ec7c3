"""``puzzlesat design --carve``: pieces of a high level, carved from an assembly of a puzzle."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path

from rich.console import Console

from puzzlesat.burrs.carving import Block, Carved, carved, puzzle_of_carved
from puzzlesat.burrs.run import Asked
from puzzlesat.burrs.tally import Taken
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import status_after
from puzzlesat.cli.output import say_unfinished
from puzzlesat.cli.terminal import console, print_table, say, stoppable
from puzzlesat.cli.working import working
from puzzlesat.disassembly.words import HOW_CHECKED
from puzzlesat.errors import PuzzleError, many
from puzzlesat.files import check_apart, check_output, write_text
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.formats.toml import instance_text

MOST_ROWS = 10
"""Levels that are listed."""


def run_carve(name: str, number: int, asked: Asked, best: Path | None, *, bounds: Bounds, as_json: bool) -> int:
    """Search so many assignments of cells to pieces, and say what was found; return the exit status."""
    if asked.apart or asked.sample is not None or asked.unique:
        raise PuzzleError("--carve is not for --apart, --sample and --unique; remove them")
    check_output(asked.file)
    check_output(best, ".toml")
    check_apart(name, asked.file, best)
    instance = instance_in(name)
    block, out = Block(instance), console()

    def keep(one: Taken) -> None:
        """Write what is best so far."""
        if best is not None:
            write_text(best, instance_text(puzzle_of_carved(block, one.cubes)))
        if not as_json:
            say(out, f"level {one.level_words}: {_sizes(one)}", hang=2)

    with stoppable() as stop, working(name, bounds, stop=stop) as (limits, told):
        known = carved(instance, number, asked, limits, progress=told, on_best=keep)
    if as_json:
        print(jsonlib.dumps(known.record, ensure_ascii=False))
    else:
        _tell(out, known, best)
    say_unfinished(known.why, asked.file)
    return status_after(False, known.complete)  # noqa: FBT003


def _sizes(one: Taken) -> str:
    return f"pieces of {', '.join(one.pieces)} cells, {many(one.holes, 'hole')}"


def _tell(out: Console, known: Carved, best: Path | None) -> None:
    say(out, known.sentence, style="bold", hang=2)
    if known.levels:
        width = max(len(f"{found:,}") for found in known.levels.values())
        rows = [[level, f"{found:,}".rjust(width)] for level, found in known.levels.items()]
        print_table(out, ["level", "assignments"], rows[:MOST_ROWS])
        if (more := len(rows) - MOST_ROWS) > 0:
            say(out, f"and {many(more, 'lower level')}")
    how = HOW_CHECKED
    of_all = "" if known.checked == known.searched else f" {known.checked:,} of {known.searched:,}"
    say(out, f"checked{of_all}: {how}", style="dim", hang=2)
    if best is not None and known.best is not None:
        print(f"puzzle: {best}; 'puzzlesat apart {best}' tells whether another assembly of these pieces comes apart")
