"""A puzzle, or a cover problem, as the text of a problem for other solvers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

from puzzlesat.cover.instance import build_instance
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.reduce import reduce
from puzzlesat.errors import PuzzleError, near_match
from puzzlesat.formats.cover_files import cover_lines
from puzzlesat.formats.exact_cover import ExactCover
from puzzlesat.formats.table import written
from puzzlesat.progress import Progress
from puzzlesat.proof.conditions import found_conditions
from puzzlesat.puzzle.instance import Instance
from puzzlesat.solvers.cnf import AT_MOST_ONE
from puzzlesat.solvers.run import Clock, Limits
from puzzlesat.solvers.strategy import COLOURING_SECONDS
from puzzlesat.solvers.tile_choice import tile_to_break

TOLD_AFTER = 1000
"""Lines."""


@dataclass(frozen=True)
class ToCompile:
    """In what form the problem is to be."""

    format: str = "cnf"
    symmetry: bool = False
    """Break the symmetry of the form."""
    reduction: bool = False
    """Remove placements that cannot be part of any solution."""
    parity: bool = False
    """Add chess parity and similar arguments."""
    colouring: bool = False
    """Look for colourings that restrict the solutions, and add them."""
    encoding: str | None = None
    """For ``cnf``: how the formula says that at most one of several variables is true."""


def check_wishes(wanted: ToCompile) -> None:
    """Raise PuzzleError for a format or an encoding that does not exist."""
    formats = [f.name for f in written("cover problem")]
    if wanted.format not in formats:
        raise PuzzleError(f"there is no format {wanted.format!r}{near_match(wanted.format, formats)}")
    if wanted.encoding is not None and wanted.format != "cnf":
        raise PuzzleError(f"--encoding is for --format cnf, not for {wanted.format}; remove it")
    if wanted.encoding is not None and wanted.encoding not in AT_MOST_ONE:
        raise PuzzleError(f"there is no encoding {wanted.encoding!r}{near_match(wanted.encoding, AT_MOST_ONE)}")


def compiled(puzzle: Instance | ExactCover, wanted: ToCompile, limits: Limits, told: Progress) -> tuple[CoverProblem, Iterator[str]]:
    """Return the problem and the lines of its file. Raises EndedError at a limit, also while the lines are read."""
    problem, break_on = _problem(puzzle, wanted, limits, told)
    problem = reduce(problem, symmetry=wanted.symmetry, dead=wanted.reduction, break_on=break_on, progress=told).problem
    format = next(f for f in written("cover problem") if f.name == wanted.format)
    return problem, told_lines(cover_lines(problem, format, wanted.encoding), told)


def _problem(puzzle: Instance | ExactCover, wanted: ToCompile, limits: Limits, told: Progress) -> tuple[CoverProblem, str | None]:
    """The problem before it is made smaller, and the tile that is to break the symmetry."""
    if isinstance(puzzle, ExactCover):
        if wanted.colouring:
            raise PuzzleError(f"--colouring is for puzzles, and {puzzle.name} has no form and no tiles; remove it")
        return puzzle.problem, None
    built = build_instance(puzzle, progress=told, memory=limits.memory)
    problem = built.problem if wanted.parity else built.problem.without_implied()
    if wanted.colouring:
        left = Clock(limits).left
        found = found_conditions(built, COLOURING_SECONDS if left is None else min(left, COLOURING_SECONDS))
        problem = replace(problem, conditions=(*problem.conditions, *found))
    return problem, tile_to_break(problem, built.instance.break_on) if wanted.symmetry else None


def told_lines(lines: Iterable[str], told: Progress) -> Iterator[str]:
    """Yield the lines that are written; every now and then it is told how many there were. Before the first one, a formula is made."""
    left = iter(lines)
    with told.overseen():
        first = [*islice(left, 1)]
    for number, line in enumerate(chain(first, left)):
        if number % TOLD_AFTER == 0:
            told.of("writing")({"lines": number})
        yield line
