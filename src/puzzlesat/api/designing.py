"""``puzzlesat.design``: how many assemblies a family of burrs has, and which come apart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from puzzlesat.api import checked
from puzzlesat.burrs.carving import Carved, carved
from puzzlesat.burrs.designfile import design_given
from puzzlesat.burrs.familyrun import DesignedSets, designed_sets
from puzzlesat.burrs.piecesfile import PiecesFile
from puzzlesat.burrs.run import Asked, Designed, designed, part_of
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.puzzles import instance_given
from puzzlesat.solvers.machine import all_cores
from puzzlesat.solvers.run import limits_of


@checked
def design(
    design: str | Path | Mapping[str, Any],
    *,
    apart: bool = False,
    sample: int | None = None,
    seed: int = 0,
    unique: int = 0,
    part: str = "1/1",
    carve: int | None = None,
    output: str | Path | None = None,
    jobs: int | None = None,
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
) -> Designed | DesignedSets | Carved:
    """Count all assemblies of a family of burrs, and see which come apart.

    Parameters
    ----------
    design
        A file, the name of a design of the package, or the tables of such a file: rods, or pieces with free cells. With ``carve``, a
        puzzle.
    apart
        Take apart every assembly in which something can move, one of each class of turned or mirrored copies.
    sample
        Take apart so many assemblies, drawn at random.
    seed
        The same seed draws the same assemblies.
    unique
        For so many assemblies of the highest levels, count the other assemblies of their pieces, and those that come apart (``others``).
    part
        With ``apart``: ``"1/100"`` takes the first of a hundred parts of these assemblies. All parts together have each assembly once.
    carve
        Give the cells of a puzzle to its pieces in so many other ways, in search of a high level.
    output
        A file that keeps one line of JSON for each assembly of a sample, or for each of the small parts into which ``apart`` cuts its work.
        What it has already is not done again.
    jobs
        How many processes work at the same time. Default: one for each core.
    seconds
        Stop after so many seconds.
    memory
        Memory limit in GiB.
    cpu
        Measure the seconds as CPU seconds, child processes included.

    Returns
    -------
    Designed
        ``sentence`` is the answer. ``counted`` has the numbers of assemblies, and ``confirmed`` tells whether a second way of counting
        found the same. ``levels`` tells how many assemblies come apart at each level, and ``sets`` how many sets of pieces. ``taken`` has
        each assembly of a sample. If a limit ended the work, ``complete`` is False and ``why`` tells how far it was.
    DesignedSets
        The same for pieces with free cells. ``sets`` are the sets of pieces that fill the form, ``once`` tells how many of them have one
        assembly only, and ``shown`` are the best.
    Carved
        With ``carve``: ``best`` is the assignment of the highest level that was found, of ``searched``.

    Raises
    ------
    PuzzleError
        If the design or the file cannot be read.
    NotSupportedError
        If there are too many assemblies to count.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> found = puzzlesat.design("notchable-solid-six-piece-burrs", apart=True, jobs=1)
    >>> found
    <Designed Solid six-piece burrs of notchable pieces: 1,063 assemblies up to symmetry (12,597 in all)>
    >>> found.apart, found.levels
    (314, {'1.2': 57, '1': 257})

    """
    if apart and sample is not None:
        raise PuzzleError("use apart or sample, not both")
    if sample is not None and sample < 1:
        raise PuzzleError(f"sample: expected 1 or more, got {sample}")
    if carve is not None and (carve < 1 or apart or sample is not None or unique):
        raise PuzzleError("carve: expected 1 or more, without apart, sample and unique")
    if part != "1/1" and not apart:
        raise PuzzleError("part is for apart")
    asked = Asked(apart, sample, seed, None if output is None else Path(output), unique, part_of(part))
    limits = limits_of(seconds, memory, cpu=cpu)
    if carve is not None:
        return carved(instance_given(design), carve, asked, limits)
    file, cores = design_given(design), jobs or all_cores()
    if isinstance(file, PiecesFile):
        if sample is not None or part != "1/1":
            raise PuzzleError("sample and part are for designs of rods")
        *_, sets = designed_sets(file, asked, cores, limits)
        return sets
    *_, found = designed(file, asked, cores, limits)
    return found
