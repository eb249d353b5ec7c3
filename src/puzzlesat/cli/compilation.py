"""A puzzle, or a cover problem, as the text of a problem for other solvers; and what conversions need of other rooms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from puzzlesat.base import Clock, Limits, Progress, PuzzleError, near_match
from puzzlesat.counting import solutions
from puzzlesat.formats import ExactCover, Means, cover_lines, writable
from puzzlesat.proofs import found_conditions, solution_check
from puzzlesat.puzzles import CoverProblem, Instance, build_instance, reduce
from puzzlesat.solvers import AT_MOST_ONE, LISTING, tile_to_break


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
    formats = [f.name for f in writable("cover problem")]
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
    return problem, cover_lines(problem, wanted.format, wanted.encoding, told=told)


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
        found = found_conditions(built, left)
        problem = replace(problem, conditions=(*problem.conditions, *found))
    return problem, tile_to_break(problem, built.instance.break_on) if wanted.symmetry else None


def conversion_means(limits: Limits, told: Progress, *, distinct: bool) -> Means:
    """Return how a conversion builds puzzles, finds their solutions and checks them, within some limits."""
    return Means(
        build=lambda instance: build_instance(instance, progress=told, memory=limits.memory),
        search=lambda built, on_end: solutions(built, LISTING, limits, distinct=distinct, progress=told, on_end=on_end),
        check=solution_check,
    )
