"""Files that hold a cover problem, by their suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from puzzlesat.cover.problem import CoverProblem
from puzzlesat.formats.dimacs import read_dimacs
from puzzlesat.formats.opb import read_opb
from puzzlesat.formats.xcc import read_xcc

READERS: dict[str, Callable[[Path], CoverProblem]] = {".xcc": read_xcc, ".dlx": read_xcc, ".opb": read_opb, ".cnf": read_dimacs}


def is_cover_file(name: str) -> bool:
    """Tell by its suffix whether a file holds a cover problem."""
    return Path(name).suffix.lower() in READERS


def read_cover_file(path: Path) -> CoverProblem:
    """Return the cover problem in a file; raise PuzzleError for what is wrong with it."""
    return READERS[path.suffix.lower()](path)
