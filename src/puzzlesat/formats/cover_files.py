"""Files that hold a cover problem, whatever their format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from puzzlesat.cover.problem import CoverProblem, refuse_colouring
from puzzlesat.formats.table import Format, by_suffix, function


def is_cover_file(name: str | Path) -> bool:
    """Tell by its suffix whether a file holds a cover problem that can be read."""
    return any(f.reads for f in by_suffix(name, "cover problem"))


def read_cover_file(path: Path) -> CoverProblem:
    """Return the cover problem in a file; raise PuzzleError for what is wrong with it."""
    problem: CoverProblem = function(by_suffix(path, "cover problem")[0].reads)(path)
    return problem


def cover_lines(problem: CoverProblem, format: Format, encoding: str | None = None) -> Iterator[str]:
    """Yield the lines of a file; ``encoding`` says how a formula forbids that two are chosen.

    Raises NotSupportedError for what the format cannot say.
    """
    refuse_colouring(problem, format.name)
    lines: Iterator[str] = function(format.writes)(problem, **({} if encoding is None else {"encoding": encoding}))
    yield from lines
