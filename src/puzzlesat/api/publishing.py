"""``puzzlesat.site``: puzzles as a page that anyone can open."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from puzzlesat.api import checked
from puzzlesat.progress import SILENT
from puzzlesat.site.writing import Site, write_site
from puzzlesat.solvers.run import heeding, limits_of
from puzzlesat.version import VERSION


@checked
def site(folder: str | Path, puzzles: Iterable[str | Path] | str | Path = (), *, memory: float | None = None) -> Site:
    """Write puzzles as a page that anyone can open, from any web space or from disk, without Python.

    Parameters
    ----------
    folder
        The folder to write into; it is made if it is not there. Files in it that puzzlesat did not write are not replaced.
    puzzles
        Names of puzzles, or files; none for all puzzles of the package. One puzzle becomes one file, several become a site.
    memory
        Memory limit per puzzle in GiB.

    Returns
    -------
    Site
        ``file`` is the page to open, ``puzzles`` has the names of its puzzles, and ``left_out`` those that a browser cannot count.

    Raises
    ------
    PuzzleError
        If a puzzle cannot be read, or a file is in the way.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> made = puzzlesat.site(mkdtemp(), "domino-and-square-3x2")
    >>> made.file.name, made.puzzles, made.complete
    ('domino-and-square-3x2.html', ('domino-and-square-3x2',), True)

    """
    names = [puzzles] if isinstance(puzzles, str | Path) else list(puzzles)
    limits = limits_of(None, memory, cpu=False).begun()
    return write_site(Path(folder), names, limits, heeding(SILENT, limits), version=VERSION)
